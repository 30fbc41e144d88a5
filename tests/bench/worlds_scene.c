/* The meshes that the benchmark of worlds asks about, and its questions. */

#include "worlds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/rng.h"

static void *get(struct gjk_arena *arena, size_t count, size_t size) {
    void *block = gjk_arena_alloc_array(arena, count, size);
    if (block == NULL) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return block;
}

static void must(gjk_status status) {
    if (status != GJK_OK) {
        fprintf(stderr, "no scene: status %d\n", (int)status);
        exit(1);
    }
}

static void allocate(bench_landscape_world *world, uint32_t vertices, uint32_t triangles) {
    world->vertices = get(&world->arena, vertices, sizeof *world->vertices);
    world->triangles = get(&world->arena, triangles, sizeof *world->triangles);
}

static void add_triangle(bench_landscape_world *world, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t *triangle = world->triangles[world->triangle_count++];
    triangle[0] = a;
    triangle[1] = b;
    triangle[2] = c;
}

/* Two triangles for each cell of a grid of vertices. */
static void add_cells(bench_landscape_world *world, uint32_t columns, uint32_t rows) {
    for (uint32_t y = 0; y + 1 < rows; y++) {
        for (uint32_t x = 0; x + 1 < columns; x++) {
            const uint32_t at = y * columns + x;
            add_triangle(world, at, at + 1, at + columns + 1);
            add_triangle(world, at, at + columns + 1, at + columns);
        }
    }
}

static void make_terrain(bench_landscape_world *world, test_rng *rng, uint32_t triangles) {
    const uint32_t side = (uint32_t)sqrt(triangles / 2.0) + 1;
    allocate(world, side * side, 2 * (side - 1) * (side - 1));
    for (uint32_t i = 0; i < side * side; i++) {
        const double x = i % side, y = i / side;
        const double hills = 3 * sin(x / 9) * cos(y / 7) + 8 * sin(x / 41 + y / 53);
        world->vertices[world->vertex_count++] =
            (gjk_vec3){x, y, hills + test_rng_uniform(rng, 0, 0.5)};
    }
    add_cells(world, side, side);
}

/* A ball with folds, its seam and poles left open. */
static void make_sculpture(bench_landscape_world *world, test_rng *rng, uint32_t triangles) {
    const uint32_t rows = (uint32_t)sqrt(triangles / 4.0) + 1, columns = 2 * rows;
    const double radius = rows / 3.0;
    allocate(world, rows * columns, 2 * (rows - 1) * (columns - 1));
    for (uint32_t i = 0; i < rows * columns; i++) {
        const double turn = 2 * M_PI * (i % columns) / (columns - 1);
        const double polar = M_PI * (i / columns) / (rows - 1);
        const double folds = 0.15 * sin(11 * turn) * sin(9 * polar) + 0.1 * sin(23 * polar);
        const double r = radius * (1 + folds) + test_rng_uniform(rng, 0, 0.3);
        world->vertices[world->vertex_count++] =
            (gjk_vec3){r * sin(polar) * cos(turn), r * sin(polar) * sin(turn), r * cos(polar)};
    }
    add_cells(world, columns, rows);
}

