/* Access to a version, the differences between two versions, and the look-up of past ticks. */

#include "sets/version.h"

#include "work/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- References --- */

struct gjkd_version *gjkd_version_retain(struct gjkd_version *version) {
    gjkd_references_retain(&version->references);
    return version;
}

static void free_version(void *closure) {
    struct gjkd_version *version = closure;
    gjk_history_release(version->history);
    gjk_set_release(version->unlogged.base);
    gjk_set_release(version->set);
    gjkd_feed_release(version->feed);
    gjkd_memory_give(GJKD_CHARGE_SETS, version->charged_bytes);
    free(version);
}

void gjkd_version_release_part(struct gjkd_version *version, uint64_t bytes) {
    if (version != NULL && gjkd_references_release(&version->references)) {
        gjkd_deferred_free(version, bytes, free_version);
    }
}

void gjkd_version_release(struct gjkd_version *version) {
    gjkd_version_release_part(version, version != NULL ? version->bytes : 0);
}

uint64_t gjkd_version_pinned_bytes(const struct gjkd_version *version,
                                   const struct gjkd_version *newest) {
    if (version == newest) {
        return 0;
    }
    uint64_t shared = 0; /* lower bound: what the newest has and was not made since */
    if (newest != NULL && newest->incarnation == version->incarnation) {
        const uint64_t made = newest->made_bytes - version->made_bytes;
        shared = newest->bytes > made ? newest->bytes - made : 0;
    }
    const uint64_t own = version->bytes > shared ? version->bytes - shared : 0;
    const unsigned references = atomic_load_explicit(&version->references, memory_order_relaxed);
    return (own + version->charged_bytes) / (references > 0 ? references : 1);
}

/* --- Access --- */

static bool find_stored(const void *user, const char *id, proto_stored *out) {
    const struct gjkd_version *version = user;
    const gjk_body *body = gjk_set_find(version->set, id);
    if (body != NULL) {
        *out = gjkd_stored_view(body);
    }
    return body != NULL;
}

proto_base gjkd_version_base(const struct gjkd_version *version) {
    return (proto_base){
        .dimension = version->dimension,
        .shape_count = gjk_set_count(version->set),
        .has_history = version->has_history,
        .history_ticks = version->history_ticks,
        .meta = version->meta,
        .user = version,
        .find = find_stored,
    };
}

proto_ticks gjkd_version_ticks(const struct gjkd_version *version) {
    const struct gjk_history *history = version->history;
    if (history == NULL || gjk_history_count(history) == 0) {
        return (proto_ticks){0};
    }
    /* Ticks lost before the oldest kept one are no gap. */
    const uint32_t gaps = version->tick_totals.gaps;
    const gjk_tick oldest = gjk_history_tick(history, 0);
    const bool has_gap = gaps > 1 || (gaps == 1 && (oldest.is_missing || !oldest.after_gap));
    return (proto_ticks){gjk_history_oldest(history), gjk_history_newest(history),
                         gjk_history_count(history), has_gap};
}

proto_summary gjkd_version_summary(const struct gjkd_version *version) {
    return (proto_summary){
        .name = version->name,
        .dimension = version->dimension,
        .revision = version->revision,
        .shapes = gjk_set_count(version->set),
        .bytes = version->bytes,
        .ticks = gjkd_version_ticks(version),
    };
}

proto_set_head gjkd_version_head(const struct gjkd_version *version) {
    return (proto_set_head){
        .summary = gjkd_version_summary(version),
        .has_history = version->has_history,
        .history_ticks = version->history_ticks,
        .meta = version->meta,
    };
}

void gjkd_version_etag(const struct gjkd_version *version, char etag[GJKD_ETAG_MAX]) {
    const struct gjk_history *history = version->history;
    gjkd_etag_format(etag, version->incarnation, version->nonce, version->revision);
    if (version->is_shared && history != NULL && gjk_history_count(history) > 0) {
        gjkd_etag_add(etag, gjk_history_newest(history));
    }
}

void gjkd_shape_etag(const struct gjkd_version *version, const gjk_body *body,
                     char etag[GJKD_ETAG_MAX]) {
    const gjkd_origin origin = gjkd_stored_origin(body);
    gjkd_etag_format(etag, version->incarnation, origin.nonce, origin.revision);
    if (origin.tick_end > 0) {
        gjkd_etag_add(etag, origin.tick_end - 1);
    }
    gjkd_etag_add_handle(etag, body->handle);
}

uint64_t gjkd_version_ticks_end(const struct gjkd_version *version) {
    const struct gjk_history *history = version->history;
    return history != NULL && gjk_history_count(history) > 0 ? gjk_history_newest(history) + 1 : 0;
}

/* --- Deltas --- */

/*
 * The persistent maps of two versions share unchanged nodes, so a parallel walk visits only
 * differences. A set that was replaced as a whole shares nothing; its shapes are compared
 * themselves.
 */

/* The differences between two versions; the arrays have room for all shapes of both. */
struct differences {
    uint32_t *handles; /* of new and changed shapes */
    const char **ids;  /* ids of removed shapes */
    uint32_t count, gone;
    size_t ids_bytes;
};

