/*
 * Ranked searches of a set: nearest bodies and pairs, rays, moving shapes.
 *
 * The distance to a ray is measured to the segment of the ray beside the body. The whole ray may be
 * infinite, and its size would enter the tolerance.
 */

#include "scene/scene.h"

#include "base/numbers.h"
#include "pair/frame.h"
#include "pair/kernels/spatial.h"
#include "ray/casts/advance.h"

#define ROUNDING 0x1p-48 /* rounding error of positions along the ray, relative to their terms */

#define ESTIMATE_ROUNDING 0x1p-40 /* rounding error of an estimated distance, likewise */

typedef struct gjk_near_question {
    const gjk_placed *shape;
    gjk_vec3 to_center; /* from the shape's position to its center, in world axes */
    const gjk_ray *ray; /* NULL: distances to `shape` */
    uint32_t dimension;
    double max_distance;
    gjk_distance_settings settings;
    struct gjk_arena *arena;
} gjk_near_question;

static double distance_of(const void *item) {
    return ((const gjk_near *)item)->result.distance;
}

static int by_distance(const void *a, const void *b) {
    return gjk_ranking_compare(a, b, distance_of);
}

static double signed_distance_of(const void *item) {
    return ((const gjk_near *)item)->result.signed_distance;
}

static int by_signed_distance(const void *a, const void *b) {
    return gjk_ranking_compare(a, b, signed_distance_of);
}

static gjk_status find_nears(const gjk_ranking *ranking, const gjk_snapshot *snapshot,
                             const gjk_selection *selection, gjk_nears *out) {
    gjk_list found;
    gjk_status status = gjk_ranking_find(ranking, snapshot, selection, &found);
    *out = (gjk_nears){(gjk_near *)(void *)found.items, found.count, found.truncated};
    return status;
}

static gjk_status measure_to_shape(const void *question, const gjk_body *body,
                                   const gjk_placed *placed, void *item, bool *counts) {
    const gjk_near_question *q = question;
    gjk_near *near = item;
    near->body = body;
    gjk_distance_into(q->shape, placed, &q->settings, &near->result);
    *counts = near->result.distance <= q->max_distance && near->result.distance < INFINITY;
    return near->result.given_up ? GJK_GIVEN_UP : GJK_OK;
}

/* Estimates the distance between a ball and a box in closed form, with error bounds. */
static bool estimate_distance(const void *question, const gjk_placed *placed, double *least,
                              double *most) {
    const gjk_near_question *q = question;
    const gjk_shape *ball = q->shape->shape, *box = placed->shape;
    if (box->type != GJK_BOX || gjk_is_far(placed)) {
        return false;
    }
    const gjk_vec3 between = gjk_sub3(q->shape->pose.position, placed->pose.position);
    const double scale = gjk_largest3(between) + ball->reach + box->reach;
    const gjk_vec3 at =
        gjk_mul3_transposed(&placed->pose.rotation, gjk_add3(between, q->to_center));
    const gjk_vec3 half = box->half_extents;
    const bool is_flat = box->dimension == 2; /* then half.z lacks the radius */
    const gjk_vec3 beyond = {gjk_larger(fabs(at.x) - (half.x - box->radius), 0.0),
                             gjk_larger(fabs(at.y) - (half.y - box->radius), 0.0),
                             is_flat ? 0.0 : gjk_larger(fabs(at.z) - (half.z - box->radius), 0.0)};
    const double apart = gjk_length3(beyond) - (ball->radius + box->radius);
    const double slack =
        ESTIMATE_ROUNDING * scale + q->settings.tolerance * gjk_larger(ball->size, box->size);
    *least = apart - slack;
    *most = gjk_larger(apart, 0.0) + slack;
    return gjk_unit_is_one(scale);
}

gjk_status gjk_set_nearest(const gjk_snapshot *snapshot, const gjk_placed *a, double max_distance,
                           const gjk_selection *selection, const gjk_distance_settings *settings,
                           gjk_nears *out) {
    const gjk_query_bounds query = gjk_query_bounds_of(GJK_QUERY_NEAR, a, settings->tolerance);
    gjk_near_question question = {.shape = a, .max_distance = max_distance, .settings = *settings};
    question.settings.budget = selection->budget;
    question.to_center = gjk_mul3(&a->pose.rotation, a->shape->center);
    /* With fewer iterations a distance may be less accurate than its estimate. For one or two
     * answers in 2D estimates take longer than they save. */
    const bool estimates = a->shape->count == 1 && !gjk_is_far(a) &&
                           (a->shape->dimension == 3 || selection->limit > 2) &&
                           settings->max_iterations >= GJK_SPATIAL_ITERATIONS;
    const gjk_ranking ranking = {
        .query = &query,
        .distance = max_distance,
        .question = &question,
        .measure = measure_to_shape,
        .estimate = estimates ? estimate_distance : NULL,
        .order = settings->is_signed ? by_signed_distance : by_distance,
        .rank = distance_of,
        .item_size = sizeof(gjk_near),
    };
    return find_nears(&ranking, snapshot, selection, out);
}

