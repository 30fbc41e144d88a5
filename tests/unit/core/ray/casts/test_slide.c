/* Does a cast that slides along its target miss it at any size, and is the normal of a target without
 * thickness a unit vector, down to where products of two lengths have lost their digits? */

#include "gjk/cast.h"

#include "support/rng.h"
#include "support/test.h"

#define CASES 400

TEST_ARENA(arena)

/* A triangle or a segment, one end of which is at 0. */
static gjk_shape make_flat(test_rng *rng, uint32_t dimension, double size) {
    gjk_vec3 corner[3] = {{0, 0, 0}};
    gjk_shape flat;
    for (int i = 1; i < 3; i++) {
        corner[i] = gjk_scale3(size, test_rng_direction(rng, dimension));
    }
    ck_assert_int_eq(dimension == 3
                         ? gjk_shape_make_triangle(&arena, corner, 0, &flat)
                         : gjk_shape_make_segment(&arena, 2, corner[0], corner[1], 0, &flat),
                     GJK_OK);
    return flat;
}

TEST_EACH(normals_of_flat_targets_are_of_unit_length, 2, 4) {
    test_rng rng = test_rng_make(20280501);
    const uint32_t dimension = (uint32_t)_i;
    const gjk_cast_settings settings = gjk_cast_settings_default();
    int hits = 0;
    for (int i = 0; i < CASES; i++) {
        const double size = test_rng_magnitude(&rng, -162, 140);
        const gjk_shape flat = make_flat(&rng, dimension, size);
        gjk_shape ball;
        ck_assert_int_eq(gjk_shape_make_ball(&arena, dimension, 0.1 * size, 0, &ball), GJK_OK);
        const gjk_vec3 way = gjk_scale3(3 * size, test_rng_direction(&rng, dimension));
        const gjk_placed target = {&flat, gjk_pose_identity()};
        gjk_placed moving = {&ball, gjk_pose_identity()};
        moving.pose.position = gjk_scale3(-0.5, way);
        const gjk_cast_result met = gjk_cast(&moving, way, &target, &settings);
        hits += met.hit;
        ck_assert(!met.hit || fabs(gjk_length3(met.normal) - 1) < 1e-12);
        gjk_arena_reset(&arena);
    }
    ck_assert_int_gt(hits, CASES / 2);
}

#define HULL_MOST 37

static double lattice(test_rng *rng, double size) {
    return size * test_rng_integer(rng, -3, 3);
}

/* A hull of so many points at most, more than half of them on a lattice, so that pairs often slide. */
static gjk_shape make_hull(test_rng *rng, uint32_t count, double size) {
    gjk_vec3 p[HULL_MOST];
    gjk_shape hull;
    for (uint32_t i = 0; i < count; i++) {
        p[i] = test_rng_below(rng, 5) < 3
                   ? (gjk_vec3){lattice(rng, size), lattice(rng, size), lattice(rng, size)}
                   : gjk_scale3(2 * size, test_rng_direction(rng, 3));
    }
    ck_assert_int_eq(gjk_shape_make_hull(&arena, 3, p, count, 0, &hull), GJK_OK);
    return hull;
}

static gjk_cast_result cast_hull(uint64_t seed, double size) {
    test_rng rng = test_rng_make(seed);
    const gjk_cast_settings settings = gjk_cast_settings_default();
    const gjk_shape a = make_hull(&rng, 14 + test_rng_below(&rng, HULL_MOST - 13), size);
    const gjk_shape b = make_hull(&rng, test_rng_once_in(&rng, 2) ? 4 : 20, size);
    const gjk_placed target = {&a, gjk_pose_identity()};
    gjk_placed moving = {&b, gjk_pose_identity()};
    moving.pose.position =
        (gjk_vec3){-7 * size + lattice(&rng, size), lattice(&rng, size), lattice(&rng, size)};
    const gjk_vec3 way = {14 * size, test_rng_once_in(&rng, 2) ? 0 : lattice(&rng, size), 0};
    return gjk_cast(&moving, way, &target, &settings);
}

/* Sizes a power of two apart: only exponents differ. */
TEST(hulls_meet_or_slide_alike_at_any_size) {
    const int powers[] = {-1000, -700, -560, -520, -300, 480};
    int hits = 0;
    for (int i = 0; i < CASES; i++) {
        const gjk_cast_result at_1 = cast_hull(i, 1);
        hits += at_1.hit;
        for (int k = 0; k < 6; k++) {
            const gjk_cast_result met = cast_hull(i, ldexp(1, powers[k]));
            ck_assert_msg(met.hit == at_1.hit, "case %d at 2^%d", i, powers[k]);
            ck_assert(!met.hit || fabs(met.fraction - at_1.fraction) < 1e-12);
        }
        gjk_arena_reset(&arena);
    }
    ck_assert(hits > CASES / 8 && hits < CASES);
}
