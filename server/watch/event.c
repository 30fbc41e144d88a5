/*
 * Shapes are printed in the order of their ids, as GET prints them, into an arena. The text is then
 * copied to a block of its size, which lives until all watches have read it.
 */

#include "watch/event.h"

#include "work/pool.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Maximum size of "id: INCARNATION-REVISION\nevent: KIND\ndata: ". */
#define HEAD_BYTES_MAX 96

/* Number of shapes that are printed between two chances for other tasks to get the worker. */
#define PRINTED_AT_ONCE 64

const char *gjkd_event_name(gjkd_event_kind kind) {
    static const char *const names[GJKD_EVENT_KINDS + 1] = {[GJKD_EVENT_CHANGE] = "change",
                                                            [GJKD_EVENT_OVERLAP] = "overlap",
                                                            [GJKD_EVENT_RESET] = "reset",
                                                            [GJKD_EVENT_DELETED] = "deleted",
                                                            [GJKD_EVENT_START] = "start"};
    return names[kind];
}

#define ID_FIELD "id: "

/* --- Blocks --- */

static size_t block_bytes(const struct gjkd_event *event) {
    return sizeof *event + event->bytes;
}

/* Prints INCARNATION-REVISION, as in the ETag. In a cluster the position in the log replaces the
 * revision, followed by the number of ticks since then, if any. */
static size_t put_id(char text[HEAD_BYTES_MAX], const struct gjkd_event *event) {
    const unsigned bits = event->is_shared ? GJKD_UNLOGGED_BITS : 0;
    const uint64_t ticks = event->order & (((uint64_t)1 << bits) - 1);
    int length = snprintf(text, HEAD_BYTES_MAX, ID_FIELD "%016" PRIx64, event->incarnation);
    if (event->nonce != 0) {
        length +=
            snprintf(text + length, HEAD_BYTES_MAX - (size_t)length, "%08" PRIx32, event->nonce);
    }
    length +=
        snprintf(text + length, HEAD_BYTES_MAX - (size_t)length, "-%" PRIu64, event->order >> bits);
    if (ticks > 0) {
        length += snprintf(text + length, HEAD_BYTES_MAX - (size_t)length, "-%" PRIu64, ticks);
    }
    return (size_t)length;
}

/* Creates an event like `like` with that JSON. Returns NULL if memory is exhausted. */
static struct gjkd_event *wrap(const struct gjkd_event *like, const struct proto_buffer *json,
                               uint64_t client) {
    char head[HEAD_BYTES_MAX];
    size_t count = 0;
    const proto_text *texts = json != NULL ? proto_buffer_texts(json, &count) : NULL;
    struct gjkd_event made = *like;
    if (json != NULL && (json->failed || texts == NULL)) {
        return NULL;
    }
    gjkd_references_init(&made.references);
    made.head = put_id(head, like);
    made.head += like->kind == GJKD_EVENT_START
                     ? (size_t)snprintf(head + made.head, sizeof head - made.head, "\n")
                     : (size_t)snprintf(head + made.head, sizeof head - made.head,
                                        "\nevent: %s\ndata: ", gjkd_event_name(like->kind));
    made.length = json != NULL ? proto_buffer_length(json) : 0;
    made.bytes = made.head + made.length + (json != NULL ? 2 : 1);
    struct gjkd_event *event = malloc(block_bytes(&made));
    if (event == NULL) {
        return NULL;
    }
    *event = made;
    if (!gjkd_account_open(&event->account, client, block_bytes(event))) {
        free(event); /* only the head of the block has been touched */
        return NULL;
    }
    memcpy(event->text, head, made.head);
    char *at = event->text + made.head;
    for (size_t i = 0; i < count; i++) {
        memcpy(at, texts[i].data, texts[i].length);
        at += texts[i].length;
    }
    memset(at, '\n', made.bytes - made.head - made.length);
    return event;
}

