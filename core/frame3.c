/*
 * Which point of a - b lies farthest along a direction? The support of a
 * difference is the difference of supports: s(d) = s_a(d) - s_b(-d)
 * (Gilbert, Johnson, Keerthi 1988).
 */

#include "frame3.h"

#include "support.h"
#include "unit.h"

static gjk_mat3 scaled(double s, const gjk_mat3 *m) {
    return (gjk_mat3){gjk_scale3(s, m->r0), gjk_scale3(s, m->r1), gjk_scale3(s, m->r2)};
}

/* The transpose of a, times b. */
static gjk_mat3 relative_rotation(const gjk_mat3 *a, const gjk_mat3 *b) {
    gjk_vec3 x = gjk_mul3_transposed(a, (gjk_vec3){b->r0.x, b->r1.x, b->r2.x});
    gjk_vec3 y = gjk_mul3_transposed(a, (gjk_vec3){b->r0.y, b->r1.y, b->r2.y});
    gjk_vec3 z = gjk_mul3_transposed(a, (gjk_vec3){b->r0.z, b->r1.z, b->r2.z});
    return (gjk_mat3){{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}};
}

gjk_frame3 gjk_frame3_make(const gjk_placed *a, const gjk_placed *b) {
    double unit = gjk_pair_unit(a, b);
    gjk_vec3 between =
        gjk_sub3(gjk_scale3(unit, b->pose.position), gjk_scale3(unit, a->pose.position));
    gjk_mat3 rotation = relative_rotation(&a->pose.rotation, &b->pose.rotation);
    gjk_frame3 frame = {
        .a = a->shape,
        .b = b->shape,
        .rotation = scaled(unit, &rotation),
        .translation = gjk_mul3_transposed(&a->pose.rotation, between),
        .unit = unit,
        .curved = a->shape->count == 0 || b->shape->count == 0,
    };
    frame.scale = gjk_length3(frame.translation) +
                  unit * (a->shape->bounding_radius + gjk_length3(a->shape->center) +
                          b->shape->bounding_radius + gjk_length3(b->shape->center));
    return frame;
}

gjk_vertex3 gjk_support3(const gjk_frame3 *frame, gjk_vec3 direction) {
    gjk_vec3 back = gjk_neg3(gjk_mul3_transposed(&frame->rotation, direction));
    gjk_vertex3 v;
    v.a = gjk_scale3(frame->unit, gjk_support_of3(frame->a, direction));
    v.b = gjk_add3(gjk_mul3(&frame->rotation, gjk_support_of3(frame->b, back)), frame->translation);
    v.w = gjk_sub3(v.a, v.b);
    return v;
}
