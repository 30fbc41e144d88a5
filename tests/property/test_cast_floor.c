/*
 * Does a shape that stands exactly on a flat floor slide over it? Over a floor of many coplanar
 * triangles (in the plane: of segments) of random sizes, under edges, corners and inner points
 * alike: a way along the floor hits none of them, one into it all that are touched.
 */

#include "curved.h"
#include "unit/runner.h"

#include "gjk/cast.h"

#define SWEEPS 150
#define CELLS 6 /* along each side of the floor, from -3 to 3 */

typedef struct test_floor {
    gjk_shape piece[2 * CELLS * CELLS];
    uint32_t count;
    gjk_pose pose;
} test_floor;

static void lay_floor(test_floor *floor, uint32_t dimension, struct gjk_arena *arena) {
    floor->count = 0;
    for (int i = 0; i < CELLS; i++) {
        const double x = i - CELLS / 2;
        for (int j = 0; dimension == 3 && j < CELLS; j++) {
            const double z = j - CELLS / 2;
            const gjk_vec3 c[4] = {{x, 0, z}, {x + 1, 0, z}, {x + 1, 0, z + 1}, {x, 0, z + 1}};
            const gjk_vec3 halves[2][3] = {{c[0], c[2], c[1]}, {c[0], c[3], c[2]}};
            for (int k = 0; k < 2; k++) {
                gjk_shape *piece = &floor->piece[floor->count++];
                ck_assert_int_eq(gjk_shape_make_triangle(arena, halves[k], 0.0, piece), GJK_OK);
            }
        }
        if (dimension == 2) {
            gjk_shape *piece = &floor->piece[floor->count++];
            const gjk_vec3 from = {x, 0, 0}, to = {x + 1, 0, 0};
            ck_assert_int_eq(gjk_shape_make_segment(arena, 2, from, to, 0.0, piece), GJK_OK);
        }
    }
}

/* A box, a ball or a capsule along x; all stand `height` above their lowest points. */
static double make_moving(test_curved *moving, int kind, uint32_t dimension, test_rng *rng,
                          struct gjk_arena *arena) {
    const double half = test_rng_once_in(rng, 3) ? 0.5 : test_rng_uniform(rng, 0.1, 1.5);
    if (kind == 0) {
        test_curved_make_box(moving, arena, dimension, (gjk_vec3){half, half, half});
    } else if (kind == 1) {
        test_curved_make_ball(moving, arena, dimension, half);
    } else {
        const gjk_vec3 ends[2] = {{-0.7, 0, 0}, {0.7, 0, 0}};
        ck_assert_int_eq(gjk_shape_make_capsule(arena, dimension, ends, half, 0.0, &moving->shape),
                         GJK_OK);
        moving->placed = (gjk_placed){&moving->shape, gjk_pose_identity()};
    }
    return half;
}

/* Places on the grid lines, so near them that the tolerance counts what is beyond, or anywhere. */
static double place_along(test_rng *rng) {
    const double line = 0.5 * floor(test_rng_uniform(rng, -3, 4));
    return test_rng_once_in(rng, 3)   ? line
           : test_rng_once_in(rng, 2) ? line + test_rng_magnitude(rng, -12, -4)
                                      : test_rng_uniform(rng, -2, 2);
}

static gjk_vec3 level(test_rng *rng, uint32_t dimension) {
    if (dimension == 2 || test_rng_once_in(rng, 3)) {
        return (gjk_vec3){test_rng_once_in(rng, 2) ? 3 : -3, 0, 0};
    }
    const gjk_vec3 d = gjk_scale3(4, test_rng_direction(rng, 2));
    return (gjk_vec3){d.x, 0, d.y};
}

static bool is_touched(const gjk_placed *piece, const gjk_placed *moving) {
    const gjk_detect_settings settings = gjk_detect_settings_default();
    return gjk_detect(piece, moving, &settings).state == GJK_TOUCHING;
}

/* Not so where it stands beside the piece, whose rim it touches: then it goes along a plane that parts
 * the two. */
static bool is_in_the_way(const gjk_placed *piece, const gjk_placed *moving, gjk_vec3 way) {
    const gjk_detect_settings settings = gjk_detect_settings_default();
    gjk_placed moved = *moving;
    moved.pose.position = gjk_add3(moved.pose.position, gjk_scale3(1e-5, way));
    return is_touched(piece, moving) &&
           gjk_detect(piece, &moved, &settings).state == GJK_OVERLAPPING;
}

START_TEST(over_a_flat_floor) {
    const uint32_t dimension = (uint32_t)_i;
    const gjk_cast_settings settings = gjk_cast_settings_default();
    test_rng rng = test_rng_make(5400 + (uint64_t)_i);
    struct gjk_arena arena;
    static test_floor floor;
    static test_curved moving;
    unsigned touched = 0;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < SWEEPS; i++) {
        const double height = make_moving(&moving, i % 3, dimension, &rng, &arena);
        moving.placed.pose.position =
            (gjk_vec3){place_along(&rng), height, dimension == 3 ? place_along(&rng) : 0.0};
        lay_floor(&floor, dimension, &arena);
        const gjk_vec3 along = level(&rng, dimension), down = {0, -1, 0}, up = {0, 1, 0};
        bool stopped = false;
        for (uint32_t k = 0; k < floor.count; k++) {
            const gjk_placed piece = {&floor.piece[k], gjk_pose_identity()};
            const gjk_vec3 slope = gjk_add3(along, gjk_scale3(0.25, down));
            ck_assert(!gjk_cast(&moving.placed, along, &piece, &settings).hit);
            ck_assert(!gjk_cast(&moving.placed, up, &piece, &settings).hit);
            if (is_in_the_way(&piece, &moving.placed, down)) {
                const gjk_cast_result r = gjk_cast(&moving.placed, down, &piece, &settings);
                ck_assert(r.hit && r.has_normal && !r.inside && r.fraction == 0.0);
                ck_assert(gjk_length3(gjk_sub3(r.normal, up)) <= 1e-6);
                ck_assert(gjk_cast(&moving.placed, slope, &piece, &settings).hit);
                stopped = true;
            }
        }
        touched += stopped;
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
    ck_assert_uint_eq(touched, SWEEPS);
}
END_TEST

Suite *test_suite(void) {
    Suite *suite = suite_create("cast_floor");
    TCase *tests = test_case(suite, "floor");
    tcase_add_loop_test(tests, over_a_flat_floor, 2, 4);
    return suite;
}
