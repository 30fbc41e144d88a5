/*
 * Height fields with a base against the closed mesh that they are: the same triangles above and at
 * the sides, and below it a grid of small triangles. Answers are the same wherever the two are
 * asked, numbers on a grid, on which rays meet edges and corners, among them.
 */

#include "gjk/cast.h"
#include "gjk/pieces.h"
#include "gjk/ray.h"
#include "support/rng.h"
#include "support/test.h"

#include <math.h>

#define SIDE 6 /* samples a side, at most */
#define VERTICES_MAX (2 * SIDE * SIDE)
#define TRIANGLES_MAX (4 * SIDE * SIDE + 8 * SIDE)
#define NEAR 1e-9

TEST_ARENA(arena)

typedef struct twins {
    gjk_shape field, mesh;
    uint32_t columns, rows, pieces;
    double spacing[2], base, heights[SIDE * SIDE];
    uint32_t triangles[TRIANGLES_MAX][3], count;
} twins;

static void add(twins *t, uint32_t a, uint32_t b, uint32_t c) {
    t->triangles[t->count][0] = a;
    t->triangles[t->count][1] = b;
    t->triangles[t->count++][2] = c;
}

/* Adds the side between two samples; below a sample stands the vertex `below` after it. */
static void add_side(twins *t, uint32_t from, uint32_t to, uint32_t below) {
    add(t, from + below, to + below, to);
    add(t, from + below, to, from);
}

static void make_triangles(twins *t) {
    const uint32_t columns = t->columns, rows = t->rows, below = columns * rows;
    for (int bottom = 0; bottom < 2; bottom++) {
        for (uint32_t row = 0; row + 1 < rows; row++) {
            for (uint32_t column = 0; column + 1 < columns; column++) {
                const uint32_t at = row * columns + column + (bottom ? below : 0);
                const uint32_t right = at + 1, across = at + columns + 1, up = at + columns;
                add(t, at, bottom ? across : right, bottom ? right : across);
                add(t, at, bottom ? up : across, bottom ? across : up);
            }
        }
        t->pieces = bottom ? t->pieces : t->count;
    }
    for (uint32_t column = 0; column + 1 < columns; column++) {
        add_side(t, column, column + 1, below);
        add_side(t, below - 1 - column, below - 2 - column, below);
    }
    for (uint32_t row = 0; row + 1 < rows; row++) {
        add_side(t, row * columns + columns - 1, (row + 1) * columns + columns - 1, below);
        add_side(t, (row + 1) * columns, row * columns, below);
    }
}

static void make_twins(test_rng *rng, double rounding, twins *t) {
    gjk_vec3 vertices[VERTICES_MAX];
    gjk_pieces_fault fault;
    const bool is_grid = test_rng_once_in(rng, 2);
    t->columns = 2 + test_rng_below(rng, SIDE - 1);
    t->rows = 2 + test_rng_below(rng, SIDE - 1);
    t->count = 0;
    t->spacing[0] = is_grid ? 1.0 : test_rng_uniform(rng, 0.3, 2);
    t->spacing[1] = is_grid ? 0.5 : test_rng_uniform(rng, 0.3, 2);
    t->base = is_grid ? -1.0 : test_rng_uniform(rng, -3, -0.1);
    for (uint32_t i = 0; i < t->columns * t->rows; i++) {
        /* Some samples stand on the base. */
        t->heights[i] = test_rng_once_in(rng, 8) ? t->base
                        : is_grid                ? (double)test_rng_integer(rng, -4, 8) / 4
                                                 : test_rng_uniform(rng, t->base, 2);
        vertices[i] = (gjk_vec3){i % t->columns * t->spacing[0], i / t->columns * t->spacing[1],
                                 t->heights[i]};
        vertices[t->columns * t->rows + i] = (gjk_vec3){vertices[i].x, vertices[i].y, t->base};
    }
    make_triangles(t);
    const gjk_heightfield field = {.columns = t->columns,
                                   .rows = t->rows,
                                   .spacing = {t->spacing[0], t->spacing[1]},
                                   .heights = t->heights,
                                   .has_base = true,
                                   .base = t->base};
    const gjk_mesh mesh = {.vertices = vertices,
                           .vertex_count = 2 * t->columns * t->rows,
                           .triangles = (const uint32_t(*)[3])t->triangles,
                           .triangle_count = t->count,
                           .closed = true};
    ck_assert_int_eq(gjk_shape_make_heightfield(&arena, &field, rounding, &fault, &t->field),
                     GJK_OK);
    ck_assert_int_eq(gjk_shape_make_mesh(&arena, &mesh, rounding, &fault, &t->mesh), GJK_OK);
    ck_assert_uint_eq(gjk_pieces_count(t->field.pieces), t->pieces);
}

