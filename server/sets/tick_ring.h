#ifndef GJKD_SETS_TICK_RING_H
#define GJKD_SETS_TICK_RING_H

/*
 * What the writers of a set remember of the ticks it keeps: which bytes made each, and what
 * each adds to the memory of the set. The entries stand in a ring that versions share; each
 * version sees a window of it. Only whoever is the writer of the set may read or add, and only
 * the window of the set's current version is valid.
 */

#include "gjk/base.h"
#include "util/digest.h"

typedef struct gjkd_tick {
    uint64_t tick;
    gjkd_digest digest;   /* of the request that made it */
    uint64_t set_bytes;   /* of its set */
    uint64_t added_bytes; /* of what the set of the tick before does not have */
    uint64_t own_bytes;   /* of what only this tick needs, besides its set */
} gjkd_tick;

struct gjkd_ring;

/* A value; copies of it share the ring. All zero: no ticks. */
typedef struct gjkd_tick_ring {
    struct gjkd_ring *ring; /* retained */
    uint32_t start, count;
    uint64_t bytes; /* of all that the ticks keep, shared parts counted once */
} gjkd_tick_ring;

/*
 * The journal that follows: with one tick more, which is above the newest, and without the
 * oldest ones that make it more than ticks_max (>= 1). Retains for *out. False: out of memory.
 */
bool gjkd_tick_ring_add(const gjkd_tick_ring *tick_ring, const gjkd_tick *tick, uint32_t ticks_max,
                        gjkd_tick_ring *out) GJK_MUST_USE;

/* The same journal without the oldest ticks beyond ticks_max. Retains. */
gjkd_tick_ring gjkd_tick_ring_limit(const gjkd_tick_ring *tick_ring, uint32_t ticks_max);

void gjkd_tick_ring_release(const gjkd_tick_ring *tick_ring);

/* The tick of that number, if it is kept, or NULL. View. O(log ticks). */
const gjkd_tick *gjkd_tick_ring_find(const gjkd_tick_ring *tick_ring, uint64_t tick);

#endif