proto_text gjkd_event_id(const struct gjkd_event *event) {
    const char *id = event->text + strlen(ID_FIELD); /* ends with its line, without a NUL */
    const char *end = memchr(id, '\n', event->head - strlen(ID_FIELD));
    return (proto_text){id, (size_t)(end - id)};
}

struct gjkd_event *gjkd_event_retain(struct gjkd_event *event) {
    gjkd_references_retain(&event->references);
    return event;
}

void gjkd_event_release(struct gjkd_event *event) {
    if (event != NULL && gjkd_references_release(&event->references)) {
        gjkd_account_close(&event->account);
        free(event);
    }
}

static struct gjkd_event event_at(gjkd_event_kind kind, const struct gjkd_version *version) {
    return (struct gjkd_event){
        .kind = kind,
        .incarnation = version->incarnation,
        .revision = version->revision,
        .nonce = version->nonce,
        .is_shared = version->is_shared,
        .order = gjkd_version_seq(version),
        .ticks = gjkd_version_ticks(version),
    };
}

static proto_event head_of(const struct gjkd_event *event) {
    return (proto_event){gjkd_event_name(event->kind), event->revision, event->ticks};
}

/* --- Printing, in an arena that is charged --- */

struct scratch {
    struct gjkd_account account;
    struct gjk_arena arena;
    struct proto_buffer json;
};

static void scratch_init(struct scratch *scratch, uint64_t client) {
    gjkd_account_init_queue(&scratch->account, client);
    gjk_arena_init(&scratch->arena, 0);
    gjk_arena_charge(&scratch->arena, &scratch->account.account);
    proto_buffer_init_blocks(&scratch->json, &scratch->arena);
}

static void scratch_fini(struct scratch *scratch) {
    gjk_arena_fini(&scratch->arena);
    gjkd_account_fini(&scratch->account);
}

static struct gjkd_event *note(const struct gjkd_event *like, uint64_t client) {
    struct scratch scratch;
    const proto_event head = head_of(like);
    if (like->kind == GJKD_EVENT_START) {
        return wrap(like, NULL, client);
    }
    scratch_init(&scratch, client);
    proto_encode_event(&scratch.json, &head);
    struct gjkd_event *event = wrap(like, &scratch.json, client);
    scratch_fini(&scratch);
    return event;
}

struct gjkd_event *gjkd_event_note(gjkd_event_kind kind, const struct gjkd_version *version,
                                   uint64_t client) {
    const struct gjkd_event like = event_at(kind, version);
    return note(&like, client);
}

struct gjkd_event *gjkd_event_note_beside(gjkd_event_kind kind, const struct gjkd_event *other,
                                          uint64_t client) {
    /* Not a copy of the whole: other threads count their references to the event. */
    const struct gjkd_event like = {
        .kind = kind,
        .incarnation = other->incarnation,
        .revision = other->revision,
        .nonce = other->nonce,
        .is_shared = other->is_shared,
        .order = other->order,
        .ticks = other->ticks,
    };
    return note(&like, client);
}

struct gjkd_event *gjkd_event_overlap(const struct gjkd_version *version,
                                      const proto_overlap *overlap, uint64_t client) {
    struct gjkd_event like = event_at(GJKD_EVENT_OVERLAP, version);
    proto_overlap told = *overlap;
    struct scratch scratch;
    like.is_all = overlap->is_all;
    told.event = head_of(&like);
    scratch_init(&scratch, client);
    proto_encode_overlap(&scratch.json, &told);
    struct gjkd_event *event = wrap(&like, &scratch.json, client);
    scratch_fini(&scratch);
    return event;
}

/* --- Changes --- */

/* Present state of a shape; body is NULL if it was removed. */
typedef struct item {
    const char *id;
    const gjk_body *body;
} item;

struct items {
    item *list;
    size_t count;
};

static int compare_items(const void *a, const void *b) {
    return strcmp(((const item *)a)->id, ((const item *)b)->id);
}

