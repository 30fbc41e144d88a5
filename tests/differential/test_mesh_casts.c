/*
 * Does a cast at a mesh lose no triangle? Its answer is compared, to the bit, with the best of casts
 * at every triangle alone: of balls, capsules, boxes, hulls and curved shapes at terrains, soups,
 * slivers and floors, at any scale and place, past triangles by little and from within them.
 */

#include "base/lanes.h"
#include "curved.h"
#include "gjk/cast.h"
#include "gjk/pieces.h"
#include "ray/casts/casts.h"
#include "ray/misses.h"
#include "scene.h"
#include "support/test.h"

#define SCENES TEST_CASES(150)
#define CASTS 40
#define SIDE 7
#define VERTICES (SIDE * SIDE)
#define TRIANGLES (2 * (SIDE - 1) * (SIDE - 1))

typedef enum scene_kind { TERRAIN, SOUP, SLIVERS, FLOOR, KINDS } scene_kind;

/* A grid of vertices, x and y from 0 to SIDE - 1, moved and raised as the kind wants it. */
static gjk_vec3 make_vertex(test_rng *rng, scene_kind kind, uint32_t i) {
    const uint32_t column = i % SIDE, row = i / SIDE;
    const double x = column, y = row;
    switch (kind) {
    case TERRAIN:
        return (gjk_vec3){x + test_rng_uniform(rng, -0.3, 0.3), y, test_rng_uniform(rng, 0, 1)};
    case SLIVERS: /* rows that are almost or exactly one line */
        return (gjk_vec3){x, y * test_rng_magnitude(rng, -12, -1),
                          column % 3 == 0 ? 0.0 : 1e-9 * x};
    case FLOOR:
        return (gjk_vec3){x, y, 0.0};
    default:
        return gjk_scale3(3.0, test_rng_direction(rng, 3));
    }
}

static void make_mesh(test_rng *rng, struct gjk_arena *arena, scene_kind kind, double scale,
                      gjk_shape *out) {
    gjk_vec3 vertices[VERTICES];
    uint32_t triangles[TRIANGLES][3], count = 0;
    for (uint32_t i = 0; i < VERTICES; i++) {
        vertices[i] = gjk_scale3(scale, make_vertex(rng, kind, i));
    }
    for (uint32_t at = 0; at + SIDE < VERTICES; at++) {
        if (at % SIDE + 1 == SIDE) {
            continue;
        }
        const uint32_t two[2][3] = {{at, at + 1, at + SIDE + 1}, {at, at + SIDE + 1, at + SIDE}};
        for (uint32_t k = 0; k < 6; k++) {
            const uint32_t any = test_rng_below(rng, VERTICES);
            triangles[count + k / 3][k % 3] = kind == SOUP && k % 3 == 2 ? any : two[k / 3][k % 3];
        }
        count += 2;
    }
    const gjk_mesh mesh = {.vertices = vertices,
                           .vertex_count = VERTICES,
                           .triangles = (const uint32_t(*)[3])triangles,
                           .triangle_count = count};
    gjk_pieces_fault fault;
    const double rounding = test_rng_once_in(rng, 4) ? 0.05 * scale : 0.0;
    ck_assert_int_eq(gjk_shape_make_mesh(arena, &mesh, rounding, &fault, out), GJK_OK);
}

static void make_mover(test_rng *rng, struct gjk_arena *arena, double size, test_curved *out) {
    const double radius = size * test_rng_magnitude(rng, -3, 0);
    gjk_vec3 ends[2] = {{0, 0, 0}, gjk_scale3(size, test_rng_direction(rng, 3))};
    switch (test_rng_below(rng, 4)) {
    case 0:
        test_curved_make_ball(out, arena, 3, radius);
        break;
    case 1:
        test_curved_make_capsule(out, arena, ends, radius);
        break;
    case 2:
        test_curved_make_box(out, arena, 3, (gjk_vec3){size, radius, 0.3 * size});
        break;
    default:
        test_curved_make_random(out, rng, 3, size, arena, true);
        break;
    }
}

/* A way that leads to a point of a triangle, past one of its corners, or along its plane. */
static gjk_vec3 aim(test_rng *rng, const gjk_placed *target, const test_curved *mover) {
    const uint32_t i = test_rng_below(rng, gjk_pieces_count(target->shape->pieces));
    gjk_piece piece;
    gjk_piece_make(target, i, &piece);
    const gjk_shape *shape = piece.placed.shape;
    gjk_vec3 corner[3];
    for (uint32_t k = 0; k < 3; k++) {
        corner[k] =
            gjk_pose_apply(&piece.placed.pose, gjk_shape_point(shape, k < shape->count ? k : 0));
    }
    const gjk_vec3 from = mover->placed.pose.position;
    if (test_rng_once_in(rng, 5)) {
        return gjk_scale3(test_rng_uniform(rng, 1, 4), gjk_sub3(corner[1], corner[0]));
    }
    gjk_vec3 to = corner[0];
    if (test_rng_once_in(rng, 2)) {
        to = gjk_scale3(1.0 / 3.0, gjk_add3(gjk_add3(corner[0], corner[1]), corner[2]));
    } else {
        const double beside =
            mover->placed.shape->bounding_radius *
            (1.0 + test_rng_magnitude(rng, -12, -1) * test_rng_uniform(rng, -1, 1));
        to = gjk_add3(to, gjk_scale3(beside, test_rng_direction(rng, 3)));
    }
    return gjk_scale3(test_rng_uniform(rng, 0.5, 2), gjk_sub3(to, from));
}

