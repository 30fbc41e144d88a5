/* The expanding polytope algorithm in 2D: the twin of epa3.c, which describes the method and its
 * source. */

#include "pair/kernels.h"

#include "base/numbers.h"
#include "base/predicate.h"
#include "pair/epa/descend.h"
#include "pair/epa/polytope.h"
#include "pair/gjk/stopping.h"
#include "pair/recording.h"

/* A tolerance of more than this many roundings leaves room for a better direction. */
#define LOOSE 0x1p26

/* Initial corners of EPA's polytope. */
typedef struct gjk_seed2 {
    gjk_vertex2 corner[3];
    uint32_t count;
    gjk_vec2 flat; /* if count < 3: a unit direction in which a - b has no width */
} gjk_seed2;

/* Returns the distance of w from `from` along n. */
static double distance_along(gjk_vec2 from, gjk_vec2 w, gjk_vec2 n) {
    return fabs(gjk_dot2(n, gjk_sub2(w, from)));
}

/* Returns the support point along n or -n that is farther from `from` along n. */
static gjk_vertex2 farther_support(const gjk_frame2 *frame, gjk_vec2 from, gjk_vec2 n) {
    gjk_vertex2 p = gjk_support2(frame, n), q = gjk_support2(frame, gjk_neg2(n));
    return distance_along(from, p.w, n) >= distance_along(from, q.w, n) ? p : q;
}

/* Adds the second corner: the support along +-x, +-y farthest from the first. */
static bool add_second(const gjk_frame2 *frame, double thin, gjk_seed2 *seed) {
    double most = thin;
    for (int axis = 0; axis < 2; axis++) {
        gjk_vec2 n = {axis == 0, axis == 1};
        gjk_vertex2 v = farther_support(frame, seed->corner[0].w, n);
        if (distance_along(seed->corner[0].w, v.w, n) > most) {
            most = distance_along(seed->corner[0].w, v.w, n);
            seed->corner[1] = v;
            seed->count = 2;
        }
    }
    seed->flat = frame->toward;
    return seed->count == 2;
}

/* Adds the third corner, far from the line of the first two. */
static bool add_third(const gjk_frame2 *frame, double thin, gjk_seed2 *seed) {
    const gjk_vertex2 *c = seed->corner;
    gjk_vec2 n = gjk_right2(gjk_sub2(c[1].w, c[0].w));
    n = gjk_scale2(1.0 / gjk_length2(n), n);
    seed->corner[2] = farther_support(frame, c[0].w, n);
    seed->flat = n;
    if (distance_along(c[0].w, c[2].w, n) <= thin ||
        gjk_orient2_sign(c[0].w, c[1].w, c[2].w) == 0) {
        return false;
    }
    seed->count = 3;
    return true;
}

/* Extends the last simplex of GJK to a triangle. Returns false if a - b is flat. */
static bool grow_seed(const gjk_frame2 *frame, const gjk_simplex2 *simplex, gjk_seed2 *seed) {
    const double thin = 8 * GJK_ROUNDING * frame->scale;
    seed->count = simplex->count;
    seed->flat = frame->toward;
    for (uint32_t i = 0; i < simplex->count; i++) {
        seed->corner[i] = simplex->vertex[i];
    }
    return (seed->count >= 2 || add_second(frame, thin, seed)) &&
           (seed->count >= 3 || add_third(frame, thin, seed));
}

/* Returns the feature of an edge nearest to the projection of the origin on the nearest line. */
static gjk_feature2 nearest_feature(const struct gjk_polytope2 *polytope, uint32_t edge,
                                    gjk_vec2 foot, gjk_simplex2 *segment) {
    gjk_feature2 feature;
    segment->count = 2;
    segment->vertex[0] = polytope->vertex[edge];
    segment->vertex[1] = polytope->vertex[polytope->edge[edge].next];
    segment->vertex[0].w = gjk_sub2(segment->vertex[0].w, foot);
    segment->vertex[1].w = gjk_sub2(segment->vertex[1].w, foot);
    (void)gjk_simplex2_find(segment, &feature);
    return feature;
}

