/*
 * Detection and distance of two placed shapes. The kernels answer for the cores (clouds without
 * radii) with two bounds of the signed distance; this file chooses the kernel, subtracts the
 * radii, determines the state and transforms the answer to the world. Rounded shapes whose
 * cores are separated need no EPA: their depth is the sum of the radii minus the cores' distance.
 */

#include "gjk/pair.h"

#include "base/larger.h"
#include "base/rounding.h"
#include "pair/kernels.h"
#include "pair/pieces_pair.h"
#include "pair/recording.h"
#include "shape/box.h"

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
 * Joins bounds that differ by a few units in the last place, since no tolerance could bring
 * them together: up to about two units, at the one that the witness points have; else in the
 * middle.
 */
static void close_bounds(gjk_solution *solution, double size) {
    double magnitude = GJK_ROUNDING * gjk_larger(size, fabs(solution->upper));
    solution->lower = gjk_smaller(solution->lower, solution->upper);
    double gap = solution->upper - solution->lower;
    if (gap > 1.25 * magnitude) {
        return;
    }
    double witnessed = solution->upper > 0.0 ? solution->upper : solution->lower;
    double joined = gap <= 0.5 * magnitude ? witnessed : solution->lower + 0.5 * gap;
    solution->lower = joined;
    solution->upper = joined;
}

/* A query about a pair, in the units of the world. */
typedef struct pair_query {
    gjk_goal goal;
    const gjk_vec3 *first_direction;
    const struct gjk_penetration_solver *solver;
    gjk_cache *cache;
} pair_query;

/* The goal in the units of a frame, with a tolerance that exceeds the rounding of its numbers.
 * Set member by member, which avoids a store-forwarding stall. */
static void set_goal(const gjk_goal *in_world, double unit, double scale, gjk_goal *goal) {
    goal->radius = in_world->radius * unit;
    goal->tolerance = gjk_larger(in_world->tolerance * unit, 4.0 * GJK_ROUNDING * scale);
    goal->max_iterations = in_world->max_iterations;
    goal->stop_separated = in_world->stop_separated;
    goal->stop_overlapping = in_world->stop_overlapping;
    goal->recorder = NULL;
}

/* The solver after GJK: a direct one was called before, so EPA follows. */
static const struct gjk_penetration_solver *after_gjk(const struct gjk_penetration_solver *solver) {
    return solver->direct ? &gjk_penetration_epa : solver;
}

/* Empties the solution of a direct solver whose bounds did not meet, except what it has proven. */
static void restart(gjk_solution *solution) {
    gjk_proof proof = solution->proof;
    gjk_solution_init(solution);
    solution->proof = proof;
}

/* The general method: GJK, then the penetration solver. */
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

/* Runs the general method for the recorder only; its solution is discarded. */
static void trace(const gjk_frame2 *flat, const gjk_frame3 *frame, const gjk_pose *pose_of_a,
                  const pair_query *query, const gjk_goal *goal) {
    double unit = flat != NULL ? flat->unit : frame->unit;
    gjk_world_recorder world = {query->goal.recorder, pose_of_a, unit, query->goal.radius};
    gjk_recorder recorder = {gjk_record_in_world, &world};
    gjk_goal traced = *goal;
    gjk_solution solution;
    traced.recorder = &recorder;
    gjk_solution_init(&solution);
    if (flat != NULL) {
        iterate2(flat, query->solver, &traced, &solution);
    } else {
        iterate3(frame, query->solver, &traced, &solution);
    }
}

static double solve2(const gjk_placed *a, const gjk_placed *b, const pair_query *query,
                     gjk_goal *goal, gjk_solution *solution) {
    gjk_frame2 frame = gjk_frame2_place(a, b);
    const struct gjk_penetration_solver *solver = query->solver;
    set_goal(&query->goal, frame.unit, frame.scale, goal);
    gjk_solution_init(solution);
    bool direct = solver->direct && solver->solve2 != NULL;
    bool solved = direct && solver->solve2(&frame, NULL, goal, solution);
    if (!solved || query->goal.recorder != NULL) {
        gjk_frame2_aim(&frame, &a->pose, *query->first_direction);
    }
    if (query->goal.recorder != NULL) {
        trace(&frame, NULL, &a->pose, query, goal);
    }
    if (!solved) {
        restart(solution);
        iterate2(&frame, solver, goal, solution);
    }
    return frame.unit;
}

