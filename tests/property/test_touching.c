/*
 * Does what touches at the start and moves off start free? Two shapes of whole numbers lie on both
 * sides of a plane and touch there, exactly: a way that leads off the plane, or along it, is no
 * hit; one that leads into the inside of their difference is, with a normal that is right. Convex
 * pairs and shapes of pieces, ways that turn and ones that do not, turned and up to 2^30 away from
 * the origin.
 */

#include "curved.h"
#include "support/test.h"

#include "gjk/cast.h"
#include "gjk/pieces.h"

#include <stdio.h>
#include <stdlib.h>

#define PAIRS 1500
#define POINTS 6
#define TILE 4 /* cells along a tile's side */
#define SHOWN_MAX 4

static struct gjk_arena arena;

static gjk_vec3 whole_vec(test_rng *rng, uint32_t dimension, int most) {
    return (gjk_vec3){test_rng_integer(rng, -most, most), test_rng_integer(rng, -most, most),
                      dimension == 3 ? test_rng_integer(rng, -most, most) : 0};
}

static bool is_zero(gjk_vec3 v) {
    return v.x == 0 && v.y == 0 && v.z == 0;
}

static gjk_vec3 whole_normal(test_rng *rng, uint32_t dimension) {
    gjk_vec3 n;
    do {
        n = whole_vec(rng, dimension, test_rng_once_in(rng, 2) ? 1 : 4);
    } while (is_zero(n));
    return n;
}

/* A vector of the plane. */
static gjk_vec3 along(test_rng *rng, uint32_t dimension, gjk_vec3 n) {
    return dimension == 2 ? gjk_scale3(test_rng_integer(rng, -2, 2), (gjk_vec3){-n.y, n.x, 0})
                          : gjk_cross3(n, whole_vec(rng, 3, 2));
}

/* Points on one side of the plane, whose hull touches it in the origin at least. */
static uint32_t make_side(test_rng *rng, uint32_t dimension, gjk_vec3 n, double side,
                          gjk_vec3 points[POINTS]) {
    uint32_t count = 1 + test_rng_below(rng, 3);
    points[0] = (gjk_vec3){0, 0, 0};
    if (count > 1) { /* an edge or a face, of which the origin is a corner or not */
        const gjk_vec3 v = along(rng, dimension, n);
        points[0] = gjk_neg3(v);
        points[1] = gjk_scale3(test_rng_below(rng, 3), v);
        if (count == 3) {
            points[2] = along(rng, dimension, n);
        }
    }
    while (count < POINTS) {
        gjk_vec3 p = whole_vec(rng, dimension, 5);
        const double height = gjk_dot3(n, p);
        p = height * side < 0 ? gjk_neg3(p) : p;
        points[count++] = p;
        if (test_rng_once_in(rng, 4)) {
            break;
        }
    }
    return count;
}

typedef struct touch {
    uint32_t dimension;
    gjk_vec3 n; /* of the plane, to the moving shape */
    gjk_vec3 target_points[POINTS], moving_points[POINTS];
    uint32_t target_count, moving_count;
    gjk_shape target_shape, moving_shape;
    gjk_placed target, moving;
} touch;

static gjk_pose random_pose(test_rng *rng, uint32_t dimension) {
    gjk_pose pose = gjk_pose_identity();
    gjk_vec3 at = {0, 0, 0};
    if (!test_rng_once_in(rng, 3)) {
        at = gjk_scale3(exp2(test_rng_uniform(rng, 0, 30)), test_rng_direction(rng, dimension));
    }
    const bool turned = test_rng_once_in(rng, 2);
    const gjk_status status =
        dimension == 2
            ? gjk_pose_make2(gjk_xy(at), turned ? test_rng_uniform(rng, -4, 4) : 0, &pose)
            : gjk_pose_make3(at, turned ? test_rng_rotation(rng) : (gjk_quat){0, 0, 0, 1}, &pose);
    ck_assert_int_eq(status, GJK_OK);
    return pose;
}

static void make_hull(touch *t, const gjk_vec3 *points, uint32_t count, const gjk_pose *pose,
                      gjk_shape *shape, gjk_placed *placed) {
    ck_assert_int_eq(gjk_shape_make_hull(&arena, t->dimension, points, count, 0, shape), GJK_OK);
    *placed = (gjk_placed){shape, *pose};
}

