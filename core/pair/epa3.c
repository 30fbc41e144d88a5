/*
 * How deep is the origin inside a - b? The expanding polytope algorithm (van den
 * Bergen, Proximity Queries and Penetration Depth Computation, 2001): the face of
 * an inner polytope nearest the origin bounds the depth from below, the support
 * plane along its normal from above; add that support point and repeat. Deviation:
 * the polytope is an exact hull (polytope3), so coplanar, duplicate and nearly
 * equal support points need no thresholds of their own.
 */

#include "pair/kernels.h"

#include "base/larger.h"
#include "base/predicate.h"
#include "base/rounding.h"
#include "pair/polytope3.h"

typedef struct gjk_seed3 {
    gjk_vertex3 corner[4];
    uint32_t count;
    gjk_vec3 flat; /* when count < 4: a unit direction in which a - b has no width */
} gjk_seed3;

static double farness(gjk_vec3 from, gjk_vec3 w, gjk_vec3 n) {
    return fabs(gjk_dot3(n, gjk_sub3(w, from)));
}

/* Of the support points along n and -n the one farther from `from` along n. */
static gjk_vertex3 farther_support(const gjk_frame3 *frame, gjk_vec3 from, gjk_vec3 n) {
    gjk_vertex3 p = gjk_support3(frame, n), q = gjk_support3(frame, gjk_neg3(n));
    return farness(from, p.w, n) >= farness(from, q.w, n) ? p : q;
}

static gjk_vec3 axis_vector(int axis) {
    return (gjk_vec3){axis == 0, axis == 1, axis == 2};
}

/* A unit vector perpendicular to u. */
static gjk_vec3 perpendicular(gjk_vec3 u) {
    double x = fabs(u.x), y = fabs(u.y), z = fabs(u.z);
    int least = x <= y && x <= z ? 0 : y <= z ? 1 : 2;
    gjk_vec3 n = gjk_cross3(u, axis_vector(least));
    return gjk_scale3(1.0 / gjk_length3(n), n);
}

/* Second corner: the support along +-x, +-y, +-z farthest from the first. */
static bool add_second(const gjk_frame3 *frame, double thin, gjk_seed3 *seed) {
    double most = thin;
    for (int axis = 0; axis < 3; axis++) {
        gjk_vec3 n = axis_vector(axis);
        gjk_vertex3 v = farther_support(frame, seed->corner[0].w, n);
        if (farness(seed->corner[0].w, v.w, n) > most) {
            most = farness(seed->corner[0].w, v.w, n);
            seed->corner[1] = v;
            seed->count = 2;
        }
    }
    seed->flat = frame->toward;
    return seed->count == 2;
}

/* Third corner: far from the line of the first two, along one of two perpendiculars. */
static bool add_third(const gjk_frame3 *frame, double thin, gjk_seed3 *seed) {
    gjk_vec3 from = seed->corner[0].w;
    gjk_vec3 edge = gjk_sub3(seed->corner[1].w, from);
    gjk_vec3 n = perpendicular(gjk_scale3(1.0 / gjk_length3(edge), edge));
    gjk_vec3 m = gjk_cross3(n, gjk_scale3(1.0 / gjk_length3(edge), edge));
    gjk_vertex3 p = farther_support(frame, from, n), q = farther_support(frame, from, m);
    bool along_n = farness(from, p.w, n) >= farness(from, q.w, m);
    double far = along_n ? farness(from, p.w, n) : farness(from, q.w, m);
    seed->corner[2] = along_n ? p : q;
    seed->flat = n;
    if (far > thin) {
        seed->count = 3;
    }
    return far > thin;
}

/* Fourth corner: far from the plane of the first three. */
static bool add_fourth(const gjk_frame3 *frame, double thin, gjk_seed3 *seed) {
    const gjk_vertex3 *c = seed->corner;
    gjk_vec3 n;
    gjk_triangle_normal3(&c[0].w, &c[1].w, &c[2].w, &n);
    seed->corner[3] = farther_support(frame, c[0].w, n);
    seed->flat = n;
    if (farness(c[0].w, c[3].w, n) <= thin ||
        gjk_orient3_sign(c[0].w, c[1].w, c[2].w, c[3].w) == 0) {
        return false;
    }
    seed->count = 4;
    return true;
}

