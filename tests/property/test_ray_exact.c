/*
 * Rays whose answer is exact in whole numbers: grazing, along a side, through a
 * corner, at a point, within a flat shape, just far enough. Nothing rounds here, so
 * nothing may be missed.
 */

#include "ray_case.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

typedef struct exact_ray {
    const char *name;
    test_body body;
    gjk_vec3 origin, direction;
    double max_distance;
    double distance; /* -1: no hit */
    bool inside;
} exact_ray;

static void run(const exact_ray *e) {
    static test_ray_case c;
    struct gjk_arena arena;
    gjk_arena_init(&arena, 0);
    c.target.a = e->body;
    c.target.b = test_body_ball(e->body.dimension, 0.0);
    test_pair_build(&c.target, &arena);
    test_aim(&c, e->origin, e->direction, e->max_distance);
    gjk_ray_result r = test_cast(&c, true);
    bool hit = e->distance >= 0.0;
    if (r.hit != hit || r.inside != e->inside) {
        fprintf(stderr, "%s\n", e->name);
    }
    RAY_REQUIRE(&c, r.hit == hit);
    RAY_REQUIRE(&c, r.inside == e->inside);
    RAY_REQUIRE(&c, test_cast(&c, false).hit == (hit && !e->inside));
    if (hit) {
        /* Where a ray is tangent to a round side half of the digits are the input's rounding. */
        bool tangent = e->body.type == GJK_CAPSULE && strstr(e->name, "along") != NULL;
        RAY_REQUIRE_NEAR(&c, r.distance, e->distance, tangent ? 1e-6 : 1e-15);
        RAY_REQUIRE(&c, r.has_normal == !e->inside);
    }
    if (r.has_normal) {
        RAY_REQUIRE_NEAR(&c, gjk_length3(r.normal), 1.0, 1e-15);
        RAY_REQUIRE(&c, gjk_dot3(r.normal, c.ray.direction) <= 0.0);
    }
    if (r.has_normal && (e->body.type == GJK_POINT || e->body.type == GJK_SEGMENT)) {
        gjk_vec3 back = gjk_add3(r.normal, c.ray.direction);
        bool along = strstr(e->name, "along") != NULL || e->body.type == GJK_POINT;
        RAY_REQUIRE(&c, !along || gjk_length3(back) <= 1e-15);
    }
    gjk_arena_fini(&arena);
}

static void run_all(const exact_ray *rays, size_t count) {
    for (size_t i = 0; i < count; i++) {
        run(&rays[i]);
    }
}

/* clang-format off */
#define RIGHT {1, 0, 0}
/* clang-format on */
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* The 3D twin has a third coordinate, which these leave 0. */
TEST_EACH(balls_points_segments, 2, 4) {
    uint32_t n = (uint32_t)_i;
    const gjk_vec3 one = {1, 0, 0}, two = {2, 0, 0}, up = {0, 1, 0}, down = {0, -1, 0};
    const exact_ray rays[] = {
        {"ball grazed", test_body_ball(n, 1), {-3, 1, 0}, RIGHT, INFINITY, 3, false},
        {"ball grazed below", test_body_ball(n, 1), {-3, -1, 0}, RIGHT, INFINITY, 3, false},
        {"ball missed", test_body_ball(n, 1), {-3, 1 + 1e-9, 0}, RIGHT, INFINITY, -1, false},
        {"ball just reached", test_body_ball(n, 1), {-3, 0, 0}, RIGHT, 2, 2, false},
        {"ball not reached", test_body_ball(n, 1), {-3, 0, 0}, RIGHT, 2 - 1e-9, -1, false},
        {"ball behind", test_body_ball(n, 1), {3, 0, 0}, RIGHT, INFINITY, -1, false},
        {"on the ball, outwards", test_body_ball(n, 1), {1, 0, 0}, RIGHT, INFINITY, 0, true},
        {"in the ball, reach 0", test_body_ball(n, 1), {0, 0, 0}, RIGHT, 0, 0, true},
        {"point", test_body_ball(n, 0), {-3, 0, 0}, RIGHT, INFINITY, 3, false},
        {"point, long direction", test_body_ball(n, 0), {-3, 0, 0}, {1e200, 0, 0}, 3, 3, false},
        {"point, tiny direction", test_body_ball(n, 0), {-3, 0, 0}, {5e-324, 0, 0}, 3, 3, false},
        {"point missed", test_body_ball(n, 0), {-3, 1e-9, 0}, RIGHT, INFINITY, -1, false},
        {"point behind", test_body_ball(n, 0), {3, 0, 0}, RIGHT, INFINITY, -1, false},
        {"at the point", test_body_ball(n, 0), {0, 0, 0}, RIGHT, INFINITY, 0, true},
        {"along a segment",
         test_body_segment(n, one, two, 0),
         {-3, 0, 0},
         RIGHT,
         INFINITY,
         4,
         false},
        {"along a segment, back",
         test_body_segment(n, one, two, 0),
         {5, 0, 0},
         {-1, 0, 0},
         INFINITY,
         3,
         false},
        {"on a segment", test_body_segment(n, one, two, 0), {1.5, 0, 0}, RIGHT, INFINITY, 0, true},
        {"on a segment, across",
         test_body_segment(n, one, two, 0),
         {1.5, 0, 0},
         {0, 1, 0},
         INFINITY,
         0,
         true},
        {"across a segment",
         test_body_segment(n, up, down, 0),
         {-3, 0, 0},
         RIGHT,
         INFINITY,
         3,
         false},
        {"at a segment's end",
         test_body_segment(n, up, down, 0),
         {-3, 1, 0},
         RIGHT,
         INFINITY,
         3,
         false},
        {"past a segment's end",
         test_body_segment(n, up, down, 0),
         {-3, 1 + 1e-9, 0},
         RIGHT,
         INFINITY,
         -1,
         false},
        {"beside a segment",
         test_body_segment(n, one, two, 0),
         {-3, 1e-9, 0},
         RIGHT,
         INFINITY,
         -1,
         false},
        {"along a capsule's side",
         test_body_segment(n, one, two, 1),
         {-3, 1, 0},
         RIGHT,
         INFINITY,
         4,
         false},
        {"capsule's end", test_body_segment(n, one, two, 1), {-3, 0, 0}, RIGHT, INFINITY, 3, false},
    };
    run_all(rays, COUNT(rays));
}

