/* The kernels for the nodes and leaves of shapes of many pieces: the same bits from all instruction
 * sets, and nothing left out that the plain form of a test keeps. */

#include "gjk/pieces.h"
#include "pair/pieces/nearest.h"
#include "pair/pieces/pieces.h"
#include "ray/search.h"
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

/* Makes a rounded mesh of 20 triangles between 12 vertices, many of them in one plane or on a line,
 * about (off, 0, 0). */
static void make_mesh(test_rng *rng, double size, double off, double rounding,
                      gjk_vec3 vertices[12], uint32_t triangles[20][3], gjk_shape *out) {
    for (int i = 0; i < 12; i++) {
        vertices[i] =
            (gjk_vec3){off + size * test_rng_integer(rng, -3, 3),
                       size * test_rng_integer(rng, -3, 3), size * test_rng_uniform(rng, -3, 3)};
    }
    for (int k = 0; k < 60; k++) {
        triangles[k / 3][k % 3] = test_rng_below(rng, 12);
    }
    const gjk_mesh of = {.vertices = vertices,
                         .vertex_count = 12,
                         .triangles = (const uint32_t(*)[3])triangles,
                         .triangle_count = 20};
    gjk_pieces_fault fault;
    ck_assert_int_eq(gjk_shape_make_mesh(&arena, &of, rounding, &fault, out), GJK_OK);
}

/* Asks all instruction sets for the triangles nearest to a ball: they find the same. */
static void check_forms(const struct gjk_pieces *pieces, gjk_vec3 center, double radius) {
#ifdef GJK_SCAN_X86
    const struct gjk_nearest_kernels *const forms[] = {&gjk_nearest_plain,
                                                       gjk_has_avx2() ? &gjk_nearest_avx2
                                                                      : &gjk_nearest_plain,
                                                       gjk_has_avx512() ? &gjk_nearest_avx512
                                                                        : &gjk_nearest_plain};
    gjk_nearest_search found[3];
    bool is_sure[3];
    for (int i = 0; i < 3; i++) {
        gjk_near_triangle made[2];
        found[i] = (gjk_nearest_search){.pieces = pieces,
                                        .center = center,
                                        .radius = radius,
                                        .slack = 1e-9 * gjk_largest3(center),
                                        .bound = INFINITY,
                                        .enough = radius > 1.0 ? -1e-6 : -INFINITY};
        is_sure[i] = forms[i]->search(&found[i]);
        ck_assert_int_eq(is_sure[i], is_sure[0]);
        ck_assert_uint_eq(found[i].count, found[0].count);
        ck_assert_mem_eq(found[i].piece, found[0].piece, found[0].count * sizeof(uint32_t));
        ck_assert_mem_eq(found[i].gap, found[0].gap, found[0].count * sizeof(double));
        ck_assert_double_eq(found[i].bound, found[0].bound);
        ck_assert_int_eq(forms[i]->make(pieces, 0, &made[1]), forms[0]->make(pieces, 0, &made[0]));
        ck_assert_mem_eq(made[0].columns, made[1].columns, sizeof made[0].columns);
        ck_assert_mem_eq(&made[0].offset, &made[1].offset, sizeof(gjk_vec3));
    }
#else
    (void)pieces, (void)center, (void)radius;
#endif
}

/* Balls at a mesh get the answers of the visitor of all pairs, to the bit: above faces, edges and
 * corners, deep and apart, in frames that are turned and far away, and where squares underflow. */
