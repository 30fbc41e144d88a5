/*
 * Does a hit lie on the shape, is nothing hit earlier, is a miss a miss, and does the
 * normal hold the shape?
 */

#include "ray_case.h"
#include "support/test.h"

#define RAYS TEST_CASES(12000)
#define ERROR 1e-12

static void require_finite(const test_ray_case *c, const gjk_ray_result *r) {
    RAY_REQUIRE(c, isfinite(r->distance) && test_finite3(r->point) && test_finite3(r->normal));
    RAY_REQUIRE(c, r->convergence == GJK_CONVERGED);
    RAY_REQUIRE(c, r->hit || (!r->has_normal && !r->inside));
}

/* The ray up to that length, as a segment: how far is it from the shape? */
static double clearance(const test_ray_case *c, double length) {
    struct gjk_arena arena;
    gjk_arena_init(&arena, 0);
    test_body way = test_body_segment(c->target.a.dimension, (gjk_vec3){0, 0, 0},
                                      gjk_scale3(length, c->ray.direction), 0.0);
    way.position = c->ray.origin;
    test_body_build(&way, &arena);
    const gjk_distance_settings settings = gjk_distance_settings_default();
    const gjk_detect_settings detect = gjk_detect_settings_default();
    double apart = gjk_distance(&c->target.a.placed, &way.placed, &settings).distance;
    double deep = gjk_detect(&c->target.a.placed, &way.placed, &detect).depth;
    gjk_arena_fini(&arena);
    return apart > 0.0 ? apart : -deep;
}

static void require_first(const test_ray_case *c, double t) {
    double error = ERROR * test_ray_scale(c);
    for (int i = 0; i < 8; i++) {
        RAY_REQUIRE(c, test_ray_depth(c, test_along(c, t * i / 8)) > 0.0);
    }
    RAY_REQUIRE(c, clearance(c, t) >= -error);
}

static void require_hit(const test_ray_case *c, const gjk_ray_result *r) {
    double error = ERROR * test_ray_scale(c);
    gjk_vec3 n = r->normal, gone = gjk_sub3(r->point, test_along(c, r->distance));
    RAY_REQUIRE_NEAR(c, gjk_length3(gone), 0.0, error);
    RAY_REQUIRE_NEAR(c, test_ray_depth(c, r->point), 0.0, error);
    RAY_REQUIRE(c, r->has_normal && r->distance >= 0.0);
    RAY_REQUIRE_NEAR(c, gjk_length3(n), 1.0, 2e-15);
    RAY_REQUIRE(c, gjk_dot3(n, c->ray.direction) <= 0.0);
    RAY_REQUIRE(c, c->target.a.dimension == 3 || n.z == 0.0);
    /* The shape lies behind the plane through the point, except points and segments whose
     * normal is -direction by definition. */
    test_body at = test_body_ball(c->target.a.dimension, 0.0);
    at.position = r->point;
    bool thin = test_body_radius(&c->target.a) == 0.0 && c->target.a.shape.count <= 2;
    RAY_REQUIRE(c, thin || (double)test_gap_along(&c->target.a, &at, n) >= -error);
    require_first(c, r->distance);
}

TEST_EACH(random_rays, 2, 4) {
    test_rng rng = test_rng_make(900 + (uint64_t)_i);
    struct gjk_arena arena;
    static test_ray_case c;
    unsigned hits = 0, inside = 0;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < RAYS; i++) {
        test_random_ray_case(&rng, (uint32_t)_i, &arena, &c);
        gjk_ray_result r = test_cast(&c, true);
        double error = ERROR * test_ray_scale(&c), start = test_ray_depth(&c, c.ray.origin);
        require_finite(&c, &r);
        hits += r.hit;
        inside += r.inside;
        if (r.inside) {
            RAY_REQUIRE(&c, start <= GJK_TOLERANCE_DEFAULT * c.target.a.shape.size + error);
            RAY_REQUIRE(&c, r.hit && r.distance == 0.0 && !r.has_normal);
            RAY_REQUIRE(&c, !test_cast(&c, false).hit);
        } else if (r.hit) {
            require_hit(&c, &r);
            RAY_REQUIRE(&c, test_cast(&c, false).distance == r.distance);
        } else {
            RAY_REQUIRE(&c, start > 0.0);
            RAY_REQUIRE(&c, clearance(&c, 4 * test_ray_scale(&c)) >= -error);
        }
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
    ck_assert_uint_gt(hits, RAYS / 4);
    ck_assert_uint_gt(inside, RAYS / 50);
}

/* Exactly as far as the hit is far enough; clearly less is not. */
TEST_EACH(reach_is_inclusive, 2, 4) {
    test_rng rng = test_rng_make(1000 + (uint64_t)_i);
    struct gjk_arena arena;
    static test_ray_case c;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < RAYS / 4; i++) {
        test_random_ray_case(&rng, (uint32_t)_i, &arena, &c);
        gjk_ray_result r = test_cast(&c, true);
        if (r.hit) {
            double error = ERROR * test_ray_scale(&c);
            c.ray.max_distance = r.distance;
            gjk_ray_result just = test_cast(&c, true);
            RAY_REQUIRE(&c, just.hit && just.distance == r.distance);
            c.ray.max_distance = nextafter(r.distance, 0.0);
            gjk_ray_result less = test_cast(&c, true);
            RAY_REQUIRE(&c, !less.hit || less.distance <= c.ray.max_distance);
            c.ray.max_distance = fmax(r.distance - 10 * error, 0.0);
            RAY_REQUIRE(&c, r.inside || !test_cast(&c, true).hit);
            c.ray.max_distance = 0.0;
            RAY_REQUIRE(&c, test_cast(&c, true).hit == r.inside || r.distance < 10 * error);
        }
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
}

