/*
 * What does a moving shape touch in a set? A plain scan that keeps the first hits.
 */

#include "gjk/set_query.h"
#include "list.h"

static int by_fraction_then_id(const void *a, const void *b) {
    const gjk_cast_hit *p = a, *q = b;
    if (p->result.fraction != q->result.fraction) {
        return p->result.fraction < q->result.fraction ? -1 : 1;
    }
    return p->body < q->body ? -1 : p->body > q->body;
}

/* Casts at body i; false where it is left out or not touched. */
static bool touches(const struct gjk_set *set, uint32_t i, const gjk_sweep *sweep,
                    const gjk_filter *filter, const gjk_cast_settings *settings,
                    gjk_cast_result *result) {
    const gjk_body *body = gjk_set_body(set, i);
    if (i == sweep->except || !gjk_filter_passes(filter, body)) {
        return false;
    }
    *result = gjk_cast(&sweep->moving, sweep->translation, &body->placed, settings);
    return result->hit;
}

gjk_status gjk_set_cast(const struct gjk_set *set, const gjk_sweep *sweep, const gjk_filter *filter,
                        const gjk_cast_settings *settings, uint32_t limit, struct gjk_arena *arena,
                        gjk_cast_hits *out) {
    gjk_list hits = gjk_list_make(arena, sizeof(gjk_cast_hit));
    for (uint32_t i = 0; i < gjk_set_count(set); i++) {
        gjk_cast_result result;
        if (!touches(set, i, sweep, filter, settings, &result)) {
            continue;
        }
        gjk_cast_hit *hit = gjk_list_push_ranked(&hits, limit, by_fraction_then_id);
        if (hit == NULL) {
            return GJK_OUT_OF_MEMORY;
        }
        *hit = (gjk_cast_hit){i, result};
    }
    gjk_list_keep(&hits, limit, by_fraction_then_id);
    *out = (gjk_cast_hits){(gjk_cast_hit *)(void *)hits.items, hits.count, hits.truncated};
    return GJK_OK;
}

bool gjk_set_cast_any(const struct gjk_set *set, const gjk_sweep *sweep, const gjk_filter *filter,
                      const gjk_cast_settings *settings) {
    gjk_cast_result result;
    for (uint32_t i = 0; i < gjk_set_count(set); i++) {
        if (touches(set, i, sweep, filter, settings, &result)) {
            return true;
        }
    }
    return false;
}
