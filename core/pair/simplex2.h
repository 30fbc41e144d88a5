#ifndef GJK_PAIR_SIMPLEX2_H
#define GJK_PAIR_SIMPLEX2_H

#include "pair/frame2.h"

/*
 * A simplex of one to three points of a - b, and the weights with which they
 * combine to its point nearest the origin.
 */
typedef struct gjk_simplex2 {
    gjk_vertex2 vertex[3];
    double weight[3];
    uint32_t count;
} gjk_simplex2;

/*
 * The part of a simplex (corner or edge) that holds its point nearest the origin.
 * Every weight is positive and they sum to 1.
 */
typedef struct gjk_feature2 {
    uint32_t vertex[2]; /* indices into the simplex */
    double weight[2];
    uint32_t count;
    gjk_vec2 nearest;
    double squared; /* length of nearest, squared */
} gjk_feature2;

/*
 * Finds the feature nearest the origin. Returns true, and finds none, when the
 * simplex is a triangle that holds the origin.
 */
bool gjk_simplex2_find(const gjk_simplex2 *simplex, gjk_feature2 *feature);

/* The same for the surface of a triangle, whether or not it holds the origin. */
void gjk_simplex2_find_surface(const gjk_simplex2 *simplex, gjk_feature2 *feature);

/* Drops every vertex that is not of the feature, and takes over its weights. */
void gjk_simplex2_keep(gjk_simplex2 *simplex, const gjk_feature2 *feature);

/* The points of a and of b with the simplex's weights. */
void gjk_simplex2_points(const gjk_simplex2 *simplex, gjk_vec2 *point_a, gjk_vec2 *point_b);

/*
 * The unit direction from the origin to a simplex that was reduced to its feature,
 * of which v is the nearest point: the normal of an edge rather than v, so that it
 * keeps its digits when the origin almost touches.
 */
gjk_vec2 gjk_simplex2_direction(const gjk_simplex2 *simplex, gjk_vec2 v);

#endif
