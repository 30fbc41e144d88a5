/*
 * Which bodies of a set are nearest to a shape? A plain scan that keeps the best.
 */

#include "gjk/set_query.h"
#include "list.h"
#include "select.h"

#include <string.h>

static int by_distance_then_id(const void *a, const void *b) {
    const gjk_near *p = a, *q = b;
    if (p->result.distance != q->result.distance) {
        return p->result.distance < q->result.distance ? -1 : 1;
    }
    return strcmp(p->body->id, q->body->id);
}

gjk_status gjk_set_nearest(const gjk_moment *moment, const gjk_placed *a, double max_distance,
                           const gjk_selection *selection, const gjk_distance_settings *settings,
                           gjk_nears *out) {
    gjk_list nears = gjk_list_make(selection->arena, sizeof(gjk_near));
    for (uint32_t i = 0; i < gjk_set_count(moment->set); i++) {
        gjk_placed placed;
        const gjk_body *body = gjk_selected(moment, i, selection, &placed);
        if (body == NULL) {
            continue;
        }
        gjk_distance_result result = gjk_distance(a, &placed, settings);
        if (result.distance > max_distance) {
            continue;
        }
        gjk_near *near = gjk_list_push_ranked(&nears, selection->limit, by_distance_then_id);
        if (near == NULL) {
            return GJK_OUT_OF_MEMORY;
        }
        *near = (gjk_near){body, result};
    }
    gjk_list_keep(&nears, selection->limit, by_distance_then_id);
    *out = (gjk_nears){(gjk_near *)(void *)nears.items, nears.count, nears.truncated};
    return GJK_OK;
}