/* The part of a ray beside a placed shape: the shape is between the planes perpendicular to the ray
 * at the ends of the part, or beyond an end of the ray itself. */
typedef struct stretch {
    double from, to; /* distances along the ray */
    double gap;      /* lower bound of the distance from the shape to the ray */
    double slack;    /* rounding error of these numbers */
} stretch;

static double clamp(double x, double max) {
    return fmax(0.0, fmin(x, max));
}

static stretch part_beside(const gjk_ray *ray, const gjk_placed *placed) {
    const gjk_shape *shape = placed->shape;
    gjk_vec3 to_center = gjk_sub3(gjk_pose_apply(&placed->pose, shape->center), ray->origin);
    double along = gjk_dot3(to_center, ray->direction);
    double slack = ROUNDING * (gjk_length3(to_center) + gjk_length3(ray->origin) + shape->reach);
    double half = shape->bounding_radius + slack;
    gjk_vec3 nearest = gjk_scale3(clamp(along, ray->max_distance), ray->direction);
    return (stretch){
        .from = clamp(along - half, ray->max_distance),
        .to = clamp(along + half, ray->max_distance),
        .gap = gjk_length3(gjk_sub3(to_center, nearest)) - half,
        .slack = slack,
    };
}

/* Makes a segment of the part. If the part ends where the ray does, the two end points are
 * bit-identical. */
static gjk_status make_part(const gjk_near_question *q, const stretch *part, gjk_shape *segment,
                            gjk_placed *line) {
    const gjk_ray *ray = q->ray;
    const bool ends_there = part->to == ray->max_distance && part->to <= GJK_COORDINATE_MAX;
    const double base = ends_there ? 0.0 : part->from;
    const double from = part->from - base, to = fmin(part->to - base, GJK_COORDINATE_MAX);
    *line = (gjk_placed){segment, gjk_pose_identity()};
    line->pose.position = gjk_add3(ray->origin, gjk_scale3(base, ray->direction));
    return gjk_shape_make_segment(q->arena, q->dimension, gjk_scale3(from, ray->direction),
                                  gjk_scale3(to, ray->direction), 0.0, segment);
}

/* Returns true if the ray hits the shape: then their distance is 0, although rounding may give a
 * positive one. */
static bool hits(const gjk_near_question *q, const gjk_placed *placed) {
    const gjk_ray_settings settings = {.tolerance = q->settings.tolerance,
                                       .max_iterations = q->settings.max_iterations,
                                       .solid = true,
                                       .any = true,
                                       .budget = q->settings.budget};
    return gjk_raycast(placed, q->ray, &settings).hit;
}

static gjk_status measure_to_ray(const void *question, const gjk_body *body,
                                 const gjk_placed *placed, void *item, bool *counts) {
    const gjk_near_question *q = question;
    const stretch part = part_beside(q->ray, placed);
    if (part.gap > q->max_distance) {
        return GJK_OK;
    }
    gjk_near *near = item;
    gjk_shape segment;
    gjk_placed line;
    const gjk_arena_mark mark = gjk_arena_here(q->arena);
    gjk_status status = make_part(q, &part, &segment, &line);
    if (status == GJK_OK) {
        near->body = body;
        near->result = gjk_distance(&line, placed, &q->settings);
        if (near->result.distance > 0.0 && near->result.distance <= part.slack && hits(q, placed)) {
            near->result.distance = near->result.lower_bound = 0.0;
        }
        *counts = near->result.distance <= q->max_distance && near->result.distance < INFINITY;
        status = near->result.given_up ? GJK_GIVEN_UP : GJK_OK;
    }
    gjk_arena_rewind(q->arena, mark);
    return status;
}

/* Returns the bounds of a box with the half size `half` that moves along the ray. */
static gjk_query_bounds wide_ray(const gjk_ray *ray, double half, uint32_t dimension,
                                 double tolerance) {
    gjk_query_bounds query = gjk_query_bounds_of_ray(ray, dimension, tolerance);
    for (uint32_t axis = 0; axis < dimension; axis++) {
        double slack = ROUNDING * (half + fabs(query.min[axis]));
        query.min[axis] -= half + slack;
        query.max[axis] += half + slack;
    }
    return query;
}