/* Boolean GJK, which decides most pairs, then the general method from its last simplex. */
static void iterate_from3(gjk_frame3 *frame, gjk_vec3 heading, const pair_query *query,
                          const gjk_goal *goal, gjk_solution *solution) {
    const struct gjk_penetration_solver *solver = after_gjk(query->solver);
    gjk_simplex3 simplex;
    simplex.count = 0;
    if (query->cache != NULL) {
        gjk_cache_recall(query->cache, frame, &simplex, &heading);
    }
    bool reached = gjk_boolean3(frame, heading, goal, &simplex, solution);
    if (!reached) {
        frame->toward = gjk_scale3(1.0 / gjk_length3(heading), heading);
    }
    bool inside = solution->upper == 0.0; /* the simplex contains the origin */
    bool undecided = !reached && (inside || gjk_gjk3(frame, goal, &simplex, solution));
    if (query->cache != NULL) {
        bool separated = reached && solution->proof == GJK_PROVEN_SEPARATED;
        gjk_cache_keep(query->cache, frame, &simplex, separated ? &solution->normal : NULL);
    }
    if (undecided) {
        (void)solver->solve3(frame, &simplex, goal, solution);
    }
}

static double solve3(const gjk_placed *a, const gjk_placed *b, const pair_query *query,
                     gjk_goal *goal, gjk_solution *solution) {
    gjk_frame3 frame = gjk_frame3_place(a, b);
    const struct gjk_penetration_solver *solver = query->solver;
    set_goal(&query->goal, frame.unit, frame.scale, goal);
    gjk_solution_init(solution);
    bool direct = solver->direct && solver->solve3 != NULL;
    bool solved = direct && solver->solve3(&frame, NULL, goal, solution);
    if (query->goal.recorder != NULL) {
        gjk_frame3_aim(&frame, &a->pose, *query->first_direction);
        trace(NULL, &frame, &a->pose, query, goal);
    }
    if (!solved) {
        gjk_vec3 heading = solution->proof == GJK_PROVEN_SEPARATED
                               ? solution->normal
                               : gjk_frame3_heading(&frame, &a->pose, *query->first_direction);
        restart(solution);
        iterate_from3(&frame, heading, query, goal, solution);
    }
    return frame.unit;
}

/*
 * The state: separated or overlapping by a proof or by converged bounds; else touching. lower
 * and upper: of the shapes, in the units of the frame.
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

/* The answer for the shapes, radii included, in the units of the world. The two enums are apart
 * because a pair of small members is copied as one, with a store-forwarding stall. */
typedef struct pair_verdict {
    gjk_state state;
    double lower, upper; /* of the signed distance */
    double length;       /* world length of the frame's unit, in which the solution is */
    gjk_convergence convergence;
} pair_verdict;

/* Separates the pair by its bounding boxes where the iterations have proven nothing, because
 * queries on a set skip shapes by their boxes alone and must agree. */
static void try_boxes(const gjk_placed *a, const gjk_placed *b, const pair_query *query,
                      gjk_solution *solution, pair_verdict *verdict) {
    gjk_vec3 axis;
    double gap = gjk_boxes_gap(a, b, query->goal.tolerance, &axis);
    if (gap > 0.0) {
        verdict->state = GJK_SEPARATED;
        verdict->convergence = query->goal.stop_separated ? GJK_CONVERGED : GJK_ITERATION_LIMIT;
        if (gap > verdict->lower) {
            verdict->lower = gap;
            solution->normal = gjk_mul3_transposed(&a->pose.rotation, axis);
        }
    }
}

static pair_verdict solve(const gjk_placed *a, const gjk_placed *b, const pair_query *query,
                          gjk_solution *solution) {
    const gjk_goal *goal = &query->goal;
    GJK_ASSERT(a->shape->dimension == b->shape->dimension);
    GJK_ASSERT(goal->tolerance >= 0.0 && goal->max_iterations >= GJK_ITERATIONS_MIN);
    GJK_ASSERT(goal->max_iterations <= GJK_ITERATIONS_MAX);
    gjk_goal in_frame;
    double unit = a->shape->dimension == 2 ? solve2(a, b, query, &in_frame, solution)
                                           : solve3(a, b, query, &in_frame, solution);
    if (!gjk_goal_reached(&in_frame, solution)) {
        close_bounds(solution, unit * gjk_larger(a->shape->size, b->shape->size));
    }
    double length = 1.0 / unit; /* exact, as the unit is a power of two */
    double lower = solution->lower - in_frame.radius, upper = solution->upper - in_frame.radius;
    bool converged = gjk_goal_reached(goal, solution) || upper - lower <= goal->tolerance * unit;
    pair_verdict verdict = {
        .lower = lower * length,
        .upper = upper * length,
        .length = length,
        .state = state_of(solution, lower, upper, in_frame.tolerance),
        .convergence = converged ? GJK_CONVERGED : GJK_ITERATION_LIMIT,
    };
    if (verdict.state == GJK_TOUCHING && !converged) {
        try_boxes(a, b, query, solution, &verdict);
    }
    return verdict;
}

