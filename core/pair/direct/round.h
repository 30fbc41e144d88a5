#ifndef GJK_PAIR_DIRECT_ROUND_H
#define GJK_PAIR_DIRECT_ROUND_H

/*
 * Two bodies that are each the hull of two discs across one axis: cylinders and cones, and points
 * and segments, whose discs have no radius. GJK and EPA approach such a pair by a digit in a few
 * steps; from a coarse answer Newton's method finds the contact to rounding, and a bound on the
 * curvature proves that nothing near it is less deep.
 *
 * All is in the frame of the pair. h(n) is the support function of a - b, as in solution.h.
 */

#include "base/numbers.h"
#include "pair/epa/polytope.h"
#include "pair/gjk/simplex.h"
#include "pair/solution.h"

/* The hull of two discs. A point has one end, whose place both centres are. */
typedef struct gjk_round_body {
    gjk_vec3 center[2];
    gjk_vec3 across[2]; /* unit vectors across the axis and each other; 0 without a radius */
    gjk_vec3 line;      /* from the first centre to the second */
    double radius[2];
} gjk_round_body;

typedef struct gjk_round_pair {
    gjk_round_body body[2]; /* a and b */
    const gjk_shape *shape_b;
    double scale; /* of the frame */
} gjk_round_pair;

/* A body seen along a direction. */
typedef struct gjk_round_look {
    gjk_vec3 point[2]; /* of the rims of the discs, the farthest */
    double value[2];   /* how far they are */
    gjk_vec3 along;    /* unit, along the rims there; 0 where the direction is that of the axis */
    double sine;       /* of the angle between direction and axis */
} gjk_round_look;

/* Where the two are least deep, or nearest: a stationary point of h. */
typedef struct gjk_round_contact {
    gjk_vec3 normal;        /* unit, from a to b */
    gjk_vec3 point[2];      /* of a and of b, which differ along the normal */
    gjk_round_look look[2]; /* of a along the normal, of b against it */
    double weight[2];       /* of the second end in the point; between 0 and 1 on a side */
    double margin[2];       /* of a point within a flat end: how far the rim is from it; else -1 */
} gjk_round_contact;

/* Directions about a contact in which a is proven to be no less deep in b. */
typedef struct gjk_round_cover {
    gjk_round_contact contact;
    double depth;  /* along its normal */
    double least;  /* what is proven of them: at most rounding less than the depth */
    double cosine; /* of the angle from the normal within which it is; 1: none */
} gjk_round_cover;

/* Returns true if both axes are parallel, to rounding; that of a point is parallel to all
 * others. */
static inline bool gjk_round_is_parallel(const gjk_round_pair *pair) {
    const gjk_vec3 a = pair->body[0].line, b = pair->body[1].line, cross = gjk_cross3(a, b);
    return gjk_dot3(cross, cross) <= GJK_ROUNDING * GJK_ROUNDING * gjk_dot3(a, a) * gjk_dot3(b, b);
}

/* Sets *pair where both bodies are such hulls and one of them has a radius. False: not served.
 * `across` is of unit length where the frame's unit is 1. */
bool gjk_round_pair_place(const gjk_frame3 *frame, gjk_round_pair *pair);

/* The support point of a - b along a direction of any length. False: too long or too short to be
 * squared. */
bool gjk_round_support(const gjk_round_pair *pair, const gjk_vec3 *direction, gjk_vertex3 *vertex);

void gjk_round_look_along(const gjk_round_body *body, gjk_vec3 direction, gjk_round_look *look);

/* Returns how far along its axis, from 0 to 1, a point of a body is. */
double gjk_round_height(const gjk_round_body *body, gjk_vec3 point);

/* Finds the contact near a unit direction. False: there is none of the kinds known here, or it is
 * not near. */
bool gjk_round_find_from(const gjk_round_pair *pair, gjk_vec3 normal, gjk_round_contact *contact);

/* Finds the nearest points of separated cores near those of a simplex that was reduced to its
 * feature nearest the origin. normal: from a to b along the way between those. False: none, as
 * above. */
bool gjk_round_meet(const gjk_round_pair *pair, const gjk_simplex3 *simplex, gjk_vec3 normal,
                    gjk_round_contact *contact);

/* Proves what it can about the directions around a contact. depth: along its normal, above 0. */
void gjk_round_cover_make(const gjk_round_pair *pair, const gjk_round_contact *contact,
                          double depth, gjk_round_cover *cover);

/* The face nearest the origin of those that are nearer than the depth of the cover and not within
 * it: a - b may be less deep along directions near its normal. GJK_NO_FACE: there is none, and the
 * depth is nowhere less than `least`. */
uint32_t gjk_round_uncovered_face(const gjk_round_cover *cover,
                                  const struct gjk_polytope3 *polytope);

#endif
