#ifndef TEST_REGION_SCENE_H
#define TEST_REGION_SCENE_H

/* Regions whose answers are known: unions of cells of a grid. Rings touch wherever they can. */

#include "gjk/pieces.h"
#include "support/rng.h"

#include <check.h>

/* ck_assert for demands that are made millions of times. */
#define REQUIRE(condition)            \
    do {                              \
        if (!(condition)) {           \
            ck_abort_msg(#condition); \
        }                             \
    } while (0)

#define GRID 8
#define SCENE_VERTICES_MAX 2048
#define SCENE_RINGS_MAX 256

typedef struct region_scene {
    gjk_vec2 vertices[SCENE_VERTICES_MAX];
    uint32_t ring_sizes[SCENE_RINGS_MAX], polygon_sizes[SCENE_RINGS_MAX];
    gjk_region region; /* borrows from above */
    bool solid[GRID][GRID];
    uint32_t solid_count;
    uint32_t reflex_count; /* corners at which the region has more than a straight angle */
    uint32_t part_count;   /* unions of cells that share edges */
    /* From grid to plane: x = scale * (a i + b j), y = scale * (c i + d j). */
    int a, b, c, d;
    double scale; /* a power of two */
} region_scene;

/* Random cells, their outlines as rings in either winding from any vertex, some with their
 * collinear vertices, repeated ones and a repeated first one, linearly mapped. */
void region_scene_make(test_rng *rng, double scale, region_scene *out);

/* Half steps of the grid in the plane. */
gjk_vec2 region_scene_point(const region_scene *scene, int i2, int j2);

/* Whether the closed region has that point. */
bool region_scene_contains(const region_scene *scene, int i2, int j2);

#endif
