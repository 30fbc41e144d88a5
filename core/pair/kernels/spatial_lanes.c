/*
 * The kernels of spatial.h. Clouds of at most eight points are rotated into the frame of the first
 * once and stay in registers; larger ones are scanned in memory. The first half of the GJK walk is
 * as in boolean_gjk3.c and suffices for most pairs; a distance continues until no support point is
 * nearer.
 */

#include "base/numbers.h"
#include "pair/gjk/reduce.h"
#include "pair/kernels/spatial.h"
#include "pair/kernels/spatial_expand.h"
#include "pair/solution.h"

/* --- The walk --- */

/* Steps of a walk, so that it ends within GJK_SPATIAL_ITERATIONS. */
#define STEPS_MAX 20

/* Least squared distance, relative to the scale, of a new corner that ties with the plane from the
 * other corners: a nearer one would move the nearest point by more than rounding. */
#define TIE_APART 0x1p-12

/* Result of a walk: nothing proven, separated, overlapping by the radii, or overlapping by the
 * cores. */
typedef enum outcome { OPEN, APART, WITHIN, AROUND } outcome;

/* Goal of a walk: the first proof; the nearest feature if the pair is separated; or the nearest
 * feature even if the pair overlaps by its radii. */
typedef enum purpose { PROOF, DISTANCE, DEPTH } purpose;

/* Reduces the simplex to the feature nearest the origin. */
LANES_INLINE outcome reduce_for(search *s, const view *v, purpose why, double margin) {
    if (reduce_simplex(s, margin, true)) {
        return AROUND;
    }
    return why != DEPTH && v->radius > 0.0 && is_within_radius(s, v->radius, v->tolerance, v->scale)
               ? WITHIN
               : OPEN;
}

/* Returns true if the newest support point is already in the simplex. */
LANES_INLINE bool is_known(const search *s, const uint32_t index[2]) {
    bool known = false;
    for (uint32_t i = 0; i < s->count; i++) {
        known |= (s->on_a[i] == index[0]) & (s->on_b[i] == index[1]);
    }
    return known;
}

/* Returns true if w is far from each corner of a triangle. */
LANES_INLINE bool is_far_from_all(const search *s, gjk_vec3 w, double least) {
    bool is_far = true;
    for (uint32_t i = 0; i < 3; i++) {
        const gjk_vec3 way = gjk_sub3(w, s->w[i]);
        is_far &= gjk_dot3(way, way) >= least;
    }
    return is_far;
}

/* Continues the walk along the current direction. If it ends at the nearest feature, s->bound
 * belongs to its direction; otherwise it is NAN. */
LANES_INLINE outcome walk_on(const clouds *c, const few *f, extent size, purpose why, search *s) {
    const view *v = c->v;
    const double reach = v->radius + v->tolerance, margin = margin_of(v->tolerance, v->scale);
    outcome found = OPEN;
    s->bound = NAN;
    while (s->steps < STEPS_MAX && s->squared > GJK_SQUARED_TINY) {
        uint32_t index[2];
        support(c, f, s->direction, size, index);
        s->steps++;
        const gjk_vec3 w = gjk_sub3(point_of_a(c, index[0]), point_of_b(c, index[1], size));
        const double along = gjk_dot3(s->direction, w);
        if (found == OPEN && along < 0.0 && along * along > reach * reach * s->squared) {
            found = APART;
            s->bound = -along;
            if (why != DISTANCE) {
                return APART;
            }
        }
        if (is_known(s, index)) {
            s->bound = -along;
            return found;
        }
        if (s->count == 3) {
            const double gain = along - gjk_dot3(s->direction, s->w[2]);
            if (!(gain > 0.0 && gain * gain > v->rounding * v->rounding * s->squared)) {
                s->bound = is_far_from_all(s, w, TIE_APART * v->scale * v->scale) ? -along : NAN;
                return found;
            }
        }
        s->w[s->count] = w;
        s->on_a[s->count] = index[0];
        s->on_b[s->count++] = index[1];
        const outcome reduced = reduce_for(s, v, why, margin);
        if (reduced != OPEN || s->count == 4) {
            s->bound = NAN;
            return found == OPEN ? reduced : found;
        }
    }
    s->bound = NAN;
    return found;
}

LANES_INLINE gjk_vec3 heading(const spatial_pair *pair, const view *v) {
    const gjk_vec3 to = in_frame(v, pair->second->shape->center);
    const gjk_vec3 between = gjk_sub3(to, pair->first->shape->center);
    return gjk_dot3(between, between) > 0.0 ? between : (gjk_vec3){1, 0, 0};
}