static gjk_pose some_pose(test_rng *rng) {
    gjk_pose pose = gjk_pose_identity();
    if (test_rng_once_in(rng, 2)) {
        const double far = test_rng_once_in(rng, 3) ? 1e5 : 3;
        ck_assert_int_eq(gjk_pose_make3(gjk_scale3(far, test_rng_direction(rng, 3)),
                                        test_rng_rotation(rng), &pose),
                         GJK_OK);
    }
    return pose;
}

/* A place about the field, in its frame. Where that is the world, every second one is on a grid of
 * quarters, on which numbers are exact. */
static gjk_vec3 some_place(test_rng *rng, const twins *t, const gjk_pose *pose) {
    const double x = (t->columns - 1) * t->spacing[0], y = (t->rows - 1) * t->spacing[1];
    gjk_vec3 at = {test_rng_uniform(rng, -0.3 * x, 1.3 * x),
                   test_rng_uniform(rng, -0.3 * y, 1.3 * y), test_rng_uniform(rng, -3.5, 2.5)};
    if (gjk_length3(pose->position) == 0 && test_rng_once_in(rng, 2)) {
        at = (gjk_vec3){round(4 * at.x) / 4, round(4 * at.y) / 4, round(4 * at.z) / 4};
    }
    return at;
}

/* Checks that both are hit at pieces of the field, or both at the base; at an edge of the border,
 * and where a sample stands on the base, it may be either. */
static void check_piece(const twins *t, const gjk_vec3 *at, uint32_t of_field, uint32_t of_mesh) {
    const double x = (t->columns - 1) * t->spacing[0], y = (t->rows - 1) * t->spacing[1];
    const bool is_border = fmin(fabs(at->x), fabs(at->x - x)) < 1e-6 ||
                           fmin(fabs(at->y), fabs(at->y - y)) < 1e-6 ||
                           fabs(at->z - t->base) < 1e-6;
    ck_assert_int_eq(of_field == GJK_NO_PIECE, of_mesh == GJK_NO_PIECE);
    ck_assert(is_border || of_field == GJK_NO_PIECE || of_field == of_mesh);
    ck_assert(is_border || of_field == GJK_NO_PIECE || of_field < t->pieces);
}

static void check_pair(const twins *t, const gjk_placed whole[2], const gjk_placed *other) {
    const gjk_detect_settings detect = gjk_detect_settings_default();
    const gjk_distance_settings distance = gjk_distance_settings_default();
    const double size = 20.0 + gjk_length3(whole[0].pose.position) * 1e-6;
    gjk_detect_result deep[2];
    gjk_distance_result apart[2];
    for (int i = 0; i < 2; i++) {
        deep[i] = gjk_detect(&whole[i], other, &detect);
        apart[i] = gjk_distance(&whole[i], other, &distance);
        ck_assert_int_eq(deep[i].state, apart[i].state);
    }
    /* What is tangent may touch in the one and be apart in the other, whose triangles have other
     * sizes. */
    const bool is_close = deep[0].state == GJK_TOUCHING || deep[1].state == GJK_TOUCHING;
    ck_assert(is_close || deep[0].state == deep[1].state);
    ck_assert(is_close || deep[0].inside == deep[1].inside);
    ck_assert_double_eq_tol(apart[0].distance, apart[1].distance, NEAR * size);
    if (!is_close && deep[0].state == GJK_SEPARATED) {
        const bool is_tie = fabs(gjk_dot3(apart[0].normal, apart[1].normal) - 1) > 1e-6;
        ck_assert(is_tie || apart[0].piece_a == apart[1].piece_a ||
                  apart[0].piece_a >= GJK_PIECES_MAX || apart[1].piece_a >= t->pieces);
    }
}

TEST_EACH(pairs_answer_as_the_closed_mesh_does, 0, 4) {
    test_rng rng = test_rng_make(20261127 + (uint64_t)_i);
    uint64_t inside = 0;
    for (int scene = 0; scene < TEST_CASES(150); scene++) {
        static twins t;
        gjk_shape ball, crate;
        make_twins(&rng, test_rng_once_in(&rng, 4) ? 0.125 : 0.0, &t);
        ck_assert_int_eq(gjk_shape_make_ball(&arena, 3, 0.125, 0, &ball), GJK_OK);
        ck_assert_int_eq(gjk_shape_make_box(&arena, 3, (gjk_vec3){0.25, 0.125, 0.125}, 0, &crate),
                         GJK_OK);
        const gjk_pose pose = some_pose(&rng);
        const gjk_placed whole[2] = {{&t.field, pose}, {&t.mesh, pose}};
        const gjk_detect_settings detect = gjk_detect_settings_default();
        for (int i = 0; i < 40; i++) {
            gjk_placed other = {i % 2 ? &ball : &crate, pose};
            other.pose.position = gjk_pose_apply(&pose, some_place(&rng, &t, &pose));
            check_pair(&t, whole, &other);
            inside += gjk_detect(&whole[0], &other, &detect).inside;
        }
        gjk_arena_reset(&arena);
    }
    ck_assert_uint_gt(inside, TEST_SANITIZED ? 5 : 150);
}

