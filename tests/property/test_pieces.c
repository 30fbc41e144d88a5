/*
 * Shapes of many pieces against their pieces: every answer about a whole must be the reduction of
 * the same query on each piece as a convex shape of its own. Random terrains, closed sculptures,
 * soups of triangles, height fields, chains, regions and compounds; probes of every kind; random
 * poses.
 */

#include "curved.h"
#include "gjk/cast.h"
#include "gjk/pieces.h"
#include "gjk/ray.h"
#include "require.h"
#include "scene.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#define SCENES TEST_CASES(120)
#define PROBES 24
#define VERTICES_MAX 400
#define TRIANGLES_MAX 600

/* 4 units in the last place of the size, and of what stands in the world. */
static double error_of(const gjk_placed *a, const gjk_placed *b) {
    double size = fmax(a->shape->size, b->shape->size);
    double far = gjk_length3(a->pose.position) + gjk_length3(b->pose.position);
    return 4.0 * 0x1p-52 * (size + far);
}

/* --- Wholes --- */

/* A grid of n x n samples, as triangles; `bump` is how high it may rise. */
static void make_terrain(test_rng *rng, struct gjk_arena *arena, uint32_t n, double bump,
                         double rounding, gjk_shape *out) {
    static gjk_vec3 vertices[VERTICES_MAX];
    static uint32_t triangles[TRIANGLES_MAX][3];
    uint32_t count = 0;
    for (uint32_t i = 0; i < n * n; i++) {
        vertices[i] = (gjk_vec3){i % n, i / n, test_rng_uniform(rng, 0, bump)};
    }
    for (uint32_t y = 0; y + 1 < n; y++) {
        for (uint32_t x = 0; x + 1 < n; x++) {
            const uint32_t at = y * n + x;
            const uint32_t two[2][3] = {{at, at + 1, at + n + 1}, {at, at + n + 1, at + n}};
            for (int k = 0; k < 6; k++) {
                triangles[count + k / 3][k % 3] = two[k / 3][k % 3];
            }
            count += 2;
        }
    }
    gjk_pieces_fault fault;
    const gjk_mesh mesh = {.vertices = vertices,
                           .vertex_count = n * n,
                           .triangles = (const uint32_t(*)[3])triangles,
                           .triangle_count = count};
    ck_assert_int_eq(gjk_shape_make_mesh(arena, &mesh, rounding, &fault, out), GJK_OK);
}

/* A box whose faces are cut into n x n squares, pushed about: closed. */
static void make_sculpture(test_rng *rng, struct gjk_arena *arena, bool closed, gjk_shape *out) {
    const uint32_t rings = 8, sectors = 10;
    static gjk_vec3 vertices[VERTICES_MAX];
    static uint32_t triangles[TRIANGLES_MAX][3];
    uint32_t vertex_count = 0, count = 0;
    vertices[vertex_count++] = (gjk_vec3){0, 0, -1.5};
    for (uint32_t r = 1; r < rings; r++) {
        for (uint32_t s = 0; s < sectors; s++) {
            double polar = M_PI * r / rings, turn = 2 * M_PI * s / sectors;
            double radius = test_rng_uniform(rng, 0.7, 1.5);
            vertices[vertex_count++] =
                (gjk_vec3){radius * sin(polar) * cos(turn), radius * sin(polar) * sin(turn),
                           -radius * cos(polar)};
        }
    }
    const uint32_t top = vertex_count;
    vertices[vertex_count++] = (gjk_vec3){0, 0, 1.5};
    for (uint32_t s = 0; s < sectors; s++) {
        const uint32_t next = (s + 1) % sectors;
        memcpy(triangles[count++], (uint32_t[3]){0, 1 + next, 1 + s}, sizeof triangles[0]);
        for (uint32_t r = 0; r + 2 < rings; r++) {
            const uint32_t low = 1 + r * sectors, high = low + sectors;
            memcpy(triangles[count++], (uint32_t[3]){low + s, low + next, high + next},
                   sizeof triangles[0]);
            memcpy(triangles[count++], (uint32_t[3]){low + s, high + next, high + s},
                   sizeof triangles[0]);
        }
        const uint32_t last = 1 + (rings - 2) * sectors;
        memcpy(triangles[count++], (uint32_t[3]){last + s, last + next, top}, sizeof triangles[0]);
    }
    gjk_pieces_fault fault;
    const gjk_mesh mesh = {.vertices = vertices,
                           .vertex_count = vertex_count,
                           .triangles = (const uint32_t(*)[3])triangles,
                           .triangle_count = count,
                           .closed = closed};
    ck_assert_int_eq(gjk_shape_make_mesh(arena, &mesh, 0.0, &fault, out), GJK_OK);
}