/* Starts with the cached points or axis for these two clouds. Returns false if the cache has
 * none. */
LANES_INLINE bool recall(const spatial_pair *pair, const clouds *c, extent size,
                         const gjk_cache *cache, search *s) {
    if (cache == NULL || cache->a != pair->first->shape || cache->b != pair->second->shape) {
        return false;
    }
    s->count = cache->has_indices ? cache->count : 0;
    s->direction = cache->axis;
    for (uint32_t i = 0; i < s->count; i++) {
        s->on_a[i] = cache->at_a[i];
        s->on_b[i] = cache->at_b[i];
        s->w[i] = gjk_sub3(point_of_a(c, s->on_a[i]), point_of_b(c, s->on_b[i], size));
    }
    return s->count > 0 || gjk_dot3(s->direction, s->direction) > 0.0;
}

LANES_INLINE outcome begin_walk(const spatial_pair *pair, const clouds *c, const few *f,
                                extent size, const gjk_cache *cache, purpose why, search *s) {
    outcome found = OPEN;
    s->count = s->steps = 0;
    s->upper_squared = s->upper_scale = 0.0;
    s->bound = NAN;
    if (!recall(pair, c, size, cache, s)) {
        s->direction = heading(pair, c->v);
    } else if (s->count > 0) {
        found = reduce_for(s, c->v, why, margin_of(c->v->tolerance, c->v->scale));
        if (found == OPEN && s->count == 4) { /* beyond the oldest face: start over */
            s->count = 0;
            s->direction = heading(pair, c->v);
        }
    }
    s->squared = gjk_dot3(s->direction, s->direction);
    return found != OPEN ? found : walk_on(c, f, size, why, s);
}

/* Stores the simplex from which the general method continues. */
LANES_INLINE void leave(const search *s, outcome found, gjk_walk3 *walk) {
    walk->count = s->count;
    walk->steps = s->steps;
    walk->is_around = found == AROUND;
    walk->is_within = found == WITHIN;
    for (uint32_t i = 0; i < s->count; i++) {
        walk->on_a[i] = s->on_a[i];
        walk->on_b[i] = s->on_b[i];
    }
}

/* Stores the decisive axis if there is one, else the points, as gjk_cache_keep does. */
LANES_INLINE void keep_cached(const spatial_pair *pair, const search *s, const gjk_vec3 *axis,
                              gjk_cache *cache) {
    if (cache == NULL) {
        return;
    }
    const gjk_shape *a = pair->first->shape, *b = pair->second->shape;
    const gjk_columns of_a = gjk_columns_of(a), of_b = gjk_columns_of(b);
    cache->a = a;
    cache->b = b;
    cache->axis = axis != NULL ? *axis : (gjk_vec3){0, 0, 0};
    cache->count = axis != NULL ? 0 : s->count;
    cache->has_indices = true;
    for (uint32_t i = 0; i < cache->count; i++) {
        cache->at_a[i] = s->on_a[i];
        cache->at_b[i] = s->on_b[i];
        cache->on_a[i] = gjk_column_point(&of_a, s->on_a[i]);
        cache->on_b[i] = gjk_column_point(&of_b, s->on_b[i]);
    }
}

/* --- The nearest points --- */

/* Computes the weights of the feature's corners at its nearest point. Returns false if that point
 * is not certainly inside the feature, or the feature is a sliver. */
