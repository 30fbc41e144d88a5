/*
 * Which penetration solvers are there? The interface is that of dyn4j's
 * MinkowskiPenetrationSolver, with bounds; the methods are told in their own files.
 */

#include "pair/penetration.h"

#include "pair/kernels.h"

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
    return gjk_coaxial3(frame, goal, solution) || gjk_ellipse_point3(frame, goal, solution);
}

const struct gjk_penetration_solver gjk_penetration_epa = {false, expand2, expand3};
const struct gjk_penetration_solver gjk_penetration_direct = {true, try_kinds2, try_kinds3};