/* Grows the simplex that touches the origin to a tetrahedron; false when a - b is flat. */
static bool grow_seed(const gjk_frame3 *frame, const gjk_simplex3 *simplex, gjk_seed3 *seed) {
    const double thin = 8 * GJK_ROUNDING * frame->scale;
    seed->count = simplex->count;
    seed->flat = frame->toward;
    for (uint32_t i = 0; i < simplex->count; i++) {
        seed->corner[i] = simplex->vertex[i];
    }
    return (seed->count >= 2 || add_second(frame, thin, seed)) &&
           (seed->count >= 3 || add_third(frame, thin, seed)) &&
           (seed->count >= 4 || add_fourth(frame, thin, seed));
}

/*
 * No volume: no width along the flat direction, so nothing is deeper than 0. An origin
 * that lies apart within the plane keeps what GJK found.
 */
static void solve_flat(const gjk_frame3 *frame, const gjk_simplex3 *simplex, gjk_vec3 flat,
                       gjk_solution *solution) {
    if (solution->upper > GJK_ROUNDING * frame->scale) {
        return;
    }
    solution->lower = 0.0;
    solution->normal = flat;
    solution->has_points = true;
    gjk_simplex3_points(simplex, &solution->point_a, &solution->point_b);
}

/* The feature of a face nearest to the foot of the origin on the nearest plane. */
static gjk_feature3 seen_from_foot(const struct gjk_polytope3 *polytope, const gjk_face3 *face,
                                   gjk_vec3 foot, gjk_simplex3 *triangle) {
    gjk_feature3 feature;
    triangle->count = 3;
    for (int i = 0; i < 3; i++) {
        triangle->vertex[i] = polytope->vertex[face->vertex[i]];
        triangle->vertex[i].w = gjk_sub3(triangle->vertex[i].w, foot);
    }
    (void)gjk_simplex3_find(triangle, &feature);
    return feature;
}

/*
 * The points of a and b whose difference is the foot of the origin on the nearest
 * plane. Coplanar faces share that plane within the slack: the foot is in one of them.
 */
static void witness(const struct gjk_polytope3 *polytope, double slack, gjk_solution *solution) {
    const gjk_face3 *nearest = &polytope->face[gjk_polytope3_nearest_face(polytope)];
    gjk_vec3 foot = gjk_scale3(nearest->distance, nearest->normal);
    gjk_simplex3 best = {.count = 0};
    double least = INFINITY;
    for (uint32_t i = 0; i < polytope->face_count; i++) {
        const gjk_face3 *face = &polytope->face[i];
        if (!face->alive || face->distance > nearest->distance + slack) {
            continue;
        }
        gjk_simplex3 triangle;
        gjk_feature3 feature = seen_from_foot(polytope, face, foot, &triangle);
        if (feature.squared < least) {
            least = feature.squared;
            best = triangle;
            gjk_simplex3_keep(&best, &feature);
        }
    }
    gjk_simplex3_polish(&best);
    gjk_simplex3_points(&best, &solution->point_a, &solution->point_b);
    solution->has_points = true;
}

/*
 * Makes point_a - point_b = depth * normal hold where the bounds have not met to all
 * digits. When the limit came first, the nearest face may lie elsewhere than the best
 * axis: then its support points may serve better. What is still missing is shared.
 */
static void match_points(const gjk_frame3 *frame, bool settled, double rounding,
                         gjk_solution *solution) {
    gjk_vec3 wanted = gjk_scale3(-solution->lower, solution->normal);
    gjk_vec3 missing = gjk_sub3(wanted, gjk_sub3(solution->point_a, solution->point_b));
    if (!settled) {
        gjk_vertex3 support = gjk_support3(frame, solution->normal);
        gjk_vec3 other = gjk_sub3(wanted, support.w);
        if (gjk_dot3(other, other) < gjk_dot3(missing, missing)) {
            solution->point_a = support.a;
            solution->point_b = support.b;
            missing = other;
        }
    }
    if (gjk_length3(missing) > 4 * rounding) {
        solution->point_a = gjk_add3(solution->point_a, gjk_scale3(0.5, missing));
        solution->point_b = gjk_sub3(solution->point_b, gjk_scale3(0.5, missing));
    }
}

