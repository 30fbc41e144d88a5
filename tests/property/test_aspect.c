/*
 * Hulls that are up to 1e200 times as long as they are wide, asked from any first direction: what
 * is small beside the rest underflows in the frame of the pair when it is multiplied. Each normal
 * must be of length 1 all the same and prove its depth or distance, and all queries and solvers
 * must agree.
 */

#include "gjk/pair.h"
#include "pair/kernels.h"

#include "support/rng.h"
#include "support/test.h"

#include <math.h>

#define PAIRS 6000
#define POINTS_MAX 8

static struct gjk_arena arena;

/* Of either sign, its magnitude a power of ten between the two. */
static double scattered(test_rng *rng, double least, double most) {
    double magnitude = test_rng_magnitude(rng, least, most);
    return test_rng_once_in(rng, 2) ? -magnitude : magnitude;
}

/* Points of a few magnitudes each: as a rule one coordinate, or one point, is far out. */
static void make_shape(test_rng *rng, uint32_t dimension, gjk_shape *shape) {
    gjk_vec3 points[POINTS_MAX];
    uint32_t count = 1 + test_rng_below(rng, POINTS_MAX);
    double most[3];
    for (int k = 0; k < 3; k++) {
        most[k] = test_rng_once_in(rng, 2) ? 1 : test_rng_uniform(rng, -80, 120);
    }
    for (uint32_t i = 0; i < count; i++) {
        double x[3];
        bool is_far = test_rng_once_in(rng, 6);
        for (int k = 0; k < 3; k++) {
            double top = is_far ? test_rng_uniform(rng, -80, 120) : most[k];
            x[k] = test_rng_once_in(rng, 4)
                       ? 0
                       : scattered(rng, top - (test_rng_once_in(rng, 3) ? 60 : 1), top);
        }
        points[i] = (gjk_vec3){x[0], x[1], dimension == 3 ? x[2] : 0};
    }
    ck_assert_int_eq(gjk_shape_make_hull(&arena, dimension, points, count, 0, shape), GJK_OK);
}

static gjk_pose make_pose(test_rng *rng, uint32_t dimension) {
    gjk_pose pose;
    gjk_vec3 at = {scattered(rng, -12, 2), scattered(rng, -12, 2), scattered(rng, -12, 2)};
    if (dimension == 2) {
        double angle = test_rng_once_in(rng, 2) ? 0 : test_rng_uniform(rng, -4, 4);
        ck_assert_int_eq(gjk_pose_make2(gjk_xy(at), angle, &pose), GJK_OK);
        return pose;
    }
    double half = test_rng_once_in(rng, 2) ? 0 : test_rng_uniform(rng, -2, 2);
    gjk_quat turn = {0.6 * sin(half), 0, 0.8 * sin(half), cos(half)};
    ck_assert_int_eq(gjk_pose_make3(at, turn, &pose), GJK_OK);
    return pose;
}

/* How far a reaches beyond the nearest point of b along n, both in the world. */
static double reach_along(const gjk_placed *a, const gjk_placed *b, gjk_vec3 n) {
    double most = -INFINITY, least = INFINITY;
    for (uint32_t i = 0; i < a->shape->count; i++) {
        gjk_vec3 p = gjk_pose_apply(&a->pose, gjk_shape_point(a->shape, i));
        most = fmax(most, gjk_dot3(n, p));
    }
    for (uint32_t i = 0; i < b->shape->count; i++) {
        gjk_vec3 p = gjk_pose_apply(&b->pose, gjk_shape_point(b->shape, i));
        least = fmin(least, gjk_dot3(n, p));
    }
    return most - least;
}

typedef struct asked {
    const struct gjk_penetration_solver *solver;
    gjk_vec3 first;
} asked;

typedef struct told {
    gjk_detect_result deep;
    gjk_distance_result apart;
} told;

static double scale_of(const gjk_placed *a, const gjk_placed *b) {
    return a->shape->reach + b->shape->reach + gjk_length3(a->pose.position) +
           gjk_length3(b->pose.position);
}

static told ask(const gjk_placed *a, const gjk_placed *b, const asked *how) {
    const double rounding = 64 * 0x1p-52 * scale_of(a, b);
    gjk_detect_settings detect = gjk_detect_settings_default();
    gjk_distance_settings distance = gjk_distance_settings_default();
    detect.solver = distance.solver = how->solver;
    detect.first_direction = distance.first_direction = how->first;
    told r = {gjk_detect(a, b, &detect), gjk_distance(a, b, &distance)};
    detect.penetration = false;
    ck_assert_int_eq(gjk_detect(a, b, &detect).state, r.deep.state);
    ck_assert_int_eq(r.apart.state, r.deep.state);
    ck_assert_double_eq_tol(gjk_length3(r.deep.normal), 1, 1e-12);
    ck_assert_double_le(r.deep.depth_lower_bound, r.deep.depth);
    if (r.deep.state != GJK_SEPARATED) {
        ck_assert_double_le(reach_along(a, b, r.deep.normal), r.deep.depth + rounding);
    }
    if (r.apart.state != GJK_OVERLAPPING) {
        ck_assert_double_eq_tol(gjk_length3(r.apart.normal), 1, 1e-12);
        ck_assert_double_le(r.apart.lower_bound, r.apart.distance);
    }
    if (r.apart.state != GJK_OVERLAPPING && r.apart.lower_bound > 0) {
        ck_assert_double_ge(-reach_along(a, b, r.apart.normal), r.apart.lower_bound - rounding);
    }
    return r;
}

static void check_pair(test_rng *rng, const gjk_placed *a, const gjk_placed *b) {
    const double rounding = 64 * 0x1p-52 * scale_of(a, b);
    const gjk_vec3 first = {scattered(rng, -12, 1), scattered(rng, -3, 1),
                            a->shape->dimension == 3 ? scattered(rng, -3, 1) : 0};
    const asked how[] = {{&gjk_penetration_direct, {0, 0, 0}},
                         {&gjk_penetration_direct, first},
                         {&gjk_penetration_epa, {0, 0, 0}},
                         {&gjk_penetration_epa, first}};
    const told one = ask(a, b, &how[0]);
    for (int i = 0; i < 8; i++) {
        const bool is_swapped = i >= 4;
        const told other = is_swapped ? ask(b, a, &how[i % 4]) : ask(a, b, &how[i % 4]);
        ck_assert_int_eq(other.deep.state, one.deep.state);
        ck_assert_double_le(other.deep.depth_lower_bound, one.deep.depth + rounding);
        ck_assert_double_le(one.deep.depth_lower_bound, other.deep.depth + rounding);
        ck_assert_double_le(other.apart.lower_bound, one.apart.distance + rounding);
        ck_assert_double_le(one.apart.lower_bound, other.apart.distance + rounding);
    }
}

static void check_dimension(uint32_t dimension, uint64_t seed) {
    test_rng rng = test_rng_make(seed);
    for (int i = 0; i < PAIRS; i++) {
        gjk_shape shapes[2];
        gjk_placed placed[2];
        gjk_arena_init(&arena, 0);
        for (int k = 0; k < 2; k++) {
            make_shape(&rng, dimension, &shapes[k]);
            placed[k] = (gjk_placed){&shapes[k], make_pose(&rng, dimension)};
        }
        check_pair(&rng, &placed[0], &placed[1]);
        gjk_arena_fini(&arena);
    }
}

TEST(long_hulls_in_space) {
    check_dimension(3, 2801);
}

TEST(long_hulls_in_the_plane) {
    check_dimension(2, 2802);
}