/* From a witness point of the boundary: inside, whichever way the ray goes. */
TEST_EACH(from_the_boundary, 2, 4) {
    test_rng rng = test_rng_make(1100 + (uint64_t)_i);
    struct gjk_arena arena;
    static test_ray_case c;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < RAYS / 4; i++) {
        test_random_ray_case(&rng, (uint32_t)_i, &arena, &c);
        gjk_ray_result r = test_cast(&c, true);
        if (r.hit && c.target.a.shape.size > 0.0) {
            test_aim(&c, r.point, test_rng_direction(&rng, (uint32_t)_i), INFINITY);
            gjk_ray_result at = test_cast(&c, true);
            RAY_REQUIRE(&c, at.hit && at.inside && at.distance == 0.0 && !at.has_normal);
            RAY_REQUIRE(&c, !test_cast(&c, false).hit);
        }
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
}

TEST_EACH(few_iterations, 2, 4) {
    test_rng rng = test_rng_make(1200 + (uint64_t)_i);
    struct gjk_arena arena;
    static test_ray_case c;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < RAYS / 2; i++) {
        test_random_ray_case(&rng, (uint32_t)_i, &arena, &c);
        const gjk_ray_settings few = {.tolerance = test_rng_magnitude(&rng, -16, -2),
                                      .max_iterations = GJK_ITERATIONS_MIN,
                                      .solid = true};
        gjk_ray_result r = gjk_raycast(&c.target.a.placed, &c.ray, &few);
        gjk_ray_result full = test_cast(&c, true);
        double error = few.tolerance * c.target.a.shape.size + ERROR * test_ray_scale(&c);
        RAY_REQUIRE(&c, isfinite(r.distance) && test_finite3(r.point) && test_finite3(r.normal));
        if (r.convergence == GJK_CONVERGED && !r.inside && !full.inside) {
            RAY_REQUIRE(&c, r.hit == full.hit || error > 1e-9);
        }
        /* Undecided: the distance is one before which nothing is hit. */
        RAY_REQUIRE(&c, !r.hit || !full.hit || r.distance <= full.distance + error);
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
}

/* Returns the distance of a point from the segment from a to a + way. */
static double from_segment(gjk_vec3 point, gjk_vec3 a, gjk_vec3 way) {
    const gjk_vec3 off = gjk_sub3(point, a);
    const double along = gjk_dot3(off, way) / gjk_dot3(way, way);
    return gjk_length3(gjk_sub3(off, gjk_scale3(fmin(fmax(along, 0.0), 1.0), way)));
}

/* A ray that passes within rounding of a slender triangle, nearly along it, is hit there or not at
 * all, however small the triangle and the tolerance are. */
TEST_EACH(slender_triangles_are_hit_where_they_are, 2, 4) {
    const uint32_t n = (uint32_t)_i;
    static const double units[] = {1.0, 1e-46, 1e-293};
    test_rng rng = test_rng_make(1300 + n);
    struct gjk_arena arena;
    static test_ray_case c;
    unsigned hits = 0;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < RAYS; i++) {
        const double unit = units[i % 3], thin = test_rng_magnitude(&rng, -16, -7);
        const gjk_vec3 a = test_rng_direction(&rng, n), way = test_rng_direction(&rng, n);
        const gjk_vec3 at = gjk_add3(a, gjk_scale3(test_rng_uniform(&rng, 0, 1), way));
        const gjk_vec3 top = gjk_add3(at, gjk_scale3(thin, test_rng_direction(&rng, n)));
        const gjk_vec3 corners[] = {gjk_scale3(unit, a), gjk_scale3(unit, gjk_add3(a, way)),
                                    gjk_scale3(unit, top)};
        const gjk_vec3 direction = gjk_add3(way, gjk_scale3(test_rng_magnitude(&rng, -20, 0),
                                                            test_rng_direction(&rng, n)));
        const gjk_vec3 back = gjk_scale3(-test_rng_magnitude(&rng, -1, 2), direction);
        c.target.a = test_body_cloud(n == 3 ? GJK_TRIANGLE : GJK_HULL, n, corners, 3);
        c.target.b = test_body_ball(n, 0.0);
        test_pair_build(&c.target, &arena);
        test_aim(&c, gjk_scale3(unit, gjk_add3(at, back)), direction, INFINITY);
        gjk_ray_settings settings = gjk_ray_settings_default();
        settings.tolerance = i % 2 == 0 ? settings.tolerance : 1e-14;
        const gjk_ray_result r = gjk_raycast(&c.target.a.placed, &c.ray, &settings);
        const double off = from_segment(gjk_scale3(1.0 / unit, r.point), a, way);
        RAY_REQUIRE(&c, !r.hit || off <= thin + 1e-6);
        hits += r.hit;
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
    ck_assert_uint_gt(hits, RAYS / 4);
}
