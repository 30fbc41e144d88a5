#ifndef GJK_PAIR_KERNELS_SPATIAL_WALK_H
#define GJK_PAIR_KERNELS_SPATIAL_WALK_H

/*
 * The walk of GJK over two clouds. See boolean_gjk3.c for the first half of it, which is all that
 * most pairs need; a distance goes on until no support point is nearer.
 */

#include "pair/gjk/reduce.h"
#include "pair/kernels/spatial.h"
#include "pair/kernels/spatial_clouds.h"

/* Steps of a walk that is to end within GJK_SPATIAL_ITERATIONS. */
#define STEPS_MAX 20

/* How near, relative to the scale, a corner may be to one that its plane ties with, squared: nearer
 * ones would move the nearest point by more than rounding. */
#define TIE_APART 0x1p-12

/* Result of a walk: nothing is proven, the shapes are apart, they overlap by their radii, or by
 * their cores. */
typedef enum outcome { OPEN, APART, WITHIN, AROUND } outcome;

/* End of a walk: at the first proof; at the nearest feature, if the pair is apart nearest feature;
 * or from one that the pair overlaps by its radii. */
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

/* Returns true if the newest support point is one of the simplex. */
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

/* Walks on from the direction. Where it ends at the nearest feature, s->bound is set with its
 * direction. */
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

/* Begins with the points or the axis that the cache has of these two clouds; false: it has none. */
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

/* Stores the simplex from which the general method goes on. */
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

/* Keeps what decided the query, as gjk_cache_keep does: the axis if there is one, else the
 * points. */
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

#endif