LANES_INLINE bool find_weights(const search *s, double weight[3]) {
    weight[0] = 1.0;
    weight[1] = weight[2] = 0.0;
    if (s->count == 1) {
        return true;
    }
    const gjk_vec3 p = s->w[0], u = gjk_sub3(s->w[1], p);
    if (s->count == 2) {
        const double from_a = -gjk_dot3(p, u), from_b = gjk_dot3(s->w[1], u);
        const double squared = gjk_dot3(u, u);
        const bool near_a = from_a <= from_b;
        const double near = gjk_smaller(from_a, from_b) / squared;
        weight[0] = near_a ? 1.0 - near : near;
        weight[1] = near_a ? near : 1.0 - near;
        return near > 0.0;
    }
    GJK_ASSERT(s->count == 3);
    const gjk_vec3 v = gjk_sub3(s->w[2], p), n = gjk_cross3(u, v);
    const double area = gjk_dot3(n, n), product = gjk_dot3(u, u) * gjk_dot3(v, v);
    const double per_area = 1.0 / area;
    double beta = gjk_dot3(n, gjk_cross3(v, p)) * per_area;
    double gamma = gjk_dot3(n, gjk_cross3(p, u)) * per_area;
    const gjk_vec3 foot = gjk_add3(p, gjk_add3(gjk_scale3(beta, u), gjk_scale3(gamma, v)));
    const gjk_vec3 rest = gjk_sub3(foot, gjk_scale3(gjk_dot3(n, foot) * per_area, n));
    beta -= gjk_dot3(n, gjk_cross3(rest, v)) * per_area;
    gamma -= gjk_dot3(n, gjk_cross3(u, rest)) * per_area;
    weight[0] = 1.0 - beta - gamma;
    weight[1] = beta;
    weight[2] = gamma;
    return (area >= GJK_SLIVER * product) & (beta > 0.0) & (gamma > 0.0) & (weight[0] > 0.0);
}

/* The nearest points of the cores, in the frame, with their bounds and normal. */
typedef struct nearest3 {
    double lower, upper;
    gjk_vec3 normal, on_a, on_b;
} nearest3;

/* Finds the nearest points of two clouds. Returns false if the walk has not ended at a feature or
 * the bounds do not meet within rounding. */
LANES_INLINE bool find_nearest_of_clouds(const clouds *c, const search *s, extent size,
                                         nearest3 *at) {
    const view *v = c->v;
    double weight[3];
    if (isnan(s->bound) || !find_weights(s, weight)) { /* NAN: s may be a tetrahedron */
        return false;
    }
    const gjk_vec3 a = point_of_a(c, s->on_a[0]), b = point_of_b(c, s->on_b[0], size);
    at->on_a = a;
    at->on_b = b;
    for (uint32_t i = 1; i < s->count; i++) {
        const gjk_vec3 to_a = gjk_sub3(point_of_a(c, s->on_a[i]), a);
        const gjk_vec3 to_b = gjk_sub3(point_of_b(c, s->on_b[i], size), b);
        at->on_a = gjk_add3(at->on_a, gjk_scale3(weight[i], to_a));
        at->on_b = gjk_add3(at->on_b, gjk_scale3(weight[i], to_b));
    }
    const double per_length = 1.0 / sqrt(s->squared);
    at->normal = gjk_scale3(per_length, s->direction);
    at->upper = gjk_length3(gjk_sub3(at->on_a, at->on_b));
    at->lower = s->bound * per_length;
    return at->upper - at->lower <= v->rounding;
}

/* --- The answers --- */

/* Rotates a vector of the frame into world axes. */
LANES_INLINE gjk_vec3 in_world(const gjk_placed *a, gjk_vec3 v) {
    return gjk_mul3(&a->pose.rotation, v);
}

/* Rotates a normal into the world, directed from the caller's a to b. */
LANES_INLINE gjk_vec3 normal_in_world(const spatial_pair *pair, gjk_vec3 normal) {
    const double way = 1.0 - 2.0 * pair->is_swapped;
    return gjk_no_minus_zero3(gjk_scale3(way, in_world(pair->first, normal)));
}

/* Sets both points of the rounded shapes, in the caller's order. */
LANES_INLINE void set_cloud_points(const spatial_pair *pair, const nearest3 *at, gjk_vec3 *point_a,
                                   gjk_vec3 *point_b) {
    const gjk_placed *a = pair->first, *b = pair->second;
    gjk_vec3 *const points[2] = {point_a, point_b};
    const gjk_vec3 p = gjk_add3(at->on_a, gjk_scale3(a->shape->radius, at->normal));
    const gjk_vec3 q = gjk_sub3(at->on_b, gjk_scale3(b->shape->radius, at->normal));
    *points[pair->is_swapped] = gjk_add3(in_world(a, p), a->pose.position);
    *points[!pair->is_swapped] = gjk_add3(in_world(a, q), a->pose.position);
}

/* Clears number by number: a copy of a vector just written would be a store-forwarding stall. */
LANES_INLINE void clear(gjk_vec3 *v) {
    v->x = 0.0;
    v->y = 0.0;
    v->z = 0.0;
}

LANES_INLINE void clear_answer(gjk_state state, uint32_t steps, gjk_pair_answer *answer) {
    gjk_answer_begin(state, steps, answer);
    answer->depth = answer->depth_lower_bound = 0.0;
    clear(&answer->normal);
    clear(&answer->point_a);
    clear(&answer->point_b);
}

