/*
 * Which bodies of a set are nearest to a shape? A plain scan that keeps the best.
 */

#include "gjk/set_query.h"
#include "list.h"
#include "select.h"

static int by_distance_then_id(const void *a, const void *b) {
    const gjk_near *p = a, *q = b;
    if (p->result.distance != q->result.distance) {
        return p->result.distance < q->result.distance ? -1 : 1;
    }
    return p->body < q->body ? -1 : p->body > q->body;
}

gjk_status gjk_set_nearest(const struct gjk_set *set, const gjk_placed *a, double max_distance,
                           const gjk_selection *selection, const gjk_distance_settings *settings,
                           gjk_nears *out) {
    gjk_list nears = gjk_list_make(selection->arena, sizeof(gjk_near));
    for (uint32_t i = 0; i < gjk_set_count(set); i++) {
        const gjk_body *body = gjk_selected(set, i, selection);
        if (body == NULL) {
            continue;
        }
        gjk_distance_result result = gjk_distance(a, &body->placed, settings);
        if (result.distance > max_distance) {
            continue;
        }
        gjk_near *near = gjk_list_push_ranked(&nears, selection->limit, by_distance_then_id);
        if (near == NULL) {
            return GJK_OUT_OF_MEMORY;
        }
        *near = (gjk_near){i, result};
    }
    gjk_list_keep(&nears, selection->limit, by_distance_then_id);
    *out = (gjk_nears){(gjk_near *)(void *)nears.items, nears.count, nears.truncated};
    return GJK_OK;
}
