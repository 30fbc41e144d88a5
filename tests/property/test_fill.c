/*
 * Fill rules: what random rings enclose, whatever crosses whatever. The boundary must be simple, it
 * must enclose what the rule says at every point that is not next to an edge, and vertices must
 * stay.
 */

#include "base/predicate.h"
#include "region_scene.h"
#include "shape/region/region.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#define SCENES TEST_CASES(2000)
#define RINGS_MAX 4
#define VERTICES_MAX 14
#define POINTS 24

typedef struct dirty {
    gjk_vec2 vertices[RINGS_MAX * VERTICES_MAX];
    uint32_t ring_sizes[RINGS_MAX];
    gjk_region region;
    uint32_t vertex_count;
    double size; /* of the largest coordinate */
} dirty;

/* --- Random rings --- */

typedef gjk_vec2 place(test_rng *rng, double scale);

static gjk_vec2 on_grid(test_rng *rng, double scale) {
    return (gjk_vec2){scale * test_rng_integer(rng, -6, 6), scale * test_rng_integer(rng, -6, 6)};
}

static gjk_vec2 anywhere(test_rng *rng, double scale) {
    return (gjk_vec2){test_rng_uniform(rng, -scale, scale), test_rng_uniform(rng, -scale, scale)};
}

/* A few steps of doubles from each other, so that every crossing is rounded onto something. */
static gjk_vec2 in_steps(test_rng *rng, double scale) {
    return (gjk_vec2){scale * (1 + 0x1p-52 * test_rng_integer(rng, 0, 40)),
                      scale * (1 + 0x1p-52 * test_rng_integer(rng, 0, 40))};
}

/* Along one line, but for steps of doubles. */
static gjk_vec2 nearly_aligned(test_rng *rng, double scale) {
    const double x = test_rng_uniform(rng, -1, 1);
    return (gjk_vec2){scale * x, scale * (0.3 * x + 0x1p-53 * test_rng_integer(rng, -8, 8))};
}

static void make_rings(test_rng *rng, place *random, double scale, dirty *out) {
    static const uint32_t one_polygon[] = {RINGS_MAX};
    out->vertex_count = 0;
    out->size = 0;
    for (uint32_t r = 0; r < RINGS_MAX; r++) {
        const uint32_t count = test_rng_once_in(rng, 3) ? 0 : test_rng_below(rng, VERTICES_MAX);
        out->ring_sizes[r] = count;
        for (uint32_t i = 0; i < count; i++) {
            const gjk_vec2 p = random(rng, scale);
            out->vertices[out->vertex_count++] = p;
            out->size = fmax(out->size, fmax(fabs(p.x), fabs(p.y)));
        }
    }
    out->region = (gjk_region){
        .vertices = out->vertices,
        .ring_sizes = out->ring_sizes,
        .polygon_sizes = one_polygon,
        .polygon_count = 1,
        .fill = test_rng_once_in(rng, 2) ? GJK_FILL_NONZERO : GJK_FILL_EVENODD,
    };
}

/* --- What must hold --- */

/* How often an edge goes round a point from below; `near`: whether it passes within the length. */
static int turns_of(gjk_vec2 a, gjk_vec2 b, gjk_vec2 point, double length, bool *near) {
    const gjk_vec2 ab = {b.x - a.x, b.y - a.y}, ap = {point.x - a.x, point.y - a.y};
    const double square = ab.x * ab.x + ab.y * ab.y;
    const double s = square > 0 ? fmin(fmax((ap.x * ab.x + ap.y * ab.y) / square, 0), 1) : 0;
    *near = *near || hypot(ap.x - s * ab.x, ap.y - s * ab.y) <= length;
    if ((a.y <= point.y) == (b.y <= point.y)) {
        return 0;
    }
    const int side = gjk_orient2_sign(a, b, point);
    return a.y <= point.y ? side > 0 : -(side < 0);
}

static bool is_filled(const dirty *d, gjk_vec2 point, bool *near) {
    const gjk_vec2 *p = d->vertices;
    int turns = 0;
    for (uint32_t r = 0; r < RINGS_MAX; p += d->ring_sizes[r++]) {
        const uint32_t n = d->ring_sizes[r];
        for (uint32_t i = 0; i < n; i++) {
            turns += turns_of(p[i], p[(i + 1) % n], point, 0x1p-50 * d->size, near);
        }
    }
    return d->region.fill == GJK_FILL_EVENODD ? turns % 2 != 0 : turns != 0;
}

static bool is_enclosed(const gjk_rings *rings, gjk_vec2 point) {
    bool near = false;
    int turns = 0;
    for (uint32_t i = 0; i < rings->edge_count; i++) {
        turns += turns_of(rings->points[rings->edges[i].left], rings->points[rings->edges[i].right],
                          point, -1, &near);
    }
    return turns % 2 != 0;
}

