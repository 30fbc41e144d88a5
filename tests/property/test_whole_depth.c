/*
 * Depths of shapes of many pieces. What holds of each: no shorter translation than the lower bound
 * parts the two, the translation told does, and leaves them touching; its neighbourhood has one
 * that leaves nothing in touch. What parts them is asked of the state alone. Random compounds,
 * tiles of a grid, regions with seams, chains; meshes, closed ones, and shells within shells.
 * GJKD_FACTOR: how many times as many; 20 makes more than 100,000.
 */

#include "gjk/pieces.h"
#include "require.h"
#include "rng.h"
#include "support/meshes.h"
#include "support/test.h"

#include <math.h>

#define SHORTER 60 /* translations than the lower bound, that are tried for each pair */
#define NEAR 400   /* translations about the one told, at most, that are tried for each pair */
#define PARTS 8
#define CASES(count) (int)(TEST_CASES(count) * test_factor())

TEST_ARENA(arena)

/* --- What must hold --- */

static gjk_placed moved_by(const gjk_placed *placed, gjk_vec3 move) {
    gjk_placed moved = *placed;
    moved.pose.position = gjk_add3(placed->pose.position, move);
    return moved;
}

static gjk_state state_after(const gjk_placed *a, const gjk_placed *b, gjk_vec3 move) {
    const gjk_placed moved = moved_by(b, move);
    gjk_detect_settings state_only = gjk_detect_settings_default();
    state_only.penetration = false;
    return gjk_detect(a, &moved, &state_only).state;
}

/* How far a point is from a shape. */
static double off(const gjk_placed *shape, gjk_vec3 point) {
    const gjk_distance_settings settings = gjk_distance_settings_default();
    gjk_shape dot;
    ck_assert_int_eq(gjk_shape_make_point(&arena, shape->shape->dimension, 0.0, &dot), GJK_OK);
    gjk_placed at = {&dot, gjk_pose_identity()};
    at.pose.position = point;
    return gjk_distance(shape, &at, &settings).distance;
}

/* Does any translation near that one part the two? Tries wider and wider circles. */
static bool is_limit(test_rng *rng, const gjk_placed *a, const gjk_placed *b, gjk_vec3 move,
                     double size) {
    for (int i = 0; i < NEAR; i++) {
        const double radius = size * (i % 4 == 0 ? 1e-8 : i % 4 == 1 ? 1e-7 : 1e-6);
        const gjk_vec3 nudge = gjk_scale3(radius, test_rng_direction(rng, a->shape->dimension));
        if (state_after(a, b, gjk_add3(move, nudge)) == GJK_SEPARATED) {
            return true;
        }
    }
    return false;
}

typedef struct depth_tally {
    int overlapping, converged;
    int close; /* bounds no further apart than a fiftieth of the depth */
} depth_tally;

static void check_depth(test_rng *rng, const gjk_placed *a, const gjk_placed *b,
                        depth_tally *tally) {
    const gjk_detect_settings settings = gjk_detect_settings_default();
    gjk_distance_settings signed_settings = gjk_distance_settings_default();
    signed_settings.is_signed = true;
    const gjk_detect_result deep = gjk_detect(a, b, &settings);
    const gjk_distance_result apart = gjk_distance(a, b, &signed_settings);
    ck_assert_int_eq(deep.state, state_after(a, b, (gjk_vec3){0, 0, 0}));
    ck_assert_int_eq(deep.state, apart.state);
    if (deep.state != GJK_OVERLAPPING) {
        return;
    }
    const double size = fmax(a->shape->size, b->shape->size);
    const gjk_vec3 move = gjk_scale3(deep.depth, deep.normal);
    ck_assert_double_eq(apart.signed_distance, -deep.depth);
    ck_assert_double_le(fabs(gjk_length3(deep.normal) - 1.0), 1e-14);
    ck_assert(deep.has_points && deep.depth > 0.0);
    ck_assert_double_le(deep.depth_lower_bound, deep.depth);
    ck_assert_int_eq(state_after(a, b, move), GJK_TOUCHING);
    ck_assert(is_limit(rng, a, b, move, size));
    ck_assert_double_le(gjk_length3(gjk_sub3(gjk_sub3(deep.point_a, deep.point_b), move)),
                        1e-12 * size);
    ck_assert_double_le(off(a, deep.point_a), 1e-9 * size);
    ck_assert_double_le(off(b, deep.point_b), 1e-9 * size);
    for (int i = 0; i < SHORTER; i++) {
        const double part = i % 2 == 0 ? 1.0 - 1e-7 : sqrt(test_rng_uniform(rng, 0, 1));
        const gjk_vec3 shorter = gjk_scale3(deep.depth_lower_bound * part - 1e-9 * size,
                                            test_rng_direction(rng, a->shape->dimension));
        ck_assert_int_ne(state_after(a, b, shorter), GJK_SEPARATED);
    }
    tally->overlapping++;
    tally->converged += deep.convergence == GJK_CONVERGED;
    tally->close += deep.depth - deep.depth_lower_bound <= 0.02 * deep.depth;
    if (deep.convergence == GJK_CONVERGED) {
        ck_assert_double_le(deep.depth - deep.depth_lower_bound, 1.01e-10 * size);
    }
}

/* Tries translations of its own, so that the pairs of a test do not depend on answers. */
static void check_both(const gjk_placed *a, const gjk_placed *b, depth_tally *tally) {
    test_rng rng = test_rng_make(20280001);
    check_depth(&rng, a, b, tally);
    check_depth(&rng, b, a, tally);
}

/* --- Shapes --- */

