#ifndef GJK_PAIR_GJK_SIMPLEX_H
#define GJK_PAIR_GJK_SIMPLEX_H

/* Simplices of GJK in 2D and 3D: their feature (corner, edge or face) nearest the origin, and the
 * weights with which its vertices combine to the nearest point. */

#include "pair/frame.h"

typedef struct gjk_simplex2 {
    gjk_vertex2 vertex[3];
    double weight[3];
    uint32_t count;
} gjk_simplex2;

typedef struct gjk_simplex3 {
    gjk_vertex3 vertex[4];
    double weight[4];
    uint32_t count;
} gjk_simplex3;

/* A feature of a simplex. Every weight is positive and they sum to 1. */
typedef struct gjk_feature2 {
    uint32_t vertex[2]; /* indices into the simplex */
    double weight[2];
    uint32_t count;
    gjk_vec2 nearest;
    double squared; /* length of nearest, squared */
} gjk_feature2;

typedef struct gjk_feature3 {
    uint32_t vertex[3]; /* indices into the simplex, ascending */
    double weight[3];
    uint32_t count;
    gjk_vec3 nearest;
    double squared; /* length of nearest, squared */
} gjk_feature3;

/* Find the feature nearest the origin. Return true, without a feature, if the simplex is a triangle
 * in 2D or a tetrahedron in 3D that contains the origin. */
bool gjk_simplex2_find(const gjk_simplex2 *simplex, gjk_feature2 *feature);
bool gjk_simplex3_find(const gjk_simplex3 *simplex, gjk_feature3 *feature);

/* Find the nearest feature of the boundary of a full simplex, whether or not it contains the
 * origin. */
void gjk_simplex2_find_surface(const gjk_simplex2 *simplex, gjk_feature2 *feature);
void gjk_simplex3_find_surface(const gjk_simplex3 *simplex, gjk_feature3 *feature);

/* Reduce the simplex to the vertices of the feature, with its weights. */
void gjk_simplex2_keep(gjk_simplex2 *simplex, const gjk_feature2 *feature);
void gjk_simplex3_keep(gjk_simplex3 *simplex, const gjk_feature3 *feature);

/* Return true if the simplex has a vertex at that point of a - b. */
static inline bool gjk_simplex2_has(const gjk_simplex2 *simplex, const gjk_vertex2 *vertex) {
    for (uint32_t i = 0; i < simplex->count; i++) {
        if (gjk_vertex2_same(&simplex->vertex[i], vertex)) {
            return true;
        }
    }
    return false;
}
static inline bool gjk_simplex3_has(const gjk_simplex3 *simplex, const gjk_vertex3 *vertex) {
    for (uint32_t i = 0; i < simplex->count; i++) {
        if (gjk_vertex3_same(&simplex->vertex[i], vertex)) {
            return true;
        }
    }
    return false;
}

/* Compute the witness points: the points of a and of b, combined by the weights. */
void gjk_simplex2_points(const gjk_simplex2 *simplex, gjk_vec2 *point_a, gjk_vec2 *point_b);
void gjk_simplex3_points(const gjk_simplex3 *simplex, gjk_vec3 *point_a, gjk_vec3 *point_b);

/*
 * Return the unit direction from the origin to a simplex reduced to its feature. Computed from the
 * feature (the normal of a face, or the nearest point without its component along an edge), not
 * from the nearest point v alone, so that it keeps its digits when the origin almost touches.
 */
gjk_vec2 gjk_simplex2_direction(const gjk_simplex2 *simplex, gjk_vec2 v);
gjk_vec3 gjk_simplex3_direction(const gjk_simplex3 *simplex, const gjk_feature3 *feature);

/* Returns the same direction with any length, so that a support point need not wait for a square
 * root. */
gjk_vec3 gjk_simplex3_heading(const gjk_simplex3 *simplex, const gjk_feature3 *feature);

/*
 * Improves the weights of a reduced triangle by one step of iterative refinement. On a sliver the
 * first solution leaves a residual in the plane, as long as a rounding error over the sine of its
 * angle: it hardly changes the distance, but moves the witness points by that length. Other
 * simplices are not changed.
 */
void gjk_simplex3_polish(gjk_simplex3 *simplex);

/* Squared sine at the first corner below which a triangle is a sliver, and a squared length of a
 * cross product that is far from underflow. */
#define GJK_SLIVER 0.01
#define GJK_CROSS_TINY 1e-250

/* Smallest squares of directions, and scales of distances, whose quotients keep their digits:
 * below, edges are about 1e-50 of the shapes. */
#define GJK_SQUARED_TINY 1e-200

/* Computes the normal for gjk_triangle_normal3 if its fast path is too inaccurate. */
bool gjk_sliver_normal3(const gjk_vec3 *a, const gjk_vec3 *b, const gjk_vec3 *c, gjk_vec3 *normal);

/* Computes the unit normal (b - a) x (c - a) with all digits correct: in double-double arithmetic
 * for a sliver, from exact minors for a needle or if products underflow. Returns false, with a
 * normal of 0, if the three points are exactly collinear. */
static inline bool gjk_triangle_normal3(const gjk_vec3 *a, const gjk_vec3 *b, const gjk_vec3 *c,
                                        gjk_vec3 *normal) {
    const gjk_vec3 u = gjk_sub3(*b, *a), v = gjk_sub3(*c, *a), n = gjk_cross3(u, v);
    const double squared = gjk_dot3(n, n), product = gjk_dot3(u, u) * gjk_dot3(v, v);
    if (squared >= GJK_SLIVER * product && squared > GJK_CROSS_TINY) {
        *normal = gjk_scale3(1.0 / sqrt(squared), n);
        return true;
    }
    return gjk_sliver_normal3(a, b, c, normal);
}

#endif
