/*
 * What shapes are asked about? Every kind in turn, of sizes 1e-3 to 1e3, once in four
 * times with rounding, and once in four times spoiled: flat, thin or with coincident
 * points. From the seed alone, by operations that are exact or correctly rounded.
 */

#include "gallery.h"

#include "gjk/pieces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEED 20261121u
#define POINTS_MAX 128

/* What one shape is made from. */
typedef struct recipe {
    uint32_t dimension;
    double size, rounding;
    gjk_vec3 extent; /* positive; spoiled ones are thin along an axis */
    bool spoiled;
    gjk_vec3 point[POINTS_MAX];
    uint32_t count;
} recipe;

static gjk_vec3 point_within(test_rng *rng, const recipe *r) {
    gjk_vec3 d = test_rng_direction(rng, r->dimension);
    return (gjk_vec3){r->extent.x * d.x, r->extent.y * d.y, r->extent.z * d.z};
}

static recipe make_recipe(test_rng *rng, uint32_t dimension) {
    static const uint32_t counts[] = {3, 4, 8, 13, 32, POINTS_MAX};
    recipe r = {.dimension = dimension, .count = counts[test_rng_below(rng, 6)]};
    r.size = test_rng_once_in(rng, 3) ? test_rng_magnitude(rng, -3, 3) : 1.0;
    r.rounding = test_rng_once_in(rng, 4) ? r.size * test_rng_uniform(rng, 0, 0.5) : 0.0;
    r.spoiled = test_rng_once_in(rng, 4);
    double thin = r.spoiled ? test_rng_magnitude(rng, -9, -2) : 1.0;
    r.extent.x = r.size * test_rng_uniform(rng, 0.3, 1);
    r.extent.y = thin * r.size * test_rng_uniform(rng, 0.3, 1);
    r.extent.z = dimension == 3 ? r.size * test_rng_uniform(rng, 0.3, 1) : 0.0;
    for (uint32_t i = 0; i < r.count; i++) {
        r.point[i] =
            r.spoiled && i > 3 && test_rng_once_in(rng, 3) ? r.point[i - 1] : point_within(rng, &r);
    }
    return r;
}

static gjk_status make_cloud(const recipe *r, uint32_t kind, struct gjk_arena *arena,
                             gjk_shape *out) {
    gjk_vec3 flat = r->extent;
    switch (kind) {
    case 0:
        return gjk_shape_make_point(arena, r->dimension, r->rounding, out);
    case 1:
        return gjk_shape_make_ball(arena, r->dimension, r->extent.x, r->rounding, out);
    case 2:
        return gjk_shape_make_segment(arena, r->dimension, r->point[0], r->point[1], r->rounding,
                                      out);
    case 3:
        return gjk_shape_make_capsule(arena, r->dimension, r->point, r->extent.y, r->rounding, out);
    case 4:
        flat.y = r->spoiled ? 0.0 : flat.y;
        return gjk_shape_make_box(arena, r->dimension, flat, r->rounding, out);
    case 5:
        if (r->dimension == 3) {
            return gjk_shape_make_triangle(arena, r->point, r->rounding, out);
        }
        break;
    default:
        break;
    }
    return gjk_shape_make_hull(arena, r->dimension, r->point, r->count, r->rounding, out);
}

static gjk_status make_curve(const recipe *r, uint32_t kind, test_rng *rng, gjk_shape *out) {
    if (kind == 0) {
        return gjk_shape_make_ellipse(r->dimension, r->extent, r->rounding, out);
    }
    if (r->dimension == 2) {
        return kind == 1 ? gjk_shape_make_half_ellipse(r->extent.x, r->extent.y, r->rounding, out)
                         : gjk_shape_make_slice(r->extent.x, test_rng_uniform(rng, 0.01, 3.14),
                                                r->rounding, out);
    }
    return kind == 1 ? gjk_shape_make_cylinder(r->point, r->extent.y, r->rounding, out)
                     : gjk_shape_make_cone(r->point[0], r->point[1], r->extent.y, r->rounding, out);
}

/* Kinds 0 to 7 are clouds, 8 to 10 curves. */
#define CLOUDS 8
#define CURVES 3

/* --- Of many pieces --- */

