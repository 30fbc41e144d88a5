/* What a cast passes over of two shapes that overlap at the start: pairs of pieces, and what goes
 * on from them, but nothing else of either shape. */

#include "gjk/cast.h"
#include "gjk/pieces.h"
#include "support/rng.h"
#include "support/test.h"

#include <string.h>

#define CELLS 12
#define SUNK 0.003

TEST_ARENA(arena)

static gjk_placed place(const gjk_shape *shape, double x, double y, double z) {
    gjk_placed placed = {shape, gjk_pose_identity()};
    placed.pose.position = (gjk_vec3){x, y, z};
    return placed;
}

/* A floor of CELLS * CELLS cells at z 0, x and y from 0; a wall at x = CELLS; a cellar at z -5. */
static gjk_shape level(void) {
    static gjk_vec3 vertices[(CELLS + 1) * (CELLS + 1) + 8];
    static uint32_t triangles[2 * CELLS * CELLS + 4][3];
    uint32_t count = 0, corners = (CELLS + 1) * (CELLS + 1);
    for (uint32_t i = 0; i < corners; i++) {
        vertices[i] = (gjk_vec3){i % (CELLS + 1), i / (CELLS + 1), 0};
    }
    for (uint32_t y = 0; y < CELLS; y++) {
        for (uint32_t x = 0; x < CELLS; x++) {
            const uint32_t at = y * (CELLS + 1) + x, above = at + CELLS + 1;
            memcpy(triangles[count++], (uint32_t[3]){at, at + 1, above + 1}, 12);
            memcpy(triangles[count++], (uint32_t[3]){at, above + 1, above}, 12);
        }
    }
    const gjk_vec3 more[8] = {{CELLS, 0, 0}, {CELLS, CELLS, 0}, {CELLS, CELLS, 4}, {CELLS, 0, 4},
                              {-9, -9, -5},  {99, -9, -5},      {99, 99, -5},      {-9, 99, -5}};
    memcpy(vertices + corners, more, sizeof more);
    for (uint32_t k = 0; k < 2; k++) {
        const uint32_t at = corners + 4 * k;
        memcpy(triangles[count++], (uint32_t[3]){at, at + 1, at + 2}, 12);
        memcpy(triangles[count++], (uint32_t[3]){at, at + 2, at + 3}, 12);
    }
    const gjk_mesh mesh = {.vertices = vertices,
                           .vertex_count = corners + 8,
                           .triangles = (const uint32_t(*)[3])triangles,
                           .triangle_count = count};
    gjk_pieces_fault fault;
    gjk_shape shape;
    ck_assert_int_eq(gjk_shape_make_mesh(&arena, &mesh, 0.0, &fault, &shape), GJK_OK);
    return shape;
}

static gjk_shape capsule(void) {
    const gjk_vec3 ends[2] = {{0, 0, 0.4}, {0, 0, 1.4}};
    gjk_shape shape;
    ck_assert_int_eq(gjk_shape_make_capsule(&arena, 3, ends, 0.4, 0.0, &shape), GJK_OK);
    return shape;
}

static gjk_cast_result cast(const gjk_placed *moving, gjk_vec3 way, const gjk_placed *target,
                            gjk_at_start at_start) {
    gjk_cast_settings settings = gjk_cast_settings_default();
    settings.at_start = at_start;
    return gjk_cast(moving, way, target, &settings);
}

static gjk_cast_result turn(const gjk_placed *moving, gjk_vec3 way, const gjk_placed *target,
                            gjk_at_start at_start) {
    gjk_cast_settings settings = gjk_cast_settings_default();
    settings.at_start = at_start;
    const gjk_rigid_motion motion = {way, {0, 0, 1}, 0.5};
    return gjk_cast_turning(moving, &motion, target, &settings);
}

#define BOTH_STARTS GJK_AT_START_IGNORE, GJK_AT_START_LEAVING

