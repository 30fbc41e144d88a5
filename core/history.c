/*
 * What did a set look like at a tick, or between two? An array of ticks and sets, oldest first;
 * adding one copies the array and shares the sets.
 */

#include "gjk/history.h"
#include "references.h"

#include <stdlib.h>

typedef struct entry {
    uint64_t tick;
    const struct gjk_set *set; /* retained */
} entry;

struct gjk_history {
    gjk_references references;
    uint32_t ticks_max, count;
    entry entries[];
};

static struct gjk_history *history_alloc(uint32_t ticks_max, uint32_t capacity) {
    struct gjk_history *history = malloc(sizeof *history + capacity * sizeof history->entries[0]);
    if (history != NULL) {
        gjk_references_init(&history->references);
        history->ticks_max = ticks_max;
        history->count = 0;
    }
    return history;
}

static void push(struct gjk_history *history, uint64_t tick, const struct gjk_set *set) {
    history->entries[history->count++] = (entry){tick, gjk_set_retain(set)};
}

/* Copies the newest entries of `from`, at most `limit`. */
static void push_newest(struct gjk_history *history, const struct gjk_history *from,
                        uint32_t limit) {
    for (uint32_t i = from->count > limit ? from->count - limit : 0; i < from->count; i++) {
        push(history, from->entries[i].tick, from->entries[i].set);
    }
}

struct gjk_history *gjk_history_new(uint32_t ticks_max) {
    return history_alloc(ticks_max, 0);
}

gjk_status gjk_history_add(const struct gjk_history *history, uint64_t tick,
                           const struct gjk_set *set, struct gjk_history **out) {
    GJK_ASSERT((double)tick <= GJK_TICK_MAX);
    GJK_ASSERT(history->count == 0 || tick > gjk_history_newest(history));
    const uint32_t limit = history->ticks_max;
    struct gjk_history *next = history_alloc(limit, history->count + 1);
    if (next == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    if (limit > 0) {
        push_newest(next, history, limit - 1);
        push(next, tick, set);
    }
    *out = next;
    return GJK_OK;
}

gjk_status gjk_history_limit(const struct gjk_history *history, uint32_t ticks_max,
                             struct gjk_history **out) {
    struct gjk_history *next = history_alloc(ticks_max, history->count);
    if (next == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    push_newest(next, history, ticks_max);
    *out = next;
    return GJK_OK;
}

struct gjk_history *gjk_history_retain(const struct gjk_history *history) {
    struct gjk_history *shared = (struct gjk_history *)history;
    gjk_references_add(&shared->references);
    return shared;
}

void gjk_history_release(const struct gjk_history *history) {
    struct gjk_history *shared = (struct gjk_history *)history;
    if (shared == NULL || !gjk_references_drop(&shared->references)) {
        return;
    }
    for (uint32_t i = 0; i < shared->count; i++) {
        gjk_set_release(shared->entries[i].set);
    }
    free(shared);
}

uint32_t gjk_history_count(const struct gjk_history *history) {
    return history->count;
}

uint32_t gjk_history_ticks_max(const struct gjk_history *history) {
    return history->ticks_max;
}

uint64_t gjk_history_oldest(const struct gjk_history *history) {
    GJK_ASSERT(history->count > 0);
    return history->entries[0].tick;
}

uint64_t gjk_history_newest(const struct gjk_history *history) {
    GJK_ASSERT(history->count > 0);
    return history->entries[history->count - 1].tick;
}

const struct gjk_set *gjk_history_newest_set(const struct gjk_history *history) {
    return history->count > 0 ? history->entries[history->count - 1].set : NULL;
}

/* The last entry that is not newer than `tick`. The oldest is not. */
static uint32_t find(const struct gjk_history *history, double tick) {
    uint32_t low = 0, high = history->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if ((double)history->entries[middle].tick <= tick) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

gjk_rewind gjk_history_at(const struct gjk_history *history, double tick, gjk_rewound *out) {
    if (history->count == 0 || tick < (double)gjk_history_oldest(history)) {
        return GJK_REWIND_EXPIRED;
    }
    if (!(tick <= (double)gjk_history_newest(history))) {
        return GJK_REWIND_FUTURE;
    }
    const entry *from = &history->entries[find(history, tick)];
    *out = (gjk_rewound){gjk_moment_of(from->set), from->tick, from->tick};
    if (tick > (double)from->tick) {
        const entry *to = from + 1;
        /* Both differences are exact: ticks are whole, and so many digits a double has. */
        out->moment.next = to->set;
        out->moment.alpha = (tick - (double)from->tick) / (double)(to->tick - from->tick);
        out->to = to->tick;
    }
    return GJK_REWIND_OK;
}