#define CELLS 8
#define CORNERS 16
#define PARTS 6

static gjk_status make_compound(test_gallery *gallery, uint32_t dimension, test_rng *rng,
                                gjk_shape *out) {
    gjk_placed parts[PARTS];
    for (uint32_t i = 0; i < PARTS; i++) {
        parts[i].shape = &gallery->shape[dimension - 2][test_rng_below(rng, GALLERY_SHAPES_MAX)];
        const gjk_vec3 at =
            gjk_scale3(parts[i].shape->bounding_radius, test_rng_direction(rng, dimension));
        const double angle = test_rng_uniform(rng, -3, 3);
        const gjk_status status = dimension == 2
                                      ? gjk_pose_make2(gjk_xy(at), angle, &parts[i].pose)
                                      : gjk_pose_make3(at, test_rng_rotation(rng), &parts[i].pose);
        if (status != GJK_OK) {
            return status;
        }
    }
    return gjk_shape_make_compound(&gallery->arena, dimension, parts, PARTS, out);
}

/* A star around the origin, whose corners are on a fine grid. */
static gjk_status make_star(struct gjk_arena *arena, uint32_t kind, test_rng *rng, gjk_shape *out) {
    static const int8_t around[CORNERS][2] = {{8, 0},  {7, 3},   {6, 6},   {3, 7},
                                              {0, 8},  {-3, 7},  {-6, 6},  {-7, 3},
                                              {-8, 0}, {-7, -3}, {-6, -6}, {-3, -7},
                                              {0, -8}, {3, -7},  {6, -6},  {7, -3}};
    gjk_vec2 corners[CORNERS];
    const uint32_t ring = CORNERS, polygon = 1;
    gjk_pieces_fault fault;
    for (uint32_t i = 0; i < CORNERS; i++) {
        const double part = (1 + (double)test_rng_below(rng, 16)) / 64;
        corners[i] = (gjk_vec2){around[i][0] * part, around[i][1] * part};
    }
    if (kind == 0) {
        return gjk_shape_make_chain(arena, corners, CORNERS, true, 0, &fault, out);
    }
    const gjk_region region = {.vertices = corners,
                               .ring_sizes = &ring,
                               .polygon_sizes = &polygon,
                               .polygon_count = 1};
    return gjk_shape_make_region(arena, &region, kind == 1 ? 0.0 : 0.25, &fault, out);
}

static gjk_status make_ground(struct gjk_arena *arena, uint32_t kind, test_rng *rng,
                              gjk_shape *out) {
    gjk_vec3 vertices[(CELLS + 1) * (CELLS + 1)];
    double heights[(CELLS + 1) * (CELLS + 1)];
    uint32_t triangles[2 * CELLS * CELLS][3];
    gjk_pieces_fault fault;
    for (uint32_t i = 0; i < (CELLS + 1) * (CELLS + 1); i++) {
        heights[i] = (double)test_rng_below(rng, 64) / 64;
        vertices[i] = (gjk_vec3){i % (CELLS + 1) * 0.25, i / (CELLS + 1) * 0.25, heights[i]};
    }
    for (uint32_t i = 0; i < CELLS * CELLS; i++) {
        const uint32_t a = i / CELLS * (CELLS + 1) + i % CELLS, b = a + CELLS + 1;
        memcpy(triangles[2 * i], (uint32_t[3]){a, a + 1, b + 1}, sizeof *triangles);
        memcpy(triangles[2 * i + 1], (uint32_t[3]){a, b + 1, b}, sizeof *triangles);
    }
    if (kind == 0) {
        const gjk_mesh mesh = {.vertices = vertices,
                               .vertex_count = (CELLS + 1) * (CELLS + 1),
                               .triangles = (const uint32_t(*)[3])triangles,
                               .triangle_count = 2 * CELLS * CELLS};
        return gjk_shape_make_mesh(arena, &mesh, 0, &fault, out);
    }
    const gjk_heightfield field = {.heights = heights,
                                   .columns = CELLS + 1,
                                   .rows = CELLS + 1,
                                   .spacing = {0.25, 0.25}};
    return gjk_shape_make_heightfield(arena, &field, kind == 1 ? 0.0 : 0.25, &fault, out);
}

