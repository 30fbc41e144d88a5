/*
 * The expanding polytope algorithm (van den Bergen, Proximity Queries and Penetration Depth
 * Computation, 2001) for the depth of the origin inside a - b: the face of an inner polytope
 * nearest the origin bounds the depth from below, the support plane along its normal from
 * above; that support point is added, and so on. Deviation: the polytope is an exact hull
 * (polytope3), so coplanar, duplicate and nearly equal support points need no thresholds of
 * their own.
 */

#include "pair/kernels.h"

#include "base/predicate.h"
#include "pair/polytope.h"
#include "pair/recording.h"
#include "pair/stopping.h"

/* The corners of the polytope that EPA starts from. */
typedef struct gjk_seed3 {
    gjk_vertex3 corner[4];
    uint32_t count;
    gjk_vec3 flat; /* when count < 4: a unit direction in which a - b has no width */
} gjk_seed3;

/* The distance of w from `from` along n. */
static double distance_along(gjk_vec3 from, gjk_vec3 w, gjk_vec3 n) {
    return fabs(gjk_dot3(n, gjk_sub3(w, from)));
}

/* Returns that of the support points along n and -n which is farther from `from` along n. */
static gjk_vertex3 farther_support(const gjk_frame3 *frame, gjk_vec3 from, gjk_vec3 n) {
    gjk_vertex3 p = gjk_support3(frame, n), q = gjk_support3(frame, gjk_neg3(n));
    return distance_along(from, p.w, n) >= distance_along(from, q.w, n) ? p : q;
}

/* Adds the second corner: the support along +-x, +-y, +-z farthest from the first. */
static bool add_second(const gjk_frame3 *frame, double thin, gjk_seed3 *seed) {
    double most = thin;
    for (int axis = 0; axis < 3; axis++) {
        gjk_vec3 n = {axis == 0, axis == 1, axis == 2};
        gjk_vertex3 v = farther_support(frame, seed->corner[0].w, n);
        if (distance_along(seed->corner[0].w, v.w, n) > most) {
            most = distance_along(seed->corner[0].w, v.w, n);
            seed->corner[1] = v;
            seed->count = 2;
        }
    }
    seed->flat = frame->toward;
    return seed->count == 2;
}

/* Adds the third corner, far from the line of the first two, along one of two perpendiculars. */
static bool add_third(const gjk_frame3 *frame, double thin, gjk_seed3 *seed) {
    gjk_vec3 from = seed->corner[0].w;
    gjk_vec3 edge = gjk_sub3(seed->corner[1].w, from);
    edge = gjk_scale3(1.0 / gjk_length3(edge), edge);
    gjk_vec3 n = gjk_perpendicular3(edge), m = gjk_cross3(n, edge);
    gjk_vertex3 p = farther_support(frame, from, n), q = farther_support(frame, from, m);
    bool along_n = distance_along(from, p.w, n) >= distance_along(from, q.w, m);
    double far = along_n ? distance_along(from, p.w, n) : distance_along(from, q.w, m);
    seed->corner[2] = along_n ? p : q;
    seed->flat = n;
    if (far > thin) {
        seed->count = 3;
    }
    return far > thin;
}

/* Adds the fourth corner, far from the plane of the first three. */
static bool add_fourth(const gjk_frame3 *frame, double thin, gjk_seed3 *seed) {
    const gjk_vertex3 *c = seed->corner;
    gjk_vec3 n;
    gjk_triangle_normal3(&c[0].w, &c[1].w, &c[2].w, &n);
    seed->corner[3] = farther_support(frame, c[0].w, n);
    seed->flat = n;
    if (distance_along(c[0].w, c[3].w, n) <= thin ||
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
 * A difference without volume has no width along the flat direction, so the depth is 0. For an
 * origin that lies outside in the same plane the solution of GJK stands.
 */
static void solve_flat(const gjk_frame3 *frame, const gjk_simplex3 *simplex, gjk_vec3 flat,
                       gjk_solution *solution) {
    if (solution->upper > GJK_ROUNDING * frame->scale) {
        return;
    }
    solution->lower = 0.0;
    solution->normal = flat;
    gjk_set_witness3(simplex, solution);
}

/* The feature of a face nearest to the projection of the origin on the nearest plane. */
static gjk_feature3 nearest_feature(const struct gjk_polytope3 *polytope, const gjk_face3 *face,
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
 * The witness points: their difference is the projection of the origin on the nearest plane.
 * Coplanar faces share that plane within the slack, and the projection is in one of them.
 */
static void set_witness_points(const struct gjk_polytope3 *polytope, double slack,
                               gjk_solution *solution) {
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
        gjk_feature3 feature = nearest_feature(polytope, face, foot, &triangle);
        if (feature.squared < least) {
            least = feature.squared;
            best = triangle;
            gjk_simplex3_keep(&best, &feature);
        }
    }
    gjk_simplex3_polish(&best);
    gjk_set_witness3(&best, solution);
}

static void record(const gjk_goal *goal, const gjk_solution *solution,
                   const struct gjk_polytope3 *polytope, uint32_t index, const gjk_vertex3 *vertex,
                   const char *note) {
    if (goal->recorder == NULL) {
        return;
    }
    const gjk_face3 *face = &polytope->face[index];
    gjk_traced_face traced = {
        .normal = face->normal,
        .nearest = gjk_scale3(face->distance, face->normal),
        .count = 3,
    };
    for (int i = 0; i < 3; i++) {
        traced.corner[i] = polytope->vertex[face->vertex[i]].w;
    }
    gjk_record_epa(goal, solution, &traced, vertex, note);
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
        const gjk_vec3 normal = face->normal;
        if (gjk_epa_improve(goal, normal, face->distance, outer, rounding, solution)) {
            record(goal, solution, polytope, nearest, &vertex, "the bounds prove the state: done");
            return;
        }
        const bool last = i + 1 == goal->max_iterations;
        settled = gjk_epa_settles(goal, face->distance, outer, rounding, close_enough, last);
        record(goal, solution, polytope, nearest, &vertex,
               settled ? "the face is on the surface: done" : "push the face out to the new point");
        settled = settled || (!last && !gjk_polytope3_insert(polytope, &vertex, nearest));
        if (settled) { /* the normal and the points are of one face */
            solution->normal = normal;
            solution->lower = -outer;
            break;
        }
    }
    if (!solution->has_points || solution->upper <= 0.0) {
        set_witness_points(polytope, 4 * close_enough, solution);
        if (!settled && frame->curved) {
            gjk_descend3(frame, goal, solution);
        }
        if (!settled) {
            const gjk_vertex3 support = gjk_support3(frame, solution->normal);
            gjk_prefer_support(&support, solution);
        }
        gjk_match_points(rounding, solution);
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
