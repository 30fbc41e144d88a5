#ifndef GJK_PAIR_FRAME2_H
#define GJK_PAIR_FRAME2_H

/*
 * The 2D twin of frame3: a pair seen from the frame of a, the Minkowski difference
 * a - b of two clouds and its support function.
 */

#include "gjk/shape.h"

typedef struct gjk_frame2 {
    const gjk_shape *a, *b;
    gjk_vec2 row0, row1;  /* rotation of b against a, times unit */
    gjk_vec2 translation; /* of b's origin, times unit */
    gjk_vec2 toward;      /* unit, from a's centre to b's: the first search direction */
    double unit;          /* frame length = unit * world length; a power of two */
    bool curved;          /* a curve takes part: stop at the tolerance, not at rounding */
    double scale;         /* magnitude of the numbers in a - b: what rounding is relative to */
} gjk_frame2;

/* A point of a - b and the points of a and b that it is the difference of. */
typedef struct gjk_vertex2 {
    gjk_vec2 w, a, b;
} gjk_vertex2;

/* All but toward. */
gjk_frame2 gjk_frame2_place(const gjk_placed *a, const gjk_placed *b);

/* Sets toward: a direction in world axes, of any length, or if that is 0 from centre to
 * centre; the x axis when the centres coincide. */
void gjk_frame2_aim(gjk_frame2 *frame, const gjk_pose *pose_of_a, gjk_vec3 direction);

/* Placed, and aimed from centre to centre. */
gjk_frame2 gjk_frame2_make(const gjk_placed *a, const gjk_placed *b);

/* The point of a - b farthest along direction (of any length). */
gjk_vertex2 gjk_support2(const gjk_frame2 *frame, gjk_vec2 direction);

/* A direction of b's in the frame, times unit, and the other way. */
static inline gjk_vec2 gjk_frame2_turn(const gjk_frame2 *frame, gjk_vec2 own_b) {
    return (gjk_vec2){gjk_dot2(frame->row0, own_b), gjk_dot2(frame->row1, own_b)};
}
static inline gjk_vec2 gjk_frame2_turn_back(const gjk_frame2 *frame, gjk_vec2 direction) {
    return (gjk_vec2){frame->row0.x * direction.x + frame->row1.x * direction.y,
                      frame->row0.y * direction.x + frame->row1.y * direction.y};
}

static inline bool gjk_vertex2_same(const gjk_vertex2 *p, const gjk_vertex2 *q) {
    return p->w.x == q->w.x && p->w.y == q->w.y;
}

#endif