static void make_touch(test_rng *rng, uint32_t dimension, touch *t) {
    const gjk_pose pose = random_pose(rng, dimension);
    t->dimension = dimension;
    t->n = whole_normal(rng, dimension);
    t->target_count = make_side(rng, dimension, t->n, -1, t->target_points);
    t->moving_count = make_side(rng, dimension, t->n, 1, t->moving_points);
    make_hull(t, t->target_points, t->target_count, &pose, &t->target_shape, &t->target);
    make_hull(t, t->moving_points, t->moving_count, &pose, &t->moving_shape, &t->moving);
}

/* Whether both lie in the plane: no way within it can be told to lead off. */
static bool is_flat(const touch *t) {
    double off = 0;
    for (uint32_t i = 0; i < t->target_count; i++) {
        off = fmax(off, -gjk_dot3(t->n, t->target_points[i]));
    }
    for (uint32_t i = 0; i < t->moving_count; i++) {
        off = fmax(off, gjk_dot3(t->n, t->moving_points[i]));
    }
    return off == 0;
}

/* Off the plane, or along it unless both lie in it. */
static gjk_vec3 way_off(test_rng *rng, const touch *t) {
    const gjk_vec3 n = t->n;
    gjk_vec3 way;
    do {
        const bool level = !is_flat(t) && test_rng_once_in(rng, 3);
        way = level ? along(rng, t->dimension, n) : whole_vec(rng, t->dimension, 7);
        way = gjk_dot3(n, way) < 0 ? gjk_neg3(way) : way;
    } while (is_zero(way) || (is_flat(t) && gjk_dot3(n, way) == 0));
    return gjk_scale3(test_rng_magnitude(rng, -2, 2), way);
}

static double volume(gjk_vec3 a, gjk_vec3 b, gjk_vec3 c) {
    return gjk_dot3(a, gjk_cross3(b, c));
}

/* Whether the differences of points span the space. */
static bool is_solid(const touch *t) {
    gjk_vec3 d[POINTS * POINTS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->target_count; i++) {
        for (uint32_t j = 0; j < t->moving_count; j++) {
            d[count++] = gjk_sub3(gjk_sub3(t->target_points[i], t->moving_points[j]),
                                  gjk_sub3(t->target_points[0], t->moving_points[0]));
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            for (uint32_t k = 0; k < j || (t->dimension == 2 && k == 0); k++) {
                if (t->dimension == 2 ? gjk_cross2(gjk_xy(d[i]), gjk_xy(d[j])) != 0
                                      : volume(d[i], d[j], d[k]) != 0) {
                    return true;
                }
            }
        }
    }
    return false;
}

/* Into the inside of the difference of the two. */
static gjk_vec3 way_in(test_rng *rng, const touch *t) {
    gjk_vec3 way = {0, 0, 0};
    for (uint32_t i = 0; i < t->target_count; i++) {
        for (uint32_t j = 0; j < t->moving_count; j++) {
            way = gjk_add3(way, gjk_scale3(test_rng_uniform(rng, 0.1, 1),
                                           gjk_sub3(t->target_points[i], t->moving_points[j])));
        }
    }
    return gjk_scale3(test_rng_magnitude(rng, -2, 1), way);
}

/* How far the two overlap along a direction of the world, from the moving one's side. */
static double overlap_along(const touch *t, gjk_vec3 normal) {
    const gjk_vec3 n = gjk_mul3_transposed(&t->target.pose.rotation, normal);
    double most = -INFINITY;
    for (uint32_t i = 0; i < t->target_count; i++) {
        for (uint32_t j = 0; j < t->moving_count; j++) {
            most = fmax(most, gjk_dot3(n, gjk_sub3(t->target_points[i], t->moving_points[j])));
        }
    }
    return most;
}

static void print(const char *what, const touch *t, gjk_vec3 way, const gjk_cast_result *r) {
    fprintf(stderr, "%s: n %g %g %g way %.17g %.17g %.17g\n", what, t->n.x, t->n.y, t->n.z, way.x,
            way.y, way.z);
    for (uint32_t i = 0; i < t->target_count; i++) {
        const gjk_vec3 p = t->target_points[i];
        fprintf(stderr, "  target %g %g %g\n", p.x, p.y, p.z);
    }
    for (uint32_t i = 0; i < t->moving_count; i++) {
        const gjk_vec3 p = t->moving_points[i];
        fprintf(stderr, "  moving %g %g %g\n", p.x, p.y, p.z);
    }
    fprintf(stderr,
            "  at %.17g %.17g %.17g turned %g %g %g: hit %d inside %d at %g normal %g %g %g\n",
            t->target.pose.position.x, t->target.pose.position.y, t->target.pose.position.z,
            t->target.pose.rotation.r0.x, t->target.pose.rotation.r0.y,
            t->target.pose.rotation.r0.z, r->hit, r->inside, r->fraction, r->normal.x, r->normal.y,
            r->normal.z);
}