/* Returns the clouds; for FEW the points are in *f, unless MANY the second's rotated points in
 * `turned`. */
LANES_INLINE clouds clouds_of(const spatial_pair *pair, const view *v, extent size, few *f,
                              double turned[TURNED]) {
    const gjk_shape *a = pair->first->shape, *b = pair->second->shape;
    const uint32_t of_a = size == FEW ? GJK_LANES : a->stride;
    const uint32_t of_b = size == FEW ? GJK_LANES : b->stride;
    if (size == FEW) {
        f->ax = lanes_load(a->columns);
        f->ay = lanes_load(a->columns + of_a);
        f->az = lanes_load(a->columns + 2 * (size_t)of_a);
    }
    for (uint32_t i = 0; size != MANY && i < of_b; i += GJK_LANES) {
        turn_eight(v, b->columns + i, of_b, f, turned + i);
    }
    return (clouds){v,
                    {{a->columns, a->count, of_a},
                     {size == MANY ? b->columns : turned, b->count, of_b}}};
}

/* Sets depth, normal and points from bounds of the cores' signed distance. */
LANES_INLINE void set_depth(const spatial_pair *pair, const view *v, const nearest3 *at,
                            uint32_t steps, gjk_pair_answer *answer) {
    clear_answer(GJK_OVERLAPPING, steps, answer);
    answer->depth = v->radius - at->lower;
    answer->depth_lower_bound = v->radius - at->upper;
    answer->normal = normal_in_world(pair, at->normal);
    answer->has_points = true;
    set_cloud_points(pair, at, &answer->point_a, &answer->point_b);
}

/* Computes the depth of overlapping cores. Returns false if another method must. */
LANES_INLINE bool penetrate(const spatial_pair *pair, const clouds *c, const few *f, extent size,
                            const gjk_pair_settings *settings, const search *s,
                            gjk_pair_answer *answer) {
    const view *v = c->v;
    gjk_solution deep;
    tetrahedron around;
    for (uint32_t i = 0; i < 4; i++) {
        around.w[i] = s->w[i];
        around.on_a[i] = s->on_a[i];
        around.on_b[i] = s->on_b[i];
    }
    if (!expand(c, f, size, &around, settings->max_iterations, &deep)) {
        return false;
    }
    const gjk_vec3 between = gjk_sub3(deep.point_a, deep.point_b);
    const double seen = -gjk_dot3(deep.normal, between);
    deep.upper = gjk_smaller(gjk_larger(deep.upper, seen), 0.0);
    gjk_match_points(v->rounding, &deep);
    gjk_close_bounds(v->size, &deep.lower, &deep.upper);
    if (deep.upper - deep.lower > v->asked) {
        return false;
    }
    const nearest3 at = {deep.lower, deep.upper, deep.normal, deep.point_a, deep.point_b};
    set_depth(pair, v, &at, s->steps + deep.iterations, answer);
    return true;
}

/* Computes the depth of separated cores that are closer than the sum of the radii. Returns false if
 * another method must. */
LANES_INLINE bool penetrate_by_radii(const spatial_pair *pair, const clouds *c, extent size,
                                     const search *s, gjk_pair_answer *answer) {
    const view *v = c->v;
    nearest3 at;
    if (!find_nearest_of_clouds(c, s, size, &at)) {
        return false;
    }
    gjk_close_bounds(v->size, &at.lower, &at.upper);
    if (!is_within_radius(s, v->radius, v->tolerance, v->scale)) { /* with the margin of a PROOF */
        return false;
    }
    set_depth(pair, v, &at, s->steps, answer);
    return true;
}