gjk_status gjk_set_near_ray(const gjk_snapshot *snapshot, const gjk_ray *ray, double max_distance,
                            const gjk_selection *selection, const gjk_distance_settings *settings,
                            gjk_nears *out) {
    gjk_near_question question = {.ray = ray,
                                  .dimension = gjk_set_dimension(snapshot->set),
                                  .max_distance = max_distance,
                                  .settings = *settings,
                                  .arena = selection->arena};
    question.settings.budget = selection->budget;
    const gjk_query_bounds query =
        wide_ray(ray, max_distance, question.dimension, settings->tolerance);
    const gjk_ranking ranking = {
        .query = &query,
        .distance = ray->max_distance, /* along the ray; the order is by another distance */
        .question = &question,
        .measure = measure_to_ray,
        .order = by_distance,
        .item_size = sizeof(gjk_near),
    };
    return find_nears(&ranking, snapshot, selection, out);
}

/* Nearest pairs between two sets: for each body of the first set, the second set is searched,
 * limited by the worst pair kept so far. */

static int compare_pairs(const void *p, const void *q, double of_p, double of_q) {
    return of_p != of_q ? of_p < of_q ? -1 : 1 : gjk_pairs_by_ids(p, q);
}

static int pairs_by_distance(const void *a, const void *b) {
    const gjk_pair_near *p = a, *q = b;
    return compare_pairs(p, q, p->result.distance, q->result.distance);
}

int gjk_pairs_by_signed_distance(const void *a, const void *b) {
    const gjk_pair_near *p = a, *q = b;
    return compare_pairs(p, q, p->result.signed_distance, q->result.signed_distance);
}

typedef struct pair_search {
    gjk_set_walk seconds;
    gjk_list found;
    gjk_sort_order order;
    double reach; /* pairs farther apart cannot change the answer */
    gjk_distance_settings settings;
} pair_search;

/* Finds the pairs of body a with bodies of the second set. */
static gjk_status search_row(pair_search *search, const gjk_body *a, const gjk_placed *placed) {
    const gjk_selection *selection = search->seconds.selection;
    gjk_placed room;
    const gjk_query_bounds query =
        gjk_query_bounds_of(GJK_QUERY_NEAR, placed, search->settings.tolerance);
    gjk_leaf b;
    gjk_set_walk_aim(&search->seconds, &query, search->reach);
    while (gjk_set_walk_next(&search->seconds, &b)) {
        if (!gjk_bodies_accept_each_other(a, b.body)) {
            continue;
        }
        const gjk_placed *other = gjk_leaf_place(search->seconds.snapshot, &b, &room);
        const gjk_pair_near pair = {a, b.body, gjk_distance(placed, other, &search->settings)};
        if (pair.result.given_up) {
            return GJK_GIVEN_UP;
        }
        if (pair.result.distance > search->reach || pair.result.distance == INFINITY) {
            continue;
        }
        if (!gjk_list_offer(&search->found, selection->limit, search->order, &pair)) {
            return GJK_OUT_OF_MEMORY;
        }
        if (gjk_selection_is_full(selection, &search->found)) {
            search->reach = ((const gjk_pair_near *)(void *)search->found.items)->result.distance;
            gjk_tree_walk_narrow(&search->seconds.tree, search->reach);
        }
    }
    return GJK_OK;
}

gjk_status gjk_set_nearest_against(const gjk_snapshot *snapshot, const gjk_snapshot *other,
                                   double max_distance, const gjk_selection *selection,
                                   const gjk_distance_settings *settings, gjk_pair_nears *out) {
    gjk_selection all = *selection;
    gjk_status status = GJK_OK;
    pair_search search = {
        .found = gjk_list_make(selection->arena, sizeof(gjk_pair_near)),
        .order = settings->is_signed ? gjk_pairs_by_signed_distance : pairs_by_distance,
        .reach = max_distance,
        .settings = *settings,
    };
    all.except = NULL;
    search.settings.budget = selection->budget;
    gjk_set_walk_init(&search.seconds, other, &all);
    gjk_set_iterator bodies = gjk_set_iterate(snapshot->set, selection->budget);
    for (const gjk_body *a; status == GJK_OK && (a = gjk_set_next(&bodies)) != NULL;) {
        if (gjk_selection_has(&all, a)) {
            const gjk_placed placed = gjk_snapshot_place(snapshot, a);
            status = search_row(&search, a, &placed);
        }
    }
    if (status == GJK_OK) {
        status = gjk_budget_is_spent(selection->budget)
                     ? GJK_GIVEN_UP
                     : gjk_list_sort(&search.found, search.order);
    }
    *out = (gjk_pair_nears){(gjk_pair_near *)(void *)search.found.items, search.found.count,
                            search.found.truncated && !selection->rest_unasked};
    return status;
}

/* Rays against a set: a ranked search by the distance of the hit. */

typedef struct ray_search {
    gjk_ranking ranking;
    gjk_query_bounds bounds;
    const gjk_ray *ray;
    gjk_ray_settings settings;
} ray_search;

static double hit_distance_of(const void *item) {
    return ((const gjk_ray_hit *)item)->result.distance;
}

