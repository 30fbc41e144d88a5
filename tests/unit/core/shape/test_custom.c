/* Custom shapes, which are known by a support function alone, must answer as the same shapes do
 * that the library makes itself: here boxes and balls, with and without rounding. */

#include "gjk/cast.h"
#include "gjk/ray.h"

#include "support/rng.h"
#include "support/test.h"

#define CLOSE 1e-8 /* tolerance times size, and some more for normals where it turns quickly */

TEST_ARENA(arena)

static gjk_vec3 box_support(const void *user, gjk_vec3 d) {
    const gjk_vec3 *half = user;
    return (gjk_vec3){copysign(half->x, d.x), copysign(half->y, d.y), copysign(half->z, d.z)};
}

static gjk_vec3 ball_support(const void *user, gjk_vec3 d) {
    const double *radius = user;
    const double most = fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z)));
    const gjk_vec3 tame = {d.x / most, d.y / most, d.z / most};
    return gjk_scale3(*radius / gjk_length3(tame), tame);
}

/* The same shape twice: made by the library, and by its support function. */
typedef struct twins {
    gjk_shape own, custom;
    gjk_vec3 half;
    double radius;
} twins;

static void make_twins(twins *t, test_rng *rng, uint32_t dimension) {
    const double rounding = test_rng_once_in(rng, 2) ? 0.25 : 0.0;
    gjk_custom custom = {.center = {0, 0, 0}};
    gjk_status made;
    if (test_rng_once_in(rng, 2)) {
        t->half = (gjk_vec3){test_rng_uniform(rng, 0.5, 2), test_rng_uniform(rng, 0.5, 2),
                             dimension == 3 ? test_rng_uniform(rng, 0.5, 2) : 0.0};
        custom.support = box_support;
        custom.user = &t->half;
        custom.bounding_radius = 1.001 * gjk_length3(t->half);
        made = gjk_shape_make_box(&arena, dimension, t->half, rounding, &t->own);
    } else {
        t->radius = test_rng_uniform(rng, 0.5, 2);
        custom.support = ball_support;
        custom.user = &t->radius;
        custom.bounding_radius = t->radius;
        made = gjk_shape_make_ball(&arena, dimension, t->radius, rounding, &t->own);
    }
    ck_assert_int_eq(made, GJK_OK);
    ck_assert_int_eq(gjk_shape_make_custom(dimension, &custom, rounding, &t->custom), GJK_OK);
}

static gjk_pose random_pose(test_rng *rng, uint32_t dimension) {
    gjk_pose pose;
    const gjk_vec3 place =
        gjk_scale3(test_rng_uniform(rng, 0, 6), test_rng_direction(rng, dimension));
    const gjk_status status =
        dimension == 2 ? gjk_pose_make2(gjk_xy(place), test_rng_uniform(rng, -3, 3), &pose)
                       : gjk_pose_make3(place, test_rng_rotation(rng), &pose);
    ck_assert_int_eq(status, GJK_OK);
    return pose;
}

static void check_near(gjk_vec3 found, gjk_vec3 expected) {
    ck_assert_double_le(gjk_length3(gjk_sub3(found, expected)), 1e-3);
}

TEST_EACH(a_pair_is_as_far_apart_or_as_deep, 0, 2) {
    test_rng rng = test_rng_make(0xc0570 + (uint64_t)_i);
    const uint32_t dimension = 2 + (uint32_t)_i % 2;
    const gjk_distance_settings apart = gjk_distance_settings_default();
    const gjk_detect_settings deep = gjk_detect_settings_default();
    uint32_t overlapping = 0, separated = 0;
    for (int i = 0; i < 500; i++) {
        twins s, t;
        make_twins(&s, &rng, dimension);
        make_twins(&t, &rng, dimension);
        const gjk_pose p = random_pose(&rng, dimension), q = random_pose(&rng, dimension);
        const gjk_placed a = {&s.custom, p}, b = {&t.own, q}, known = {&s.own, p};
        const gjk_distance_result d = gjk_distance(&a, &b, &apart),
                                  e = gjk_distance(&known, &b, &apart);
        const gjk_detect_result f = gjk_detect(&a, &b, &deep), g = gjk_detect(&known, &b, &deep);
        if (fabs(e.distance - g.depth) < 1e-6) {
            continue; /* too near to touching to compare states */
        }
        ck_assert_int_eq(d.convergence, GJK_CONVERGED);
        ck_assert_int_eq(d.state, e.state);
        ck_assert_int_eq(f.state, g.state);
        ck_assert_double_le(fabs(d.distance - e.distance), CLOSE);
        ck_assert_double_le(fabs(f.depth - g.depth), CLOSE);
        ck_assert_double_le(d.lower_bound, e.distance + CLOSE);
        overlapping += e.state == GJK_OVERLAPPING;
        separated += e.state == GJK_SEPARATED;
    }
    ck_assert_uint_ge(overlapping, 50);
    ck_assert_uint_ge(separated, 50);
}

