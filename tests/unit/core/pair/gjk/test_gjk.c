/* When does the walk to the nearest point of two boxes end, and with which bounds? */

#include "pair/kernels.h"

#include "core/pair/boxes.h"

/* Cubes of half extent 1 at an offset; whether the penetration solver must go on. */
static bool solve(uint32_t dimension, gjk_vec3 offset, const gjk_goal *goal, gjk_solution *solution,
                  double *unit) {
    boxes pair;
    bool deep;
    make_boxes(&pair, dimension, (gjk_vec3){1, 1, 1}, (gjk_vec3){1, 1, 1}, (gjk_vec3){3, 4, 0},
               offset);
    gjk_solution_init(solution);
    if (dimension == 2) {
        gjk_frame2 frame = gjk_frame2_make(&pair.a, &pair.b);
        gjk_simplex2 simplex = {.count = 0};
        deep = gjk_gjk2(&frame, goal, &simplex, solution);
        *unit = frame.unit;
    } else {
        gjk_frame3 frame = gjk_frame3_make(&pair.a, &pair.b);
        gjk_simplex3 simplex = {.count = 0};
        deep = gjk_gjk3(&frame, goal, &simplex, solution);
        *unit = frame.unit;
    }
    gjk_arena_fini(&pair.arena);
    return deep;
}

/* Nearest are two faces, two edges or (in 3D) two corners. */
TEST_EACH(the_bounds_meet_at_the_distance, 2, 4) {
    const uint32_t dimension = (uint32_t)_i;
    static const gjk_vec3 offsets[] = {{5, 0.5, 0},         {5, 6, 0},   {-5, -6, 0},
                                       {0, 2 + 0x1p-20, 0}, {5, 6, -14}, {0.5, 0.25, 9}};
    const size_t count = sizeof offsets / sizeof offsets[0];
    for (size_t i = 0; i < (dimension == 2 ? count - 2 : count); i++) { /* two leave the plane */
        const gjk_goal goal = exact_goal(100);
        gjk_vec3 gap = {fmax(fabs(offsets[i].x) - 2, 0), fmax(fabs(offsets[i].y) - 2, 0),
                        fmax(fabs(offsets[i].z) - 2, 0)};
        double unit;
        gjk_solution s;
        ck_assert(!solve(dimension, offsets[i], &goal, &s, &unit));
        ck_assert_double_eq_tol(s.upper, unit * gjk_length3(gap), 1e-14);
        ck_assert_double_eq_tol(s.lower, unit * gjk_length3(gap), 1e-14);
        ck_assert(s.has_points);
        ck_assert_double_eq_tol(gjk_length3(gjk_sub3(s.point_a, s.point_b)), s.upper, 1e-14);
        ck_assert_double_eq_tol(gjk_length3(s.normal), 1, 1e-15);
        ck_assert_uint_le(s.iterations, 12);
    }
}

TEST_EACH(an_overlap_is_left_to_the_penetration_solver, 2, 4) {
    const uint32_t dimension = (uint32_t)_i;
    const gjk_goal goal = exact_goal(100);
    double unit;
    gjk_solution s;
    ck_assert(solve(dimension, (gjk_vec3){0.5, 0.75, 0}, &goal, &s, &unit));
    ck_assert_double_eq(s.upper, 0);
    ck_assert_double_le(s.lower, 0);
    ck_assert_int_ne(s.proof, GJK_PROVEN_SEPARATED);
}

TEST_EACH(a_proof_is_enough_when_asked_for, 2, 4) {
    const uint32_t dimension = (uint32_t)_i;
    gjk_goal goal = exact_goal(100);
    goal.stop_separated = true;
    double unit;
    gjk_solution s;
    ck_assert(!solve(dimension, (gjk_vec3){5, 6, 0}, &goal, &s, &unit));
    ck_assert_int_eq(s.proof, GJK_PROVEN_SEPARATED);
    ck_assert_uint_eq(s.iterations, 1);
    ck_assert(!s.has_points);
}

TEST_EACH(the_limit_ends_it_with_bounds_that_hold, 2, 4) {
    const uint32_t dimension = (uint32_t)_i;
    for (uint32_t limit = 1; limit <= 4; limit++) {
        const gjk_goal goal = exact_goal(limit);
        double unit;
        gjk_solution s;
        ck_assert(!solve(dimension, (gjk_vec3){5, 6, 0}, &goal, &s, &unit));
        ck_assert_uint_le(s.iterations, limit);
        ck_assert_double_le(s.lower, unit * 5 + 1e-14);
        ck_assert_double_ge(s.upper, unit * 5 - 1e-14);
    }
}
