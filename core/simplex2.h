#ifndef GJK_SIMPLEX2_H
#define GJK_SIMPLEX2_H

#include "frame2.h"

/*
 * A simplex of one to three points of a - b, and the weights with which they
 * combine to its point nearest the origin. After a reduction every weight is
 * positive and they sum to 1.
 */
typedef struct gjk_simplex2 {
    gjk_vertex2 vertex[3];
    double weight[3];
    uint32_t count;
} gjk_simplex2;

/*
 * Drops every vertex that the point nearest the origin does not need and sets the
 * weights. Returns true when the simplex is a triangle that holds the origin (then
 * nothing is dropped and no weight is set).
 */
bool gjk_simplex2_reduce(gjk_simplex2 *simplex);

/* The point with the simplex's weights, of a - b, of a and of b. */
gjk_vec2 gjk_simplex2_nearest(const gjk_simplex2 *simplex);
void gjk_simplex2_points(const gjk_simplex2 *simplex, gjk_vec2 *point_a, gjk_vec2 *point_b);

/*
 * The unit direction from the origin to a reduced simplex whose nearest point is v:
 * the normal of an edge rather than v, so that it keeps its digits when the origin
 * almost touches.
 */
gjk_vec2 gjk_simplex2_direction(const gjk_simplex2 *simplex, gjk_vec2 v);

#endif
