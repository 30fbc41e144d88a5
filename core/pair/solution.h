#ifndef GJK_PAIR_SOLUTION_H
#define GJK_PAIR_SOLUTION_H

/*
 * What the kernels of either dimension answer about two cores (clouds without
 * their radii), and what they are asked to stop at.
 *
 * Everything is about the signed distance s of the cores, in the units of the
 * pair's frame: s = max over unit n of -h(n), h being the support function of the
 * Minkowski difference a - b. Any unit n therefore proves s >= -h(n), a separating
 * axis when positive and an upper bound of the depth when negative, and any convex
 * combination of points of a - b (when apart) or any polytope inside a - b that
 * holds the origin (when not) bounds s from above.
 */

#include "gjk/trace.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct gjk_goal {
    double radius;    /* of both balls: s of the shapes is s of the cores - radius */
    double tolerance; /* absolute, in frame units; not below rounding */
    uint32_t max_iterations;
    bool stop_separated;          /* a proof of s - radius > tolerance is enough */
    bool stop_overlapping;        /* a proof of s - radius < -tolerance is enough */
    const gjk_recorder *recorder; /* sees each step in the frame's axes and units; or NULL */
} gjk_goal;

/* What the bounds proved on the way. Kept once proven: it is the state of the pair. */
typedef enum gjk_proof { GJK_UNPROVEN, GJK_PROVEN_SEPARATED, GJK_PROVEN_OVERLAPPING } gjk_proof;

/* normal is the unit direction from a to b with -h(normal) = lower. */
typedef struct gjk_solution {
    double lower, upper; /* of s of the cores */
    gjk_vec3 normal;
    gjk_vec3 point_a, point_b; /* of the cores, in the frame */
    uint32_t iterations;
    gjk_proof proof;
    bool has_points; /* false when a proof ended the iteration */
} gjk_solution;

/* Nothing known yet. Field by field, which is faster than to clear and copy it whole. */
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

/* Whether the goal is reached by what is proven. */
static inline bool gjk_goal_reached(const gjk_goal *goal, const gjk_solution *solution) {
    return (goal->stop_separated && solution->proof == GJK_PROVEN_SEPARATED) ||
           (goal->stop_overlapping && solution->proof == GJK_PROVEN_OVERLAPPING);
}

/* Does the tolerance lie between two bounds of the depth of the cores? Then they do not tell
 * touching from overlapping yet, however near they are. */
static inline bool gjk_goal_between(const gjk_goal *goal, double least, double most) {
    return least + goal->radius <= goal->tolerance && most + goal->radius > goal->tolerance;
}

/* The same of bounds of s, for cores that are apart: their balls may overlap all the same. */
static inline bool gjk_goal_undecided(const gjk_goal *goal, double lower, double upper) {
    const double least = lower - goal->radius, most = upper - goal->radius;
    return (least <= goal->tolerance && most > goal->tolerance) ||
           (least < -goal->tolerance && most >= -goal->tolerance);
}

/*
 * Notes in the solution what its bounds prove, wanted or not: questions about one pair
 * that stop at different places must agree on its state. True when that is enough.
 */
static inline bool gjk_goal_proven(const gjk_goal *goal, gjk_solution *solution) {
    if (solution->proof == GJK_UNPROVEN && solution->lower - goal->radius > goal->tolerance) {
        solution->proof = GJK_PROVEN_SEPARATED;
    }
    if (solution->proof == GJK_UNPROVEN && solution->upper - goal->radius < -goal->tolerance) {
        solution->proof = GJK_PROVEN_OVERLAPPING;
    }
    return gjk_goal_reached(goal, solution);
}

#endif
