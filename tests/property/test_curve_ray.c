/*
 * Do rays hit curved shapes where they must? The hit lies on the surface, with the normal
 * of the shape there; nothing is touched before it; grazing rays decide as the height says;
 * balls, ellipsoids, cylinders and cones along an axis as their equations say.
 */

#include "curved.h"
#include "support/test.h"

#include "gjk/ray.h"

#include <stdio.h>

#define RAYS 4000
#define SAMPLES 40
#define ERROR 1e-9 /* relative to the size and the distance */

#define REQUIRE(c, ray, condition) require(c, ray, condition, #condition, __LINE__)

static gjk_ray_result hit_of(const test_curved *c, const gjk_ray *ray) {
    const gjk_ray_settings settings = gjk_ray_settings_default();
    return gjk_raycast(&c->placed, ray, &settings);
}

static void require(const test_curved *c, const gjk_ray *ray, bool holds, const char *what,
                    int line) {
    if (!holds) {
        gjk_ray_result r = hit_of(c, ray);
        test_curved_print("target", c);
        fprintf(stderr,
                "from %.17g %.17g %.17g along %.17g %.17g %.17g: hit %d inside %d at %.17g\n",
                ray->origin.x, ray->origin.y, ray->origin.z, ray->direction.x, ray->direction.y,
                ray->direction.z, r.hit, r.inside, r.distance);
        ck_abort_msg("line %d: %s", line, what);
    }
}

static gjk_ray make_ray(gjk_vec3 origin, gjk_vec3 direction) {
    gjk_ray ray;
    ck_assert(gjk_ray_make(origin, direction, INFINITY, &ray) == GJK_OK);
    return ray;
}

/* How far the point is outside, by the library's distance; inside: minus the depth. */
static double outside(const test_curved *c, gjk_vec3 p, struct gjk_arena *arena) {
    static test_curved point;
    const gjk_distance_settings distance = gjk_distance_settings_default();
    const gjk_detect_settings detect = gjk_detect_settings_default();
    test_curved_make_ball(&point, arena, c->shape.dimension, 0.0);
    point.placed.pose.position = p;
    double d = gjk_distance(&c->placed, &point.placed, &distance).distance;
    return d > 0 ? d : -gjk_detect(&c->placed, &point.placed, &detect).depth;
}

static void require_hit(const test_curved *c, const gjk_ray *ray, const gjk_ray_result *r,
                        struct gjk_arena *arena) {
    double scale = c->shape.size + r->distance, error = ERROR * scale;
    gjk_vec3 at = gjk_add3(ray->origin, gjk_scale3(r->distance, ray->direction));
    REQUIRE(c, ray, r->convergence == GJK_CONVERGED && r->has_normal);
    REQUIRE(c, ray, gjk_length3(gjk_sub3(at, r->point)) <= error);
    REQUIRE(c, ray, fabs(gjk_length3(r->normal) - 1) <= 4e-15);
    REQUIRE(c, ray, gjk_dot3(r->normal, ray->direction) <= 0);
    /* The plane at the point supports the shape: on the surface, and that is its normal. */
    REQUIRE(c, ray, fabs((double)test_curved_outside(c, r->point, r->normal)) <= error);
    REQUIRE(c, ray, fabs(outside(c, r->point, arena)) <= error);
}

TEST_EACH(hits_the_surface_first, 2, 4) {
    test_rng rng = test_rng_make(6000 + (uint64_t)_i);
    const uint32_t dimension = (uint32_t)_i;
    struct gjk_arena arena;
    static test_curved c;
    unsigned hits = 0, misses = 0, inside = 0;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < RAYS; i++) {
        test_curved_make_random(&c, &rng, dimension, test_rng_magnitude(&rng, -2, 2), &arena,
                                false);
        test_curved_place_randomly(&c, &rng, gjk_scale3(5, test_rng_direction(&rng, dimension)));
        double far = c.shape.size * test_rng_uniform(&rng, 0, 3);
        gjk_vec3 origin = gjk_scale3(far, test_rng_direction(&rng, dimension));
        origin = gjk_add3(c.placed.pose.position, origin);
        double off = c.shape.size * test_rng_uniform(&rng, 0, 0.7);
        gjk_vec3 aim = gjk_scale3(off, test_rng_direction(&rng, dimension));
        aim = gjk_add3(c.placed.pose.position, aim);
        gjk_ray ray = make_ray(origin, gjk_sub3(aim, origin));
        gjk_ray_result r = hit_of(&c, &ray);
        double start = outside(&c, origin, &arena), error = ERROR * (c.shape.size + far);
        REQUIRE(&c, &ray, r.inside ? start <= error : start >= -error);
        if (r.hit && !r.inside) {
            require_hit(&c, &ray, &r, &arena);
        }
        double last = r.hit ? r.distance : 5 * c.shape.size;
        for (int j = 0; j < SAMPLES; j++) {
            double t = last * test_rng_uniform(&rng, 0, 1);
            gjk_vec3 p = gjk_add3(origin, gjk_scale3(t, ray.direction));
            REQUIRE(&c, &ray, r.inside || outside(&c, p, &arena) >= -error);
        }
        hits += r.hit && !r.inside;
        misses += !r.hit;
        inside += r.inside;
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
    ck_assert_uint_gt(hits, RAYS / 5);
    ck_assert_uint_gt(misses, RAYS / 20);
    ck_assert_uint_gt(inside, RAYS / 20);
}

