#ifndef GJKD_SETS_KEPT_TICKS_H
#define GJKD_SETS_KEPT_TICKS_H

/*
 * Notes that a set keeps beside each of its ticks: the digest of the request that made it, and the
 * memory that it adds. They stand in the set's history as notes and are as immutable as that, so
 * that any thread may read those of a version, and several may build successors of it at once.
 */

#include "gjk/history.h"
#include "util/hash.h"

/* A note. */
typedef struct gjkd_tick {
    gjkd_digest digest;   /* of the request that made it */
    uint64_t set_bytes;   /* of its set */
    uint64_t added_bytes; /* of what the previous tick's set does not share */
    uint64_t order_bytes; /* of that, without the bodies */
    bool is_first;        /* the set kept none before it */
} gjkd_tick;

/* Of all ticks of a history. */
typedef struct gjkd_tick_totals {
    uint64_t bytes;       /* shared parts counted once */
    uint64_t order_bytes; /* of which not bodies */
    uint32_t gaps;        /* ticks that are lost, or right before which some are */
} gjkd_tick_totals;

/*
 * *out is the history with one more tick (gjk_history_add_tick), whose note this is. packs: older
 * ticks are packed when there are enough (gjk_history_pack). *totals, of the history before, becomes
 * that of *out. OUT_OF_MEMORY: both are as they were. Likewise the next two.
 */
gjk_status gjkd_ticks_add(const struct gjk_history *history, const gjk_tick *tick,
                          const gjkd_tick *note, bool packs, gjkd_tick_totals *totals,
                          struct gjk_history **out) GJK_MUST_USE;

/* The history without the oldest ticks beyond ticks_max. */
gjk_status gjkd_ticks_limit(const struct gjk_history *history, uint32_t ticks_max,
                            gjkd_tick_totals *totals, struct gjk_history **out) GJK_MUST_USE;

/* The history without the ticks from that number on. */
gjk_status gjkd_ticks_cut(const struct gjk_history *history, uint64_t from,
                          gjkd_tick_totals *totals, struct gjk_history **out) GJK_MUST_USE;

/* The note of the tick of that number, or NULL if it is not kept. A view. O(log ticks). */
const gjkd_tick *gjkd_ticks_find(const struct gjk_history *history, uint64_t number);

/* Finds the tick of that number and the one before it, likewise: before->set is NULL where there is
 * none. False: one of them is not kept. */
bool gjkd_ticks_find_pair(const struct gjk_history *history, uint64_t number, gjk_tick *before,
                          gjk_tick *after) GJK_MUST_USE;

#endif