static void make_heightfield(test_rng *rng, struct gjk_arena *arena, gjk_shape *out) {
    double heights[64];
    for (int i = 0; i < 64; i++) {
        heights[i] = i > 0 && test_rng_once_in(rng, 12) ? NAN : test_rng_uniform(rng, 0, 2);
    }
    heights[0] = heights[1] = heights[8] = heights[9] = 1.0;
    const gjk_heightfield field = {.columns = 8,
                                   .rows = 8,
                                   .spacing = {1.0, 0.5},
                                   .heights = heights};
    gjk_pieces_fault fault;
    ck_assert_int_eq(gjk_shape_make_heightfield(arena, &field, 0.0, &fault, out), GJK_OK);
}

static void make_chain(test_rng *rng, struct gjk_arena *arena, gjk_shape *out) {
    gjk_vec2 vertices[20];
    for (int i = 0; i < 20; i++) {
        vertices[i] = (gjk_vec2){test_rng_uniform(rng, 0, 6), test_rng_uniform(rng, 0, 6)};
    }
    gjk_pieces_fault fault;
    ck_assert_int_eq(gjk_shape_make_chain(arena, vertices, 20, test_rng_once_in(rng, 2),
                                          test_rng_once_in(rng, 2) ? 0.0 : 0.25, &fault, out),
                     GJK_OK);
}

/* A star with a hole. */
static void make_region(test_rng *rng, struct gjk_arena *arena, gjk_shape *out) {
    enum { SPIKES = 16 };
    gjk_vec2 vertices[2 * SPIKES];
    for (int i = 0; i < 2 * SPIKES; i++) {
        const double turn = 2 * M_PI * i / SPIKES, far = i < SPIKES ? 5.0 : 1.0;
        const double radius = test_rng_uniform(rng, 0.25 * far, far);
        vertices[i] = (gjk_vec2){radius * cos(turn), radius * sin(turn)};
    }
    const uint32_t ring_sizes[2] = {SPIKES, SPIKES}, polygon_size = 2;
    const gjk_region region = {.vertices = vertices,
                               .ring_sizes = ring_sizes,
                               .polygon_sizes = &polygon_size,
                               .polygon_count = 1};
    gjk_pieces_fault fault;
    ck_assert_int_eq(gjk_shape_make_region(arena, &region, test_rng_once_in(rng, 2) ? 0.0 : 0.25,
                                           &fault, out),
                     GJK_OK);
}

static void make_compound(test_rng *rng, struct gjk_arena *arena, uint32_t dimension,
                          gjk_shape *out) {
    enum { PARTS = 9 };
    static test_body bodies[PARTS];
    gjk_placed parts[PARTS];
    for (int i = 0; i < PARTS; i++) {
        bodies[i] = test_random_body(rng, dimension, 1.5);
        bodies[i].position =
            gjk_scale3(test_rng_uniform(rng, 0, 4), test_rng_direction(rng, dimension));
        test_body_build(&bodies[i], arena);
        parts[i] = bodies[i].placed;
    }
    ck_assert_int_eq(gjk_shape_make_compound(arena, dimension, parts, PARTS, out), GJK_OK);
}