/* Sets the witness points, whose difference is the projection of the origin on the nearest line.
 * Collinear edges share that line within the slack; one of them contains the projection. */
static void set_witness_points(const struct gjk_polytope2 *polytope, double slack,
                               gjk_solution *solution) {
    const gjk_edge2 *nearest = &polytope->edge[gjk_polytope2_nearest_edge(polytope)];
    gjk_vec2 foot = gjk_scale2(nearest->distance, nearest->normal);
    gjk_simplex2 best = {.count = 0};
    double least = INFINITY;
    for (uint32_t i = 0; i < polytope->count; i++) {
        const gjk_edge2 *edge = &polytope->edge[i];
        if (!edge->alive || edge->distance > nearest->distance + slack) {
            continue;
        }
        gjk_simplex2 segment;
        gjk_feature2 feature = nearest_feature(polytope, i, foot, &segment);
        if (feature.squared < least) {
            least = feature.squared;
            best = segment;
            gjk_simplex2_keep(&best, &feature);
        }
    }
    gjk_set_witness2(&best, solution);
}

static void record_edge(const gjk_goal *goal, const gjk_solution *solution,
                        const struct gjk_polytope2 *polytope, uint32_t index,
                        const gjk_vertex2 *vertex, const char *note) {
    if (goal->recorder == NULL) {
        return;
    }
    const gjk_edge2 *edge = &polytope->edge[index];
    const gjk_traced_face traced = {
        .normal = gjk_xy0(edge->normal),
        .nearest = gjk_xy0(gjk_scale2(edge->distance, edge->normal)),
        .corner = {gjk_xy0(polytope->vertex[index].w), gjk_xy0(polytope->vertex[edge->next].w)},
        .count = 2,
    };
    const gjk_vertex3 support = gjk_vertex2_lift(vertex);
    gjk_record_epa(goal, solution, &traced, &support, note);
}

/* Sets the point where the ray from the origin along the normal pierces an edge, as in epa3.c. */
static bool set_exit(const struct gjk_polytope2 *polytope, uint32_t edge, gjk_solution *solution) {
    const gjk_vec2 along = gjk_xy(solution->normal), x = gjk_right2(along);
    gjk_simplex2 segment = {.count = 2};
    segment.vertex[0] = polytope->vertex[edge];
    segment.vertex[1] = polytope->vertex[polytope->edge[edge].next];
    const double from = gjk_larger(gjk_dot2(x, segment.vertex[0].w), 0.0);
    const double to = gjk_larger(-gjk_dot2(x, segment.vertex[1].w), 0.0);
    if (!(from + to > 0.0)) {
        return false;
    }
    segment.weight[0] = to / (from + to);
    segment.weight[1] = from / (from + to);
    gjk_set_witness2(&segment, solution);
    solution->lower = -(segment.weight[0] * gjk_dot2(along, segment.vertex[0].w) +
                        segment.weight[1] * gjk_dot2(along, segment.vertex[1].w));
    return true;
}

/* Pushes out the edges that the ray along the normal pierces, as in epa3.c. */
static uint32_t push_out_along(const gjk_frame2 *frame, struct gjk_polytope2 *polytope,
                               gjk_vec2 normal, uint32_t *room) {
    const double rounding = GJK_ROUNDING * frame->scale;
    for (; *room > 0; --*room) {
        const uint32_t pierced = gjk_polytope2_pierced_edge(polytope, normal);
        if (pierced == GJK_NO_FACE) {
            return GJK_NO_FACE;
        }
        const gjk_edge2 *edge = &polytope->edge[pierced];
        const gjk_vertex2 vertex = gjk_support2(frame, edge->normal);
        const gjk_vec2 ahead = gjk_sub2(vertex.w, polytope->vertex[pierced].w);
        const double beyond = gjk_dot2(edge->normal, ahead) / gjk_dot2(edge->normal, normal);
        if (beyond <= 0.25 * rounding || !gjk_polytope2_insert(polytope, &vertex, pierced)) {
            return beyond <= 2.0 * rounding ? pierced : GJK_NO_FACE;
        }
    }
    return GJK_NO_FACE;
}