static gjk_placed place(const gjk_shape *shape, test_rng *rng, double spread) {
    gjk_placed placed = {.shape = shape};
    const double x = test_rng_uniform(rng, -spread, spread);
    const double y = test_rng_uniform(rng, -spread, spread);
    const double z = test_rng_uniform(rng, -spread, spread);
    if (shape->dimension == 2) {
        ck_assert_int_eq(gjk_pose_make2((gjk_vec2){x, y}, test_rng_uniform(rng, -3, 3),
                                        &placed.pose),
                         GJK_OK);
    } else {
        ck_assert_int_eq(gjk_pose_make3((gjk_vec3){x, y, z}, test_rng_rotation(rng), &placed.pose),
                         GJK_OK);
    }
    return placed;
}

static gjk_placed stand(const gjk_shape *shape, double x, double y, double z) {
    gjk_placed placed = {shape, gjk_pose_identity()};
    placed.pose.position = (gjk_vec3){x, y, z};
    return placed;
}

/* A cloud of any kind, or in 3D a cylinder, about 1 large. */
static void make_cloud(test_rng *rng, uint32_t dimension, gjk_shape *out) {
    const gjk_vec3 half = {test_rng_uniform(rng, 0.2, 1), test_rng_uniform(rng, 0.2, 1),
                           test_rng_uniform(rng, 0.2, 1)};
    const gjk_vec3 ends[2] = {{-half.x, 0, 0}, {half.x, half.y, 0}};
    const double rounding = test_rng_once_in(rng, 2) ? 0.3 * half.z : 0.0;
    gjk_vec3 points[5];
    gjk_status status = GJK_OK;
    for (int i = 0; i < 5; i++) {
        points[i] = (gjk_vec3){test_rng_uniform(rng, -1, 1), test_rng_uniform(rng, -1, 1),
                               dimension == 3 ? test_rng_uniform(rng, -1, 1) : 0};
    }
    switch (test_rng_below(rng, dimension == 3 ? 7 : 6)) {
    case 0:
        status = gjk_shape_make_box(&arena, dimension, half, rounding, out);
        break;
    case 1:
        status = gjk_shape_make_ball(&arena, dimension, half.x, 0, out);
        break;
    case 2:
        status = gjk_shape_make_capsule(&arena, dimension, ends, half.y, 0, out);
        break;
    case 3:
        status = gjk_shape_make_segment(&arena, dimension, ends[0], ends[1], 0, out);
        break;
    case 4:
        status = gjk_shape_make_point(&arena, dimension, rounding, out);
        break;
    case 6:
        status = gjk_shape_make_cylinder(ends, half.y, rounding, out);
        break;
    default:
        status = gjk_shape_make_hull(&arena, dimension, points, 5, rounding, out);
        break;
    }
    ck_assert_int_eq(status, GJK_OK);
}

static void make_compound(test_rng *rng, uint32_t dimension, double spread, gjk_shape *out) {
    gjk_shape *shapes = gjk_arena_alloc_array(&arena, PARTS, sizeof *shapes);
    gjk_placed parts[PARTS];
    const uint32_t count = 1 + test_rng_below(rng, PARTS);
    for (uint32_t i = 0; i < count; i++) {
        make_cloud(rng, dimension, &shapes[i]);
        parts[i] = place(&shapes[i], rng, spread);
    }
    ck_assert_int_eq(gjk_shape_make_compound(&arena, dimension, parts, count, out), GJK_OK);
}

TEST_EACH(compounds, 2, 4) {
    test_rng rng = test_rng_make(20280101 + (uint64_t)_i);
    depth_tally tally = {0};
    for (int i = 0; i < CASES(600); i++) {
        gjk_shape first, second;
        make_compound(&rng, (uint32_t)_i, 2.0, &first);
        if (test_rng_once_in(&rng, 3)) {
            make_cloud(&rng, (uint32_t)_i, &second);
        } else {
            make_compound(&rng, (uint32_t)_i, 1.0, &second);
        }
        const gjk_placed a = place(&first, &rng, 0.5), b = place(&second, &rng, 0.5);
        check_both(&a, &b, &tally);
        gjk_arena_reset(&arena);
    }
    ck_assert_int_ge(tally.overlapping, CASES(500));
    ck_assert_int_ge(1000 * tally.converged, (_i == 2 ? 999 : 400) * tally.overlapping);
    ck_assert_int_ge(1000 * tally.close, 700 * tally.overlapping);
}

