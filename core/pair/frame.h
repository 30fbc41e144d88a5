#ifndef GJK_PAIR_FRAME_H
#define GJK_PAIR_FRAME_H

/*
 * A pair in the frame of shape a: the Minkowski difference a - b of two clouds and its support
 * function, in 2D and in 3D. The frame of one shape keeps all digits of a pair far from the world's
 * origin, and one combined rotation serves both clouds. Lengths are multiplied by a power of two
 * (exactly) if the pair is so large or so small that products of lengths could overflow or
 * underflow.
 */

#include "gjk/shape.h"

typedef struct gjk_frame2 {
    const gjk_shape *a, *b;
    gjk_vec2 row0, row1;  /* rotation of b relative to a, times unit */
    gjk_vec2 translation; /* position of b's origin, times unit */
    gjk_vec2 toward;      /* unit, from a's centre to b's: the first search direction */
    double unit;          /* frame length = unit * world length; a power of two */
    bool curved;          /* either shape is a curve: iterate to the tolerance, not to rounding */
    double scale;         /* magnitude of the numbers in a - b: the scale of rounding errors */
} gjk_frame2;

struct gjk_round_pair;

typedef struct gjk_frame3 {
    const gjk_shape *a, *b;
    const struct gjk_round_pair *round; /* the pair as hulls of discs, in this frame; or NULL */
    gjk_mat3 rotation;                  /* rotation of b relative to a, times unit */
    gjk_vec3 translation;               /* this and the following members as in 2D */
    gjk_vec3 toward;
    double unit;
    bool curved;
    double scale;
} gjk_frame3;

/* A point of a - b, and the points of a and b whose difference it is. */
typedef struct gjk_vertex2 {
    gjk_vec2 w, a, b;
} gjk_vertex2;

typedef struct gjk_vertex3 {
    gjk_vec3 w, a, b;
    gjk_vec3 own_b; /* the point of b in its own frame and unit */
} gjk_vertex3;

/* Return the frame with all members set except toward. */
gjk_frame2 gjk_frame2_place(const gjk_placed *a, const gjk_placed *b);
gjk_frame3 gjk_frame3_place(const gjk_placed *a, const gjk_placed *b);

/* Returns the first search direction in the frame, of any length but 0. `direction` is in world
 * axes, of any length; 0 means from centre to centre, or the x axis if the centres coincide. */
gjk_vec3 gjk_frame3_heading(const gjk_frame3 *frame, const gjk_pose *pose_of_a,
                            const gjk_vec3 *direction);

/* Set toward to that direction, normalised. */
void gjk_frame2_aim(gjk_frame2 *frame, const gjk_pose *pose_of_a, gjk_vec3 direction);
void gjk_frame3_aim(gjk_frame3 *frame, const gjk_pose *pose_of_a, gjk_vec3 direction);

/* Return the frame with toward from centre to centre. */
gjk_frame2 gjk_frame2_make(const gjk_placed *a, const gjk_placed *b);
gjk_frame3 gjk_frame3_make(const gjk_placed *a, const gjk_placed *b);

/* Compute the support point of a - b, the farthest along direction (of any length). */
gjk_vertex2 gjk_support2(const gjk_frame2 *frame, gjk_vec2 direction);
void gjk_support3_into(const gjk_frame3 *frame, const gjk_vec3 *direction, gjk_vertex3 *vertex);

/* Returns the budget steps of one iteration for a pair, which scans the vertices of both. */
static inline uint32_t gjk_pair_steps(const gjk_shape *a, const gjk_shape *b) {
    return 8 + (a->count + b->count) / 16;
}

static inline gjk_vertex3 gjk_support3(const gjk_frame3 *frame, gjk_vec3 direction) {
    gjk_vertex3 vertex;
    gjk_support3_into(frame, &direction, &vertex);
    return vertex;
}

/* Makes the vertex of a point of a and a point of b, each in its own frame. */
void gjk_vertex3_make(const gjk_frame3 *frame, gjk_vec3 own_a, gjk_vec3 own_b, gjk_vertex3 *vertex);

/* Copy number by number: a number that was just written is then read back without a
 * store-forwarding stall. */
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

/* Returns the vertex with z = 0; own_b is left zero. */
static inline gjk_vertex3 gjk_vertex2_lift(const gjk_vertex2 *vertex) {
    return (gjk_vertex3){.w = gjk_xy0(vertex->w), .a = gjk_xy0(vertex->a), .b = gjk_xy0(vertex->b)};
}

static inline bool gjk_vertex2_same(const gjk_vertex2 *p, const gjk_vertex2 *q) {
    return p->w.x == q->w.x && p->w.y == q->w.y;
}
static inline bool gjk_vertex3_same(const gjk_vertex3 *p, const gjk_vertex3 *q) {
    return p->w.x == q->w.x && p->w.y == q->w.y && p->w.z == q->w.z;
}

/* Rotate a vector of b's own frame into the pair's frame, times unit, and back by the transpose. */
static inline gjk_vec2 gjk_frame2_turn(const gjk_frame2 *frame, gjk_vec2 own_b) {
    return (gjk_vec2){gjk_dot2(frame->row0, own_b), gjk_dot2(frame->row1, own_b)};
}
static inline gjk_vec2 gjk_frame2_turn_back(const gjk_frame2 *frame, gjk_vec2 direction) {
    return (gjk_vec2){frame->row0.x * direction.x + frame->row1.x * direction.y,
                      frame->row0.y * direction.x + frame->row1.y * direction.y};
}

/* A frame in 2D or 3D, for methods common to both; z = 0 in 2D. One of the two pointers is NULL. */
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

/* Returns the depth of a in b along a unit direction. */
static inline double gjk_either_depth(const gjk_either_frame *pair, gjk_vec3 n) {
    return gjk_dot3(n, gjk_either_support(pair, n).w);
}

/*
 * Returns the unit of length for a pair: 1 for all ordinary sizes, else the power of two that
 * brings the larger of the two sizes and the gap between them near 1. Solvers multiply up to four
 * lengths, which overflows above about 1e75 and underflows below 1e-75. A power of two changes only
 * exponents, so the answer keeps its digits.
 */
double gjk_pair_unit(const gjk_placed *a, const gjk_placed *b);

/* Returns the unit for any magnitude: 1 inside [2^-100, 2^100] and for 0. */
double gjk_unit_of(double magnitude);

/* Returns true if gjk_unit_of(magnitude) is 1, without a call. */
static inline bool gjk_unit_is_one(double magnitude) {
    return magnitude == 0.0 || (magnitude >= 0x1p-100 && magnitude <= 0x1p100);
}

#endif
