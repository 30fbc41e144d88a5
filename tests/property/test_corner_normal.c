/*
 * Does the normal fit the points where an edge and its end show the same distance? A hair past
 * the end of an edge the nearest point is the corner, and the direction to it has turned by more
 * than the distance has digits to tell.
 */

#include "gjk/pair.h"

#include "support/rng.h"
#include "support/test.h"

#include <math.h>

#define PAIRS 20000
#define ERROR 4e-15 /* relative to the largest coordinate */

static struct gjk_arena arena;

/* A square of side 2 and what faces its right upper corner: a point or the corner of a square. */
static void make_pair(test_rng *rng, gjk_shape shapes[2]) {
    const gjk_vec3 half = {1, 1, 0}, origin = {0, 0, 0};
    double rounding = test_rng_once_in(rng, 2) ? 0 : test_rng_uniform(rng, 0, 2);
    ck_assert_int_eq(gjk_shape_make_box(&arena, 2, half, 0, &shapes[0]), GJK_OK);
    if (test_rng_once_in(rng, 2)) {
        ck_assert_int_eq(gjk_shape_make_hull(&arena, 2, &origin, 1, rounding, &shapes[1]), GJK_OK);
    } else {
        const gjk_vec3 corners[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
        ck_assert_int_eq(gjk_shape_make_hull(&arena, 2, corners, 3, rounding, &shapes[1]), GJK_OK);
    }
}

static void require_fit(const gjk_placed *a, const gjk_placed *b) {
    const gjk_distance_settings near = gjk_distance_settings_default();
    const gjk_detect_settings deep = gjk_detect_settings_default();
    gjk_distance_result r = gjk_distance(a, b, &near);
    gjk_detect_result d = gjk_detect(a, b, &deep);
    double error = ERROR * (gjk_length3(a->pose.position) + gjk_length3(b->pose.position) + 4);
    if (r.has_points) {
        gjk_vec3 between = gjk_sub3(r.point_b, r.point_a);
        gjk_vec3 off = gjk_sub3(between, gjk_scale3(r.distance, r.normal));
        ck_assert_double_le(gjk_length3(off), error);
    }
    if (d.has_points && d.depth > 0.0) {
        gjk_vec3 between = gjk_sub3(d.point_a, d.point_b);
        gjk_vec3 off = gjk_sub3(between, gjk_scale3(d.depth, d.normal));
        ck_assert_double_le(gjk_length3(off), error);
    }
}

TEST(fits_the_points) {
    test_rng rng = test_rng_make(2700);
    for (int i = 0; i < PAIRS; i++) {
        gjk_shape shapes[2];
        gjk_pose home, there;
        double past = test_rng_magnitude(&rng, -17, -3), right = test_rng_uniform(&rng, 1.1, 3);
        double angle = test_rng_once_in(&rng, 2) ? 0 : test_rng_magnitude(&rng, -12, 0);
        const gjk_vec2 at = {right, 1 + (test_rng_once_in(&rng, 4) ? -past : past)};
        gjk_arena_init(&arena, 0);
        make_pair(&rng, shapes);
        ck_assert_int_eq(gjk_pose_make2((gjk_vec2){0, 0}, angle, &home), GJK_OK);
        gjk_vec3 turned = gjk_mul3(&home.rotation, (gjk_vec3){at.x, at.y, 0});
        ck_assert_int_eq(gjk_pose_make2((gjk_vec2){turned.x, turned.y}, angle, &there), GJK_OK);
        const gjk_placed a = {&shapes[0], home}, b = {&shapes[1], there};
        require_fit(&a, &b);
        require_fit(&b, &a);
        gjk_arena_fini(&arena);
    }
}
