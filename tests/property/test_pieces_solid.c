/*
 * Shapes of many pieces where answers are easily wrong: points in closed meshes against winding
 * numbers, shapes inside of them, faces with one side, ties, contacts, scales, limits, budget.
 */

#include "gjk/cast.h"
#include "gjk/pieces.h"
#include "gjk/set_query.h"
#include "pair/pieces/pieces.h"
#include "require.h"
#include "scene.h"
#include "support/meshes.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST_ARENA(arena)

/* --- Meshes of boxes --- */

static gjk_shape make(const test_boxes *mesh, bool closed, bool one_sided, double rounding) {
    const gjk_mesh made_of = {.vertices = mesh->vertices,
                              .vertex_count = mesh->vertex_count,
                              .triangles = (const uint32_t(*)[3])mesh->triangles,
                              .triangle_count = mesh->triangle_count,
                              .closed = closed,
                              .one_sided = one_sided};
    gjk_pieces_fault fault;
    gjk_shape shape;
    ck_assert_int_eq(gjk_shape_make_mesh(&arena, &made_of, rounding, &fault, &shape), GJK_OK);
    return shape;
}

/* A room of half width 4 with a closed box of half width 1 at (2, 0, 0) in it. */
static gjk_shape make_room(void) {
    test_boxes mesh = {.vertex_count = 0};
    test_boxes_add(&mesh, (gjk_vec3){0, 0, 0}, (gjk_vec3){4, 4, 4}, false);
    test_boxes_add(&mesh, (gjk_vec3){2, 0, 0}, (gjk_vec3){1, 1, 1}, true);
    return make(&mesh, true, false, 0.0);
}

static gjk_shape make_ball(double radius) {
    gjk_shape ball;
    ck_assert_int_eq(gjk_shape_make_ball(&arena, 3, radius, 0, &ball), GJK_OK);
    return ball;
}

static gjk_placed at(const gjk_shape *shape, double x, double y, double z) {
    gjk_placed placed = {shape, gjk_pose_identity()};
    placed.pose.position = (gjk_vec3){x, y, z};
    return placed;
}

/* --- Points in closed meshes --- */

/* How often the mesh winds around a point, not a number on its surface: the sum of the solid angles
 * of its triangles over that of a sphere (Van Oosterom, Strackee 1983). */
static long double winding(const gjk_mesh *mesh, gjk_vec3 point) {
    long double sum = 0;
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        long double c[3][3], length[3];
        for (int k = 0; k < 3; k++) {
            const gjk_vec3 off = gjk_sub3(mesh->vertices[mesh->triangles[i][k]], point);
            c[k][0] = off.x, c[k][1] = off.y, c[k][2] = off.z;
            length[k] = sqrtl(c[k][0] * c[k][0] + c[k][1] * c[k][1] + c[k][2] * c[k][2]);
        }
        long double volume = c[0][0] * (c[1][1] * c[2][2] - c[1][2] * c[2][1]) -
                             c[0][1] * (c[1][0] * c[2][2] - c[1][2] * c[2][0]) +
                             c[0][2] * (c[1][0] * c[2][1] - c[1][1] * c[2][0]);
        long double below = length[0] * length[1] * length[2];
        for (int k = 0; k < 3; k++) {
            const int l = (k + 1) % 3;
            below +=
                (c[k][0] * c[l][0] + c[k][1] * c[l][1] + c[k][2] * c[l][2]) * length[(k + 2) % 3];
        }
        if (volume == 0 && below <= 0) {
            return NAN; /* on the triangle: grid points make the volume exact */
        }
        sum += 2 * atan2l(volume, below);
    }
    return sum / (4 * (long double)M_PI);
}

/* A point of a grid of eighths: columns above vertices, edges and diagonals come often. All numbers
 * are small multiples of 1/8 beside `off`, so every predicate has its zeros. */
static gjk_vec3 grid_point(test_rng *rng, double off) {
    return (gjk_vec3){off + ((double)test_rng_below(rng, 81) - 40) / 8,
                      off + ((double)test_rng_below(rng, 81) - 40) / 8,
                      off + ((double)test_rng_below(rng, 81) - 40) / 8};
}