static int hits_by_distance(const void *a, const void *b) {
    return gjk_ranking_compare(a, b, hit_distance_of);
}

static gjk_status measure_ray(const void *question, const gjk_body *body, const gjk_placed *placed,
                              void *item, bool *counts) {
    const ray_search *search = question;
    gjk_ray_hit *hit = item;
    hit->body = body;
    gjk_raycast_into(placed, search->ray, &search->settings, &hit->result);
    *counts = hit->result.hit;
    return hit->result.given_up ? GJK_GIVEN_UP : GJK_OK;
}

static void aim_ray(ray_search *search, const gjk_snapshot *snapshot, const gjk_ray *ray,
                    const gjk_selection *selection, const gjk_ray_settings *settings) {
    search->bounds =
        gjk_query_bounds_of_ray(ray, gjk_set_dimension(snapshot->set), settings->tolerance);
    search->ray = ray;
    search->settings = *settings;
    search->settings.budget = selection->budget;
    search->ranking = (gjk_ranking){
        .query = &search->bounds,
        .distance = ray->max_distance,
        .question = search,
        .measure = measure_ray,
        .order = hits_by_distance,
        .rank = hit_distance_of,
        .item_size = sizeof(gjk_ray_hit),
    };
}

gjk_status gjk_set_raycast(const gjk_snapshot *snapshot, const gjk_ray *ray,
                           const gjk_selection *selection, const gjk_ray_settings *settings,
                           gjk_ray_hits *out) {
    ray_search search;
    gjk_list found;
    aim_ray(&search, snapshot, ray, selection, settings);
    gjk_status status = gjk_ranking_find(&search.ranking, snapshot, selection, &found);
    *out = (gjk_ray_hits){(gjk_ray_hit *)(void *)found.items, found.count, found.truncated};
    return status;
}

bool gjk_set_raycast_any(const gjk_snapshot *snapshot, const gjk_ray *ray,
                         const gjk_selection *selection, const gjk_ray_settings *settings) {
    ray_search search;
    aim_ray(&search, snapshot, ray, selection, settings);
    search.settings.any = true;
    return gjk_ranking_any(&search.ranking, snapshot, selection);
}

/* Moving shapes against a set: a ranked search by the fraction of the motion at first contact. */

typedef struct cast_search {
    gjk_ranking ranking;
    gjk_query_bounds bounds;
    const gjk_placed *moving;
    const gjk_rigid_motion *motion;
    gjk_cast_settings settings;
} cast_search;

static double fraction_of(const void *item) {
    return ((const gjk_cast_hit *)item)->result.fraction;
}

static int by_fraction(const void *a, const void *b) {
    return gjk_ranking_compare(a, b, fraction_of);
}

static gjk_status measure_cast(const void *question, const gjk_body *body, const gjk_placed *placed,
                               void *item, bool *counts) {
    const cast_search *search = question;
    gjk_cast_hit *hit = item;
    hit->body = body;
    hit->result = gjk_cast_turning(search->moving, search->motion, placed, &search->settings);
    *counts = hit->result.hit;
    return hit->result.given_up ? GJK_GIVEN_UP : GJK_OK;
}

static void aim_cast(cast_search *search, const gjk_placed *moving, const gjk_rigid_motion *motion,
                     const gjk_selection *selection, const gjk_cast_settings *settings) {
    search->bounds = gjk_query_bounds_of_turning(moving, motion, settings->tolerance);
    search->moving = moving;
    search->motion = motion;
    search->settings = *settings;
    search->settings.budget = selection->budget;
    search->ranking = (gjk_ranking){
        .query = &search->bounds,
        .distance = 1.0,
        .question = search,
        .measure = measure_cast,
        .order = by_fraction,
        .rank = fraction_of,
        .item_size = sizeof(gjk_cast_hit),
    };
}

gjk_status gjk_set_cast_turning(const gjk_snapshot *snapshot, const gjk_placed *moving,
                                const gjk_rigid_motion *motion, const gjk_selection *selection,
                                const gjk_cast_settings *settings, gjk_cast_hits *out) {
    cast_search search;
    gjk_list found;
    aim_cast(&search, moving, motion, selection, settings);
    gjk_status status = gjk_ranking_find(&search.ranking, snapshot, selection, &found);
    *out = (gjk_cast_hits){(gjk_cast_hit *)(void *)found.items, found.count, found.truncated};
    return status;
}

bool gjk_set_cast_turning_any(const gjk_snapshot *snapshot, const gjk_placed *moving,
                              const gjk_rigid_motion *motion, const gjk_selection *selection,
                              const gjk_cast_settings *settings) {
    cast_search search;
    aim_cast(&search, moving, motion, selection, settings);
    return gjk_ranking_any(&search.ranking, snapshot, selection);
}
