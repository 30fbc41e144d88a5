/*
 * What must a writer know of the ticks that are kept? A ring with one place more than a version
 * has ticks: the next tick is written into it before anybody knows whether the version that
 * shows it will be taken, and disturbs nothing if it is not.
 */

#include "journal.h"

#include <stdatomic.h>
#include <stdlib.h>

#define CAPACITY_MIN 8

struct gjkd_ring {
    atomic_uint references;
    uint32_t capacity;
    gjkd_tick ticks[];
};

static gjkd_tick *at(const gjkd_journal *journal, uint32_t i) {
    GJK_ASSERT(journal->ring != NULL);
    return &journal->ring->ticks[(journal->start + i) % journal->ring->capacity];
}

static gjkd_journal retain(gjkd_journal journal) {
    if (journal.ring != NULL) {
        atomic_fetch_add_explicit(&journal.ring->references, 1, memory_order_relaxed);
    }
    return journal;
}

void gjkd_journal_release(const gjkd_journal *journal) {
    struct gjkd_ring *ring = journal->ring;
    if (ring != NULL &&
        atomic_fetch_sub_explicit(&ring->references, 1, memory_order_acq_rel) == 1) {
        free(ring);
    }
}

/* The same ticks in a ring of their own, with room for as many again. */
static bool grow(const gjkd_journal *journal, gjkd_journal *out) {
    uint32_t capacity = journal->count < CAPACITY_MIN / 2 ? CAPACITY_MIN : journal->count * 2;
    struct gjkd_ring *ring = malloc(sizeof *ring + capacity * sizeof ring->ticks[0]);
    if (ring == NULL) {
        return false;
    }
    atomic_init(&ring->references, 1);
    ring->capacity = capacity;
    for (uint32_t i = 0; i < journal->count; i++) {
        ring->ticks[i] = *at(journal, i);
    }
    *out = (gjkd_journal){ring, 0, journal->count, journal->bytes};
    return true;
}

/* Bodies that only the oldest tick had go with it. */
static void drop_oldest(gjkd_journal *journal) {
    const gjkd_tick *oldest = at(journal, 0);
    journal->bytes -= oldest->set_bytes + oldest->own_bytes;
    if (journal->count > 1) {
        const gjkd_tick *next = at(journal, 1);
        journal->bytes += next->set_bytes - next->added_bytes;
    }
    journal->start = (journal->start + 1) % journal->ring->capacity;
    journal->count--;
}

bool gjkd_journal_add(const gjkd_journal *journal, const gjkd_tick *tick, uint32_t ticks_max,
                      gjkd_journal *out) {
    GJK_ASSERT(ticks_max >= 1);
    bool is_full = journal->ring == NULL || journal->count + 1 >= journal->ring->capacity;
    gjkd_journal next = {0};
    if (!is_full) {
        next = retain(*journal);
    } else if (!grow(journal, &next)) {
        return false;
    }
    *at(&next, next.count++) = *tick;
    next.bytes += (next.count > 1 ? tick->added_bytes : tick->set_bytes) + tick->own_bytes;
    while (next.count > ticks_max) {
        drop_oldest(&next);
    }
    *out = next;
    return true;
}

gjkd_journal gjkd_journal_limit(const gjkd_journal *journal, uint32_t ticks_max) {
    gjkd_journal next = retain(*journal);
    while (next.count > ticks_max) {
        drop_oldest(&next);
    }
    return next;
}

const gjkd_tick *gjkd_journal_find(const gjkd_journal *journal, uint64_t tick) {
    uint32_t low = 0, high = journal->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (at(journal, middle)->tick < tick) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < journal->count && at(journal, low)->tick == tick ? at(journal, low) : NULL;
}
