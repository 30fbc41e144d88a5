/*
 * Rays at a set: a ranked search by the distance of the hit.
 */

#include "scene/scene.h"

typedef struct gjk_ray_question {
    gjk_query_bounds bounds;
    const gjk_ray *ray;
    gjk_ray_settings settings;
} gjk_ray_question;

static double distance_of(const void *item) {
    return ((const gjk_ray_hit *)item)->result.distance;
}

static int by_distance(const void *a, const void *b) {
    return gjk_ranking_compare(a, b, distance_of);
}

static gjk_status measure(const void *question, const gjk_body *body, const gjk_placed *placed,
                          void *item, bool *counts) {
    const gjk_ray_question *q = question;
    gjk_ray_hit *hit = item;
    hit->body = body;
    hit->result = gjk_raycast(placed, q->ray, &q->settings);
    *counts = hit->result.hit;
    return hit->result.given_up ? GJK_GIVEN_UP : GJK_OK;
}

static gjk_ray_question ask(const gjk_snapshot *snapshot, const gjk_ray *ray,
                            const gjk_selection *selection, const gjk_ray_settings *settings) {
    const uint32_t dimension = gjk_set_dimension(snapshot->set);
    gjk_ray_question question = {gjk_query_bounds_of_ray(ray, dimension, settings->tolerance), ray,
                                 *settings};
    question.settings.budget = selection->budget;
    return question;
}

static gjk_ranking rank_hits(const gjk_ray_question *question) {
    return (gjk_ranking){
        .query = &question->bounds,
        .distance = question->ray->max_distance,
        .question = question,
        .measure = measure,
        .order = by_distance,
        .rank = distance_of,
        .item_size = sizeof(gjk_ray_hit),
    };
}

gjk_status gjk_set_raycast(const gjk_snapshot *snapshot, const gjk_ray *ray,
                           const gjk_selection *selection, const gjk_ray_settings *settings,
                           gjk_ray_hits *out) {
    const gjk_ray_question question = ask(snapshot, ray, selection, settings);
    const gjk_ranking ranking = rank_hits(&question);
    gjk_list found;
    gjk_status status = gjk_ranking_find(&ranking, snapshot, selection, &found);
    *out = (gjk_ray_hits){(gjk_ray_hit *)(void *)found.items, found.count, found.truncated};
    return status;
}

bool gjk_set_raycast_any(const gjk_snapshot *snapshot, const gjk_ray *ray,
                         const gjk_selection *selection, const gjk_ray_settings *settings) {
    const gjk_ray_question question = ask(snapshot, ray, selection, settings);
    const gjk_ranking ranking = rank_hits(&question);
    return gjk_ranking_any(&ranking, snapshot, selection);
}
