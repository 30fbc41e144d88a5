/*
 * What does a moving shape touch in a set? A plain scan that keeps the first hits.
 */

#include "gjk/set_query.h"
#include "list.h"
#include "select.h"

#include <string.h>

static int by_fraction_then_id(const void *a, const void *b) {
    const gjk_cast_hit *p = a, *q = b;
    if (p->result.fraction != q->result.fraction) {
        return p->result.fraction < q->result.fraction ? -1 : 1;
    }
    return strcmp(p->body->id, q->body->id);
}

gjk_status gjk_set_cast(const gjk_moment *moment, const gjk_sweep *sweep,
                        const gjk_selection *selection, const gjk_cast_settings *settings,
                        gjk_cast_hits *out) {
    gjk_list hits = gjk_list_make(selection->arena, sizeof(gjk_cast_hit));
    for (uint32_t i = 0; i < gjk_set_count(moment->set); i++) {
        gjk_placed placed;
        const gjk_body *body = gjk_selected(moment, i, selection, &placed);
        if (body == NULL) {
            continue;
        }
        gjk_cast_result result = gjk_cast(&sweep->moving, sweep->translation, &placed, settings);
        if (!result.hit) {
            continue;
        }
        gjk_cast_hit *hit = gjk_list_push_ranked(&hits, selection->limit, by_fraction_then_id);
        if (hit == NULL) {
            return GJK_OUT_OF_MEMORY;
        }
        *hit = (gjk_cast_hit){body, result};
    }
    gjk_list_keep(&hits, selection->limit, by_fraction_then_id);
    *out = (gjk_cast_hits){(gjk_cast_hit *)(void *)hits.items, hits.count, hits.truncated};
    return GJK_OK;
}

bool gjk_set_cast_any(const gjk_moment *moment, const gjk_sweep *sweep,
                      const gjk_selection *selection, const gjk_cast_settings *settings) {
    for (uint32_t i = 0; i < gjk_set_count(moment->set); i++) {
        gjk_placed placed;
        const gjk_body *body = gjk_selected(moment, i, selection, &placed);
        if (body != NULL && gjk_cast(&sweep->moving, sweep->translation, &placed, settings).hit) {
            return true;
        }
    }
    return false;
}