static void note(void *user, const gjk_body *from, const gjk_body *to) {
    struct differences *all = user;
    if (to == NULL) {
        all->ids[all->gone++] = from->id;
        all->ids_bytes += strlen(from->id) + 1;
    } else if (from == NULL || !gjkd_stored_is_same(from, to)) {
        all->handles[all->count++] = to->handle;
    }
}

static bool is_same_meta(proto_text a, proto_text b) {
    return (a.data == NULL) == (b.data == NULL) && a.length == b.length &&
           (a.data == NULL || memcmp(a.data, b.data, a.length) == 0);
}

static struct gjkd_delta *delta_of(const struct gjkd_version *from, const struct gjkd_version *to,
                                   const struct differences *all) {
    const size_t handles_bytes = all->count * sizeof *all->handles;
    const size_t bytes = sizeof(struct gjkd_delta) + handles_bytes + all->ids_bytes;
    struct gjkd_delta *delta = gjkd_memory_take(GJKD_CHARGE_SETS, bytes) ? malloc(bytes) : NULL;
    if (delta == NULL) {
        return NULL;
    }
    char *ids = (char *)delta + sizeof *delta + handles_bytes;
    *delta = (struct gjkd_delta){
        .from = gjkd_version_seq(from),
        .to = gjkd_version_seq(to),
        .from_nonce = from->nonce,
        .meta = !is_same_meta(from->meta, to->meta),
        .history = from->has_history != to->has_history || from->history_ticks != to->history_ticks,
        .count = all->count,
        .gone = all->gone,
        .ids_bytes = all->ids_bytes,
        .ids = ids,
        .bytes = bytes,
    };
    memcpy(delta->handles, all->handles, handles_bytes);
    for (uint32_t i = 0; i < all->gone; i++) {
        ids = stpcpy(ids, all->ids[i]) + 1;
    }
    return delta;
}

/*
 * Makes the delta between two versions of one incarnation. Shapes for which GET answers the same
 * are equal. O(differences * log n) if edits made one from the other, else O(n). Returns NULL if
 * memory is exhausted.
 */
static struct gjkd_delta *delta_new(const struct gjkd_version *from,
                                    const struct gjkd_version *to) {
    struct differences all = {
        .handles = malloc((gjk_set_count(to->set) + (size_t)1) * sizeof *all.handles),
        .ids = malloc((gjk_set_count(from->set) + (size_t)1) * sizeof *all.ids),
    };
    struct gjkd_delta *delta = NULL;
    if (all.handles != NULL && all.ids != NULL) {
        gjk_set_diff(from->set, to->set, note, &all);
        delta = delta_of(from, to, &all);
    }
    free(all.handles);
    free((void *)all.ids);
    return delta;
}

void gjkd_delta_publish(const struct gjkd_version *from, struct gjkd_version *to) {
    if (from == NULL) {
        return;
    }
    if (to == NULL) {
        gjkd_feed_end(from->feed);
    } else {
        gjkd_feed_add(to->feed, from, to, gjkd_version_seq(to), delta_new(from, to));
    }
}

/* Maps results of the history's lookup to problems of the API. */

bool gjkd_refuse_without_ticks(const struct gjkd_version *version, proto_code code,
                               struct proto_problem *problem) {
    proto_problem_set(problem, code, "the set \"%.160s\" keeps no ticks", version->name);
    return proto_problem_hint(problem, "PATCH it with \"history\": {\"ticks\": n} to keep n");
}

bool gjkd_rewind(const struct gjkd_version *version, double tick, gjk_rewound *out,
                 struct proto_problem *problem) {
    const struct gjk_history *history = version->history;
    if (history == NULL) {
        return gjkd_refuse_without_ticks(version, PROTO_TICK_EXPIRED, problem);
    }
    if (gjk_history_count(history) == 0) {
        proto_problem_set(problem, PROTO_TICK_EXPIRED, "the set \"%.160s\" has no ticks yet",
                          version->name);
        return proto_problem_hint(problem, "PUT /v1/sets/%.100s/ticks/1 makes the first",
                                  version->name);
    }
    switch (gjk_history_at(history, tick, out)) {
    case GJK_REWIND_OK:
        return true;
    case GJK_REWIND_EXPIRED:
        proto_problem_set(problem, PROTO_TICK_EXPIRED,
                          "the oldest tick that the set \"%.160s\" keeps is %" PRIu64,
                          version->name, gjk_history_oldest(history));
        return proto_problem_hint(problem, "ask for a tick from %" PRIu64 " to %" PRIu64,
                                  gjk_history_oldest(history), gjk_history_newest(history));
    case GJK_REWIND_FUTURE:
        break;
    }
    proto_problem_set(problem, PROTO_TICK_IN_FUTURE,
                      "the newest tick of the set \"%.160s\" is %" PRIu64, version->name,
                      gjk_history_newest(history));
    return proto_problem_hint(problem,
                              "ask for a tick from %" PRIu64 " to %" PRIu64
                              ", or again when the set has reached this one",
                              gjk_history_oldest(history), gjk_history_newest(history));
}
