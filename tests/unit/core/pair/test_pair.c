/*
 * The worked example of the GJK literature: a triangle and a quadrilateral, and the
 * points of their Minkowski difference. Overlapping as they stand, 11 / sqrt(41) apart
 * when the second is moved by (3, -1); and their prisms just the same.
 */

#include "support/test.h"

#include "gjk/pair.h"
#include "pair/frame.h"

static const gjk_vec2 a_vertices[] = {{4, 11}, {4, 5}, {9, 9}};
static const gjk_vec2 b_vertices[] = {{5, 7}, {7, 3}, {10, 2}, {12, 7}};
enum { A_COUNT = 3, B_COUNT = 4 };

/* Both in 2D, and their prisms from z = -1 to 1; b moved by `by`. */
typedef struct example {
    struct gjk_arena arena;
    gjk_shape a, b, a_prism, b_prism;
    gjk_placed placed_a, placed_b, placed_a_prism, placed_b_prism;
} example;

static void make_polygon(example *e, const gjk_vec2 *vertices, uint32_t count, gjk_shape *out) {
    uint32_t bad;
    gjk_status status = gjk_shape_make_polygon(&e->arena, vertices, count, 0.0, &bad, out);
    ck_assert_int_eq(status, GJK_OK);
}

static void make_prism(example *e, const gjk_vec2 *vertices, uint32_t count, gjk_shape *out) {
    gjk_vec3 points[2 * B_COUNT];
    for (uint32_t i = 0; i < count; i++) {
        points[2 * i] = (gjk_vec3){vertices[i].x, vertices[i].y, -1};
        points[2 * i + 1] = (gjk_vec3){vertices[i].x, vertices[i].y, 1};
    }
    ck_assert_int_eq(gjk_shape_make_hull(&e->arena, 3, points, 2 * count, 0.0, out), GJK_OK);
}

static void setup(example *e, gjk_vec3 by) {
    gjk_arena_init(&e->arena, 0);
    make_polygon(e, a_vertices, A_COUNT, &e->a);
    make_polygon(e, b_vertices, B_COUNT, &e->b);
    make_prism(e, a_vertices, A_COUNT, &e->a_prism);
    make_prism(e, b_vertices, B_COUNT, &e->b_prism);
    gjk_pose moved = gjk_pose_identity();
    moved.position = by;
    e->placed_a = (gjk_placed){&e->a, gjk_pose_identity()};
    e->placed_b = (gjk_placed){&e->b, moved};
    e->placed_a_prism = (gjk_placed){&e->a_prism, gjk_pose_identity()};
    e->placed_b_prism = (gjk_placed){&e->b_prism, moved};
}

/* Poses of the shapes' offsets, which their points are relative to: frames are made of those. */
static void place_offsets(example *e) {
    gjk_placed *const placed[] = {&e->placed_a, &e->placed_b, &e->placed_a_prism,
                                  &e->placed_b_prism};
    for (int i = 0; i < 4; i++) {
        placed[i]->pose.position = gjk_add3(placed[i]->pose.position, placed[i]->shape->offset);
    }
}

static void require_near(gjk_vec3 v, double x, double y) {
    const double error = 1e-14;
    ck_assert_double_eq_tol(v.x, x, error);
    ck_assert_double_eq_tol(v.y, y, error);
}

TEST(supports_of_the_difference) {
    example e;
    setup(&e, (gjk_vec3){0, 0, 0});
    place_offsets(&e);
    /* With a at the origin and not turned, the pair's frame is the world. */
    gjk_frame2 frame = gjk_frame2_make(&e.placed_a, &e.placed_b);
    gjk_vec2 right = gjk_support2(&frame, (gjk_vec2){1, 0}).w;
    gjk_vec2 left = gjk_support2(&frame, (gjk_vec2){-1, 0}).w;
    gjk_vec2 up = gjk_support2(&frame, (gjk_vec2){0, 1}).w;
    require_near(gjk_xy0(right), 4, 2);
    ck_assert_double_eq(left.x, -8);
    ck_assert(left.y == -2 || left.y == 4); /* two vertices of a have the least x */
    require_near(gjk_xy0(up), -6, 9);
    gjk_arena_fini(&e.arena);
}

TEST(supports_of_the_prisms) {
    example e;
    setup(&e, (gjk_vec3){0, 0, 0});
    place_offsets(&e);
    gjk_frame3 frame = gjk_frame3_make(&e.placed_a_prism, &e.placed_b_prism);
    require_near(gjk_support3(&frame, (gjk_vec3){1, 0, 0}).w, 4, 2);
    require_near(gjk_support3(&frame, (gjk_vec3){0, 1, 0}).w, -6, 9);
    ck_assert_double_eq(gjk_support3(&frame, (gjk_vec3){-1, 0, 0}).w.x, -8);
    ck_assert_double_eq(gjk_support3(&frame, (gjk_vec3){0, 0, 1}).w.z, 2);
    ck_assert_double_eq(gjk_support3(&frame, (gjk_vec3){0, 0, -1}).w.z, -2);
    gjk_arena_fini(&e.arena);
}

/* How far b must move along n until it no longer overlaps a. */
static double way_out(gjk_vec2 n) {
    double high = -INFINITY, low = INFINITY;
    for (int i = 0; i < A_COUNT; i++) {
        high = fmax(high, gjk_dot2(n, a_vertices[i]));
    }
    for (int i = 0; i < B_COUNT; i++) {
        low = fmin(low, gjk_dot2(n, b_vertices[i]));
    }
    return high - low;
}

