/* Which arguments make points and height fields, what their pieces are, and where is what does
 * not? */

#include "gjk/pieces.h"
#include "gjk/ray.h"

#include <math.h>
#include <string.h>

#include "failing_malloc.h"
#include "support/test.h"

static struct gjk_arena arena;
static gjk_pieces_fault fault;
static gjk_shape shape;

static void set_up(void) {
    gjk_arena_init(&arena, 0);
    fault = (gjk_pieces_fault){.depth = 7};
}

static void tear_down(void) {
    gjk_arena_fini(&arena);
}

TEST_FIXTURE(set_up, tear_down)

static void check_fault(uint32_t depth, uint32_t first, uint32_t second) {
    ck_assert_uint_eq(fault.depth, depth);
    if (depth > 0) {
        ck_assert_uint_eq(fault.index[0], first);
    }
    if (depth > 1) {
        ck_assert_uint_eq(fault.index[1], second);
    }
}

/* --- Points --- */

static const gjk_vec2 flat[3] = {{0, 0}, {3, -4}, {1e9, 1}};
static const gjk_vec3 spatial[3] = {{0, 0, 0}, {3, -4, 5}, {1e9, 1, -0.0}};

static gjk_points points_of(uint32_t dimension, const double *radii) {
    return (gjk_points){.in_2d = dimension == 2 ? flat : NULL,
                        .in_3d = dimension == 3 ? spatial : NULL,
                        .count = 3,
                        .radius = 0.5,
                        .radii = radii};
}

TEST_EACH(points_are_balls_of_one_radius_or_of_each_their_own, 0, 4) {
    const uint32_t dimension = 2 + (uint32_t)_i / 2;
    double radii[3] = {0.25, 0, 2};
    const gjk_points points = points_of(dimension, _i % 2 ? radii : NULL);
    ck_assert_int_eq(gjk_shape_make_points(&arena, dimension, &points, 0.125, &fault, &shape),
                     GJK_OK);
    ck_assert_uint_eq(gjk_pieces_count(shape.pieces), 3);
    ck_assert_int_eq(shape.type, GJK_POINTS);
    const double each[3] = {0.25, 0, 2};
    memset(radii, 0, sizeof radii); /* it has been copied */
    for (uint32_t i = 0; i < 3; i++) {
        const gjk_placed whole = {&shape, gjk_pose_identity()};
        const gjk_vec3 at = dimension == 3 ? spatial[i] : (gjk_vec3){flat[i].x, flat[i].y, 0};
        const double radius = (_i % 2 ? each[i] : 0.5) + 0.125;
        gjk_piece piece;
        gjk_piece_make(&whole, i, &piece);
        ck_assert(piece.placed.shape->radius == radius);
        /* The ball is met where a ray at its centre must meet it. */
        gjk_ray_settings settings = gjk_ray_settings_default();
        gjk_ray ray;
        ck_assert_int_eq(gjk_ray_make((gjk_vec3){at.x, at.y - 8, at.z}, (gjk_vec3){0, 1, 0},
                                      INFINITY, &ray),
                         GJK_OK);
        const gjk_ray_result alone = gjk_raycast(&piece.placed, &ray, &settings);
        const gjk_ray_result hit = gjk_raycast(&whole, &ray, &settings);
        ck_assert(alone.hit && fabs(alone.distance - (8 - radius)) < 1e-12);
        ck_assert(hit.piece == i && hit.distance == alone.distance);
    }
}

TEST_EACH(points_tell_what_they_were_made_of, 0, 2) {
    const uint32_t dimension = 2 + (uint32_t)_i;
    const double radii[3] = {1, -0.0, 3};
    const gjk_points points = points_of(dimension, radii);
    gjk_points told;
    gjk_mesh mesh;
    ck_assert_int_eq(gjk_shape_make_points(&arena, dimension, &points, 0, &fault, &shape), GJK_OK);
    ck_assert(gjk_pieces_points(shape.pieces, &told) && !gjk_pieces_mesh(shape.pieces, &mesh));
    ck_assert_uint_eq(told.count, 3);
    ck_assert(memcmp(told.radii, radii, sizeof radii) == 0 && told.radii != radii);
    ck_assert(dimension == 2 ? memcmp(told.in_2d, flat, sizeof flat) == 0
                             : memcmp(told.in_3d, spatial, sizeof spatial) == 0);
}

