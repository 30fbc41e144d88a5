#ifndef GJK_PAIR_FRAME3_H
#define GJK_PAIR_FRAME3_H

/*
 * A pair seen from the frame of a: the Minkowski difference a - b of two clouds
 * and its support function. Working in the frame of one shape keeps all digits of
 * a pair far from the world's origin; one combined rotation serves both clouds.
 * Lengths are multiplied by a power of two (exactly) when the pair is so large or
 * so small that products of lengths could overflow or vanish.
 */

#include "gjk/shape.h"

typedef struct gjk_frame3 {
    const gjk_shape *a, *b;
    gjk_mat3 rotation;    /* of b against a, times unit */
    gjk_vec3 translation; /* of b's origin, times unit */
    gjk_vec3 toward;      /* unit, from a's centre to b's: the first search direction */
    double unit;          /* frame length = unit * world length; a power of two */
    bool curved;          /* a curve takes part: stop at the tolerance, not at rounding */
    double scale;         /* magnitude of the numbers in a - b: what rounding is relative to */
} gjk_frame3;

/* A point of a - b and the points of a and b that it is the difference of. */
typedef struct gjk_vertex3 {
    gjk_vec3 w, a, b;
    gjk_vec3 own_b; /* the point of b in its own frame and unit */
} gjk_vertex3;

/* All but toward. */
gjk_frame3 gjk_frame3_place(const gjk_placed *a, const gjk_placed *b);

/* Where to look first: a direction in world axes, of any length, or if that is 0 from centre
 * to centre; the x axis when the centres coincide. Seen from the frame, and not 0. */
gjk_vec3 gjk_frame3_heading(const gjk_frame3 *frame, const gjk_pose *pose_of_a, gjk_vec3 direction);

/* Sets toward to that, of unit length. */
void gjk_frame3_aim(gjk_frame3 *frame, const gjk_pose *pose_of_a, gjk_vec3 direction);

/* Placed, and aimed from centre to centre. */
gjk_frame3 gjk_frame3_make(const gjk_placed *a, const gjk_placed *b);

/* The point of a - b farthest along direction (of any length). */
void gjk_support3_into(const gjk_frame3 *frame, const gjk_vec3 *direction, gjk_vertex3 *vertex);

/* The difference of a point of a and a point of b, each in its own frame. */
void gjk_vertex3_make(const gjk_frame3 *frame, gjk_vec3 own_a, gjk_vec3 own_b, gjk_vertex3 *vertex);

static inline gjk_vertex3 gjk_support3(const gjk_frame3 *frame, gjk_vec3 direction) {
    gjk_vertex3 vertex;
    gjk_support3_into(frame, &direction, &vertex);
    return vertex;
}

static inline bool gjk_vertex3_same(const gjk_vertex3 *p, const gjk_vertex3 *q) {
    return p->w.x == q->w.x && p->w.y == q->w.y && p->w.z == q->w.z;
}

#endif
