/*
 * Do both penetration solvers tell the same of polygons with edges so short that they vanish
 * in the frame of the pair? There a foot on an edge is a foot on nothing, and the direct solver
 * must notice.
 */

#include "gjk/pair.h"
#include "pair/kernels.h"

#include "support/rng.h"
#include "support/test.h"

#include <math.h>

#define PAIRS 20000
#define POINTS_MAX 6

static struct gjk_arena arena;

/* Of either sign, its magnitude a power of ten between the two. */
static double scattered(test_rng *rng, double least, double most) {
    double magnitude = test_rng_magnitude(rng, least, most);
    return test_rng_once_in(rng, 2) ? -magnitude : magnitude;
}

static void make_shape(test_rng *rng, gjk_shape *shape) {
    double rounding = test_rng_once_in(rng, 2) ? 0 : fabs(scattered(rng, -3, 1));
    if (test_rng_once_in(rng, 3)) {
        gjk_vec3 half = {fabs(scattered(rng, -18, 1)), fabs(scattered(rng, -18, 1)), 0};
        ck_assert_int_eq(gjk_shape_make_box(&arena, 2, half, rounding, shape), GJK_OK);
        return;
    }
    gjk_vec3 points[POINTS_MAX];
    uint32_t count = 1 + test_rng_below(rng, POINTS_MAX);
    double least = test_rng_once_in(rng, 2) ? -22 : -2;
    for (uint32_t i = 0; i < count; i++) {
        points[i] = (gjk_vec3){scattered(rng, least, 1), scattered(rng, least, 1), 0};
    }
    if (count > 1 && test_rng_once_in(rng, 3)) { /* two that are nearly one */
        points[1].x = points[0].x + scattered(rng, -20, -10);
        points[1].y = points[0].y + scattered(rng, -20, -10);
    }
    ck_assert_int_eq(gjk_shape_make_hull(&arena, 2, points, count, rounding, shape), GJK_OK);
}

static gjk_pose make_pose(test_rng *rng) {
    double most = test_rng_once_in(rng, 5) ? 15 : test_rng_once_in(rng, 2) ? 4 : 0;
    gjk_vec2 position = {scattered(rng, -2, most), scattered(rng, -2, most)};
    double angle = test_rng_once_in(rng, 3) ? 0 : test_rng_uniform(rng, -4, 4);
    gjk_pose pose;
    ck_assert_int_eq(gjk_pose_make2(position, angle, &pose), GJK_OK);
    return pose;
}

static void check_pair(const gjk_placed *a, const gjk_placed *b) {
    gjk_distance_settings settings = gjk_distance_settings_default();
    gjk_detect_settings depth_settings = gjk_detect_settings_default();
    gjk_distance_result direct = gjk_distance(a, b, &settings);
    gjk_detect_result deep = gjk_detect(a, b, &depth_settings);
    settings.solver = &gjk_penetration_epa;
    depth_settings.solver = &gjk_penetration_epa;
    gjk_distance_result general = gjk_distance(a, b, &settings);
    gjk_detect_result expanded = gjk_detect(a, b, &depth_settings);
    double scale = gjk_length3(gjk_sub3(a->pose.position, b->pose.position)) + a->shape->reach +
                   b->shape->reach + a->shape->size + b->shape->size;
    double rounding = 16 * 0x1p-52 * scale;
    ck_assert_int_eq(direct.state, deep.state);
    ck_assert(!isnan(direct.distance) && !isnan(direct.lower_bound) && !isnan(deep.depth));
    ck_assert_double_le(fabs(direct.distance - general.distance), rounding);
    ck_assert_double_le(fabs(deep.depth - expanded.depth), rounding);
    if (direct.state == GJK_SEPARATED) {
        gjk_vec3 between = gjk_sub3(direct.point_b, direct.point_a);
        double placed = 16 * 0x1p-52 * gjk_length3(a->pose.position);
        ck_assert(direct.has_points);
        ck_assert_double_le(fabs(gjk_length3(between) - direct.distance), rounding + placed);
    }
}

TEST(both_solvers_agree) {
    test_rng rng = test_rng_make(2600);
    for (int i = 0; i < PAIRS; i++) {
        gjk_shape shapes[2];
        gjk_placed placed[2];
        gjk_arena_init(&arena, 0);
        for (int k = 0; k < 2; k++) {
            make_shape(&rng, &shapes[k]);
            placed[k] = (gjk_placed){&shapes[k], make_pose(&rng)};
        }
        check_pair(&placed[0], &placed[1]);
        gjk_arena_fini(&arena);
    }
}