TEST_EACH(points_refuse_what_is_no_number, 0, 2) {
    const uint32_t dimension = 2 + (uint32_t)_i;
    const double bad[3] = {NAN, INFINITY, 1.1 * GJK_COORDINATE_MAX};
    for (uint32_t k = 0; k < 3 * dimension; k++) {
        gjk_vec2 places2[3];
        gjk_vec3 places3[3];
        memcpy(places2, flat, sizeof flat);
        memcpy(places3, spatial, sizeof spatial);
        const uint32_t i = k / dimension, axis = k % dimension;
        (dimension == 2 ? &places2[i].x : &places3[i].x)[axis] = bad[i];
        const gjk_points points = {.in_2d = places2, .in_3d = places3, .count = 3};
        ck_assert_int_eq(gjk_shape_make_points(&arena, dimension, &points, 0, &fault, &shape),
                         i < 2 ? GJK_NOT_FINITE : GJK_OUT_OF_RANGE);
        check_fault(2, i, axis);
    }
}

TEST(points_refuse_radii_that_are_no_lengths) {
    const double bad[4] = {-1, NAN, INFINITY, GJK_COORDINATE_MAX};
    for (uint32_t i = 0; i < 4; i++) {
        double radii[3] = {1, 1, bad[i]};
        gjk_points points = points_of(3, radii);
        /* The largest length is one, but not with a rounding of it. */
        const double rounding = GJK_COORDINATE_MAX;
        ck_assert_int_ne(gjk_shape_make_points(&arena, 3, &points, i == 3 ? rounding : 0, &fault,
                                               &shape),
                         GJK_OK);
        check_fault(1, 2, 0);
        points.radii = NULL;
        points.radius = bad[i];
        ck_assert_int_ne(gjk_shape_make_points(&arena, 3, &points, i == 3 ? rounding : 0, &fault,
                                               &shape),
                         GJK_OK);
        check_fault(1, 0, 0);
    }
    const gjk_points points = points_of(2, NULL);
    ck_assert_int_ne(gjk_shape_make_points(&arena, 2, &points, -1, &fault, &shape), GJK_OK);
}

TEST(there_are_points_but_not_too_many) {
    gjk_points points = points_of(2, NULL);
    points.count = 0;
    ck_assert_int_eq(gjk_shape_make_points(&arena, 2, &points, 0, &fault, &shape),
                     GJK_TOO_FEW_POINTS);
    points.count = GJK_PIECES_MAX + 1; /* not looked at */
    ck_assert_int_eq(gjk_shape_make_points(&arena, 2, &points, 0, &fault, &shape),
                     GJK_TOO_MANY_POINTS);
    check_fault(0, 0, 0);
}

TEST(a_point_at_the_origin_has_a_radius) {
    const gjk_vec3 origin = {0, 0, 0};
    const gjk_points points = {.in_3d = &origin, .count = 1};
    ck_assert_int_eq(gjk_shape_make_points(&arena, 3, &points, 0, &fault, &shape), GJK_OK);
    ck_assert(shape.bounding_radius < 1e-300 && shape.size < 1e-300);
    gjk_shape point;
    ck_assert_int_eq(gjk_shape_make_point(&arena, 2, 0, &point), GJK_OK);
    const gjk_placed part = {&point, gjk_pose_identity()};
    ck_assert_int_eq(gjk_shape_make_compound(&arena, 2, &part, 1, &shape), GJK_OK);
    ck_assert(shape.bounding_radius < 1e-300 && shape.size < 1e-300);
}

TEST(points_need_memory) {
    const double radii[3] = {1, 2, 3};
    const gjk_points points = points_of(3, radii);
    bool has_failed = true;
    for (unsigned n = 0; has_failed; n++) {
        struct gjk_arena own;
        gjk_arena_init(&own, 0);
        test_malloc_fail(n);
        const gjk_status status = gjk_shape_make_points(&own, 3, &points, 0, &fault, &shape);
        has_failed = test_malloc_restore();
        gjk_arena_fini(&own);
        ck_assert_int_eq(status, has_failed ? GJK_OUT_OF_MEMORY : GJK_OK);
        ck_assert_uint_lt(n, 64);
    }
}

/* --- Height fields with a base --- */