static void make_whole(test_rng *rng, struct gjk_arena *arena, int kind, gjk_shape *out) {
    switch (kind) {
    case 0:
        make_terrain(rng, arena, 12, 2.0, test_rng_once_in(rng, 3) ? 0.1 : 0.0, out);
        break;
    case 1:
        make_sculpture(rng, arena, true, out);
        break;
    case 2:
        make_heightfield(rng, arena, out);
        break;
    case 3:
        make_compound(rng, arena, 3, out);
        break;
    case 4:
        make_compound(rng, arena, 2, out);
        break;
    case 5:
        make_chain(rng, arena, out);
        break;
    default:
        make_region(rng, arena, out);
        break;
    }
}

static gjk_pose random_pose(test_rng *rng, uint32_t dimension, double far) {
    gjk_pose pose;
    const gjk_vec3 at =
        gjk_scale3(test_rng_uniform(rng, 0, far), test_rng_direction(rng, dimension));
    if (dimension == 2) {
        ck_assert_int_eq(gjk_pose_make2(gjk_xy(at), test_rng_uniform(rng, -4, 4), &pose), GJK_OK);
    } else {
        ck_assert_int_eq(gjk_pose_make3(at, test_rng_rotation(rng), &pose), GJK_OK);
    }
    return pose;
}

/* --- The same by asking every piece --- */

static uint32_t count_of(const gjk_placed *placed) {
    return placed->shape->pieces != NULL ? gjk_pieces_count(placed->shape->pieces) : 1;
}

/* NULL where a height field has a hole. */
static const gjk_placed *piece_of(const gjk_placed *placed, uint32_t i, gjk_piece *room) {
    if (placed->shape->pieces == NULL) {
        return placed;
    }
    if (!gjk_piece_exists(placed->shape->pieces, i)) {
        return NULL;
    }
    gjk_piece_make(placed, i, room);
    return &room->placed;
}

typedef struct truth {
    gjk_state state;
    double depth, distance;
} truth;

static truth ask_all(const gjk_placed *a, const gjk_placed *b) {
    const gjk_detect_settings detect = gjk_detect_settings_default();
    const gjk_distance_settings distance = gjk_distance_settings_default();
    truth all = {GJK_SEPARATED, 0.0, INFINITY};
    for (uint32_t i = 0; i < count_of(a); i++) {
        gjk_piece of_a;
        const gjk_placed *p = piece_of(a, i, &of_a);
        for (uint32_t k = 0; k < count_of(b) && p != NULL; k++) {
            gjk_piece of_b;
            const gjk_placed *q = piece_of(b, k, &of_b);
            if (q == NULL) {
                continue;
            }
            gjk_detect_result one = gjk_detect(p, q, &detect);
            all.state = one.state > all.state ? one.state : all.state;
            all.depth = fmax(all.depth, one.depth);
            all.distance = fmin(all.distance, gjk_distance(p, q, &distance).distance);
        }
    }
    return all;
}

static void check_pair(const gjk_placed *a, const gjk_placed *b) {
    const gjk_detect_settings detect = gjk_detect_settings_default();
    const gjk_distance_settings distance = gjk_distance_settings_default();
    gjk_detect_settings quick = detect, of_pieces = detect;
    quick.penetration = false;
    of_pieces.of_pieces = true;
    const truth all = ask_all(a, b);
    const gjk_detect_result deep = gjk_detect(a, b, &of_pieces);
    const gjk_distance_result apart = gjk_distance(a, b, &distance);
    const double error = error_of(a, b);
    ck_assert_int_eq(apart.state, deep.state);
    ck_assert_int_eq(gjk_detect(a, b, &quick).state, deep.state);
    if (deep.inside) {
        ck_assert_int_eq(all.state, GJK_SEPARATED);
        return;
    }
    ck_assert_int_eq(deep.state, all.state);
    ck_assert_double_le(fabs(deep.depth - all.depth), error);
    ck_assert_double_le(fabs(apart.distance - (all.state == GJK_OVERLAPPING ? 0 : all.distance)),
                        error);
    ck_assert_double_le(apart.lower_bound, all.distance + error);
    ck_assert_int_eq(deep.piece_a == GJK_NO_PIECE, a->shape->pieces == NULL);
    ck_assert_int_eq(deep.piece_b == GJK_NO_PIECE, b->shape->pieces == NULL);
    /* The pieces that speak say the same. */
    gjk_piece of_a, of_b;
    const gjk_detect_result said =
        gjk_detect(piece_of(a, deep.piece_a, &of_a), piece_of(b, deep.piece_b, &of_b), &detect);
    ck_assert_double_eq(said.depth, deep.depth);
    ck_assert_int_eq(said.state, deep.state);
}

