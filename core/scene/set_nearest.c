/*
 * Which bodies of a set are nearest to a shape? Down its tree, nearest boxes
 * first; once as many are known as are asked for, what is farther than the last is left out.
 */

#include "base/list.h"
#include "gjk/set_query.h"
#include "tree/walk.h"

#include <string.h>

static int by_distance_then_id(const void *a, const void *b) {
    const gjk_near *p = a, *q = b;
    if (p->result.distance != q->result.distance) {
        return p->result.distance < q->result.distance ? -1 : 1;
    }
    return strcmp(p->body->id, q->body->id);
}

gjk_status gjk_set_nearest(const gjk_snapshot *snapshot, const gjk_placed *a, double max_distance,
                           const gjk_selection *selection, const gjk_distance_settings *settings,
                           gjk_nears *out) {
    gjk_list nears = gjk_list_make(selection->arena, sizeof(gjk_near));
    gjk_walk walk;
    const gjk_query_bounds probe = gjk_query_bounds_of(GJK_QUERY_NEAR, a, settings->tolerance);
    const gjk_body *body;
    gjk_walk_init(&walk, snapshot, selection);
    gjk_walk_aim(&walk, &probe, max_distance);
    while ((body = gjk_walk_next(&walk)) != NULL) {
        const gjk_placed placed = gjk_walk_place(&walk, body);
        const gjk_near near = {body, gjk_distance(a, &placed, settings)};
        if (near.result.distance > max_distance) {
            continue;
        }
        if (!gjk_list_offer(&nears, selection->limit, by_distance_then_id, &near)) {
            return GJK_OUT_OF_MEMORY;
        }
        if (gjk_walk_knows_enough(&walk, &nears)) {
            const gjk_near *last = (const gjk_near *)(void *)nears.items;
            gjk_walk_stay_within(&walk, last->result.distance);
        }
    }
    gjk_list_sort(&nears, by_distance_then_id);
    *out = (gjk_nears){(gjk_near *)(void *)nears.items, nears.count,
                       nears.truncated && !selection->rest_unasked};
    return walk.given_up ? GJK_GIVEN_UP : GJK_OK;
}