/* Boxes of one grid: slots that a box fits into exactly, and faces in common. */
TEST_EACH(tiles, 2, 4) {
    test_rng rng = test_rng_make(20280201 + (uint64_t)_i);
    depth_tally tally = {0};
    const uint32_t dimension = (uint32_t)_i;
    for (int i = 0; i < CASES(300); i++) {
        gjk_shape tile, first, second;
        gjk_placed parts[20];
        const uint32_t count = 4 + test_rng_below(&rng, 16);
        ck_assert_int_eq(gjk_shape_make_box(&arena, dimension, (gjk_vec3){0.5, 0.5, 0.5}, 0, &tile),
                         GJK_OK);
        for (uint32_t k = 0; k < count; k++) {
            parts[k] = stand(&tile, test_rng_below(&rng, 5), test_rng_below(&rng, 5),
                             dimension == 3 ? test_rng_below(&rng, 3) : 0);
        }
        ck_assert_int_eq(gjk_shape_make_compound(&arena, dimension, parts, count, &first), GJK_OK);
        const double half = test_rng_once_in(&rng, 2) ? 0.5 : 1.0;
        gjk_status status = GJK_OK;
        switch (test_rng_below(&rng, 4)) {
        case 0:
            status = gjk_shape_make_point(&arena, dimension, 0, &second);
            break;
        case 1:
            status = gjk_shape_make_ball(&arena, dimension, 0.9 * half, 0, &second);
            break;
        case 2:
            status =
                gjk_shape_make_box(&arena, dimension, (gjk_vec3){half, half, half}, 0, &second);
            break;
        default:
            status = gjk_shape_make_compound(&arena, dimension, parts, 3, &second);
            break;
        }
        ck_assert_int_eq(status, GJK_OK);
        const double step = test_rng_once_in(&rng, 2) ? 0.25 : 0.1;
        const gjk_placed a = stand(&first, 0, 0, 0);
        const gjk_placed b = stand(&second, step * (double)test_rng_below(&rng, 24),
                                   step * (double)test_rng_below(&rng, 24),
                                   dimension == 3 ? step * (double)test_rng_below(&rng, 8) : 0);
        check_both(&a, &b, &tally);
        gjk_arena_reset(&arena);
    }
    ck_assert_int_ge(tally.overlapping, CASES(150));
    ck_assert_int_ge(1000 * tally.converged, (dimension == 2 ? 990 : 600) * tally.overlapping);
}

/* Planes of boxes meet at any angle, some far from where they part the two. */
TEST(boxes_that_lie_anyhow) {
    test_rng rng = test_rng_make(20280009);
    depth_tally tally = {0};
    for (int i = 0; i < CASES(6000); i++) {
        gjk_shape boxes[9], whole;
        gjk_placed parts[8];
        for (int k = 0; k < 9; k++) {
            const gjk_vec3 half = {test_rng_uniform(&rng, 0.2, 1), test_rng_uniform(&rng, 0.2, 1),
                                   test_rng_uniform(&rng, 0.2, 1)};
            ck_assert_int_eq(gjk_shape_make_box(&arena, 3, half, 0, &boxes[k]), GJK_OK);
            if (k < 8) {
                parts[k] = place(&boxes[k], &rng, 2.0);
            }
        }
        ck_assert_int_eq(gjk_shape_make_compound(&arena, 3, parts, 8, &whole), GJK_OK);
        const gjk_placed a = place(&whole, &rng, 0.0), b = place(&boxes[8], &rng, 1.0);
        const gjk_detect_settings settings = gjk_detect_settings_default();
        const gjk_detect_result deep = gjk_detect(&a, &b, &settings);
        if (deep.state == GJK_OVERLAPPING) {
            const gjk_vec3 move = gjk_scale3(deep.depth, deep.normal);
            ck_assert_int_eq(state_after(&a, &b, move), GJK_TOUCHING);
            tally.overlapping++;
            tally.converged += deep.convergence == GJK_CONVERGED;
        }
        gjk_arena_reset(&arena);
    }
    ck_assert_int_ge(tally.overlapping, CASES(4000));
    ck_assert_int_ge(1000 * tally.converged, 999 * tally.overlapping);
}

/* The boxes part at z = 1, where the balls do not: beside their difference's sphere they do. */
TEST(a_way_out_of_boxes_and_of_balls) {
    gjk_shape shapes[4], first, second;
    ck_assert_int_eq(gjk_shape_make_box(&arena, 3, (gjk_vec3){2, 0.5, 1}, 0, &shapes[0]), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_ball(&arena, 3, 1.5, 0, &shapes[1]), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_box(&arena, 3, (gjk_vec3){2, 1, 1}, 0, &shapes[2]), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_ball(&arena, 3, 1, 0, &shapes[3]), GJK_OK);
    const gjk_placed of_a[] = {stand(&shapes[0], -1, 1, 1), stand(&shapes[1], 1, -2, -1)};
    const gjk_placed of_b[] = {stand(&shapes[2], -2, 1, 2), stand(&shapes[3], 0, -1, 0)};
    ck_assert_int_eq(gjk_shape_make_compound(&arena, 3, of_a, 2, &first), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_compound(&arena, 3, of_b, 2, &second), GJK_OK);
    const gjk_placed a = stand(&first, 0, 0, 0), b = stand(&second, 0, 0, 0);
    const gjk_detect_settings settings = gjk_detect_settings_default();
    const gjk_detect_result deep = gjk_detect(&a, &b, &settings);
    const double truth = hypot(1.0, 1.5 - sqrt(2.0));
    ck_assert_double_le(deep.depth_lower_bound, truth + 1e-12);
    ck_assert_double_le(fabs(deep.depth - truth), 1e-8);
}

/* A circle that fits exactly between two walls: where it gets out, the borders of what it must not
 * enter touch, so that only the bounds are told. */
TEST(a_slot_as_wide_as_the_circle) {
    gjk_shape tile, first, second;
    gjk_placed parts[5];
    ck_assert_int_eq(gjk_shape_make_box(&arena, 2, (gjk_vec3){0.5, 0.5, 0}, 0, &tile), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_ball(&arena, 2, 1, 0, &second), GJK_OK);
    for (int i = 0; i < 5; i++) {
        parts[i] = i < 2 ? stand(&tile, 1, 1 + i, 0) : stand(&tile, 4, i - 2, 0);
    }
    ck_assert_int_eq(gjk_shape_make_compound(&arena, 2, parts, 5, &first), GJK_OK);
    const gjk_placed a = stand(&first, 0, 0, 0), b = stand(&second, 2.3, 1.2, 0);
    const gjk_detect_settings settings = gjk_detect_settings_default();
    const gjk_detect_result deep = gjk_detect(&a, &b, &settings);
    const double truth = hypot(0.2, 0.7);
    ck_assert_int_eq(deep.state, GJK_OVERLAPPING);
    ck_assert_double_le(deep.depth_lower_bound, truth);
    ck_assert_double_ge(deep.depth, truth - 1e-15);
}

