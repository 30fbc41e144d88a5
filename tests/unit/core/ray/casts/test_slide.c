/* Is the normal of a target without thickness a unit vector at any size, down to where products of two
 * lengths have lost their digits? */

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
