#ifndef GJK_PAIR_SOLUTION_H
#define GJK_PAIR_SOLUTION_H

/*
 * The goal and the solution of the kernels, in both dimensions, for two cores (clouds without their
 * radii).
 *
 * Both refer to the signed distance s of the cores, in units of the pair's frame: s = max over unit
 * n of -h(n), where h is the support function of the Minkowski difference a - b. Any unit n
 * therefore proves s >= -h(n): n is a separating axis if the bound is positive, and gives an upper
 * bound of the depth if it is negative. Any convex combination of points of a - b (separated
 * cores), or any polytope inside a - b that contains the origin (overlapping cores), is an upper
 * bound of s.
 */

#include "base/numbers.h"
#include "gjk/budget.h"
#include "gjk/trace.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct gjk_goal {
    double radius;    /* sum of both radii: s of the shapes is s of the cores minus radius */
    double tolerance; /* absolute, in frame units; at least rounding */
    uint32_t max_iterations;
    uint32_t steps;               /* budget steps of one iteration */
    gjk_budget *budget;           /* ends the iteration like the limit; NULL: no limit */
    bool stop_separated;          /* a proof of s - radius > tolerance is enough */
    bool stop_overlapping;        /* a proof of s - radius < -tolerance is enough */
    const gjk_recorder *recorder; /* receives each step in the frame's axes and units; or NULL */
} gjk_goal;

/* State of the pair that the bounds have proven; never changes back. */
typedef enum gjk_proof { GJK_UNPROVEN, GJK_PROVEN_SEPARATED, GJK_PROVEN_OVERLAPPING } gjk_proof;

/* Solution of the kernels. normal is the unit direction from a to b with -h(normal) = lower. */
typedef struct gjk_solution {
    double lower, upper; /* bounds of s of the cores */
    gjk_vec3 normal;
    gjk_vec3 point_a, point_b; /* points of the cores, in the frame */
    uint32_t iterations;
    gjk_proof proof;
    bool has_points; /* false if a proof ended the iteration */
} gjk_solution;

/* Initialises an empty solution, member by member, which is faster than clearing and copying. */
static inline void gjk_solution_init(gjk_solution *solution) {
    const gjk_vec3 none = {0, 0, 0};
    solution->lower = -INFINITY;
    solution->upper = INFINITY;
    solution->normal = none;
    solution->point_a = none;
    solution->point_b = none;
    solution->iterations = 0;
    solution->proof = GJK_UNPROVEN;
    solution->has_points = false;
}

/* Returns true if the proof reaches the goal. */
static inline bool gjk_goal_reached(const gjk_goal *goal, const gjk_solution *solution) {
    return (goal->stop_separated && solution->proof == GJK_PROVEN_SEPARATED) ||
           (goal->stop_overlapping && solution->proof == GJK_PROVEN_OVERLAPPING);
}

/* Returns true if the tolerance lies between two bounds of the depth of the cores: touching and
 * overlapping are then still undecided, however close the bounds are. */
static inline bool gjk_goal_between(const gjk_goal *goal, double least, double most) {
    return least + goal->radius <= goal->tolerance && most + goal->radius > goal->tolerance;
}

/* Returns true if bounds of s of separated cores, which may still overlap by their radii, leave the
 * state undecided. */
static inline bool gjk_goal_undecided(const gjk_goal *goal, double lower, double upper) {
    const double least = lower - goal->radius, most = upper - goal->radius;
    return (least <= goal->tolerance && most > goal->tolerance) ||
           (least < -goal->tolerance && most >= -goal->tolerance);
}

/* Records what the bounds prove, whatever the goal, because queries about one pair that stop at
 * different points must agree on its state. Returns true if the proof reaches the goal. */
static inline bool gjk_goal_proven(const gjk_goal *goal, gjk_solution *solution) {
    if (solution->proof == GJK_UNPROVEN && solution->lower - goal->radius > goal->tolerance) {
        solution->proof = GJK_PROVEN_SEPARATED;
    }
    if (solution->proof == GJK_UNPROVEN && solution->upper - goal->radius < -goal->tolerance) {
        solution->proof = GJK_PROVEN_OVERLAPPING;
    }
    return gjk_goal_reached(goal, solution);
}

/* Joins bounds that differ by rounding only, a few units in the last place of the larger of the
 * size and the distance: up to about two units at the bound that the witness points attain, else in
 * the middle. No tolerance could bring them closer. */
static inline void gjk_close_bounds(double size, double *lower, double *upper) {
    const double magnitude = GJK_ROUNDING * gjk_larger(size, fabs(*upper));
    *lower = gjk_smaller(*lower, *upper);
    const double gap = *upper - *lower;
    if (gap > 1.25 * magnitude) {
        return;
    }
    const double witnessed = *upper > 0.0 ? *upper : *lower;
    const double joined = gap <= 0.5 * magnitude ? witnessed : *lower + 0.5 * gap;
    *lower = joined;
    *upper = joined;
}

#endif
