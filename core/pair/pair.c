/*
 * Detection and distance of two placed shapes. The kernels compute two bounds of the signed
 * distance of the cores (clouds without radii). This file chooses the kernel, subtracts the radii,
 * determines the state and transforms the answer to the world. Rounded shapes with separated cores
 * need no EPA: their depth is the sum of the radii minus the cores' distance.
 */

#include "gjk/pair.h"

#include "base/numbers.h"
#include "pair/answer.h"
#include "pair/direct/round.h"
#include "pair/kernels.h"
#include "pair/kernels/flat.h"
#include "pair/kernels/spatial.h"
#include "pair/pieces/pieces.h"
#include "pair/recording.h"
#include "shape/box.h"

/* A query about a pair, in world units. */
typedef struct pair_query {
    gjk_goal goal;
    const gjk_vec3 *first_direction; /* from the shape that the caller names first */
    bool is_swapped;                 /* the caller's first shape is the second one here */
    const struct gjk_penetration_solver *solver;
    gjk_cache *cache;
    const gjk_walk3 *walk; /* state in which pair/kernels left the iteration */
} pair_query;

static gjk_vec3 first_direction_of(const pair_query *query) {
    return gjk_scale3(1.0 - 2.0 * query->is_swapped, *query->first_direction);
}

/* Sets the goal in units of a frame, with a tolerance above the rounding of its numbers. Member by
 * member, which avoids a store-forwarding stall. */
static void set_goal(const gjk_goal *in_world, double unit, double scale, gjk_goal *goal) {
    goal->radius = in_world->radius * unit;
    goal->tolerance = gjk_larger(in_world->tolerance * unit, 4.0 * GJK_ROUNDING * scale);
    goal->max_iterations = in_world->max_iterations;
    goal->steps = in_world->steps;
    goal->budget = in_world->budget;
    goal->stop_separated = in_world->stop_separated;
    goal->stop_overlapping = in_world->stop_overlapping;
    goal->recorder = NULL;
}

/* Returns the solver to run after GJK: EPA if the solver is direct, since a direct solver has
 * already run. */
static const struct gjk_penetration_solver *after_gjk(const struct gjk_penetration_solver *solver) {
    return solver->direct ? &gjk_penetration_epa : solver;
}

/* Resets the solution of a direct solver whose bounds did not meet, but keeps its proof. */
static void restart(gjk_solution *solution) {
    gjk_proof proof = solution->proof;
    gjk_solution_init(solution);
    solution->proof = proof;
}

/* Runs the general method: GJK, then the penetration solver. */
static void iterate2(const gjk_frame2 *frame, const struct gjk_penetration_solver *solver,
                     const gjk_goal *goal, gjk_solution *solution) {
    gjk_simplex2 simplex;
    if (gjk_gjk2(frame, goal, &simplex, solution)) {
        (void)after_gjk(solver)->solve2(frame, &simplex, goal, solution);
    }
}

/* Runs the general method for the recorder only, from a to b as the caller names them, and discards
 * its solution. */
static void trace(const gjk_placed *a, const gjk_placed *b, const pair_query *query) {
    gjk_world_recorder world = {query->goal.recorder, &a->pose, 1.0, query->goal.radius};
    gjk_recorder recorder = {gjk_record_in_world, &world};
    gjk_goal traced;
    gjk_solution solution;
    gjk_solution_init(&solution);
    if (a->shape->dimension == 2) {
        gjk_frame2 flat = gjk_frame2_place(a, b);
        gjk_frame2_aim(&flat, &a->pose, *query->first_direction);
        set_goal(&query->goal, flat.unit, flat.scale, &traced);
        traced.recorder = &recorder;
        world.unit = flat.unit;
        iterate2(&flat, query->solver, &traced, &solution);
    } else {
        gjk_frame3 frame = gjk_frame3_place(a, b);
        gjk_round_pair round;
        frame.round = frame.unit == 1.0 && gjk_round_pair_place(&frame, &round) ? &round : NULL;
        gjk_frame3_aim(&frame, &a->pose, *query->first_direction);
        set_goal(&query->goal, frame.unit, frame.scale, &traced);
        traced.recorder = &recorder;
        world.unit = frame.unit;
        gjk_simplex3 simplex;
        simplex.count = 0;
        if (gjk_gjk3(&frame, &traced, &simplex, &solution)) {
            (void)after_gjk(query->solver)->solve3(&frame, &simplex, &traced, &solution);
        }
    }
}