LANES_INLINE bool detect(const spatial_pair *pair, const gjk_pair_settings *settings, extent size,
                         gjk_pair_answer *answer, gjk_walk3 *walk) {
    _Alignas(64) double turned[TURNED];
    const view v = view_of(pair, settings->tolerance);
    if (!v.is_ordinary) {
        return false;
    }
    few f;
    const clouds c = clouds_of(pair, &v, size, &f, turned);
    search s;
    const purpose why = settings->penetration ? DEPTH : PROOF;
    const outcome found = begin_walk(pair, &c, &f, size, settings->cache, why, &s);
    if (why == DEPTH && (found == AROUND ? penetrate(pair, &c, &f, size, settings, &s, answer)
                                         : found == OPEN && v.radius > 0.0 &&
                                               penetrate_by_radii(pair, &c, size, &s, answer))) {
        keep_cached(pair, &s, NULL, settings->cache);
        return true;
    }
    if (found == OPEN || (found != APART && settings->penetration)) {
        leave(&s, found, walk);
        return false;
    }
    clear_answer(found == APART ? GJK_SEPARATED : GJK_OVERLAPPING, s.steps, answer);
    if (settings->penetration || (settings->cache != NULL && found == APART)) {
        const gjk_vec3 axis = gjk_scale3(1.0 / sqrt(s.squared), s.direction);
        if (settings->penetration) {
            answer->normal = normal_in_world(pair, axis);
        }
        keep_cached(pair, &s, &axis, settings->cache);
    } else {
        keep_cached(pair, &s, NULL, settings->cache);
    }
    return true;
}

LANES_INLINE bool distance(const spatial_pair *pair, const gjk_pair_settings *settings, extent size,
                           gjk_pair_answer *answer, gjk_walk3 *walk) {
    _Alignas(64) double turned[TURNED];
    const view v = view_of(pair, settings->tolerance);
    if (!v.is_ordinary) {
        return false;
    }
    few f;
    const clouds c = clouds_of(pair, &v, size, &f, turned);
    search s;
    nearest3 at;
    const outcome found = begin_walk(pair, &c, &f, size, settings->cache, DISTANCE, &s);
    if (found == AROUND || found == WITHIN) {
        clear_answer(GJK_OVERLAPPING, s.steps, answer);
        keep_cached(pair, &s, NULL, settings->cache);
        return true;
    }
    if (found == OPEN || !find_nearest_of_clouds(&c, &s, size, &at)) {
        leave(&s, OPEN, walk);
        return false;
    }
    keep_cached(pair, &s, NULL, settings->cache);
    gjk_close_bounds(v.size, &at.lower, &at.upper);
    clear_answer(GJK_SEPARATED, s.steps, answer);
    answer->distance = gjk_positive_part(at.upper - v.radius);
    answer->lower_bound = gjk_positive_part(at.lower - v.radius);
    answer->has_points = true;
    answer->normal = normal_in_world(pair, at.normal);
    set_cloud_points(pair, &at, &answer->point_a, &answer->point_b);
    return true;
}

/* Returns the pair in the order of answer.h. Both orders are equally likely, so no compiler can
 * branch on it. */
LANES_INLINE spatial_pair pair_of(const gjk_placed *a, const gjk_placed *b, bool is_swapped) {
    const uintptr_t differ = ((uintptr_t)a ^ (uintptr_t)b) & -(uintptr_t)is_swapped;
    return (spatial_pair){(const gjk_placed *)((uintptr_t)a ^ differ),
                          (const gjk_placed *)((uintptr_t)b ^ differ), is_swapped};
}

LANES_INLINE extent extent_of(const spatial_pair *pair) {
    const uint32_t a = pair->first->shape->count, b = pair->second->shape->count;
    const uint32_t most = a > b ? a : b;
    return most <= GJK_LANES ? FEW : most <= SOME_MAX ? SOME : MANY;
}

LANES_WHOLE static bool detect_clouds(const gjk_placed *a, const gjk_placed *b, bool is_swapped,
                                      const gjk_pair_settings *settings, gjk_pair_answer *answer,
                                      gjk_walk3 *walk) {
    const spatial_pair pair = pair_of(a, b, is_swapped);
    const extent size = extent_of(&pair);
    return size == FEW    ? detect(&pair, settings, FEW, answer, walk)
           : size == SOME ? detect(&pair, settings, SOME, answer, walk)
                          : detect(&pair, settings, MANY, answer, walk);
}

LANES_INLINE bool distance_clouds(const gjk_placed *a, const gjk_placed *b, bool is_swapped,
                                  const gjk_pair_settings *settings, gjk_pair_answer *answer,
                                  gjk_walk3 *walk) {
    const spatial_pair pair = pair_of(a, b, is_swapped);
    const extent size = extent_of(&pair);
    return size == FEW    ? distance(&pair, settings, FEW, answer, walk)
           : size == SOME ? distance(&pair, settings, SOME, answer, walk)
                          : distance(&pair, settings, MANY, answer, walk);
}

const struct gjk_spatial_kernels LANES_FORM(gjk_spatial) = {{detect_clouds, distance_clouds}};
