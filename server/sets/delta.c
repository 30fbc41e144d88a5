/*
 * The persistent maps of two versions share what did not change, so that walking them side by side
 * meets the differences only. A set that was replaced as a whole shares nothing; there the shapes
 * themselves are compared. Everything is visited twice: once to measure, once to fill the block.
 */

#include "sets/delta.h"

#include "work/memory.h"

#include <stdlib.h>
#include <string.h>

/* --- What differs --- */

struct sieve {
    gjk_set_visitor visit;
    void *user;
};

static void sift(void *user, const gjk_body *from, const gjk_body *to) {
    const struct sieve *sieve = user;
    if (from == NULL || to == NULL || !gjkd_stored_is_same(from, to)) {
        sieve->visit(sieve->user, from, to);
    }
}

void gjkd_versions_diff(const struct gjkd_version *from, const struct gjkd_version *to,
                        gjk_set_visitor visit, void *user) {
    struct sieve sieve = {visit, user};
    gjk_set_diff(from->set, to->set, sift, &sieve);
}

bool gjkd_same_meta(const struct gjkd_version *a, const struct gjkd_version *b) {
    const bool has_meta = a->meta.data != NULL;
    return has_meta == (b->meta.data != NULL) && a->meta.length == b->meta.length &&
           (!has_meta || memcmp(a->meta.data, b->meta.data, a->meta.length) == 0);
}

bool gjkd_same_history(const struct gjkd_version *a, const struct gjkd_version *b) {
    return a->has_history == b->has_history && a->history_ticks == b->history_ticks;
}

/* --- Deltas --- */

static void measure(void *user, const gjk_body *from, const gjk_body *to) {
    struct gjkd_delta *size = user;
    if (to != NULL) {
        size->count++;
    } else {
        size->gone++;
        size->ids_bytes += strlen(from->id) + 1;
    }
}

static void fill(void *user, const gjk_body *from, const gjk_body *to) {
    struct gjkd_delta *delta = user;
    if (to != NULL) {
        delta->handles[delta->count++] = to->handle;
    } else {
        const size_t length = strlen(from->id) + 1;
        char *ids = (char *)(uintptr_t)delta->ids;
        memcpy(ids + delta->ids_bytes, from->id, length);
        delta->ids_bytes += length;
        delta->gone++;
    }
}

struct gjkd_delta *gjkd_delta_new(const struct gjkd_version *from, const struct gjkd_version *to) {
    struct gjkd_delta size = {.count = 0};
    gjkd_versions_diff(from, to, measure, &size);
    const size_t handles_bytes = size.count * sizeof *size.handles;
    const size_t bytes = sizeof size + handles_bytes + size.ids_bytes;
    struct gjkd_delta *delta = gjkd_memory_take(GJKD_CHARGE_SETS, bytes) ? malloc(bytes) : NULL;
    if (delta == NULL) {
        return NULL;
    }
    *delta = (struct gjkd_delta){
        .from = gjkd_version_moment(from),
        .to = gjkd_version_moment(to),
        .from_mark = from->mark,
        .meta = !gjkd_same_meta(from, to),
        .history = !gjkd_same_history(from, to),
        .ids = (char *)delta + sizeof size + handles_bytes,
        .bytes = bytes,
    };
    gjkd_versions_diff(from, to, fill, delta);
    return delta;
}

void gjkd_delta_tell(const struct gjkd_version *from, const struct gjkd_version *to) {
    if (from == NULL) {
        return;
    }
    if (to == NULL) {
        gjkd_feed_end(from->feed);
    } else {
        gjkd_feed_add(to->feed, gjkd_version_moment(to), gjkd_delta_new(from, to));
    }
}