/* Who asks for any hit learns the same as who asks for the first. */
static void check_any(const gjk_placed *target, const gjk_ray *ray, gjk_ray_settings settings) {
    for (int solid = 0; solid < 2; solid++) {
        settings.solid = solid != 0;
        settings.any = false;
        const bool hit = gjk_raycast(target, ray, &settings).hit;
        settings.any = true;
        ck_assert_int_eq(gjk_raycast(target, ray, &settings).hit, hit);
    }
}

static void check_ray(const gjk_placed *target, const gjk_ray *ray) {
    const gjk_ray_settings settings = gjk_ray_settings_default();
    gjk_ray_result best = {.hit = false};
    uint32_t piece = GJK_NO_PIECE;
    for (uint32_t i = 0; i < count_of(target); i++) {
        gjk_piece room;
        const gjk_placed *one = piece_of(target, i, &room);
        if (one == NULL) {
            continue;
        }
        gjk_ray_result result = gjk_raycast(one, ray, &settings);
        if (result.hit && (!best.hit || result.distance < best.distance)) {
            best = result;
            piece = i;
        }
    }
    gjk_ray_result whole = gjk_raycast(target, ray, &settings);
    check_any(target, ray, settings);
    if (whole.inside && whole.piece == GJK_NO_PIECE) {
        return; /* in the solid of a closed mesh: another test's */
    }
    ck_assert_int_eq(whole.hit, best.hit);
    if (best.hit) {
        ck_assert_double_eq(whole.distance, best.distance);
        ck_assert_uint_eq(whole.piece, piece);
    }
}

static void check_cast(const gjk_placed *moving, gjk_vec3 translation, const gjk_placed *target) {
    const gjk_cast_settings settings = gjk_cast_settings_default();
    gjk_cast_result best = {.hit = false};
    for (uint32_t i = 0; i < count_of(target); i++) {
        gjk_piece of_target;
        const gjk_placed *p = piece_of(target, i, &of_target);
        for (uint32_t k = 0; k < count_of(moving) && p != NULL; k++) {
            gjk_piece of_moving;
            const gjk_placed *q = piece_of(moving, k, &of_moving);
            if (q == NULL) {
                continue;
            }
            gjk_cast_result result = gjk_cast(q, translation, p, &settings);
            if (result.hit && (!best.hit || result.fraction < best.fraction)) {
                best = result;
            }
        }
    }
    gjk_cast_result whole = gjk_cast(moving, translation, target, &settings);
    if (whole.inside && whole.piece == GJK_NO_PIECE && whole.moving_piece == GJK_NO_PIECE) {
        return;
    }
    ck_assert_int_eq(whole.hit, best.hit);
    if (best.hit) {
        ck_assert_double_eq(whole.fraction, best.fraction);
    }
}

/* --- Scenes --- */

static void ask_probes(test_rng *rng, struct gjk_arena *arena, const gjk_placed *whole) {
    const uint32_t dimension = whole->shape->dimension;
    const gjk_vec3 middle = gjk_pose_apply(&whole->pose, whole->shape->center);
    for (int i = 0; i < PROBES; i++) {
        test_curved probe;
        const gjk_vec3 off = gjk_scale3(test_rng_uniform(rng, 0, whole->shape->bounding_radius),
                                        test_rng_direction(rng, dimension));
        test_curved_make_random(&probe, rng, dimension, test_rng_magnitude(rng, -1, 0.5), arena,
                                true);
        test_curved_place_randomly(&probe, rng, gjk_add3(middle, off));
        check_pair(whole, &probe.placed);
        check_pair(&probe.placed, whole);
        const gjk_vec3 way =
            gjk_scale3(test_rng_uniform(rng, 0, 8), test_rng_direction(rng, dimension));
        check_cast(&probe.placed, way, whole);
        check_cast(whole, way, &probe.placed);
        gjk_ray ray;
        ck_assert_int_eq(gjk_ray_make(gjk_add3(middle, off), test_rng_direction(rng, dimension),
                                      test_rng_once_in(rng, 2) ? INFINITY : 3.0, &ray),
                         GJK_OK);
        check_ray(whole, &ray);
    }
}

