#ifndef TEST_BOXES_H
#define TEST_BOXES_H

/* Two axis-aligned boxes, whose Minkowski difference is a box too: every answer about them has
 * a closed form. */

#include "pair/solution.h"
#include "support/test.h"

typedef struct boxes {
    struct gjk_arena arena;
    gjk_shape shape_a, shape_b;
    gjk_placed a, b;
} boxes;

/* Of these half extents; b stands at `offset` from a, and both at `from` in the world. */
static inline void make_boxes(boxes *pair, uint32_t dimension, gjk_vec3 half_a, gjk_vec3 half_b,
                              gjk_vec3 from, gjk_vec3 offset) {
    gjk_arena_init(&pair->arena, 0);
    ck_assert_int_eq(gjk_shape_make_box(&pair->arena, dimension, half_a, 0.0, &pair->shape_a),
                     GJK_OK);
    ck_assert_int_eq(gjk_shape_make_box(&pair->arena, dimension, half_b, 0.0, &pair->shape_b),
                     GJK_OK);
    pair->a = (gjk_placed){&pair->shape_a, gjk_pose_identity()};
    pair->b = pair->a;
    pair->b.shape = &pair->shape_b;
    pair->a.pose.position = from;
    pair->b.pose.position = gjk_add3(from, offset);
}

/* Bounds that meet, and nothing proven on the way is enough. */
static inline gjk_goal exact_goal(uint32_t max_iterations) {
    return (gjk_goal){.tolerance = 1e-12, .max_iterations = max_iterations};
}

static inline void require_vec3(gjk_vec3 v, double x, double y, double z) {
    ck_assert_double_eq_tol(v.x, x, 1e-14);
    ck_assert_double_eq_tol(v.y, y, 1e-14);
    ck_assert_double_eq_tol(v.z, z, 1e-14);
}

#endif