/* The best of the casts at each triangle, as at_start judges them. */
static gjk_cast_result ask_all(const gjk_placed *moving, gjk_vec3 way, const gjk_placed *target,
                               const gjk_cast_settings *settings) {
    const gjk_rigid_motion straight = gjk_rigid_motion_straight(way);
    gjk_piece_cast all = gjk_piece_cast_make(moving, &straight, target, settings);
    for (uint32_t i = 0; i < gjk_pieces_count(target->shape->pieces); i++) {
        gjk_piece piece;
        gjk_piece_make(target, i, &piece);
        const gjk_cast_result one = gjk_cast(moving, way, &piece.placed, &all.settings);
        gjk_piece_cast_offer(&all, &one, GJK_NO_PIECE, i);
    }
    return gjk_piece_cast_end(&all);
}

static void check_same(const gjk_cast_result *told, const gjk_cast_result *best) {
    ck_assert_int_eq(told->hit, best->hit);
    if (!best->hit) {
        return;
    }
    ck_assert_int_eq(told->inside, best->inside);
    ck_assert_uint_eq(told->piece, best->piece);
    ck_assert(told->fraction == best->fraction && told->distance == best->distance);
    ck_assert(told->point.x == best->point.x && told->point.y == best->point.y &&
              told->point.z == best->point.z);
    ck_assert_int_eq(told->has_normal, best->has_normal);
    ck_assert(!best->has_normal ||
              (told->normal.x == best->normal.x && told->normal.y == best->normal.y &&
               told->normal.z == best->normal.z));
}

static const gjk_at_start judged[4] = {GJK_AT_START_REPORT, GJK_AT_START_IGNORE,
                                       GJK_AT_START_RESOLVE, GJK_AT_START_LEAVING};
static const double scales[5] = {1.0, 1.0, 1e-9, 1e9, 0x1p-320};

TEST_EACH(no_triangle_is_lost, 0, KINDS) {
    test_rng rng = test_rng_make(3103 + (uint64_t)_i);
    struct gjk_arena arena;
    unsigned hits = 0, contacts = 0, misses = 0;
    gjk_arena_init(&arena, 0);
    for (int scene = 0; scene < SCENES; scene++) {
        const double scale = scales[test_rng_below(&rng, 5)];
        gjk_shape shape;
        make_mesh(&rng, &arena, (scene_kind)_i, scale, &shape);
        gjk_placed target = {&shape, gjk_pose_identity()};
        const double far = scale * test_rng_magnitude(&rng, -1, 5);
        ck_assert_int_eq(gjk_pose_make3(gjk_scale3(far, test_rng_direction(&rng, 3)),
                                        test_rng_rotation(&rng), &target.pose),
                         GJK_OK);
        for (int i = 0; i < CASTS; i++) {
            const double off = scale * test_rng_uniform(&rng, 0, 6);
            const gjk_vec3 at = gjk_add3(gjk_pose_apply(&target.pose, shape.center),
                                         gjk_scale3(off, test_rng_direction(&rng, 3)));
            gjk_cast_settings settings = gjk_cast_settings_default();
            settings.at_start = judged[test_rng_below(&rng, 4)];
            test_curved mover;
            make_mover(&rng, &arena, scale * test_rng_magnitude(&rng, -2, 0.5), &mover);
            test_curved_place_randomly(&mover, &rng, at);
            const gjk_vec3 way = aim(&rng, &target, &mover);
            const gjk_cast_result best = ask_all(&mover.placed, way, &target, &settings);
            const gjk_cast_result told = gjk_cast(&mover.placed, way, &target, &settings);
            check_same(&told, &best);
            hits += best.hit;
            contacts += best.hit && !best.inside;
            misses += !best.hit;
        }
        gjk_arena_reset(&arena);
    }
    ck_assert(contacts > CASTS && hits > contacts && misses > CASTS);
    gjk_arena_fini(&arena);
}

/* Both forms of the test for triangles that are missed give the same bits. */
TEST(sweep_misses_agree_to_the_bit) {
#ifdef GJK_SCAN_X86
    if (!gjk_has_avx2()) {
        return;
    }
    test_rng rng = test_rng_make(3104);
    unsigned missed = 0, left = 0;
    for (int round = 0; round < 20000; round++) {
        gjk_vec3 corners[3 * GJK_MISS_LANES + 1]; /* and what is read behind the last */
        const gjk_vec3 *rows[GJK_MISS_LANES][3];
        gjk_swept swept = {.half_count = test_rng_below(&rng, 4),
                           .radius = test_rng_magnitude(&rng, -12, 0),
                           .way = gjk_scale3(3.0, test_rng_direction(&rng, 3))};
        for (int i = 0; i < 3; i++) {
            swept.half[i] = gjk_scale3(0.3, test_rng_direction(&rng, 3));
        }
        for (int i = 0; i <= 3 * GJK_MISS_LANES; i++) {
            corners[i] = gjk_scale3(test_rng_uniform(&rng, 0, 4), test_rng_direction(&rng, 3));
        }
        for (int i = 0; i < 3 * GJK_MISS_LANES; i++) {
            rows[i / 3][i % 3] = &corners[i];
        }
        const double bound = test_rng_uniform(&rng, 0, 1);
        const uint32_t misses = gjk_sweep_misses_plain(&swept, rows, bound);
        ck_assert_uint_eq(misses, gjk_sweep_misses_avx2(&swept, rows, bound));
        missed += misses != 0;
        left += misses != (1u << GJK_MISS_LANES) - 1;
    }
    ck_assert(missed > 5000 && left > 5000);
#endif
}