static double solve2(const gjk_placed *a, const gjk_placed *b, const pair_query *query,
                     gjk_goal *goal, gjk_solution *solution) {
    gjk_frame2 frame = gjk_frame2_place(a, b);
    const struct gjk_penetration_solver *solver = query->solver;
    set_goal(&query->goal, frame.unit, frame.scale, goal);
    gjk_solution_init(solution);
    bool direct = solver->direct && solver->solve2 != NULL;
    if (!direct || !solver->solve2(&frame, NULL, goal, solution)) {
        gjk_frame2_aim(&frame, &a->pose, first_direction_of(query));
        restart(solution);
        iterate2(&frame, solver, goal, solution);
    }
    return frame.unit;
}

/* Continues from the simplex of a walk. */
static void continue_walk3(const gjk_walk3 *walk, const gjk_frame3 *frame, gjk_simplex3 *simplex,
                           gjk_solution *solution) {
    const gjk_columns cloud_a = gjk_columns_of(frame->a), cloud_b = gjk_columns_of(frame->b);
    simplex->count = walk->count;
    solution->iterations = walk->steps;
    for (uint32_t i = 0; i < walk->count; i++) {
        gjk_vertex3_make(frame, gjk_column_point(&cloud_a, walk->on_a[i]),
                         gjk_column_point(&cloud_b, walk->on_b[i]), &simplex->vertex[i]);
    }
    if (walk->is_around || walk->is_within) {
        solution->proof = GJK_PROVEN_OVERLAPPING;
    }
    if (walk->is_around) {
        solution->upper = 0.0;
    }
}

/* Runs boolean GJK, which decides most pairs, then the general method from its last simplex. */
static void iterate_from3(gjk_frame3 *frame, gjk_vec3 *heading, const pair_query *query,
                          const gjk_goal *goal, gjk_solution *solution) {
    const struct gjk_penetration_solver *solver = after_gjk(query->solver);
    gjk_simplex3 simplex;
    simplex.count = 0;
    if (query->cache != NULL) {
        gjk_cache_recall(query->cache, frame, &simplex, heading);
    }
    const bool has_walked = query->walk->count > 0;
    if (has_walked) {
        continue_walk3(query->walk, frame, &simplex, solution);
    }
    const bool reached = has_walked ? gjk_goal_reached(goal, solution)
                                    : gjk_boolean3(frame, heading, goal, &simplex, solution);
    if (!reached) {
        frame->toward = gjk_scale3(1.0 / gjk_length3(*heading), *heading);
    }
    bool inside = solution->upper == 0.0; /* the simplex contains the origin */
    bool undecided = !reached && (inside || gjk_gjk3(frame, goal, &simplex, solution));
    if (query->cache != NULL) {
        bool separated = reached && solution->proof == GJK_PROVEN_SEPARATED;
        gjk_cache_keep(query->cache, frame, &simplex, separated ? &solution->normal : NULL);
        /* If the walk ended around the origin, the cached points are those of the walk. */
        const gjk_walk3 *walk = query->walk;
        for (uint32_t i = 0; i < walk->count && walk->is_around; i++) {
            query->cache->at_a[i] = walk->on_a[i];
            query->cache->at_b[i] = walk->on_b[i];
        }
        query->cache->has_indices = walk->is_around;
    }
    if (undecided) {
        (void)solver->solve3(frame, &simplex, goal, solution);
    }
}

