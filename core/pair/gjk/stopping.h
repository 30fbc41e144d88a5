#ifndef GJK_PAIR_GJK_STOPPING_H
#define GJK_PAIR_GJK_STOPPING_H

/* The rules by which GJK and EPA stop, which are the same in 2D and 3D. */

#include "base/numbers.h"
#include "pair/solution.h"

/* Steps that may leave |v| as it is. A step from a corner along an edge that passes the origin at a
 * right angle decreases |v| by less than its last digit, yet turns the search direction, and the
 * next step gains. */
#define GJK_STALLS_MAX 4

/* Steps that a pair of clouds is iterated further after its bounds have met within rounding. The
 * error of the bounds is quadratic in that of v, which then has half of its digits; the next
 * support points, if new, add the others. */
#define GJK_CLOSES_MAX 2

/* Steps beyond the limit that are given to round bodies which overlap by their radii alone, so that
 * the points are as far apart as the depth says. */
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
        .close_enough = gjk_close_enough(curved, rounding, tolerance),
        .closes_max = curved ? 0 : GJK_CLOSES_MAX,
        .curved = curved,
    };
}

/* Returns true if the depth of round bodies is what is left to find, and GJK finds it. */
static inline bool gjk_is_rounding(const gjk_progress *progress, const gjk_goal *goal,
                                   double upper) {
    return progress->curved && !goal->stop_overlapping && upper < goal->radius - goal->tolerance;
}

/* Returns true if the budget ends the iteration, which has points by then. */
static inline bool gjk_gives_up(const gjk_goal *goal, const gjk_solution *solution) {
    return gjk_budget_spend(goal->budget, goal->steps) && solution->upper < INFINITY;
}

/* Counts a step; false, and no step, when the limit is reached or the budget is spent. */
static inline bool gjk_goes_on(gjk_progress *progress, const gjk_goal *goal,
                               gjk_solution *solution) {
    const bool is_spent = gjk_gives_up(goal, solution);
    if (solution->iterations < goal->max_iterations && !is_spent) {
        solution->iterations++;
        return true;
    }
    progress->is_limited = is_spent || !gjk_is_rounding(progress, goal, solution->upper) ||
                           progress->extra++ == GJK_EXTRA_MAX;
    return !progress->is_limited;
}

/* Keeps the best lower bound and the axis that proves it. Among axes that prove the same within
 * rounding the latest is kept, because it fits the witness points best. */
static inline void gjk_raise_lower(gjk_solution *solution, gjk_vec3 normal, double bound,
                                   double rounding) {
    if (bound >= solution->lower - rounding) {
        solution->normal = normal;
        solution->lower = gjk_larger(solution->lower, bound);
    }
}

/* Returns true if the duality gap is closed. bound: the lower bound by the latest direction. */
static inline bool gjk_bounds_meet(gjk_progress *progress, const gjk_goal *goal, double bound,
                                   double upper) {
    /* points are to lie on round bodies, not in them */
    const bool has_to_meet = !goal->stop_separated || gjk_is_rounding(progress, goal, upper);
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
 * Sets the final bounds and normal. normal and bound: of the latest direction, that of the
 * simplex with the witness points, preferred unless |v| is too short for a direction, or the lower
 * bound of a cloud has another proof: a triangle with an edge far below rounding may face anywhere.
 * Returns true when EPA must decide: nearly touching with bounds apart.
 */
static inline bool gjk_finish(const gjk_progress *progress, const gjk_goal *goal, bool curved,
                              gjk_vec3 normal, double bound, gjk_solution *solution) {
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

/* The best normals after 5, 10, 20, ... iterations of EPA. Where these end before the bounds meet,
 * the depth descends from each, so that more iterations do not end in a worse place than fewer. */
#define GJK_STARTS_MAX 9

typedef struct gjk_starts {
    gjk_vec3 normal[GJK_STARTS_MAX];
    uint32_t count, next; /* next: the iteration of the next one */
} gjk_starts;

static inline void gjk_starts_keep(gjk_starts *starts, uint32_t iterations, gjk_vec3 normal) {
    if (iterations == starts->next && starts->count < GJK_STARTS_MAX - 1) {
        starts->normal[starts->count++] = normal;
        starts->next *= 2;
    }
}

/* Narrows the bounds by the face nearest the origin: the face at `inner` bounds the depth from
 * below, the support plane at `outer` from above. True when that reaches the goal. */
static inline bool gjk_epa_improve(const gjk_goal *goal, gjk_vec3 normal, double inner,
                                   double outer, double rounding, gjk_solution *solution) {
    if (inner >= 0.0) { /* else the origin lies outside, and GJK's bound stands */
        solution->upper = gjk_smaller(solution->upper, -inner);
    }
    gjk_raise_lower(solution, normal, -outer, rounding);
    return gjk_goal_proven(goal, solution);
}

/* Returns true if these bounds of the depth end EPA; in the last iteration a looser limit is
 * enough. */
static inline bool gjk_epa_settles(const gjk_goal *goal, double inner, double outer,
                                   double rounding, double close_enough, bool last) {
    const double enough = gjk_goal_between(goal, inner, outer) ? rounding : close_enough;
    return outer - inner <= (last ? 4.0 * goal->tolerance : enough);
}

#endif
