#ifndef GJK_RAY_QUERY_BOUNDS_H
#define GJK_RAY_QUERY_BOUNDS_H

/*
 * Conservative bounds of a query: a box, at rest or moving, and a key for each other box that the
 * query may concern. Where a tree skips a body by its box, the pair query, ray or cast at that
 * body alone must agree. They do by proof when they converge; when the iteration limit ends them
 * first, they consult the very same boxes.
 */

#include "gjk/cast.h"
#include "gjk/ray.h"
#include "shape/box.h"

typedef enum gjk_query_bounds_kind {
    GJK_QUERY_OVERLAP, /* boxes that meet the query's: key 0 */
    GJK_QUERY_SWEEP,   /* boxes that it meets as it moves: the key is the fraction of the way */
    GJK_QUERY_NEAR,    /* any box: the key is the square of its distance */
} gjk_query_bounds_kind;

typedef struct gjk_query_bounds {
    gjk_query_bounds_kind kind;
    uint32_t dimension;
    double min[3], max[3]; /* widened */
    double rate[3];        /* sweep: 1 over the translation */
    double looseness;      /* see gjk_box_looseness */
} gjk_query_bounds;

/* Number by number, which avoids a store-forwarding stall. */
static inline void gjk_query_bounds_put_box(gjk_query_bounds *query, const gjk_bounds *box) {
    query->min[0] = box->min.x;
    query->min[1] = box->min.y;
    query->min[2] = box->min.z;
    query->max[0] = box->max.x;
    query->max[1] = box->max.y;
    query->max[2] = box->max.z;
}

gjk_query_bounds gjk_query_bounds_of(gjk_query_bounds_kind kind, const gjk_placed *placed,
                                     double tolerance);
gjk_query_bounds gjk_query_bounds_of_ray(const gjk_ray *ray, uint32_t dimension, double tolerance);
gjk_query_bounds gjk_query_bounds_of_sweep(const gjk_sweep *sweep, double tolerance);

/* The key of a sweep at the box of one placed shape, with the same bits as in a tree; NaN: none up
 * to the bound. */
double gjk_query_bounds_sweep_key(const gjk_query_bounds *query, const gjk_placed *placed,
                                  double bound);

#endif
