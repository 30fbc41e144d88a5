/*
 * Which box does a question ask with? The widened one of what takes part (box.h), and where it
 * goes.
 */

#include "tree/query_bounds.h"

#include "base/larger.h"
#include "tree/keys.h"

gjk_query_bounds gjk_query_bounds_of(gjk_query_bounds_kind kind, const gjk_placed *placed,
                                     double tolerance) {
    const uint32_t dimension = placed->shape->dimension;
    gjk_query_bounds probe = {.kind = kind,
                              .dimension = dimension,
                              .looseness = gjk_box_looseness(tolerance)};
    gjk_bounds box = gjk_box_of(placed);
    box = gjk_box_widen(box, dimension, probe.looseness * placed->shape->size);
    gjk_query_bounds_put_box(&probe, &box);
    return probe;
}

/* 1 over each component; of one without way INFINITY, not its opposite. */
static void put_way(gjk_query_bounds *probe, gjk_vec3 way) {
    const double ways[3] = {way.x, way.y, way.z};
    for (uint32_t axis = 0; axis < 3; axis++) {
        probe->rate[axis] = ways[axis] != 0.0 ? 1.0 / ways[axis] : INFINITY;
    }
}

gjk_query_bounds gjk_query_bounds_of_ray(const gjk_ray *ray, uint32_t dimension, double tolerance) {
    gjk_query_bounds probe = {.kind = GJK_QUERY_SWEEP,
                              .dimension = dimension,
                              .looseness = gjk_box_looseness(tolerance)};
    gjk_bounds box = {ray->origin, ray->origin};
    /* twice that of a point, so that it holds the box of a point there */
    double slack = 2.0 * (GJK_BOX_ROUNDING * gjk_largest3(ray->origin) + GJK_BOX_LEAST);
    box = gjk_box_widen(box, dimension, slack);
    gjk_query_bounds_put_box(&probe, &box);
    put_way(&probe, ray->direction);
    return probe;
}

gjk_query_bounds gjk_query_bounds_of_sweep(const gjk_sweep *sweep, double tolerance) {
    gjk_query_bounds probe = gjk_query_bounds_of(GJK_QUERY_SWEEP, &sweep->moving, tolerance);
    put_way(&probe, sweep->translation);
    return probe;
}

double gjk_query_bounds_key(const gjk_query_bounds *probe, const gjk_placed *placed, double bound) {
    const gjk_branch branch = {.box = gjk_box_of(placed)};
    gjk_tree_node alone = {.used = 1};
    double keys[GJK_TREE_WIDTH];
    gjk_tree_node_put(&alone, 0, &branch);
    return gjk_query_bounds_node(probe, &alone, bound, keys) != 0 ? keys[0] : NAN;
}

double gjk_boxes_gap(const gjk_placed *a, const gjk_placed *b, double tolerance, gjk_vec3 *axis) {
    const gjk_bounds p = gjk_box_of(a), q = gjk_box_of(b);
    const gjk_vec3 after = gjk_sub3(q.min, p.max), before = gjk_sub3(p.min, q.max);
    const double gaps[6] = {after.x, before.x, after.y, before.y, after.z, before.z};
    double widest = 0.0;
    /* what the boxes are not wider by already */
    double more = tolerance - 2.0 * GJK_BOX_TOLERANCE * gjk_larger(a->shape->size, b->shape->size);
    for (int i = 0; i < 2 * (int)a->shape->dimension; i++) {
        if (gaps[i] > widest) {
            const double sign = i % 2 == 0 ? 1.0 : -1.0;
            widest = gaps[i];
            *axis = (gjk_vec3){i / 2 == 0 ? sign : 0.0, i / 2 == 1 ? sign : 0.0,
                               i / 2 == 2 ? sign : 0.0};
        }
    }
    return widest > more ? widest : 0.0;
}