TEST_EACH(wholes_answer_as_their_pieces_do, 0, 7) {
    test_rng rng = test_rng_make(20250701 + (uint64_t)_i);
    struct gjk_arena arena;
    gjk_arena_init(&arena, 0);
    for (int scene = 0; scene < SCENES / 6; scene++) {
        gjk_shape shape;
        make_whole(&rng, &arena, _i, &shape);
        const gjk_placed whole = {&shape, random_pose(&rng, shape.dimension, 50.0)};
        ask_probes(&rng, &arena, &whole);
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
}

TEST_EACH(two_wholes_answer_as_their_pieces_do, 0, 7) {
    test_rng rng = test_rng_make(20250801 + (uint64_t)_i);
    struct gjk_arena arena;
    gjk_arena_init(&arena, 0);
    for (int scene = 0; scene < 6; scene++) {
        gjk_shape first, second;
        make_whole(&rng, &arena, _i, &first);
        make_whole(&rng, &arena,
                   _i < 4 ? (int)test_rng_below(&rng, 4) : 4 + (int)test_rng_below(&rng, 3),
                   &second);
        const gjk_placed a = {&first, random_pose(&rng, first.dimension, 4.0)};
        const gjk_placed b = {&second, random_pose(&rng, first.dimension, 4.0)};
        check_pair(&a, &b);
        check_cast(&b, gjk_scale3(6, test_rng_direction(&rng, first.dimension)), &a);
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
}

/* Rays from within a surface without holes, aimed at its edges and corners, never leave it. */
TEST(no_ray_slips_through_an_edge) {
    test_rng rng = test_rng_make(20250901);
    struct gjk_arena arena;
    gjk_arena_init(&arena, 0);
    const gjk_ray_settings settings = gjk_ray_settings_default();
    const uint64_t factor = test_factor();
    for (int scene = 0; scene < 20; scene++) {
        gjk_shape shape;
        make_sculpture(&rng, &arena, false, &shape);
        const double far = scene % 2 == 0 ? 3.0 : 1e6;
        const gjk_placed whole = {&shape, random_pose(&rng, 3, far)};
        gjk_mesh mesh;
        ck_assert(gjk_pieces_mesh(shape.pieces, &mesh));
        for (uint64_t i = 0; i < TEST_CASES(20000) * factor; i++) {
            const uint32_t *triangle = mesh.triangles[test_rng_below(&rng, mesh.triangle_count)];
            const double t = test_rng_once_in(&rng, 3) ? 0.0 : test_rng_uniform(&rng, 0, 1);
            const gjk_vec3 p = mesh.vertices[triangle[0]], q = mesh.vertices[triangle[1]];
            const gjk_vec3 aim = gjk_add3(p, gjk_scale3(t, gjk_sub3(q, p)));
            /* Once in two times from just below the surface: many of those graze it. */
            const gjk_vec3 *other = &mesh.vertices[test_rng_below(&rng, mesh.vertex_count)];
            const gjk_vec3 from = i % 2 == 0 ? gjk_scale3(0.3, test_rng_direction(&rng, 3))
                                             : gjk_scale3(0.99, *other);
            const gjk_vec3 start = gjk_pose_apply(&whole.pose, from);
            gjk_ray ray;
            ck_assert_int_eq(gjk_ray_make(start, gjk_sub3(gjk_pose_apply(&whole.pose, aim), start),
                                          INFINITY, &ray),
                             GJK_OK);
            gjk_ray_result hit = gjk_raycast(&whole, &ray, &settings);
            ck_assert(hit.hit);
            ck_assert(!hit.inside);
        }
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
}