/* An octahedron with its corners pushed to grid points: slanting faces. */
static void add_octahedron(test_boxes *mesh, test_rng *rng, double off) {
    static const int8_t ends[6][3] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                      {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
    static const uint32_t faces[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                         {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    const uint32_t first = mesh->vertex_count;
    for (int i = 0; i < 6; i++) {
        double far = 1 + (double)test_rng_below(rng, 24) / 8;
        mesh->vertices[mesh->vertex_count++] =
            (gjk_vec3){off + far * ends[i][0], off + far * ends[i][1], off + far * ends[i][2]};
    }
    for (int i = 0; i < 8; i++) {
        for (int k = 0; k < 3; k++) {
            mesh->triangles[mesh->triangle_count][k] = first + faces[i][k];
        }
        mesh->triangle_count++;
    }
}

TEST_EACH(points_in_closed_meshes_agree_with_winding_numbers, 0, 4) {
    test_rng rng = test_rng_make(20251001 + (uint64_t)_i);
    const uint64_t factor = test_factor();
    const double off = _i % 2 == 0 ? 0.0 : 1e6;
    uint64_t asked = 0;
    for (uint64_t scene = 0; scene < TEST_CASES(40) * factor; scene++) {
        test_boxes mesh = {.vertex_count = 0};
        add_octahedron(&mesh, &rng, off);
        test_boxes_add(&mesh, (gjk_vec3){off - 3, off, off}, (gjk_vec3){0.5, 2, 1}, false);
        const gjk_shape shape = make(&mesh, true, false, 0.0);
        gjk_mesh made_of;
        gjk_pieces_fault fault;
        gjk_shape odd;
        ck_assert(gjk_pieces_mesh(shape.pieces, &made_of));
        made_of.fill = GJK_FILL_EVENODD;
        ck_assert_int_eq(gjk_shape_make_mesh(&arena, &made_of, 0.0, &fault, &odd), GJK_OK);
        for (int i = 0; i < 300; i++) {

            const gjk_vec3 point = grid_point(&rng, off);
            const long double turns = winding(&made_of, point);
            const bool inside = gjk_mesh_encloses(shape.pieces, point, NULL);
            if (!isnan(turns)) {
                ck_assert(fabsl(turns - roundl(turns)) < 1e-9L);
                ck_assert_int_eq(inside, (long)roundl(turns) != 0);
                ck_assert_int_eq(gjk_mesh_encloses(odd.pieces, point, NULL),
                                 (long)roundl(turns) % 2 != 0);
                asked++;
            }
        }
        gjk_arena_reset(&arena);
    }
    ck_assert_uint_ge(asked, TEST_CASES(10000) * factor);
}

/* --- Shapes inside --- */

static void check_inside(const gjk_placed *a, const gjk_placed *b, bool expected) {
    gjk_detect_settings detect = gjk_detect_settings_default();
    detect.of_pieces = true;
    const gjk_distance_settings distance = gjk_distance_settings_default();
    for (int order = 0; order < 2; order++) {
        const gjk_placed *p = order == 0 ? a : b, *q = order == 0 ? b : a;
        const gjk_detect_result deep = gjk_detect(p, q, &detect);
        const gjk_distance_result apart = gjk_distance(p, q, &distance);
        ck_assert_int_eq(deep.inside, expected);
        ck_assert_int_eq(apart.inside, expected);
        ck_assert_int_eq(deep.state, apart.state);
        ck_assert_int_eq(deep.state, expected ? GJK_OVERLAPPING : GJK_SEPARATED);
        if (expected) {
            ck_assert(deep.depth == 0.0 && !deep.has_points && apart.distance == 0.0);
            ck_assert(deep.piece_a == GJK_NO_PIECE && deep.piece_b == GJK_NO_PIECE);
            gjk_contacts contacts;
            ck_assert_int_eq(gjk_pair_contacts(p, q, &detect, 8, &arena, &contacts), GJK_OK);
            ck_assert_uint_eq(contacts.count, 0);
        }
        const gjk_cast_settings cast = gjk_cast_settings_default();
        const gjk_cast_result start = gjk_cast(p, (gjk_vec3){0, 0, 0}, q, &cast);
        ck_assert_int_eq(start.inside, expected);
        ck_assert(start.fraction == 0.0);
    }
}

TEST(a_shape_inside_a_closed_mesh_overlaps_it) {
    const gjk_shape room = make_room(), ball = make_ball(0.25), open = make_ball(1.0);
    test_boxes small = {.vertex_count = 0};
    test_boxes_add(&small, (gjk_vec3){0, 0, 0}, (gjk_vec3){0.5, 0.5, 0.5}, false);
    const gjk_shape crate = make(&small, true, false, 0.0);
    const gjk_shape shell = make(&small, false, false, 0.0);
    const gjk_placed rooms[2] = {at(&room, 0, 0, 0), at(&room, 1e6, -1e6, 1e6)};
    for (int i = 0; i < 2; i++) {
        const gjk_vec3 o = rooms[i].pose.position;
        const gjk_placed in = at(&ball, o.x - 2, o.y, o.z), cavity = at(&ball, o.x + 2, o.y, o.z);
        const gjk_placed out = at(&ball, o.x + 9, o.y, o.z);
        const gjk_placed crate_in = at(&crate, o.x - 2, o.y + 1, o.z);
        const gjk_placed crate_out = at(&crate, o.x + 2, o.y, o.z);
        const gjk_placed shell_in = at(&shell, o.x - 2, o.y + 1, o.z);
        check_inside(&rooms[i], &in, true);
        check_inside(&rooms[i], &cavity, false);
        check_inside(&rooms[i], &out, false);
        check_inside(&rooms[i], &crate_in, true);
        check_inside(&rooms[i], &crate_out, false);
        check_inside(&rooms[i], &shell_in, true);
    }
    /* An open mesh encloses nothing. */
    const gjk_placed box = at(&shell, 0, 0, 0), speck = at(&ball, 0, 0, 0);
    check_inside(&box, &speck, false);
    /* One part of two is in the room, far from its walls. */
    const gjk_placed parts[2] = {at(&ball, -2, 0, 0), at(&open, 20, 0, 0)};
    gjk_shape pair;
    ck_assert_int_eq(gjk_shape_make_compound(&arena, 3, parts, 2, &pair), GJK_OK);
    const gjk_placed compound = at(&pair, 0, 0, 0), away = at(&pair, -40, 0, 0);
    check_inside(&rooms[0], &compound, true);
    check_inside(&rooms[0], &away, false);
}

TEST(rays_and_casts_begin_inside) {
    const gjk_shape room = make_room(), ball = make_ball(0.25);
    const gjk_placed placed = at(&room, 100, 0, 0);
    gjk_ray_settings settings = gjk_ray_settings_default();
    const gjk_cast_settings cast = gjk_cast_settings_default();
    gjk_ray ray;
    ck_assert_int_eq(gjk_ray_make((gjk_vec3){98, 0, 0}, (gjk_vec3){1, 0, 0}, INFINITY, &ray),
                     GJK_OK);
    gjk_ray_result hit = gjk_raycast(&placed, &ray, &settings);
    ck_assert(hit.hit && hit.inside && hit.distance == 0 && !hit.has_normal);
    ck_assert_uint_eq(hit.piece, GJK_NO_PIECE);
    settings.solid = false;
    ck_assert(!gjk_raycast(&placed, &ray, &settings).hit);
    /* From the cavity the ray meets its wall at x = 103. */
    ck_assert_int_eq(gjk_ray_make((gjk_vec3){102, 0.1, 0.2}, (gjk_vec3){1, 0, 0}, INFINITY, &ray),
                     GJK_OK);
    hit = gjk_raycast(&placed, &ray, &settings);
    ck_assert(hit.hit && !hit.inside);
    ck_assert_double_eq_tol(hit.distance, 1.0, 1e-12);
    ck_assert_double_eq_tol(hit.normal.x, -1.0, 1e-12);
    const gjk_placed in = at(&ball, 98, 0, 0), cavity = at(&ball, 102, 0.1, 0.2);
    gjk_cast_result swept = gjk_cast(&in, (gjk_vec3){9, 0, 0}, &placed, &cast);
    ck_assert(swept.hit && swept.inside && swept.fraction == 0);
    swept = gjk_cast(&cavity, (gjk_vec3){1, 0, 0}, &placed, &cast);
    ck_assert(swept.hit && !swept.inside);
    ck_assert_double_eq_tol(swept.fraction, 0.75, 1e-9);
}

/* --- One side --- */

TEST(faces_with_one_side_let_pass_from_behind) {
    test_boxes mesh = {.vertex_count = 0};
    test_boxes_add(&mesh, (gjk_vec3){0, 0, 0}, (gjk_vec3){1, 1, 1}, false);
    const gjk_shape shape = make(&mesh, false, true, 0.0), ball = make_ball(0.125);
    const gjk_placed box = at(&shape, 0, 0, 0), in = at(&ball, 0.1, 0.2, 0),
                     before = at(&ball, -3, 0.2, 0.1), on = at(&ball, 0.95, 0.2, 0.1);
    const gjk_ray_settings settings = gjk_ray_settings_default();
    const gjk_cast_settings cast = gjk_cast_settings_default();
    gjk_ray_settings any = settings;
    any.any = true;
    gjk_ray ray;
    ck_assert_int_eq(gjk_ray_make((gjk_vec3){0.1, 0.2, 0}, (gjk_vec3){1, 0.1, 0}, 9, &ray), GJK_OK);
    ck_assert(!gjk_raycast(&box, &ray, &settings).hit);
    ck_assert(!gjk_raycast(&box, &ray, &any).hit);
    ck_assert_int_eq(gjk_ray_make((gjk_vec3){-3, 0.2, 0.1}, (gjk_vec3){1, 0, 0}, 9, &ray), GJK_OK);
    ck_assert_double_eq_tol(gjk_raycast(&box, &ray, &settings).distance, 2.0, 1e-12);
    /* On the face itself the ray starts inside, wherever it goes. */
    ck_assert_int_eq(gjk_ray_make((gjk_vec3){1, 0.2, 0.1}, (gjk_vec3){1, 0, 0}, 9, &ray), GJK_OK);
    ck_assert(gjk_raycast(&box, &ray, &settings).inside);
    ck_assert(!gjk_cast(&in, (gjk_vec3){5, 0, 0}, &box, &cast).hit);
    ck_assert_double_eq_tol(gjk_cast(&before, (gjk_vec3){3.75, 0, 0}, &box, &cast).fraction, 0.5,
                            1e-9);
    ck_assert(gjk_cast(&on, (gjk_vec3){5, 0, 0}, &box, &cast).inside);
}

/* --- Ties and contacts --- */

TEST(the_least_piece_speaks) {
    const gjk_vec3 vertices[4] = {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}, {0, 9, 9}};
    const uint32_t triangles[5][3] = {{3, 3, 3}, {0, 1, 2}, {0, 1, 2}, {1, 2, 0}, {0, 1, 2}};
    const gjk_mesh mesh = {.vertices = vertices,
                           .vertex_count = 4,
                           .triangles = triangles,
                           .triangle_count = 5};
    const gjk_detect_settings detect = gjk_detect_settings_default();
    const gjk_distance_settings distance = gjk_distance_settings_default();
    const gjk_cast_settings cast = gjk_cast_settings_default();
    const gjk_ray_settings ray_settings = gjk_ray_settings_default();
    gjk_pieces_fault fault;
    gjk_shape shape;
    gjk_ray ray;
    ck_assert_int_eq(gjk_shape_make_mesh(&arena, &mesh, 0.0, &fault, &shape), GJK_OK);
    const gjk_shape ball = make_ball(0.5);
    const gjk_placed whole = at(&shape, 0, 0, 0), deep = at(&ball, 0, 0, 0.25),
                     apart = at(&ball, 0, 0, 2), twin = at(&shape, 0.01, 0, 1.0);
    ck_assert_uint_eq(gjk_detect(&whole, &deep, &detect).piece_a, 1);
    ck_assert_uint_eq(gjk_detect(&deep, &whole, &detect).piece_b, 1);
    ck_assert_uint_eq(gjk_detect(&whole, &apart, &detect).piece_a, 1);
    ck_assert_uint_eq(gjk_distance(&whole, &apart, &distance).piece_a, 1);
    ck_assert_uint_eq(gjk_distance(&apart, &whole, &distance).piece_b, 1);
    const gjk_distance_result both = gjk_distance(&whole, &twin, &distance);
    ck_assert_uint_eq(both.piece_a, 1);
    ck_assert_uint_eq(both.piece_b, 1);
    ck_assert_uint_eq(gjk_cast(&apart, (gjk_vec3){0, 0, -4}, &whole, &cast).piece, 1);
    const gjk_cast_result falls = gjk_cast(&twin, (gjk_vec3){0, 0, -4}, &whole, &cast);
    ck_assert(falls.hit && falls.piece == 1 && falls.moving_piece == 1);
    ck_assert_int_eq(gjk_ray_make((gjk_vec3){0, 0, 3}, (gjk_vec3){0, 0, -1}, 9, &ray), GJK_OK);
    ck_assert_uint_eq(gjk_raycast(&whole, &ray, &ray_settings).piece, 1);
    gjk_contacts contacts;
    ck_assert_int_eq(gjk_pair_contacts(&whole, &deep, &detect, 3, &arena, &contacts), GJK_OK);
    ck_assert(contacts.count == 3 && contacts.truncated);
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert_uint_eq(contacts.items[i].piece_a, i + 1);
        ck_assert_uint_eq(contacts.items[i].piece_b, GJK_NO_PIECE);
    }
}

static int deepest_first(const void *p, const void *q) {
    const gjk_detect_result *a = p, *b = q;
    if (a->depth != b->depth) {
        return a->depth > b->depth ? -1 : 1;
    }
    if (a->piece_a != b->piece_a) {
        return a->piece_a < b->piece_a ? -1 : 1;
    }
    return a->piece_b < b->piece_b ? -1 : a->piece_b > b->piece_b;
}

/* All colliding pairs of pieces, sorted. */
static uint32_t find_contacts(const gjk_placed *a, const gjk_placed *b, gjk_detect_result *found) {
    const gjk_detect_settings detect = gjk_detect_settings_default();
    const uint32_t count_a = a->shape->pieces != NULL ? gjk_pieces_count(a->shape->pieces) : 1;
    const uint32_t count_b = b->shape->pieces != NULL ? gjk_pieces_count(b->shape->pieces) : 1;
    uint32_t count = 0;
    for (uint32_t i = 0; i < count_a * count_b; i++) {
        gjk_piece of_a = {.placed = *a}, of_b = {.placed = *b};
        if (a->shape->pieces != NULL) {
            gjk_piece_make(a, i / count_b, &of_a);
        }
        if (b->shape->pieces != NULL) {
            gjk_piece_make(b, i % count_b, &of_b);
        }
        gjk_detect_result one = gjk_detect(&of_a.placed, &of_b.placed, &detect);
        if (one.state != GJK_SEPARATED) {
            one.piece_a = a->shape->pieces != NULL ? i / count_b : GJK_NO_PIECE;
            one.piece_b = b->shape->pieces != NULL ? i % count_b : GJK_NO_PIECE;
            found[count++] = one;
        }
    }
    qsort(found, count, sizeof *found, deepest_first);
    return count;
}

static void check_contacts(const gjk_placed *a, const gjk_placed *b) {
    static gjk_detect_result all[2048];
    static const uint32_t limits[] = {1, 2, 5, GJK_CONTACTS_MAX};
    const gjk_detect_settings detect = gjk_detect_settings_default();
    const uint32_t count = find_contacts(a, b, all);
    for (int i = 0; i < 4; i++) {
        gjk_contacts contacts;
        ck_assert_int_eq(gjk_pair_contacts(a, b, &detect, limits[i], &arena, &contacts), GJK_OK);
        ck_assert_uint_eq(contacts.count, count < limits[i] ? count : limits[i]);
        ck_assert_int_eq(contacts.truncated, count > limits[i]);
        for (uint32_t k = 0; k < contacts.count; k++) {
            ck_assert(contacts.items[k].depth == all[k].depth);
            ck_assert_uint_eq(contacts.items[k].piece_a, all[k].piece_a);
            ck_assert_uint_eq(contacts.items[k].piece_b, all[k].piece_b);
            ck_assert_mem_eq(&contacts.items[k].normal, &all[k].normal, sizeof(gjk_vec3));
        }
    }
}

TEST(contacts_are_all_pairs_that_collide) {
    test_rng rng = test_rng_make(20251101);
    for (int scene = 0; scene < 60; scene++) {
        test_boxes two[2] = {{.vertex_count = 0}, {.vertex_count = 0}};
        for (int i = 0; i < 6; i++) {
            const gjk_vec3 center =
                gjk_scale3(test_rng_uniform(&rng, 0, 2), test_rng_direction(&rng, 3));
            test_boxes_add(&two[i % 2], center, (gjk_vec3){0.5, 0.75, 1}, false);
        }
        const gjk_shape first = make(&two[0], false, false, 0.0);
        const gjk_shape second = make(&two[1], false, false, scene % 2 == 0 ? 0.0 : 0.25);
        test_body body = test_random_body(&rng, 3, 2.0);
        test_body_build(&body, &arena);
        gjk_placed a = {&first, gjk_pose_identity()}, b = {&second, gjk_pose_identity()};
        ck_assert_int_eq(gjk_pose_make3(test_rng_direction(&rng, 3), test_rng_rotation(&rng),
                                        &b.pose),
                         GJK_OK);
        check_contacts(&a, &b);
        check_contacts(&a, &body.placed);
        check_contacts(&body.placed, &b);
        gjk_arena_reset(&arena);
    }
    const gjk_shape ball = make_ball(1.0);
    const gjk_placed near = at(&ball, 0.5, 0, 0), far = at(&ball, 9, 0, 0),
                     here = at(&ball, 0, 0, 0);
    check_contacts(&here, &near); /* two convex shapes: the one, or none */
    check_contacts(&here, &far);
}

/* --- Scales --- */

/* The same mesh and probes a power of two larger answer the same times that power. */
TEST_EACH(scale_changes_nothing_but_scale, 0, 4) {
    const double scales[] = {0x1p-332, 0x1p-20, 0x1p20, 0x1p328};
    const double scale = scales[_i];
    test_rng rng = test_rng_make(20251201);
    test_boxes mesh = {.vertex_count = 0}, large;
    for (int i = 0; i < 7; i++) {
        const gjk_vec3 center =
            gjk_scale3(test_rng_uniform(&rng, 0, 4), test_rng_direction(&rng, 3));
        test_boxes_add(&mesh, center, (gjk_vec3){0.5, i == 3 ? 0 : 0.75, 1},
                       false); /* one is flat */
    }
    large = mesh;
    for (uint32_t i = 0; i < mesh.vertex_count; i++) {
        large.vertices[i] = gjk_scale3(scale, mesh.vertices[i]);
    }
    const gjk_shape one = make(&mesh, false, false, 0.0), other = make(&large, false, false, 0.0);
    const gjk_shape ball = make_ball(0.5), other_ball = make_ball(0.5 * scale);
    const gjk_placed a = at(&one, 0, 0, 0), b = at(&other, 0, 0, 0);
    const gjk_distance_settings distance = gjk_distance_settings_default();
    const gjk_detect_settings detect = gjk_detect_settings_default();
    const gjk_ray_settings ray_settings = gjk_ray_settings_default();
    for (int i = 0; i < 400; i++) {
        const gjk_vec3 p = gjk_scale3(test_rng_uniform(&rng, 0, 5), test_rng_direction(&rng, 3));
        const gjk_placed probe = at(&ball, p.x, p.y, p.z);
        const gjk_placed other_probe = at(&other_ball, scale * p.x, scale * p.y, scale * p.z);
        const gjk_distance_result near = gjk_distance(&a, &probe, &distance);
        const gjk_distance_result other_near = gjk_distance(&b, &other_probe, &distance);
        ck_assert_int_eq(near.state, other_near.state);
        ck_assert_double_eq_tol(other_near.distance / scale, near.distance, 1e-14);
        ck_assert_double_eq_tol(gjk_detect(&b, &other_probe, &detect).depth / scale,
                                gjk_detect(&a, &probe, &detect).depth, 1e-14);
        gjk_ray ray, other_ray;
        const gjk_vec3 way = test_rng_direction(&rng, 3);
        ck_assert_int_eq(gjk_ray_make(p, way, INFINITY, &ray), GJK_OK);
        ck_assert_int_eq(gjk_ray_make(gjk_scale3(scale, p), way, INFINITY, &other_ray), GJK_OK);
        const gjk_ray_result hit = gjk_raycast(&a, &ray, &ray_settings);
        const gjk_ray_result other_hit = gjk_raycast(&b, &other_ray, &ray_settings);
        ck_assert_int_eq(hit.hit, other_hit.hit);
        ck_assert_double_eq_tol(other_hit.distance / scale, hit.distance, 1e-12);
    }
}

/* --- Limits --- */

TEST(pieces_are_counted) {
    gjk_pieces_fault fault;
    gjk_shape shape;
    double *heights = calloc(2049 * 1026, sizeof *heights);
    gjk_heightfield field = {.columns = 2049, .rows = 1025, .spacing = {1, 1}, .heights = heights};
    ck_assert_ptr_nonnull(heights);
    ck_assert_int_eq(gjk_shape_make_heightfield(&arena, &field, 0, &fault, &shape), GJK_OK);
    ck_assert_uint_eq(gjk_pieces_count(shape.pieces), GJK_PIECES_MAX);
    ck_assert_uint_le(gjk_pieces_bytes(shape.pieces), (size_t)64 * GJK_PIECES_MAX);
    field.rows = 1026;
    ck_assert_int_eq(gjk_shape_make_heightfield(&arena, &field, 0, &fault, &shape),
                     GJK_TOO_MANY_POINTS);
    free(heights);
    gjk_arena_reset(&arena);
    gjk_vec2 *chain = calloc(GJK_PIECES_MAX + 2, sizeof *chain);
    ck_assert_ptr_nonnull(chain);
    for (uint32_t i = 0; i < GJK_PIECES_MAX + 2; i++) {
        chain[i].x = i;
    }
    ck_assert_int_eq(gjk_shape_make_chain(&arena, chain, GJK_PIECES_MAX + 2, false, 0, &fault,
                                          &shape),
                     GJK_TOO_MANY_POINTS);
    ck_assert_int_eq(gjk_shape_make_chain(&arena, chain, GJK_PIECES_MAX + 1, true, 0, &fault,
                                          &shape),
                     GJK_TOO_MANY_POINTS);
    ck_assert_int_eq(gjk_shape_make_chain(&arena, chain, GJK_PIECES_MAX + 1, false, 0, &fault,
                                          &shape),
                     GJK_OK);
    ck_assert_uint_eq(gjk_pieces_count(shape.pieces), GJK_PIECES_MAX);
    free(chain);
}

TEST(parts_are_counted) {
    static gjk_placed parts[GJK_PARTS_MAX + 1];
    const gjk_shape ball = make_ball(1.0);
    gjk_shape shape;
    for (int i = 0; i <= GJK_PARTS_MAX; i++) {
        parts[i] = at(&ball, i, 0, 0);
    }
    ck_assert_int_eq(gjk_shape_make_compound(&arena, 3, parts, GJK_PARTS_MAX, &shape), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_compound(&arena, 3, parts, GJK_PARTS_MAX + 1, &shape),
                     GJK_TOO_MANY_POINTS);
    ck_assert_int_eq(gjk_shape_make_compound(&arena, 3, parts, 0, &shape), GJK_TOO_FEW_POINTS);
}

/* The address sanitizer takes two minutes for it. */
#if !TEST_SANITIZED
TEST(triangles_are_counted) {
    gjk_shape shape;
    const gjk_vec3 vertices[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    uint32_t(*triangles)[3] = calloc(GJK_PIECES_MAX + 1, sizeof *triangles);
    gjk_mesh mesh = {.vertices = vertices, .vertex_count = 3};
    gjk_pieces_fault fault;
    ck_assert_ptr_nonnull(triangles);
    for (uint32_t i = 0; i <= GJK_PIECES_MAX; i++) {
        triangles[i][1] = 1;
        triangles[i][2] = 2;
    }
    mesh.triangles = (const uint32_t(*)[3])triangles;
    mesh.triangle_count = GJK_PIECES_MAX + 1;
    ck_assert_int_eq(gjk_shape_make_mesh(&arena, &mesh, 0, &fault, &shape), GJK_TOO_MANY_POINTS);
    mesh.triangle_count = GJK_PIECES_MAX;
    ck_assert_int_eq(gjk_shape_make_mesh(&arena, &mesh, 0, &fault, &shape), GJK_OK);
    free(triangles);
}
#endif

/* --- The budget --- */

static bool is_over(void *user) {
    return --*(int *)user <= 0;
}

TEST(long_queries_end_with_budget) {
    enum { MANY = 20000 };
    static uint32_t triangles[MANY][3];
    const gjk_vec3 vertices[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0.5}};
    for (int i = 0; i < MANY; i++) {
        triangles[i][1] = 1;
        triangles[i][2] = 2;
    }
    const gjk_mesh mesh = {.vertices = vertices,
                           .vertex_count = 3,
                           .triangles = (const uint32_t(*)[3])triangles,
                           .triangle_count = MANY};
    gjk_pieces_fault fault;
    gjk_shape shape;
    ck_assert_int_eq(gjk_shape_make_mesh(&arena, &mesh, 0, &fault, &shape), GJK_OK);
    const gjk_placed a = at(&shape, 0, 0, 0), b = at(&shape, 0.1, 0.05, 0.01);
    int left;
    gjk_budget budget;
    gjk_detect_settings detect = gjk_detect_settings_default();
    gjk_distance_settings distance = gjk_distance_settings_default();
    gjk_ray_settings ray_settings = gjk_ray_settings_default();
    gjk_cast_settings cast = gjk_cast_settings_default();
    gjk_contacts contacts;
    gjk_ray ray;
    ck_assert_int_eq(gjk_ray_make((gjk_vec3){0.2, 0.2, 3}, (gjk_vec3){0, 0, -1}, 9, &ray), GJK_OK);
    detect.budget = distance.budget = ray_settings.budget = cast.budget = &budget;
    left = 3, budget = gjk_budget_make(is_over, &left);
    ck_assert(gjk_detect(&a, &b, &detect).given_up);
    left = 3, budget = gjk_budget_make(is_over, &left);
    ck_assert(gjk_distance(&a, &b, &distance).given_up);
    left = 3, budget = gjk_budget_make(is_over, &left);
    ck_assert(gjk_raycast(&a, &ray, &ray_settings).given_up);
    left = 3, budget = gjk_budget_make(is_over, &left);
    ck_assert(gjk_cast(&b, (gjk_vec3){0, 0, -3}, &a, &cast).given_up);
    left = 3, budget = gjk_budget_make(is_over, &left);
    ck_assert_int_eq(gjk_pair_contacts(&a, &b, &detect, 4, &arena, &contacts), GJK_GIVEN_UP);
    ck_assert_int_ge(left, -2); /* and it is not asked for long after it said so */
}

/* --- Sets --- */

static void keep_nothing(const gjk_body *body) {
    (void)body;
}

/* What a set query says of bodies with pieces is what the pair queries say, to the bit. */
enum { CROWD = 40 };

/* Rooms and balls all about, in a set. */
struct crowd {
    gjk_shape room, ball;
    gjk_body bodies[CROWD];
    char ids[CROWD][8];
    struct gjk_set *set;
    gjk_snapshot snapshot;
    gjk_filter filter;
    gjk_selection all;
};

static void make_crowd(struct crowd *crowd, test_rng *rng) {
    static const gjk_body_callbacks borrowed = {keep_nothing, keep_nothing};
    gjk_edit edits[CROWD];
    struct gjk_set *empty = gjk_set_new_empty(3, &borrowed);
    crowd->room = make_room();
    crowd->ball = make_ball(0.7);
    for (uint32_t i = 0; i < CROWD; i++) {
        gjk_body *body = &crowd->bodies[i];
        (void)snprintf(crowd->ids[i], sizeof crowd->ids[i], "%02u", i);
        *body = (gjk_body){.id = crowd->ids[i], .handle = i, .category = 1, .mask = UINT32_MAX};
        body->placed.shape = i % 3 == 0 ? &crowd->ball : &crowd->room;
        ck_assert_int_eq(gjk_pose_make3(gjk_scale3(30, test_rng_direction(rng, 3)),
                                        test_rng_rotation(rng), &body->placed.pose),
                         GJK_OK);
        edits[i] = (gjk_edit){body->id, body};
    }
    ck_assert_int_eq(gjk_set_edit(empty, edits, CROWD, &crowd->set), GJK_OK);
    gjk_set_release(empty);
    crowd->snapshot = gjk_snapshot_of(crowd->set);
    crowd->filter = gjk_filter_default();
    crowd->all = (gjk_selection){.filter = &crowd->filter, .limit = UINT32_MAX, .arena = &arena};
}

/* Each of these asks the set and every pair, and returns how many shapes were met. */
static uint32_t check_detect(const struct crowd *crowd, const gjk_placed *probe) {
    const gjk_detect_settings settings = gjk_detect_settings_default();
    uint32_t count = 0;
    gjk_hits hits;
    ck_assert_int_eq(gjk_set_detect(&crowd->snapshot, probe, &crowd->all, &settings, &hits),
                     GJK_OK);
    for (int i = 0; i < CROWD; i++) {
        count += gjk_detect(probe, &crowd->bodies[i].placed, &settings).state != GJK_SEPARATED;
    }
    ck_assert_uint_eq(hits.count, count);
    for (uint32_t i = 0; i < hits.count; i++) {
        const gjk_detect_result one = gjk_detect(probe, &hits.items[i].body->placed, &settings);
        ck_assert(one.depth == hits.items[i].result.depth &&
                  one.inside == hits.items[i].result.inside);
        ck_assert_uint_eq(one.piece_b, hits.items[i].result.piece_b);
    }
    return count;
}

static void check_nearest(const struct crowd *crowd, const gjk_placed *probe) {
    const gjk_distance_settings settings = gjk_distance_settings_default();
    uint32_t count = 0;
    gjk_nears nears;
    ck_assert_int_eq(gjk_set_nearest(&crowd->snapshot, probe, 20, &crowd->all, &settings, &nears),
                     GJK_OK);
    for (int i = 0; i < CROWD; i++) {
        count += gjk_distance(probe, &crowd->bodies[i].placed, &settings).distance <= 20;
    }
    ck_assert_uint_eq(nears.count, count);
    for (uint32_t i = 0; i < nears.count; i++) {
        const gjk_distance_result one =
            gjk_distance(probe, &nears.items[i].body->placed, &settings);
        ck_assert(one.distance == nears.items[i].result.distance);
        ck_assert_uint_eq(one.piece_b, nears.items[i].result.piece_b);
        ck_assert(i == 0 || nears.items[i - 1].result.distance <= one.distance);
    }
}

static uint32_t check_raycast(const struct crowd *crowd, const gjk_ray *ray) {
    const gjk_ray_settings settings = gjk_ray_settings_default();
    uint32_t count = 0;
    gjk_ray_hits hits;
    ck_assert_int_eq(gjk_set_raycast(&crowd->snapshot, ray, &crowd->all, &settings, &hits), GJK_OK);
    for (int i = 0; i < CROWD; i++) {
        count += gjk_raycast(&crowd->bodies[i].placed, ray, &settings).hit;
    }
    ck_assert_uint_eq(hits.count, count);
    for (uint32_t i = 0; i < hits.count; i++) {
        const gjk_ray_result one = gjk_raycast(&hits.items[i].body->placed, ray, &settings);
        ck_assert(one.distance == hits.items[i].result.distance);
        ck_assert_uint_eq(one.piece, hits.items[i].result.piece);
    }
    return count;
}

static uint32_t check_cast(const struct crowd *crowd, const gjk_sweep *sweep) {
    const gjk_cast_settings settings = gjk_cast_settings_default();
    uint32_t count = 0;
    gjk_cast_hits hits;
    ck_assert_int_eq(gjk_set_cast(&crowd->snapshot, sweep, &crowd->all, &settings, &hits), GJK_OK);
    for (int i = 0; i < CROWD; i++) {
        const gjk_placed *placed = &crowd->bodies[i].placed;
        count += gjk_cast(&sweep->moving, sweep->translation, placed, &settings).hit;
    }
    ck_assert_uint_eq(hits.count, count);
    for (uint32_t i = 0; i < hits.count; i++) {
        const gjk_cast_result one =
            gjk_cast(&sweep->moving, sweep->translation, &hits.items[i].body->placed, &settings);
        ck_assert(one.fraction == hits.items[i].result.fraction);
        ck_assert_uint_eq(one.piece, hits.items[i].result.piece);
    }
    return count;
}

TEST(sets_answer_as_pairs_do) {
    static struct crowd crowd;
    test_rng rng = test_rng_make(20260101);
    uint32_t met = 0;
    make_crowd(&crowd, &rng);
    for (int k = 0; k < 60; k++) {
        const gjk_vec3 p = gjk_scale3(test_rng_uniform(&rng, 20, 40), test_rng_direction(&rng, 3));
        const gjk_placed probe = at(k % 2 == 0 ? &crowd.ball : &crowd.room, p.x, p.y, p.z);
        const gjk_sweep sweep = {probe, gjk_scale3(25, test_rng_direction(&rng, 3))};
        gjk_ray ray;
        ck_assert_int_eq(gjk_ray_make(p, sweep.translation, 60, &ray), GJK_OK);
        met +=
            check_detect(&crowd, &probe) + check_raycast(&crowd, &ray) + check_cast(&crowd, &sweep);
        check_nearest(&crowd, &probe);
    }
    ck_assert_uint_ge(met, 100);
    gjk_set_release(crowd.set);
}
