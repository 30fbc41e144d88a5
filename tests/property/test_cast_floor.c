/*
 * Does a shape that stands exactly on a flat floor slide over it? Over a floor of many coplanar
 * triangles (in the plane: of segments) of random sizes, under edges, corners and inner points
 * alike: a way along the floor hits none of them, one into it all that are touched.
 */

#include "curved.h"
#include "support/test.h"

#include "gjk/cast.h"
#include "gjk/pieces.h"

#include <stdlib.h>
#include <string.h>

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

/* Not so where it stands beside the piece, whose rim it touches: then it goes along a plane that
 * parts the two. */
static bool is_in_the_way(const gjk_placed *piece, const gjk_placed *moving, gjk_vec3 way) {
    const gjk_detect_settings settings = gjk_detect_settings_default();
    gjk_placed moved = *moving;
    moved.pose.position = gjk_add3(moved.pose.position, gjk_scale3(1e-5, way));
    return is_touched(piece, moving) &&
           gjk_detect(piece, &moved, &settings).state == GJK_OVERLAPPING;
}

TEST_EACH(over_a_flat_floor, 2, 4) {
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

/* --- One shape of many triangles or segments --- */

#define LINES 9 /* of the grid, along each side */
#define SLIDES 400

typedef struct wide_floor {
    gjk_shape shape;
    gjk_placed placed;
    double cell;
    double slope[2]; /* of the plane, in its own frame */
    gjk_vec3 normal; /* there */
} wide_floor;

static gjk_vec3 floor_point(const wide_floor *f, uint32_t dimension, double x, double y) {
    return dimension == 2 ? (gjk_vec3){x, f->slope[0] * x, 0}
                          : (gjk_vec3){x, y, f->slope[0] * x + f->slope[1] * y};
}

/* A grid whose lines meet in places that are off by up to a third of a cell, cut into triangles. */
static void make_triangles(test_rng *rng, struct gjk_arena *arena, wide_floor *f, double off) {
    gjk_vec3 vertices[LINES * LINES];
    uint32_t triangles[2 * (LINES - 1) * (LINES - 1)][3], count = 0;
    gjk_pieces_fault fault;
    for (uint32_t i = 0; i < LINES * LINES; i++) {
        const double x = (double)(i % LINES) - LINES / 2 + off * test_rng_uniform(rng, -1, 1);
        const double y = (double)(i / LINES) - LINES / 2 + off * test_rng_uniform(rng, -1, 1);
        vertices[i] = floor_point(f, 3, f->cell * x, f->cell * y);
    }
    for (uint32_t i = 0; i < LINES * (LINES - 1); i++) {
        if (i % LINES + 1 < LINES) {
            const uint32_t cut[2][3] = {{i, i + 1, i + LINES + 1}, {i, i + LINES + 1, i + LINES}};
            memcpy(triangles[count], cut, sizeof cut);
            count += 2;
        }
    }
    const gjk_mesh mesh = {.vertices = vertices,
                           .vertex_count = LINES * LINES,
                           .triangles = triangles,
                           .triangle_count = count};
    ck_assert_int_eq(gjk_shape_make_mesh(arena, &mesh, 0, &fault, &f->shape), GJK_OK);
}

static void make_segments(test_rng *rng, struct gjk_arena *arena, wide_floor *f, double off) {
    gjk_vec2 vertices[LINES];
    gjk_pieces_fault fault;
    for (uint32_t i = 0; i < LINES; i++) {
        const double x = (double)i - LINES / 2 + off * test_rng_uniform(rng, -1, 1);
        vertices[i] = gjk_xy(floor_point(f, 2, f->cell * x, 0));
    }
    ck_assert_int_eq(gjk_shape_make_chain(arena, vertices, LINES, false, 0, &fault, &f->shape),
                     GJK_OK);
}

/* Somewhere, turned or not, and so are its triangles. */
static void make_wide_floor(test_rng *rng, uint32_t dimension, struct gjk_arena *arena,
                            wide_floor *f) {
    const double far = test_rng_once_in(rng, 2) ? 0 : exp2(test_rng_uniform(rng, 0, 30));
    const gjk_vec3 at = gjk_scale3(far, test_rng_direction(rng, dimension));
    const bool tilted = test_rng_once_in(rng, 2), turned = test_rng_once_in(rng, 2);
    const double off = test_rng_once_in(rng, 2) ? 0.3 : 0;
    f->cell = test_rng_once_in(rng, 2) ? 1 : test_rng_magnitude(rng, -1, 1);
    for (int i = 0; i < 2; i++) {
        f->slope[i] = tilted ? test_rng_uniform(rng, -1, 1) : 0;
    }
    gjk_vec3 n = {-f->slope[0], -f->slope[1], 1};
    gjk_pose pose;
    if (dimension == 2) {
        n = (gjk_vec3){-f->slope[0], 1, 0};
        make_segments(rng, arena, f, off);
        ck_assert_int_eq(gjk_pose_make2(gjk_xy(at), turned ? test_rng_uniform(rng, -4, 4) : 0,
                                        &pose),
                         GJK_OK);
    } else {
        const gjk_quat q = turned ? test_rng_rotation(rng) : (gjk_quat){0, 0, 0, 1};
        make_triangles(rng, arena, f, off);
        ck_assert_int_eq(gjk_pose_make3(at, q, &pose), GJK_OK);
    }
    f->normal = gjk_scale3(1 / gjk_length3(n), n);
    f->placed = (gjk_placed){&f->shape, pose};
}

/* The rotation that stands what is level upright on the floor, and turns it about its normal. */
static gjk_pose upright(test_rng *rng, uint32_t dimension, const wide_floor *f) {
    const double turn = test_rng_once_in(rng, 2) ? 0 : test_rng_uniform(rng, -3, 3);
    const gjk_vec3 n = f->normal, none = {0, 0, 0};
    gjk_pose tilt, spin;
    if (dimension == 2) {
        ck_assert_int_eq(gjk_pose_make2(gjk_xy(none), atan2(-n.x, n.y), &tilt), GJK_OK);
        return gjk_pose_compose(&f->placed.pose, &tilt);
    }
    /* from y to the floor's normal */
    const gjk_quat q = {n.z, 0, -n.x, 1 + n.y}, y = {0, sin(turn / 2), 0, cos(turn / 2)};
    const double length = sqrt(q.x * q.x + q.z * q.z + q.w * q.w);
    ck_assert_int_eq(gjk_pose_make3(none, (gjk_quat){q.x / length, 0, q.z / length, q.w / length},
                                    &tilt),
                     GJK_OK);
    ck_assert_int_eq(gjk_pose_make3(none, y, &spin), GJK_OK);
    tilt = gjk_pose_compose(&tilt, &spin);
    return gjk_pose_compose(&f->placed.pose, &tilt);
}

/* From where they stand, lie a bit too deep or float: along the floor nothing is hit; what comes
 * down on it meets it alone, not the edges between its triangles. */
TEST_EACH(over_the_seams_of_one_floor, 2, 4) {
    const uint32_t dimension = (uint32_t)_i;
    const gjk_cast_settings settings = gjk_cast_settings_default();
    test_rng rng = test_rng_make(5410 + (uint64_t)_i);
    struct gjk_arena arena;
    static wide_floor f;
    static test_curved moving;
    unsigned hits = 0, walls = 0, stops = 0;
    gjk_arena_init(&arena, 0);
    for (uint64_t i = 0; i < SLIDES * test_factor(); i++) {
        make_wide_floor(&rng, dimension, &arena, &f);
        const double height = make_moving(&moving, (int)(i % 3), dimension, &rng, &arena);
        double lift = test_rng_once_in(&rng, 3) ? 0 : test_rng_magnitude(&rng, -17, -3);
        lift = test_rng_once_in(&rng, 3) ? -fmin(lift, 5e-11 * height) : lift;
        const gjk_vec3 stand = floor_point(&f, dimension, f.cell * place_along(&rng),
                                           f.cell * test_rng_uniform(&rng, -2, 2));
        const gjk_vec3 own = gjk_add3(stand, gjk_scale3(height + lift, f.normal));
        moving.placed.pose = upright(&rng, dimension, &f);
        moving.placed.pose.position = gjk_pose_apply(&f.placed.pose, own);
        gjk_vec3 way = floor_point(&f, dimension, test_rng_uniform(&rng, -1, 1),
                                   test_rng_once_in(&rng, 3) ? 0 : test_rng_uniform(&rng, -1, 1));
        way = gjk_scale3(test_rng_magnitude(&rng, -1, 1), way);
        const double sink = test_rng_once_in(&rng, 3) ? test_rng_magnitude(&rng, -16, -1) : 0;
        way = gjk_sub3(way, gjk_scale3(sink * gjk_length3(way), f.normal));
        const gjk_vec3 n = gjk_mul3(&f.placed.pose.rotation, f.normal);
        const gjk_cast_result r =
            gjk_cast(&moving.placed, gjk_mul3(&f.placed.pose.rotation, way), &f.placed, &settings);
        hits += r.hit && !r.inside;
        stops += r.hit && !r.inside && sink == 0;
        walls += r.hit && !r.inside && fabs(gjk_dot3(n, r.normal)) < 1 - 1e-5;
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
    ck_assert_uint_gt(hits, SLIDES / 20);
    ck_assert_msg(walls + stops == 0, "of %u hits %u with a wall's normal, %u of ways along", hits,
                  walls, stops);
}