/* --- Regions and chains --- */

/* A star with a hole, on a grid once in two times. */
static void make_region(test_rng *rng, gjk_shape *out) {
    enum { SPIKES = 10 };
    gjk_vec2 vertices[2 * SPIKES];
    const bool is_on_grid = test_rng_once_in(rng, 2);
    for (int i = 0; i < 2 * SPIKES; i++) {
        const double turn = 2 * M_PI * i / SPIKES, far = i < SPIKES ? 5.0 : 1.0;
        const double radius = test_rng_uniform(rng, 0.3 * far, far);
        vertices[i] = (gjk_vec2){radius * cos(turn), radius * sin(turn)};
        if (is_on_grid) {
            vertices[i] = (gjk_vec2){round(4 * vertices[i].x) / 4, round(4 * vertices[i].y) / 4};
        }
    }
    const uint32_t ring_sizes[2] = {SPIKES, SPIKES}, polygon_size = 2;
    const gjk_region region = {.vertices = vertices,
                               .ring_sizes = ring_sizes,
                               .polygon_sizes = &polygon_size,
                               .polygon_count = 1,
                               .fill = GJK_FILL_EVENODD};
    gjk_pieces_fault fault;
    ck_assert_int_eq(gjk_shape_make_region(&arena, &region, test_rng_once_in(rng, 4) ? 0.1 : 0.0,
                                           &fault, out),
                     GJK_OK);
}

static void make_chain(test_rng *rng, gjk_shape *out) {
    gjk_vec2 vertices[6];
    for (int i = 0; i < 6; i++) {
        vertices[i] = (gjk_vec2){test_rng_uniform(rng, -2, 2), test_rng_uniform(rng, -2, 2)};
    }
    gjk_pieces_fault fault;
    ck_assert_int_eq(gjk_shape_make_chain(&arena, vertices, 6, true,
                                          test_rng_once_in(rng, 2) ? 0.0 : 0.25, &fault, out),
                     GJK_OK);
}

/* A point, segment, circle, compound, chain, or another region. */
static void make_probe(test_rng *rng, gjk_shape *out) {
    gjk_status status = GJK_OK;
    switch (test_rng_below(rng, 6)) {
    case 0:
        status = gjk_shape_make_point(&arena, 2, 0, out);
        break;
    case 1:
        status = gjk_shape_make_segment(&arena, 2, (gjk_vec3){0, 0, 0},
                                        (gjk_vec3){test_rng_below(rng, 3), 1, 0}, 0, out);
        break;
    case 2:
        make_chain(rng, out);
        break;
    case 3:
        make_region(rng, out);
        break;
    default:
        make_compound(rng, 2, 1.0, out);
        break;
    }
    ck_assert_int_eq(status, GJK_OK);
}

TEST(regions_and_chains) {
    test_rng rng = test_rng_make(20280301);
    depth_tally tally = {0};
    for (int i = 0; i < CASES(400); i++) {
        gjk_shape first, second;
        if (test_rng_once_in(&rng, 4)) {
            make_chain(&rng, &first);
        } else {
            make_region(&rng, &first);
        }
        make_probe(&rng, &second);
        const bool is_on_grid = test_rng_once_in(&rng, 2);
        const gjk_placed a = is_on_grid ? stand(&first, 0, 0, 0) : place(&first, &rng, 1.0);
        const gjk_placed b = is_on_grid
                                 ? stand(&second, 0.25 * ((double)test_rng_below(&rng, 33) - 16),
                                         0.25 * ((double)test_rng_below(&rng, 33) - 16), 0)
                                 : place(&second, &rng, 3.0);
        check_both(&a, &b, &tally);
        gjk_arena_reset(&arena);
    }
    ck_assert_int_ge(tally.overlapping, CASES(200));
    ck_assert_int_ge(1000 * tally.converged, 999 * tally.overlapping);
}

/* The hole's corner at (0.25, -1) is where a seam ends that goes on as a side of another piece. */
TEST(a_segment_in_a_hole_that_ends_on_a_seam_touches) {
    static const gjk_vec2 corners[] = {{-2.75, -2}, {-1.25, -3.5}, {0.75, -2.5},  {3, -2.25},
                                       {2, 0},      {3.5, 2.5},    {1.5, 4.5},    {-1.25, 4},
                                       {-2, 1.25},  {-2.5, 0},     {-0.25, 0.25}, {-0.25, 0.75},
                                       {0.25, 1},   {0.5, 0.5},    {0.5, 0},      {0.25, -0.25},
                                       {0.25, -1},  {0, -0.25},    {-0.5, -0.5},  {-0.75, 0}};
    const uint32_t rings[] = {10, 10}, polygon = 2;
    const gjk_region region = {.vertices = corners,
                               .ring_sizes = rings,
                               .polygon_sizes = &polygon,
                               .polygon_count = 1};
    gjk_pieces_fault fault;
    gjk_shape shape, line;
    ck_assert_int_eq(gjk_shape_make_region(&arena, &region, 0, &fault, &shape), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_segment(&arena, 2, (gjk_vec3){0, 0, 0}, (gjk_vec3){0, 1, 0}, 0,
                                            &line),
                     GJK_OK);
    const gjk_placed a = stand(&shape, 0, 0, 0), b = stand(&line, 0.25, -1, 0);
    ck_assert_int_eq(state_after(&a, &b, (gjk_vec3){0, 0, 0}), GJK_TOUCHING);
    ck_assert_int_eq(state_after(&b, &a, (gjk_vec3){0, 0, 0}), GJK_TOUCHING);
    ck_assert_int_eq(state_after(&a, &b, (gjk_vec3){0, -0.125, 0}), GJK_OVERLAPPING);
}

