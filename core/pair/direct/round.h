#ifndef GJK_PAIR_DIRECT_ROUND_H
#define GJK_PAIR_DIRECT_ROUND_H

/*
 * Pairs of bodies that are each the hull of two discs across one axis: cylinders and cones, and
 * points and segments, whose discs have radius 0. GJK and EPA need several steps for each digit of
 * such a pair; from a coarse answer Newton's method finds the contact to rounding, and a bound on
 * the curvature proves that no nearby direction is less deep.
 *
 * Everything is in the frame of the pair. h(n) is the support function of a - b, as in solution.h.
 */

#include "base/numbers.h"
#include "pair/epa/polytope.h"
#include "pair/gjk/simplex.h"
#include "pair/solution.h"

/* The hull of two discs. For a point both centres coincide. */
typedef struct gjk_round_body {
    gjk_vec3 center[2];
    gjk_vec3 across[2]; /* unit, normal to the axis and each other; 0 without a radius */
    gjk_vec3 line;      /* from the first centre to the second */
    double radius[2];
} gjk_round_body;

typedef struct gjk_round_pair {
    gjk_round_body body[2]; /* a and b */
    const gjk_shape *shape_b;
    double scale; /* scale of the frame */
} gjk_round_pair;

/* Farthest points of a body along a direction. */
typedef struct gjk_round_look {
    gjk_vec3 point[2]; /* the farthest of each disc's rim */
    double value[2];   /* their distances along the direction */
    gjk_vec3 along;    /* unit tangent of the rims there; 0 along the axis */
    double sine;       /* sine of the angle between direction and axis */
} gjk_round_look;

/* A contact: directions and points of least depth or distance, a stationary point of h. */
typedef struct gjk_round_contact {
    gjk_vec3 normal;        /* unit, from a to b */
    gjk_vec3 point[2];      /* points of a and b; their difference is along the normal */
    gjk_round_look look[2]; /* look of a along the normal, of b against it */
    double weight[2];       /* share of the second end in the point; between 0 and 1 on a side */
    double margin[2];       /* for a point within a flat end its distance from the rim; else -1 */
} gjk_round_contact;

/* Directions about a contact in which the depth of a in b is proven to be no less. */
typedef struct gjk_round_cover {
    gjk_round_contact contact;
    double depth;  /* along the contact's normal */
    double least;  /* proven depth in these directions: at most rounding less than `depth` */
    double cosine; /* cosine of their greatest angle to the normal; 1: no directions */
} gjk_round_cover;

/* Returns true if both axes are parallel, to rounding; a point is parallel to every axis. */
static inline bool gjk_round_is_parallel(const gjk_round_pair *pair) {
    const gjk_vec3 a = pair->body[0].line, b = pair->body[1].line, cross = gjk_cross3(a, b);
    return gjk_dot3(cross, cross) <= GJK_ROUNDING * GJK_ROUNDING * gjk_dot3(a, a) * gjk_dot3(b, b);
}

/* Sets *pair if both bodies are such hulls and one of them has a radius. Returns false if not.
 * `across` has unit length if the frame's unit is 1. */
bool gjk_round_pair_place(const gjk_frame3 *frame, gjk_round_pair *pair);

/* Computes the support point of a - b along a direction of any length. Returns false if its square
 * could overflow or underflow. */
bool gjk_round_support(const gjk_round_pair *pair, const gjk_vec3 *direction, gjk_vertex3 *vertex);

void gjk_round_look_along(const gjk_round_body *body, gjk_vec3 direction, gjk_round_look *look);

/* Returns the position of a body's point along its axis, from 0 to 1. */
double gjk_round_height(const gjk_round_body *body, gjk_vec3 point);

/* Finds the contact near a unit direction. Returns false if there is none of the supported kinds
 * nearby. */
bool gjk_round_find_from(const gjk_round_pair *pair, gjk_vec3 normal, gjk_round_contact *contact);

/* Finds the nearest points of separated cores near those of a simplex that was reduced to its
 * feature nearest the origin. `normal` points from a to b between the simplex's points. Returns
 * false as gjk_round_find_from. */
bool gjk_round_meet(const gjk_round_pair *pair, const gjk_simplex3 *simplex, gjk_vec3 normal,
                    gjk_round_contact *contact);

/* Computes the cover of a contact, which has the given depth > 0 along its normal. */
void gjk_round_cover_make(const gjk_round_pair *pair, const gjk_round_contact *contact,
                          double depth, gjk_round_cover *cover);

/* Returns the face nearest the origin among those that are nearer than the cover's depth and not
 * within the cover: a - b may be less deep along directions near its normal. Returns GJK_NO_FACE if
 * there is none: the depth is then nowhere less than `least`. */
uint32_t gjk_round_uncovered_face(const gjk_round_cover *cover,
                                  const struct gjk_polytope3 *polytope);

#endif