TEST_EACH(rays_answer_as_at_the_closed_mesh, 0, 4) {
    test_rng rng = test_rng_make(20261128 + (uint64_t)_i);
    uint64_t hits[2] = {0, 0}, starts = 0;
    for (int scene = 0; scene < TEST_CASES(150); scene++) {
        static twins t;
        make_twins(&rng, 0.0, &t);
        const gjk_pose pose = some_pose(&rng);
        const gjk_placed whole[2] = {{&t.field, pose}, {&t.mesh, pose}};
        const double size = 20.0 + gjk_length3(pose.position) * 1e-6;
        for (int i = 0; i < 60; i++) {
            const gjk_vec3 from = some_place(&rng, &t, &pose), to = some_place(&rng, &t, &pose);
            gjk_ray_settings settings = gjk_ray_settings_default();
            gjk_ray_result hit[2];
            gjk_ray ray;
            if (gjk_ray_make(gjk_pose_apply(&pose, from),
                             gjk_mul3(&pose.rotation, gjk_sub3(to, from)), INFINITY,
                             &ray) != GJK_OK) {
                continue;
            }
            settings.solid = i % 3 != 0;
            for (int k = 0; k < 2; k++) {
                hit[k] = gjk_raycast(&whole[k], &ray, &settings);
            }
            ck_assert_int_eq(hit[0].hit, hit[1].hit);
            ck_assert_int_eq(hit[0].inside, hit[1].inside);
            starts += hit[0].inside;
            if (!hit[0].hit) {
                continue;
            }
            ck_assert_double_eq_tol(hit[0].distance, hit[1].distance, NEAR * size);
            const gjk_vec3 off = gjk_sub3(hit[0].point, pose.position);
            const gjk_vec3 own = gjk_mul3_transposed(&pose.rotation, off);
            check_piece(&t, &own, hit[0].piece, hit[1].piece);
            hits[hit[0].piece >= GJK_PIECES_MAX] += !hit[0].inside;
            double out[2];
            ck_assert_int_eq(gjk_ray_exit(&whole[0], &ray, &hit[0], &settings, &out[0]), GJK_OK);
            ck_assert_int_eq(gjk_ray_exit(&whole[1], &ray, &hit[1], &settings, &out[1]), GJK_OK);
            ck_assert_double_eq_tol(out[0], out[1], NEAR * size);
        }
        gjk_arena_reset(&arena);
    }
    ck_assert(hits[0] > TEST_CASES(1500) && hits[1] > TEST_CASES(2000) && starts > TEST_CASES(700));
}

TEST(casts_answer_as_at_the_closed_mesh) {
    test_rng rng = test_rng_make(20261129);
    uint64_t hits[2] = {0, 0};
    for (int scene = 0; scene < TEST_CASES(100); scene++) {
        static twins t;
        gjk_shape ball;
        make_twins(&rng, 0.0, &t);
        ck_assert_int_eq(gjk_shape_make_ball(&arena, 3, 0.25, 0, &ball), GJK_OK);
        const gjk_pose pose = some_pose(&rng);
        const gjk_placed whole[2] = {{&t.field, pose}, {&t.mesh, pose}};
        const double size = 20.0 + gjk_length3(pose.position) * 1e-6;
        for (int i = 0; i < 30; i++) {
            const gjk_vec3 from = some_place(&rng, &t, &pose), to = some_place(&rng, &t, &pose);
            const gjk_vec3 way = gjk_mul3(&pose.rotation, gjk_sub3(to, from));
            const gjk_cast_settings settings = gjk_cast_settings_default();
            gjk_placed moving = {&ball, pose};
            moving.pose.position = gjk_pose_apply(&pose, from);
            const gjk_cast_result p = gjk_cast(&moving, way, &whole[0], &settings);
            const gjk_cast_result q = gjk_cast(&moving, way, &whole[1], &settings);
            ck_assert_int_eq(p.hit, q.hit);
            ck_assert_int_eq(p.inside, q.inside);
            if (p.hit) {
                ck_assert_double_eq_tol(p.fraction * gjk_length3(way),
                                        q.fraction * gjk_length3(way), NEAR * size);
                hits[p.piece >= GJK_PIECES_MAX] += !p.inside;
            }
        }
        gjk_arena_reset(&arena);
    }
    ck_assert(hits[0] > TEST_CASES(500) && hits[1] > TEST_CASES(700));
}
