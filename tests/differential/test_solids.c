/*
 * Points in and out of closed meshes and regions, against exact rational arithmetic (CGAL). Many
 * lie level with vertices, on the surface or a few units in the last place beside it. GJKD_SEED and
 * GJKD_FACTOR as in test_differential.c: 5 makes it a million.
 */

#include "base/predicate.h"
#include "exact_solid.h"
#include "gjk/pair.h"
#include "gjk/pieces.h"
#include "gjk/ray.h"
#include "pair/pieces/pieces.h"
#include "property/region_scene.h"
#include "support/rng.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SCENES 10
#define POINTS 10000 /* a scene */
#define VERTICES_MAX 2048
#define TRIANGLES_MAX 2048

/* --- Closed meshes --- */

typedef struct surface {
    gjk_vec3 vertices[VERTICES_MAX];
    uint32_t triangles[TRIANGLES_MAX][3];
    uint32_t vertex_count, triangle_count;
} surface;

static void add_triangle(surface *s, uint32_t a, uint32_t b, uint32_t c) {
    REQUIRE(s->triangle_count < TRIANGLES_MAX);
    uint32_t *t = s->triangles[s->triangle_count++];
    t[0] = a, t[1] = b, t[2] = c;
}

static void add_vertex(surface *s, gjk_vec3 at) {
    REQUIRE(s->vertex_count < VERTICES_MAX);
    s->vertices[s->vertex_count++] = at;
}

/* A ring of rings, bumpy by a tenth: `n` x `n` vertices. */
static void add_torus(surface *s, test_rng *rng, gjk_vec3 center, double radius, uint32_t n) {
    const uint32_t first = s->vertex_count;
    for (uint32_t i = 0; i < n * n; i++) {
        const double round = 2 * M_PI * (i / n) / n, tube = 2 * M_PI * (i % n) / n;
        const double r = radius * test_rng_uniform(rng, 0.3, 0.4), far = radius + r * cos(tube);
        const gjk_vec3 off = {far * cos(round), far * sin(round), r * sin(tube)};
        add_vertex(s, gjk_add3(center, off));
    }
    for (uint32_t i = 0; i < n * n; i++) {
        const uint32_t next = (i / n + 1) % n * n, row = i / n * n, k = i % n, l = (k + 1) % n;
        add_triangle(s, first + row + k, first + next + k, first + next + l);
        add_triangle(s, first + row + k, first + next + l, first + row + l);
    }
}

