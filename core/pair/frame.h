#ifndef GJK_PAIR_FRAME_H
#define GJK_PAIR_FRAME_H

/*
 * A pair seen from the frame of a: the Minkowski difference a - b of two clouds and its
 * support function, in 2D and in 3D. The frame of one shape keeps all digits of a pair far
 * from the world's origin, and one combined rotation serves both clouds. Lengths are
 * multiplied by a power of two (exactly) when the pair is so large or so small that products
 * of lengths could overflow or underflow.
 */

#include "gjk/shape.h"

typedef struct gjk_frame2 {
    const gjk_shape *a, *b;
    gjk_vec2 row0, row1;  /* rotation of b against a, times unit */
    gjk_vec2 translation; /* of b's origin, times unit */
    gjk_vec2 toward;      /* unit, from a's centre to b's: the first search direction */
    double unit;          /* frame length = unit * world length; a power of two */
    bool curved;          /* either shape is a curve: stop at the tolerance, not at rounding */
    double scale;         /* magnitude of the numbers in a - b: what rounding is relative to */
} gjk_frame2;

struct gjk_round_pair;

typedef struct gjk_frame3 {
    const gjk_shape *a, *b;
    const struct gjk_round_pair
        *round;           /* both in this frame, if they are hulls of discs; or NULL */
    gjk_mat3 rotation;    /* of b against a, times unit */
    gjk_vec3 translation; /* the other members as in 2D */
    gjk_vec3 toward;
    double unit;
    bool curved;
    double scale;
} gjk_frame3;

/* A point of a - b and the points of a and b that it is the difference of. */
typedef struct gjk_vertex2 {
    gjk_vec2 w, a, b;
} gjk_vertex2;

typedef struct gjk_vertex3 {
    gjk_vec3 w, a, b;
    gjk_vec3 own_b; /* the point of b in its own frame and unit */
} gjk_vertex3;

/* Sets all but toward. */
gjk_frame2 gjk_frame2_place(const gjk_placed *a, const gjk_placed *b);
gjk_frame3 gjk_frame3_place(const gjk_placed *a, const gjk_placed *b);

/* The first search direction in the frame, of any length but 0. direction: in world axes, of any
 * length; when it is 0, from centre to centre; the x axis when the centres coincide. */
gjk_vec3 gjk_frame3_heading(const gjk_frame3 *frame, const gjk_pose *pose_of_a,
                            const gjk_vec3 *direction);

/* Sets toward to that direction, of unit length. */
void gjk_frame2_aim(gjk_frame2 *frame, const gjk_pose *pose_of_a, gjk_vec3 direction);
void gjk_frame3_aim(gjk_frame3 *frame, const gjk_pose *pose_of_a, gjk_vec3 direction);

/* Places the pair and aims from centre to centre. */
gjk_frame2 gjk_frame2_make(const gjk_placed *a, const gjk_placed *b);
gjk_frame3 gjk_frame3_make(const gjk_placed *a, const gjk_placed *b);

/* The support point of a - b: the farthest along direction (of any length). */
gjk_vertex2 gjk_support2(const gjk_frame2 *frame, gjk_vec2 direction);
void gjk_support3_into(const gjk_frame3 *frame, const gjk_vec3 *direction, gjk_vertex3 *vertex);

/* Steps of an iteration of a pair, which scans the vertices of both. */
static inline uint32_t gjk_pair_steps(const gjk_shape *a, const gjk_shape *b) {
    return 8 + (a->count + b->count) / 16;
}

static inline gjk_vertex3 gjk_support3(const gjk_frame3 *frame, gjk_vec3 direction) {
    gjk_vertex3 vertex;
    gjk_support3_into(frame, &direction, &vertex);
    return vertex;
}

/* The difference of a point of a and a point of b, each in its own frame. */
void gjk_vertex3_make(const gjk_frame3 *frame, gjk_vec3 own_a, gjk_vec3 own_b, gjk_vertex3 *vertex);

/* Copies number by number: one that was written just now is read again without waiting for the
 * cache. */
static inline void gjk_vec3_copy(const gjk_vec3 *from, gjk_vec3 *to) {
    to->x = from->x;
    to->y = from->y;
    to->z = from->z;
}
static inline void gjk_vertex3_copy(const gjk_vertex3 *from, gjk_vertex3 *to) {
    gjk_vec3_copy(&from->w, &to->w);
    gjk_vec3_copy(&from->a, &to->a);
    gjk_vec3_copy(&from->b, &to->b);
    gjk_vec3_copy(&from->own_b, &to->own_b);
}

/* The same vertex with z = 0; own_b is not known there. */
static inline gjk_vertex3 gjk_vertex2_lift(const gjk_vertex2 *vertex) {
    return (gjk_vertex3){.w = gjk_xy0(vertex->w), .a = gjk_xy0(vertex->a), .b = gjk_xy0(vertex->b)};
}

static inline bool gjk_vertex2_same(const gjk_vertex2 *p, const gjk_vertex2 *q) {
    return p->w.x == q->w.x && p->w.y == q->w.y;
}
static inline bool gjk_vertex3_same(const gjk_vertex3 *p, const gjk_vertex3 *q) {
    return p->w.x == q->w.x && p->w.y == q->w.y && p->w.z == q->w.z;
}

/* Turns a vector of b's own frame into the pair's frame, times unit, and by the transpose back. */
static inline gjk_vec2 gjk_frame2_turn(const gjk_frame2 *frame, gjk_vec2 own_b) {
    return (gjk_vec2){gjk_dot2(frame->row0, own_b), gjk_dot2(frame->row1, own_b)};
}
static inline gjk_vec2 gjk_frame2_turn_back(const gjk_frame2 *frame, gjk_vec2 direction) {
    return (gjk_vec2){frame->row0.x * direction.x + frame->row1.x * direction.y,
                      frame->row0.y * direction.x + frame->row1.y * direction.y};
}

/* A frame in 2D or in 3D, for methods that are the same in both, with z = 0 in 2D. One of the two
 * is NULL. */
typedef struct gjk_either_frame {
    const gjk_frame2 *flat;
    const gjk_frame3 *frame;
    double scale;
} gjk_either_frame;

static inline gjk_vertex3 gjk_either_support(const gjk_either_frame *pair, gjk_vec3 direction) {
    if (pair->flat == NULL) {
        return gjk_support3(pair->frame, direction);
    }
    const gjk_vertex2 vertex = gjk_support2(pair->flat, gjk_xy(direction));
    return gjk_vertex2_lift(&vertex);
}

/* Returns how deep a is in b along a unit direction. */
static inline double gjk_either_depth(const gjk_either_frame *pair, gjk_vec3 n) {
    return gjk_dot3(n, gjk_either_support(pair, n).w);
}

/*
 * The unit of length for a pair: 1 for all ordinary sizes, else the power of two that brings
 * the larger of the two sizes and the gap between them near 1. Solvers multiply up to four
 * lengths, which overflows from about 1e75 up and underflows from 1e-75 down; a power of two
 * changes only exponents, so the digits of the answer stay the same.
 */
double gjk_pair_unit(const gjk_placed *a, const gjk_placed *b);

/* The same for any magnitude: 1 inside [2^-100, 2^100] and for 0. */
double gjk_unit_of(double magnitude);

/* Returns true if gjk_unit_of(magnitude) is 1, without a call. */
static inline bool gjk_unit_is_one(double magnitude) {
    return magnitude == 0.0 || (magnitude >= 0x1p-100 && magnitude <= 0x1p100);
}

#endif
