#ifndef GJK_SIMPLEX3_H
#define GJK_SIMPLEX3_H

#include "frame3.h"

/*
 * A simplex of one to four points of a - b, and the weights with which they
 * combine to its point nearest the origin. After a reduction every weight is
 * positive and they sum to 1.
 */
typedef struct gjk_simplex3 {
    gjk_vertex3 vertex[4];
    double weight[4];
    uint32_t count;
} gjk_simplex3;

/*
 * Drops every vertex that the point nearest the origin does not need and sets the
 * weights. Returns true when the simplex is a tetrahedron that holds the origin
 * (then nothing is dropped and no weight is set).
 */
bool gjk_simplex3_reduce(gjk_simplex3 *simplex);

/* The point with the simplex's weights, of a - b, of a and of b. */
gjk_vec3 gjk_simplex3_nearest(const gjk_simplex3 *simplex);
void gjk_simplex3_points(const gjk_simplex3 *simplex, gjk_vec3 *point_a, gjk_vec3 *point_b);

/*
 * The unit direction from the origin to a reduced simplex whose nearest point is v.
 * Taken from the feature itself (the normal of a face, v cleared of its part along
 * an edge), so that it keeps its digits when the origin almost touches.
 */
gjk_vec3 gjk_simplex3_direction(const gjk_simplex3 *simplex, gjk_vec3 v);

/*
 * The unit normal (b - a) x (c - a), computed with twice the digits where the
 * triangle is a sliver; zero only when the three are exactly collinear.
 */
gjk_vec3 gjk_triangle_normal3(gjk_vec3 a, gjk_vec3 b, gjk_vec3 c);

#endif