/* A point on a seam within a region is not at its border. */
TEST(seams_are_inside) {
    static const gjk_vec2 corner[] = {{0, 0}, {4, 0}, {4, 1}, {1, 1}, {1, 3}, {0, 3}};
    const uint32_t ring = 6, polygon = 1;
    const gjk_region region = {.vertices = corner,
                               .ring_sizes = &ring,
                               .polygon_sizes = &polygon,
                               .polygon_count = 1};
    gjk_pieces_fault fault;
    gjk_shape shape, dot, line;
    ck_assert_int_eq(gjk_shape_make_region(&arena, &region, 0, &fault, &shape), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_point(&arena, 2, 0, &dot), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_segment(&arena, 2, (gjk_vec3){-0.1, 0, 0},
                                            (gjk_vec3){0.1, 0, 0}, 0, &line),
                     GJK_OK);
    const gjk_placed a = stand(&shape, 0, 0, 0);
    const gjk_detect_settings settings = gjk_detect_settings_default();
    int overlapping = 0;
    for (int i = 0; i <= 16; i++) {
        for (int k = 0; k <= 12; k++) {
            const double x = i / 4.0, y = k / 4.0;
            const gjk_placed b = stand(&dot, x, y, 0), c = stand(&line, x, y, 0);
            const bool is_within = x > 0 && y > 0 && ((x < 4 && y < 1) || (x < 1 && y < 3));
            const gjk_detect_result deep = gjk_detect(&a, &b, &settings);
            const gjk_detect_result of_line = gjk_detect(&a, &c, &settings);
            ck_assert_int_eq(deep.state == GJK_OVERLAPPING, is_within);
            if (is_within) {
                const double straight = fmin(fmin(x, y), fmax(1 - x, 1 - y));
                const double out = x < 1 && y < 1 ? fmin(fmin(x, y), hypot(1 - x, 1 - y))
                                   : x < 1        ? fmin(fmin(x, 1 - x), 3 - y)
                                                  : fmin(fmin(y, 1 - y), 4 - x);
                ck_assert_double_le(fabs(deep.depth - out), 1e-12);
                ck_assert_double_le(straight, 4);
                ck_assert_int_eq(of_line.state, GJK_OVERLAPPING);
                overlapping++;
            }
        }
    }
    ck_assert_int_ge(overlapping, 60);
}

/* --- Meshes --- */

static void make_mesh(const test_boxes *mesh, bool closed, double rounding, gjk_shape *out) {
    const gjk_mesh made_of = {.vertices = mesh->vertices,
                              .vertex_count = mesh->vertex_count,
                              .triangles = (const uint32_t(*)[3])mesh->triangles,
                              .triangle_count = mesh->triangle_count,
                              .closed = closed};
    gjk_pieces_fault fault;
    ck_assert_int_eq(gjk_shape_make_mesh(&arena, &made_of, rounding, &fault, out), GJK_OK);
}

/* One to three boxes, one of them perhaps a cavity of the first. */
static void make_boxes(test_rng *rng, gjk_shape *out) {
    test_boxes mesh = {.vertex_count = 0};
    test_boxes_add(&mesh, (gjk_vec3){0, 0, 0}, (gjk_vec3){2, 1.5, 1}, false);
    if (test_rng_once_in(rng, 2)) {
        test_boxes_add(&mesh, (gjk_vec3){0.5, 0, 0}, (gjk_vec3){1, 0.75, 0.5},
                       test_rng_once_in(rng, 2));
    }
    if (test_rng_once_in(rng, 2)) {
        test_boxes_add(&mesh, (gjk_vec3){2, 1, 0}, (gjk_vec3){1, 1, 0.75}, false);
    }
    make_mesh(&mesh, !test_rng_once_in(rng, 4), test_rng_once_in(rng, 4) ? 0.1 : 0.0, out);
}

TEST(meshes) {
    test_rng rng = test_rng_make(20280401);
    depth_tally tally = {0};
    for (int i = 0; i < CASES(300); i++) {
        gjk_shape first, second;
        make_boxes(&rng, &first);
        if (test_rng_once_in(&rng, 4)) {
            make_boxes(&rng, &second);
        } else {
            make_cloud(&rng, 3, &second);
        }
        const bool is_on_grid = test_rng_once_in(&rng, 2);
        const gjk_placed a = is_on_grid ? stand(&first, 0, 0, 0) : place(&first, &rng, 1.0);
        const gjk_placed b = is_on_grid
                                 ? stand(&second, 0.25 * ((double)test_rng_below(&rng, 17) - 8),
                                         0.25 * ((double)test_rng_below(&rng, 17) - 8),
                                         0.25 * ((double)test_rng_below(&rng, 9) - 4))
                                 : place(&second, &rng, 1.5);
        check_both(&a, &b, &tally);
        gjk_arena_reset(&arena);
    }
    ck_assert_int_ge(tally.overlapping, CASES(200));
    ck_assert_int_ge(1000 * tally.close, 500 * tally.overlapping);
}

