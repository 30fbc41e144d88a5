/*
 * Which point of a - b lies farthest along a direction? The 2D twin of frame3.c.
 */

#include "frame2.h"

#include "support.h"
#include "unit.h"

gjk_frame2 gjk_frame2_make(const gjk_placed *a, const gjk_placed *b) {
    double unit = gjk_pair_unit(a, b);
    gjk_vec2 between = gjk_sub2(gjk_scale2(unit, gjk_xy(b->pose.position)),
                                gjk_scale2(unit, gjk_xy(a->pose.position)));
    /* Columns of both rotations: the frame's axes in the world. */
    gjk_vec2 ax = {a->pose.rotation.r0.x, a->pose.rotation.r1.x};
    gjk_vec2 ay = {a->pose.rotation.r0.y, a->pose.rotation.r1.y};
    gjk_vec2 bx = {b->pose.rotation.r0.x, b->pose.rotation.r1.x};
    gjk_vec2 by = {b->pose.rotation.r0.y, b->pose.rotation.r1.y};
    gjk_frame2 frame = {
        .a = a->shape,
        .b = b->shape,
        .row0 = gjk_scale2(unit, (gjk_vec2){gjk_dot2(ax, bx), gjk_dot2(ax, by)}),
        .row1 = gjk_scale2(unit, (gjk_vec2){gjk_dot2(ay, bx), gjk_dot2(ay, by)}),
        .translation = {gjk_dot2(ax, between), gjk_dot2(ay, between)},
        .unit = unit,
        .curved = a->shape->count == 0 || b->shape->count == 0,
    };
    frame.scale = gjk_length2(frame.translation) +
                  unit * (a->shape->bounding_radius + gjk_length3(a->shape->center) +
                          b->shape->bounding_radius + gjk_length3(b->shape->center));
    return frame;
}

gjk_vertex2 gjk_support2(const gjk_frame2 *frame, gjk_vec2 direction) {
    gjk_vec2 back = {-(frame->row0.x * direction.x + frame->row1.x * direction.y),
                     -(frame->row0.y * direction.x + frame->row1.y * direction.y)};
    gjk_vertex2 v;
    v.a = gjk_scale2(frame->unit, gjk_support_of2(frame->a, direction));
    gjk_vec2 own = gjk_support_of2(frame->b, back);
    v.b = gjk_add2((gjk_vec2){gjk_dot2(frame->row0, own), gjk_dot2(frame->row1, own)},
                   frame->translation);
    v.w = gjk_sub2(v.a, v.b);
    return v;
}
