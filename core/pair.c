/*
 * Do two placed shapes collide, how deep, how far apart are they? The kernels
 * answer for the cores (clouds without radii) with two bounds of the signed
 * distance; this file chooses the kernel, takes the radii off, tells the state and
 * carries the answer back to the world. Rounded shapes whose cores are apart need
 * no EPA: their depth is the radii less the cores' distance.
 */

#include "gjk/pair.h"

#include "epa2.h"
#include "epa3.h"
#include "gjk2.h"
#include "gjk3.h"
#include "rounding.h"
#include "world_recorder.h"

gjk_detect_settings gjk_detect_settings_default(void) {
    return (gjk_detect_settings){
        .tolerance = GJK_TOLERANCE_DEFAULT,
        .max_iterations = GJK_ITERATIONS_DEFAULT,
        .penetration = true,
    };
}

gjk_distance_settings gjk_distance_settings_default(void) {
    return (gjk_distance_settings){
        .tolerance = GJK_TOLERANCE_DEFAULT,
        .max_iterations = GJK_ITERATIONS_DEFAULT,
    };
}

/* An answer in the world: signed distance of the shapes, radii included. */
typedef struct gjk_answer {
    double lower, upper;
    gjk_vec3 normal, point_a, point_b;
    gjk_state state;
    gjk_convergence convergence;
    uint32_t iterations;
    bool has_points;
} gjk_answer;

static bool is_zero(gjk_vec3 v) {
    return v.x == 0.0 && v.y == 0.0 && v.z == 0.0;
}

/*
 * Bounds that differ by a few units in the last place are one: no tolerance could bring
 * them together. Up to about two, the one that the witness points show; else the middle.
 */
static void close_bounds(gjk_solution *solution, double size) {
    double magnitude = GJK_ROUNDING * fmax(size, fabs(solution->upper));
    solution->lower = fmin(solution->lower, solution->upper);
    double gap = solution->upper - solution->lower;
    if (gap > 1.25 * magnitude) {
        return;
    }
    double shown = solution->upper > 0.0 ? solution->upper : solution->lower;
    double joined = gap <= 0.5 * magnitude ? shown : solution->lower + 0.5 * gap;
    solution->lower = joined;
    solution->upper = joined;
}

/* In the units of a frame. No state is claimed below the rounding of its numbers. */
static gjk_goal goal_in_frame(const gjk_goal *wish, double unit, double scale,
                              const gjk_recorder *recorder) {
    gjk_goal goal = *wish;
    goal.radius *= unit;
    goal.tolerance = fmax(goal.tolerance * unit, 4.0 * GJK_ROUNDING * scale);
    goal.recorder = wish->recorder != NULL ? recorder : NULL;
    return goal;
}

static double solve2(const gjk_placed *a, const gjk_placed *b, gjk_vec3 direction,
                     const gjk_goal *wish, gjk_goal *reached, gjk_solution *solution) {
    gjk_frame2 frame = gjk_frame2_make(a, b);
    if (!is_zero(direction)) {
        gjk_frame2_aim(&frame, &a->pose, direction);
    }
    gjk_world_recorder world = {wish->recorder, &a->pose, frame.unit, wish->radius};
    gjk_recorder recorder = {gjk_record_in_world, &world};
    gjk_goal goal = goal_in_frame(wish, frame.unit, frame.scale, &recorder);
    gjk_simplex2 simplex;
    if (gjk_gjk2(&frame, &goal, &simplex, solution)) {
        gjk_epa2(&frame, &simplex, &goal, solution);
    }
    if (!gjk_goal_reached(&goal, solution)) {
        close_bounds(solution, frame.unit * fmax(a->shape->size, b->shape->size));
    }
    *reached = goal;
    return frame.unit;
}

static double solve3(const gjk_placed *a, const gjk_placed *b, gjk_vec3 direction,
                     const gjk_goal *wish, gjk_goal *reached, gjk_solution *solution) {
    gjk_frame3 frame = gjk_frame3_make(a, b);
    if (!is_zero(direction)) {
        gjk_frame3_aim(&frame, &a->pose, direction);
    }
    gjk_world_recorder world = {wish->recorder, &a->pose, frame.unit, wish->radius};
    gjk_recorder recorder = {gjk_record_in_world, &world};
    gjk_goal goal = goal_in_frame(wish, frame.unit, frame.scale, &recorder);
    gjk_simplex3 simplex;
    if (gjk_gjk3(&frame, &goal, &simplex, solution)) {
        gjk_epa3(&frame, &simplex, &goal, solution);
    }
    if (!gjk_goal_reached(&goal, solution)) {
        close_bounds(solution, frame.unit * fmax(a->shape->size, b->shape->size));
    }
    *reached = goal;
    return frame.unit;
}

/*
 * Separated or overlapping by a proof, or by a converged estimate; else touching. In the
 * units of the frame, in which it was proven; lower and upper without the radii.
 */
