/*
 * Can a message of the log, or a snapshot, of any content do harm to a node that has sets already?
 * And is what it takes told on as the same: as the change that it was, and as a snapshot? The input: a
 * byte, odd for a snapshot, whose changes make one version after the other, even for a message, whose
 * changes are numbered and of sets that are there; then the message. Its changes are what stands
 * behind the head, though that says that they are in pieces.
 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/record.h"
#include "record_sets.h"

#define WHOLE 1 /* the kind of a change that tells all shapes */

static struct gjkd_registry *present, *empty;
static proto_limits limits;

static void require(bool condition) {
    if (!condition) {
        abort();
    }
}

/* The version that changes of one set, of which `before` is there, come to. */
static struct gjkd_version *apply_all(proto_text text, struct gjkd_version *before) {
    struct gjkd_version *version = before != NULL ? gjkd_version_retain(before) : NULL;
    while (text.length > 0) {
        gjkd_applied applied;
        struct proto_problem problem = {0};
        require(gjkd_record_apply(&text, version, empty, &limits, &applied, &problem));
        gjkd_version_release(applied.from);
        gjkd_version_release(version);
        version = applied.to;
    }
    return version;
}

static proto_text tell_set(const struct gjkd_version *version, struct gjk_arena *arena) {
    struct proto_buffer out;
    proto_buffer_init(&out, arena);
    gjkd_record_put_set(&out, version);
    require(!out.failed);
    return (proto_text){out.data, out.length};
}

/* A version that was made of a text tells the same as the one that the text was made of. */
static void check_same(proto_text text, struct gjkd_version *version, struct gjk_arena *arena) {
    const proto_text again = tell_set(version, arena);
    require(text.length == again.length && memcmp(text.data, again.data, text.length) == 0);
    gjkd_version_release(version);
}

static uint32_t ticks_of(const struct gjkd_version *version) {
    return version != NULL && version->history != NULL ? gjk_history_count(version->history) : 0;
}

static void check_change(const gjkd_applied *applied, bool is_whole, proto_text set,
                         struct gjk_arena *arena) {
    const struct gjkd_version *from = applied->from, *to = applied->to;
    struct proto_buffer out;
    gjkd_stamp stamp = {.tick = ticks_of(to) > 0 ? gjk_history_newest(to->history) : 0};
    const bool is_tick = ticks_of(to) > 0 && (is_whole || ticks_of(from) == 0 ||
                                              gjk_history_newest(from->history) < stamp.tick);
    const gjkd_proposal proposal = {.name = applied->name,
                                    .from = applied->from,
                                    .to = applied->to,
                                    .is_whole = is_whole,
                                    .stamp = is_tick ? &stamp : NULL};
    proto_buffer_init(&out, arena);
    gjkd_record_put(&out, &proposal);
    require(!out.failed);
    check_same(set, apply_all((proto_text){out.data, out.length}, applied->from), arena);
}

static void check_applied(const gjkd_applied *applied, bool is_whole) {
    struct gjk_arena arena;
    if (applied->to == NULL) {
        return;
    }
    gjk_arena_init(&arena, 0);
    const proto_text set = tell_set(applied->to, &arena);
    check_same(set, apply_all(set, NULL), &arena);
    check_change(applied, is_whole, set, &arena);
    gjk_arena_fini(&arena);
}

/* Takes so many changes, or all there are. */
static void take_changes(proto_text text, uint32_t most, bool is_snapshot) {
    struct gjkd_version *before = NULL;
    bool goes_on = true;
    for (uint32_t i = 0; i < most && text.length > 0 && goes_on; i++) {
        gjkd_applied applied = {.to = NULL};
        struct proto_problem problem = {0};
        const bool is_whole = text.data[0] == WHOLE;
        goes_on = gjkd_record_apply(&text, before, present, &limits, &applied, &problem);
        if (!goes_on) {
            require(problem.code != PROTO_OK && problem.detail[0] != '\0');
            break;
        }
        check_applied(&applied, is_whole);
        gjkd_version_release(applied.from);
        gjkd_version_release(before);
        before = is_snapshot ? applied.to : NULL;
        if (!is_snapshot) {
            gjkd_version_release(applied.to);
        }
    }
    gjkd_version_release(before);
}

/* All but the form, of which the one before is read, too. */
static void check_head(const gjkd_message *message, proto_text text) {
    enum { FORM_BYTES = 4 };
    struct gjk_arena arena;
    struct proto_buffer out;
    gjk_arena_init(&arena, 0);
    proto_buffer_init(&out, &arena);
    gjkd_record_put_head(&out, &message->head, (const gjkd_digest *)(const void *)message->pieces,
                         message->piece_count, message->bytes);
    require(!out.failed && out.length + message->changes.length == text.length);
    require(memcmp(out.data + FORM_BYTES, text.data + FORM_BYTES, out.length - FORM_BYTES) == 0);
    gjk_arena_fini(&arena);
}

/* libFuzzer declares it nowhere. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (present == NULL) {
        limits = proto_limits_default();
        present = record_sets();
        empty = gjkd_registry_new(1);
        require(empty != NULL);
    }
    gjkd_message message;
    const proto_text text = {(const char *)data + 1, size > 0 ? size - 1 : 0};
    if (size == 0 || !gjkd_message_read(text, &message)) {
        return 0;
    }
    check_head(&message, text);
    uint32_t count = UINT32_MAX;
    const bool is_snapshot = data[0] & 1;
    if (is_snapshot || gjkd_record_count(&message.changes, &count)) {
        take_changes(message.changes, count, is_snapshot);
    }
    return 0;
}
