/*
 * Does it matter where a shape's numbers stand? Every kind of shape whose geometry can lie off its
 * own origin is made twice, about it and 1 to 1e12 sizes away from it, the same to the last bit
 * but for that, and both are posed in one place, as nearly as doubles can tell. What is answered
 * about the two must agree within rounding.
 */

#include "base/wide.h"
#include "far_shapes.h"
#include "gjk/cast.h"
#include "gjk/ray.h"
#include "judge.h"
#include "quad.h"
#include "scene.h"
#include "support/test.h"

#include <stdio.h>

#define PAIRS 1500
#define ULPS 8 /* two roundings of a pose, and the bounds of both */

/* Both intervals hold one truth, within so much. */
static void same_truth(const char *what, double low, double high, double other_low,
                       double other_high, double slack) {
    ck_assert_msg(low <= other_high + slack && other_low <= high + slack,
                  "%s: [%.17g, %.17g] and [%.17g, %.17g], %.1f of the slack", what, low, high,
                  other_low, other_high, fmax(low - other_high, other_low - high) / slack);
}

static void compare_pairs(const test_far_pair *p, const gjk_placed *other, const char *name) {
    gjk_distance_settings settings = gjk_distance_settings_default();
    gjk_detect_settings how = gjk_detect_settings_default();
    const gjk_distance_result far = gjk_distance(&p->far_placed, other, &settings);
    const gjk_distance_result near = gjk_distance(&p->near_placed, other, &settings);
    const gjk_detect_result deep = gjk_detect(&p->far_placed, other, &how);
    const gjk_detect_result as_deep = gjk_detect(&p->near_placed, other, &how);
    const gjk_detect_result back = gjk_detect(other, &p->far_placed, &how);
    const double size = fmax(p->near.size, other->shape->size), scale = fmax(size, near.distance);
    const double slack = ULPS * test_ulp(scale);
    same_truth(name, far.lower_bound, far.distance, near.lower_bound, near.distance, slack);
    same_truth(name, deep.depth_lower_bound, deep.depth, as_deep.depth_lower_bound, as_deep.depth,
               slack);
    ck_assert_int_eq(deep.state, back.state);
    ck_assert_int_eq(deep.state, far.state);
    const double band = fabs(fmax(far.distance, deep.depth) - 1e-10 * size);
    ck_assert_msg(deep.state == as_deep.state || band < 8 * test_ulp(size), "%s: states %d %d",
                  name, (int)deep.state, (int)as_deep.state);
    if (far.has_points && near.has_points) {
        const gjk_vec3 between = gjk_sub3(far.point_b, far.point_a);
        const gjk_vec3 off = gjk_sub3(between, gjk_scale3(far.distance, far.normal));
        ck_assert_double_le(test_largest3(off), 1e-9 * scale);
    }
}

/* Of a ray's way. A compound's parts have a pose more; rounded hulls of 3D are met step by step,
 * which ends within some roundings of all lengths. */
static double ray_ulps(test_far_kind kind, uint32_t dimension) {
    return kind == TEST_FAR_COMPOUND || kind == TEST_FAR_PLACED_BOX ? 2 * ULPS
           : kind == TEST_FAR_HULL && dimension == 3                ? 8 * ULPS
                                                                    : ULPS;
}

static void compare_rays(test_rng *rng, const test_far_pair *p, test_far_kind kind) {
    const char *name = test_far_name(kind);
    const uint32_t dimension = p->near.dimension;
    const gjk_vec3 from =
        gjk_scale3(test_rng_uniform(rng, 2, 5), test_rng_direction(rng, dimension));
    const gjk_vec3 at = gjk_scale3(0.5, test_rng_direction(rng, dimension));
    const gjk_ray_settings settings = gjk_ray_settings_default();
    gjk_ray ray;
    ck_assert_int_eq(gjk_ray_make(from, gjk_sub3(at, from), INFINITY, &ray), GJK_OK);
    const gjk_ray_result far = gjk_raycast(&p->far_placed, &ray, &settings);
    const gjk_ray_result near = gjk_raycast(&p->near_placed, &ray, &settings);
    const double rate = near.hit && near.has_normal ? -gjk_dot3(near.normal, ray.direction) : 0.0;
    if (rate > 1e-2) { /* steeper than grazing */
        ck_assert_msg(far.hit, "%s: the far one is not hit", name);
        same_truth(name, far.distance, far.distance, near.distance, near.distance,
                   ray_ulps(kind, dimension) * test_ulp(near.distance / rate));
        ck_assert_double_le(test_largest3(gjk_sub3(far.point, near.point)), 1e-13 / rate);
        double out_far, out_near;
        ck_assert_int_eq(gjk_ray_exit(&p->far_placed, &ray, &far, &settings, &out_far), GJK_OK);
        ck_assert_int_eq(gjk_ray_exit(&p->near_placed, &ray, &near, &settings, &out_near), GJK_OK);
        ck_assert_msg(fabs(out_far - out_near) <= 1e-9, "%s: out at %.17g and %.17g", name, out_far,
                      out_near);
    }
}