/* Implements gjk_push_out_along in 2D, as in epa3.c. */
static bool leave_polygon(void *polytope, const gjk_either_frame *pair, uint32_t *room,
                          gjk_solution *trial, gjk_vec3 *ahead) {
    const struct gjk_polytope2 *p = polytope;
    const uint32_t edge = push_out_along(pair->flat, polytope, gjk_xy(trial->normal), room);
    if (edge == GJK_NO_FACE || !set_exit(p, edge, trial)) {
        return false;
    }
    *ahead = gjk_xy0(p->edge[edge].normal);
    return true;
}

static void expand_polygon(const gjk_frame2 *frame, struct gjk_polytope2 *polytope,
                           const gjk_goal *goal, gjk_solution *solution) {
    const double rounding = GJK_ROUNDING * frame->scale;
    const double close_enough = gjk_final_gap(frame->curved, rounding, goal->tolerance);
    gjk_starts starts = {.next = GJK_ITERATIONS_MIN};
    bool settled = false;
    for (uint32_t i = 0; i < goal->max_iterations; i++) {
        if (gjk_budget_spend(goal->budget, goal->steps + polytope->count) && i > 0) {
            break;
        }
        solution->iterations++;
        uint32_t nearest = gjk_polytope2_nearest_edge(polytope);
        const gjk_edge2 *edge = &polytope->edge[nearest];
        gjk_vertex2 vertex = gjk_support2(frame, edge->normal);
        double outer = gjk_dot2(edge->normal, vertex.w);
        const gjk_vec3 normal = gjk_xy0(edge->normal);
        if (gjk_epa_improve(goal, normal, edge->distance, outer, rounding, solution)) {
            record_edge(goal, solution, polytope, nearest, &vertex,
                        "the bounds prove the state: done");
            return;
        }
        gjk_keep_start(&starts, i + 1, solution->normal);
        const bool last = i + 1 == goal->max_iterations;
        settled = gjk_epa_settles(goal, edge->distance, outer, rounding, close_enough, last);
        record_edge(goal, solution, polytope, nearest, &vertex,
                    settled ? "the edge is on the surface: done"
                            : "push the edge out to the new point");
        settled = settled || (!last && !gjk_polytope2_insert(polytope, &vertex, nearest));
        if (settled) { /* take normal and points from the same edge */
            solution->normal = normal;
            solution->lower = -outer;
            break;
        }
    }
    if (!solution->has_points || solution->upper <= 0.0) {
        const gjk_either_frame pair = {frame, NULL, frame->scale};
        set_witness_points(polytope, 4 * close_enough, solution);
        const bool is_loose = goal->tolerance > LOOSE * rounding;
        if (frame->curved && (!settled || is_loose)) {
            gjk_descend_all(&pair, goal, &starts, solution);
        }
        const bool left = frame->curved && gjk_find_exit(&pair, polytope, leave_polygon, solution);
        if (!settled && !left) {
            const gjk_vertex2 support = gjk_support2(frame, gjk_xy(solution->normal));
            const gjk_vertex3 lifted = gjk_vertex2_lift(&support);
            gjk_prefer_support(&lifted, solution);
        }
        gjk_match_points(rounding, solution);
    }
}

bool gjk_epa2(const gjk_frame2 *frame, const gjk_simplex2 *simplex, const gjk_goal *goal,
              gjk_solution *solution) {
    gjk_seed2 seed = {.count = 0};
    const gjk_vertex2 *c = seed.corner;
    if (!grow_seed(frame, simplex, &seed) || gjk_orient2_sign(c[0].w, c[1].w, c[2].w) == 0) {
        /* A difference without area has no width along the flat direction, so the depth is 0. If
         * the origin lies outside on the same line, GJK's solution remains. */
        if (solution->upper <= GJK_ROUNDING * frame->scale) {
            solution->lower = 0.0;
            solution->normal = gjk_xy0(seed.flat);
            gjk_set_witness2(simplex, solution);
        }
        return true;
    }
    struct gjk_polytope2 polytope;
    gjk_polytope2_init(&polytope, seed.corner);
    expand_polygon(frame, &polytope, goal, solution);
    solution->lower = gjk_smaller(solution->lower, solution->upper);
    return true;
}