TEST_EACH(boxes_and_hulls, 2, 4) {
    uint32_t n = (uint32_t)_i;
    const gjk_vec3 unit = {1, 1, 1}, sheet = {1, 0, 1};
    const gjk_vec3 diamond[] = {{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}};
    const gjk_vec3 same[] = {{1, 1, 0}, {1, 1, 0}, {1, 1, 0}};
    const test_body box = test_body_box(n, unit), flat = test_body_box(n, sheet);
    const test_body corner = test_body_cloud(GJK_HULL, n, diamond, 4);
    const test_body lone = test_body_cloud(GJK_HULL, n, same, 3);
    const exact_ray rays[] = {
        {"box", box, {-3, 0, 0}, RIGHT, INFINITY, 2, false},
        {"box grazed along a side", box, {-3, 1, 0}, RIGHT, INFINITY, 2, false},
        {"box grazed below", box, {-3, -1, 0}, RIGHT, INFINITY, 2, false},
        {"box grazed at an edge", box, {-3, 1, n == 3 ? 1 : 0}, RIGHT, INFINITY, 2, false},
        {"box missed", box, {-3, 1 + 1e-9, 0}, RIGHT, INFINITY, -1, false},
        {"box just reached", box, {-3, 0.5, 0}, RIGHT, 2, 2, false},
        {"box not reached", box, {-3, 0.5, 0}, RIGHT, 2 - 1e-9, -1, false},
        {"on the box, outwards", box, {1, 0.5, 0}, RIGHT, INFINITY, 0, true},
        {"on the box, along its side", box, {0, 1, 0}, RIGHT, INFINITY, 0, true},
        {"box behind", box, {3, 0, 0}, RIGHT, INFINITY, -1, false},
        {"along a flat box", flat, {-3, 0, 0}, RIGHT, INFINITY, 2, false},
        {"on a flat box", flat, {0.5, 0, 0}, {0, 1, 0}, INFINITY, 0, true},
        {"beside a flat box", flat, {-3, 1e-9, 0}, RIGHT, INFINITY, -1, false},
        {"onto a flat box", flat, {0.5, -3, 0}, {0, 1, 0}, 3, 3, false},
        {"top corner grazed", corner, {-3, 1, 0}, RIGHT, INFINITY, 3, false},
        {"top corner missed", corner, {-3, 1 + 1e-9, 0}, RIGHT, INFINITY, -1, false},
        {"left corner", corner, {-3, 0, 0}, RIGHT, INFINITY, 2, false},
        {"hull of one point", lone, {-3, 1, 0}, RIGHT, INFINITY, 4, false},
        {"hull of one point missed", lone, {-3, 1.5, 0}, RIGHT, INFINITY, -1, false},
    };
    run_all(rays, COUNT(rays));
}

TEST(triangles_3d) {
    const gjk_vec3 corners[] = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}};
    const gjk_vec3 line[] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    const test_body flat = test_body_cloud(GJK_TRIANGLE, 3, corners, 3);
    const test_body thin = test_body_cloud(GJK_TRIANGLE, 3, line, 3);
    const exact_ray rays[] = {
        {"in the plane", flat, {-3, 0.5, 0}, RIGHT, INFINITY, 3, false},
        {"in the plane, at a side", flat, {-3, 0, 0}, RIGHT, INFINITY, 3, false},
        {"in the plane, at a corner", flat, {-3, 2, 0}, RIGHT, INFINITY, 3, false},
        {"beside the plane", flat, {-3, 0.5, 1e-9}, RIGHT, INFINITY, -1, false},
        {"through", flat, {0.5, 0.5, -1}, {0, 0, 1}, INFINITY, 1, false},
        {"through a corner", flat, {0, 2, -1}, {0, 0, 1}, INFINITY, 1, false},
        {"through a side", flat, {1, 1, -1}, {0, 0, 1}, INFINITY, 1, false},
        {"past a side", flat, {1, 1 + 1e-9, -1}, {0, 0, 1}, INFINITY, -1, false},
        {"from on it", flat, {0.5, 0.5, 0}, {0, 0, 1}, INFINITY, 0, true},
        {"from on it, in it", flat, {0.5, 0.5, 0}, RIGHT, INFINITY, 0, true},
        {"without area", thin, {1, -1, 0}, {0, 1, 0}, INFINITY, 1, false},
        {"without area, lengthwise", thin, {-1, 0, 0}, RIGHT, INFINITY, 1, false},
    };
    run_all(rays, COUNT(rays));
}
