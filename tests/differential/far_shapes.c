/* See far_shapes.h. */

#include "far_shapes.h"

#include "gjk/pieces.h"
#include "quad.h"
#include "scene.h"

/* Numbers of the geometry are whole multiples of this, so that adding whole numbers is exact. */
#define GRID 0x1p-11

const char *test_far_name(test_far_kind kind) {
    static const char *const names[] = {"capsule", "hull",   "cylinder", "cone",      "compound",
                                        "chain",   "region", "mesh",     "placed box"};
    return names[kind];
}

bool test_far_exists(test_far_kind kind, uint32_t dimension) {
    const bool in_3d_only =
        kind == TEST_FAR_CYLINDER || kind == TEST_FAR_CONE || kind == TEST_FAR_MESH;
    const bool in_2d_only = kind == TEST_FAR_CHAIN || kind == TEST_FAR_REGION;
    return dimension == 2 ? !in_3d_only : !in_2d_only;
}

static double on_grid(double x) {
    return GRID * floor(x / GRID + 0.5);
}

static gjk_vec3 grid_vec(test_rng *rng, uint32_t dimension) {
    return (gjk_vec3){on_grid(test_rng_uniform(rng, -1, 1)), on_grid(test_rng_uniform(rng, -1, 1)),
                      dimension == 3 ? on_grid(test_rng_uniform(rng, -1, 1)) : 0.0};
}

static gjk_vec3 whole_vec(gjk_vec3 v) {
    return (gjk_vec3){floor(v.x), floor(v.y), floor(v.z)};
}

/* A star around the origin: the outline of a region. */
static void make_star(test_rng *rng, gjk_vec3 points[8]) {
    for (int i = 0; i < 8; i++) {
        const double angle = 0.785 * i, r = test_rng_uniform(rng, 0.3, 1.0);
        double s, c;
        gjk_sincos(angle, &s, &c);
        points[i] = (gjk_vec3){on_grid(r * c), on_grid(r * s), 0};
    }
}

static void make_region(struct gjk_arena *arena, const gjk_vec3 points[8], gjk_shape *out) {
    gjk_vec2 ring[8];
    const uint32_t ring_size = 8, polygon_size = 1;
    gjk_pieces_fault fault;
    for (int i = 0; i < 8; i++) {
        ring[i] = gjk_xy(points[i]);
    }
    const gjk_region region = {.vertices = ring,
                               .ring_sizes = &ring_size,
                               .polygon_sizes = &polygon_size,
                               .polygon_count = 1};
    ck_assert_int_eq(gjk_shape_make_region(arena, &region, 0, &fault, out), GJK_OK);
}

/* A box at a place, and a hull of these points, unless they are NULL. */
static void make_compound(struct gjk_arena *arena, uint32_t dimension, const gjk_vec3 points[8],
                          gjk_vec3 place, gjk_shape *out) {
    gjk_shape parts[2];
    gjk_placed placed[2];
    const gjk_vec3 half = {0.5, 0.25, dimension == 3 ? 0.75 : 0.0};
    ck_assert_int_eq(gjk_shape_make_box(arena, dimension, half, 0, &parts[0]), GJK_OK);
    placed[0] = (gjk_placed){&parts[0], gjk_pose_identity()};
    const gjk_status status =
        dimension == 2 ? gjk_pose_make2(gjk_xy(place), 0.7, &placed[0].pose)
                       : gjk_pose_make3(place, (gjk_quat){0.1, 0.7, -0.3, 0.64}, &placed[0].pose);
    ck_assert_int_eq(status, GJK_OK);
    if (points != NULL) {
        ck_assert_int_eq(gjk_shape_make_hull(arena, dimension, points, 6, 0, &parts[1]), GJK_OK);
        placed[1] = (gjk_placed){&parts[1], gjk_pose_identity()};
    }
    ck_assert_int_eq(gjk_shape_make_compound(arena, dimension, placed, points != NULL ? 2 : 1, out),
                     GJK_OK);
}