static gjk_state state_of(const gjk_solution *solution, double lower, double upper,
                          double tolerance) {
    bool converged = upper - lower <= tolerance;
    if (solution->proof != GJK_UNPROVEN) {
        return solution->proof == GJK_PROVEN_SEPARATED ? GJK_SEPARATED : GJK_OVERLAPPING;
    }
    if (converged && upper > tolerance) {
        return GJK_SEPARATED;
    }
    return converged && lower < -tolerance ? GJK_OVERLAPPING : GJK_TOUCHING;
}

/* The witness points of the shapes: those of the cores, moved by the radii. */
static void place_points(const gjk_placed *a, const gjk_placed *b, const gjk_solution *solution,
                         double unit, gjk_answer *answer) {
    gjk_vec3 n = solution->normal;
    gjk_vec3 on_a = gjk_scale3(1.0 / unit, solution->point_a);
    gjk_vec3 on_b = gjk_scale3(1.0 / unit, solution->point_b);
    on_a = gjk_add3(on_a, gjk_scale3(a->shape->radius, n));
    on_b = gjk_sub3(on_b, gjk_scale3(b->shape->radius, n));
    answer->point_a = gjk_pose_apply(&a->pose, on_a);
    answer->point_b = gjk_pose_apply(&a->pose, on_b);
}

static gjk_answer solve(const gjk_placed *a, const gjk_placed *b, gjk_vec3 wish,
                        const gjk_goal *goal) {
    GJK_ASSERT(a->shape->dimension == b->shape->dimension);
    GJK_ASSERT(goal->tolerance >= 0.0 && goal->max_iterations >= GJK_ITERATIONS_MIN);
    GJK_ASSERT(goal->max_iterations <= GJK_ITERATIONS_MAX);
    gjk_solution solution;
    gjk_goal in_frame;
    double unit = a->shape->dimension == 2 ? solve2(a, b, wish, goal, &in_frame, &solution)
                                           : solve3(a, b, wish, goal, &in_frame, &solution);
    double lower = solution.lower - in_frame.radius, upper = solution.upper - in_frame.radius;
    bool met = gjk_goal_reached(goal, &solution) || upper - lower <= goal->tolerance * unit;
    gjk_answer answer = {
        .lower = lower / unit,
        .upper = upper / unit,
        .normal = gjk_no_minus_zero3(gjk_mul3(&a->pose.rotation, solution.normal)),
        .state = state_of(&solution, lower, upper, in_frame.tolerance),
        .convergence = met ? GJK_CONVERGED : GJK_ITERATION_LIMIT,
        .iterations = solution.iterations,
        .has_points = solution.has_points,
    };
    if (solution.has_points) {
        place_points(a, b, &solution, unit, &answer);
    }
    return answer;
}

/* Not fmax, which leaves the sign of a zero to the compiler. */
static double positive_part(double x) {
    return x > 0.0 ? x : 0.0;
}

static gjk_goal goal_of(const gjk_placed *a, const gjk_placed *b, double tolerance,
                        uint32_t max_iterations) {
    return (gjk_goal){
        .radius = a->shape->radius + b->shape->radius,
        .tolerance = tolerance * fmax(a->shape->size, b->shape->size),
        .max_iterations = max_iterations,
    };
}

gjk_detect_result gjk_detect(const gjk_placed *a, const gjk_placed *b,
                             const gjk_detect_settings *settings) {
    gjk_goal goal = goal_of(a, b, settings->tolerance, settings->max_iterations);
    goal.stop_separated = true;
    goal.stop_overlapping = !settings->penetration;
    goal.recorder = settings->recorder;
    gjk_answer answer = solve(a, b, settings->first_direction, &goal);
    gjk_detect_result result = {
        .state = answer.state,
        .convergence = answer.convergence,
        .iterations = answer.iterations,
    };
    if (settings->penetration) {
        result.normal = answer.normal;
    }
    if (settings->penetration && answer.state != GJK_SEPARATED) {
        result.depth = positive_part(-answer.lower);
        result.depth_lower_bound = positive_part(-answer.upper);
        result.has_points = answer.has_points;
        result.point_a = answer.point_a;
        result.point_b = answer.point_b;
    }
    return result;
}

gjk_distance_result gjk_distance(const gjk_placed *a, const gjk_placed *b,
                                 const gjk_distance_settings *settings) {
    gjk_goal goal = goal_of(a, b, settings->tolerance, settings->max_iterations);
    goal.stop_overlapping = true;
    goal.recorder = settings->recorder;
    gjk_answer answer = solve(a, b, settings->first_direction, &goal);
    gjk_distance_result result = {
        .state = answer.state,
        .convergence = answer.convergence,
        .iterations = answer.iterations,
    };
    if (answer.state != GJK_OVERLAPPING) {
        result.distance = positive_part(answer.upper);
        result.lower_bound = positive_part(answer.lower);
        result.has_points = answer.has_points;
        result.normal = answer.normal;
        result.point_a = answer.point_a;
        result.point_b = answer.point_b;
    }
    return result;
}