static void record(const gjk_goal *goal, const gjk_solution *solution,
                   const struct gjk_polytope3 *polytope, uint32_t index, const gjk_vertex3 *vertex,
                   const char *note) {
    if (goal->recorder == NULL) {
        return;
    }
    const gjk_face3 *face = &polytope->face[index];
    gjk_trace_step step = {
        .phase = GJK_PHASE_EPA,
        .direction = face->normal,
        .support_a = vertex->a,
        .support_b = vertex->b,
        .support_w = vertex->w,
        .simplex_count = 3,
        .closest = gjk_scale3(face->distance, face->normal),
        .lower_bound = solution->lower,
        .upper_bound = solution->upper,
        .note = note,
    };
    for (int i = 0; i < 3; i++) {
        step.simplex[i] = polytope->vertex[face->vertex[i]].w;
    }
    goal->recorder->record(goal->recorder->user, &step);
}

static void expand(const gjk_frame3 *frame, struct gjk_polytope3 *polytope, const gjk_goal *goal,
                   gjk_solution *solution) {
    const double rounding = GJK_ROUNDING * frame->scale;
    const double close_enough = gjk_close_enough(frame->curved, rounding, goal->tolerance);
    bool settled = false;
    for (uint32_t i = 0; i < goal->max_iterations; i++) {
        solution->iterations++;
        uint32_t nearest = gjk_polytope3_nearest_face(polytope);
        const gjk_face3 *face = &polytope->face[nearest];
        gjk_vertex3 vertex = gjk_support3(frame, face->normal);
        double outer = gjk_dot3(face->normal, vertex.w);
        if (face->distance >= 0.0) { /* else the origin lies outside, and GJK's bound stands */
            solution->upper = gjk_smaller(solution->upper, -face->distance);
        }
        if (-outer >= solution->lower - rounding) {
            solution->normal = face->normal;
            solution->lower = gjk_larger(solution->lower, -outer);
        }
        if (gjk_goal_proven(goal, solution)) {
            record(goal, solution, polytope, nearest, &vertex, "the bounds prove the state: done");
            return;
        }
        bool last = i + 1 == goal->max_iterations; /* then nearly is near enough */
        double enough = gjk_goal_between(goal, face->distance, outer) ? rounding : close_enough;
        settled = outer - face->distance <= (last ? 4.0 * goal->tolerance : enough);
        record(goal, solution, polytope, nearest, &vertex,
               settled ? "the face is on the surface: done" : "push the face out to the new point");
        settled = settled || (!last && !gjk_polytope3_insert(polytope, &vertex, nearest));
        if (settled) { /* the normal and the points are of one face */
            solution->normal = face->normal;
            solution->lower = -outer;
            break;
        }
    }
    if (!solution->has_points || solution->upper <= 0.0) {
        witness(polytope, 4 * close_enough, solution);
        if (!settled && frame->curved) {
            gjk_descend3(frame, goal, solution);
        }
        match_points(frame, settled, rounding, solution);
    }
}

void gjk_epa3(const gjk_frame3 *frame, const gjk_simplex3 *simplex, const gjk_goal *goal,
              gjk_solution *solution) {
    gjk_seed3 seed = {.count = 0};
    const gjk_vertex3 *c = seed.corner;
    if (!grow_seed(frame, simplex, &seed) ||
        gjk_orient3_sign(c[0].w, c[1].w, c[2].w, c[3].w) == 0) {
        solve_flat(frame, simplex, seed.flat, solution);
        return;
    }
    struct gjk_polytope3 polytope;
    gjk_polytope3_init(&polytope, seed.corner);
    expand(frame, &polytope, goal, solution);
    solution->lower = gjk_smaller(solution->lower, solution->upper);
}