/* A torus of quadrangles, closed, with the cells' vertices around each of its rings. */
static gjk_status make_torus(struct gjk_arena *arena, test_rng *rng, gjk_shape *out) {
    static const int8_t around[CELLS][2] = {{8, 0},  {6, 6},   {0, 8},  {-6, 6},
                                            {-8, 0}, {-6, -6}, {0, -8}, {6, -6}};
    gjk_vec3 vertices[CELLS * CELLS];
    uint32_t triangles[2 * CELLS * CELLS][3];
    gjk_pieces_fault fault;
    for (uint32_t i = 0; i < CELLS * CELLS; i++) {
        const int8_t *u = around[i / CELLS], *v = around[i % CELLS];
        const double thick = (4 + (double)test_rng_below(rng, 4)) / 16;
        const double off = (16 + v[0] * thick) / 64;
        vertices[i] = (gjk_vec3){u[0] * off, u[1] * off, v[1] * thick / 8};
        const uint32_t right = (i + CELLS) % (CELLS * CELLS),
                       up = i / CELLS * CELLS + (i + 1) % CELLS,
                       both = right / CELLS * CELLS + (i + 1) % CELLS;
        memcpy(triangles[2 * i], (uint32_t[3]){i, right, both}, sizeof *triangles);
        memcpy(triangles[2 * i + 1], (uint32_t[3]){i, both, up}, sizeof *triangles);
    }
    const gjk_mesh mesh = {.vertices = vertices,
                           .vertex_count = CELLS * CELLS,
                           .triangles = (const uint32_t(*)[3])triangles,
                           .triangle_count = 2 * CELLS * CELLS,
                           .closed = true};
    return gjk_shape_make_mesh(arena, &mesh, 0, &fault, out);
}

static gjk_status make_whole(test_gallery *gallery, uint32_t dimension, uint32_t i, test_rng *rng,
                             gjk_shape *out) {
    if (i % 5 == 4) {
        return make_compound(gallery, dimension, rng, out);
    }
    if (dimension == 2) {
        return make_star(&gallery->arena, i % 5 % 3, rng, out);
    }
    return i % 5 == 3 ? make_torus(&gallery->arena, rng, out)
                      : make_ground(&gallery->arena, i % 5, rng, out);
}

static void must(gjk_status status, const char *what, uint32_t i, uint32_t dimension) {
    if (status != GJK_OK) {
        fprintf(stderr, "%s %u of dimension %u: %s\n", what, i, dimension, gjk_status_text(status));
        abort();
    }
}

void test_gallery_init(test_gallery *gallery) {
    test_rng rng = test_rng_make(SEED);
    gjk_arena_init(&gallery->arena, 0);
    for (uint32_t dimension = 2; dimension <= 3; dimension++) {
        for (uint32_t i = 0; i < GALLERY_SHAPES_MAX; i++) {
            gjk_shape *out = &gallery->shape[dimension - 2][i];
            uint32_t kind = i % (CLOUDS + CURVES);
            recipe r = make_recipe(&rng, dimension);
            gjk_status status = kind < CLOUDS ? make_cloud(&r, kind, &gallery->arena, out)
                                              : make_curve(&r, kind - CLOUDS, &rng, out);
            must(status, "shape", i, dimension);
        }
    }
    for (uint32_t dimension = 2; dimension <= 3; dimension++) {
        for (uint32_t i = 0; i < GALLERY_WHOLES_MAX; i++) {
            gjk_shape *out = &gallery->whole[dimension - 2][i];
            must(make_whole(gallery, dimension, i, &rng, out), "whole", i, dimension);
        }
    }
}

void test_gallery_fini(test_gallery *gallery) {
    gjk_arena_fini(&gallery->arena);
}

const gjk_shape *test_gallery_pick(const test_gallery *gallery, uint32_t dimension, test_rng *rng) {
    return &gallery->shape[dimension - 2][test_rng_below(rng, GALLERY_SHAPES_MAX)];
}

const gjk_shape *test_gallery_pick_whole(const test_gallery *gallery, uint32_t dimension,
                                         test_rng *rng) {
    return &gallery->whole[dimension - 2][test_rng_below(rng, GALLERY_WHOLES_MAX)];
}
