/* The penetration of boxes, which is the least of their overlaps along the axes. */

#include "pair/kernels.h"

#include "core/pair/boxes.h"

static const gjk_vec3 half_a = {2, 3, 4}, half_b = {1, 1.5, 2};

TEST(the_least_overlap_is_the_depth) {
    static const struct {
        gjk_vec3 offset;
        double depth;
        gjk_vec3 normal;
    } rows[] = {
        {{2.5, 0.5, 0}, 0.5, {1, 0, 0}},    {{-2.5, 0.5, 0}, 0.5, {-1, 0, 0}},
        {{0.25, 4, 0}, 0.5, {0, 1, 0}},     {{0.25, -4.25, 0}, 0.25, {0, -1, 0}},
        {{1, 0.5, 0}, 2, {1, 0, 0}}, /* deep */
        {{0.25, 0.5, 5.5}, 0.5, {0, 0, 1}}, {{0.25, 0.5, -5.75}, 0.25, {0, 0, -1}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        boxes pair;
        make_boxes(&pair, 3, half_a, half_b, (gjk_vec3){3, 4, 0}, rows[i].offset);
        gjk_frame3 frame = gjk_frame3_make(&pair.a, &pair.b);
        const gjk_goal goal = exact_goal(100);
        gjk_simplex3 simplex = {.count = 0};
        gjk_solution s;
        gjk_solution_init(&s);
        ck_assert(gjk_gjk3(&frame, &goal, &simplex, &s));
        gjk_epa3(&frame, &simplex, &goal, &s);
        double depth = frame.unit * rows[i].depth;
        gjk_vec3 n = rows[i].normal;
        ck_assert_double_eq_tol(s.lower, -depth, 1e-14);
        ck_assert_double_eq_tol(s.upper, -depth, 1e-14);
        require_vec3(s.normal, n.x, n.y, n.z);
        require_vec3(gjk_sub3(s.point_a, s.point_b), depth * n.x, depth * n.y, depth * n.z);
        gjk_arena_fini(&pair.arena);
    }
}

/* Two crossing segments have a difference without volume: depth 0, and a unit normal. */
TEST(a_flat_difference_has_depth_zero) {
    struct gjk_arena arena;
    gjk_shape a, b;
    gjk_arena_init(&arena, 0);
    const gjk_vec3 left = {-1, 0, 0}, right = {1, 0, 0};
    const gjk_vec3 from = {0.25, -1, 0}, to = {0.25, 1, 0};
    ck_assert_int_eq(gjk_shape_make_segment(&arena, 3, left, right, 0.0, &a), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_segment(&arena, 3, from, to, 0.0, &b), GJK_OK);
    const gjk_placed placed_a = {&a, gjk_pose_identity()}, placed_b = {&b, gjk_pose_identity()};
    gjk_frame3 frame = gjk_frame3_make(&placed_a, &placed_b);
    const gjk_goal goal = exact_goal(100);
    gjk_simplex3 simplex = {.count = 0};
    gjk_solution s;
    gjk_solution_init(&s);
    (void)gjk_gjk3(&frame, &goal, &simplex, &s);
    gjk_epa3(&frame, &simplex, &goal, &s);
    ck_assert_double_eq(s.lower, 0);
    ck_assert_double_eq_tol(s.upper, 0, 1e-15);
    ck_assert_double_eq_tol(fabs(s.normal.z), 1, 1e-15);
    require_vec3(gjk_sub3(s.point_a, s.point_b), 0, 0, 0);
    gjk_arena_fini(&arena);
}
