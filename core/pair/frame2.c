/* The support function of a Minkowski difference in 2D: the twin of frame3.c. */

#include "pair/frame.h"

#include "base/numbers.h"
#include "shape/convex/support.h"

/* Returns v normalised, or the x axis if v is too short to have a direction. */
static gjk_vec2 unit_or_axis(gjk_vec2 v) {
    double squared = gjk_dot2(v, v);
    return squared > 0.0 ? gjk_scale2(1.0 / sqrt(squared), v) : (gjk_vec2){1, 0};
}

/* Fills the frame member by member, since a compound literal would be copied. */
gjk_frame2 gjk_frame2_place(const gjk_placed *a, const gjk_placed *b) {
    gjk_frame2 frame;
    const double unit = gjk_pair_unit(a, b);
    gjk_vec2 between = gjk_scale2(unit, gjk_xy(gjk_sub3(b->pose.position, a->pose.position)));
    /* Columns of both rotations: the frame's axes in the world. */
    gjk_vec2 ax = {a->pose.rotation.r0.x, a->pose.rotation.r1.x};
    gjk_vec2 ay = {a->pose.rotation.r0.y, a->pose.rotation.r1.y};
    gjk_vec2 bx = {b->pose.rotation.r0.x, b->pose.rotation.r1.x};
    gjk_vec2 by = {b->pose.rotation.r0.y, b->pose.rotation.r1.y};
    bool same = gjk_same_rotation(&a->pose.rotation, &b->pose.rotation);
    double along = same ? 1.0 : gjk_dot2(ax, bx); /* exact, so a shape coincides with itself */
    double across = same ? 0.0 : gjk_dot2(ax, by);
    frame.a = a->shape;
    frame.b = b->shape;
    frame.row0 = (gjk_vec2){unit * along, unit * across};
    frame.row1 = (gjk_vec2){-unit * across, unit * along};
    frame.translation = (gjk_vec2){gjk_dot2(ax, between), gjk_dot2(ay, between)};
    frame.unit = unit;
    frame.curved = a->shape->count == 0 || b->shape->count == 0;
    frame.scale = gjk_larger(fabs(frame.translation.x), fabs(frame.translation.y)) +
                  unit * (a->shape->reach + b->shape->reach);
    return frame;
}

void gjk_frame2_aim(gjk_frame2 *frame, const gjk_pose *pose_of_a, gjk_vec3 direction) {
    double most = gjk_larger(fabs(direction.x), fabs(direction.y));
    if (most > 0.0) {
        gjk_vec3 scaled = {direction.x / most, direction.y / most, 0.0};
        frame->toward = unit_or_axis(gjk_xy(gjk_mul3_transposed(&pose_of_a->rotation, scaled)));
        return;
    }
    gjk_vec2 own = gjk_xy(frame->b->center);
    gjk_vec2 from = gjk_scale2(frame->unit, gjk_xy(frame->a->center));
    gjk_vec2 to = gjk_add2(gjk_frame2_turn(frame, own), frame->translation);
    frame->toward = unit_or_axis(gjk_sub2(to, from));
}

gjk_frame2 gjk_frame2_make(const gjk_placed *a, const gjk_placed *b) {
    gjk_frame2 frame = gjk_frame2_place(a, b);
    gjk_frame2_aim(&frame, &a->pose, (gjk_vec3){0, 0, 0});
    return frame;
}

gjk_vertex2 gjk_support2(const gjk_frame2 *frame, gjk_vec2 direction) {
    gjk_vec2 back = gjk_neg2(gjk_frame2_turn_back(frame, direction));
    gjk_vertex2 v;
    v.a = gjk_scale2(frame->unit, gjk_support_of2(frame->a, direction));
    gjk_vec2 own = gjk_support_of2(frame->b, back);
    v.b = gjk_add2(gjk_frame2_turn(frame, own), frame->translation);
    v.w = gjk_sub2(v.a, v.b);
    return v;
}