static void make_city(bench_landscape_world *world, test_rng *rng, uint32_t triangles) {
    static const uint8_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                         {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                         {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    const uint32_t boxes = triangles / 12, side = (uint32_t)ceil(sqrt(boxes));
    allocate(world, 8 * boxes, 12 * boxes);
    for (uint32_t i = 0; i < boxes; i++) {
        const double x = 1.6 * (i % side), y = 1.6 * (i / side);
        const double width = test_rng_uniform(rng, 0.5, 1.4),
                     depth = test_rng_uniform(rng, 0.5, 1.4);
        const double height = test_rng_magnitude(rng, 0, 1);
        const uint32_t first = world->vertex_count;
        for (int k = 0; k < 8; k++) {
            world->vertices[world->vertex_count++] =
                (gjk_vec3){x + (k % 2) * width, y + (k / 2 % 2) * depth, (k / 4) * height};
        }
        for (int k = 0; k < 12; k++) {
            add_triangle(world, first + faces[k][0], first + faces[k][1], first + faces[k][2]);
        }
    }
}

/* A point up to `far` from a vertex. */
static gjk_vec3 near_surface(const bench_landscape_world *world, test_rng *rng, double far) {
    const gjk_vec3 at = world->vertices[test_rng_below(rng, world->vertex_count)];
    return gjk_add3(at, gjk_scale3(test_rng_uniform(rng, 0, far), test_rng_direction(rng, 3)));
}

static void make_probes(bench_landscape_world *world, test_rng *rng) {
    const gjk_vec3 ends[2] = {{0, 0, -0.5}, {0, 0, 0.5}};
    gjk_vec3 points[32];
    for (int i = 0; i < 32; i++) {
        points[i] = gjk_scale3(0.6, test_rng_direction(rng, 3));
    }
    gjk_shape *shapes = world->shapes;
    must(gjk_shape_make_ball(&world->arena, 3, 0.5, 0, &shapes[BENCH_SPHERE]));
    must(gjk_shape_make_capsule(&world->arena, 3, ends, 0.3, 0, &shapes[BENCH_CAPSULE_PROBE]));
    must(gjk_shape_make_hull(&world->arena, 3, points, 32, 0, &shapes[BENCH_HULL]));
    must(gjk_shape_make_point(&world->arena, 3, 0, &shapes[BENCH_POINT]));
    for (int kind = 0; kind < BENCH_ALL_PROBES; kind++) {
        for (int i = 0; i < BENCH_WORLD_QUERIES; i++) {
            gjk_placed *probe = &world->probes[kind][i];
            probe->shape = &shapes[kind];
            must(gjk_pose_make3(near_surface(world, rng, 3.0), test_rng_rotation(rng),
                                &probe->pose));
        }
    }
}

void bench_landscape_init(bench_landscape_world *world, enum bench_landscape kind,
                          uint32_t triangles) {
    test_rng rng = test_rng_make(31337 + triangles + kind);
    *world = (bench_landscape_world){.vertex_count = 0};
    gjk_arena_init(&world->arena, 0);
    (kind == BENCH_SCULPTURE ? make_sculpture
     : kind == BENCH_CITY    ? make_city
                             : make_terrain)(world, &rng, triangles);
    world->columns = kind == BENCH_FIELD ? (uint32_t)sqrt(world->vertex_count) : 0;
    const double far = sqrt(triangles);
    for (int i = 0; i < BENCH_WORLD_QUERIES; i++) {
        must(gjk_ray_make(near_surface(world, &rng, 0.2 * far), test_rng_direction(&rng, 3), far,
                          &world->rays[i]));
        world->ways[i] = gjk_scale3(4.0, test_rng_direction(&rng, 3));
    }
    make_probes(world, &rng);
}

void bench_landscape_fini(bench_landscape_world *world) {
    gjk_arena_fini(&world->arena);
}

void bench_landscapes_measure(enum bench_landscape last, uint32_t triangles_least, int argc,
                              char **argv,
                              void (*measure)(const char *scene, bench_landscape_world *world,
                                              const char *asked)) {
    static const char *const names[] = {"terrain", "sculpture", "city", "height field"};
    for (int kind = 0; kind <= (int)last; kind++) {
        for (uint32_t triangles = triangles_least; triangles <= 1000000; triangles *= 10) {
            static bench_landscape_world world;
            char scene[64];
            (void)snprintf(scene, sizeof scene, "%s of %u", names[kind], triangles);
            if (argc < 2 || strstr(scene, argv[1]) != NULL) {
                bench_landscape_init(&world, (enum bench_landscape)kind, triangles);
                measure(scene, &world, argc < 3 ? "" : argv[2]);
                bench_landscape_fini(&world);
            }
        }
    }
}
