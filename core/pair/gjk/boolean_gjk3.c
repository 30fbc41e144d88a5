/*
 * Boolean GJK (Muratori, Implementing GJK, 2006). Most pairs are far from touching, and a few
 * support points prove their state: by one support plane beyond the origin or a tetrahedron around
 * it. These first steps of GJK use the cheapest arithmetic: directions are not normalised, and
 * floating-point signs decide Voronoi regions. Only the two proofs are relied on, whose bounds hold
 * despite rounding. Pairs that nearly touch, are thin or flat remain undecided and are left to
 * gjk3.c. All queries about a pair take these steps, so that they agree on its state.
 */

#include "pair/gjk/reduce.h"
#include "pair/kernels.h"

/* Steps before the pair is left to the general method. */
#define STEPS_MAX 10

typedef struct search3 {
    search near;                       /* on_a holds indices into vertex */
    gjk_vertex3 vertex[STEPS_MAX + 4]; /* the initial ones, then in the order of discovery */
    uint32_t found;
} search3;

/* Returns true if the support plane through the newest point proves the pair separated. */
static bool prove_separated(const search *s, double along, const gjk_goal *goal,
                            gjk_solution *solution) {
    if (!(along < 0.0)) {
        return false;
    }
    const double squared = gjk_dot3(s->direction, s->direction), length = sqrt(squared);
    if (!(squared > GJK_SQUARED_TINY && -along > (goal->radius + goal->tolerance) * length)) {
        return false;
    }
    solution->normal = gjk_scale3(1.0 / length, s->direction);
    solution->lower = -along / length;
    solution->proof = GJK_PROVEN_SEPARATED;
    return true;
}

/* Reduces the simplex. Returns true if it proves the state or the search cannot continue. */
static bool ends_here(search *s, double scale, const gjk_goal *goal, gjk_solution *solution) {
    const bool contains = reduce_simplex(s, margin_of(goal->tolerance, scale), false);
    if (contains) {
        solution->upper = 0.0;
    }
    if (contains || is_within_radius(s, goal->radius, goal->tolerance, scale)) {
        solution->proof = GJK_PROVEN_OVERLAPPING;
        return true;
    }
    return s->count == 4 || !(gjk_dot3(s->direction, s->direction) > 0.0);
}

/* Adds the next support point. Returns true if the search ends: by a proof, or because no nearer
 * point exists. */
static bool step_ends(const gjk_frame3 *frame, const gjk_goal *goal, search3 *all,
                      gjk_solution *solution) {
    search *s = &all->near;
    GJK_CHECK(s->count < 4 && all->found < STEPS_MAX + 4);
    gjk_vertex3 *vertex = &all->vertex[all->found];
    vertex->w = (gjk_vec3){0, 0, 0}; /* for analysers that cannot tell that the call sets w */
    gjk_support3_into(frame, &s->direction, vertex);
    solution->iterations++;
    for (uint32_t i = 0; i < s->count; i++) {
        if (vertex->w.x == s->w[i].x && vertex->w.y == s->w[i].y && vertex->w.z == s->w[i].z) {
            (void)prove_separated(s, gjk_dot3(s->direction, vertex->w), goal, solution);
            return true;
        }
    }
    gjk_vec3_copy(&vertex->w, &s->w[s->count]);
    s->on_a[s->count] = s->on_b[s->count] = all->found++;
    s->count++;
    double along = gjk_dot3(s->direction, vertex->w);
    return prove_separated(s, along, goal, solution) || (along <= 0.0 && goal->radius == 0.0);
}

bool gjk_boolean3(const gjk_frame3 *frame, const gjk_vec3 *direction, const gjk_goal *goal,
                  gjk_simplex3 *simplex, gjk_solution *solution) {
    const uint32_t half = goal->max_iterations / 2, steps_max = half < STEPS_MAX ? half : STEPS_MAX;
    search3 all;
    search *s = &all.near;
    gjk_vec3_copy(direction, &s->direction);
    s->count = all.found = simplex->count;
    s->upper_squared = s->upper_scale = 0.0;
    for (uint32_t i = 0; i < simplex->count; i++) {
        all.vertex[i] = simplex->vertex[i];
        s->w[i] = simplex->vertex[i].w;
        s->on_a[i] = s->on_b[i] = i;
    }
    for (uint32_t step = 0; step < steps_max; step++) {
        if ((gjk_budget_spend(goal->budget, goal->steps) && s->count > 0) ||
            (s->count > 0 && ends_here(s, frame->scale, goal, solution)) ||
            step_ends(frame, goal, &all, solution)) {
            break;
        }
    }
    simplex->count = s->count;
    for (uint32_t i = 0; i < s->count; i++) {
        gjk_vertex3_copy(&all.vertex[s->on_a[i]], &simplex->vertex[i]);
    }
    return gjk_goal_reached(goal, solution);
}
