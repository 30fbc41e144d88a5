/* Bounds of queries: the box of the query's shape, widened as box.h explains, and its
 * translation. */

#include "ray/query_bounds.h"

gjk_query_bounds gjk_query_bounds_of(gjk_query_bounds_kind kind, const gjk_placed *placed,
                                     double tolerance) {
    const uint32_t dimension = placed->shape->dimension;
    gjk_query_bounds query = {.kind = kind,
                              .dimension = dimension,
                              .looseness = gjk_box_looseness(tolerance)};
    gjk_bounds box = gjk_box_of(placed);
    box = gjk_box_widen(box, dimension, query.looseness * placed->shape->size);
    gjk_query_bounds_put_box(&query, &box);
    return query;
}

/* Stores the reciprocal of each component; +INFINITY for +0 and -0. */
static void put_translation(gjk_query_bounds *query, gjk_vec3 translation) {
    const double components[3] = {translation.x, translation.y, translation.z};
    for (uint32_t axis = 0; axis < 3; axis++) {
        query->rate[axis] = components[axis] != 0.0 ? 1.0 / components[axis] : INFINITY;
    }
}

gjk_query_bounds gjk_query_bounds_of_ray(const gjk_ray *ray, uint32_t dimension, double tolerance) {
    gjk_query_bounds query = {.kind = GJK_QUERY_SWEEP,
                              .dimension = dimension,
                              .looseness = gjk_box_looseness(tolerance)};
    gjk_bounds box = {ray->origin, ray->origin};
    /* twice the slack of a point's box, so that the box of a point there is contained */
    double slack = 2.0 * (GJK_BOX_ROUNDING * gjk_largest3(ray->origin) + GJK_BOX_LEAST);
    box = gjk_box_widen(box, dimension, slack);
    gjk_query_bounds_put_box(&query, &box);
    put_translation(&query, ray->direction);
    return query;
}

gjk_query_bounds gjk_query_bounds_of_sweep(const gjk_sweep *sweep, double tolerance) {
    gjk_query_bounds query = gjk_query_bounds_of(GJK_QUERY_SWEEP, &sweep->moving, tolerance);
    put_translation(&query, sweep->translation);
    return query;
}

/* Slab test (Kay, Kajiya, Ray Tracing Complex Scenes, 1986) with the operations in the same order
 * as in the tree's test of a node, so that both have the same bits. */
double gjk_query_bounds_sweep_key(const gjk_query_bounds *query, const gjk_placed *placed,
                                  double bound) {
    const gjk_bounds box = gjk_box_of(placed);
    const double min[3] = {box.min.x, box.min.y, box.min.z};
    const double max[3] = {box.max.x, box.max.y, box.max.z};
    double loose = 0.0, from = 0.0, until = bound;
    GJK_ASSERT(query->dimension <= 3);
    for (uint32_t axis = 0; query->looseness > 0.0 && axis < query->dimension; axis++) {
        const double side = query->looseness * (max[axis] - min[axis]);
        loose = side > loose ? side : loose;
    }
    for (uint32_t axis = 0; axis < query->dimension; axis++) {
        const double rate = query->rate[axis];
        const double above = (min[axis] - loose - query->max[axis]) * rate;
        const double below = (max[axis] + loose - query->min[axis]) * rate;
        const double in = rate > 0.0 ? above : below, out = rate > 0.0 ? below : above;
        from = in > from ? in : from; /* the comparisons ignore NaN */
        until = out < until ? out : until;
    }
    return from <= until ? from : NAN;
}
