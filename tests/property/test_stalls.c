/*
 * Does the walk to the nearest point go on when a step does not shorten it? Something tiny
 * beside something large, or a polygon as thin as rounding: the distance has all its digits
 * before the direction has, and a walk that ends there leaves the bounds apart.
 */

#include "curved.h"
#include "support/test.h"

#define GRAINS 3000

static gjk_distance_result walk(const gjk_placed *a, const gjk_placed *b) {
    gjk_distance_settings settings = gjk_distance_settings_default();
    settings.solver = &gjk_penetration_epa; /* not told at once */
    return gjk_distance(a, b, &settings);
}

TEST(a_grain_beside_a_boulder) {
    test_rng rng = test_rng_make(9500);
    static test_curved grain, boulder;
    for (int i = 0; i < GRAINS; i++) {
        double size = test_rng_magnitude(&rng, -8, -7);
        gjk_vec3 radii = {size * test_rng_magnitude(&rng, -2, 0),
                          size * test_rng_magnitude(&rng, -2, 0),
                          size * test_rng_magnitude(&rng, -2, 0)};
        gjk_vec3 ends[2] = {test_rng_direction(&rng, 3), test_rng_direction(&rng, 3)};
        test_curved_make_ellipse(&grain, 3, radii, 0);
        test_curved_make_cylinder(&boulder, ends, test_rng_uniform(&rng, 0.2, 1), 0);
        test_curved_place_randomly(&grain, &rng, (gjk_vec3){0, 0, 0});
        test_curved_place_randomly(&boulder, &rng,
                                   gjk_scale3(test_rng_uniform(&rng, 2.2, 5),
                                              test_rng_direction(&rng, 3)));
        gjk_distance_result r = walk(&grain.placed, &boulder.placed);
        ck_assert_int_eq(r.state, GJK_SEPARATED);
        ck_assert_msg(r.convergence == GJK_CONVERGED, "pair %d: %.17g >= %.17g", i, r.distance,
                      r.lower_bound);
    }
}

TEST(a_needle_beside_a_polygon) {
    const gjk_vec3 needle_points[] = {{-0.97951943561994148, -6.4342754701448081e-11, 0},
                                      {0.91598108146499468, -4.1340647726232474e-11, 0},
                                      {-0.070133366443044354, -6.3767110926602619e-11, 0},
                                      {-0.75362729522264926, 2.798414504478304e-11, 0}};
    const gjk_vec3 polygon_points[] = {{-0.77946183040049188, 0.73362392368791673, 0},
                                       {-0.88201012767840936, -0.45919458227429755, 0},
                                       {0.52463313257034461, 0.88132662315581101, 0},
                                       {0.39897341771095785, 0.22328526529399739, 0}};
    struct gjk_arena arena;
    gjk_shape needle, polygon;
    gjk_arena_init(&arena, 0);
    ck_assert_int_eq(gjk_shape_make_hull(&arena, 2, needle_points, 4, 0, &needle), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_hull(&arena, 2, polygon_points, 4, 0, &polygon), GJK_OK);
    gjk_placed a = {.shape = &needle}, b = {.shape = &polygon};
    ck_assert_int_eq(gjk_pose_make2((gjk_vec2){0, 0}, 1.6415681407263509, &a.pose), GJK_OK);
    ck_assert_int_eq(gjk_pose_make2((gjk_vec2){0.75293747089329321, -0.51635823485518384},
                                    3.8205299000179416, &b.pose),
                     GJK_OK);
    gjk_distance_result r = walk(&a, &b);
    ck_assert_int_eq(r.state, GJK_SEPARATED);
    ck_assert_double_le(r.distance - r.lower_bound, 1e-15);
    gjk_arena_fini(&arena);
}
