#ifndef GJKD_SETS_KEPT_TICKS_H
#define GJKD_SETS_KEPT_TICKS_H

/*
 * A note on each tick of a set: the digest of the request that made the tick, and the memory that
 * the tick adds. The history stores the notes with the ticks. Both are immutable: any thread may
 * read the notes of a version, and several threads may build successors of the history at once.
 */

#include "gjk/history.h"
#include "util/hash.h"

/* The note on one tick. */
typedef struct gjkd_tick {
    gjkd_digest digest;   /* of the request that made the tick */
    uint64_t set_bytes;   /* memory of the tick's set */
    uint64_t added_bytes; /* part of it that the previous tick's set does not share */
    uint64_t order_bytes; /* part of added_bytes that is tree nodes, not bodies */
    bool is_first;        /* the set had no tick before this one */
} gjkd_tick;

/* Sums over all ticks of a history. */
typedef struct gjkd_tick_totals {
    uint64_t bytes;       /* shared parts counted once */
    uint64_t order_bytes; /* part of `bytes` that is not bodies */
    uint32_t gaps;        /* ticks that this node lacks, or that follow lost ticks */
} gjkd_tick_totals;

/*
 * Stores in *out the history with one more tick (gjk_history_add_tick) and its note. packs: packs
 * older ticks once there are enough of them (gjk_history_pack). Updates *totals from those of the
 * history to those of *out. On GJK_OUT_OF_MEMORY neither has changed. The next two functions treat
 * *totals alike.
 */
gjk_status gjkd_ticks_add(const struct gjk_history *history, const gjk_tick *tick,
                          const gjkd_tick *note, bool packs, gjkd_tick_totals *totals,
                          struct gjk_history **out) GJK_MUST_USE;

/* Stores in *out the history limited to its newest ticks_max ticks. */
gjk_status gjkd_ticks_limit(const struct gjk_history *history, uint32_t ticks_max,
                            gjkd_tick_totals *totals, struct gjk_history **out) GJK_MUST_USE;

/* Stores in *out the history without the ticks numbered `from` and above. */
gjk_status gjkd_ticks_cut(const struct gjk_history *history, uint64_t from,
                          gjkd_tick_totals *totals, struct gjk_history **out) GJK_MUST_USE;

/* Returns the note on tick `number`, or NULL if the tick is not kept. A view. O(log ticks). */
const gjkd_tick *gjkd_ticks_find(const struct gjk_history *history, uint64_t number);

/* Finds tick `number` and the one before it (before->set is NULL if it is the set's first). Returns
 * false if one of them is not kept or ticks between them are lost. Views. O(log ticks). */
bool gjkd_ticks_find_pair(const struct gjk_history *history, uint64_t number, gjk_tick *before,
                          gjk_tick *after) GJK_MUST_USE;

#endif