static gjk_cast_result turning_cast(const touch *t, gjk_vec3 way, double angle) {
    const gjk_cast_settings settings = gjk_cast_settings_default();
    const gjk_vec3 n = gjk_mul3(&t->target.pose.rotation, t->n);
    const gjk_rigid_motion motion = {way,
                                     t->dimension == 2 ? (gjk_vec3){0, 0, 1}
                                                       : gjk_scale3(1 / gjk_length3(n), n),
                                     angle};
    return gjk_cast_turning(&t->moving, &motion, &t->target, &settings);
}

TEST_EACH(convex_pairs, 2, 4) {
    const uint32_t dimension = (uint32_t)_i;
    const gjk_cast_settings settings = gjk_cast_settings_default();
    test_rng rng = test_rng_make(8800 + dimension);
    unsigned wrong[4] = {0}, solid = 0, unproven = 0;
    gjk_arena_init(&arena, 0);
    for (uint64_t i = 0; i < PAIRS * test_factor(); i++) {
        static touch t;
        make_touch(&rng, dimension, &t);
        gjk_vec3 way = gjk_mul3(&t.target.pose.rotation, way_off(&rng, &t));
        gjk_cast_result r = gjk_cast(&t.moving, way, &t.target, &settings);
        if (r.hit && wrong[0]++ < SHOWN_MAX) {
            print("off", &t, way, &r);
        }
        /* About the plane's normal: what turns stays on its side, but may touch again what it left.
         * In 2D there is no such turn. */
        const bool is_off = gjk_dot3(way, gjk_mul3(&t.target.pose.rotation, t.n)) > 1e-6;
        r = turning_cast(&t, way, dimension == 3 ? test_rng_uniform(&rng, -2, 2) : 1e-14);
        unproven += r.hit && r.convergence == GJK_ITERATION_LIMIT;
        if (r.hit && r.convergence == GJK_CONVERGED && (is_off || dimension == 2) &&
            wrong[1]++ < SHOWN_MAX) {
            print("off, turning", &t, way, &r);
        }
        if (is_solid(&t)) {
            solid++;
            way = gjk_mul3(&t.target.pose.rotation, way_in(&rng, &t));
            r = gjk_cast(&t.moving, way, &t.target, &settings);
            const double size = fmax(t.moving_shape.size, t.target_shape.size);
            const bool right = r.hit && !r.inside && r.fraction == 0 &&
                               gjk_dot3(r.normal, way) < 0 &&
                               overlap_along(&t, r.normal) <= 1e-8 * size;
            if (!right && wrong[2]++ < SHOWN_MAX) {
                print("in", &t, way, &r);
            }
            r = turning_cast(&t, way, 1e-6);
            if (!(r.hit && r.fraction <= 1e-3) && wrong[3]++ < SHOWN_MAX) {
                print("in, turning", &t, way, &r);
            }
        }
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
    ck_assert_uint_gt(solid, PAIRS / 4);
    ck_assert_uint_le(unproven, PAIRS * test_factor() / 500);
    ck_assert_msg(wrong[0] + wrong[1] + wrong[2] + wrong[3] == 0,
                  "%u ways off hit, %u that turn, %u ways in of %u miss, %u that turn", wrong[0],
                  wrong[1], wrong[2], solid, wrong[3]);
}

/* A ball on the plane's side of a hull touches it in one point, with one normal. */
TEST_EACH(balls, 2, 4) {
    const uint32_t dimension = (uint32_t)_i;
    const gjk_cast_settings settings = gjk_cast_settings_default();
    test_rng rng = test_rng_make(8810 + dimension);
    unsigned wrong[2] = {0};
    gjk_arena_init(&arena, 0);
    for (uint64_t i = 0; i < PAIRS * test_factor(); i++) {
        static touch t;
        static const gjk_vec3 normals[] = {{1, 0, 0}, {0, 1, 0}, {3, 4, 0}, {-4, 3, 0}};
        const gjk_vec3 n = normals[test_rng_below(&rng, 4)];
        gjk_shape ball;
        make_touch(&rng, dimension, &t);
        t.n = n;
        t.target_count = make_side(&rng, dimension, n, -1, t.target_points);
        make_hull(&t, t.target_points, t.target_count, &t.target.pose, &t.target_shape, &t.target);
        const double radius = 5 * gjk_length3(n) * test_rng_integer(&rng, 1, 3);
        ck_assert_int_eq(gjk_shape_make_ball(&arena, dimension, radius, 0, &ball), GJK_OK);
        t.moving = (gjk_placed){&ball, t.target.pose};
        const gjk_vec3 unit = gjk_scale3(1 / gjk_length3(n), n);
        const gjk_vec3 off = gjk_mul3(&t.target.pose.rotation, gjk_scale3(radius, unit));
        t.moving.pose.position = gjk_add3(t.moving.pose.position, off);
        if (gjk_largest3(t.target.pose.position) > 1e4 && t.target.pose.rotation.r0.x != 1) {
            continue; /* its place is rounded by more than the tolerance */
        }
        t.moving_count = 0;
        gjk_vec3 way = way_off(&rng, &t);
        const gjk_vec3 in = gjk_mul3(&t.target.pose.rotation,
                                     gjk_sub3(gjk_scale3(-0.5 * gjk_dot3(n, way), n), way));
        const gjk_vec3 back = way;
        way = gjk_mul3(&t.target.pose.rotation, way);
        gjk_cast_result r = gjk_cast(&t.moving, way, &t.target, &settings);
        if (r.hit && wrong[0]++ < SHOWN_MAX) {
            print("off", &t, way, &r);
        }
        r = gjk_cast(&t.moving, in, &t.target, &settings);
        if (gjk_dot3(n, back) > 0 && !(r.hit && r.fraction <= 1e-6) && wrong[1]++ < SHOWN_MAX) {
            print("in", &t, in, &r);
        }
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
    ck_assert_msg(wrong[0] + wrong[1] == 0, "%u ways off hit, %u ways in miss", wrong[0], wrong[1]);
}

typedef enum piece_kind { TILES, CHAINS, MESHES, COMPOUNDS, PIECE_KINDS } piece_kind;

static const char *const kind_name[] = {"tiles", "chains", "meshes", "compounds"};

/* Heights of a tile: those on the seam are the same on both sides. */
static double height_at(const double seam[TILE + 1], test_rng *rng, uint32_t column, uint32_t row,
                        bool is_left) {
    return column == (is_left ? TILE : 0) ? seam[row] : test_rng_integer(rng, -3, 3);
}

static void make_tile(test_rng *rng, const double *seam, bool is_left, gjk_shape *out) {
    double heights[(TILE + 1) * (TILE + 1)];
    gjk_pieces_fault fault;
    for (uint32_t row = 0; row <= TILE; row++) {
        for (uint32_t column = 0; column <= TILE; column++) {
            heights[row * (TILE + 1) + column] = height_at(seam, rng, column, row, is_left);
        }
    }
    const gjk_heightfield field = {.columns = TILE + 1,
                                   .rows = TILE + 1,
                                   .spacing = {1, 1},
                                   .heights = heights};
    ck_assert_int_eq(gjk_shape_make_heightfield(&arena, &field, 0, &fault, out), GJK_OK);
}

/* From x = 0 to the left, or from there to the right. */
static void make_chain(test_rng *rng, const double *seam, bool is_left, gjk_shape *out) {
    gjk_vec2 vertices[TILE + 1];
    gjk_pieces_fault fault;
    for (uint32_t i = 0; i <= TILE; i++) {
        vertices[i] = (gjk_vec2){is_left ? -(double)i : (double)i, test_rng_integer(rng, -3, 3)};
    }
    vertices[0].y = seam[0];
    ck_assert_int_eq(gjk_shape_make_chain(&arena, vertices, TILE + 1, false, 0, &fault, out),
                     GJK_OK);
}

/* Triangles that stand on the seam's points or edges, each with its tip to one side. */
static void make_fan(test_rng *rng, const double *seam, bool is_left, gjk_shape *out) {
    gjk_vec3 vertices[3 * TILE];
    uint32_t triangles[TILE][3];
    gjk_pieces_fault fault;
    for (uint32_t i = 0; i < TILE; i++) {
        const double x = (is_left ? -1 : 1) * test_rng_integer(rng, 1, 4);
        vertices[3 * i] = (gjk_vec3){0, i, seam[i]};
        vertices[3 * i + 1] =
            test_rng_once_in(rng, 2)
                ? (gjk_vec3){0, i + 1, seam[i + 1]}
                : (gjk_vec3){0.5 * x, test_rng_integer(rng, -3, 3), test_rng_integer(rng, -3, 3)};
        vertices[3 * i + 2] =
            (gjk_vec3){x, test_rng_integer(rng, -3, 3), test_rng_integer(rng, -3, 3)};
        for (uint32_t k = 0; k < 3; k++) {
            triangles[i][k] = 3 * i + k;
        }
    }
    const gjk_mesh mesh = {.vertices = vertices,
                           .vertex_count = 3 * TILE,
                           .triangles = triangles,
                           .triangle_count = TILE};
    ck_assert_int_eq(gjk_shape_make_mesh(&arena, &mesh, 0, &fault, out), GJK_OK);
}

/* Boxes of whole sizes along the seam. */
static void make_blocks(test_rng *rng, bool is_left, gjk_shape *out) {
    gjk_shape boxes[TILE];
    gjk_placed parts[TILE];
    for (uint32_t i = 0; i < TILE; i++) {
        const gjk_vec3 half = {test_rng_integer(rng, 1, 3), test_rng_integer(rng, 1, 3),
                               test_rng_integer(rng, 1, 3)};
        ck_assert_int_eq(gjk_shape_make_box(&arena, 3, half, 0, &boxes[i]), GJK_OK);
        parts[i] = (gjk_placed){&boxes[i], gjk_pose_identity()};
        parts[i].pose.position =
            (gjk_vec3){is_left ? -half.x : half.x, i, test_rng_integer(rng, -2, 2)};
    }
    ck_assert_int_eq(gjk_shape_make_compound(&arena, 3, parts, TILE, out), GJK_OK);
}

TEST_EACH(shapes_of_pieces, 0, PIECE_KINDS) {
    const piece_kind kind = (piece_kind)_i;
    const uint32_t dimension = kind == CHAINS ? 2 : 3;
    const gjk_cast_settings settings = gjk_cast_settings_default();
    test_rng rng = test_rng_make(8820 + (uint64_t)_i);
    unsigned wrong = 0, turning = 0, touching = 0;
    gjk_arena_init(&arena, 0);
    for (uint64_t i = 0; i < PAIRS / 3 * test_factor(); i++) {
        double seam[TILE + 1];
        gjk_shape left, right;
        for (int k = 0; k <= TILE; k++) {
            seam[k] = test_rng_integer(&rng, -3, 3);
        }
        for (int side = 0; side < 2; side++) {
            gjk_shape *out = side == 0 ? &left : &right;
            if (kind == TILES) {
                make_tile(&rng, seam, side == 0, out);
            } else if (kind == CHAINS) {
                make_chain(&rng, seam, side == 0, out);
            } else if (kind == MESHES) {
                make_fan(&rng, seam, side == 0, out);
            } else {
                make_blocks(&rng, side == 0, out);
            }
        }
        gjk_placed target = {&left, random_pose(&rng, dimension)}, moving = {&right, target.pose};
        if (kind == TILES) {
            /* its seam is not in its own origin: where the sum of places is exact */
            target.pose = moving.pose = gjk_pose_identity();
            target.pose.position =
                gjk_scale3(floor(exp2(test_rng_uniform(&rng, 0, 30))), whole_normal(&rng, 3));
            moving.pose.position = gjk_add3(target.pose.position, (gjk_vec3){TILE, 0, 0});
        }
        gjk_vec3 way = whole_vec(&rng, dimension, 5);
        way.x = 0.25 + fabs(way.x);
        way = gjk_mul3(&target.pose.rotation, gjk_scale3(test_rng_magnitude(&rng, -2, 1), way));
        const gjk_vec3 off = gjk_mul3(&target.pose.rotation, (gjk_vec3){1, 0, 0});
        const gjk_rigid_motion motion = {way, dimension == 2 ? (gjk_vec3){0, 0, 1} : off,
                                         dimension == 2 ? 1e-14 : 0.5};
        const gjk_detect_settings at_rest = gjk_detect_settings_default();
        touching += gjk_detect(&moving, &target, &at_rest).state == GJK_TOUCHING;
        wrong += gjk_cast(&moving, way, &target, &settings).hit;
        turning += gjk_cast_turning(&moving, &motion, &target, &settings).hit;
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
    ck_assert_uint_gt(touching, PAIRS / 4);
    ck_assert_msg(wrong + turning == 0, "%s: %u of %u that move off are hit, %u that turn",
                  kind_name[kind], wrong, touching, turning);
}
