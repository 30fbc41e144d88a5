/*
 * The proximal point algorithm (Rockafellar, Monotone Operators and the Proximal Point Algorithm,
 * 1976) for the penetration depth of round bodies: from a direction n it descends to a local
 * minimum of the depth h. EPA would need thousands of faces there, because the depth is nearly
 * constant all around. Each step moves b out along n by the depth h(n) and some way beyond, so that
 * the bodies are separated, and computes the nearest points by GJK. The gap along their direction m
 * is at least as wide as the gap along n, so h(m) <= h(n); if m equals n, the bodies touch when b
 * is moved back. Deviation: the line from n through m is searched further, in steps that double,
 * while the depth decreases. A flat valley, as all around a shaft in its hub, takes a few such
 * steps. One function serves 2D and 3D, with z = 0 in 2D.
 */

#include "pair/epa/descend.h"

#include "base/numbers.h"
#include "pair/epa/polytope.h"
#include "pair/kernels.h"
#include "pair/recording.h"

#define DESCENTS_MAX 24
#define LINE_STEPS_MAX 40

/* Iterations of each distance query. Few are needed, since the bodies are well apart. */
#define ITERATIONS_MAX 100

/* Tolerance of the distance queries relative to the goal's: the error of a nearest point is about
 * the square root of the error of the distance. */
#define FINER 0x1p-10

/* Least distance beyond touching by which b is moved, relative to the scale. */
#define BEYOND 0x1p-10

/* Computes the distance of the pair with b moved by `offset`, starting from the direction n. */
static void measure_moved(const gjk_either_frame *pair, gjk_vec3 offset, gjk_vec3 n,
                          const gjk_goal *goal, gjk_solution *solution) {
    gjk_solution_init(solution);
    if (pair->flat != NULL) {
        gjk_frame2 moved = *pair->flat;
        gjk_simplex2 simplex;
        moved.translation = gjk_add2(moved.translation, gjk_xy(offset));
        moved.toward = gjk_xy(n);
        (void)gjk_gjk2(&moved, goal, &simplex, solution);
    } else {
        gjk_frame3 moved = *pair->frame;
        gjk_simplex3 simplex = {.count = 0};
        moved.translation = gjk_add3(moved.translation, offset);
        moved.toward = n;
        moved.round = NULL;
        (void)gjk_gjk3(&moved, goal, &simplex, solution);
    }
}

/* Makes one proximal step from n: returns the nearest points with b moved out, with point_b moved
 * back. */
static gjk_solution proximal_step(const gjk_either_frame *pair, const gjk_goal *of_pair, gjk_vec3 n,
                                  double depth) {
    const double beyond = gjk_larger(depth, BEYOND * pair->scale);
    const gjk_vec3 offset = gjk_scale3(depth + beyond, n);
    const gjk_goal goal = {.tolerance = FINER * of_pair->tolerance,
                           .max_iterations = ITERATIONS_MAX,
                           .steps = of_pair->steps,
                           .budget = of_pair->budget};
    gjk_solution solution;
    measure_moved(pair, offset, n, &goal, &solution);
    solution.point_b = gjk_sub3(solution.point_b, offset);
    return solution;
}

/* Continues from the direction `from` through *to in doubling steps while the depth decreases.
 * *depth is the depth along *to. */
static void search_line(const gjk_either_frame *pair, gjk_vec3 from, gjk_vec3 *to, double *depth) {
    gjk_vec3 step = gjk_sub3(*to, from);
    for (int i = 0; i < LINE_STEPS_MAX; i++) {
        gjk_vec3 ahead = gjk_add3(*to, step);
        double length = gjk_length3(ahead);
        ahead = gjk_scale3(1.0 / length, ahead);
        double along = length > 0.0 ? gjk_either_depth(pair, ahead) : INFINITY;
        if (!(along < *depth)) {
            return;
        }
        *to = ahead;
        *depth = along;
        step = gjk_scale3(2.0, step);
    }
}

