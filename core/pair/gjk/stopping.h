#ifndef GJK_PAIR_GJK_STOPPING_H
#define GJK_PAIR_GJK_STOPPING_H

/* Stopping rules of GJK and EPA, common to 2D and 3D. */

#include "base/numbers.h"
#include "pair/solution.h"

/* Steps that may leave |v| unchanged. A step from a corner along an edge that passes the origin at
 * a right angle shortens |v| by less than its last digit, yet turns the search direction, and the
 * next step gains. */
#define GJK_STALLS_MAX 4

/* Further steps for a pair of clouds after its bounds have met within rounding. The error of the
 * bounds is quadratic in the error of v, which then has half of its digits; new support points add
 * the others. */
#define GJK_CLOSES_MAX 2

/* Steps beyond the limit for round bodies that overlap only by their radii, so that the distance of
 * the points equals the depth. */
#define GJK_EXTRA_MAX 200

/* The progress of one run of GJK. */
typedef struct gjk_progress {
    double rounding, close_enough;
    uint32_t closes, closes_max, stalls, extra;
    bool curved, is_limited;
} gjk_progress;

static inline gjk_progress gjk_progress_make(bool curved, double scale, double tolerance) {
    const double rounding = GJK_ROUNDING * scale;
    return (gjk_progress){
        .rounding = rounding,
        .close_enough = gjk_final_gap(curved, rounding, tolerance),
        .closes_max = curved ? 0 : GJK_CLOSES_MAX,
        .curved = curved,
    };
}

/* Returns true if only the depth of round bodies is left to find, which GJK finds. */
static inline bool gjk_only_radii_overlap(const gjk_progress *progress, const gjk_goal *goal,
                                          double upper) {
    return progress->curved && !goal->stop_overlapping && upper < goal->radius - goal->tolerance;
}

/* Counts a step. Returns false, without a step, if the limit is reached or the budget is spent. */
static inline bool gjk_count_step(gjk_progress *progress, const gjk_goal *goal,
                                  gjk_solution *solution) {
    /* The first step is made even if the budget is spent: it finds the points of the answer. */
    const bool is_spent = gjk_budget_spend(goal->budget, goal->steps) && solution->upper < INFINITY;
    if (solution->iterations < goal->max_iterations && !is_spent) {
        solution->iterations++;
        return true;
    }
    progress->is_limited = is_spent || !gjk_only_radii_overlap(progress, goal, solution->upper) ||
                           progress->extra++ == GJK_EXTRA_MAX;
    return !progress->is_limited;
}

/* Keeps the best lower bound and the axis that proves it. Among axes with equal bounds within
 * rounding it keeps the latest, which fits the witness points best. */
static inline void gjk_raise_lower(gjk_solution *solution, gjk_vec3 normal, double bound,
                                   double rounding) {
    if (bound >= solution->lower - rounding) {
        solution->normal = normal;
        solution->lower = gjk_larger(solution->lower, bound);
    }
}

/* Returns true if the duality gap is closed. `bound` is the lower bound by the latest direction. */
static inline bool gjk_bounds_meet(gjk_progress *progress, const gjk_goal *goal, double bound,
                                   double upper) {
    /* witness points must lie on round bodies, not inside */
    const bool has_to_meet = !goal->stop_separated || gjk_only_radii_overlap(progress, goal, upper);
    const bool undecided = gjk_goal_undecided(goal, bound, upper) || has_to_meet;
    progress->closes += upper - bound <= (undecided ? progress->rounding : progress->close_enough);
    return progress->closes > progress->closes_max;
}

/* Returns true if a step to a simplex at distance `length` gains no more than rounding. */
static inline bool gjk_is_stalled(gjk_progress *progress, double upper, double length) {
    progress->stalls += length >= upper;
    return progress->stalls > GJK_STALLS_MAX || length > upper + progress->rounding;
}

/*
 * Sets the final bounds and normal. normal and bound belong to the latest direction, that of the
 * simplex with the witness points. They are preferred unless |v| is too short for a direction, or
 * another axis proves the lower bound of a cloud: a triangle with an edge far below rounding may
 * have any normal. Returns true if EPA must decide: nearly touching with bounds apart.
 */
static inline bool gjk_set_final_bounds(const gjk_progress *progress, const gjk_goal *goal,
                                        bool curved, gjk_vec3 normal, double bound,
                                        gjk_solution *solution) {
    const bool settled = !progress->is_limited;
    const bool proves = curved || bound >= solution->lower - 4.0 * progress->rounding;
    if (settled && proves && solution->upper > 1e3 * progress->rounding) {
        solution->normal = normal;
        solution->lower = curved ? bound : solution->lower;
    }
    solution->lower = gjk_smaller(solution->lower, solution->upper);
    return settled && solution->upper <= gjk_larger(progress->close_enough, goal->tolerance) &&
           solution->upper - solution->lower > progress->close_enough;
}

/* The best normals after 5, 10, 20, ... iterations of EPA. If EPA ends before the bounds meet, the
 * depth descends from each of them, so that more iterations never give a worse result than
 * fewer. */
#define GJK_STARTS_MAX 9

typedef struct gjk_starts {
    gjk_vec3 normal[GJK_STARTS_MAX];
    uint32_t count, next; /* next: iteration of the next normal to keep */
} gjk_starts;

static inline void gjk_keep_start(gjk_starts *starts, uint32_t iterations, gjk_vec3 normal) {
    if (iterations == starts->next && starts->count < GJK_STARTS_MAX - 1) {
        starts->normal[starts->count++] = normal;
        starts->next *= 2;
    }
}

/* Narrows the bounds by the face nearest the origin: the face at `inner` is a lower bound of the
 * depth, the support plane at `outer` an upper bound. Returns true if that reaches the goal. */
static inline bool gjk_epa_improve(const gjk_goal *goal, gjk_vec3 normal, double inner,
                                   double outer, double rounding, gjk_solution *solution) {
    if (inner >= 0.0) { /* else the origin is outside, and GJK's bound remains */
        solution->upper = gjk_smaller(solution->upper, -inner);
    }
    gjk_raise_lower(solution, normal, -outer, rounding);
    return gjk_goal_proven(goal, solution);
}

/* Returns true if these bounds of the depth end EPA; the last iteration accepts a wider gap. */
static inline bool gjk_epa_settles(const gjk_goal *goal, double inner, double outer,
                                   double rounding, double close_enough, bool last) {
    const double enough = gjk_goal_between(goal, inner, outer) ? rounding : close_enough;
    return outer - inner <= (last ? 4.0 * goal->tolerance : enough);
}

#endif
