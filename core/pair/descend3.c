/*
 * Along which direction near this one are a and b least deep in each other? An expanding
 * polytope needs thousands of faces to tell that of a round body, whose depth is nearly the
 * same all around. But from one direction n one can go downhill. Move b out along n, by the
 * depth h(n) and some way beyond, so that it is apart, and look which points are nearest each
 * other then: between them the gap is at least as wide as along n, so h(m) <= h(n) for their
 * direction m; and where m is n they touch when b is moved back. That is the proximal point
 * algorithm (Rockafellar, Monotone Operators and the Proximal Point Algorithm, 1976); each
 * step is a distance, which GJK tells with points of both shapes, on faces and rims as well as
 * on curves. Deviation: from n to m and beyond it one looks ahead, twice as far each time, as
 * long as it leads down: a flat valley, as all around a shaft in its hub, takes a few such
 * leaps.
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
static gjk_solution look_from(const gjk_frame3 *frame, double tolerance, gjk_vec3 n, double depth) {
    const double beyond = gjk_larger(depth, BEYOND * frame->scale);
    const gjk_vec3 way = gjk_scale3(depth + beyond, n);
    const gjk_goal goal = {.tolerance = FINER * tolerance, .max_iterations = ITERATIONS_MAX};
    gjk_frame3 moved = *frame;
    gjk_simplex3 simplex = {.count = 0};
    gjk_solution solution;
    moved.translation = gjk_add3(frame->translation, way);
    moved.toward = n;
    gjk_solution_init(&solution);
    (void)gjk_gjk3(&moved, &goal, &simplex, &solution);
    solution.point_b = gjk_sub3(solution.point_b, way);
    return solution;
}

static double depth_along(const gjk_frame3 *frame, gjk_vec3 n) {
    return gjk_dot3(n, gjk_support3(frame, n).w);
}

/* On from one direction to the next and beyond, as long as it leads down. */
static void leap(const gjk_frame3 *frame, gjk_vec3 from, gjk_vec3 *to, double *depth) {
    gjk_vec3 step = gjk_sub3(*to, from);
    for (int i = 0; i < LEAPS_MAX; i++) {
        gjk_vec3 ahead = gjk_add3(*to, step);
        double length = gjk_length3(ahead);
        ahead = gjk_scale3(1.0 / length, ahead);
        double along = length > 0.0 ? depth_along(frame, ahead) : INFINITY;
        if (!(along < *depth)) {
            return;
        }
        *to = ahead;
        *depth = along;
        step = gjk_scale3(2.0, step);
    }
}

static void record(const gjk_goal *goal, const gjk_solution *solution, const gjk_vertex3 *vertex) {
    if (goal->recorder == NULL) {
        return;
    }
    gjk_vec3 nearest = gjk_sub3(solution->point_a, solution->point_b);
    gjk_trace_step step = {
        .phase = GJK_PHASE_EPA,
        .direction = solution->normal,
        .support_a = vertex->a,
        .support_b = vertex->b,
        .support_w = vertex->w,
        .simplex_count = 1,
        .simplex = {nearest},
        .closest = nearest,
        .lower_bound = solution->lower,
        .upper_bound = solution->upper,
        .note = "the faces are too few for this curve: on downhill from the best direction",
    };
    goal->recorder->record(goal->recorder->user, &step);
}

void gjk_descend3(const gjk_frame3 *frame, const gjk_goal *goal, gjk_solution *solution) {
    const double least = gjk_larger(GJK_ROUNDING * frame->scale, FINER * goal->tolerance);
    gjk_vec3 n = solution->normal;
    double depth = depth_along(frame, n);
    for (int i = 0; i < DESCENTS_MAX; i++) {
        gjk_solution found = look_from(frame, goal->tolerance, n, depth);
        gjk_vertex3 vertex = gjk_support3(frame, found.normal);
        double along = gjk_dot3(found.normal, vertex.w);
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
        gjk_vec3 from = n;
        n = found.normal;
        depth = along;
        leap(frame, from, &n, &depth);
    }
}
