/*
 * The expanding polytope algorithm (van den Bergen, Proximity Queries and Penetration Depth
 * Computation, 2001) for the depth of the origin inside a - b. The face of an inner polytope
 * nearest the origin is a lower bound of the depth, the support plane along its normal an upper
 * bound; the support point is added, and so on. Deviation: the polytope is an exact hull
 * (polytope3), so coplanar, duplicate and nearly equal support points need no thresholds.
 */

#include "pair/kernels.h"

#include "base/double_double.h"
#include "base/numbers.h"
#include "base/predicate.h"
#include "pair/direct/round.h"
#include "pair/epa/descend.h"
#include "pair/epa/polytope.h"
#include "pair/gjk/stopping.h"
#include "pair/recording.h"

/* Iterations after which each iteration pushes out more faces, and the number of these. */
#define FEW_ITERATIONS 24
#define MORE_FACES 4

/* For pairs of cylinders, cones, segments and points: the iteration of EPA's first attempt at
 * Newton's method, and the number of iterations until the next after a failure. */
#define ROUND_AFTER 5
#define ROUND_AGAIN 3

/* A tolerance of more than this many roundings leaves room for a better direction. */
#define LOOSE 0x1p26

/* Initial corners of EPA's polytope. */
typedef struct gjk_seed3 {
    gjk_vertex3 corner[4];
    uint32_t count;
    gjk_vec3 flat; /* if count < 4: a unit direction in which a - b has no width */
} gjk_seed3;

/* Returns the distance of w from `from` along n. */
static double distance_along(gjk_vec3 from, gjk_vec3 w, gjk_vec3 n) {
    return fabs(gjk_dot3(n, gjk_sub3(w, from)));
}

/* Returns the support point along n or -n that is farther from `from` along n. */
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
    (void)gjk_triangle_normal3(&c[0].w, &c[1].w, &c[2].w, &n);
    seed->corner[3] = farther_support(frame, c[0].w, n);
    seed->flat = n;
    if (distance_along(c[0].w, c[3].w, n) <= thin ||
        gjk_orient3_sign(c[0].w, c[1].w, c[2].w, c[3].w) == 0) {
        return false;
    }
    seed->count = 4;
    return true;
}

/* Extends the last simplex of GJK to a tetrahedron. Returns false if a - b is flat. */
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

/* Returns the feature of a face nearest to the projection of the origin on the nearest plane. */
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

/* Sets the witness points, whose difference is the projection of the origin on the nearest plane.
 * Coplanar faces share that plane within the slack; one of them contains the projection. */
