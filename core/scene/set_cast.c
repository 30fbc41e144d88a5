/*
 * What does a moving shape touch in a set? As for a ray (set_raycast.c),
 * with a box that moves.
 */

#include "base/list.h"
#include "gjk/set_query.h"
#include "tree/walk.h"

#include <string.h>

static int by_fraction_then_id(const void *a, const void *b) {
    const gjk_cast_hit *p = a, *q = b;
    if (p->result.fraction != q->result.fraction) {
        return p->result.fraction < q->result.fraction ? -1 : 1;
    }
    return strcmp(p->body->id, q->body->id);
}

gjk_status gjk_set_cast(const gjk_snapshot *snapshot, const gjk_sweep *sweep,
                        const gjk_selection *selection, const gjk_cast_settings *settings,
                        gjk_cast_hits *out) {
    gjk_list hits = gjk_list_make(selection->arena, sizeof(gjk_cast_hit));
    gjk_walk walk;
    const gjk_query_bounds probe = gjk_query_bounds_of_sweep(sweep, settings->tolerance);
    const gjk_body *body;
    gjk_walk_init(&walk, snapshot, selection);
    gjk_walk_aim(&walk, &probe, 1.0);
    while ((body = gjk_walk_next(&walk)) != NULL) {
        const gjk_placed placed = gjk_walk_place(&walk, body);
        const gjk_cast_hit hit = {body,
                                  gjk_cast(&sweep->moving, sweep->translation, &placed, settings)};
        if (!hit.result.hit) {
            continue;
        }
        if (!gjk_list_offer(&hits, selection->limit, by_fraction_then_id, &hit)) {
            return GJK_OUT_OF_MEMORY;
        }
        if (gjk_walk_knows_enough(&walk, &hits)) {
            walk.bound = ((const gjk_cast_hit *)(void *)hits.items)->result.fraction;
        }
    }
    gjk_list_sort(&hits, by_fraction_then_id);
    *out = (gjk_cast_hits){(gjk_cast_hit *)(void *)hits.items, hits.count,
                           hits.truncated && !selection->rest_unasked};
    return walk.given_up ? GJK_GIVEN_UP : GJK_OK;
}

bool gjk_set_cast_any(const gjk_snapshot *snapshot, const gjk_sweep *sweep,
                      const gjk_selection *selection, const gjk_cast_settings *settings) {
    gjk_walk walk;
    const gjk_query_bounds probe = gjk_query_bounds_of_sweep(sweep, settings->tolerance);
    const gjk_body *body;
    gjk_walk_init(&walk, snapshot, selection);
    gjk_walk_aim(&walk, &probe, 1.0);
    while ((body = gjk_walk_next(&walk)) != NULL) {
        const gjk_placed placed = gjk_walk_place(&walk, body);
        if (gjk_cast(&sweep->moving, sweep->translation, &placed, settings).hit) {
            return true;
        }
    }
    return false;
}
