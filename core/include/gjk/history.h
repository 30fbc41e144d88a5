#ifndef GJK_HISTORY_H
#define GJK_HISTORY_H

/*
 * The last ticks of a set, oldest first, each with the set as it was. Immutable; adding a tick
 * makes a new history that shares the sets with the old one. References are counted like those
 * of sets, from any thread.
 */

#include "gjk/snapshot.h"

GJK_BEGIN

/* Ticks are whole numbers up to 2^53, so that doubles hold them exactly. */
#define GJK_TICK_MAX 9007199254740992.0

struct gjk_history;

/* Returns a history without ticks that keeps at most `ticks_max` of them. NULL: out of memory. */
struct gjk_history *gjk_history_new(uint32_t ticks_max);

/* A tick as it is kept: the set as it was, and what the history's owner keeps beside it. Where
 * ticks are known to have been lost, the history says so instead of interpolating over them. */
typedef struct gjk_tick {
    uint64_t number;
    const struct gjk_set *set; /* NULL: it is packed; gjk_history_at knows its poses */
    bool after_gap;            /* one or more ticks right before it are lost */
    bool is_missing;           /* it is lost itself: the set stands in for what it was */
    const void *note;          /* the owner's; added: copied, or NULL for none */
    size_t note_bytes;         /* any alignment up to that of uint64_t */
    size_t bytes;   /* memory of the tick and its note without set and bodies; added: not read */
    bool keeps_set; /* ... and it keeps what its set added; added: not read */
    uint32_t keeps_bodies; /* packed: bodies that only later ticks share with it; added: not read */
    size_t given_up_bytes; /* packed: of what its set added, no longer kept; added: not read */
} gjk_tick;

/* The history that follows `history` when that tick is added, whose number must be above the
 * newest: the oldest is dropped where there are more than ticks_max. Retains the set. One
 * reference, the caller's. O(log ticks + m log n), of n bodies m having moved. OUT_OF_MEMORY. */
gjk_status gjk_history_add_tick(const struct gjk_history *history, const gjk_tick *tick,
                                struct gjk_history **out) GJK_MUST_USE;

/* The same of a tick without a note, before which nothing is lost. */
gjk_status gjk_history_add(const struct gjk_history *history, uint64_t tick,
                           const struct gjk_set *set, struct gjk_history **out) GJK_MUST_USE;

/*
 * The same history with more ticks packed: all but the newest two lose the tree of their set and, of
 * bodies that only move, a tick then keeps position and turn, and eight share the rest. Answers are
 * the same to the bit, and take somewhat longer, since bodies are searched in looser boxes. Packs the
 * tick before the newest two, or the eight before them once they have the same bodies and none shares
 * anything yet: call it after each tick. *out is NULL where there is nothing to pack, or else one
 * reference, the caller's, and the *count ticks from rank *first on take other memory. O(m log n) of
 * m bodies that move. OUT_OF_MEMORY.
 */
gjk_status gjk_history_pack(const struct gjk_history *history, uint32_t *first, uint32_t *count,
                            struct gjk_history **out) GJK_MUST_USE;

/* The same history without the ticks from that number on. The tick before them must not be packed, nor
 * have lost its tree. OUT_OF_MEMORY. */
gjk_status gjk_history_cut(const struct gjk_history *history, uint64_t from,
                           struct gjk_history **out) GJK_MUST_USE;

/* The same history with at most ticks_max ticks: the oldest are dropped. OUT_OF_MEMORY. */
gjk_status gjk_history_limit(const struct gjk_history *history, uint32_t ticks_max,
                             struct gjk_history **out) GJK_MUST_USE;

/* Count references, on any thread. retain returns its argument; the last release frees the history
 * and its references to sets. */
struct gjk_history *gjk_history_retain(const struct gjk_history *history);
void gjk_history_release(const struct gjk_history *history); /* NULL is allowed */

/* Return the number of kept ticks, its bound, and the numbers of the outermost ones. */
uint32_t gjk_history_count(const struct gjk_history *history);
uint32_t gjk_history_ticks_max(const struct gjk_history *history);
uint64_t gjk_history_oldest(const struct gjk_history *history); /* count > 0 */
uint64_t gjk_history_newest(const struct gjk_history *history); /* count > 0 */

/* The set stamped with the newest tick, or NULL where there is none. View. */
const struct gjk_set *gjk_history_newest_set(const struct gjk_history *history);

/* The tick of that rank, 0 the oldest; i < count. A view that lives as long as the history. O(log
 * ticks). */
gjk_tick gjk_history_tick(const struct gjk_history *history, uint32_t i);

/* The tick of that number, likewise. False: it is not kept. */
bool gjk_history_find(const struct gjk_history *history, uint64_t number,
                      gjk_tick *out) GJK_MUST_USE;

typedef enum gjk_rewind {
    GJK_REWIND_OK,
    GJK_REWIND_EXPIRED, /* older than the oldest, or there is no tick at all */
    GJK_REWIND_FUTURE,  /* newer than the newest */
} gjk_rewind;

/* The set as of a tick, fractions allowed, never clamped. A history that is NULL keeps none:
 * EXPIRED. The snapshot is a view: it lives as long as the history. from and to: the ticks around it (equal when it is exactly one). is_gap: the
 * answer needs a tick that is lost; then the snapshot is that of `from`, and nothing moves. O(log
 * ticks). */
typedef struct gjk_rewound {
    gjk_snapshot snapshot;
    uint64_t from, to;
    bool is_gap;
} gjk_rewound;
gjk_rewind gjk_history_at(const struct gjk_history *history, double tick,
                          gjk_rewound *out) GJK_MUST_USE;

GJK_END

#endif