TEST(balls_find_what_a_visitor_finds) {
    test_rng rng = test_rng_make(20260204);
    uint32_t found = 0;
    for (int round = 0; round < 1500; round++) {
        const bool is_tiny = round % 20 == 13;
        const double size = test_rng_magnitude(&rng, is_tiny ? -300 : -3, is_tiny ? -150 : 3);
        const double off = round % 3 == 0 ? 0.0 : size * test_rng_magnitude(&rng, -1, 4);
        gjk_vec3 vertices[12];
        uint32_t triangles[20][3];
        gjk_shape shape, ball;
        const double radius = size * (round % 4 == 0 ? 0.0 : test_rng_magnitude(&rng, -2, 0.5));
        make_mesh(&rng, size, off, round % 5 == 0 ? 0.1 * size : 0.0, vertices, triangles, &shape);
        ck_assert_int_eq(gjk_shape_make_hull(&arena, 3, &(gjk_vec3){0, 0, 0}, 1, radius, &ball),
                         GJK_OK);
        gjk_placed mesh = {&shape, gjk_pose_identity()}, at = {&ball, gjk_pose_identity()};
        if (round % 2 == 0) {
            ck_assert_int_eq(gjk_pose_make3(gjk_scale3(off, test_rng_direction(&rng, 3)),
                                            test_rng_rotation(&rng), &mesh.pose),
                             GJK_OK);
        }
        for (int i = 0; i < 30; i++) {
            const uint32_t *t = triangles[test_rng_below(&rng, 20)];
            const gjk_vec3 middle = gjk_scale3(0.5, gjk_add3(vertices[t[0]], vertices[t[1]]));
            const gjk_vec3 on = test_rng_once_in(&rng, 2) ? middle : vertices[t[2]];
            const gjk_vec3 up =
                test_rng_once_in(&rng, 4) ? (gjk_vec3){0, 0, 1} : test_rng_direction(&rng, 3);
            const double far =
                size * test_rng_magnitude(&rng, -2, test_rng_once_in(&rng, 9) ? 7 : 1);
            const gjk_vec3 own = gjk_add3(on, gjk_scale3(far, up));
            at.pose.position = gjk_pose_apply(&mesh.pose, own);
            check_forms(shape.pieces, own, radius);
            for (int mode = 0; mode < 3; mode++) {
                const gjk_question question = mode == 0 ? GJK_ASK_DISTANCE : GJK_ASK_DETECT;
                const gjk_placed *a = i % 2 == 0 ? &mesh : &at, *b = i % 2 == 0 ? &at : &mesh;
                gjk_pair_settings settings = gjk_detect_settings_default();
                gjk_pair_answer one;
                settings.penetration = mode < 2;
                if (!gjk_search_ball(question, a, b, &settings, &one)) {
                    continue;
                }
                const gjk_pair_answer other = gjk_search_pairs(question, a, b, &settings);
                found++;
                ck_assert_int_eq(one.state, other.state);
                if (mode == 0 && one.state == GJK_OVERLAPPING) {
                    continue;
                }
                ck_assert_uint_eq(one.iterations, other.iterations);
                ck_assert_uint_eq(one.piece_a, other.piece_a);
                ck_assert_uint_eq(one.piece_b, other.piece_b);
                ck_assert_mem_eq(&one.distance, &other.distance, sizeof one.distance);
                ck_assert_mem_eq(&one.lower_bound, &other.lower_bound, sizeof one.lower_bound);
                ck_assert_mem_eq(&one.normal, &other.normal, 3 * sizeof one.normal);
            }
        }
        gjk_arena_reset(&arena);
    }
    ck_assert_uint_ge(found, 90000);
}

/* Answers of all pieces one by one, as a search finds the best of them. */
static gjk_ray_result cast_at_all(const gjk_placed *mesh, const gjk_ray *ray,
                                  const gjk_ray_settings *settings) {
    gjk_ray_result best = {.piece = GJK_NO_PIECE};
    for (uint32_t i = 0; i < mesh->shape->pieces->count; i++) {
        gjk_piece piece;
        gjk_piece_make(mesh, i, &piece);
        const gjk_ray_result one = gjk_raycast(&piece.placed, ray, settings);
        if (one.hit && (!best.hit || (one.inside && !best.inside) ||
                        (one.inside == best.inside && one.distance < best.distance))) {
            best = one;
            best.piece = i;
        }
    }
    return best;
}

