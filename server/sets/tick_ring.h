#ifndef GJKD_SETS_TICK_RING_H
#define GJKD_SETS_TICK_RING_H

/*
 * What the writers of a set need of the ticks that it keeps: the digest of the request that made
 * each one, and the memory that it adds. The entries are in a ring that versions share; each
 * version has a window of it. Only the writer of the set may read or add, and only the window of
 * the current version is valid.
 */

#include "gjk/base.h"
#include "util/digest.h"

typedef struct gjkd_tick {
    uint64_t tick;
    gjkd_digest digest;   /* of the request that made it */
    uint64_t set_bytes;   /* of its set */
    uint64_t added_bytes; /* of what the previous tick's set does not share */
    uint64_t own_bytes;   /* of what the tick itself needs besides its set */
    uint64_t order_bytes; /* of both without the bodies */
} gjkd_tick;

struct gjkd_ring;

/* A value; copies of it share the ring. All zero: no ticks. */
typedef struct gjkd_tick_ring {
    struct gjkd_ring *ring; /* retained */
    uint32_t start, count;
    uint64_t bytes;       /* of all that the ticks keep, shared parts counted once */
    uint64_t order_bytes; /* of which not bodies */
} gjkd_tick_ring;

/*
 * *out is the ring with one more tick, which is above the newest, and without the oldest ones
 * beyond ticks_max (>= 1). Retains for *out. False: out of memory.
 */
bool gjkd_tick_ring_add(const gjkd_tick_ring *tick_ring, const gjkd_tick *tick, uint32_t ticks_max,
                        gjkd_tick_ring *out) GJK_MUST_USE;

/* The ring without the oldest ticks beyond ticks_max. Retains. */
gjkd_tick_ring gjkd_tick_ring_limit(const gjkd_tick_ring *tick_ring, uint32_t ticks_max);

void gjkd_tick_ring_release(const gjkd_tick_ring *tick_ring);

/* The tick of that number, or NULL if it is not kept. A view. O(log ticks). */
const gjkd_tick *gjkd_tick_ring_find(const gjkd_tick_ring *tick_ring, uint64_t tick);

#endif