/* A ball that sinks through a closed box: its depth is known at each place. */
TEST(a_ball_sinks_steadily) {
    gjk_shape box, ball;
    test_boxes mesh = {.vertex_count = 0};
    const double radius = 0.25;
    test_boxes_add(&mesh, (gjk_vec3){0, 0, 0}, (gjk_vec3){4, 4, 4}, false);
    make_mesh(&mesh, true, 0, &box);
    ck_assert_int_eq(gjk_shape_make_ball(&arena, 3, radius, 0, &ball), GJK_OK);
    gjk_distance_settings settings = gjk_distance_settings_default();
    settings.is_signed = true;
    const gjk_placed a = stand(&box, 0, 0, 0);
    for (int i = -64; i <= 64; i++) {
        const double height = 4.0 + i / 64.0;
        const gjk_placed b = stand(&ball, 0.5, -0.25, height);
        const gjk_distance_result result = gjk_distance(&a, &b, &settings);
        ck_assert_double_le(fabs(result.signed_distance - (height - 4.0 - radius)), 1e-12);
        ck_assert_int_eq(result.convergence, GJK_CONVERGED);
    }
}

/* Signed distances are between these. */
typedef struct signed_bounds {
    double least, most;
} signed_bounds;

static signed_bounds signed_distance(const gjk_placed *a, const gjk_placed *b) {
    const gjk_detect_settings settings = gjk_detect_settings_default();
    gjk_distance_settings signed_settings = settings;
    signed_settings.is_signed = true;
    const gjk_distance_result result = gjk_distance(a, b, &signed_settings);
    if (result.state != GJK_OVERLAPPING) {
        return (signed_bounds){result.signed_distance, result.signed_distance};
    }
    const gjk_detect_result deep = gjk_detect(a, b, &settings);
    ck_assert_double_eq(result.signed_distance, -deep.depth);
    return (signed_bounds){-deep.depth, -deep.depth_lower_bound};
}

/* A ball that sinks through a region with a hole, a compound in 2D or in 3D, and two boxes as one
 * closed mesh: its signed distance changes by no more than it has moved. In 3D, where bounds may
 * not meet, they hold for one that does so. */
TEST_EACH(a_ball_sinks_without_a_jump, 0, 4) {
    enum { STEPS = 400 };
    test_rng rng = test_rng_make(20280901 + (uint64_t)_i);
    const uint32_t dimension = _i < 2 ? 2 : 3;
    const double step = 10.0 / STEPS;
    test_boxes mesh = {.vertex_count = 0};
    test_boxes_add(&mesh, (gjk_vec3){0, 0, 0}, (gjk_vec3){2, 1.5, 1}, false);
    test_boxes_add(&mesh, (gjk_vec3){2, 1, 0}, (gjk_vec3){1, 1, 0.75}, false);
    for (int i = 0; i < TEST_CASES(20); i++) {
        gjk_shape whole, ball;
        if (_i == 0) {
            make_region(&rng, &whole);
        } else if (_i == 3) {
            make_mesh(&mesh, true, 0, &whole);
        } else {
            make_compound(&rng, dimension, 1.5, &whole);
        }
        ck_assert_int_eq(gjk_shape_make_ball(&arena, dimension, 0.25, 0, &ball), GJK_OK);
        const gjk_placed a = stand(&whole, 0, 0, 0);
        const gjk_vec3 way = test_rng_direction(&rng, dimension);
        const gjk_vec3 off = test_rng_direction(&rng, dimension);
        signed_bounds before = {-INFINITY, INFINITY};
        for (int k = 0; k <= STEPS; k++) {
            const gjk_vec3 at = gjk_add3(gjk_scale3(0.3, off), gjk_scale3(step * k - 5.0, way));
            const gjk_placed b = stand(&ball, at.x, at.y, at.z);
            const signed_bounds now = signed_distance(&a, &b);
            const double slack = step + 1e-9;
            ck_assert(now.least <= before.most + slack && now.most >= before.least - slack);
            ck_assert(_i >= 2 || k == 0 || fabs(now.least - before.least) <= slack);
            before = now;
        }
        gjk_arena_reset(&arena);
    }
}

/* Two boxes that overlap are one solid: a cylinder that only touches a wall of the one, within the
 * other, is not out. */
TEST(a_touch_within_is_no_way_out) {
    test_rng rng = test_rng_make(20280501);
    depth_tally tally = {0};
    test_boxes mesh = {.vertex_count = 0};
    gjk_shape boxes, cylinder;
    const gjk_vec3 ends[2] = {{0, 0, -0.216}, {0, 0, 0.216}};
    test_boxes_add(&mesh, (gjk_vec3){0, 0, 0}, (gjk_vec3){2, 1.5, 1}, false);
    test_boxes_add(&mesh, (gjk_vec3){2, 1, 0}, (gjk_vec3){1, 1, 0.75}, false);
    make_mesh(&mesh, true, 0, &boxes);
    ck_assert_int_eq(gjk_shape_make_cylinder(ends, 0.45, 0, &cylinder), GJK_OK);
    for (int i = 0; i < TEST_CASES(200); i++) {
        const gjk_placed a = stand(&boxes, 0, 0, 0);
        const gjk_vec3 off = gjk_scale3(0.02, test_rng_direction(&rng, 3));
        gjk_placed b = {.shape = &cylinder};
        ck_assert_int_eq(gjk_pose_make3(gjk_add3((gjk_vec3){0.502, 1.176, 0.119}, off),
                                        (gjk_quat){-0.0972, 0.4992, -0.8577, 0.076}, &b.pose),
                         GJK_OK);
        check_both(&a, &b, &tally);
    }
    ck_assert_int_eq(tally.overlapping, 2 * TEST_CASES(200));
}

/* --- Far from the origin, where translations are rounded --- */

