/*
 * What shapes are asked about? Every kind in turn, of sizes 1e-3 to 1e3, once in four
 * times with rounding, and once in four times spoiled: flat, thin or with coincident
 * points. From the seed alone, by operations that are exact or correctly rounded.
 */

#include "gallery.h"

#include <stdio.h>
#include <stdlib.h>

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
            if (status != GJK_OK) {
                fprintf(stderr, "shape %u of dimension %u: %s\n", i, dimension,
                        gjk_status_text(status));
                abort();
            }
        }
    }
}

void test_gallery_fini(test_gallery *gallery) {
    gjk_arena_fini(&gallery->arena);
}

const gjk_shape *test_gallery_pick(const test_gallery *gallery, uint32_t dimension, test_rng *rng) {
    return &gallery->shape[dimension - 2][test_rng_below(rng, GALLERY_SHAPES_MAX)];
}
