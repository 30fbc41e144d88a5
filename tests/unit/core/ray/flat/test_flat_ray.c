/* The kernels of rays at small flat shapes: the same bits from every instruction set, and what the
 * general method says of the same ray. */

#include "ray/flat/flat_ray.h"

#include "ray/general.h"
#include "runner.h"
#include "support/rng.h"

#include <string.h>

#define RAYS 20000

typedef void ray_check(const gjk_placed *target, const gjk_ray *ray);

/* Rays at polygons and circles, from inside and outside, some of them too short. */
static void for_rays(uint64_t seed, ray_check *check) {
    struct gjk_arena arena;
    test_rng rng = test_rng_make(seed);
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < RAYS; i++) {
        gjk_vec3 points[8];
        gjk_shape shape;
        gjk_ray ray;
        const uint32_t count = 3 + test_rng_below(&rng, 6);
        for (uint32_t k = 0; k < count; k++) {
            points[k] = test_rng_direction(&rng, 2);
        }
        ck_assert_int_eq(test_rng_once_in(&rng, 3)
                             ? gjk_shape_make_ball(&arena, 2, 1.0, 0.0, &shape)
                             : gjk_shape_make_hull(&arena, 2, points, count, 0.0, &shape),
                         GJK_OK);
        gjk_placed target = {.shape = &shape};
        const gjk_vec3 at = gjk_scale3(5.0, test_rng_direction(&rng, 2));
        ck_assert_int_eq(gjk_pose_make2(gjk_xy(at), test_rng_uniform(&rng, -4, 4), &target.pose),
                         GJK_OK);
        const gjk_vec3 from =
            gjk_add3(at, gjk_scale3(test_rng_uniform(&rng, 0, 4), test_rng_direction(&rng, 2)));
        const gjk_vec3 to =
            gjk_add3(at, gjk_scale3(test_rng_uniform(&rng, 0, 1.5), test_rng_direction(&rng, 2)));
        const double most = test_rng_once_in(&rng, 4) ? test_rng_uniform(&rng, 0, 4) : INFINITY;
        ck_assert_int_eq(gjk_ray_make(from, gjk_sub3(to, from), most, &ray), GJK_OK);
        if (shape.flat != GJK_FLAT_NOT) {
            check(&target, &ray);
        }
    }
    gjk_arena_fini(&arena);
}

static int decided, asked;

static void compare(const gjk_placed *target, const gjk_ray *ray) {
    const gjk_ray_settings settings = gjk_ray_settings_default();
    gjk_ray_result fast;
    const gjk_ray_result slow = gjk_raycast_general(target, ray, &settings);
    asked += !slow.inside;
    if (!gjk_flat_ray(target, ray, &settings, &fast)) {
        return;
    }
    decided++;
    ck_assert(!fast.inside && !slow.inside);
    ck_assert_int_eq(fast.hit, slow.hit);
    if (fast.hit) {
        ck_assert(fast.has_normal);
        ck_assert_double_eq_tol(fast.distance, slow.distance, 1e-9);
        ck_assert_double_le(gjk_largest3(gjk_sub3(fast.point, slow.point)), 1e-9);
        ck_assert_double_eq_tol(gjk_length3(fast.normal), 1.0, 1e-15);
        ck_assert_double_le(gjk_dot3(fast.normal, ray->direction), 0.0);
    }
}

START_TEST(they_say_what_the_general_method_says) {
    decided = asked = 0;
    for_rays(1, compare);
    ck_assert_msg(decided > asked / 100 * 80, "%d of %d", decided, asked);
}
END_TEST

#ifdef GJK_SCAN_X86
typedef bool ray_kernel(const gjk_placed *target, const gjk_ray *ray,
                        const gjk_ray_settings *settings, gjk_ray_result *result);

static void require_same(const gjk_placed *target, const gjk_ray *ray, ray_kernel *kernel) {
    gjk_ray_result one, other;
    memset(&one, 0, sizeof one);
    memset(&other, 0, sizeof other);
    const gjk_ray_settings settings = gjk_ray_settings_default();
    ck_assert_int_eq(gjk_flat_ray_plain(target, ray, &settings, &one),
                     kernel(target, ray, &settings, &other));
    ck_assert_mem_eq(&one, &other, sizeof one);
}

static void compare_sets(const gjk_placed *target, const gjk_ray *ray) {
    if (target->shape->flat != GJK_FLAT_POLYGON) {
        return;
    }
    if (__builtin_cpu_supports("avx2")) {
        require_same(target, ray, gjk_flat_ray_avx2);
    }
    if (__builtin_cpu_supports("avx512dq")) {
        require_same(target, ray, gjk_flat_ray_avx512);
    }
}

START_TEST(every_instruction_set_gives_the_same_bits) {
    for_rays(2, compare_sets);
}
END_TEST
#endif

Suite *test_suite(void) {
    Suite *suite = suite_create("flat_ray");
    TCase *tests = test_case(suite, "flat ray");
    tcase_add_test(tests, they_say_what_the_general_method_says);
#ifdef GJK_SCAN_X86
    tcase_add_test(tests, every_instruction_set_gives_the_same_bits);
#endif
    return suite;
}