/* A capsule that stands 3 mm in the floor of a level that is one mesh. */
TEST(a_level_is_not_lost_where_a_body_stands_in_its_floor) {
    const gjk_shape mesh = level(), body = capsule();
    const gjk_placed target = place(&mesh, 0, 0, 0), moving = place(&body, 2.3, 3.1, -SUNK);
    const gjk_at_start starts[] = {BOTH_STARTS};
    for (int i = 0; i < 2; i++) {
        const gjk_at_start how = starts[i];
        for (int turns = 0; turns < 2; turns++) {
            gjk_cast_result (*ask)(const gjk_placed *, gjk_vec3, const gjk_placed *, gjk_at_start) =
                turns ? turn : cast;
            gjk_cast_result r = ask(&moving, (gjk_vec3){20, 1, 0}, &target, how);
            ck_assert(r.hit && !r.inside && r.piece >= 2 * CELLS * CELLS);
            ck_assert_double_eq_tol(r.distance * 20 / sqrt(401), CELLS - 0.4 - 2.3, 1e-9);
            ck_assert_double_eq_tol(r.normal.x, -1, 1e-9);
            ck_assert(!ask(&moving, (gjk_vec3){5, 4, 0}, &target, how).hit);
            ck_assert(!ask(&moving, (gjk_vec3){0, 0, 3}, &target, how).hit);
            ck_assert(!ask(&moving, (gjk_vec3){4, 0, 0.001}, &target, how).hit);
            ck_assert(!ask(&moving, (gjk_vec3){0, 0, 0}, &target, how).hit);
        }
    }
    gjk_cast_result r = cast(&moving, (gjk_vec3){1, 0, -9}, &target, GJK_AT_START_IGNORE);
    ck_assert(r.hit && !r.inside && r.piece >= 2 * CELLS * CELLS + 2);
    ck_assert_double_eq_tol(r.fraction, (5 - SUNK) / 9, 1e-12);
    r = cast(&moving, (gjk_vec3){1, 0, -9}, &target, GJK_AT_START_LEAVING);
    ck_assert(r.hit && r.inside && r.has_normal && r.fraction == 0.0);
    ck_assert_double_eq_tol(r.normal.z, 1, 1e-12);
}

/* Wherever it stands on the floor, along seams and corners too, in any direction. */
TEST(a_flat_floor_has_no_walls) {
    const gjk_shape mesh = level(), body = capsule();
    gjk_shape cube;
    test_rng rng = test_rng_make(2701);
    ck_assert_int_eq(gjk_shape_make_box(&arena, 3, (gjk_vec3){0.3, 0.3, 0.5}, 0, &cube), GJK_OK);
    unsigned moved = 0;
    for (int i = 0; i < TEST_CASES(2000); i++) {
        const bool is_cube = test_rng_once_in(&rng, 2);
        const double x = test_rng_once_in(&rng, 3) ? 5 : test_rng_uniform(&rng, 3, 9);
        const double y = test_rng_once_in(&rng, 3) ? x : test_rng_uniform(&rng, 3, 9);
        const double sunk = test_rng_magnitude(&rng, -9, -1);
        const gjk_placed target = place(&mesh, 0, 0, 0);
        const gjk_placed moving = place(is_cube ? &cube : &body, x, y, (is_cube ? 0.5 : 0) - sunk);
        gjk_vec3 way = gjk_scale3(2, test_rng_direction(&rng, 2));
        way.z = test_rng_once_in(&rng, 2) ? 0.0 : test_rng_uniform(&rng, 0, 0.2);
        ck_assert(!cast(&moving, way, &target, GJK_AT_START_IGNORE).hit);
        ck_assert(!cast(&moving, way, &target, GJK_AT_START_LEAVING).hit);
        moved++;
    }
    ck_assert_uint_eq(moved, (unsigned)TEST_CASES(2000));
}

/* Tiles of boxes side by side: a lower one goes on from the first, a taller one is a wall. */
TEST(tiles_of_a_compound_go_on) {
    gjk_shape tile, wall, floor, ball;
    ck_assert_int_eq(gjk_shape_make_box(&arena, 2, (gjk_vec3){1, 0.5, 0}, 0, &tile), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_box(&arena, 2, (gjk_vec3){1, 2, 0}, 0, &wall), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_ball(&arena, 2, 0.5, 0, &ball), GJK_OK);
    gjk_placed parts[5];
    for (int i = 0; i < 5; i++) {
        parts[i] = i == 4 ? place(&wall, 8, 1, 0) : place(&tile, 2 * i, -0.5, 0);
    }
    ck_assert_int_eq(gjk_shape_make_compound(&arena, 2, parts, 5, &floor), GJK_OK);
    const gjk_placed target = place(&floor, 0, 0, 0), moving = place(&ball, 0, 0.5 - SUNK, 0);
    const gjk_at_start starts[] = {BOTH_STARTS};
    for (int i = 0; i < 2; i++) {
        const gjk_cast_result r = cast(&moving, (gjk_vec3){20, 0, 0}, &target, starts[i]);
        ck_assert(r.hit && !r.inside && r.piece == 4);
        ck_assert_double_eq_tol(r.distance, 6.5, 1e-12);
        /* What moves may be the one of many pieces. */
        const gjk_cast_result back = cast(&target, (gjk_vec3){-20, 0, 0}, &moving, starts[i]);
        ck_assert(back.hit && !back.inside && back.moving_piece == 4);
        ck_assert_double_eq_tol(back.distance, 6.5, 1e-12);
    }
}

/* Far from the origin the level of a surface is known to 2^-46 of the coordinates, 2^-5 here: what is
 * lower goes on, what is higher is a step. */