/* The shortest way out is along some edge's normal: try them all, both ways. */
static double shortest_way_out(const gjk_vec2 *vertices, int count, gjk_vec2 *normal,
                               double shortest) {
    for (int i = 0; i < count; i++) {
        gjk_vec2 n = gjk_right2(gjk_sub2(vertices[(i + 1) % count], vertices[i]));
        for (int side = 0; side < 2; side++) {
            n = gjk_scale2(-1.0 / gjk_length2(n), n);
            if (way_out(n) < shortest) {
                shortest = way_out(n);
                *normal = n;
            }
        }
    }
    return shortest;
}

static void require_overlap(const gjk_placed *a, const gjk_placed *b) {
    gjk_vec2 normal = {0, 0};
    double depth = shortest_way_out(a_vertices, A_COUNT, &normal, INFINITY);
    depth = shortest_way_out(b_vertices, B_COUNT, &normal, depth);
    const gjk_detect_settings settings = gjk_detect_settings_default();
    const gjk_distance_settings distance_settings = gjk_distance_settings_default();
    gjk_detect_result r = gjk_detect(a, b, &settings);
    ck_assert_int_eq(r.state, GJK_OVERLAPPING);
    ck_assert_int_eq(r.convergence, GJK_CONVERGED);
    ck_assert_double_eq_tol(r.depth, depth, 1e-14);
    ck_assert_double_eq_tol(r.depth_lower_bound, depth, 1e-14);
    require_near(r.normal, normal.x, normal.y);
    ck_assert_double_eq_tol(r.normal.z, 0, 1e-15);
    gjk_vec3 between = gjk_sub3(r.point_a, r.point_b);
    require_near(between, depth * normal.x, depth * normal.y);
    gjk_distance_result d = gjk_distance(a, b, &distance_settings);
    ck_assert_int_eq(d.state, GJK_OVERLAPPING);
    ck_assert_double_eq(d.distance, 0);
}

TEST(overlap_is_the_shortest_way_out) {
    example e;
    setup(&e, (gjk_vec3){0, 0, 0});
    require_overlap(&e.placed_a, &e.placed_b);
    require_overlap(&e.placed_a_prism, &e.placed_b_prism);
    gjk_arena_fini(&e.arena);
}

static void require_gap(const gjk_placed *a, const gjk_placed *b) {
    const double distance = 11 / sqrt(41);
    const gjk_distance_settings settings = gjk_distance_settings_default();
    const gjk_detect_settings detect_settings = gjk_detect_settings_default();
    gjk_distance_result d = gjk_distance(a, b, &settings);
    ck_assert_int_eq(d.state, GJK_SEPARATED);
    ck_assert_int_eq(d.convergence, GJK_CONVERGED);
    ck_assert_double_eq_tol(d.distance, distance, 1e-14);
    ck_assert_double_eq_tol(d.lower_bound, distance, 1e-14);
    require_near(d.point_a, 284.0 / 41, 301.0 / 41); /* the foot of (8, 6) on the side of a */
    require_near(d.point_b, 8, 6);
    require_near(d.normal, 4 / sqrt(41), -5 / sqrt(41)); /* square to (5, 4) */
    ck_assert_double_eq_tol(d.point_a.z, d.point_b.z, 1e-14);
    ck_assert_int_eq(gjk_detect(a, b, &detect_settings).state, GJK_SEPARATED);
}

TEST(gap_after_the_move) {
    example e;
    setup(&e, (gjk_vec3){3, -1, 0});
    require_gap(&e.placed_a, &e.placed_b);
    require_gap(&e.placed_a_prism, &e.placed_b_prism);
    gjk_arena_fini(&e.arena);
}

/* On one line, apart, and thicker than the line: along every edge's normal they overlap by a
 * rounding error, and by the radius. */
TEST(collinear_and_apart) {
    struct gjk_arena arena;
    gjk_shape a, b;
    const gjk_vec3 ends[2] = {{-1.4113466638560221, -1.2435847732451772, 0},
                              {0.75029160088102309, 0.6611070364527909, 0}};
    const gjk_vec3 from = {1.2985473960776355, 1.1441935638174718, 0};
    const gjk_vec3 to = {1.1260443466968146, 0.99219535455948471, 0};
    gjk_arena_init(&arena, 0);
    ck_assert_int_eq(gjk_shape_make_segment(&arena, 2, from, to, 0.0, &a), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_capsule(&arena, 2, ends, 0.1, 0.0, &b), GJK_OK);
    const gjk_placed placed_a = {&a, gjk_pose_identity()}, placed_b = {&b, gjk_pose_identity()};
    const gjk_distance_settings settings = gjk_distance_settings_default();
    const gjk_detect_settings detect_settings = gjk_detect_settings_default();
    gjk_distance_result d = gjk_distance(&placed_a, &placed_b, &settings);
    ck_assert_int_eq(d.state, GJK_SEPARATED);
    ck_assert_double_eq_tol(d.distance, 0.40080894598122557, 1e-15);
    ck_assert_int_eq(gjk_detect(&placed_a, &placed_b, &detect_settings).state, GJK_SEPARATED);
    gjk_arena_fini(&arena);
}