static void record_descent(const gjk_either_frame *pair, const gjk_goal *goal,
                           const gjk_solution *solution, const gjk_vertex3 *vertex) {
    if (goal->recorder == NULL) {
        return;
    }
    gjk_vec3 nearest = gjk_sub3(solution->point_a, solution->point_b);
    const gjk_traced_face point = {solution->normal, nearest, {nearest}, 1};
    gjk_record_epa(
        goal, solution, &point, vertex,
        pair->flat != NULL
            ? "the edges are too few for this curve: on downhill from the best direction"
            : "the faces are too few for this curve: on downhill from the best direction");
}

static void descend(const gjk_either_frame *pair, const gjk_goal *goal, gjk_solution *solution) {
    const double least = gjk_larger(GJK_ROUNDING * pair->scale, FINER * goal->tolerance);
    gjk_vec3 n = solution->normal;
    double depth = gjk_either_depth(pair, n);
    for (int i = 0; i < DESCENTS_MAX && !gjk_budget_is_spent(goal->budget); i++) {
        gjk_solution found = proximal_step(pair, goal, n, depth);
        gjk_vertex3 vertex = gjk_either_support(pair, found.normal);
        double along = gjk_dot3(found.normal, vertex.w);
        if (!(along <= depth + least)) {
            return;
        }
        solution->normal = found.normal;
        solution->lower = -along;
        solution->point_a = found.point_a;
        solution->point_b = found.point_b;
        record_descent(pair, goal, solution, &vertex);
        if (along >= depth - least) {
            return;
        }
        gjk_vec3 from = n;
        n = found.normal;
        depth = along;
        search_line(pair, from, &n, &depth);
    }
}

void gjk_descend_all(const gjk_either_frame *pair, const gjk_goal *goal, gjk_starts *starts,
                     gjk_solution *solution) {
    gjk_solution best = *solution;
    starts->normal[starts->count++] = solution->normal;
    for (uint32_t i = 0; i < starts->count; i++) {
        gjk_solution trial = *solution;
        trial.normal = starts->normal[i];
        trial.lower = -INFINITY;
        descend(pair, goal, &trial);
        if (trial.lower > best.lower) {
            best = trial;
        }
    }
    *solution = best;
}

/*
 * Exit point of the ray from the origin along the normal out of a - b.
 */

/* Largest number of ray directions to try. */
#define TURNS_MAX 24

/* Sets the next direction *n of a search for a local minimum of the depth. `ahead` is the normal of
 * a - b where the ray along *n leaves, so the depth along it is less unless it equals *n; the
 * search continues beyond it. Returns false if rounding hides whether the depth is less. */
static bool turn_ahead(const gjk_either_frame *pair, gjk_vec3 ahead, double depth, gjk_vec3 *n) {
    double next = gjk_either_depth(pair, ahead);
    if (!(next < depth)) {
        return false;
    }
    search_line(pair, *n, &ahead, &next);
    *n = ahead;
    return true;
}

bool gjk_find_exit(const gjk_either_frame *pair, void *polytope, gjk_push_out_along *leave,
                   gjk_solution *solution) {
    const double rounding = GJK_ROUNDING * pair->scale;
    gjk_solution trial = *solution;
    uint32_t room = GJK_POLYTOPE_EXIT_MAX;
    bool found = false;
    gjk_vec3 ahead;
    for (int turn = 0; turn < TURNS_MAX && leave(polytope, pair, &room, &trial, &ahead); turn++) {
        const double left = -trial.lower, depth = gjk_either_depth(pair, trial.normal);
        const bool meets = depth - left <= 4.0 * rounding;
        trial.lower = meets ? -depth : -left;
        *solution = trial;
        found = true;
        if (depth - left <= 0.5 * rounding || !turn_ahead(pair, ahead, depth, &trial.normal)) {
            break;
        }
    }
    return found;
}
