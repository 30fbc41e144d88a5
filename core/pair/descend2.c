/*
 * Along which direction near this one are a and b least deep in each other? The 2D twin of
 * descend3.c, where the method and its source are told.
 */

#include "pair/kernels.h"

#include "base/larger.h"
#include "base/rounding.h"

#define DESCENTS_MAX 24
#define LEAPS_MAX 40

/* Iterations of each distance. Few are needed: the shapes are well apart. */
#define ITERATIONS_MAX 100

/* Of the tolerance: nearest points are as near to their place as the square root of a gap. */
#define FINER 0x1p-10

/* How far beyond touching b is moved, at least, relative to the scale. */
#define BEYOND 0x1p-10

/* What is nearest when b is moved out along n; the points with b where it was. */
static gjk_solution look_from(const gjk_frame2 *frame, double tolerance, gjk_vec2 n, double depth) {
    const double beyond = gjk_larger(depth, BEYOND * frame->scale);
    const gjk_vec2 way = gjk_scale2(depth + beyond, n);
    const gjk_goal goal = {.tolerance = FINER * tolerance, .max_iterations = ITERATIONS_MAX};
    gjk_frame2 moved = *frame;
    gjk_simplex2 simplex;
    gjk_solution solution;
    moved.translation = gjk_add2(frame->translation, way);
    moved.toward = n;
    gjk_solution_init(&solution);
    (void)gjk_gjk2(&moved, &goal, &simplex, &solution);
    solution.point_b = gjk_sub3(solution.point_b, gjk_xy0(way));
    return solution;
}

static double depth_along(const gjk_frame2 *frame, gjk_vec2 n) {
    return gjk_dot2(n, gjk_support2(frame, n).w);
}

/* On from one direction to the next and beyond, as long as it leads down. */
static void leap(const gjk_frame2 *frame, gjk_vec2 from, gjk_vec2 *to, double *depth) {
    gjk_vec2 step = gjk_sub2(*to, from);
    for (int i = 0; i < LEAPS_MAX; i++) {
        gjk_vec2 ahead = gjk_add2(*to, step);
        double length = gjk_length2(ahead);
        ahead = gjk_scale2(1.0 / length, ahead);
        double along = length > 0.0 ? depth_along(frame, ahead) : INFINITY;
        if (!(along < *depth)) {
            return;
        }
        *to = ahead;
        *depth = along;
        step = gjk_scale2(2.0, step);
    }
}

static void record(const gjk_goal *goal, const gjk_solution *solution, const gjk_vertex2 *vertex) {
    if (goal->recorder == NULL) {
        return;
    }
    gjk_vec3 nearest = gjk_sub3(solution->point_a, solution->point_b);
    gjk_trace_step step = {
        .phase = GJK_PHASE_EPA,
        .direction = solution->normal,
        .support_a = gjk_xy0(vertex->a),
        .support_b = gjk_xy0(vertex->b),
        .support_w = gjk_xy0(vertex->w),
        .simplex_count = 1,
        .simplex = {nearest},
        .closest = nearest,
        .lower_bound = solution->lower,
        .upper_bound = solution->upper,
        .note = "the edges are too few for this curve: on downhill from the best direction",
    };
    goal->recorder->record(goal->recorder->user, &step);
}

void gjk_descend2(const gjk_frame2 *frame, const gjk_goal *goal, gjk_solution *solution) {
    const double least = gjk_larger(GJK_ROUNDING * frame->scale, FINER * goal->tolerance);
    gjk_vec2 n = gjk_xy(solution->normal);
    double depth = depth_along(frame, n);
    for (int i = 0; i < DESCENTS_MAX; i++) {
        gjk_solution found = look_from(frame, goal->tolerance, n, depth);
        gjk_vertex2 vertex = gjk_support2(frame, gjk_xy(found.normal));
        double along = gjk_dot2(gjk_xy(found.normal), vertex.w);
        if (!(along <= depth + least)) {
            return;
        }
        solution->normal = found.normal;
        solution->lower = -along;
        solution->point_a = found.point_a;
        solution->point_b = found.point_b;
        record(goal, solution, &vertex);
        if (along >= depth - least) {
            return;
        }
        gjk_vec2 from = n;
        n = gjk_xy(found.normal);
        depth = along;
        leap(frame, from, &n, &depth);
    }
}
