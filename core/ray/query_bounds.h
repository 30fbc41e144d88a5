#ifndef GJK_RAY_QUERY_BOUNDS_H
#define GJK_RAY_QUERY_BOUNDS_H

/*
 * A question as a box: which other boxes can it be about, and how soon? Where a tree leaves a
 * body out by its box, the pair query, ray or cast at that body alone must agree. They do by
 * proof when they converge; when the iteration limit ends them first, they ask the very boxes.
 */

#include "gjk/cast.h"
#include "gjk/ray.h"
#include "shape/box.h"

typedef enum gjk_query_bounds_kind {
    GJK_QUERY_OVERLAP, /* boxes that meet the probe's: key 0 */
    GJK_QUERY_SWEEP,   /* boxes that it meets on its way: the key is when, in terms of the way */
    GJK_QUERY_NEAR,    /* any box: the key is the square of its distance */
} gjk_query_bounds_kind;

/* What asks, as a box. */
typedef struct gjk_query_bounds {
    gjk_query_bounds_kind kind;
    uint32_t dimension;
    double min[3], max[3]; /* widened */
    double rate[3];        /* sweep: 1 over the way */
    double looseness;      /* see gjk_box_looseness */
} gjk_query_bounds;

/* Number by number: what was just written so is slow to copy in larger pieces. */
static inline void gjk_query_bounds_put_box(gjk_query_bounds *probe, const gjk_bounds *box) {
    probe->min[0] = box->min.x;
    probe->min[1] = box->min.y;
    probe->min[2] = box->min.z;
    probe->max[0] = box->max.x;
    probe->max[1] = box->max.y;
    probe->max[2] = box->max.z;
}

gjk_query_bounds gjk_query_bounds_of(gjk_query_bounds_kind kind, const gjk_placed *placed,
                                     double tolerance);
gjk_query_bounds gjk_query_bounds_of_ray(const gjk_ray *ray, uint32_t dimension, double tolerance);
gjk_query_bounds gjk_query_bounds_of_sweep(const gjk_sweep *sweep, double tolerance);

/* When a sweep meets the box of one placed shape: the same bits as in a tree. Not a number where
 * it does not up to the bound. */
double gjk_query_bounds_sweep_key(const gjk_query_bounds *probe, const gjk_placed *placed,
                                  double bound);

#endif