TEST_EACH(rays_and_casts_hit_at_the_same_place, 0, 2) {
    test_rng rng = test_rng_make(0xc0571 + (uint64_t)_i);
    const uint32_t dimension = 2 + (uint32_t)_i % 2;
    const gjk_ray_settings rays = gjk_ray_settings_default();
    const gjk_cast_settings casts = gjk_cast_settings_default();
    uint32_t hits = 0;
    for (int i = 0; i < 300; i++) {
        twins s, t;
        make_twins(&s, &rng, dimension);
        make_twins(&t, &rng, dimension);
        const gjk_placed custom = {&s.custom, random_pose(&rng, dimension)};
        const gjk_placed own = {&s.own, custom.pose};
        const gjk_vec3 from =
            gjk_add3(custom.pose.position, gjk_scale3(12.0, test_rng_direction(&rng, dimension)));
        const gjk_vec3 off = gjk_scale3(0.4, test_rng_direction(&rng, dimension));
        const gjk_vec3 way = gjk_add3(gjk_sub3(custom.pose.position, from), off);
        gjk_ray ray;
        ck_assert_int_eq(gjk_ray_make(from, way, 20.0, &ray), GJK_OK);
        const gjk_ray_result r = gjk_raycast(&custom, &ray, &rays);
        const gjk_ray_result known = gjk_raycast(&own, &ray, &rays);
        ck_assert(r.hit && known.hit && r.has_normal);
        ck_assert_double_le(fabs(r.distance - known.distance), CLOSE);
        check_near(r.point, known.point);

        const gjk_placed moving = {&t.own, {.position = from, .rotation = gjk_mat3_identity()}};
        const gjk_cast_result c = gjk_cast(&moving, way, &custom, &casts);
        const gjk_cast_result k = gjk_cast(&moving, way, &own, &casts);
        ck_assert(c.hit == k.hit && c.inside == k.inside);
        ck_assert_double_le(fabs(c.distance - k.distance), CLOSE);
        hits += c.hit;
    }
    ck_assert_uint_ge(hits, 200);
}

TEST(its_box_contains_the_shape) {
    test_rng rng = test_rng_make(0xc0572);
    for (int i = 0; i < 500; i++) {
        const uint32_t dimension = 2 + (uint32_t)i % 2;
        twins t;
        make_twins(&t, &rng, dimension);
        const gjk_pose pose = random_pose(&rng, dimension);
        const gjk_bounds custom = gjk_placed_bounds(&(gjk_placed){&t.custom, pose});
        const gjk_bounds own = gjk_placed_bounds(&(gjk_placed){&t.own, pose});
        ck_assert(custom.min.x <= own.min.x + CLOSE && custom.max.x >= own.max.x - CLOSE);
        ck_assert(custom.min.y <= own.min.y + CLOSE && custom.max.y >= own.max.y - CLOSE);
        ck_assert(custom.min.z <= own.min.z + CLOSE && custom.max.z >= own.max.z - CLOSE);
        const double side = 2.0 * (t.custom.bounding_radius + CLOSE);
        ck_assert(custom.max.x - custom.min.x <= side && custom.max.y - custom.min.y <= side);
    }
}

TEST(numbers_out_of_range_are_refused) {
    static const gjk_vec3 half = {1, 1, 1};
    const gjk_custom good = {box_support, &half, {0, 0, 0}, 2.0};
    gjk_shape shape = {.count = 77};
    const double max = GJK_COORDINATE_MAX;
    const struct {
        double x, bounding_radius, rounding;
        gjk_status expected;
    } rows[] = {
        {NAN, 2, 0, GJK_NOT_FINITE},       {0, INFINITY, 0, GJK_NOT_FINITE},
        {0, 2, NAN, GJK_NOT_FINITE},       {2 * max, 2, 0, GJK_OUT_OF_RANGE},
        {0, 0, 0, GJK_OUT_OF_RANGE},       {0, -1, 0, GJK_OUT_OF_RANGE},
        {0, 2 * max, 0, GJK_OUT_OF_RANGE}, {0, 2, -1e-300, GJK_OUT_OF_RANGE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        gjk_custom bad = good;
        bad.center.x = rows[i].x;
        bad.bounding_radius = rows[i].bounding_radius;
        ck_assert_int_eq(gjk_shape_make_custom(3, &bad, rows[i].rounding, &shape),
                         rows[i].expected);
        ck_assert_uint_eq(shape.count, 77);
    }
    ck_assert_int_eq(gjk_shape_make_custom(3, &good, 0.5, &shape), GJK_OK);
    ck_assert(shape.type == GJK_CUSTOM && shape.count == 0);
    ck_assert_double_eq(shape.half_extents.x, 2.5);
    ck_assert_double_eq(shape.size, 5.0);
}