/* Sorts the items and prints an event of them. */
static struct gjkd_event *print(struct scratch *scratch, const struct items *items,
                                proto_change_head *head, const struct gjkd_version *to,
                                uint64_t client) {
    const struct gjkd_event like = event_at(GJKD_EVENT_CHANGE, to);
    head->event = head_of(&like);
    head->has_history = to->has_history;
    head->history_ticks = to->history_ticks;
    head->meta = to->meta;
    qsort(items->list, items->count, sizeof *items->list, compare_items);
    proto_encode_change_begin(&scratch->json, head);
    for (size_t i = 0; i < items->count && !scratch->json.failed; i++) {
        const gjk_body *body = items->list[i].body;
        if (i % PRINTED_AT_ONCE == PRINTED_AT_ONCE - 1) {
            gjkd_pool_pause(uv_hrtime());
        }
        if (body != NULL) {
            const proto_stored stored = gjkd_stored_view(body);
            proto_encode_set_shape(&scratch->json, body->id, to->dimension, &stored, body->handle);
        } else {
            proto_encode_gone(&scratch->json, items->list[i].id);
        }
    }
    proto_encode_shapes_end(&scratch->json);
    return wrap(&like, &scratch->json, client);
}

struct gjkd_event *gjkd_event_whole(const struct gjkd_version *version, uint64_t client) {
    struct scratch scratch;
    struct items items = {.count = 0};
    struct gjkd_event *event = NULL;
    scratch_init(&scratch, client);
    items.list =
        gjk_arena_alloc_array(&scratch.arena, gjk_set_count(version->set), sizeof *items.list);
    if (items.list != NULL) {
        proto_change_head head = {.tells_history = true, .tells_meta = true};
        gjk_set_iterator bodies = gjk_set_iterate(version->set, NULL);
        for (const gjk_body *body; (body = gjk_set_next(&bodies)) != NULL;) {
            items.list[items.count++] = (item){body->id, body};
        }
        event = print(&scratch, &items, &head, version, client);
    }
    scratch_fini(&scratch);
    return event;
}

static bool gather(struct scratch *scratch, const gjkd_changes *changes, const struct gjk_set *now,
                   struct items *out) {
    out->list =
        gjk_arena_alloc_array(&scratch->arena, changes->count + changes->gone, sizeof(item));
    out->count = 0;
    for (size_t i = 0; out->list != NULL && i < changes->count; i++) {
        const gjk_body *body = gjk_set_find_handle(now, changes->handles[i]);
        if (body != NULL) {
            out->list[out->count++] = (item){body->id, body};
        }
    }
    for (size_t i = 0; out->list != NULL && i < changes->gone; i++) {
        if (gjk_set_find(now, changes->ids[i]) == NULL) {
            out->list[out->count++] = (item){changes->ids[i], NULL};
        }
    }
    return out->list != NULL;
}

gjkd_catch_up gjkd_event_since(const gjkd_since *since, const struct gjkd_version *to,
                               uint64_t client, struct gjkd_event **out) {
    struct scratch scratch;
    gjkd_changes changes;
    struct items items;
    scratch_init(&scratch, client);
    *out = NULL;
    const gjkd_collected collected =
        gjkd_feed_collect(to->feed, since, gjkd_version_seq(to), &scratch.arena, &changes);
    if (collected == GJKD_COLLECTED && gather(&scratch, &changes, to->set, &items)) {
        proto_change_head head = {.tells_history = changes.history, .tells_meta = changes.meta};
        *out = print(&scratch, &items, &head, to, client);
    }
    scratch_fini(&scratch);
    if (collected == GJKD_COLLECT_LATER || collected == GJKD_COLLECT_ENDED) {
        return collected == GJKD_COLLECT_LATER ? GJKD_CATCH_UP_LATER : GJKD_CATCH_UP_ENDED;
    }
    return *out != NULL ? GJKD_CAUGHT_UP : GJKD_CATCH_UP_RESET;
}