static double solve3(const gjk_placed *a, const gjk_placed *b, const pair_query *query,
                     gjk_goal *goal, gjk_solution *solution) {
    gjk_frame3 frame = gjk_frame3_place(a, b);
    gjk_round_pair round;
    frame.round = frame.unit == 1.0 && gjk_round_pair_place(&frame, &round) ? &round : NULL;
    const struct gjk_penetration_solver *solver = query->solver;
    set_goal(&query->goal, frame.unit, frame.scale, goal);
    gjk_solution_init(solution);
    bool direct = solver->direct && solver->solve3 != NULL;
    if (!direct || !solver->solve3(&frame, NULL, goal, solution)) {
        const gjk_vec3 first = first_direction_of(query);
        gjk_vec3 heading = gjk_frame3_heading(&frame, &a->pose, &first);
        if (solution->proof == GJK_PROVEN_SEPARATED) {
            gjk_vec3_copy(&solution->normal, &heading);
        }
        restart(solution);
        iterate_from3(&frame, &heading, query, goal, solution);
    }
    return frame.unit;
}

/* Returns the state: separated or overlapping by proof or by converged bounds, else touching. lower
 * and upper are bounds for the shapes, in frame units. */
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

/* The answer for the shapes, radii included, in world units. The two enums are not adjacent, since
 * the compiler would copy adjacent small members as one, a store-forwarding stall. */
typedef struct pair_verdict {
    gjk_state state;
    double lower, upper; /* bounds of the signed distance */
    double length;       /* world length of one frame unit */
    gjk_convergence convergence;
} pair_verdict;

/* Separates the pair by its bounding boxes if the iterations have proven nothing: set queries skip
 * shapes by their boxes alone, and the answers must agree. */
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

