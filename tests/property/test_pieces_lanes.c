/* The kernels for the nodes and leaves of shapes of many pieces: the same bits from all instruction
 * sets, and nothing left out that the plain form of a test keeps. */

#include "gjk/pieces.h"
#include "ray/misses.h"
#include "scene.h"
#include "shape/convex/scan.h"
#include "shape/pieces/pieces.h"
#include "shape/pieces/walk.h"
#include "support/test.h"

TEST_ARENA(arena)

/* The node tests of all instruction sets name the same children with the same keys, to the bit. */
TEST(node_tests_agree_to_the_bit) {
#ifdef GJK_SCAN_X86
    if (!gjk_has_avx2()) {
        return;
    }
    test_rng rng = test_rng_make(20260201);
    for (int round = 0; round < 20000; round++) {
        gjk_pieces_node node;
        gjk_pieces_walk walk = {.bound = test_rng_uniform(&rng, 0, 2), .box_bound = 1.0};
        walk.query.kind = (gjk_walk_kind)(round % 3);
        for (int axis = 0; axis < 3; axis++) {
            for (int i = 0; i < GJK_PIECES_WIDTH; i++) {
                const bool used = i < 6;
                node.min[axis][i] = used ? (float)test_rng_uniform(&rng, -1, 1) : INFINITY;
                node.max[axis][i] =
                    used ? node.min[axis][i] + (float)test_rng_uniform(&rng, 0, 1) : -INFINITY;
            }
            walk.query.min[axis] = test_rng_once_in(&rng, 4) ? (double)node.max[axis][0]
                                                             : test_rng_uniform(&rng, -2, 1);
            walk.query.max[axis] = walk.query.min[axis] + test_rng_uniform(&rng, 0, 1);
            walk.query.center[axis] = 0.5 * (walk.query.min[axis] + walk.query.max[axis]);
            walk.query.rate[axis] = test_rng_once_in(&rng, 4)   ? INFINITY
                                    : test_rng_once_in(&rng, 2) ? -test_rng_magnitude(&rng, -2, 2)
                                                                : test_rng_magnitude(&rng, -2, 2);
        }
        walk.query.is_ball = test_rng_once_in(&rng, 2);
        _Alignas(64) double plain[GJK_PIECES_WIDTH];
        _Alignas(64) double wide[GJK_PIECES_WIDTH];
        const uint32_t found = gjk_pieces_keys_plain(&walk, &node, plain);
        ck_assert_uint_lt(found, 1u << 6);
        ck_assert_uint_eq(found, gjk_pieces_keys_avx2(&walk, &node, wide));
        ck_assert_mem_eq(plain, wide, 6 * sizeof *plain);
        if (gjk_has_avx512()) {
            ck_assert_uint_eq(found, gjk_pieces_keys_avx512(&walk, &node, wide));
            ck_assert_mem_eq(plain, wide, 6 * sizeof *plain);
        }
    }
#endif
}

/* So do the two forms of the test for triangles that a ray misses, which leave out no triangle
 * through which it was aimed. */
TEST(triangle_misses_agree_to_the_bit) {
#ifdef GJK_SCAN_X86
    if (!gjk_has_avx2()) {
        return;
    }
    test_rng rng = test_rng_make(20260202);
    uint32_t missed = 0;
    for (int round = 0; round < 20000; round++) {
        gjk_vec3 corners[GJK_MISS_LANES + 1][3]; /* and what is read behind the last */
        const gjk_vec3 *rows[GJK_MISS_LANES][3];
        const double far = round % 2 == 0 ? 1.0 : 1e6;
        const gjk_vec3 origin = gjk_scale3(far, test_rng_direction(&rng, 3));
        for (int k = 0; k < GJK_MISS_LANES; k++) {
            for (int i = 0; i < 3; i++) {
                rows[k][i] = &corners[k][i];
                corners[k][i] = gjk_add3(gjk_scale3(0.9 * far, test_rng_direction(&rng, 3)),
                                         test_rng_direction(&rng, 3));
            }
        }
        const uint32_t aimed = test_rng_below(&rng, GJK_MISS_LANES);
        const gjk_vec3 *t = corners[aimed];
        const double u = test_rng_once_in(&rng, 3) ? 0.0 : test_rng_uniform(&rng, 0, 1);
        const gjk_vec3 at = gjk_add3(gjk_scale3(1 - u, t[0]), gjk_scale3(u, t[1]));
        const gjk_vec3 way = gjk_sub3(at, origin);
        const double length = gjk_length3(way);
        const gjk_miss_ray ray = {origin, gjk_scale3(1 / length, way), 1e-10, 0x1p-48 * 4 * far};
        const double bound = round % 3 == 0 ? INFINITY : length;
        corners[GJK_MISS_LANES][0] = origin;
        const uint32_t misses = gjk_ray_misses_plain(&ray, rows, bound);
        ck_assert_uint_eq(misses, gjk_ray_misses_avx2(&ray, rows, bound));
        ck_assert_uint_lt(misses, 1u << GJK_MISS_LANES);
        ck_assert_uint_eq(misses >> aimed & 1, 0);
        missed += misses != 0;
    }
    ck_assert_uint_ge(missed, 10000);
#endif
}

