/* The support function of a Minkowski difference: s(d) = s_a(d) - s_b(-d), the difference of the
 * two supports (Gilbert, Johnson, Keerthi 1988). */

#include "pair/frame.h"

#include "base/numbers.h"
#include "pair/direct/round.h"
#include "shape/convex/support.h"

double gjk_unit_of(double magnitude) {
    if (gjk_unit_is_one(magnitude)) {
        return 1.0;
    }
    int exponent;
    (void)frexp(magnitude, &exponent);
    /* At most 2^1000: a larger unit could overflow itself. */
    return ldexp(1.0, exponent < -1000 ? 1000 : -exponent);
}

double gjk_pair_unit(const gjk_placed *a, const gjk_placed *b) {
    double apart = gjk_largest3(gjk_sub3(b->pose.position, a->pose.position));
    return gjk_unit_of(gjk_larger(apart, gjk_larger(a->shape->reach, b->shape->reach)));
}

/* Fills the frame member by member, since a compound literal would be copied. */
gjk_frame3 gjk_frame3_place(const gjk_placed *a, const gjk_placed *b) {
    gjk_frame3 frame;
    const double unit = gjk_pair_unit(a, b);
    gjk_vec3 between = gjk_scale3(unit, gjk_sub3(b->pose.position, a->pose.position));
    frame.a = a->shape;
    frame.b = b->shape;
    frame.round = NULL;
    if (gjk_same_rotation(&a->pose.rotation, &b->pose.rotation)) {
        frame.rotation = gjk_mat3_identity(); /* exact, so a shape coincides with itself */
    } else {
        frame.rotation = gjk_relative_rotation(&a->pose.rotation, &b->pose.rotation);
    }
    if (unit != 1.0) {
        frame.rotation.r0 = gjk_scale3(unit, frame.rotation.r0);
        frame.rotation.r1 = gjk_scale3(unit, frame.rotation.r1);
        frame.rotation.r2 = gjk_scale3(unit, frame.rotation.r2);
    }
    frame.translation = gjk_mul3_transposed(&a->pose.rotation, between);
    frame.unit = unit;
    frame.curved = a->shape->count == 0 || b->shape->count == 0;
    frame.scale = gjk_largest3(frame.translation) + unit * (a->shape->reach + b->shape->reach);
    return frame;
}

gjk_vec3 gjk_frame3_heading(const gjk_frame3 *frame, const gjk_pose *pose_of_a,
                            const gjk_vec3 *direction) {
    double most = gjk_largest3(*direction);
    if (most > 0.0) {
        gjk_vec3 scaled = {direction->x / most, direction->y / most, direction->z / most};
        return gjk_mul3_transposed(&pose_of_a->rotation, scaled);
    }
    gjk_vec3 from = gjk_scale3(frame->unit, frame->a->center);
    gjk_vec3 to = gjk_add3(gjk_mul3(&frame->rotation, frame->b->center), frame->translation);
    gjk_vec3 between = gjk_sub3(to, from);
    return gjk_dot3(between, between) > 0.0 ? between : (gjk_vec3){1, 0, 0};
}

void gjk_frame3_aim(gjk_frame3 *frame, const gjk_pose *pose_of_a, gjk_vec3 direction) {
    gjk_vec3 heading = gjk_frame3_heading(frame, pose_of_a, &direction);
    frame->toward = gjk_scale3(1.0 / gjk_length3(heading), heading);
}

gjk_frame3 gjk_frame3_make(const gjk_placed *a, const gjk_placed *b) {
    gjk_frame3 frame = gjk_frame3_place(a, b);
    gjk_frame3_aim(&frame, &a->pose, (gjk_vec3){0, 0, 0});
    return frame;
}

/* Computes b and w of a vertex from its a and own_b. */
static inline void place_vertex(const gjk_frame3 *frame, gjk_vertex3 *vertex) {
    vertex->b = gjk_add3(gjk_mul3(&frame->rotation, vertex->own_b), frame->translation);
    vertex->w = gjk_sub3(vertex->a, vertex->b);
}

/* Returns true if the support point is found by a scan of enough points to be worth a call. */
static inline bool is_scanned(const gjk_shape *shape) {
    return shape->count > 2 && shape->type != GJK_BOX;
}

void gjk_support3_into(const gjk_frame3 *frame, const gjk_vec3 *direction, gjk_vertex3 *vertex) {
    if (frame->round != NULL && gjk_round_support(frame->round, direction, vertex)) {
        return;
    }
    const gjk_vec3 d = *direction, back = gjk_mul3_transposed(&frame->rotation, d);
    gjk_vec3 a;
    if (is_scanned(frame->a) && is_scanned(frame->b)) {
        const gjk_columns cloud[2] = {gjk_columns_of(frame->a), gjk_columns_of(frame->b)};
        const gjk_vec3 along[2] = {d, gjk_neg3(back)};
        uint32_t index[2];
        gjk_scans_fastest()->both(cloud, along, index);
        a = gjk_column_point(&cloud[0], index[0]);
        vertex->own_b = gjk_column_point(&cloud[1], index[1]);
    } else {
        gjk_support_of3(frame->a, d.x, d.y, d.z, &a);
        gjk_support_of3(frame->b, -back.x, -back.y, -back.z, &vertex->own_b);
    }
    vertex->a = gjk_scale3(frame->unit, a);
    place_vertex(frame, vertex);
}

void gjk_vertex3_make(const gjk_frame3 *frame, gjk_vec3 own_a, gjk_vec3 own_b,
                      gjk_vertex3 *vertex) {
    vertex->a = gjk_scale3(frame->unit, own_a);
    vertex->own_b = own_b;
    place_vertex(frame, vertex);
}
