/*
 * Boolean GJK (Muratori, Implementing GJK, 2006): most pairs are far from touching, and a few
 * support points prove their state, by one support plane beyond the origin or a tetrahedron
 * around it. These first steps of GJK use the cheapest arithmetic: directions are not of unit
 * length, and Voronoi regions are decided by floating-point signs. Only the two proofs are
 * relied on, whose bounds hold whatever rounding did on the way. Pairs that nearly touch, are
 * thin or flat are not proven here and are left to gjk3.c. All queries about a pair take these
 * steps, so that they agree on its state.
 */

#include "pair/kernels.h"

/* Steps after which the pair is left to the general method. */
#define STEPS_MAX 10

/* Error bounds for the tetrahedron: |w| is at most 3 scale (a rotated coordinate of b is at most
 * sqrt(3) times its reach), the cross product of two edges at most 36 scale^2, and the error of a
 * triple product at most some 30 roundings of (6 scale)^3. */
#define CROSS_MAX 36.0
#define VOLUME_ERROR 0x1p-38

/* Error bound for the proof of overlap by |v|: HEIGHT_ERROR relative to the scale, for triangles
 * whose squared sine is above SLIVER. */
#define SLIVER 1e-4
#define HEIGHT_ERROR 0x1p-38

typedef struct search3 {
    gjk_vertex3 vertex[STEPS_MAX + 4]; /* the initial ones, then in the order they were found */
    uint32_t found;
    gjk_vec3 w[4];    /* of the simplex, the newest last */
    uint8_t index[4]; /* in vertex */
    uint32_t count;
    gjk_vec3 direction; /* the next search direction: from the simplex to the origin */
    double upper_squared, upper_scale; /* |v|^2 is the quotient; scale 0: unknown */
} search3;

static void keep(search3 *s, uint32_t from, uint32_t to) {
    gjk_vec3_copy(&s->w[from], &s->w[to]);
    s->index[to] = s->index[from];
}

static void reduce_to_corner(search3 *s) {
    keep(s, s->count - 1, 0);
    s->count = 1;
    s->direction = gjk_neg3(s->w[0]);
    s->upper_squared = gjk_dot3(s->w[0], s->w[0]);
    s->upper_scale = 1.0;
}

/* The region of a segment, the newer end last. */
static void reduce_edge(search3 *s) {
    gjk_vec3 a = s->w[1], edge = gjk_sub3(s->w[0], a);
    double along = -gjk_dot3(a, edge), squared = gjk_dot3(edge, edge);
    if (!(along > 0.0)) {
        reduce_to_corner(s);
        return;
    }
    s->direction = gjk_neg3(gjk_add3(gjk_scale3(squared, a), gjk_scale3(along, edge)));
    s->upper_squared = gjk_dot3(s->direction, s->direction);
    s->upper_scale = along < squared ? squared * squared : 0.0;
}

static void reduce_to_edge(search3 *s, uint32_t older) {
    keep(s, older, 0);
    keep(s, s->count - 1, 1);
    s->count = 2;
    reduce_edge(s);
}

/* The region of a triangle, the newest corner last: one of its newer edges or the face. */
static void reduce_triangle(search3 *s) {
    gjk_vec3 c = s->w[2], to_a = gjk_sub3(s->w[0], c), to_b = gjk_sub3(s->w[1], c);
    gjk_vec3 n = gjk_cross3(to_a, to_b);
    double beyond_a = -gjk_dot3(gjk_cross3(to_a, n), c),
           beyond_b = -gjk_dot3(gjk_cross3(n, to_b), c);
    if (beyond_a > 0.0 || beyond_b > 0.0) {
        bool toward_a = -gjk_dot3(c, to_a) > 0.0;
        reduce_to_edge(s, beyond_a > 0.0 && (toward_a || !(beyond_b > 0.0)) ? 0 : 1);
        return;
    }
    double height = gjk_dot3(n, c), squared = gjk_dot3(n, n);
    double wide = SLIVER * (gjk_dot3(to_a, to_a) * gjk_dot3(to_b, to_b));
    s->direction = height > 0.0 ? gjk_neg3(n) : n;
    s->upper_squared = height * height;
    s->upper_scale = squared > wide ? squared : 0.0;
}

static void reduce_to_triangle(search3 *s, uint32_t first, uint32_t second) {
    keep(s, first, 0);
    keep(s, second, 1);
    keep(s, 3, 2);
    s->count = 3;
    reduce_triangle(s);
}

/* The region of a tetrahedron, the newest corner last: one of its newer faces or the inside.
 * Returns true when the origin is inside, farther than `margin` over twice the area of a face from
 * each face. */
static bool reduce_tetrahedron(search3 *s, double margin) {
    gjk_vec3 d = s->w[3], a = gjk_sub3(s->w[0], d), b = gjk_sub3(s->w[1], d);
    gjk_vec3 c = gjk_sub3(s->w[2], d), bc = gjk_cross3(b, c);
    double volume = gjk_dot3(a, bc), turn = volume > 0.0 ? -1.0 : 1.0;
    double of_a = turn * gjk_dot3(d, bc), of_b = turn * gjk_dot3(d, gjk_cross3(c, a));
    double of_c = turn * gjk_dot3(d, gjk_cross3(a, b));
    if (of_a > 0.0 && of_b > 0.0 && of_c > 0.0) { /* inside, or too near to a face to be certain */
        double of_d = fabs(volume) - (of_a + of_b + of_c);
        s->upper_scale = 0.0;
        return of_a > margin && of_b > margin && of_c > margin && of_d > margin;
    }
    if (of_a <= of_b && of_a <= of_c) {
        reduce_to_triangle(s, 1, 2);
    } else if (of_b <= of_c) {
        reduce_to_triangle(s, 0, 2);
    } else {
        reduce_to_triangle(s, 0, 1);
    }
    return false;
}