static void set_witness_points(const struct gjk_polytope3 *polytope, double slack,
                               gjk_solution *solution) {
    const gjk_face3 *nearest = &polytope->face[gjk_polytope3_nearest_face(polytope)];
    gjk_vec3 foot = gjk_scale3(nearest->distance, nearest->normal);
    gjk_simplex3 best = {.count = 0};
    double least = INFINITY;
    for (uint32_t i = 0; i < polytope->face_count; i++) {
        const gjk_face3 *face = &polytope->face[i];
        if (!(polytope->distance[i] <= nearest->distance + slack)) {
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

static void record_face(const gjk_goal *goal, const gjk_solution *solution,
                        const struct gjk_polytope3 *polytope, uint32_t index,
                        const gjk_vertex3 *vertex, const char *note) {
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

/* Returns twice the area of the triangle of two points and the origin, rounded once: for a sliver
 * it is small relative to the products. */
static double area_of(gjk_vec2 p, gjk_vec2 q) {
    const gjk_double_double u = gjk_two_product(p.x, q.y), v = gjk_two_product(p.y, q.x);
    return (u.high - v.high) + (u.low - v.low);
}

/*
 * Sets the depth along the normal, and points of a and b that differ by it along the normal: those
 * where the ray from the origin pierces a face. The corners are projected along the ray, where
 * their differences keep their digits. Returns false if they do not surround the ray within
 * rounding.
 */
static bool set_exit(const struct gjk_polytope3 *polytope, const gjk_face3 *face, double rounding,
                     gjk_solution *solution) {
    const gjk_vec3 along = solution->normal, x = gjk_perpendicular3(along);
    const gjk_vec3 y = gjk_cross3(along, x);
    gjk_simplex3 triangle = {.count = 3};
    gjk_vec2 seen[3], off = {0, 0};
    double sum = 0.0, depth = 0.0;
    for (int i = 0; i < 3; i++) {
        triangle.vertex[i] = polytope->vertex[face->vertex[i]];
        seen[i] = (gjk_vec2){gjk_dot3(x, triangle.vertex[i].w), gjk_dot3(y, triangle.vertex[i].w)};
    }
    for (int i = 0; i < 3; i++) {
        triangle.weight[i] = gjk_larger(area_of(seen[(i + 1) % 3], seen[(i + 2) % 3]), 0.0);
        sum += triangle.weight[i];
    }
    for (int i = 0; i < 3 && sum > 0.0; i++) {
        triangle.weight[i] /= sum;
        off = gjk_add2(off, gjk_scale2(triangle.weight[i], seen[i]));
        depth += triangle.weight[i] * gjk_dot3(along, triangle.vertex[i].w);
    }
    if (!(sum > 0.0 && gjk_length2(off) <= rounding)) {
        return false;
    }
    gjk_set_witness3(&triangle, solution);
    solution->lower = -depth;
    return true;
}

/* Pushes out the faces that the ray along the normal pierces until a - b has no point beyond the
 * last one, and returns it. Returns GJK_NO_FACE if room or rounding ends this before. */
static uint32_t push_out_along(const gjk_frame3 *frame, struct gjk_polytope3 *polytope,
                               gjk_vec3 normal, uint32_t *room) {
    const double rounding = GJK_ROUNDING * frame->scale;
    uint32_t pierced = gjk_polytope3_pierced_face(polytope, normal);
    for (; *room > 0; --*room) {
        if (pierced == GJK_NO_FACE) {
            return GJK_NO_FACE;
        }
        const gjk_face3 *face = &polytope->face[pierced];
        gjk_vertex3 *vertex = gjk_polytope3_next(polytope);
        gjk_support3_into(frame, &face->normal, vertex);
        const gjk_vec3 ahead = gjk_sub3(vertex->w, polytope->vertex[face->vertex[0]].w);
        const double beyond = gjk_dot3(face->normal, ahead) / gjk_dot3(face->normal, normal);
        if (beyond <= 0.25 * rounding || !gjk_polytope3_insert(polytope, pierced)) {
            return beyond <= 2.0 * rounding ? pierced : GJK_NO_FACE;
        }
        pierced = gjk_polytope3_pierced_new_face(polytope, normal);
    }
    return GJK_NO_FACE;
}

/* Implements gjk_push_out_along in 3D. */
static bool leave_polytope(void *polytope, const gjk_either_frame *pair, uint32_t *room,
                           gjk_solution *trial, gjk_vec3 *ahead) {
    const struct gjk_polytope3 *p = polytope;
    const uint32_t face = push_out_along(pair->frame, polytope, trial->normal, room);
    if (face == GJK_NO_FACE || !set_exit(p, &p->face[face], GJK_ROUNDING * pair->scale, trial)) {
        return false;
    }
    *ahead = p->face[face].normal;
    return true;
}

/* Pushes out a few more faces in the same iteration, after many iterations: for two round bodies
 * many faces are nearly as near as the nearest, and the search would end at the limit. Does nothing
 * if too little room for vertices would be left. */
static void push_more(const gjk_frame3 *frame, struct gjk_polytope3 *polytope, const gjk_goal *goal,
                      uint32_t iteration, gjk_solution *solution) {
    const uint32_t reserved = goal->max_iterations - iteration + GJK_POLYTOPE_EXIT_MAX;
    if (!frame->curved || iteration < FEW_ITERATIONS ||
        polytope->vertex_count + reserved + MORE_FACES > GJK_POLYTOPE3_VERTICES) {
        return;
    }
    for (int i = 0; i < MORE_FACES; i++) {
        const uint32_t nearest = gjk_polytope3_nearest_face(polytope);
        const gjk_face3 *face = &polytope->face[nearest];
        gjk_vertex3 *vertex = gjk_polytope3_next(polytope);
        gjk_support3_into(frame, &face->normal, vertex);
        const double outer = gjk_dot3(face->normal, vertex->w);
        (void)gjk_epa_improve(goal, face->normal, face->distance, outer,
                              GJK_ROUNDING * frame->scale, solution);
        if (!gjk_polytope3_insert(polytope, nearest)) {
            return;
        }
    }
}

/* State of one search; it moves to larger storage when the first is full. */
typedef struct search3 {
    const gjk_frame3 *frame;
    const gjk_goal *goal;
    gjk_solution *solution;
    double rounding, close_enough;
    gjk_starts starts;
    uint32_t iteration;
    bool ended;          /* the iterations are over */
    bool settled;        /* the bounds have met, or no vertex adds anything */
    bool has_cover;      /* the cover's contact is the least deep direction so far */
    uint32_t next_round; /* iteration of the next attempt at a contact */
    gjk_round_cover cover;
} search3;

/* Tries to find a contact near the best direction that is at least as good. */
static void find_cover(search3 *s) {
    gjk_round_contact contact;
    gjk_solution *solution = s->solution;
    const bool is_better = s->has_cover && -solution->lower < s->cover.depth - s->rounding;
    if (s->has_cover ? !is_better : s->iteration < s->next_round) {
        return;
    }
    s->next_round = s->iteration + ROUND_AGAIN;
    s->has_cover = false;
    if (!gjk_round_find_from(s->frame->round, solution->normal, &contact)) {
        return;
    }
    const gjk_vertex3 vertex = gjk_support3(s->frame, contact.normal);
    const double depth = gjk_dot3(contact.normal, vertex.w);
    if (depth > 0.0 && depth <= -solution->lower + s->rounding) {
        gjk_raise_lower(solution, contact.normal, -depth, s->rounding);
        gjk_round_cover_make(s->frame->round, &contact, depth, &s->cover);
        const bool is_between = gjk_goal_between(s->goal, s->cover.least, depth);
        s->has_cover = depth - s->cover.least <= (is_between ? 1.0 : 4.0) * s->rounding;
    }
}

/* Ends the search at the contact, once no direction outside its cover is less deep. */
static void settle_at_contact(search3 *s) {
    const gjk_round_contact *contact = &s->cover.contact;
    gjk_solution *solution = s->solution;
    solution->normal = contact->normal;
    solution->lower = -s->cover.depth;
    solution->upper = -s->cover.least;
    solution->point_a = contact->point[0];
    solution->point_b = contact->point[1];
    solution->has_points = true;
    (void)gjk_goal_proven(s->goal, solution);
    if (s->goal->recorder != NULL) {
        const gjk_vec3 nearest = gjk_scale3(s->cover.depth, contact->normal);
        const gjk_traced_face point = {contact->normal, nearest, {nearest}, 1};
        const gjk_vertex3 support = gjk_support3(s->frame, contact->normal);
        gjk_record_epa(s->goal, solution, &point, &support,
                       "Newton's method finds the contact, and nothing is less deep: done");
    }
}

/* Pushes out the nearest face. Returns true if the search ends; *done is true if the solution is
 * complete. */
static bool step_ends(search3 *s, struct gjk_polytope3 *polytope, bool *done) {
    const gjk_goal *goal = s->goal;
    gjk_solution *solution = s->solution;
    solution->iterations++;
    if (s->frame->round != NULL) {
        find_cover(s);
    }
    const uint32_t nearest = s->has_cover ? gjk_round_uncovered_face(&s->cover, polytope)
                                          : gjk_polytope3_nearest_face(polytope);
    if (nearest == GJK_NO_FACE) {
        settle_at_contact(s);
        *done = true;
        return true;
    }
    const gjk_face3 *face = &polytope->face[nearest];
    const gjk_vec3 normal = face->normal;
    const double inner =
        s->has_cover ? gjk_smaller(face->distance, s->cover.least) : face->distance;
    gjk_vertex3 *vertex = gjk_polytope3_next(polytope);
    gjk_support3_into(s->frame, &normal, vertex);
    const double outer = gjk_dot3(normal, vertex->w);
    *done = gjk_epa_improve(goal, normal, inner, outer, s->rounding, solution);
    if (*done) {
        record_face(goal, solution, polytope, nearest, vertex, "the bounds prove the state: done");
        return true;
    }
    gjk_keep_start(&s->starts, s->iteration + 1, solution->normal);
    const bool last = s->iteration + 1 == goal->max_iterations;
    s->settled = gjk_epa_settles(goal, inner, outer, s->rounding, s->close_enough, last);
    record_face(goal, solution, polytope, nearest, vertex,
                s->settled ? "the face is on the surface: done"
                           : "push the face out to the new point");
    s->settled = s->settled || (!last && !gjk_polytope3_insert(polytope, nearest));
    if (s->settled) { /* take normal and points from the same face */
        solution->normal = normal;
        solution->lower = -outer;
    } else if (!last) {
        push_more(s->frame, polytope, goal, s->iteration, solution);
    }
    return s->settled;
}

/* Sets the witness points at the end of the search. */
static void finish(search3 *s, struct gjk_polytope3 *polytope) {
    gjk_solution *solution = s->solution;
    if (solution->has_points && !(solution->upper <= 0.0)) {
        return;
    }
    set_witness_points(polytope, 4 * s->close_enough, solution);
    if (s->settled && !s->frame->curved) {
        /* The face's corners may be far from its nearest point, where an error of the normal has
         * moved the plane: the witness points are a lower bound of the depth. */
        const gjk_vec3 v = gjk_sub3(solution->point_a, solution->point_b);
        const double seen = -gjk_dot3(solution->normal, v);
        solution->upper = gjk_smaller(gjk_larger(solution->upper, seen), 0.0);
    }
    const gjk_either_frame pair = {NULL, s->frame, s->frame->scale};
    const bool is_loose = s->goal->tolerance > LOOSE * s->rounding;
    if (s->frame->curved && (!s->settled || is_loose)) {
        gjk_descend_all(&pair, s->goal, &s->starts, solution);
    }
    const bool left = s->frame->curved && gjk_find_exit(&pair, polytope, leave_polytope, solution);
    if (!s->settled && !left) {
        const gjk_vertex3 support = gjk_support3(s->frame, solution->normal);
        gjk_prefer_support(&support, solution);
    }
    gjk_match_points(s->rounding, solution);
}

/* Returns true if the polytope must move to the large storage to hold that many more vertices. */
static bool is_short_of(const struct gjk_polytope3 *polytope, uint32_t vertices) {
    return polytope->vertices_max < GJK_POLYTOPE3_VERTICES &&
           polytope->vertices_max - polytope->vertex_count < vertices;
}

/* Continues the search. Returns false if it needs the larger storage. */
static bool expand_polytope(search3 *s, struct gjk_polytope3 *polytope) {
    for (; !s->ended && s->iteration < s->goal->max_iterations; s->iteration++) {
        bool done;
        if (gjk_budget_spend(s->goal->budget, s->goal->steps + polytope->face_count) &&
            s->iteration > 0) {
            break;
        }
        if (is_short_of(polytope, 1 + MORE_FACES)) {
            return false;
        }
        s->ended = step_ends(s, polytope, &done);
        if (s->ended && done) {
            return true;
        }
    }
    s->ended = true;
    if (s->frame->curved && is_short_of(polytope, GJK_POLYTOPE_EXIT_MAX)) {
        return false;
    }
    finish(s, polytope);
    return true;
}

/* Each storage is in a stack frame of its own. */

__attribute__((noinline)) static void expand_many(search3 *s, const struct gjk_polytope3 *few) {
    GJK_POLYTOPE3_STORAGE(GJK_POLYTOPE3_VERTICES) storage;
    struct gjk_polytope3 polytope;
    GJK_POLYTOPE3_USE(&polytope, &storage, GJK_POLYTOPE3_VERTICES);
    gjk_polytope3_move(few, &polytope);
    (void)expand_polytope(s, &polytope);
}

__attribute__((noinline)) static void expand_few(search3 *s, const gjk_vertex3 *corners) {
    GJK_POLYTOPE3_STORAGE(GJK_POLYTOPE3_FEW) storage;
    struct gjk_polytope3 polytope;
    GJK_POLYTOPE3_USE(&polytope, &storage, GJK_POLYTOPE3_FEW);
    gjk_polytope3_init(&polytope, corners, s->frame->scale);
    if (!expand_polytope(s, &polytope)) {
        expand_many(s, &polytope);
    }
}

bool gjk_epa3(const gjk_frame3 *frame, const gjk_simplex3 *simplex, const gjk_goal *goal,
              gjk_solution *solution) {
    gjk_seed3 seed = {.count = 0};
    const gjk_vertex3 *c = seed.corner;
    if (!grow_seed(frame, simplex, &seed) ||
        gjk_orient3_sign(c[0].w, c[1].w, c[2].w, c[3].w) == 0) {
        /* A difference without volume has no width along the flat direction, so the depth is 0. If
         * the origin lies outside in the same plane, GJK's solution remains. */
        if (solution->upper <= GJK_ROUNDING * frame->scale) {
            solution->lower = 0.0;
            solution->normal = seed.flat;
            gjk_set_witness3(simplex, solution);
        }
        return true;
    }
    const double rounding = GJK_ROUNDING * frame->scale;
    search3 s = {
        .frame = frame,
        .goal = goal,
        .solution = solution,
        .rounding = rounding,
        .close_enough = gjk_final_gap(frame->curved, rounding, goal->tolerance),
        .starts.next = GJK_ITERATIONS_MIN,
        .next_round = ROUND_AFTER,
    };
    expand_few(&s, seed.corner);
    solution->lower = gjk_smaller(solution->lower, solution->upper);
    return true;
}
