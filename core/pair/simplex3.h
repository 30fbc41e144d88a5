#ifndef GJK_PAIR_SIMPLEX3_H
#define GJK_PAIR_SIMPLEX3_H

#include "pair/frame3.h"

/*
 * A simplex of one to four points of a - b, and the weights with which they
 * combine to its point nearest the origin.
 */
typedef struct gjk_simplex3 {
    gjk_vertex3 vertex[4];
    double weight[4];
    uint32_t count;
} gjk_simplex3;

/*
 * The part of a simplex (corner, edge or face) that holds its point nearest the
 * origin. Every weight is positive and they sum to 1.
 */
typedef struct gjk_feature3 {
    uint32_t vertex[3]; /* indices into the simplex, ascending */
    double weight[3];
    uint32_t count;
    gjk_vec3 nearest;
    double squared; /* length of nearest, squared */
} gjk_feature3;

/*
 * Finds the feature nearest the origin. Returns true, and finds none, when the
 * simplex is a tetrahedron that holds the origin.
 */
bool gjk_simplex3_find(const gjk_simplex3 *simplex, gjk_feature3 *feature);

/* The same for the surface of a tetrahedron, whether or not it holds the origin. */
void gjk_simplex3_find_surface(const gjk_simplex3 *simplex, gjk_feature3 *feature);

/* Drops every vertex that is not of the feature, and takes over its weights. */
void gjk_simplex3_keep(gjk_simplex3 *simplex, const gjk_feature3 *feature);

/*
 * Mends the weights of a reduced triangle by one step of refinement. On a sliver the
 * first solution leaves a rest along the plane, as long as a rounding error over the
 * sine of its angle; it is no nearer to the origin for that, but the points of a and
 * b are as far off. Nothing happens to other simplices.
 */
void gjk_simplex3_polish(gjk_simplex3 *simplex);

/* The points of a and of b with the simplex's weights. */
void gjk_simplex3_points(const gjk_simplex3 *simplex, gjk_vec3 *point_a, gjk_vec3 *point_b);

/*
 * The unit direction from the origin to a simplex that was reduced to the feature.
 * Taken from the feature itself (the normal of a face, the nearest point cleared of
 * its part along an edge), so that it keeps its digits when the origin almost touches.
 */
gjk_vec3 gjk_simplex3_direction(const gjk_simplex3 *simplex, const gjk_feature3 *feature);

/*
 * The unit normal (b - a) x (c - a), computed with twice the digits where the
 * triangle is a sliver; zero only when the three are exactly collinear.
 */
void gjk_triangle_normal3(const gjk_vec3 *a, const gjk_vec3 *b, const gjk_vec3 *c,
                          gjk_vec3 *normal);

#endif
