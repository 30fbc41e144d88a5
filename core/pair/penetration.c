/*
 * The penetration solvers: the expanding polytope algorithm after GJK, and the direct solvers
 * by the kinds of the pair. The interface is that of dyn4j's MinkowskiPenetrationSolver, with
 * bounds.
 */

#include "pair/kernels.h"

#include "pair/round/round.h"

void gjk_prefer_support(const gjk_vertex3 *support, gjk_solution *solution) {
    gjk_vec3 wanted = gjk_scale3(-solution->lower, solution->normal);
    gjk_vec3 missing = gjk_sub3(wanted, gjk_sub3(solution->point_a, solution->point_b));
    gjk_vec3 other = gjk_sub3(wanted, support->w);
    if (gjk_dot3(other, other) < gjk_dot3(missing, missing)) {
        solution->point_a = support->a;
        solution->point_b = support->b;
    }
}

void gjk_match_points(double rounding, gjk_solution *solution) {
    gjk_vec3 wanted = gjk_scale3(-solution->lower, solution->normal);
    gjk_vec3 missing = gjk_sub3(wanted, gjk_sub3(solution->point_a, solution->point_b));
    if (gjk_length3(missing) > 4 * rounding) {
        solution->point_a = gjk_add3(solution->point_a, gjk_scale3(0.5, missing));
        solution->point_b = gjk_sub3(solution->point_b, gjk_scale3(0.5, missing));
    }
}

static bool expand2(const gjk_frame2 *frame, const gjk_simplex2 *simplex, const gjk_goal *goal,
                    gjk_solution *solution) {
    gjk_epa2(frame, simplex, goal, solution);
    return true;
}

static bool expand3(const gjk_frame3 *frame, const gjk_simplex3 *simplex, const gjk_goal *goal,
                    gjk_solution *solution) {
    gjk_epa3(frame, simplex, goal, solution);
    return true;
}

static bool try_kinds2(const gjk_frame2 *frame, const gjk_simplex2 *simplex, const gjk_goal *goal,
                       gjk_solution *solution) {
    (void)simplex;
    return frame->curved ? gjk_ellipse_point2(frame, goal, solution)
                         : gjk_separating_axis2(frame, goal, solution);
}

static bool try_kinds3(const gjk_frame3 *frame, const gjk_simplex3 *simplex, const gjk_goal *goal,
                       gjk_solution *solution) {
    (void)simplex;
    if (!frame->curved) {
        return gjk_separating_axis3(frame, goal, solution);
    }
    if (frame->round != NULL && !gjk_round_is_parallel(frame->round)) {
        return false;
    }
    return gjk_coaxial3(frame, goal, solution) || gjk_ellipse_point3(frame, goal, solution);
}

const struct gjk_penetration_solver gjk_penetration_epa = {false, expand2, expand3};
const struct gjk_penetration_solver gjk_penetration_direct = {true, try_kinds2, try_kinds3};