static bool lies_on(gjk_vec2 a, gjk_vec2 b, gjk_vec2 p) {
    return gjk_orient2_sign(a, b, p) == 0 && fmin(a.x, b.x) <= p.x && p.x <= fmax(a.x, b.x) &&
           fmin(a.y, b.y) <= p.y && p.y <= fmax(a.y, b.y);
}

/* Edges meet at their ends alone, and no two are the same. */
static void check_simple(const gjk_rings *rings) {
    for (uint32_t i = 0; i < rings->edge_count; i++) {
        const gjk_sweep_edge e = rings->edges[i];
        const gjk_vec2 a = rings->points[e.left], b = rings->points[e.right];
        for (uint32_t k = 0; k < rings->edge_count; k++) {
            const gjk_sweep_edge f = rings->edges[k];
            const gjk_vec2 c = rings->points[f.left], d = rings->points[f.right];
            REQUIRE(i == k || e.left != f.left || e.right != f.right);
            REQUIRE(f.left == e.left || f.left == e.right || !lies_on(a, b, c));
            REQUIRE(f.right == e.left || f.right == e.right || !lies_on(a, b, d));
            REQUIRE(gjk_orient2_sign(a, b, c) * gjk_orient2_sign(a, b, d) >= 0 ||
                    gjk_orient2_sign(c, d, a) * gjk_orient2_sign(c, d, b) >= 0);
        }
    }
}

static bool is_in_piece(const struct gjk_pieces *pieces, uint32_t piece, gjk_vec2 point) {
    const gjk_vec2 *p;
    const uint32_t count = gjk_pieces_polygon(pieces, piece, &p);
    for (uint32_t k = 0; k < count; k++) {
        if (gjk_orient2_sign(p[k], p[(k + 1) % count], point) < 0) {
            return false;
        }
    }
    return true;
}

static bool has_piece_at(const struct gjk_pieces *pieces, gjk_vec2 point) {
    for (uint32_t i = 0; i < gjk_pieces_count(pieces); i++) {
        if (is_in_piece(pieces, i, point)) {
            return true;
        }
    }
    return false;
}

/* A point a few units in the last place from an edge. */
static gjk_vec2 beside_an_edge(test_rng *rng, const dirty *d) {
    if (d->vertex_count == 0) {
        return (gjk_vec2){0, 0};
    }
    const gjk_vec2 *p = d->vertices;
    const uint32_t i = test_rng_below(rng, d->vertex_count);
    const gjk_vec2 a = p[i], b = p[(i + 1) % d->vertex_count];
    const double s = test_rng_uniform(rng, 0, 1), off = 0x1p-47 * d->size;
    return (gjk_vec2){a.x + s * (b.x - a.x) + off * test_rng_uniform(rng, -1, 1),
                      a.y + s * (b.y - a.y) + off * test_rng_uniform(rng, -1, 1)};
}

static void check_rings(test_rng *rng, const dirty *d, bool has_room) {
    struct gjk_arena arena;
    gjk_pieces_fault fault;
    gjk_rings rings;
    gjk_shape shape;
    gjk_arena_init(&arena, 0);
    REQUIRE(gjk_rings_make(&arena, &d->region, &fault, &rings) == GJK_OK);
    REQUIRE(gjk_rings_arrange(&arena, d->region.fill, GJK_PIECES_MAX, &rings) == GJK_OK);
    check_simple(&rings);
    REQUIRE(gjk_shape_make_region(&arena, &d->region, 0, &fault, &shape) == GJK_OK);
    for (uint32_t i = 0; has_room && i < POINTS; i++) {
        const gjk_vec2 point = i % 2 == 0 ? anywhere(rng, 1.1 * d->size) : beside_an_edge(rng, d);
        bool near = false;
        const bool filled = is_filled(d, point, &near);
        REQUIRE(near || is_enclosed(&rings, point) == filled);
        REQUIRE(near || has_piece_at(shape.pieces, point) == filled);
    }
    gjk_arena_fini(&arena);
}

TEST(random_rings_are_filled) {
    static const struct {
        place *random;
        bool has_room;
    } families[] = {{on_grid, true}, {anywhere, true}, {in_steps, false}, {nearly_aligned, true}};
    static const double scales[] = {1, 0x1p-465, 0x1p465};
    static dirty d;
    test_rng rng = test_rng_make(3);
    for (uint32_t i = 0; i < SCENES; i++) {
        make_rings(&rng, families[i % 4].random, scales[i / 4 % 3], &d);
        check_rings(&rng, &d, families[i % 4].has_room);
    }
}
