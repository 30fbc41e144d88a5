/* The penetration of boxes, which is the least of their overlaps along the axes. */

#include "pair/kernels.h"

#include "core/pair/boxes.h"

/* Runs GJK and then EPA. Returns the unit of the pair's frame. */
static double solve(const gjk_placed *a, const gjk_placed *b, gjk_solution *s) {
    const gjk_goal goal = exact_goal(100);
    gjk_solution_init(s);
    if (a->shape->dimension == 2) {
        gjk_frame2 frame = gjk_frame2_make(a, b);
        gjk_simplex2 simplex = {.count = 0};
        (void)gjk_gjk2(&frame, &goal, &simplex, s);
        (void)gjk_epa2(&frame, &simplex, &goal, s);
        return frame.unit;
    }
    gjk_frame3 frame = gjk_frame3_make(a, b);
    gjk_simplex3 simplex = {.count = 0};
    (void)gjk_gjk3(&frame, &goal, &simplex, s);
    (void)gjk_epa3(&frame, &simplex, &goal, s);
    return frame.unit;
}

TEST_EACH(the_least_overlap_is_the_depth, 2, 4) {
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
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] - (_i == 2 ? 2 : 0); i++) {
        boxes pair;
        make_boxes(&pair, (uint32_t)_i, (gjk_vec3){2, 3, 4}, (gjk_vec3){1, 1.5, 2},
                   (gjk_vec3){3, 4, 0}, rows[i].offset);
        gjk_solution s;
        double depth = solve(&pair.a, &pair.b, &s) * rows[i].depth;
        gjk_vec3 n = rows[i].normal;
        ck_assert_double_eq_tol(s.lower, -depth, 1e-14);
        ck_assert_double_eq_tol(s.upper, -depth, 1e-14);
        require_vec3(s.normal, n.x, n.y, n.z);
        require_vec3(gjk_sub3(s.point_a, s.point_b), depth * n.x, depth * n.y, depth * n.z);
        gjk_arena_fini(&pair.arena);
    }
}

/* Two segments on one line have a difference without area, two that cross in space one without
 * volume: depth 0, and a unit normal. */
TEST_EACH(a_flat_difference_has_depth_zero, 2, 4) {
    static const gjk_vec3 ends[][2] =
        {[2] = {{-2, 0, 0}, {0.5, 0, 0}}, [3] = {{0.25, -1, 0}, {0.25, 1, 0}}};
    const gjk_vec3 left = {-1, 0, 0}, right = {1, 0, 0};
    const uint32_t dimension = (uint32_t)_i;
    struct gjk_arena arena;
    gjk_shape a, b;
    gjk_solution s;
    gjk_arena_init(&arena, 0);
    ck_assert_int_eq(gjk_shape_make_segment(&arena, dimension, left, right, 0.0, &a), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_segment(&arena, dimension, ends[_i][0], ends[_i][1], 0.0, &b),
                     GJK_OK);
    const gjk_placed placed_a = {&a, gjk_pose_identity()}, placed_b = {&b, gjk_pose_identity()};
    (void)solve(&placed_a, &placed_b, &s);
    ck_assert_double_eq(s.lower, 0);
    ck_assert_double_eq_tol(s.upper, 0, 1e-15);
    ck_assert_double_eq_tol(fabs(dimension == 2 ? s.normal.y : s.normal.z), 1, 1e-15);
    require_vec3(gjk_sub3(s.point_a, s.point_b), 0, 0, 0);
    gjk_arena_fini(&arena);
}
