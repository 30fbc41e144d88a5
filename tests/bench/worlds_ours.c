/* The core's answers at a mesh, or at a height field. */

#include "worlds.h"

#include <stdio.h>
#include <stdlib.h>

#include "gjk/cast.h"
#include "gjk/pieces.h"

typedef struct mesh {
    struct gjk_arena arena;
    gjk_shape shape;
    gjk_placed placed;
    uint32_t triangle_count;
} mesh;

static gjk_status make_heightfield(const bench_landscape_world *world, mesh *own) {
    double *heights = malloc(world->vertex_count * sizeof *heights);
    const gjk_heightfield made_of = {.columns = world->columns,
                                     .rows = world->vertex_count / world->columns,
                                     .spacing = {1, 1},
                                     .heights = heights};
    gjk_pieces_fault fault;
    for (uint32_t i = 0; i < world->vertex_count && heights != NULL; i++) {
        heights[i] = world->vertices[i].z;
    }
    const gjk_status status = heights != NULL ? gjk_shape_make_heightfield(&own->arena, &made_of,
                                                                           0.0, &fault, &own->shape)
                                              : GJK_OUT_OF_MEMORY;
    free(heights);
    return status;
}

static void *begin(const bench_landscape_world *world) {
    mesh *own = malloc(sizeof *own);
    const gjk_mesh made_of = {.vertices = world->vertices,
                              .vertex_count = world->vertex_count,
                              .triangles = (const uint32_t(*)[3])world->triangles,
                              .triangle_count = world->triangle_count};
    gjk_pieces_fault fault;
    gjk_arena_init(&own->arena, 0);
    if ((world->columns > 0
             ? make_heightfield(world, own)
             : gjk_shape_make_mesh(&own->arena, &made_of, 0.0, &fault, &own->shape)) != GJK_OK) {
        fputs("no mesh\n", stderr);
        exit(1);
    }
    own->placed = (gjk_placed){&own->shape, gjk_pose_identity()};
    own->triangle_count = world->triangle_count;
    return own;
}

static void end(void *m) {
    mesh *own = m;
    gjk_arena_fini(&own->arena);
    free(own);
}

static double bytes(const void *m) {
    const mesh *own = m;
    return (double)gjk_pieces_bytes(own->shape.pieces);
}

static void pass_ray(const void *m, const bench_landscape_world *world, int probe,
                     double *answers) {
    const gjk_ray_settings settings = gjk_ray_settings_default();
    (void)probe;
    for (int i = 0; i < BENCH_WORLD_QUERIES; i++) {
        gjk_ray_result hit = gjk_raycast(&((const mesh *)m)->placed, &world->rays[i], &settings);
        answers[i] = hit.hit ? hit.distance : BENCH_WORLD_NONE;
    }
}

static void pass_any(const void *m, const bench_landscape_world *world, int probe,
                     double *answers) {
    gjk_ray_settings settings = gjk_ray_settings_default();
    settings.any = true;
    (void)probe;
    for (int i = 0; i < BENCH_WORLD_QUERIES; i++) {
        answers[i] = gjk_raycast(&((const mesh *)m)->placed, &world->rays[i], &settings).hit;
    }
}

static void pass_detect(const void *m, const bench_landscape_world *world, int probe,
                        double *answers) {
    gjk_detect_settings settings = gjk_detect_settings_default();
    settings.penetration = false;
    for (int i = 0; i < BENCH_WORLD_QUERIES; i++) {
        answers[i] =
            gjk_detect(&((const mesh *)m)->placed, &world->probes[probe][i], &settings).state !=
            GJK_SEPARATED;
    }
}

static void pass_distance(const void *m, const bench_landscape_world *world, int probe,
                          double *answers) {
    const gjk_distance_settings settings = gjk_distance_settings_default();
    for (int i = 0; i < BENCH_WORLD_QUERIES; i++) {
        answers[i] =
            gjk_distance(&((const mesh *)m)->placed, &world->probes[probe][i], &settings).distance;
    }
}

static void pass_cast(const void *m, const bench_landscape_world *world, int probe,
                      double *answers) {
    const gjk_cast_settings settings = gjk_cast_settings_default();
    for (int i = 0; i < BENCH_WORLD_QUERIES; i++) {
        gjk_cast_result hit = gjk_cast(&world->probes[probe][i], world->ways[i],
                                       &((const mesh *)m)->placed, &settings);
        answers[i] = hit.hit ? hit.fraction : BENCH_WORLD_NONE;
    }
}

const struct bench_world_peer bench_world_ours =
    {"gjkd", begin, end, bytes, {pass_ray, pass_any, pass_detect, pass_distance, pass_cast}};