static pair_verdict solve_pair(const gjk_placed *a, const gjk_placed *b, const pair_query *query,
                               gjk_solution *solution) {
    const gjk_goal *goal = &query->goal;
    GJK_ASSERT(a->shape->dimension == b->shape->dimension);
    GJK_ASSERT(goal->tolerance >= 0.0 && goal->max_iterations >= GJK_ITERATIONS_MIN);
    GJK_ASSERT(goal->max_iterations <= GJK_ITERATIONS_MAX);
    gjk_goal in_frame;
    if (goal->recorder != NULL) {
        trace(query->is_swapped ? b : a, query->is_swapped ? a : b, query);
    }
    double unit = a->shape->dimension == 2 ? solve2(a, b, query, &in_frame, solution)
                                           : solve3(a, b, query, &in_frame, solution);
    if (!gjk_goal_reached(&in_frame, solution)) {
        gjk_close_bounds(unit * gjk_larger(a->shape->size, b->shape->size), &solution->lower,
                         &solution->upper);
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

/* Returns a core's point in the world, moved by the radius along the normal. */
static gjk_vec3 place_point(const gjk_placed *a, const gjk_solution *solution, gjk_vec3 point,
                            double radius, double length) {
    const gjk_vec3 own = gjk_add3(gjk_scale3(length, point), gjk_scale3(radius, solution->normal));
    return gjk_add3(gjk_mul3(&a->pose.rotation, own), a->pose.position);
}

/* Sets the witness points in the world, or zero if there are none to report. */
static inline void set_world_points(const gjk_placed *a, const gjk_placed *b,
                                    const gjk_solution *solution, double length, bool has_points,
                                    gjk_vec3 *point_a, gjk_vec3 *point_b) {
    *point_a = (gjk_vec3){0, 0, 0};
    *point_b = (gjk_vec3){0, 0, 0};
    if (has_points) {
        *point_a = place_point(a, solution, solution->point_a, a->shape->radius, length);
        *point_b = place_point(a, solution, solution->point_b, -b->shape->radius, length);
    }
}

/* Returns the normal from the first to the second shape, or reversed if is_back. */
static inline gjk_vec3 normal_in_world(const gjk_placed *a, const gjk_solution *solution,
                                       bool is_reported, bool is_back) {
    const gjk_vec3 n = gjk_mul3(&a->pose.rotation, solution->normal);
    return is_reported ? gjk_no_minus_zero3(gjk_scale3(1.0 - 2.0 * is_back, n))
                       : (gjk_vec3){0, 0, 0};
}

static pair_query query_of(gjk_question question, const gjk_placed *a, const gjk_placed *b,
                           const gjk_pair_settings *settings) {
    const bool is_distance = question == GJK_ASK_DISTANCE;
    return (pair_query){
        .goal = {.radius = a->shape->radius + b->shape->radius,
                 .tolerance = settings->tolerance * gjk_larger(a->shape->size, b->shape->size),
                 .max_iterations = settings->max_iterations,
                 .steps = gjk_pair_steps(a->shape, b->shape),
                 .budget = settings->budget,
                 .stop_separated = !is_distance,
                 .stop_overlapping = is_distance || !settings->penetration,
                 .recorder = settings->recorder},
        .first_direction = &settings->first_direction,
        .solver = settings->solver != NULL ? settings->solver : &gjk_penetration_direct,
        .cache = settings->cache,
    };
}

/* --- Shapes far from their own origins --- */

/* Renames a cache of one pair to another: between the original shapes and their shifted copies. */
static void rename_cached(gjk_cache *cache, const gjk_placed *from_a, const gjk_placed *from_b,
                          const gjk_placed *to_a, const gjk_placed *to_b) {
    if (cache == NULL) {
        return;
    }
    const bool same = cache->a == from_a->shape && cache->b == from_b->shape;
    const bool swapped = !same && cache->a == from_b->shape && cache->b == from_a->shape;
    cache->a = same ? to_a->shape : swapped ? to_b->shape : NULL;
    cache->b = same ? to_b->shape : swapped ? to_a->shape : NULL;
}

/* Forwards steps to a recorder from a world whose origin is at `at` in the caller's world. */
typedef struct moved_recorder {
    gjk_recorder recorder;
    const gjk_recorder *to;
    gjk_vec3 at;
} moved_recorder;

static void record_moved(void *user, const gjk_trace_step *step) {
    const moved_recorder *moved = user;
    gjk_trace_step out = *step;
    out.support_a = gjk_add3(step->support_a, moved->at);
    out.support_b = gjk_add3(step->support_b, moved->at);
    moved->to->record(moved->to->user, &out);
}

static void answer_far(gjk_question question, const gjk_placed *a, const gjk_placed *b,
                       const gjk_pair_settings *settings, gjk_pair_answer *answer) {
    gjk_near_shape near_a, near_b;
    const gjk_wide3 at = gjk_near_pair(a, b, &near_a, &near_b);
    moved_recorder moved = {{record_moved, &moved}, settings->recorder, at.high};
    gjk_pair_settings there = *settings;
    there.recorder = settings->recorder != NULL ? &moved.recorder : NULL;
    rename_cached(settings->cache, a, b, &near_a.placed, &near_b.placed);
    gjk_answer_into(question, &near_a.placed, &near_b.placed, &there, answer);
    rename_cached(settings->cache, &near_a.placed, &near_b.placed, a, b);
    if (answer->has_points) {
        answer->point_a = gjk_wide3_add(at, answer->point_a);
        answer->point_b = gjk_wide3_add(at, answer->point_b);
    }
}

/* --- The queries --- */

/* Computes the signed distance: the distance of a separated pair, or minus the depth of an
 * overlapping one. */
static void answer_signed(const gjk_placed *a, const gjk_placed *b,
                          const gjk_pair_settings *settings, gjk_pair_answer *answer) {
    gjk_pair_settings how = *settings;
    how.is_signed = false;
    gjk_pair_answer nearest;
    if (a->shape->pieces != NULL || b->shape->pieces != NULL) {
        *answer = gjk_answer_pieces(GJK_ASK_DISTANCE, a, b, &how, &nearest);
    } else {
        gjk_distance_into(a, b, &how, answer);
    }
    answer->is_signed = true;
    answer->signed_distance = answer->distance;
    if (answer->distance > 0.0 || answer->given_up) {
        return;
    }
    const gjk_pair_answer apart = *answer;
    how.penetration = true;
    if (apart.inside && !settings->of_pieces) {
        *answer = gjk_answer_whole_depth(a, b, &apart, &nearest, &how);
    } else {
        gjk_detect_into(a, b, &how, answer);
    }
    answer->is_signed = true;
    answer->signed_distance =
        answer->inside && settings->of_pieces ? -INFINITY : 0.0 - answer->depth;
    answer->state = apart.state;
    answer->distance = apart.distance;
    answer->lower_bound = apart.lower_bound;
    answer->iterations += apart.iterations;
}

/* Answers all pairs that pair/kernels has not decided. */
static __attribute__((noinline)) void answer_any(gjk_question question, const gjk_placed *a,
                                                 const gjk_placed *b,
                                                 const gjk_pair_settings *settings,
                                                 const gjk_walk3 *walk, gjk_pair_answer *answer) {
    const bool is_distance = question == GJK_ASK_DISTANCE;
    if (is_distance && settings->is_signed) {
        answer_signed(a, b, settings, answer);
        return;
    }
    if (a->shape->pieces != NULL || b->shape->pieces != NULL) {
        gjk_pair_answer nearest;
        *answer = gjk_answer_pieces(question, a, b, settings, &nearest);
        return;
    }
    if (gjk_is_far(a) || gjk_is_far(b)) {
        answer_far(question, a, b, settings, answer);
        return;
    }
    const bool swapped = !gjk_comes_first(a, b);
    const gjk_placed *const both[2] = {a, b}; /* avoids a branch: both orders are equally likely */
    const gjk_placed *first = both[swapped], *second = both[!swapped];
    pair_query query = query_of(question, a, b, settings);
    query.is_swapped = swapped;
    query.walk = walk;
    gjk_solution solution;
    const pair_verdict verdict = solve_pair(first, second, &query, &solution);
    const bool has_normal = is_distance ? verdict.state != GJK_OVERLAPPING : settings->penetration;
    const bool has_lengths = has_normal && (is_distance || verdict.state != GJK_SEPARATED);
    const double most = is_distance ? verdict.upper : -verdict.lower;
    const double least = is_distance ? verdict.lower : -verdict.upper;
    gjk_answer_begin(verdict.state, solution.iterations, answer);
    answer->convergence = verdict.convergence;
    answer->normal = normal_in_world(first, &solution, has_normal, swapped);
    answer->distance = has_lengths ? gjk_positive_part(most) : 0.0;
    answer->lower_bound = has_lengths ? gjk_positive_part(least) : 0.0;
    answer->has_points = has_lengths && solution.has_points;
    answer->given_up = gjk_budget_is_spent(settings->budget);
    set_world_points(first, second, &solution, verdict.length, answer->has_points,
                     swapped ? &answer->point_b : &answer->point_a,
                     swapped ? &answer->point_a : &answer->point_b);
}

/* Decides whether two boxes overlap, with the same result as answer_any, if the settings ask for no
 * more and the separating axes prove it. Returns false otherwise. */
static bool answer_boxes(const gjk_placed *a, const gjk_placed *b,
                         const gjk_pair_settings *settings, gjk_pair_answer *answer) {
    if (settings->penetration || !gjk_flat_may_choose(settings->solver) || gjk_is_far(a) ||
        gjk_is_far(b)) {
        return false;
    }
    const bool swapped = !gjk_comes_first(a, b);
    const gjk_placed *const both[2] = {a, b}; /* avoids a branch: both orders are equally likely */
    const gjk_frame3 frame = gjk_frame3_place(both[swapped], both[!swapped]);
    const gjk_goal in_world = {
        .radius = a->shape->radius + b->shape->radius,
        .tolerance = settings->tolerance * gjk_larger(a->shape->size, b->shape->size),
        .stop_separated = true,
        .stop_overlapping = true,
    };
    gjk_goal goal;
    gjk_solution solution;
    set_goal(&in_world, frame.unit, frame.scale, &goal);
    solution.proof = GJK_UNPROVEN;
    if (!gjk_separating_axis3(&frame, &goal, &solution) || !gjk_goal_reached(&goal, &solution)) {
        return false;
    }
    gjk_answer_begin(solution.proof == GJK_PROVEN_SEPARATED ? GJK_SEPARATED : GJK_OVERLAPPING,
                     solution.iterations, answer);
    answer->depth = answer->depth_lower_bound = 0.0;
    answer->normal = answer->point_a = answer->point_b = (gjk_vec3){0, 0, 0};
    return true;
}

/* Not inlined, since queries that a kernel decides would pay for its stack frame. */
__attribute__((noinline)) bool gjk_answer_general(gjk_question question, const gjk_placed *a,
                                                  const gjk_placed *b,
                                                  const gjk_pair_settings *settings,
                                                  gjk_pair_answer *answer) {
    gjk_walk3 walk;
    gjk_walk3_init(&walk);
    if (gjk_budget_spend(settings->budget, gjk_pair_steps(a->shape, b->shape))) {
        *answer = gjk_answer_without_pieces(false);
        return false;
    }
    const bool are_boxes = a->shape->type == GJK_BOX && b->shape->type == GJK_BOX;
    const bool is_decided = are_boxes && question == GJK_ASK_DETECT && a->shape->dimension == 3
                                ? answer_boxes(a, b, settings, answer)
                                : gjk_spatial_answer(question, a, b, settings, answer, &walk);
    if (!is_decided) {
        answer_any(question, a, b, settings, &walk, answer);
    }
    return is_decided;
}

static inline bool answer_by_kernel(gjk_question question, const gjk_placed *a, const gjk_placed *b,
                                    const gjk_pair_settings *settings, gjk_pair_answer *answer) {
    return gjk_flat_serves(a, b) && !(question == GJK_ASK_DISTANCE && settings->is_signed) &&
                   gjk_flat_may_choose(settings->solver)
               ? gjk_flat_answer(question, a, b, settings, answer)
               : gjk_answer_general(question, a, b, settings, answer);
}

/* Answers a pair and also runs the general method, for the recorder, if a kernel has decided it.
 * Separate from queries without a recorder, which thus need no stack frame of their own. */
static __attribute__((noinline)) void answer_recorded(gjk_question question, const gjk_placed *a,
                                                      const gjk_placed *b,
                                                      const gjk_pair_settings *settings,
                                                      gjk_pair_answer *answer) {
    if (answer_by_kernel(question, a, b, settings, answer)) {
        const pair_query query = query_of(question, a, b, settings);
        trace(a, b, &query);
    }
}

static inline __attribute__((always_inline)) void answer(gjk_question question, const gjk_placed *a,
                                                         const gjk_placed *b,
                                                         const gjk_pair_settings *settings,
                                                         gjk_pair_answer *result) {
    if (settings->recorder != NULL) {
        answer_recorded(question, a, b, settings, result);
    } else {
        (void)answer_by_kernel(question, a, b, settings, result);
    }
}

void gjk_detect_into(const gjk_placed *a, const gjk_placed *b, const gjk_detect_settings *settings,
                     gjk_detect_result *result) {
    answer(GJK_ASK_DETECT, a, b, settings, result);
}

void gjk_distance_into(const gjk_placed *a, const gjk_placed *b,
                       const gjk_distance_settings *settings, gjk_distance_result *result) {
    answer(GJK_ASK_DISTANCE, a, b, settings, result);
}

/* The penetration solvers: the expanding polytope algorithm after GJK, and the direct solvers by
 * the kinds of the pair. The interface is that of dyn4j's MinkowskiPenetrationSolver, extended by
 * bounds. */

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

const struct gjk_penetration_solver gjk_penetration_epa = {false, gjk_epa2, gjk_epa3};
const struct gjk_penetration_solver gjk_penetration_direct = {true, try_kinds2, try_kinds3};

/* Warm start of GJK (Cameron, Enhancing GJK, 1997): a query about a pair starts with the simplex or
 * the separating axis with which the previous one ended. Points are stored in the frames of their
 * shapes, so that they remain exact points of the shapes when these move. */

gjk_cache gjk_cache_make(void) {
    return (gjk_cache){.count = 0};
}

void gjk_cache_recall(const gjk_cache *cache, const gjk_frame3 *frame, gjk_simplex3 *simplex,
                      gjk_vec3 *heading) {
    if (cache->a != frame->a || cache->b != frame->b) {
        return;
    }
    if (cache->axis.x != 0.0 || cache->axis.y != 0.0 || cache->axis.z != 0.0) {
        *heading = cache->axis;
    }
    simplex->count = cache->count;
    for (uint32_t i = 0; i < cache->count; i++) {
        gjk_vertex3_make(frame, cache->on_a[i], cache->on_b[i], &simplex->vertex[i]);
    }
}

void gjk_cache_keep(gjk_cache *cache, const gjk_frame3 *frame, const gjk_simplex3 *simplex,
                    const gjk_vec3 *axis) {
    const double length = 1.0 / frame->unit;
    cache->a = frame->a;
    cache->b = frame->b;
    cache->axis = axis != NULL ? *axis : (gjk_vec3){0, 0, 0};
    cache->count = axis != NULL ? 0 : simplex->count;
    for (uint32_t i = 0; i < cache->count; i++) {
        cache->on_a[i] = gjk_scale3(length, simplex->vertex[i].a);
        cache->on_b[i] = simplex->vertex[i].own_b;
    }
}

/* The order of placed shapes of equal size: first by positions, which usually differ, then by all
 * other numbers that an answer can depend on. */

/* Compares two lists of numbers lexicographically. Returns a negative number, 0 or a positive
 * number. */
static int compare(const double *a, const double *b, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (a[i] != b[i]) {
            return a[i] < b[i] ? -1 : 1;
        }
    }
    return 0;
}

static int compare_vectors(gjk_vec3 a, gjk_vec3 b) {
    const double p[3] = {a.x, a.y, a.z}, q[3] = {b.x, b.y, b.z};
    return compare(p, q, 3);
}

static int compare_poses(const gjk_pose *a, const gjk_pose *b) {
    const gjk_vec3 p[4] = {a->position, a->rotation.r0, a->rotation.r1, a->rotation.r2};
    const gjk_vec3 q[4] = {b->position, b->rotation.r0, b->rotation.r1, b->rotation.r2};
    int order = 0;
    for (int i = 0; i < 4 && order == 0; i++) {
        order = compare_vectors(p[i], q[i]);
    }
    return order;
}

static int compare_shapes(const gjk_shape *a, const gjk_shape *b) {
    const double p[3] = {a->radius, a->type, a->count}, q[3] = {b->radius, b->type, b->count};
    const int order = compare(p, q, 3);
    if (order != 0 || a == b) {
        return order;
    }
    if (a->count > 0) {
        return compare(a->columns, b->columns, (size_t)a->dimension * a->stride);
    }
    const gjk_curve *c = &a->curve, *d = &b->curve;
    const int ends = compare_vectors(c->a, d->a);
    const int middle = ends != 0 ? ends : compare_vectors(c->b, d->b);
    return middle != 0 ? middle : compare(&c->radius, &d->radius, 1);
}

bool gjk_comes_first_of_equal_size(const gjk_placed *a, const gjk_placed *b) {
    const int order = compare_poses(&a->pose, &b->pose);
    return (order != 0 ? order : compare_shapes(a->shape, b->shape)) <= 0;
}
