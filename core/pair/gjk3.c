/*
 * How far is the origin from a - b? Gilbert, Johnson and Keerthi 1988: walk the
 * simplex nearest the origin along support points. The stop is by duality (van den
 * Bergen 1999): |v| bounds the distance from above, the support plane along v from
 * below. Deviations: the search direction is the feature's own normal, not v, which
 * has no digits left near touching; clouds are iterated until a support vertex
 * repeats, so their answers are exact to rounding whatever the tolerance.
 */

#include "pair/kernels.h"

#include "base/larger.h"
#include "base/rounding.h"

/*
 * Steps that may leave |v| as it is. A step from a corner along an edge that leaves
 * the origin nearly sideways gains less than |v| has digits, yet it turns the next
 * search direction, and that gains.
 */
#define STALLS_MAX 4

/*
 * Steps that a pair of clouds goes on for when its bounds have met within rounding.
 * Bounds are right to all digits while v is still right to half of them; the next
 * support points, if new, mend v.
 */
#define CLOSES_MAX 2

static const char *const nearest_note[] = {"nearest is a corner", "nearest is on an edge",
                                           "nearest is in a face"};

static bool holds_vertex(const gjk_simplex3 *s, const gjk_vertex3 *vertex) {
    for (uint32_t i = 0; i < s->count; i++) {
        if (gjk_vertex3_same(&s->vertex[i], vertex)) {
            return true;
        }
    }
    return false;
}

/*
 * Keeps the best lower bound and the axis that proves it; away is -normal. Among
 * axes that prove the same within rounding the latest is kept: a bound of all
 * digits leaves half of them to its axis, and the latest fits the witness points.
 * Returns what this axis proves.
 */
static inline double raise_lower(gjk_solution *solution, gjk_vec3 away, const gjk_vertex3 *nearest,
                                 double rounding) {
    double bound = gjk_dot3(away, nearest->w);
    if (bound >= solution->lower - rounding) {
        solution->normal = gjk_neg3(away);
        solution->lower = gjk_larger(solution->lower, bound);
    }
    return bound;
}

static void record(const gjk_goal *goal, const gjk_solution *solution, gjk_vec3 away,
                   const gjk_vertex3 *vertex, const gjk_simplex3 *simplex, const char *note) {
    if (goal->recorder == NULL) {
        return;
    }
    gjk_trace_step step = {
        .phase = GJK_PHASE_GJK,
        .direction = gjk_neg3(away),
        .support_a = vertex->a,
        .support_b = vertex->b,
        .support_w = vertex->w,
        .simplex_count = simplex->count,
        .lower_bound = solution->lower,
        .upper_bound = solution->upper,
        .note = note,
    };
    gjk_vec3 closest = {0, 0, 0};
    for (uint32_t i = 0; i < simplex->count; i++) {
        step.simplex[i] = simplex->vertex[i].w;
        closest = gjk_add3(closest, gjk_scale3(simplex->weight[i], simplex->vertex[i].w));
    }
    step.closest = solution->upper > 0.0 ? closest : (gjk_vec3){0, 0, 0};
    goal->recorder->record(goal->recorder->user, &step);
}

/* Witness points. Weights that were mended may bring v nearer. */
static void finish(gjk_simplex3 *simplex, gjk_solution *solution) {
    gjk_simplex3_polish(simplex);
    gjk_simplex3_points(simplex, &solution->point_a, &solution->point_b);
    solution->has_points = true;
    if (simplex->count == 3) {
        gjk_vec3 v = gjk_sub3(solution->point_a, solution->point_b);
        solution->upper = gjk_smaller(solution->upper, gjk_length3(v));
    }
}

/* Nearly touching with bounds apart: |v| has too few digits left to be a direction. */
static bool touches(const gjk_solution *solution, const gjk_goal *goal, double close_enough) {
    return solution->upper <= gjk_larger(close_enough, goal->tolerance) &&
           solution->upper - solution->lower > close_enough;
}

/* Begins with points that are known. False when they hold the origin. */
static bool start_from(gjk_simplex3 *simplex, gjk_solution *solution, gjk_vec3 *away) {
    gjk_feature3 feature;
    if (gjk_simplex3_find(simplex, &feature)) {
        solution->upper = 0.0;
        return false;
    }
    gjk_simplex3_keep(simplex, &feature);
    solution->upper = sqrt(feature.squared);
    *away = gjk_simplex3_direction(simplex, &feature); /* of use if upper is beyond rounding */
    return true;
}

bool gjk_gjk3(const gjk_frame3 *frame, const gjk_goal *goal, gjk_simplex3 *simplex,
              gjk_solution *solution) {
    const double rounding = GJK_ROUNDING * frame->scale;
    gjk_vec3 away;
    const double close_enough = gjk_close_enough(frame->curved, rounding, goal->tolerance);
    const uint32_t closes_max = frame->curved ? 0 : CLOSES_MAX;
    if (simplex->count == 0) {
        away = gjk_neg3(frame->toward);
    } else if (!start_from(simplex, solution, &away)) {
        return true;
    }
    uint32_t stalls = 0, closes = 0;
    double bound = -INFINITY;
    while (solution->upper > rounding && solution->iterations < goal->max_iterations) {
        solution->iterations++;
        gjk_vertex3 *vertex = &simplex->vertex[simplex->count]; /* there is room for a fourth */
        const gjk_vec3 toward = gjk_neg3(away);
        gjk_support3_into(frame, &toward, vertex);
        bound = raise_lower(solution, away, vertex, rounding);
        if (gjk_goal_proven(goal, solution)) {
            record(goal, solution, away, vertex, simplex, "the bounds prove the state: done");
            return false;
        }
        bool undecided = gjk_goal_undecided(goal, bound, solution->upper);
        closes += solution->upper - bound <= (undecided ? rounding : close_enough);
        if (closes > closes_max || holds_vertex(simplex, vertex)) {
            record(goal, solution, away, vertex, simplex, "no support point gets nearer: done");
            break;
        }
        simplex->count++;
        gjk_feature3 feature;
        if (gjk_simplex3_find(simplex, &feature)) {
            solution->upper = 0.0;
            record(goal, solution, away, vertex, simplex, "the simplex holds the origin");
            return true;
        }
        double length = sqrt(feature.squared);
        stalls += length >= solution->upper;
        if (stalls > STALLS_MAX || length > solution->upper + rounding) {
            simplex->count--; /* rounding has the last word */
            break;
        }
        gjk_simplex3_keep(simplex, &feature);
        solution->upper = gjk_smaller(solution->upper, length);
        record(goal, solution, away, vertex, simplex, nearest_note[simplex->count - 1]);
        away = gjk_simplex3_direction(simplex, &feature);
    }
    bool settled = solution->iterations < goal->max_iterations;
    finish(simplex, solution);
    if (settled && solution->upper > 1e3 * rounding) {
        /* the normal of the very simplex that has the points, if |v| can tell a direction */
        solution->normal = gjk_neg3(away);
        solution->lower = frame->curved ? bound : solution->lower;
    }
    solution->lower = gjk_smaller(solution->lower, solution->upper);
    return settled && touches(solution, goal, close_enough);
}