/* The gaps of a leaf have the bits of those of its pieces, from all instruction sets, wherever the
 * nearest point lies: corners, edges and faces, slivers and single points. */
TEST(gaps_of_leaves_agree_to_the_bit) {
    test_rng rng = test_rng_make(20260203);
    for (int round = 0; round < 5000; round++) {
        const double far = round % 3 == 0 ? 0.0 : test_rng_magnitude(&rng, -3, 6);
        const double size = test_rng_magnitude(&rng, -3, 3);
        gjk_vec3 vertices[6];
        for (int i = 0; i < 6; i++) {
            vertices[i] = (gjk_vec3){far + size * test_rng_integer(&rng, -3, 3),
                                     size * test_rng_integer(&rng, -3, 3),
                                     size * test_rng_uniform(&rng, -3, 3)};
        }
        uint32_t triangles[GJK_PIECES_LEAF][3];
        for (int k = 0; k < 3 * GJK_PIECES_LEAF; k++) {
            triangles[k / 3][k % 3] = test_rng_below(&rng, 6);
        }
        const gjk_mesh of = {.vertices = vertices,
                             .vertex_count = 6,
                             .triangles = (const uint32_t(*)[3])triangles,
                             .triangle_count = 1 + test_rng_below(&rng, GJK_PIECES_LEAF)};
        gjk_pieces_fault fault;
        gjk_shape mesh, ball;
        ck_assert_int_eq(gjk_shape_make_mesh(&arena, &of, 0.0, &fault, &mesh), GJK_OK);
        ck_assert_int_eq(gjk_shape_make_ball(&arena, 3, 0.5 * size, 0.0, &ball), GJK_OK);
        gjk_placed placed = {&ball, gjk_pose_identity()};
        placed.pose.position = test_rng_once_in(&rng, 4)
                                   ? vertices[0]
                                   : (gjk_vec3){far + size * test_rng_integer(&rng, -5, 5),
                                                size * test_rng_integer(&rng, -5, 5),
                                                size * test_rng_uniform(&rng, -5, 5)};
        const gjk_pose home = gjk_pose_identity();
        const gjk_seen seen = gjk_seen_make(&home, &placed);
        const struct gjk_pieces *pieces = mesh.pieces;
        double lengths[GJK_PIECES_LEAF];
        gjk_leaf_gap_lengths(pieces, 0, pieces->count, &seen, lengths);
        for (uint32_t k = 0; k < pieces->count; k++) {
            const uint32_t piece = pieces->tree.order[k];
            const gjk_gap gap = gjk_piece_gap(pieces, piece, &seen, (gjk_vec3){0, 0, 0});
            ck_assert_double_eq(lengths[k], gap.length);
        }
#ifdef GJK_SCAN_X86
        gjk_leaf_corners corners;
        gjk_leaf_gaps plain, wide;
        ck_assert(gjk_pieces_leaf(pieces, 0, pieces->count, &corners));
        gjk_find_gaps_plain(corners.at, seen.center, &plain);
        if (gjk_has_avx2()) {
            gjk_find_gaps_avx2(corners.at, seen.center, &wide);
            ck_assert_mem_eq(&plain, &wide, sizeof plain);
        }
#endif
        gjk_arena_reset(&arena);
    }
}
