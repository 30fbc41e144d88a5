#ifndef GJK_PAIR_GJK_SIMPLEX_H
#define GJK_PAIR_GJK_SIMPLEX_H

/* The simplices of GJK in 2D and 3D: their feature (corner, edge or face) nearest the origin, and
 * the weights with which its vertices combine to that point. */

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

/* Finds the feature nearest the origin. Returns true, and finds none, when the simplex is a
 * triangle in 2D, a tetrahedron in 3D, that contains the origin. */
bool gjk_simplex2_find(const gjk_simplex2 *simplex, gjk_feature2 *feature);
bool gjk_simplex3_find(const gjk_simplex3 *simplex, gjk_feature3 *feature);

/* The same for the boundary of a full simplex, whether or not it contains the origin. */
void gjk_simplex2_find_surface(const gjk_simplex2 *simplex, gjk_feature2 *feature);
void gjk_simplex3_find_surface(const gjk_simplex3 *simplex, gjk_feature3 *feature);

/* Reduces the simplex to the vertices of the feature, with its weights. */
void gjk_simplex2_keep(gjk_simplex2 *simplex, const gjk_feature2 *feature);
void gjk_simplex3_keep(gjk_simplex3 *simplex, const gjk_feature3 *feature);

/* Returns true if one of the vertices is that point of a - b. */
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

/* The witness points: the combinations of the points of a and of b by the weights. */
void gjk_simplex2_points(const gjk_simplex2 *simplex, gjk_vec2 *point_a, gjk_vec2 *point_b);
void gjk_simplex3_points(const gjk_simplex3 *simplex, gjk_vec3 *point_a, gjk_vec3 *point_b);

/*
 * The unit direction from the origin to a simplex that was reduced to its feature. It is
 * computed from the feature (the normal of a face, or the nearest point without its component
 * along an edge) rather than from the nearest point v alone, so that it keeps its digits when
 * the origin almost touches.
 */
gjk_vec2 gjk_simplex2_direction(const gjk_simplex2 *simplex, gjk_vec2 v);
gjk_vec3 gjk_simplex3_direction(const gjk_simplex3 *simplex, const gjk_feature3 *feature);

/* The same of any length, for a support point that need not wait for a square root. */
gjk_vec3 gjk_simplex3_heading(const gjk_simplex3 *simplex, const gjk_feature3 *feature);

/*
 * Improves the weights of a reduced triangle by one step of iterative refinement. On a sliver
 * the first solution leaves a residual within the plane, as long as a rounding error over the
 * sine of its angle. That hardly changes the distance, but moves the witness points by as
 * much. Other simplices are left as they are.
 */
void gjk_simplex3_polish(gjk_simplex3 *simplex);

/* Squared sine at the first corner below which a triangle is a sliver, and the length of a cross
 * product, squared, that is far from underflow. */
#define GJK_SLIVER 0.01
#define GJK_CROSS_TINY 1e-250

/* Squares of directions, and the scales of distances, down to which quotients of them have their
 * digits: below, edges are some 1e-50 of the shapes. */
#define GJK_SQUARED_TINY 1e-200

/* The second half of gjk_triangle_normal3. */
bool gjk_sliver_normal3(const gjk_vec3 *a, const gjk_vec3 *b, const gjk_vec3 *c, gjk_vec3 *normal);

/* The unit normal (b - a) x (c - a), computed in double-double arithmetic where the triangle is a
 * sliver, and from exact minors where it is a needle or products underflow, so that all its digits
 * are certain. False, with a normal of 0: the three points are exactly collinear. */
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
