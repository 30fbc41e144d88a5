#ifndef GJK_HISTORY_H
#define GJK_HISTORY_H

/*
 * The last ticks of a set, oldest first, each with its version of the set. Immutable: adding a tick
 * makes a new history that shares its sets with the old one. Reference-counted like sets; retain
 * and release may be called on any thread.
 */

#include "gjk/snapshot.h"

GJK_BEGIN

/* Ticks are whole numbers up to 2^53, so that doubles hold them exactly. */
#define GJK_TICK_MAX 9007199254740992.0

struct gjk_history;

/* Returns a history without ticks that keeps at most `ticks_max` of them, or NULL if memory is
 * exhausted. */
struct gjk_history *gjk_history_new(uint32_t ticks_max);

/* A kept tick: the version of the set and the owner's note. If ticks are known to be lost, the
 * history reports a gap and does not interpolate across it. Fields marked "out" are not read when a
 * tick is added. */
typedef struct gjk_tick {
    uint64_t number;
    const struct gjk_set *set; /* NULL: packed; gjk_history_at reads its poses */
    bool after_gap;            /* one or more ticks directly before this one are lost */
    bool is_missing;           /* this tick itself is lost; `set` is a substitute */
    const void *note;          /* the owner's note, copied when the tick is added; NULL: none */
    size_t note_bytes;         /* any alignment up to that of uint64_t */
    size_t bytes;              /* out: memory of the tick and its note, without set and bodies */
    bool keeps_set;            /* out: the tick also keeps the nodes that its set added */
    uint32_t keeps_bodies;     /* out: packed: number of bodies shared only with later ticks */
    size_t given_up_bytes;     /* out: packed: memory of the set's nodes that was freed */
} gjk_tick;

/* Makes the history that follows `history` when `tick`, whose number must be above the newest, is
 * added. The oldest tick is dropped if there would be more than ticks_max. Retains the set. The
 * caller owns one reference to *out. O(log ticks + m log n) if m of n bodies moved.
 * OUT_OF_MEMORY. */
gjk_status gjk_history_add_tick(const struct gjk_history *history, const gjk_tick *tick,
                                struct gjk_history **out) GJK_MUST_USE;

/* Adds a tick without a note and without a gap before it, as gjk_history_add_tick does. */
gjk_status gjk_history_add(const struct gjk_history *history, uint64_t tick,
                           const struct gjk_set *set, struct gjk_history **out) GJK_MUST_USE;

/*
 * Makes the same history with more ticks packed. Every tick but the newest two can lose its set's
 * tree; for bodies that only move, a packed tick then keeps position and rotation, and eight ticks
 * share the rest. Answers are the same to the bit, but slower, since the boxes that are searched
 * are looser. Packs the tick before the newest two, or the eight before them once they have the
 * same bodies and share nothing yet: call it after each tick. If there is nothing to pack, *out is
 * NULL; otherwise the caller owns one reference to it, and the memory of the *count ticks from rank
 * *first on has changed. O(m log n) for m bodies that move. OUT_OF_MEMORY.
 */
gjk_status gjk_history_pack(const struct gjk_history *history, uint32_t *first, uint32_t *count,
                            struct gjk_history **out) GJK_MUST_USE;

/* Makes the same history without the ticks numbered `from` and above. The last tick that remains
 * must not be packed nor have lost its tree. OUT_OF_MEMORY. */
gjk_status gjk_history_cut(const struct gjk_history *history, uint64_t from,
                           struct gjk_history **out) GJK_MUST_USE;

/* Makes the same history with at most ticks_max ticks, without the oldest. OUT_OF_MEMORY. */
gjk_status gjk_history_limit(const struct gjk_history *history, uint32_t ticks_max,
                             struct gjk_history **out) GJK_MUST_USE;

/* Count references, on any thread. retain returns its argument; the last release frees the history
 * and releases its sets. */
struct gjk_history *gjk_history_retain(const struct gjk_history *history);
void gjk_history_release(const struct gjk_history *history); /* NULL is allowed */

/* Return the number of kept ticks, its limit, and the numbers of the oldest and the newest tick. */
uint32_t gjk_history_count(const struct gjk_history *history);
uint32_t gjk_history_ticks_max(const struct gjk_history *history);
uint64_t gjk_history_oldest(const struct gjk_history *history); /* count > 0 */
uint64_t gjk_history_newest(const struct gjk_history *history); /* count > 0 */

/* Returns the set of the newest tick, or NULL if there is none. A view. */
const struct gjk_set *gjk_history_newest_set(const struct gjk_history *history);

/* Returns the tick of rank i < count, 0 being the oldest. A view that lives as long as the history.
 * O(log ticks). */
gjk_tick gjk_history_tick(const struct gjk_history *history, uint32_t i);

/* Finds the tick with that number, as a view. Returns false if it is not kept. */
bool gjk_history_find(const struct gjk_history *history, uint64_t number,
                      gjk_tick *out) GJK_MUST_USE;

typedef enum gjk_rewind {
    GJK_REWIND_OK,
    GJK_REWIND_EXPIRED, /* older than the oldest, or there is no tick at all */
    GJK_REWIND_FUTURE,  /* newer than the newest */
} gjk_rewind;

/* Finds the state of the set at `tick`, which may be fractional and is never clamped. A NULL
 * history has no ticks: EXPIRED. The snapshot is a view that lives as long as the history. `from`
 * and `to` are the ticks around `tick` (equal if it is exactly one of them). `is_gap` is true if a
 * lost tick is needed; the snapshot is then that of `from`, without motion. O(log ticks). */
typedef struct gjk_rewound {
    gjk_snapshot snapshot;
    uint64_t from, to;
    bool is_gap;
} gjk_rewound;
gjk_rewind gjk_history_at(const struct gjk_history *history, double tick,
                          gjk_rewound *out) GJK_MUST_USE;

GJK_END

#endif
