/*
 * How far is the origin from a - b? The 2D twin of gjk3.c, where the method and its
 * sources are told.
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

static const char *const nearest_note[] = {"nearest is a corner", "nearest is on an edge"};

static bool holds_vertex(const gjk_simplex2 *s, const gjk_vertex2 *vertex) {
    for (uint32_t i = 0; i < s->count; i++) {
        if (gjk_vertex2_same(&s->vertex[i], vertex)) {
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
static double raise_lower(gjk_solution *solution, gjk_vec2 away, const gjk_vertex2 *nearest,
                          double rounding) {
    double bound = gjk_dot2(away, nearest->w);
    if (bound >= solution->lower - rounding) {
        solution->normal = gjk_xy0(gjk_neg2(away));
        solution->lower = gjk_larger(solution->lower, bound);
    }
    return bound;
}

static void record(const gjk_goal *goal, const gjk_solution *solution, gjk_vec2 away,
                   const gjk_vertex2 *vertex, const gjk_simplex2 *simplex, const char *note) {
    if (goal->recorder == NULL) {
        return;
    }
    gjk_trace_step step = {
        .phase = GJK_PHASE_GJK,
        .direction = gjk_xy0(gjk_neg2(away)),
        .support_a = gjk_xy0(vertex->a),
        .support_b = gjk_xy0(vertex->b),
        .support_w = gjk_xy0(vertex->w),
        .simplex_count = simplex->count,
        .lower_bound = solution->lower,
        .upper_bound = solution->upper,
        .note = note,
    };
    gjk_vec2 closest = {0, 0};
    for (uint32_t i = 0; i < simplex->count; i++) {
        step.simplex[i] = gjk_xy0(simplex->vertex[i].w);
        closest = gjk_add2(closest, gjk_scale2(simplex->weight[i], simplex->vertex[i].w));
    }
    step.closest = solution->upper > 0.0 ? gjk_xy0(closest) : (gjk_vec3){0, 0, 0};
    goal->recorder->record(goal->recorder->user, &step);
}

/* Witness points. */
static void finish(const gjk_simplex2 *simplex, gjk_solution *solution) {
    gjk_vec2 point_a, point_b;
    gjk_simplex2_points(simplex, &point_a, &point_b);
    solution->point_a = gjk_xy0(point_a);
    solution->point_b = gjk_xy0(point_b);
    solution->has_points = true;
}

/* Nearly touching with bounds apart: |v| has too few digits left to be a direction. */
static bool touches(const gjk_solution *solution, const gjk_goal *goal, double close_enough) {
    return solution->upper <= gjk_larger(close_enough, goal->tolerance) &&
           solution->upper - solution->lower > close_enough;
}

bool gjk_gjk2(const gjk_frame2 *frame, const gjk_goal *goal, gjk_simplex2 *simplex,
              gjk_solution *solution) {
    const double rounding = GJK_ROUNDING * frame->scale;
    gjk_vec2 away = gjk_neg2(frame->toward);
    const double close_enough = gjk_close_enough(frame->curved, rounding, goal->tolerance);
    simplex->count = 0;
    const uint32_t closes_max = frame->curved ? 0 : CLOSES_MAX;
    uint32_t stalls = 0, closes = 0;
    double bound = -INFINITY;
    while (solution->iterations < goal->max_iterations) {
        solution->iterations++;
        gjk_vertex2 vertex = gjk_support2(frame, gjk_neg2(away));
        bound = raise_lower(solution, away, &vertex, rounding);
        if (gjk_goal_proven(goal, solution)) {
            record(goal, solution, away, &vertex, simplex, "the bounds prove the state: done");
            return false;
        }
        bool undecided = gjk_goal_undecided(goal, bound, solution->upper);
        closes += solution->upper - bound <= (undecided ? rounding : close_enough);
        if (closes > closes_max || holds_vertex(simplex, &vertex)) {
            record(goal, solution, away, &vertex, simplex, "no support point gets nearer: done");
            break;
        }
        simplex->vertex[simplex->count++] = vertex;
        gjk_feature2 feature;
        if (gjk_simplex2_find(simplex, &feature)) {
            solution->upper = 0.0;
            record(goal, solution, away, &vertex, simplex, "the simplex holds the origin");
            return true;
        }
        double length = sqrt(feature.squared);
        stalls += length >= solution->upper;
        if (stalls > STALLS_MAX || length > solution->upper + rounding) {
            simplex->count--; /* rounding has the last word */
            break;
        }
        gjk_simplex2_keep(simplex, &feature);
        solution->upper = gjk_smaller(solution->upper, length);
        record(goal, solution, away, &vertex, simplex, nearest_note[simplex->count - 1]);
        if (length <= rounding) {
            break;
        }
        away = gjk_simplex2_direction(simplex, feature.nearest);
    }
    bool settled = solution->iterations < goal->max_iterations;
    finish(simplex, solution);
    if (settled && solution->upper > 1e3 * rounding) {
        /* the normal of the very simplex that has the points, if |v| can tell a direction */
        solution->normal = gjk_xy0(gjk_neg2(away));
        solution->lower = frame->curved ? bound : solution->lower;
    }
    solution->lower = gjk_smaller(solution->lower, solution->upper);
    return settled && touches(solution, goal, close_enough);
}
