#ifndef TEST_RAY_CASE_H
#define TEST_RAY_CASE_H

#include "gjk/ray.h"
#include "judge.h"
#include "require.h"

/* One body (target.a; target.b is unused but printed) and one ray. */
typedef struct test_ray_case {
    test_pair target;
    gjk_vec3 direction; /* as given, of any length */
    gjk_ray ray;
} test_ray_case;

/* A random body, one in three a hull of up to 100 points, and a ray that comes from outside or
 * inside and meets it about every second time. */
void test_random_ray_case(test_rng *rng, uint32_t dimension, struct gjk_arena *arena,
                          test_ray_case *out);

void test_aim(test_ray_case *c, gjk_vec3 origin, gjk_vec3 direction, double max_distance);

gjk_ray_result test_cast(const test_ray_case *c, bool solid);

/* Errors are relative to this: size, distance from the ray's origin and from its own. */
double test_ray_scale(const test_ray_case *c);

/* The signed distance of a point from the body, by the pair kernel. */
double test_ray_depth(const test_ray_case *c, gjk_vec3 point);

gjk_vec3 test_along(const test_ray_case *c, double t);

#define RAY_REQUIRE(c, condition)              \
    do {                                       \
        test_ray_print_unless(c, condition);   \
        TEST_REQUIRE(&(c)->target, condition); \
    } while (0)
#define RAY_REQUIRE_NEAR(c, x, y, error)                      \
    do {                                                      \
        test_ray_print_unless(c, fabs((x) - (y)) <= (error)); \
        TEST_REQUIRE_NEAR(&(c)->target, x, y, error);         \
    } while (0)
void test_ray_print_unless(const test_ray_case *c, bool holds);

#endif