/* A point of a core in the world, moved by the radius along the normal. */
static gjk_vec3 place_point(const gjk_placed *a, const gjk_solution *solution, gjk_vec3 point,
                            double radius, double length) {
    const gjk_vec3 own = gjk_add3(gjk_scale3(length, point), gjk_scale3(radius, solution->normal));
    return gjk_add3(gjk_mul3(&a->pose.rotation, own), a->pose.position);
}

/* Sets the witness points in the world, if there are any to report, else zero. */
static inline void set_points(const gjk_placed *a, const gjk_placed *b,
                              const gjk_solution *solution, double length, bool has_points,
                              gjk_vec3 *point_a, gjk_vec3 *point_b) {
    *point_a = *point_b = (gjk_vec3){0, 0, 0};
    if (has_points) {
        *point_a = place_point(a, solution, solution->point_a, a->shape->radius, length);
        *point_b = place_point(a, solution, solution->point_b, -b->shape->radius, length);
    }
}

static inline gjk_vec3 normal_in_world(const gjk_placed *a, const gjk_solution *solution,
                                       bool is_reported) {
    return is_reported ? gjk_no_minus_zero3(gjk_mul3(&a->pose.rotation, solution->normal))
                       : (gjk_vec3){0, 0, 0};
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
    pair_query query = {
        .goal = goal_of(a, b, settings->tolerance, settings->max_iterations),
        .first_direction = &settings->first_direction,
        .solver = settings->solver != NULL ? settings->solver : &gjk_penetration_direct,
        .cache = settings->cache,
    };
    query.goal.stop_separated = true;
    query.goal.stop_overlapping = !settings->penetration;
    query.goal.recorder = settings->recorder;
    gjk_solution solution;
    pair_verdict verdict = solve(a, b, &query, &solution);
    const bool is_deep = settings->penetration && verdict.state != GJK_SEPARATED;
    gjk_detect_result result; /* set member by member, which avoids a copy */
    result.state = verdict.state;
    result.convergence = verdict.convergence;
    result.iterations = solution.iterations;
    result.normal = normal_in_world(a, &solution, settings->penetration);
    result.depth = is_deep ? positive_part(-verdict.lower) : 0.0;
    result.depth_lower_bound = is_deep ? positive_part(-verdict.upper) : 0.0;
    result.has_points = is_deep && solution.has_points;
    result.piece_a = result.piece_b = GJK_NO_PIECE;
    result.inside = false;
    result.given_up = false;
    set_points(a, b, &solution, verdict.length, result.has_points, &result.point_a,
               &result.point_b);
    return result;
}

gjk_distance_result gjk_distance(const gjk_placed *a, const gjk_placed *b,
                                 const gjk_distance_settings *settings) {
    if (a->shape->pieces != NULL || b->shape->pieces != NULL) {
        return gjk_distance_pieces(a, b, settings);
    }
    pair_query query = {
        .goal = goal_of(a, b, settings->tolerance, settings->max_iterations),
        .first_direction = &settings->first_direction,
        .solver = settings->solver != NULL ? settings->solver : &gjk_penetration_direct,
        .cache = settings->cache,
    };
    query.goal.stop_overlapping = true;
    query.goal.recorder = settings->recorder;
    gjk_solution solution;
    pair_verdict verdict = solve(a, b, &query, &solution);
    const bool is_apart = verdict.state != GJK_OVERLAPPING;
    gjk_distance_result result; /* set member by member, which avoids a copy */
    result.state = verdict.state;
    result.convergence = verdict.convergence;
    result.iterations = solution.iterations;
    result.normal = normal_in_world(a, &solution, is_apart);
    result.distance = is_apart ? positive_part(verdict.upper) : 0.0;
    result.lower_bound = is_apart ? positive_part(verdict.lower) : 0.0;
    result.has_points = is_apart && solution.has_points;
    result.piece_a = result.piece_b = GJK_NO_PIECE;
    result.inside = false;
    result.given_up = false;
    set_points(a, b, &solution, verdict.length, result.has_points, &result.point_a,
               &result.point_b);
    return result;
}
