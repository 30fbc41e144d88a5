/*
 * Rays among small whole numbers, where most meet corners, edges and planes exactly.
 * The reference is exact: 113 bits hold every product here. A ray that touches hits.
 */

#include "ray_case.h"
#include "support/test.h"

#define RAYS 40000
#define ERROR 1e-14
#define FLATTEST 1e-3

/* The ray o + t d, d not of unit length, and the least t found. */
typedef struct exact_ray {
    quad3 o, d;
    bool hit;
    quad t;
} exact_ray;

static void found(exact_ray *ray, quad t) {
    if (t >= 0 && (!ray->hit || t < ray->t)) {
        ray->hit = true;
        ray->t = t;
    }
}

static bool is_zero(quad3 v) {
    return v.x == 0 && v.y == 0 && v.z == 0;
}

static void meet_point(exact_ray *ray, quad3 p) {
    quad3 w = quad3_sub(p, ray->o);
    if (is_zero(quad3_cross(w, ray->d))) {
        found(ray, quad3_dot(w, ray->d) / quad3_dot(ray->d, ray->d));
    }
}

static void meet_segment(exact_ray *ray, quad3 p, quad3 q) {
    quad3 w = quad3_sub(p, ray->o), e = quad3_sub(q, p), n = quad3_cross(ray->d, e);
    quad square = quad3_dot(n, n);
    if (square == 0 || quad3_dot(w, n) != 0) {
        return; /* parallel: its ends tell; or skew */
    }
    quad s = quad3_dot(quad3_cross(w, ray->d), n);
    if (s >= 0 && s <= square) {
        found(ray, quad3_dot(quad3_cross(w, e), n) / square);
    }
}

static void meet_triangle(exact_ray *ray, quad3 p, quad3 q, quad3 r) {
    quad3 u = quad3_sub(q, p), v = quad3_sub(r, p), w = quad3_sub(ray->o, p);
    quad3 n = quad3_cross(u, v);
    quad across = -quad3_dot(ray->d, n);
    if (across == 0) {
        return; /* in or beside its plane: its edges tell */
    }
    quad3 m = quad3_cross(w, ray->d);
    quad beta = quad3_dot(v, m) / across, gamma = -quad3_dot(u, m) / across;
    if (beta >= 0 && gamma >= 0 && beta + gamma <= 1) {
        found(ray, quad3_dot(w, n) / across);
    }
}

/* Every corner, pair and triple of points belongs to the hull, and its surface to them. */
static void meet_hull(exact_ray *ray, const test_body *body) {
    quad3 p[TEST_BODY_POINTS_MAX];
    for (uint32_t i = 0; i < body->count; i++) {
        p[i] = quad3_add(quad3_of(body->point[i]), quad3_of(body->position));
        meet_point(ray, p[i]);
        for (uint32_t k = 0; k < i; k++) {
            meet_segment(ray, p[i], p[k]);
            for (uint32_t m = 0; m < k && body->dimension == 3; m++) {
                meet_triangle(ray, p[i], p[k], p[m]);
            }
        }
    }
}

static gjk_vec3 grid_point(test_rng *rng, uint32_t dimension, int reach) {
    return (gjk_vec3){test_rng_integer(rng, -reach, reach), test_rng_integer(rng, -reach, reach),
                      dimension == 3 ? test_rng_integer(rng, -reach, reach) : 0};
}

static void make_case(test_rng *rng, uint32_t dimension, struct gjk_arena *arena,
                      test_ray_case *c) {
    gjk_vec3 points[8], direction;
    uint32_t count = 1 + test_rng_below(rng, 8);
    int reach = test_rng_integer(rng, 1, 3);
    for (uint32_t i = 0; i < count; i++) {
        points[i] = grid_point(rng, dimension, reach);
    }
    c->target.a = test_body_cloud(GJK_HULL, dimension, points, count);
    c->target.a.position = grid_point(rng, dimension, 2);
    gjk_vec3 origin = grid_point(rng, dimension, 6);
    do { /* anywhere, or at the middle of two of the points */
        gjk_vec3 p = points[test_rng_below(rng, count)], q = points[test_rng_below(rng, count)];
        gjk_vec3 at = gjk_add3(gjk_add3(p, q), gjk_scale3(2, c->target.a.position));
        direction = test_rng_once_in(rng, 3) ? grid_point(rng, dimension, 3)
                                             : gjk_sub3(at, gjk_scale3(2, origin));
    } while (gjk_length3(direction) == 0.0);
    c->target.b = test_body_ball(dimension, 0.0);
    test_pair_build(&c->target, arena);
    test_aim(c, origin, direction, INFINITY);
}

TEST_EACH(touching_rays_hit, 2, 4) {
    test_rng rng = test_rng_make(1400 + (uint64_t)_i);
    struct gjk_arena arena;
    static test_ray_case c;
    unsigned hits = 0;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < RAYS; i++) {
        make_case(&rng, (uint32_t)_i, &arena, &c);
        exact_ray exact = {.o = quad3_of(c.ray.origin), .d = quad3_of(c.direction)};
        meet_hull(&exact, &c.target.a);
        gjk_ray_result r = test_cast(&c, true);
        hits += r.hit;
        RAY_REQUIRE(&c, r.convergence == GJK_CONVERGED);
        if (r.inside) { /* or on its surface */
            RAY_REQUIRE(&c, test_ray_depth(&c, c.ray.origin) <= ERROR * test_ray_scale(&c));
        } else {
            RAY_REQUIRE(&c, r.hit == exact.hit);
        }
        if (r.hit && !r.inside) {
            double t = (double)exact.t * gjk_length3(c.direction);
            /* What rounding moves along the normal moves more along a ray that comes in flat. */
            double cosine = fmax(-gjk_dot3(r.normal, c.ray.direction), FLATTEST);
            RAY_REQUIRE_NEAR(&c, r.distance, t, ERROR * test_ray_scale(&c) / cosine);
            RAY_REQUIRE(&c, gjk_dot3(r.normal, c.ray.direction) <= 0.0);
        }
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
    ck_assert_uint_gt(hits, RAYS / 10);
}