/* Reduces the simplex to the feature nearest the origin; true when it certainly contains it. */
static bool reduce(search3 *s, double margin) {
    switch (s->count) {
    case 1:
        reduce_to_corner(s);
        return false;
    case 2:
        reduce_edge(s);
        return false;
    case 3:
        reduce_triangle(s);
        return false;
    default:
        return reduce_tetrahedron(s, margin);
    }
}

/* Proves the pair separated by the support plane through the newest point, if it can. */
static bool prove_separated(const search3 *s, double along, const gjk_goal *goal,
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

/* Returns true if the origin is beyond the edge of the two older corners of a triangle. The search
 * does not lead there from an edge, but may from a tetrahedron or from initial points. */
static bool beyond_oldest_edge(const search3 *s) {
    gjk_vec3 a = s->w[0], b = s->w[1], c = s->w[2];
    gjk_vec3 n = gjk_cross3(gjk_sub3(a, c), gjk_sub3(b, c));
    return !(gjk_dot3(gjk_cross3(gjk_sub3(b, a), n), a) > 0.0);
}

/* Proves an overlap by the radii, if their sum exceeds the distance of the cores. */
static bool prove_by_radius(const search3 *s, double scale, const gjk_goal *goal,
                            gjk_solution *solution) {
    double reach = goal->radius - goal->tolerance - HEIGHT_ERROR * scale;
    if (!(reach > 0.0 && s->upper_scale > GJK_SQUARED_TINY &&
          s->upper_squared < reach * reach * s->upper_scale) ||
        (s->count == 3 && beyond_oldest_edge(s))) {
        return false;
    }
    solution->proof = GJK_PROVEN_OVERLAPPING;
    return true;
}

/* Reduces the simplex; true when it proves the state, or the search cannot continue from it. */
static bool ends_here(search3 *s, double scale, const gjk_goal *goal, gjk_solution *solution) {
    const double margin =
        CROSS_MAX * goal->tolerance * scale * scale + VOLUME_ERROR * scale * scale * scale;
    if (reduce(s, margin)) {
        solution->proof = GJK_PROVEN_OVERLAPPING;
        solution->upper = 0.0;
        return true;
    }
    return prove_by_radius(s, scale, goal, solution) || s->count == 4 ||
           !(gjk_dot3(s->direction, s->direction) > 0.0);
}

/* Adds the next support point; true when it ends the search: by a proof, or as no nearer one. */
static bool step_ends(const gjk_frame3 *frame, const gjk_goal *goal, search3 *s,
                      gjk_solution *solution) {
    GJK_CHECK(s->count < 4 && s->found < STEPS_MAX + 4);
    gjk_vertex3 *vertex = &s->vertex[s->found];
    vertex->w = (gjk_vec3){0, 0, 0}; /* for analysers that do not see that the call sets it */
    gjk_support3_into(frame, &s->direction, vertex);
    solution->iterations++;
    for (uint32_t i = 0; i < s->count; i++) {
        if (vertex->w.x == s->w[i].x && vertex->w.y == s->w[i].y && vertex->w.z == s->w[i].z) {
            (void)prove_separated(s, gjk_dot3(s->direction, vertex->w), goal, solution);
            return true;
        }
    }
    gjk_vec3_copy(&vertex->w, &s->w[s->count]);
    s->index[s->count++] = (uint8_t)s->found++;
    double along = gjk_dot3(s->direction, vertex->w);
    return prove_separated(s, along, goal, solution) || (along <= 0.0 && goal->radius == 0.0);
}

bool gjk_boolean3(const gjk_frame3 *frame, gjk_vec3 direction, const gjk_goal *goal,
                  gjk_simplex3 *simplex, gjk_solution *solution) {
    const uint32_t half = goal->max_iterations / 2, steps_max = half < STEPS_MAX ? half : STEPS_MAX;
    search3 s;
    s.direction = direction;
    s.count = s.found = simplex->count;
    s.upper_squared = s.upper_scale = 0.0;
    for (uint32_t i = 0; i < simplex->count; i++) {
        s.vertex[i] = simplex->vertex[i];
        s.w[i] = simplex->vertex[i].w;
        s.index[i] = (uint8_t)i;
    }
    for (uint32_t step = 0; step < steps_max; step++) {
        if ((gjk_budget_spend(goal->budget, goal->steps) && s.count > 0) ||
            (s.count > 0 && ends_here(&s, frame->scale, goal, solution)) ||
            step_ends(frame, goal, &s, solution)) {
            break;
        }
    }
    simplex->count = s.count;
    for (uint32_t i = 0; i < s.count; i++) {
        gjk_vertex3_copy(&s.vertex[s.index[i]], &simplex->vertex[i]);
    }
    return gjk_goal_reached(goal, solution);
}