static const double heights[6] = {0, 1, -2, 3, 0.5, -2};

static gjk_heightfield field_of(const double *samples, double base) {
    return (gjk_heightfield){.columns = 3,
                             .rows = 2,
                             .spacing = {1, 2},
                             .heights = samples,
                             .has_base = true,
                             .base = base};
}

TEST(a_base_reaches_below_the_samples) {
    const uint32_t materials[2] = {7, 8};
    gjk_heightfield field = field_of(heights, -2), told;
    field.materials = materials;
    ck_assert_int_eq(gjk_shape_make_heightfield(&arena, &field, 0, &fault, &shape), GJK_OK);
    ck_assert_uint_eq(gjk_pieces_count(shape.pieces), 4);
    ck_assert(gjk_pieces_heightfield(shape.pieces, &told) && told.has_base && told.base == -2);
    ck_assert(shape.center.z == 0.5 && shape.half_extents.z == 2.5);
    /* The triangles of the base are made like pieces, have no material and are visited last. */
    uint32_t next = 0, i = 0, count = 0, material;
    while (gjk_pieces_next(shape.pieces, NULL, &next, &i)) {
        const gjk_placed whole = {&shape, gjk_pose_identity()};
        gjk_piece piece;
        gjk_piece_make(&whole, i, &piece);
        ck_assert_uint_eq(i, count < 4 ? count : GJK_PIECES_MAX + count - 4);
        ck_assert_int_eq(gjk_piece_material(shape.pieces, i, &material), count < 4);
        ck_assert(gjk_piece_exists(shape.pieces, i));
        const double lowest = piece.placed.shape->center.z - piece.placed.shape->half_extents.z;
        ck_assert(count < 4 || lowest == -2);
        count++;
    }
    ck_assert_uint_eq(count, 4 + 2 + 2 * 6);
}

TEST(a_base_at_the_samples_is_flat) {
    const double same[6] = {4, 4, 4, 4, 4, 4};
    const gjk_heightfield field = field_of(same, 4);
    ck_assert_int_eq(gjk_shape_make_heightfield(&arena, &field, 0, &fault, &shape), GJK_OK);
    const gjk_placed whole = {&shape, gjk_pose_identity()};
    const gjk_ray_settings settings = gjk_ray_settings_default();
    gjk_ray ray;
    ck_assert_int_eq(gjk_ray_make((gjk_vec3){0.75, 0.5, 9}, (gjk_vec3){0, 0, -1}, INFINITY, &ray),
                     GJK_OK);
    const gjk_ray_result hit = gjk_raycast(&whole, &ray, &settings);
    double exit;
    ck_assert(hit.hit && !hit.inside && hit.distance == 5 && hit.piece == 0);
    ck_assert_int_eq(gjk_ray_exit(&whole, &ray, &hit, &settings, &exit), GJK_OK);
    ck_assert(exit == 5);
}

TEST(a_base_refuses_what_is_below_it_and_holes) {
    gjk_heightfield field = field_of(heights, -1.9);
    ck_assert_int_eq(gjk_shape_make_heightfield(&arena, &field, 0, &fault, &shape),
                     GJK_OUT_OF_RANGE);
    check_fault(1, 2, 0);
    ck_assert_ptr_nonnull(strstr(fault.text, "below"));
    double with_hole[6];
    memcpy(with_hole, heights, sizeof heights);
    with_hole[4] = NAN;
    field = field_of(with_hole, -5);
    ck_assert_int_eq(gjk_shape_make_heightfield(&arena, &field, 0, &fault, &shape),
                     GJK_OUT_OF_RANGE);
    check_fault(1, 4, 0);
    ck_assert_ptr_nonnull(strstr(fault.text, "hole"));
    field.has_base = false;
    ck_assert_int_eq(gjk_shape_make_heightfield(&arena, &field, 0, &fault, &shape), GJK_OK);
    const double bad[3] = {NAN, -INFINITY, -1.1 * GJK_COORDINATE_MAX};
    for (uint32_t i = 0; i < 3; i++) {
        field = field_of(heights, bad[i]);
        ck_assert_int_eq(gjk_shape_make_heightfield(&arena, &field, 0, &fault, &shape),
                         i < 2 ? GJK_NOT_FINITE : GJK_OUT_OF_RANGE);
        check_fault(0, 0, 0);
    }
}