/* A ray square to a direction n, just above or below the height along n. */
TEST_EACH(grazing, 2, 4) {
    test_rng rng = test_rng_make(6100 + (uint64_t)_i);
    const uint32_t dimension = (uint32_t)_i;
    const gjk_vec3 origin = {0, 0, 0};
    struct gjk_arena arena;
    static test_curved c;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < RAYS; i++) {
        test_curved_make_random(&c, &rng, dimension, 1.0, &arena, false);
        test_curved_place_randomly(&c, &rng, origin);
        gjk_vec3 n = test_rng_direction(&rng, dimension),
                 other = test_rng_direction(&rng, dimension);
        gjk_vec3 along = gjk_sub3(other, gjk_scale3(gjk_dot3(other, n), n));
        along = gjk_scale3(1.0 / gjk_length3(along), along);
        double above = test_rng_magnitude(&rng, -12, -1);
        double height = (double)test_curved_height(&c, n, origin) + above;
        gjk_vec3 from = gjk_add3(gjk_scale3(height, n), gjk_scale3(-9, along));
        gjk_ray ray = make_ray(from, along);
        REQUIRE(&c, &ray, !hit_of(&c, &ray).hit);
        if (dimension == 2) { /* in 3D a ray below the height may pass beside it */
            from = gjk_add3(from, gjk_scale3(-2 * above, n));
            ray = make_ray(from, along);
            REQUIRE(&c, &ray, hit_of(&c, &ray).hit);
        }
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
}

/* Parallel to the axes: where the equation of the surface puts the hit. */
TEST(along_an_axis) {
    test_rng rng = test_rng_make(6200);
    static test_curved c;
    for (int i = 0; i < RAYS; i++) {
        double x = test_rng_uniform(&rng, 0.3, 2), y = test_rng_uniform(&rng, 0.3, 2);
        double z = test_rng_uniform(&rng, 0.3, 2), u = test_rng_uniform(&rng, -0.6, 0.6);
        double v = test_rng_uniform(&rng, -0.6, 0.6), across = sqrt(u * u + v * v);
        test_curved_make_ellipse(&c, 3, (gjk_vec3){x, y, z}, 0);
        gjk_ray ray = make_ray((gjk_vec3){u * x, v * y, 10}, (gjk_vec3){0, 0, -1});
        gjk_ray_result r = hit_of(&c, &ray);
        REQUIRE(&c, &ray,
                r.hit && fabs(r.distance - 10 + z * sqrt(1 - across * across)) <= 1e-13 * 10);
        const gjk_vec3 ends[2] = {{0, 0, -y}, {0, 0, z}};
        test_curved_make_cylinder(&c, ends, x, 0);
        ray = make_ray((gjk_vec3){u * x, v * x, 10}, (gjk_vec3){0, 0, -1});
        r = hit_of(&c, &ray);
        REQUIRE(&c, &ray, r.hit && fabs(r.distance - (10 - z)) <= 1e-13 * 10);
        ray = make_ray((gjk_vec3){10, u * x, 0}, (gjk_vec3){-1, 0, 0});
        r = hit_of(&c, &ray);
        REQUIRE(&c, &ray, r.hit && fabs(r.distance - (10 - x * sqrt(1 - u * u))) <= 1e-13 * 10);
        test_curved_make_cone(&c, ends, x, 0);
        ray = make_ray((gjk_vec3){u * x, v * x, 10}, (gjk_vec3){0, 0, -1});
        r = hit_of(&c, &ray);
        REQUIRE(&c, &ray, r.hit && fabs(r.distance - (10 - z + across * (y + z))) <= 1e-13 * 10);
    }
}
