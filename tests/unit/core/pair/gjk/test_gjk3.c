/* When does the walk to the nearest point of two boxes end, and with which bounds? */

#include "pair/kernels.h"

#include "core/pair/boxes.h"

/* Cubes of half extent 1 at an offset; whether the penetration solver must go on. */
static bool solve(gjk_vec3 offset, const gjk_goal *goal, gjk_solution *solution, double *unit) {
    boxes pair;
    make_boxes(&pair, 3, (gjk_vec3){1, 1, 1}, (gjk_vec3){1, 1, 1}, (gjk_vec3){3, 4, 0}, offset);
    gjk_frame3 frame = gjk_frame3_make(&pair.a, &pair.b);
    gjk_simplex3 simplex = {.count = 0};
    gjk_solution_init(solution);
    bool deep = gjk_gjk3(&frame, goal, &simplex, solution);
    *unit = frame.unit;
    gjk_arena_fini(&pair.arena);
    return deep;
}

/* Nearest are two faces, two edges or (in 3D) two corners. */
TEST(the_bounds_meet_at_the_distance) {
    static const gjk_vec3 offsets[] = {{5, 0.5, 0},         {5, 6, 0},   {-5, -6, 0},
                                       {0, 2 + 0x1p-20, 0}, {5, 6, -14}, {0.5, 0.25, 9}};
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        const gjk_goal goal = exact_goal(100);
        gjk_vec3 gap = {fmax(fabs(offsets[i].x) - 2, 0), fmax(fabs(offsets[i].y) - 2, 0),
                        fmax(fabs(offsets[i].z) - 2, 0)};
        double unit;
        gjk_solution s;
        ck_assert(!solve(offsets[i], &goal, &s, &unit));
        ck_assert_double_eq_tol(s.upper, unit * gjk_length3(gap), 1e-14);
        ck_assert_double_eq_tol(s.lower, unit * gjk_length3(gap), 1e-14);
        ck_assert(s.has_points);
        ck_assert_double_eq_tol(gjk_length3(gjk_sub3(s.point_a, s.point_b)), s.upper, 1e-14);
        ck_assert_double_eq_tol(gjk_length3(s.normal), 1, 1e-15);
        ck_assert_uint_le(s.iterations, 12);
    }
}

TEST(an_overlap_is_left_to_the_penetration_solver) {
    const gjk_goal goal = exact_goal(100);
    double unit;
    gjk_solution s;
    ck_assert(solve((gjk_vec3){0.5, 0.75, 0}, &goal, &s, &unit));
    ck_assert_double_eq(s.upper, 0);
    ck_assert_double_le(s.lower, 0);
    ck_assert_int_ne(s.proof, GJK_PROVEN_SEPARATED);
}

TEST(a_proof_is_enough_when_asked_for) {
    gjk_goal goal = exact_goal(100);
    goal.stop_separated = true;
    double unit;
    gjk_solution s;
    ck_assert(!solve((gjk_vec3){5, 6, 0}, &goal, &s, &unit));
    ck_assert_int_eq(s.proof, GJK_PROVEN_SEPARATED);
    ck_assert_uint_eq(s.iterations, 1);
    ck_assert(!s.has_points);
}

TEST(the_limit_ends_it_with_bounds_that_hold) {
    for (uint32_t limit = 1; limit <= 4; limit++) {
        const gjk_goal goal = exact_goal(limit);
        double unit;
        gjk_solution s;
        ck_assert(!solve((gjk_vec3){5, 6, 0}, &goal, &s, &unit));
        ck_assert_uint_le(s.iterations, limit);
        ck_assert_double_le(s.lower, unit * 5 + 1e-14);
        ck_assert_double_ge(s.upper, unit * 5 - 1e-14);
    }
}
