/*
 * Do two placed shapes collide, how deep, how far apart are they? The kernels
 * answer for the cores (clouds without radii) with two bounds of the signed
 * distance; this file chooses the kernel, takes the radii off, tells the state and
 * carries the answer back to the world. Rounded shapes whose cores are apart need
 * no EPA: their depth is the radii less the cores' distance.
 */

#include "gjk/pair.h"

#include "base/larger.h"
#include "base/rounding.h"
#include "pair/kernels.h"
#include "pair/penetration.h"
#include "pair/pieces_pair.h"
#include "pair/warm_start.h"
#include "pair/world_recorder.h"
#include "shape/box.h"

static const gjk_vec3 none = {0, 0, 0};

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

/*
 * Bounds that differ by a few units in the last place are one: no tolerance could bring
 * them together. Up to about two, the one that the witness points show; else the middle.
 */
static void close_bounds(gjk_solution *solution, double size) {
    double magnitude = GJK_ROUNDING * gjk_larger(size, fabs(solution->upper));
    solution->lower = gjk_smaller(solution->lower, solution->upper);
    double gap = solution->upper - solution->lower;
    if (gap > 1.25 * magnitude) {
        return;
    }
    double shown = solution->upper > 0.0 ? solution->upper : solution->lower;
    double joined = gap <= 0.5 * magnitude ? shown : solution->lower + 0.5 * gap;
    solution->lower = joined;
    solution->upper = joined;
}

/* What is asked of a pair, in the units of the world. */
typedef struct gjk_question {
    gjk_goal goal;
    const gjk_vec3 *first_direction;
    const struct gjk_penetration_solver *solver;
    gjk_cache *cache;
} gjk_question;

/* In the units of a frame. No state is claimed below the rounding of its numbers. Field by
 * field: what was just written in parts is slow to copy whole. */
static void set_goal(const gjk_goal *wish, double unit, double scale, gjk_goal *goal) {
    goal->radius = wish->radius * unit;
    goal->tolerance = gjk_larger(wish->tolerance * unit, 4.0 * GJK_ROUNDING * scale);
    goal->max_iterations = wish->max_iterations;
    goal->stop_separated = wish->stop_separated;
    goal->stop_overlapping = wish->stop_overlapping;
    goal->recorder = NULL;
}

/* Who goes on where GJK ends: a direct solver has had its turn before. */
static const struct gjk_penetration_solver *after_gjk(const struct gjk_penetration_solver *solver) {
    return solver->direct ? &gjk_penetration_epa : solver;
}

/* Where a direct solver's bounds did not meet: what it has proven stands. */
static void begin_again(gjk_solution *solution) {
    gjk_proof proof = solution->proof;
    gjk_solution_init(solution);
    solution->proof = proof;
}

/* The general method from the start. */
static void iterate2(const gjk_frame2 *frame, const struct gjk_penetration_solver *solver,
                     const gjk_goal *goal, gjk_solution *solution) {
    gjk_simplex2 simplex;
    if (gjk_gjk2(frame, goal, &simplex, solution)) {
        (void)after_gjk(solver)->solve2(frame, &simplex, goal, solution);
    }
}

static void iterate3(const gjk_frame3 *frame, const struct gjk_penetration_solver *solver,
                     const gjk_goal *goal, gjk_solution *solution) {
    gjk_simplex3 simplex;
    simplex.count = 0;
    if (gjk_gjk3(frame, goal, &simplex, solution)) {
        (void)after_gjk(solver)->solve3(frame, &simplex, goal, solution);
    }
}

/* The general method, for the recorder to see; the answer comes from elsewhere. */
static void trace(const gjk_frame2 *flat, const gjk_frame3 *frame, const gjk_pose *pose_of_a,
                  const gjk_question *question, const gjk_goal *goal) {
    double unit = flat != NULL ? flat->unit : frame->unit;
    gjk_world_recorder world = {question->goal.recorder, pose_of_a, unit, question->goal.radius};
    gjk_recorder recorder = {gjk_record_in_world, &world};
    gjk_goal traced = *goal;
    gjk_solution solution;
    traced.recorder = &recorder;
    gjk_solution_init(&solution);
    if (flat != NULL) {
        iterate2(flat, question->solver, &traced, &solution);
    } else {
        iterate3(frame, question->solver, &traced, &solution);
    }
}

static double solve2(const gjk_placed *a, const gjk_placed *b, const gjk_question *question,
                     gjk_goal *goal, gjk_solution *solution) {
    gjk_frame2 frame = gjk_frame2_place(a, b);
    const struct gjk_penetration_solver *solver = question->solver;
    set_goal(&question->goal, frame.unit, frame.scale, goal);
    gjk_solution_init(solution);
    bool direct = solver->direct && solver->solve2 != NULL;
    bool solved = direct && solver->solve2(&frame, NULL, goal, solution);
    if (!solved || question->goal.recorder != NULL) {
        gjk_frame2_aim(&frame, &a->pose, *question->first_direction);
    }
    if (question->goal.recorder != NULL) {
        trace(&frame, NULL, &a->pose, question, goal);
    }
    if (!solved) {
        begin_again(solution);
        iterate2(&frame, solver, goal, solution);
    }
    return frame.unit;
}