/* Circles about several points: the way out often ends in a corner between two of them, where a
 * longer translation in the same direction overlaps the one of them. */
TEST_EACH(far_out_in_a_corner, 2, 4) {
    test_rng rng = test_rng_make(20281101 + (uint64_t)_i);
    const uint32_t dimension = (uint32_t)_i;
    int overlapping = 0;
    for (int i = 0; i < CASES(400); i++) {
        gjk_shape balls, ball;
        gjk_vec3 of[4];
        gjk_vec2 flat[4];
        gjk_pieces_fault fault;
        for (int k = 0; k < 4; k++) {
            of[k] = gjk_scale3(0.8, test_rng_direction(&rng, dimension));
            flat[k] = gjk_xy(of[k]);
        }
        const gjk_points points = {.in_2d = flat, .in_3d = of, .count = 4, .radius = 0.3};
        ck_assert_int_eq(gjk_shape_make_points(&arena, dimension, &points, 0, &fault, &balls),
                         GJK_OK);
        ck_assert_int_eq(gjk_shape_make_ball(&arena, dimension, 0.3, 0, &ball), GJK_OK);
        const double far = i % 2 == 0 ? 3000.0 : 10000.0;
        const gjk_vec3 at = gjk_scale3(0.5, test_rng_direction(&rng, dimension));
        const gjk_placed a = stand(&balls, far, -far / 3, 0);
        const gjk_placed b = stand(&ball, far + at.x, at.y - far / 3, at.z);
        const gjk_detect_settings settings = gjk_detect_settings_default();
        const gjk_detect_result deep = gjk_detect(&a, &b, &settings);
        if (deep.state == GJK_OVERLAPPING) {
            const double size = fmax(balls.size, ball.size);
            ck_assert(deep.has_points);
            ck_assert_int_ne(state_after(&a, &b, gjk_scale3(deep.depth, deep.normal)),
                             GJK_OVERLAPPING);
            ck_assert_double_le(off(&a, deep.point_a), 1e-9 * size);
            ck_assert(deep.convergence != GJK_CONVERGED ||
                      deep.depth - deep.depth_lower_bound <= GJK_TOLERANCE_DEFAULT * size);
            overlapping++;
        }
        gjk_arena_reset(&arena);
    }
    ck_assert_int_ge(overlapping, CASES(200));
}

/* --- Surfaces that touch within --- */

/* A point or ball in a rounded box, deeper and deeper, also where it touches the rounding of the
 * surface from within. */
TEST(the_rounding_of_a_surface_is_solid) {
    test_boxes mesh = {.vertex_count = 0};
    gjk_shape box, ball;
    test_boxes_add(&mesh, (gjk_vec3){0, 0, 0}, (gjk_vec3){1, 1, 1}, false);
    make_mesh(&mesh, true, 0.125, &box);
    const gjk_detect_settings settings = gjk_detect_settings_default();
    for (int i = 0; i <= 96; i++) {
        const double radius = i % 2 * 0.0625, height = 1.125 - i / 128.0;
        ck_assert_int_eq(gjk_shape_make_point(&arena, 3, radius, &ball), GJK_OK);
        const gjk_placed a = stand(&box, 0, 0, 0), b = stand(&ball, 0.1, -0.05, height);
        const gjk_detect_result deep = gjk_detect(&a, &b, &settings);
        const double depth = 1.125 + radius - height;
        ck_assert_int_eq(deep.state, depth > 0 ? GJK_OVERLAPPING : GJK_TOUCHING);
        ck_assert_double_le(fabs(deep.depth - depth), 1e-12);
        ck_assert_double_le(deep.depth - deep.depth_lower_bound, 1e-12);
        ck_assert_int_eq(deep.convergence, GJK_CONVERGED);
    }
}

/* A solid and itself, and one within it that has a part of its surface, overlap; neighbours of one
 * face do not, nor do they beside others that overlap. Of any size, thin ones, too. */
TEST(solids_whose_surfaces_coincide) {
    static const struct {
        gjk_vec3 center, half;
        bool overlaps;
    } rows[] = {{{0, 0, 0}, {1, 1, 1}, true},         {{0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}, true},
                {{0, 0, 0.5}, {1, 1, 0.5}, true},     {{2, 0, 0}, {1, 1, 1}, false},
                {{0, 0.5, -2}, {0.5, 0.5, 1}, false}, {{2, 2, 0}, {1, 1, 1}, false}};
    static const double sizes[] = {1.0, 0x1p-400, 0x1p330};
    const size_t row_count = sizeof rows / sizeof rows[0];
    const gjk_detect_settings settings = gjk_detect_settings_default();
    for (size_t i = 0; i < 3 * 2 * 2 * row_count; i++) {
        const bool is_swapped = i % 2, has_twins = i / 2 % 2;
        const double size = sizes[i / 4 / row_count];
        const size_t row = i / 4 % row_count;
        const gjk_vec3 whole = {size, size, i % 3 == 0 ? 1e-7 * size : size};
        const gjk_vec3 half = {whole.x * rows[row].half.x, whole.y * rows[row].half.y,
                               whole.z * rows[row].half.z};
        const gjk_vec3 at = {whole.x * rows[row].center.x, whole.y * rows[row].center.y,
                             whole.z * rows[row].center.z};
        test_boxes first = {.vertex_count = 0}, second = {.vertex_count = 0};
        gjk_shape box, other;
        test_boxes_add(&first, (gjk_vec3){0, 0, 0}, whole, false);
        test_boxes_add(&second, at, half, false);
        if (has_twins) { /* apart from the others, and the same in both */
            test_boxes_add(&first, (gjk_vec3){9 * size, 0, 0}, whole, false);
            test_boxes_add(&second, (gjk_vec3){9 * size, 0, 0}, whole, false);
        }
        make_mesh(&first, true, 0, &box);
        make_mesh(&second, true, 0, &other);
        const gjk_placed a = stand(is_swapped ? &other : &box, 0, 0, 0);
        const gjk_placed b = stand(is_swapped ? &box : &other, 0, 0, 0);
        const gjk_detect_result deep = gjk_detect(&a, &b, &settings);
        const bool overlaps = has_twins || rows[row].overlaps;
        ck_assert_int_eq(deep.state, overlaps ? GJK_OVERLAPPING : GJK_TOUCHING);
        ck_assert_int_eq(state_after(&a, &b, (gjk_vec3){0, 0, 0}), deep.state);
        ck_assert(deep.depth_lower_bound <= 2 * size && (deep.depth > 0) == overlaps);
        ck_assert(!overlaps || deep.depth <= 2.000001 * whole.z);
        gjk_arena_reset(&arena);
    }
}