TEST(a_step_is_met_however_far_from_the_origin) {
    const double off = 0x1p40, steps[] = {0.015, 0.06};
    gjk_shape tile, floor, ball;
    ck_assert_int_eq(gjk_shape_make_box(&arena, 2, (gjk_vec3){1, 0.5, 0}, 0, &tile), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_ball(&arena, 2, 0.5, 0, &ball), GJK_OK);
    for (int i = 0; i < 2; i++) {
        const gjk_placed parts[2] = {place(&tile, 0, -0.5, 0), place(&tile, 2, steps[i] - 0.5, 0)};
        ck_assert_int_eq(gjk_shape_make_compound(&arena, 2, parts, 2, &floor), GJK_OK);
        const gjk_placed target = place(&floor, off, 0, 0);
        const gjk_placed moving = place(&ball, off, 0.5 - SUNK, 0);
        const gjk_cast_result r = cast(&moving, (gjk_vec3){2, 0, 0}, &target, GJK_AT_START_IGNORE);
        ck_assert_int_eq(r.hit, i == 1);
        ck_assert(!r.hit || (!r.inside && r.piece == 1));
    }
}

/* Seams of a region are inside: what starts there meets none of them, but the outline from
 * outside. */
TEST(seams_of_a_region_are_no_walls) {
    const gjk_vec2 corners[] = {{0, 0}, {9, 0}, {9, 9}, {6, 9}, {6, 3}, {3, 3}, {3, 9}, {0, 9}};
    const uint32_t ring = 8, polygon = 1;
    const gjk_region rings = {.vertices = corners,
                              .ring_sizes = &ring,
                              .polygon_sizes = &polygon,
                              .polygon_count = 1};
    gjk_pieces_fault fault;
    gjk_shape region, ball, box;
    ck_assert_int_eq(gjk_shape_make_region(&arena, &rings, 0.0, &fault, &region), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_ball(&arena, 2, 0.5, 0, &ball), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_box(&arena, 2, (gjk_vec3){0.5, 0.5, 0}, 0, &box), GJK_OK);
    ck_assert_uint_gt(gjk_pieces_count(region.pieces), 2);
    const gjk_placed target = place(&region, 0, 0, 0);
    const gjk_shape *shapes[] = {&ball, &box};
    for (int i = 0; i < 2; i++) {
        /* Through the solid, out of an arm and across the bay: the other arm is a wall. */
        gjk_placed moving = place(shapes[i], 1, 1.2, 0);
        ck_assert(!cast(&moving, (gjk_vec3){7, 0.1, 0}, &target, GJK_AT_START_IGNORE).hit);
        ck_assert(!cast(&moving, (gjk_vec3){0.2, 7, 0}, &target, GJK_AT_START_IGNORE).hit);
        moving = place(shapes[i], 1.5, 6, 0);
        const gjk_cast_result r = cast(&moving, (gjk_vec3){10, 0, 0}, &target, GJK_AT_START_IGNORE);
        ck_assert(r.hit && !r.inside);
        ck_assert_double_eq_tol(r.distance, 4, 1e-9);
        /* It stands in the floor of the bay, and walks to its wall. */
        moving = place(shapes[i], 4.2, 3.5 - SUNK, 0);
        const gjk_cast_result wall =
            cast(&moving, (gjk_vec3){10, 0, 0}, &target, GJK_AT_START_LEAVING);
        ck_assert(wall.hit && !wall.inside);
        ck_assert_double_eq_tol(wall.distance, 1.3, 1e-9);
    }
}

/* A convex target: driven deeper, along, out, and not at all. */
TEST(leaving_a_convex_shape) {
    gjk_shape box, ball;
    ck_assert_int_eq(gjk_shape_make_box(&arena, 3, (gjk_vec3){5, 5, 5}, 0, &box), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_ball(&arena, 3, 1, 0, &ball), GJK_OK);
    const gjk_placed target = place(&box, 0, 0, 0), moving = place(&ball, 1, 2, 5.9);
    const gjk_cast_result r = cast(&moving, (gjk_vec3){1, 1, -1}, &target, GJK_AT_START_LEAVING);
    ck_assert(r.hit && r.inside && r.has_normal && r.fraction == 0.0 && r.distance == 0.0);
    ck_assert_double_eq_tol(r.normal.z, 1, 1e-9);
    ck_assert(!cast(&moving, (gjk_vec3){9, 9, 0}, &target, GJK_AT_START_LEAVING).hit);
    ck_assert(!cast(&moving, (gjk_vec3){0, 1, 1}, &target, GJK_AT_START_LEAVING).hit);
    ck_assert(!cast(&moving, (gjk_vec3){0, 0, 0}, &target, GJK_AT_START_LEAVING).hit);
    /* Touching: the same as with any other start. */
    const gjk_placed on = place(&ball, 1, 2, 6);
    ck_assert(cast(&on, (gjk_vec3){0, 0, -1}, &target, GJK_AT_START_LEAVING).hit);
    ck_assert(!cast(&on, (gjk_vec3){1, 0, 0}, &target, GJK_AT_START_LEAVING).hit);
}