static void compare_casts(test_rng *rng, const test_far_pair *p, const gjk_placed *other,
                          const char *name) {
    const gjk_vec3 way = gjk_scale3(4, test_rng_direction(rng, p->near.dimension));
    const gjk_cast_settings settings = gjk_cast_settings_default();
    const gjk_cast_result far = gjk_cast(other, way, &p->far_placed, &settings);
    const gjk_cast_result near = gjk_cast(other, way, &p->near_placed, &settings);
    const double rate = near.hit && near.has_normal ? -gjk_dot3(near.normal, way) / 4 : 0.0;
    if (rate > 1e-2 && near.distance > 1e-6) {
        ck_assert_msg(far.hit, "%s: the far one is not hit", name);
        ck_assert_msg(fabs(far.distance - near.distance) <= 2e-10 * 4 / rate, "%s: %.17g %.17g",
                      name, far.distance, near.distance);
    }
}

/* What comes to them turning meets both at one time. */
static void compare_turning(test_rng *rng, const test_far_pair *p, const gjk_placed *other,
                            const char *name) {
    const uint32_t dimension = p->near.dimension;
    const gjk_vec3 past_it = gjk_scale3(-1.5, other->pose.position);
    const gjk_rigid_motion motion = {gjk_add3(past_it,
                                              gjk_scale3(0.5, test_rng_direction(rng, dimension))),
                                     dimension == 2 ? (gjk_vec3){0, 0, 1}
                                                    : test_rng_direction(rng, 3),
                                     test_rng_uniform(rng, -2, 2)};
    const gjk_cast_settings settings = gjk_cast_settings_default();
    const gjk_cast_result far = gjk_cast_turning(other, &motion, &p->far_placed, &settings);
    const gjk_cast_result near = gjk_cast_turning(other, &motion, &p->near_placed, &settings);
    ck_assert_msg(far.hit == near.hit && far.inside == near.inside &&
                      fabs(far.fraction - near.fraction) <= 1e-9,
                  "%s: %d at %.17g, %d at %.17g", name, far.hit, far.fraction, near.hit,
                  near.fraction);
    if (near.hit && !near.inside) {
        ck_assert_double_le(test_largest3(gjk_sub3(far.point, near.point)), 1e-4);
    }
}

/* What a mesh or height field does with rays on its own triangles is another matter. */
static bool has_own_rays(test_far_kind kind) {
    return kind == TEST_FAR_MESH;
}

static void run(uint32_t dimension, test_far_kind kind) {
    test_rng rng = test_rng_make(100 + dimension + 10 * (uint64_t)kind);
    struct gjk_arena arena;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < PAIRS && test_far_exists(kind, dimension); i++) {
        static test_far_pair pair;
        test_body other = test_random_body(&rng, dimension, 1.0);
        other.position =
            gjk_scale3(test_rng_uniform(&rng, 0, 3), test_rng_direction(&rng, dimension));
        test_body_build(&other, &arena);
        test_far_pair_make(&rng, kind, dimension, &arena, &pair);
        compare_pairs(&pair, &other.placed, test_far_name(kind));
        compare_casts(&rng, &pair, &other.placed, test_far_name(kind));
        compare_turning(&rng, &pair, &other.placed, test_far_name(kind));
        if (!has_own_rays(kind)) {
            compare_rays(&rng, &pair, kind);
        }
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
}

TEST_EACH(in_2d, 0, TEST_FAR_KINDS) {
    run(2, (test_far_kind)_i);
}

TEST_EACH(in_3d, 0, TEST_FAR_KINDS) {
    run(3, (test_far_kind)_i);
}

/* What all of it rests on: places with twice the digits. */
TEST(turned_with_twice_the_digits) {
    test_rng rng = test_rng_make(7);
    for (int i = 0; i < 20000; i++) {
        const gjk_vec3 point =
            gjk_scale3(test_rng_magnitude(&rng, -3, 12), test_rng_direction(&rng, 3));
        const gjk_vec3 at =
            gjk_scale3(test_rng_magnitude(&rng, -3, 12), test_rng_direction(&rng, 3));
        const double angle = test_rng_uniform(&rng, -1, 1) * test_rng_magnitude(&rng, -9, 5);
        const double stretch = test_rng_uniform(&rng, 0.9995, 1.0005);
        gjk_quat q = test_rng_rotation(&rng);
        q = (gjk_quat){stretch * q.x, stretch * q.y, stretch * q.z, stretch * q.w};
        gjk_pose pose;
        const bool flat = i % 2 == 0;
        ck_assert_int_eq(flat ? gjk_pose_make2(gjk_xy(at), angle, &pose)
                              : gjk_pose_make3(at, q, &pose),
                         GJK_OK);
        const gjk_wide3 got = gjk_pose_apply_wide(&pose, gjk_wide3_of(point));
        const quad3 turned = flat ? quad3_turn2(angle, point) : quad3_turn3(q, point);
        const quad3 truth = quad3_add(turned, quad3_of(pose.position));
        const quad3 off = quad3_sub(quad3_sub(truth, quad3_of(got.high)), quad3_of(got.low));
        const double scale = test_largest3(point) + test_largest3(at);
        ck_assert_double_le(test_largest3(quad3_round(off)), 0x1p-98 * scale);
    }
}
