#ifndef GJK_RAY_QUERY_BOUNDS_H
#define GJK_RAY_QUERY_BOUNDS_H

/*
 * Conservative bounds of a query: a box, at rest or moving, and the definition of a key for each
 * box in a tree. If the tree skips a body by its box, a query of that body alone must not report a
 * hit either. This is certain if the query converges; if it ends at the iteration limit, it checks
 * the same boxes.
 */

#include "gjk/cast.h"
#include "gjk/ray.h"
#include "shape/box.h"

typedef enum gjk_query_bounds_kind {
    GJK_QUERY_OVERLAP, /* boxes that overlap the query's box; the key is 0 */
    GJK_QUERY_SWEEP,   /* boxes that the moving box meets; the key is the fraction of its motion */
    GJK_QUERY_NEAR,    /* all boxes; the key is the squared distance */
} gjk_query_bounds_kind;

typedef struct gjk_query_bounds {
    gjk_query_bounds_kind kind;
    uint32_t dimension;
    double min[3], max[3]; /* widened */
    double rate[3];        /* for sweeps: reciprocals of the translation */
    double looseness;      /* see gjk_box_looseness */
} gjk_query_bounds;

/* Copies a box number by number, which avoids a store-forwarding stall. */
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

/* Returns the key of a sweep for the box of one placed shape, with the same bits as in a tree. NaN
 * if the sweep does not meet the box up to the bound. */
double gjk_query_bounds_sweep_key(const gjk_query_bounds *query, const gjk_placed *placed,
                                  double bound);

#endif
