/*
 * Are two shapes apart or do they overlap? Most pairs are far from touching, and then a
 * few support points tell it: one support plane beyond the origin, or a tetrahedron around
 * it. So the first steps of GJK are taken here with the cheapest arithmetic that leads
 * there: directions are not of unit length, regions are told by plain signs (Muratori,
 * Implementing GJK, 2006), and nothing is taken for true but the two proofs, whose bounds
 * hold whatever rounding did on the way. What is nearly touching, thin or flat is not
 * proven here and left to gjk3.c. All questions about a pair take these steps, so they
 * agree on its state.
 */

#include "pair/kernels.h"

/* Steps after which it is left to the general method. */
#define STEPS_MAX 10

/*
 * For the tetrahedron: the magnitude of w is at most 3 scale (a coordinate of b, turned,
 * sqrt(3) times its reach), that of the cross product of two edges 36 scale^2, and a
 * product of three is right to some 30 roundings of (6 scale)^3.
 */
#define CROSS_MAX 36.0
#define VOLUME_ERROR 0x1p-38

/* For the other proof of overlap, of |v|: triangles whose squared sine is above this leave it
 * right to HEIGHT_ERROR of the scale. */
#define SLIVER 1e-4
#define HEIGHT_ERROR 0x1p-38

typedef struct gjk_walk3 {
    gjk_vertex3 vertex[STEPS_MAX + 4]; /* those to start from, then as they were found */
    uint32_t found;
    gjk_vec3 w[4];    /* of the simplex, the newest last */
    uint8_t index[4]; /* in vertex */
    uint32_t count;
    gjk_vec3 direction; /* to look along next: away from the simplex, through the origin */
    double upper_squared, upper_scale; /* |v|^2 is the quotient; scale 0: not known */
} gjk_walk3;

/* Number by number: what was just written so is slow to copy in larger pieces. */
static inline void copy3(const gjk_vec3 *from, gjk_vec3 *to) {
    to->x = from->x;
    to->y = from->y;
    to->z = from->z;
}

static void keep(gjk_walk3 *s, uint32_t from, uint32_t to) {
    copy3(&s->w[from], &s->w[to]);
    s->index[to] = s->index[from];
}

static void see_corner(gjk_walk3 *s) {
    keep(s, s->count - 1, 0);
    s->count = 1;
    s->direction = gjk_neg3(s->w[0]);
    s->upper_squared = gjk_dot3(s->w[0], s->w[0]);
    s->upper_scale = 1.0;
}

/* A segment, the newer end last. */
static void see_edge(gjk_walk3 *s) {
    gjk_vec3 a = s->w[1], edge = gjk_sub3(s->w[0], a);
    double along = -gjk_dot3(a, edge), squared = gjk_dot3(edge, edge);
    if (!(along > 0.0)) {
        see_corner(s);
        return;
    }
    s->direction = gjk_neg3(gjk_add3(gjk_scale3(squared, a), gjk_scale3(along, edge)));
    s->upper_squared = gjk_dot3(s->direction, s->direction);
    s->upper_scale = along < squared ? squared * squared : 0.0;
}

static void see_edge_of(gjk_walk3 *s, uint32_t older) {
    keep(s, older, 0);
    keep(s, s->count - 1, 1);
    s->count = 2;
    see_edge(s);
}

/* A triangle, the newest corner last. Beyond one of its edges: that edge. */
static void see_triangle(gjk_walk3 *s) {
    gjk_vec3 c = s->w[2], to_a = gjk_sub3(s->w[0], c), to_b = gjk_sub3(s->w[1], c);
    gjk_vec3 n = gjk_cross3(to_a, to_b);
    double beyond_a = -gjk_dot3(gjk_cross3(to_a, n), c),
           beyond_b = -gjk_dot3(gjk_cross3(n, to_b), c);
    if (beyond_a > 0.0 || beyond_b > 0.0) {
        bool toward_a = -gjk_dot3(c, to_a) > 0.0;
        see_edge_of(s, beyond_a > 0.0 && (toward_a || !(beyond_b > 0.0)) ? 0 : 1);
        return;
    }
    double height = gjk_dot3(n, c), squared = gjk_dot3(n, n);
    double wide = SLIVER * (gjk_dot3(to_a, to_a) * gjk_dot3(to_b, to_b));
    s->direction = height > 0.0 ? gjk_neg3(n) : n;
    s->upper_squared = height * height;
    s->upper_scale = squared > wide ? squared : 0.0;
}

static void see_triangle_of(gjk_walk3 *s, uint32_t first, uint32_t second) {
    keep(s, first, 0);
    keep(s, second, 1);
    keep(s, 3, 2);
    s->count = 3;
    see_triangle(s);
}

/*
 * A tetrahedron, the newest corner last. True when the origin is inside, farther than
 * `margin` over twice the area of a face from each. Beyond a face: that face.
 */
static bool see_tetrahedron(gjk_walk3 *s, double margin) {
    gjk_vec3 d = s->w[3], a = gjk_sub3(s->w[0], d), b = gjk_sub3(s->w[1], d);
    gjk_vec3 c = gjk_sub3(s->w[2], d), bc = gjk_cross3(b, c);
    double volume = gjk_dot3(a, bc), turn = volume > 0.0 ? -1.0 : 1.0;
    double of_a = turn * gjk_dot3(d, bc), of_b = turn * gjk_dot3(d, gjk_cross3(c, a));
    double of_c = turn * gjk_dot3(d, gjk_cross3(a, b));
    if (of_a > 0.0 && of_b > 0.0 && of_c > 0.0) { /* inside, or too near to a face to tell */
        double of_d = fabs(volume) - (of_a + of_b + of_c);
        s->upper_scale = 0.0;
        return of_a > margin && of_b > margin && of_c > margin && of_d > margin;
    }
    if (of_a <= of_b && of_a <= of_c) {
        see_triangle_of(s, 1, 2);
    } else if (of_b <= of_c) {
        see_triangle_of(s, 0, 2);
    } else {
        see_triangle_of(s, 0, 1);
    }
    return false;
}