/* A box, its faces outwards or inwards; its diagonals in no order. */
static void add_box(surface *s, gjk_vec3 center, gjk_vec3 half, bool inside_out) {
    static const uint32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                          {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                          {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    const uint32_t first = s->vertex_count;
    for (uint32_t i = 0; i < 8; i++) {
        const gjk_vec3 off = {i % 2 ? half.x : -half.x, i / 2 % 2 ? half.y : -half.y,
                              i / 4 ? half.z : -half.z};
        add_vertex(s, gjk_add3(center, off));
    }
    for (uint32_t i = 0; i < 12; i++) {
        const uint32_t *f = faces[i];
        add_triangle(s, first + f[inside_out ? 2 : 0], first + f[1], first + f[inside_out ? 0 : 2]);
    }
}

/* A room with a cavity, a torus through a corner of neither, on a grid or far away. */
static void make_surface(test_rng *rng, uint64_t scene, surface *s) {
    const double off = scene % 3 == 0 ? 0.0 : scene % 3 == 1 ? 1e6 : 0.1;
    const gjk_vec3 center = {off, off, off}, beside = {off + 8, off + 1, off};
    s->vertex_count = s->triangle_count = 0;
    add_box(s, center, (gjk_vec3){4, 4, 4}, false);
    add_box(s, center, (gjk_vec3){2, 1, 3}, true);
    add_torus(s, rng, center, 0.5, 6 + test_rng_below(rng, 4));
    add_torus(s, rng, beside, test_rng_uniform(rng, 2, 2.5), 10 + test_rng_below(rng, 14));
}

/* A few units in the last place from x. */
static double nudge(test_rng *rng, double x) {
    for (int steps = test_rng_integer(rng, -2, 2); steps != 0; steps += steps < 0 ? 1 : -1) {
        x = nextafter(x, steps < 0 ? -INFINITY : INFINITY);
    }
    return x;
}

/* On a corner, an edge or anywhere on a triangle, as far as doubles can say. */
static gjk_vec3 on_surface(test_rng *rng, const surface *s) {
    const uint32_t *t = s->triangles[test_rng_below(rng, s->triangle_count)];
    const gjk_vec3 a = s->vertices[t[0]], b = s->vertices[t[1]], c = s->vertices[t[2]];
    const double u = test_rng_once_in(rng, 4) ? 0.0 : test_rng_uniform(rng, 0, 1);
    const double v = test_rng_once_in(rng, 3) ? 0.0 : test_rng_uniform(rng, 0, 1 - u);
    return gjk_add3(a, gjk_add3(gjk_scale3(u, gjk_sub3(b, a)), gjk_scale3(v, gjk_sub3(c, a))));
}

static gjk_vec3 any_point(test_rng *rng, const surface *s, bool *near) {
    const uint32_t n = s->vertex_count;
    const gjk_vec3 p = s->vertices[test_rng_below(rng, n)], q = s->vertices[test_rng_below(rng, n)];
    const gjk_vec3 origin = s->vertices[0];
    gjk_vec3 on = on_surface(rng, s);
    *near = false;
    switch (test_rng_below(rng, 4)) {
    case 0:
        return (gjk_vec3){origin.x + test_rng_uniform(rng, -1, 16),
                          origin.y + test_rng_uniform(rng, -1, 9),
                          origin.z + test_rng_uniform(rng, -1, 9)};
    case 1: /* below or above a vertex, level with others */
        return (gjk_vec3){p.x, p.y, test_rng_once_in(rng, 2) ? q.z : test_rng_uniform(rng, -5, 5)};
    case 2: /* above an edge or a point of a triangle, and level with a vertex */
        return (gjk_vec3){on.x, on.y, p.z};
    default:
        *near = true;
        return (gjk_vec3){nudge(rng, on.x), nudge(rng, on.y), nudge(rng, on.z)};
    }
}

/* What was asked so far, and with what. */
typedef struct tally {
    gjk_shape dot; /* a point */
    uint64_t inside, outside, on, touching;
} tally;

/* What the queries tell of a point, beside what is true. */
static void check_state(const gjk_placed *solid, gjk_vec3 point, int side, tally *seen) {
    const gjk_detect_settings detect = gjk_detect_settings_default();
    const gjk_distance_settings distance = gjk_distance_settings_default();
    gjk_placed placed = {&seen->dot, gjk_pose_identity()};
    placed.pose.position = point;
    const gjk_detect_result met = gjk_detect(&placed, solid, &detect);
    REQUIRE(gjk_distance(&placed, solid, &distance).state == met.state);
    seen->inside += side > 0;
    seen->outside += side < 0;
    seen->on += side == 0;
    seen->touching += met.state == GJK_TOUCHING;
    REQUIRE(side != 0 || met.state == GJK_TOUCHING);
    REQUIRE(met.state == GJK_TOUCHING || (met.state == GJK_OVERLAPPING) == (side > 0));
}

static void check_mesh(test_rng *rng, const gjk_placed *solid, const surface *s, uint64_t points,
                       tally *seen) {
    struct test_exact_solid *exact =
        test_exact_mesh_new(&s->vertices[0].x, s->vertex_count, s->triangles[0], s->triangle_count);
    const gjk_ray_settings settings = gjk_ray_settings_default();
    REQUIRE(exact != NULL);
    for (uint64_t i = 0; i < points; i++) {
        bool near;
        const gjk_vec3 point = any_point(rng, s, &near);
        const int side = test_exact_side(exact, (double[3]){point.x, point.y, point.z});
        gjk_ray ray;
        const uint64_t touching = seen->touching;
        check_state(solid, point, side, seen);
        REQUIRE(side == 0 || gjk_mesh_encloses(solid->shape->pieces, point, NULL) == (side > 0));
        REQUIRE(gjk_ray_make(point, test_rng_direction(rng, 3), INFINITY, &ray) == GJK_OK);
        const gjk_ray_result hit = gjk_raycast(solid, &ray, &settings);
        REQUIRE(near || seen->touching > touching || hit.inside == (side > 0));
        REQUIRE(side <= 0 || hit.inside);
    }
    test_exact_solid_free(exact);
}

TEST(points_and_closed_meshes) {
    static surface s;
    test_rng rng = test_rng_make(test_seed() * 1000 + 700);
    const uint64_t factor = test_factor();
    tally seen = {0};
    struct gjk_arena arena;
    gjk_arena_init(&arena, 0);
    for (uint64_t scene = 0; scene < SCENES * factor; scene++) {
        make_surface(&rng, scene, &s);
        const gjk_mesh mesh = {.vertices = s.vertices,
                               .vertex_count = s.vertex_count,
                               .triangles = (const uint32_t(*)[3])s.triangles,
                               .triangle_count = s.triangle_count,
                               .closed = true};
        gjk_pieces_fault fault;
        gjk_shape shape;
        REQUIRE(gjk_shape_make_point(&arena, 3, 0.0, &seen.dot) == GJK_OK);
        REQUIRE(gjk_shape_make_mesh(&arena, &mesh, 0.0, &fault, &shape) == GJK_OK);
        const gjk_placed solid = {&shape, gjk_pose_identity()};
        check_mesh(&rng, &solid, &s, POINTS, &seen);
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
    REQUIRE(seen.inside > 1000 && seen.outside > 1000 && seen.on > 1000);
    printf("meshes: %lu points inside, %lu outside, %lu on the surface; %lu told as touching\n",
           (unsigned long)seen.inside, (unsigned long)seen.outside, (unsigned long)seen.on,
           (unsigned long)seen.touching);
}

/* --- Regions --- */

/* A star with a hole, its vertices any doubles, somewhere. */
static gjk_region make_star(test_rng *rng, gjk_vec2 *vertices, uint32_t ring_sizes[2]) {
    static const uint32_t rings = 2;
    const uint32_t n = 8 + test_rng_below(rng, 200);
    const double far = test_rng_once_in(rng, 2) ? 0.0 : test_rng_magnitude(rng, 0, 7);
    const gjk_vec3 off = gjk_scale3(far, test_rng_direction(rng, 2));
    ring_sizes[0] = ring_sizes[1] = n;
    for (uint32_t k = 0; k < 2 * n; k++) {
        const double turn = 2 * M_PI * k / n, r = test_rng_uniform(rng, 1, 5) * (k < n ? 5.0 : 1.0);
        vertices[k] = (gjk_vec2){off.x + r * cos(turn), off.y + r * sin(turn)};
    }
    return (gjk_region){.vertices = vertices,
                        .ring_sizes = ring_sizes,
                        .polygon_sizes = &rings,
                        .polygon_count = 1};
}

static uint32_t count_vertices(const gjk_region *region) {
    uint32_t vertices = 0;
    const uint32_t *ring = region->ring_sizes;
    for (uint32_t i = 0; i < region->polygon_count; i++) {
        for (uint32_t r = 0; r < region->polygon_sizes[i]; r++) {
            vertices += *ring++;
        }
    }
    return vertices;
}

static gjk_vec2 any_place(test_rng *rng, const gjk_shape *shape, const gjk_region *region,
                          uint32_t count) {
    const uint32_t k = test_rng_below(rng, count);
    const gjk_vec2 p = region->vertices[k], q = region->vertices[k + 1 < count ? k + 1 : 0];
    const gjk_vec2 other = region->vertices[test_rng_below(rng, count)];
    const double t = test_rng_uniform(rng, 0, 1);
    const gjk_vec2 on = {p.x + t * (q.x - p.x), p.y + t * (q.y - p.y)};
    const gjk_vec3 middle = shape->center, half = shape->half_extents;
    switch (test_rng_below(rng, 5)) {
    case 0:
        return (gjk_vec2){p.x, other.y};
    case 1:
        return (gjk_vec2){on.x, other.y};
    case 2:
        return (gjk_vec2){nudge(rng, on.x), nudge(rng, on.y)};
    case 3:
        return p;
    default:
        return (gjk_vec2){middle.x + half.x * test_rng_uniform(rng, -1.1, 1.1),
                          middle.y + half.y * test_rng_uniform(rng, -1.1, 1.1)};
    }
}

/* Whether one of the convex polygons that the region was cut into has the point, exactly. */
static bool pieces_contain(const struct gjk_pieces *pieces, gjk_vec2 point) {
    for (uint32_t i = 0; i < gjk_pieces_count(pieces); i++) {
        const gjk_vec2 *corners;
        const uint32_t count = gjk_pieces_polygon(pieces, i, &corners);
        bool inside = true;
        for (uint32_t k = 0; k < count && inside; k++) {
            inside = gjk_orient2_sign(corners[k], corners[(k + 1) % count], point) >= 0;
        }
        if (inside) {
            return true;
        }
    }
    return false;
}

static void check_region(test_rng *rng, const gjk_placed *solid, const gjk_region *region,
                         uint64_t points, tally *seen) {
    const uint32_t count = count_vertices(region);
    struct test_exact_solid *exact =
        test_exact_region_new(&region->vertices[0].x, region->ring_sizes, region->polygon_sizes,
                              region->polygon_count);
    for (uint64_t i = 0; i < points; i++) {
        const gjk_vec2 point = any_place(rng, solid->shape, region, count);
        const int side = test_exact_side(exact, (double[3]){point.x, point.y, 0.0});
        REQUIRE(pieces_contain(solid->shape->pieces, point) == (side >= 0));
        check_state(solid, (gjk_vec3){point.x, point.y, 0.0}, side, seen);
    }
    test_exact_solid_free(exact);
}

TEST(points_and_regions) {
    static region_scene cells;
    static gjk_vec2 vertices[512];
    uint32_t ring_sizes[2];
    test_rng rng = test_rng_make(test_seed() * 1000 + 800);
    const uint64_t factor = test_factor();
    tally seen = {0};
    struct gjk_arena arena;
    gjk_arena_init(&arena, 0);
    for (uint64_t scene = 0; scene < 10 * SCENES * factor; scene++) {
        gjk_region region;
        if (scene % 2 == 0) {
            region_scene_make(&rng, 1.0, &cells);
            region = cells.region;
        } else {
            region = make_star(&rng, vertices, ring_sizes);
        }
        gjk_pieces_fault fault;
        gjk_shape shape;
        REQUIRE(gjk_shape_make_point(&arena, 2, 0.0, &seen.dot) == GJK_OK);
        REQUIRE(gjk_shape_make_region(&arena, &region, 0.0, &fault, &shape) == GJK_OK);
        const gjk_placed solid = {&shape, gjk_pose_identity()};
        check_region(&rng, &solid, &region, POINTS / 10, &seen);
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
    REQUIRE(seen.inside > 1000 && seen.outside > 1000 && seen.on > 1000);
    printf("regions: %lu points inside, %lu outside, %lu on an edge; %lu told as touching\n",
           (unsigned long)seen.inside, (unsigned long)seen.outside, (unsigned long)seen.on,
           (unsigned long)seen.touching);
}