/* Rays at a mesh find what they find at its triangles one by one, to the bit and by all instruction
 * sets: aimed at edges and corners, from far and near, along axes and from the surface. Searches
 * for any hit find one if there is one. */
TEST(searches_agree_with_all_pieces) {
    test_rng rng = test_rng_make(20260202);
    uint32_t hits = 0;
    for (int round = 0; round < 1500; round++) {
        const double size = test_rng_magnitude(&rng, -6, 6);
        const double off = round % 3 == 0 ? 0.0 : size * test_rng_magnitude(&rng, -1, 5);
        gjk_vec3 vertices[12];
        uint32_t triangles[20][3];
        gjk_shape shape;
        make_mesh(&rng, size, off, 0.0, vertices, triangles, &shape);
        gjk_placed mesh = {&shape, gjk_pose_identity()};
        if (round % 2 == 0) {
            ck_assert_int_eq(gjk_pose_make3(gjk_scale3(off, test_rng_direction(&rng, 3)),
                                            test_rng_rotation(&rng), &mesh.pose),
                             GJK_OK);
        }
        for (int i = 0; i < 20; i++) {
            const uint32_t *t = triangles[test_rng_below(&rng, 20)];
            const double u = test_rng_once_in(&rng, 3) ? 0.0 : test_rng_uniform(&rng, 0, 1);
            const gjk_vec3 at =
                gjk_add3(gjk_scale3(1 - u, vertices[t[0]]), gjk_scale3(u, vertices[t[1]]));
            const gjk_vec3 axis = {i % 3 == 0, i % 3 == 1, -(i % 3 == 2)};
            const gjk_vec3 way = test_rng_once_in(&rng, 4) ? axis : test_rng_direction(&rng, 3);
            const double far =
                test_rng_once_in(&rng, 8) ? 0 : size * test_rng_magnitude(&rng, -2, 16);
            const double most = test_rng_once_in(&rng, 2) ? INFINITY : 1.5 * far;
            const gjk_vec3 origin = gjk_pose_apply(&mesh.pose, gjk_sub3(at, gjk_scale3(far, way)));
            gjk_ray ray;
            ck_assert_int_eq(gjk_ray_make(origin, gjk_mul3(&mesh.pose.rotation, way), most, &ray),
                             GJK_OK);
            const gjk_ray_settings settings = gjk_ray_settings_default();
            const gjk_ray_result truth = cast_at_all(&mesh, &ray, &settings);
            gjk_ray_search_run *const forms[] = {
                gjk_ray_search_plain,
#ifdef GJK_SCAN_X86
                gjk_has_avx2() ? gjk_ray_search_avx2 : gjk_ray_search_plain,
                gjk_has_avx512() ? gjk_ray_search_avx512 : gjk_ray_search_plain,
#endif
            };
            for (size_t form = 0; form < sizeof forms / sizeof forms[0]; form++) {
                gjk_ray_result found;
                gjk_ray_search search = {.target = &mesh,
                                         .ray = &ray,
                                         .settings = &settings,
                                         .result = &found};
                forms[form](&search);
                ck_assert_int_eq(search.found, truth.hit);
                if (truth.hit) {
                    ck_assert_uint_eq(found.piece, truth.piece);
                    ck_assert_int_eq(found.inside, truth.inside);
                    ck_assert_mem_eq(&found.distance, &truth.distance, sizeof found.distance);
                    ck_assert_mem_eq(&found.point, &truth.point, sizeof found.point);
                    hits++;
                }
                search.takes_any = true;
                forms[form](&search);
                ck_assert_int_eq(search.found, truth.hit);
            }
        }
        gjk_arena_reset(&arena);
    }
    ck_assert_uint_ge(hits, 30000);
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
            const uint32_t piece = gjk_slot_piece(&pieces->tree, k);
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
