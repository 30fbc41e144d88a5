/* A collector only copies under the lock and sorts afterwards, so that a commit never waits for a
 * sort. */

#include "sets/feed.h"

#include "work/memory.h"

#include <stdlib.h>
#include <string.h>

struct gjkd_feed *gjkd_feed_new(uint64_t order) {
    struct gjkd_feed *feed = calloc(1, sizeof *feed);
    if (feed != NULL) {
        gjkd_references_init(&feed->references);
        pthread_mutex_init(&feed->lock, NULL);
        feed->newest = order;
        feed->end = &feed->first;
    }
    return feed;
}

void gjkd_feed_begin(struct gjkd_feed *feed, uint64_t order) {
    feed->newest = order;
}

struct gjkd_feed *gjkd_feed_retain(struct gjkd_feed *feed) {
    gjkd_references_retain(&feed->references);
    return feed;
}

static void delta_free(struct gjkd_delta *delta) {
    if (delta != NULL) {
        gjkd_memory_give(GJKD_CHARGE_SETS, delta->bytes);
        free(delta);
    }
}

/* --- The list --- */

static void forget_oldest(struct gjkd_feed *feed) {
    struct gjkd_delta *oldest = feed->first;
    feed->first = oldest->next;
    feed->end = feed->first != NULL ? feed->end : &feed->first;
    feed->bytes -= oldest->bytes;
    feed->count--;
    delta_free(oldest);
}

static void forget_all(struct gjkd_feed *feed) {
    while (feed->count > 0) {
        forget_oldest(feed);
    }
}

static void keep_delta(struct gjkd_feed *feed, struct gjkd_delta *delta) {
    while (feed->count > 0 && (feed->count == GJKD_FEED_CHANGES_MAX ||
                               feed->bytes + delta->bytes > GJKD_FEED_BYTES_MAX)) {
        forget_oldest(feed);
    }
    if (delta->bytes > GJKD_FEED_BYTES_MAX) {
        delta_free(delta);
        return;
    }
    delta->next = NULL;
    *feed->end = delta;
    feed->end = &delta->next;
    feed->count++;
    feed->bytes += delta->bytes;
}

void gjkd_feed_release(struct gjkd_feed *feed) {
    if (feed != NULL && gjkd_references_release(&feed->references)) {
        forget_all(feed);
        pthread_mutex_destroy(&feed->lock);
        free(feed);
    }
}

/* --- Commits --- */

static void notify(const struct gjkd_feed *feed, const struct gjkd_version *from,
                   struct gjkd_version *to) {
    if (feed->listener != NULL) {
        feed->listener->notify(feed->listener, from, to);
    }
}

void gjkd_feed_add(struct gjkd_feed *feed, const struct gjkd_version *from, struct gjkd_version *to,
                   uint64_t newest, struct gjkd_delta *delta) {
    pthread_mutex_lock(&feed->lock);
    if (delta != NULL) {
        keep_delta(feed, delta);
    } else {
        forget_all(feed);
    }
    feed->newest = newest;
    notify(feed, from, to);
    pthread_mutex_unlock(&feed->lock);
}

void gjkd_feed_end(struct gjkd_feed *feed) {
    pthread_mutex_lock(&feed->lock);
    feed->has_ended = true;
    forget_all(feed);
    notify(feed, NULL, NULL);
    pthread_mutex_unlock(&feed->lock);
}

/* --- Collecting --- */

/* Finds the changes that lead from version `since` to version `upto`. *first: the first of them. */
static gjkd_collected find_changes(const struct gjkd_feed *feed, const gjkd_since *since,
                                   uint64_t upto, const struct gjkd_delta **first) {
    if (feed->has_ended) {
        return GJKD_COLLECT_ENDED;
    }
    if (feed->newest < upto) {
        return GJKD_COLLECT_LATER;
    }
    const struct gjkd_delta *at = feed->first;
    while (at != NULL && at->from < since->order) {
        at = at->next;
    }
    *first = at;
    if (at == NULL || at->from != since->order ||
        (since->has_nonce && at->from_nonce != since->nonce)) {
        return GJKD_COLLECT_NOT_KEPT;
    }
    while (at != NULL && at->to < upto) {
        at = at->next;
    }
    return at != NULL && at->to == upto ? GJKD_COLLECTED : GJKD_COLLECT_NOT_KEPT;
}

/* Copies the changes from `first` up to and including version `upto`. */
static gjkd_collected copy(const struct gjkd_delta *first, uint64_t upto, struct gjk_arena *arena,
                           gjkd_changes *out) {
    size_t handles_max = 0, ids_max = 0, ids_bytes = 0;
    for (const struct gjkd_delta *at = first; at != NULL && at->to <= upto; at = at->next) {
        handles_max += at->count;
        ids_max += at->gone;
        ids_bytes += at->ids_bytes;
    }
    uint32_t *handles = gjk_arena_alloc_array(arena, handles_max, sizeof *handles);
    const char **ids = gjk_arena_alloc_array(arena, ids_max, sizeof *ids);
    char *text = gjk_arena_alloc(arena, ids_bytes);
    if (handles == NULL || ids == NULL || text == NULL) {
        return GJKD_COLLECT_NO_MEMORY;
    }
    *out = (gjkd_changes){.handles = handles, .ids = ids};
    for (const struct gjkd_delta *at = first; at != NULL && at->to <= upto; at = at->next) {
        memcpy(handles + out->count, at->handles, at->count * sizeof *handles);
        out->count += at->count;
        memcpy(text, at->ids, at->ids_bytes);
        for (const char *end = text + at->ids_bytes; text < end; text += strlen(text) + 1) {
            ids[out->gone++] = text;
        }
        out->meta = out->meta || at->meta;
        out->history = out->history || at->history;
    }
    return GJKD_COLLECTED;
}

int gjkd_compare_handles(const void *a, const void *b) {
    const uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    return p < q ? -1 : p > q;
}

static int compare_ids(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void sort_unique(gjkd_changes *changes) {
    uint32_t *handles = (uint32_t *)(uintptr_t)changes->handles;
    const char **ids = (const char **)(uintptr_t)changes->ids;
    size_t kept = 0;
    qsort(handles, changes->count, sizeof *handles, gjkd_compare_handles);
    for (size_t i = 0; i < changes->count; i++) {
        if (i == 0 || handles[i] != handles[kept - 1]) {
            handles[kept++] = handles[i];
        }
    }
    changes->count = kept;
    qsort((void *)ids, changes->gone, sizeof *ids, compare_ids);
    kept = 0;
    for (size_t i = 0; i < changes->gone; i++) {
        if (i == 0 || strcmp(ids[i], ids[kept - 1]) != 0) {
            ids[kept++] = ids[i];
        }
    }
    changes->gone = kept;
}

gjkd_collected gjkd_feed_collect(struct gjkd_feed *feed, const gjkd_since *since, uint64_t upto,
                                 struct gjk_arena *arena, gjkd_changes *out) {
    const struct gjkd_delta *first = NULL;
    pthread_mutex_lock(&feed->lock);
    gjkd_collected result = find_changes(feed, since, upto, &first);
    if (result == GJKD_COLLECTED) {
        result = copy(first, upto, arena, out);
    }
    pthread_mutex_unlock(&feed->lock);
    if (result == GJKD_COLLECTED) {
        sort_unique(out);
    }
    return result;
}