/* A point on the wall of a gap between two boxes of one mesh only touches. */
TEST(a_point_in_a_thin_gap) {
    test_boxes mesh = {.vertex_count = 0};
    gjk_shape boxes, dot;
    test_boxes_add(&mesh, (gjk_vec3){0, 0, -1}, (gjk_vec3){1, 1, 1}, false);
    test_boxes_add(&mesh, (gjk_vec3){0, 0, 1 + 1e-7}, (gjk_vec3){1, 1, 1}, false);
    make_mesh(&mesh, true, 0, &boxes);
    ck_assert_int_eq(gjk_shape_make_point(&arena, 3, 0, &dot), GJK_OK);
    const gjk_placed a = stand(&boxes, 0, 0, 0), b = stand(&dot, 0.1, 0.2, 0);
    const gjk_detect_settings settings = gjk_detect_settings_default();
    ck_assert_int_eq(gjk_detect(&a, &b, &settings).state, GJK_TOUCHING);
    ck_assert_int_eq(gjk_detect(&b, &a, &settings).state, GJK_TOUCHING);
}

/* Points in boxes that overlap, on their inner walls, too: all that is in any of them is solid. */
TEST(points_in_boxes_that_cross) {
    test_rng rng = test_rng_make(20281201);
    depth_tally tally = {0};
    gjk_shape dot;
    ck_assert_int_eq(gjk_shape_make_point(&arena, 3, 0.0, &dot), GJK_OK);
    const gjk_arena_mark mark = gjk_arena_here(&arena);
    for (int i = 0; i < CASES(400); i++) {
        test_boxes mesh = {.vertex_count = 0};
        gjk_shape boxes;
        gjk_vec3 center[2], half[2];
        for (int k = 0; k < 2; k++) {
            center[k] = (gjk_vec3){(double)test_rng_below(&rng, 3), (double)test_rng_below(&rng, 3),
                                   (double)test_rng_below(&rng, 3)};
            half[k] = (gjk_vec3){1.0 + (double)test_rng_below(&rng, 2),
                                 1.0 + (double)test_rng_below(&rng, 2),
                                 1.0 + (double)test_rng_below(&rng, 2)};
            test_boxes_add(&mesh, center[k], half[k], false);
        }
        make_mesh(&mesh, true, 0, &boxes);
        const gjk_vec3 at = {0.5 * (double)test_rng_below(&rng, 9) - 1,
                             0.5 * (double)test_rng_below(&rng, 9) - 1,
                             0.5 * (double)test_rng_below(&rng, 9) - 1};
        const gjk_placed a = stand(&boxes, 0, 0, 0), b = stand(&dot, at.x, at.y, at.z);
        bool is_within = false;
        for (int k = 0; k < 2; k++) {
            is_within = is_within || (fabs(at.x - center[k].x) < half[k].x &&
                                      fabs(at.y - center[k].y) < half[k].y &&
                                      fabs(at.z - center[k].z) < half[k].z);
        }
        if (is_within) {
            const gjk_detect_settings settings = gjk_detect_settings_default();
            ck_assert_int_eq(gjk_detect(&a, &b, &settings).state, GJK_OVERLAPPING);
            ck_assert_double_le(gjk_detect(&a, &b, &settings).depth, boxes.size);
            check_both(&a, &b, &tally);
        }
        gjk_arena_rewind(&arena, mark);
    }
    ck_assert_int_ge(tally.overlapping, CASES(100));
}

/* With few iterations a pair may keep a lower bound below that of the nearest one. */
TEST(converged_only_where_all_bounds_meet) {
    test_rng rng = test_rng_make(20281301);
    int converged = 0;
    for (int i = 0; i < CASES(2000); i++) {
        gjk_shape boxes, hull;
        make_boxes(&rng, &boxes);
        make_cloud(&rng, 3, &hull);
        const gjk_placed a = place(&boxes, &rng, 1.0), b = place(&hull, &rng, 5.0);
        gjk_distance_settings settings = gjk_distance_settings_default();
        settings.max_iterations = 5;
        const gjk_distance_result apart = gjk_distance(&a, &b, &settings);
        if (apart.convergence == GJK_CONVERGED && apart.state == GJK_SEPARATED) {
            ck_assert_double_le(apart.distance - apart.lower_bound,
                                GJK_TOLERANCE_DEFAULT * fmax(boxes.size, hull.size));
            converged++;
        }
        gjk_arena_reset(&arena);
    }
    ck_assert_int_ge(converged, CASES(200));
}
