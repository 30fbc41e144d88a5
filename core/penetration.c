/*
 * Which penetration solvers are there? The interface is that of dyn4j's
 * MinkowskiPenetrationSolver, with bounds; the methods are told in their own files.
 */

#include "penetration.h"

#include "axial3.h"
#include "direct2.h"
#include "direct3.h"
#include "direct_ellipse.h"
#include "epa2.h"
#include "epa3.h"

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
    return frame->curved ? gjk_direct_ellipse2(frame, goal, solution)
                         : gjk_direct2(frame, goal, solution);
}

static bool try_kinds3(const gjk_frame3 *frame, const gjk_simplex3 *simplex, const gjk_goal *goal,
                       gjk_solution *solution) {
    (void)simplex;
    if (!frame->curved) {
        return gjk_direct3(frame, goal, solution);
    }
    return gjk_axial3(frame, goal, solution) || gjk_direct_ellipse3(frame, goal, solution);
}

const struct gjk_penetration_solver gjk_penetration_epa = {false, expand2, expand3};
const struct gjk_penetration_solver gjk_penetration_direct = {true, try_kinds2, try_kinds3};
