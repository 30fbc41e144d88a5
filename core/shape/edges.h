#ifndef GJK_SHAPE_EDGES_H
#define GJK_SHAPE_EDGES_H

#include "gjk/shape.h"

/*
 * The edges of a convex polygon (a segment has two, there and back) beside its points.
 * Edge i goes from point i to the next; three more columns hold the outward unit normal
 * and the offset of its line along that. Padded with copies of the first edge.
 */

/* Whether a cloud of these points (2D: counter-clockwise) has edges to keep: 2D, from 2 to
 * GJK_EDGES_MAX points, edges neither so long nor so short that their squares leave the
 * range of doubles. */
bool gjk_edges_fit(uint32_t dimension, const gjk_vec3 *points, uint32_t count);

/* Writes the three columns after the points'. */
void gjk_edges_fill(const gjk_shape *shape, double *columns);

static inline bool gjk_has_edges(const gjk_shape *shape) {
    return shape->column_count > 3;
}

/* The first of the three columns (normal x, normal y, offset), of a shape that has them. */
static inline const double *gjk_edges_of(const gjk_shape *shape) {
    return shape->columns + 2 * (size_t)shape->stride;
}

#endif
