/* Memory is counted as ticks are added and dropped. The oldest tick counts its whole set, the
 * others only what they add; when the oldest is dropped, the next one therefore counts in full. */

#include "sets/kept_ticks.h"

#include "sets/stored.h"

static uint32_t gaps_of(const gjk_tick *tick) {
    return tick->after_gap || tick->is_missing;
}

static const gjkd_tick *note_of(const gjk_tick *tick) {
    GJK_ASSERT(tick->note_bytes == sizeof(gjkd_tick));
    return tick->note;
}

/* Returns the memory of a tick's set that packing has saved, at most the tick's own part. */
static uint64_t saved_by_packing(const gjk_tick *tick) {
    const uint64_t most = note_of(tick)->order_bytes;
    return tick->given_up_bytes < most ? tick->given_up_bytes : most;
}

/* Returns the memory that a tick adds to that of the ticks before it. */
static uint64_t added_by(const gjk_tick *tick) {
    return (tick->keeps_set ? note_of(tick)->added_bytes - saved_by_packing(tick) : 0) +
           tick->keeps_bodies * gjkd_stored_place_bytes + tick->bytes;
}

/* Returns the part of added_by that is not bodies. */
static uint64_t order_of(const gjk_tick *tick) {
    return (tick->keeps_set ? note_of(tick)->order_bytes - saved_by_packing(tick) : 0) +
           tick->bytes;
}

/* Returns the memory of a tick if it is the oldest one. */
static uint64_t whole_of(const gjk_tick *tick) {
    return note_of(tick)->set_bytes - saved_by_packing(tick) + tick->bytes;
}

/* Subtracts the oldest tick; next: the tick that becomes the oldest, or NULL. */
static void drop_oldest(gjkd_tick_totals *totals, const gjk_tick *oldest, const gjk_tick *next) {
    totals->bytes -= whole_of(oldest);
    totals->order_bytes -= order_of(oldest);
    totals->gaps -= gaps_of(oldest);
    if (next != NULL) {
        totals->bytes += whole_of(next) - added_by(next);
    }
}

/* Returns the memory of the last tick of a history, which has `rank` ticks before it. */
static uint64_t bytes_at_end(const gjk_tick *tick, uint32_t rank) {
    return rank > 0 ? added_by(tick) : whole_of(tick);
}

/* Packs older ticks of *history, if there are enough. On failure the history stays as it is. */
static void pack(gjkd_tick_totals *totals, struct gjk_history **history) {
    struct gjk_history *packed = NULL;
    uint32_t first = 0, count = 0;
    if (gjk_history_pack(*history, &first, &count, &packed) != GJK_OK || packed == NULL) {
        return;
    }
    for (uint32_t i = first; i < first + count; i++) {
        const gjk_tick before = gjk_history_tick(*history, i), after = gjk_history_tick(packed, i);
        totals->bytes += bytes_at_end(&after, i) - bytes_at_end(&before, i);
        totals->order_bytes += order_of(&after) - order_of(&before);
    }
    gjk_history_release(*history);
    *history = packed;
}

gjk_status gjkd_ticks_add(const struct gjk_history *history, const gjk_tick *tick,
                          const gjkd_tick *note, bool packs, gjkd_tick_totals *totals,
                          struct gjk_history **out) {
    gjk_tick noted = *tick;
    noted.note = note;
    noted.note_bytes = sizeof *note;
    const gjk_status status = gjk_history_add_tick(history, &noted, out);
    if (status != GJK_OK) {
        return status;
    }
    const uint32_t before = gjk_history_count(history), after = gjk_history_count(*out);
    const gjk_tick made = gjk_history_tick(*out, after - 1);
    totals->bytes += bytes_at_end(&made, before);
    totals->order_bytes += order_of(&made);
    totals->gaps += gaps_of(&made);
    if (after == before) { /* the new tick has replaced the oldest */
        const gjk_tick oldest = gjk_history_tick(history, 0), next = gjk_history_tick(*out, 0);
        drop_oldest(totals, &oldest, &next);
    }
    if (packs) {
        pack(totals, out);
    }
    return GJK_OK;
}

gjk_status gjkd_ticks_limit(const struct gjk_history *history, uint32_t ticks_max,
                            gjkd_tick_totals *totals, struct gjk_history **out) {
    const gjk_status status = gjk_history_limit(history, ticks_max, out);
    const uint32_t count = gjk_history_count(history);
    for (uint32_t i = 0; status == GJK_OK && i + ticks_max < count; i++) {
        const gjk_tick oldest = gjk_history_tick(history, i);
        const bool has_next = i + 1 < count;
        const gjk_tick next = gjk_history_tick(history, has_next ? i + 1 : i);
        drop_oldest(totals, &oldest, has_next ? &next : NULL);
    }
    return status;
}

gjk_status gjkd_ticks_cut(const struct gjk_history *history, uint64_t from,
                          gjkd_tick_totals *totals, struct gjk_history **out) {
    const gjk_status status = gjk_history_cut(history, from, out);
    for (uint32_t i = gjk_history_count(history); status == GJK_OK && i > gjk_history_count(*out);
         i--) {
        const gjk_tick newest = gjk_history_tick(history, i - 1);
        totals->bytes -= bytes_at_end(&newest, i - 1);
        totals->order_bytes -= order_of(&newest);
        totals->gaps -= gaps_of(&newest);
    }
    return status;
}

const gjkd_tick *gjkd_ticks_find(const struct gjk_history *history, uint64_t number) {
    gjk_tick tick;
    return history != NULL && gjk_history_find(history, number, &tick) ? note_of(&tick) : NULL;
}

bool gjkd_ticks_find_pair(const struct gjk_history *history, uint64_t number, gjk_tick *before,
                          gjk_tick *after) {
    uint32_t low = 0, high = history != NULL ? gjk_history_count(history) : 0;
    const uint32_t count = high;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const bool is_less = gjk_history_tick(history, middle).number < number;
        low = is_less ? middle + 1 : low;
        high = is_less ? high : middle;
    }
    *before = (gjk_tick){0};
    if (low == count) {
        return false;
    }
    *after = gjk_history_tick(history, low);
    if (low > 0) {
        *before = gjk_history_tick(history, low - 1);
    }
    return after->number == number && !gaps_of(after) && !before->is_missing &&
           (low > 0 || note_of(after)->is_first);
}
