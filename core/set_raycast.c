/*
 * What does a ray hit in a set? A plain scan that keeps the first hits.
 */

#include "gjk/set_query.h"
#include "list.h"
#include "select.h"

#include <string.h>

static int by_distance_then_id(const void *a, const void *b) {
    const gjk_ray_hit *p = a, *q = b;
    if (p->result.distance != q->result.distance) {
        return p->result.distance < q->result.distance ? -1 : 1;
    }
    return strcmp(p->body->id, q->body->id);
}

gjk_status gjk_set_raycast(const gjk_moment *moment, const gjk_ray *ray,
                           const gjk_selection *selection, const gjk_ray_settings *settings,
                           gjk_ray_hits *out) {
    gjk_list hits = gjk_list_make(selection->arena, sizeof(gjk_ray_hit));
    for (uint32_t i = 0; i < gjk_set_count(moment->set); i++) {
        gjk_placed placed;
        const gjk_body *body = gjk_selected(moment, i, selection, &placed);
        if (body == NULL) {
            continue;
        }
        gjk_ray_result result = gjk_raycast(&placed, ray, settings);
        if (!result.hit) {
            continue;
        }
        gjk_ray_hit *hit = gjk_list_push_ranked(&hits, selection->limit, by_distance_then_id);
        if (hit == NULL) {
            return GJK_OUT_OF_MEMORY;
        }
        *hit = (gjk_ray_hit){body, result};
    }
    gjk_list_keep(&hits, selection->limit, by_distance_then_id);
    *out = (gjk_ray_hits){(gjk_ray_hit *)(void *)hits.items, hits.count, hits.truncated};
    return GJK_OK;
}

bool gjk_set_raycast_any(const gjk_moment *moment, const gjk_ray *ray,
                         const gjk_selection *selection, const gjk_ray_settings *settings) {
    for (uint32_t i = 0; i < gjk_set_count(moment->set); i++) {
        gjk_placed placed;
        const gjk_body *body = gjk_selected(moment, i, selection, &placed);
        if (body != NULL && gjk_raycast(&placed, ray, settings).hit) {
            return true;
        }
    }
    return false;
}