static void make(test_far_kind kind, uint32_t dimension, struct gjk_arena *arena,
                 const gjk_vec3 given[8], gjk_vec3 offset, gjk_shape *out) {
    static const uint32_t triangles[4][3] = {{0, 1, 2}, {0, 2, 3}, {3, 4, 5}, {5, 6, 7}};
    gjk_vec3 points[8];
    gjk_vec2 flat[8];
    gjk_status status = GJK_OK;
    gjk_pieces_fault fault;
    for (int i = 0; i < 8; i++) {
        points[i] = gjk_add3(given[i], offset);
        flat[i] = gjk_xy(points[i]);
    }
    switch (kind) {
    case TEST_FAR_CAPSULE:
        status = gjk_shape_make_capsule(arena, dimension, points, 0.25, 0, out);
        break;
    case TEST_FAR_HULL:
        status = gjk_shape_make_hull(arena, dimension, points, 8, 0.125, out);
        break;
    case TEST_FAR_CYLINDER:
        status = gjk_shape_make_cylinder(points, 0.5, 0, out);
        break;
    case TEST_FAR_CONE:
        status = gjk_shape_make_cone(points[0], points[1], 0.5, 0, out);
        break;
    case TEST_FAR_CHAIN:
        status = gjk_shape_make_chain(arena, flat, 8, false, 0, &fault, out);
        break;
    case TEST_FAR_REGION:
        make_region(arena, points, out);
        break;
    case TEST_FAR_MESH: {
        const gjk_mesh mesh = {.vertices = points,
                               .vertex_count = 8,
                               .triangles = triangles,
                               .triangle_count = 4};
        status = gjk_shape_make_mesh(arena, &mesh, 0, &fault, out);
        break;
    }
    default:
        make_compound(arena, dimension, kind == TEST_FAR_COMPOUND ? points : NULL, points[6], out);
        break;
    }
    ck_assert_msg(status == GJK_OK, "%s: %s", test_far_name(kind), gjk_status_text(status));
}

static gjk_placed place(const gjk_shape *shape, gjk_vec3 position, double angle, gjk_quat q) {
    gjk_placed placed = {.shape = shape};
    const gjk_status status = shape->dimension == 2
                                  ? gjk_pose_make2(gjk_xy(position), angle, &placed.pose)
                                  : gjk_pose_make3(position, q, &placed.pose);
    ck_assert_int_eq(status, GJK_OK);
    return placed;
}

void test_far_pair_make(test_rng *rng, test_far_kind kind, uint32_t dimension,
                        struct gjk_arena *arena, test_far_pair *out) {
    gjk_vec3 points[8];
    const double far = test_rng_magnitude(rng, 0, 12);
    const gjk_vec3 offset = whole_vec(gjk_scale3(far, test_rng_direction(rng, dimension)));
    const double angle = test_rng_uniform(rng, -7, 7);
    const gjk_quat q = test_rng_once_in(rng, 4) ? (gjk_quat){0, 0, 0, 1} : test_rng_rotation(rng);
    for (int i = 0; i < 8; i++) {
        points[i] = grid_vec(rng, dimension);
    }
    if (kind == TEST_FAR_REGION) {
        make_star(rng, points);
    }
    make(kind, dimension, arena, points, offset, &out->far);
    make(kind, dimension, arena, points, (gjk_vec3){0, 0, 0}, &out->near);
    const quad3 turned = dimension == 2 ? quad3_turn2(angle, offset) : quad3_turn3(q, offset);
    const gjk_vec3 position = quad3_round(quad3_scale(-1, turned));
    const gjk_vec3 rest = quad3_round(quad3_add(quad3_of(position), turned));
    out->far_placed = place(&out->far, position, angle, q);
    out->near_placed = place(&out->near, rest, angle, q);
}
