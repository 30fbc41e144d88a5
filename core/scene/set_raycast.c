/*
 * What does a ray hit in a set? Down its tree, nearest boxes first; once as many
 * hits are known as are asked for, what begins behind the last of them is left out.
 */

#include "base/list.h"
#include "gjk/set_query.h"
#include "tree/walk.h"

#include <string.h>

static int by_distance_then_id(const void *a, const void *b) {
    const gjk_ray_hit *p = a, *q = b;
    if (p->result.distance != q->result.distance) {
        return p->result.distance < q->result.distance ? -1 : 1;
    }
    return strcmp(p->body->id, q->body->id);
}

gjk_status gjk_set_raycast(const gjk_snapshot *snapshot, const gjk_ray *ray,
                           const gjk_selection *selection, const gjk_ray_settings *settings,
                           gjk_ray_hits *out) {
    gjk_list hits = gjk_list_make(selection->arena, sizeof(gjk_ray_hit));
    gjk_walk walk;
    const gjk_query_bounds probe =
        gjk_query_bounds_of_ray(ray, gjk_set_dimension(snapshot->set), settings->tolerance);
    const gjk_body *body;
    gjk_walk_init(&walk, snapshot, selection);
    gjk_walk_aim(&walk, &probe, ray->max_distance);
    while ((body = gjk_walk_next(&walk)) != NULL) {
        const gjk_placed placed = gjk_walk_place(&walk, body);
        const gjk_ray_hit hit = {body, gjk_raycast(&placed, ray, settings)};
        if (!hit.result.hit) {
            continue;
        }
        if (!gjk_list_offer(&hits, selection->limit, by_distance_then_id, &hit)) {
            return GJK_OUT_OF_MEMORY;
        }
        if (gjk_walk_knows_enough(&walk, &hits)) {
            walk.bound = ((const gjk_ray_hit *)(void *)hits.items)->result.distance;
        }
    }
    gjk_list_sort(&hits, by_distance_then_id);
    *out = (gjk_ray_hits){(gjk_ray_hit *)(void *)hits.items, hits.count,
                          hits.truncated && !selection->rest_unasked};
    return walk.given_up ? GJK_GIVEN_UP : GJK_OK;
}

bool gjk_set_raycast_any(const gjk_snapshot *snapshot, const gjk_ray *ray,
                         const gjk_selection *selection, const gjk_ray_settings *settings) {
    gjk_walk walk;
    const gjk_query_bounds probe =
        gjk_query_bounds_of_ray(ray, gjk_set_dimension(snapshot->set), settings->tolerance);
    const gjk_body *body;
    gjk_walk_init(&walk, snapshot, selection);
    gjk_walk_aim(&walk, &probe, ray->max_distance);
    while ((body = gjk_walk_next(&walk)) != NULL) {
        const gjk_placed placed = gjk_walk_place(&walk, body);
        if (gjk_raycast(&placed, ray, settings).hit) {
            return true;
        }
    }
    return false;
}