/* A few cheap steps that mostly decide it, then the general method from where they ended. */
static void walk3(gjk_frame3 *frame, gjk_vec3 heading, const gjk_question *question,
                  const gjk_goal *goal, gjk_solution *solution) {
    const struct gjk_penetration_solver *solver = after_gjk(question->solver);
    gjk_simplex3 simplex;
    simplex.count = 0;
    if (question->cache != NULL) {
        gjk_cache_recall(question->cache, frame, &simplex, &heading);
    }
    bool reached = gjk_boolean3(frame, heading, goal, &simplex, solution);
    if (!reached) {
        frame->toward = gjk_scale3(1.0 / gjk_length3(heading), heading);
    }
    bool inside = solution->upper == 0.0; /* the simplex holds the origin */
    bool unsure = !reached && (inside || gjk_gjk3(frame, goal, &simplex, solution));
    if (question->cache != NULL) {
        bool apart = reached && solution->proof == GJK_PROVEN_SEPARATED;
        gjk_cache_keep(question->cache, frame, &simplex, apart ? &solution->normal : NULL);
    }
    if (unsure) {
        (void)solver->solve3(frame, &simplex, goal, solution);
    }
}

static double solve3(const gjk_placed *a, const gjk_placed *b, const gjk_question *question,
                     gjk_goal *goal, gjk_solution *solution) {
    gjk_frame3 frame = gjk_frame3_place(a, b);
    const struct gjk_penetration_solver *solver = question->solver;
    set_goal(&question->goal, frame.unit, frame.scale, goal);
    gjk_solution_init(solution);
    bool direct = solver->direct && solver->solve3 != NULL;
    bool solved = direct && solver->solve3(&frame, NULL, goal, solution);
    if (question->goal.recorder != NULL) {
        gjk_frame3_aim(&frame, &a->pose, *question->first_direction);
        trace(NULL, &frame, &a->pose, question, goal);
    }
    if (!solved) {
        gjk_vec3 heading = solution->proof == GJK_PROVEN_SEPARATED
                               ? solution->normal
                               : gjk_frame3_heading(&frame, &a->pose, *question->first_direction);
        begin_again(solution);
        walk3(&frame, heading, question, goal, solution);
    }
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

/* Of the shapes, radii included, in the units of the world. Two small fields side by side would
 * be copied as one, which waits until both have been written. */
typedef struct gjk_verdict {
    gjk_state state;
    double lower, upper; /* of the signed distance */
    double length;       /* of the unit of the frame, in which the solution is */
    gjk_convergence convergence;
} gjk_verdict;

/* Where the iterations have proven nothing, the boxes may: whoever looks only at the boxes of
 * many shapes must not differ. */
static void ask_boxes(const gjk_placed *a, const gjk_placed *b, const gjk_question *question,
                      gjk_solution *solution, gjk_verdict *verdict) {
    gjk_vec3 axis;
    double gap = gjk_boxes_gap(a, b, question->goal.tolerance, &axis);
    if (gap > 0.0) {
        verdict->state = GJK_SEPARATED;
        verdict->convergence = question->goal.stop_separated ? GJK_CONVERGED : GJK_ITERATION_LIMIT;
        if (gap > verdict->lower) {
            verdict->lower = gap;
            solution->normal = gjk_mul3_transposed(&a->pose.rotation, axis);
        }
    }
}

static gjk_verdict solve(const gjk_placed *a, const gjk_placed *b, const gjk_question *question,
                         gjk_solution *solution) {
    const gjk_goal *goal = &question->goal;
    GJK_ASSERT(a->shape->dimension == b->shape->dimension);
    GJK_ASSERT(goal->tolerance >= 0.0 && goal->max_iterations >= GJK_ITERATIONS_MIN);
    GJK_ASSERT(goal->max_iterations <= GJK_ITERATIONS_MAX);
    gjk_goal in_frame;
    double unit = a->shape->dimension == 2 ? solve2(a, b, question, &in_frame, solution)
                                           : solve3(a, b, question, &in_frame, solution);
    if (!gjk_goal_reached(&in_frame, solution)) {
        close_bounds(solution, unit * gjk_larger(a->shape->size, b->shape->size));
    }
    double length = 1.0 / unit; /* exactly: a power of two */
    double lower = solution->lower - in_frame.radius, upper = solution->upper - in_frame.radius;
    bool met = gjk_goal_reached(goal, solution) || upper - lower <= goal->tolerance * unit;
    gjk_verdict verdict = {
        .lower = lower * length,
        .upper = upper * length,
        .length = length,
        .state = state_of(solution, lower, upper, in_frame.tolerance),
        .convergence = met ? GJK_CONVERGED : GJK_ITERATION_LIMIT,
    };
    if (verdict.state == GJK_TOUCHING && !met) {
        ask_boxes(a, b, question, solution, &verdict);
    }
    return verdict;
}

static gjk_vec3 to_world(const gjk_placed *a, gjk_vec3 point) {
    return gjk_add3(gjk_mul3(&a->pose.rotation, point), a->pose.position);
}

/* The witness point on the core of a, or of b, moved by the radius along the normal. */
static gjk_vec3 place_point(const gjk_placed *a, const gjk_solution *solution, gjk_vec3 point,
                            double radius, double length) {
    gjk_vec3 on_core = gjk_scale3(length, point);
    return to_world(a, gjk_add3(on_core, gjk_scale3(radius, solution->normal)));
}

static gjk_vec3 normal_in_world(const gjk_placed *a, const gjk_solution *solution) {
    return gjk_no_minus_zero3(gjk_mul3(&a->pose.rotation, solution->normal));
}

/* Not fmax, which leaves the sign of a zero to the compiler. */
static double positive_part(double x) {
    return x > 0.0 ? x : 0.0;
}

static gjk_goal goal_of(const gjk_placed *a, const gjk_placed *b, double tolerance,
                        uint32_t max_iterations) {
    return (gjk_goal){
        .radius = a->shape->radius + b->shape->radius,
        .tolerance = tolerance * gjk_larger(a->shape->size, b->shape->size),
        .max_iterations = max_iterations,
    };
}

gjk_detect_result gjk_detect(const gjk_placed *a, const gjk_placed *b,
                             const gjk_detect_settings *settings) {
    if (a->shape->pieces != NULL || b->shape->pieces != NULL) {
        return gjk_detect_pieces(a, b, settings);
    }
    gjk_question question = {
        .goal = goal_of(a, b, settings->tolerance, settings->max_iterations),
        .first_direction = &settings->first_direction,
        .solver = settings->solver != NULL ? settings->solver : &gjk_penetration_direct,
        .cache = settings->cache,
    };
    question.goal.stop_separated = true;
    question.goal.stop_overlapping = !settings->penetration;
    question.goal.recorder = settings->recorder;
    gjk_solution solution;
    gjk_verdict verdict = solve(a, b, &question, &solution);
    const bool told = settings->penetration && verdict.state != GJK_SEPARATED;
    gjk_detect_result result; /* field by field */
    result.state = verdict.state;
    result.convergence = verdict.convergence;
    result.iterations = solution.iterations;
    result.normal = settings->penetration ? normal_in_world(a, &solution) : none;
    result.depth = told ? positive_part(-verdict.lower) : 0.0;
    result.depth_lower_bound = told ? positive_part(-verdict.upper) : 0.0;
    result.has_points = told && solution.has_points;
    result.point_a = none;
    result.point_b = none;
    result.piece_a = result.piece_b = GJK_NO_PIECE;
    result.inside = false;
    if (result.has_points) {
        result.point_a =
            place_point(a, &solution, solution.point_a, a->shape->radius, verdict.length);
        result.point_b =
            place_point(a, &solution, solution.point_b, -b->shape->radius, verdict.length);
    }
    return result;
}

gjk_distance_result gjk_distance(const gjk_placed *a, const gjk_placed *b,
                                 const gjk_distance_settings *settings) {
    if (a->shape->pieces != NULL || b->shape->pieces != NULL) {
        return gjk_distance_pieces(a, b, settings);
    }
    gjk_question question = {
        .goal = goal_of(a, b, settings->tolerance, settings->max_iterations),
        .first_direction = &settings->first_direction,
        .solver = settings->solver != NULL ? settings->solver : &gjk_penetration_direct,
        .cache = settings->cache,
    };
    question.goal.stop_overlapping = true;
    question.goal.recorder = settings->recorder;
    gjk_solution solution;
    gjk_verdict verdict = solve(a, b, &question, &solution);
    const bool told = verdict.state != GJK_OVERLAPPING;
    gjk_distance_result result; /* field by field */
    result.state = verdict.state;
    result.convergence = verdict.convergence;
    result.iterations = solution.iterations;
    result.normal = told ? normal_in_world(a, &solution) : none;
    result.distance = told ? positive_part(verdict.upper) : 0.0;
    result.lower_bound = told ? positive_part(verdict.lower) : 0.0;
    result.has_points = told && solution.has_points;
    result.point_a = none;
    result.point_b = none;
    result.piece_a = result.piece_b = GJK_NO_PIECE;
    result.inside = false;
    if (result.has_points) {
        result.point_a =
            place_point(a, &solution, solution.point_a, a->shape->radius, verdict.length);
        result.point_b =
            place_point(a, &solution, solution.point_b, -b->shape->radius, verdict.length);
    }
    return result;
}