/* The next simplex; true when it is a tetrahedron around the origin, surely. */
static bool see(gjk_walk3 *s, double margin) {
    switch (s->count) {
    case 1:
        see_corner(s);
        return false;
    case 2:
        see_edge(s);
        return false;
    case 3:
        see_triangle(s);
        return false;
    default:
        return see_tetrahedron(s, margin);
    }
}

/* Apart, if the plane through the newest point proves it. */
static bool prove_apart(const gjk_walk3 *s, double along, const gjk_goal *goal,
                        gjk_solution *solution) {
    if (!(along < 0.0)) {
        return false;
    }
    double length = gjk_length3(s->direction);
    if (!(-along > (goal->radius + goal->tolerance) * length)) {
        return false;
    }
    solution->normal = gjk_scale3(1.0 / length, s->direction);
    solution->lower = -along / length;
    solution->proof = GJK_PROVEN_SEPARATED;
    return true;
}

static void hand_over(const gjk_walk3 *s, gjk_simplex3 *simplex) {
    simplex->count = s->count;
    for (uint32_t i = 0; i < s->count; i++) {
        simplex->vertex[i] = s->vertex[s->index[i]];
    }
}

/* Is the origin beyond the edge of the two older corners of a triangle? A walk does not lead
 * there from its edges, but from a tetrahedron or from points that were given. */
static bool beyond_oldest_edge(const gjk_walk3 *s) {
    gjk_vec3 a = s->w[0], b = s->w[1], c = s->w[2];
    gjk_vec3 n = gjk_cross3(gjk_sub3(a, c), gjk_sub3(b, c));
    return !(gjk_dot3(gjk_cross3(gjk_sub3(b, a), n), a) > 0.0);
}

/* The balls reach each other over the gap between the cores. */
static bool prove_by_radius(const gjk_walk3 *s, double scale, const gjk_goal *goal,
                            gjk_solution *solution) {
    double reach = goal->radius - goal->tolerance - HEIGHT_ERROR * scale;
    if (!(reach > 0.0 && s->upper_squared < reach * reach * s->upper_scale) ||
        (s->count == 3 && beyond_oldest_edge(s))) {
        return false;
    }
    solution->proof = GJK_PROVEN_OVERLAPPING;
    return true;
}

static void take_over(const gjk_simplex3 *simplex, gjk_walk3 *s) {
    s->count = s->found = simplex->count;
    s->upper_squared = s->upper_scale = 0.0;
    for (uint32_t i = 0; i < simplex->count; i++) {
        s->vertex[i] = simplex->vertex[i];
        s->w[i] = simplex->vertex[i].w;
        s->index[i] = (uint8_t)i;
    }
}

/* Does the simplex prove anything, or is it the last that this walk can do? */
static bool ends_here(gjk_walk3 *s, double scale, const gjk_goal *goal, gjk_solution *solution) {
    const double margin =
        CROSS_MAX * goal->tolerance * scale * scale + VOLUME_ERROR * scale * scale * scale;
    if (see(s, margin)) {
        solution->proof = GJK_PROVEN_OVERLAPPING;
        solution->upper = 0.0;
        return true;
    }
    return prove_by_radius(s, scale, goal, solution) || s->count == 4 ||
           !(gjk_dot3(s->direction, s->direction) > 0.0);
}

/* The next point; true when it ends the walk: a proof, or nothing nearer to be found. */
static bool step_ends(const gjk_frame3 *frame, const gjk_goal *goal, gjk_walk3 *s,
                      gjk_solution *solution) {
    gjk_vertex3 *vertex = &s->vertex[s->found];
    vertex->w = (gjk_vec3){0, 0, 0}; /* analysers do not see that the call sets it */
    gjk_support3_into(frame, &s->direction, vertex);
    solution->iterations++;
    for (uint32_t i = 0; i < s->count; i++) {
        if (vertex->w.x == s->w[i].x && vertex->w.y == s->w[i].y && vertex->w.z == s->w[i].z) {
            (void)prove_apart(s, gjk_dot3(s->direction, vertex->w), goal, solution);
            return true;
        }
    }
    copy3(&vertex->w, &s->w[s->count]);
    s->index[s->count++] = (uint8_t)s->found++;
    double along = gjk_dot3(s->direction, vertex->w);
    return prove_apart(s, along, goal, solution) || (along <= 0.0 && goal->radius == 0.0);
}

bool gjk_boolean3(const gjk_frame3 *frame, gjk_vec3 direction, const gjk_goal *goal,
                  gjk_simplex3 *simplex, gjk_solution *solution) {
    const uint32_t half = goal->max_iterations / 2, steps_max = half < STEPS_MAX ? half : STEPS_MAX;
    gjk_walk3 s;
    s.direction = direction;
    take_over(simplex, &s);
    for (uint32_t step = 0; step < steps_max; step++) {
        if ((s.count > 0 && ends_here(&s, frame->scale, goal, solution)) ||
            step_ends(frame, goal, &s, solution)) {
            break;
        }
    }
    hand_over(&s, simplex);
    return gjk_goal_reached(goal, solution);
}
