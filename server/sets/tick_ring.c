/*
 * A ring with at least one entry more than a version has ticks: the next tick is written before it
 * is known whether the version with that tick will be stored, and changes nothing if it is not.
 */

#include "sets/tick_ring.h"

#include "util/references.h"

#include <stdlib.h>

#define CAPACITY_MIN 8

struct gjkd_ring {
    gjkd_references references;
    uint32_t capacity;
    gjkd_tick ticks[];
};

static gjkd_tick *at(const gjkd_tick_ring *tick_ring, uint32_t i) {
    GJK_ASSERT(tick_ring->ring != NULL);
    return &tick_ring->ring->ticks[(tick_ring->start + i) % tick_ring->ring->capacity];
}

static gjkd_tick_ring retain(gjkd_tick_ring tick_ring) {
    if (tick_ring.ring != NULL) {
        gjkd_references_retain(&tick_ring.ring->references);
    }
    return tick_ring;
}

void gjkd_tick_ring_release(const gjkd_tick_ring *tick_ring) {
    struct gjkd_ring *ring = tick_ring->ring;
    if (ring != NULL && gjkd_references_release(&ring->references)) {
        free(ring);
    }
}

/* The same ticks in a new ring of twice the capacity. False: out of memory. */
static bool grow(const gjkd_tick_ring *tick_ring, gjkd_tick_ring *out) {
    uint32_t capacity = tick_ring->count < CAPACITY_MIN / 2 ? CAPACITY_MIN : tick_ring->count * 2;
    struct gjkd_ring *ring = malloc(sizeof *ring + capacity * sizeof ring->ticks[0]);
    if (ring == NULL) {
        return false;
    }
    gjkd_references_init(&ring->references);
    ring->capacity = capacity;
    for (uint32_t i = 0; i < tick_ring->count; i++) {
        ring->ticks[i] = *at(tick_ring, i);
    }
    *out = (gjkd_tick_ring){ring, 0, tick_ring->count, tick_ring->bytes, tick_ring->order_bytes};
    return true;
}

/* Removes the oldest tick and, from the bytes, the bodies that only it had. */
static void drop_oldest(gjkd_tick_ring *tick_ring) {
    const gjkd_tick *oldest = at(tick_ring, 0);
    tick_ring->bytes -= oldest->set_bytes + oldest->own_bytes;
    tick_ring->order_bytes -= oldest->order_bytes;
    if (tick_ring->count > 1) {
        const gjkd_tick *next = at(tick_ring, 1);
        tick_ring->bytes += next->set_bytes - next->added_bytes;
    }
    tick_ring->start = (tick_ring->start + 1) % tick_ring->ring->capacity;
    tick_ring->count--;
}

bool gjkd_tick_ring_add(const gjkd_tick_ring *tick_ring, const gjkd_tick *tick, uint32_t ticks_max,
                        gjkd_tick_ring *out) {
    GJK_ASSERT(ticks_max >= 1);
    bool is_full = tick_ring->ring == NULL || tick_ring->count + 1 >= tick_ring->ring->capacity;
    gjkd_tick_ring next = {0};
    if (!is_full) {
        next = retain(*tick_ring);
    } else if (!grow(tick_ring, &next)) {
        return false;
    }
    *at(&next, next.count++) = *tick;
    next.bytes += (next.count > 1 ? tick->added_bytes : tick->set_bytes) + tick->own_bytes;
    next.order_bytes += tick->order_bytes;
    while (next.count > ticks_max) {
        drop_oldest(&next);
    }
    *out = next;
    return true;
}

gjkd_tick_ring gjkd_tick_ring_limit(const gjkd_tick_ring *tick_ring, uint32_t ticks_max) {
    gjkd_tick_ring next = retain(*tick_ring);
    while (next.count > ticks_max) {
        drop_oldest(&next);
    }
    return next;
}

const gjkd_tick *gjkd_tick_ring_find(const gjkd_tick_ring *tick_ring, uint64_t tick) {
    uint32_t low = 0, high = tick_ring->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (at(tick_ring, middle)->tick < tick) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < tick_ring->count && at(tick_ring, low)->tick == tick ? at(tick_ring, low) : NULL;
}
