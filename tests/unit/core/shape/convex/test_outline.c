/* Which outlines are taken for convex polygons, and which vertex is blamed otherwise? */

#include <stdlib.h>

#include "base/predicate.h"
#include "gjk/shape.h"
#include "shape/convex/hull.h"
#include "support/rng.h"
#include "support/test.h"

#define VERTICES_MAX 64

TEST_ARENA(arena)

typedef struct row {
    const char *name;
    uint32_t count;
    gjk_vec2 vertices[10];
    uint32_t expected; /* kept vertices, or the bad one */
} row;

static const row convex[] = {
    {"triangle", 3, {{0, 0}, {1, 0}, {0, 1}}, 3},
    {"clockwise", 3, {{0, 0}, {0, 1}, {1, 0}}, 3},
    {"collinear vertex", 5, {{0, 0}, {1, 0}, {2, 0}, {2, 2}, {0, 2}}, 4},
    {"first vertex collinear", 5, {{1, 0}, {2, 0}, {2, 2}, {0, 2}, {0, 0}}, 4},
    {"last vertex collinear", 5, {{0, 0}, {2, 0}, {2, 2}, {0, 2}, {0, 1}}, 4},
    {"many collinear", 8, {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}, {4, 4}, {2, 4}, {0, 4}}, 4},
    {"doubled vertices", 6, {{0, 0}, {0, 0}, {1, 0}, {1, 0}, {0, 1}, {0, 1}}, 3},
    {"first equals last", 5, {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}}, 4},
    {"tripled", 5, {{0, 0}, {1, 0}, {1, 0}, {1, 0}, {0, 1}}, 3},
    {"dent within the slack", 5, {{0, 0}, {1, 0}, {1, 1}, {0.5, 1 - 0.9e-12}, {0, 1}}, 4},
    {"dent of just the slack", 5, {{0, 0}, {1, 0}, {1, 1}, {0.5, 1 - 1e-12}, {0, 1}}, 4},
    {"the same clockwise", 5, {{0, 1}, {0.5, 1 - 1e-12}, {1, 1}, {1, 0}, {0, 0}}, 4},
    {"two dents in one side",
     6,
     {{0, 0}, {3, 0}, {3, 1}, {2, 1 - 0.5e-12}, {1, 1 - 0.5e-12}, {0, 1}},
     4},
    {"bulge below the slack", 5, {{0, 0}, {1, 0}, {1, 1}, {0.5, 1 + 0x1p-50}, {0, 1}}, 5},
    {"step back within the slack", 5, {{0, 0}, {1, 0}, {1 - 0.5e-12, 0}, {1, 1}, {0, 1}}, 4},
    {"two nearly equal vertices, swapped", 5, {{0, 0}, {1, 0x1p-50}, {1, 0}, {1, 1}, {0, 1}}, 4},
    {"thin", 4, {{0, 0}, {1e6, 0}, {1e6, 1e-6}, {0, 1e-6}}, 4},
    {"a needle of one unit in the last place", 3, {{0, 0}, {1, 1}, {2, 2 + 0x1p-51}}, 3},
};

static const row refused[] = {
    {"dent", 5, {{0, 0}, {4, 0}, {4, 4}, {2, 1}, {0, 4}}, 3},
    {"dent, clockwise", 5, {{0, 4}, {2, 1}, {4, 4}, {4, 0}, {0, 0}}, 1},
    {"dent at the first vertex", 5, {{2, 1}, {0, 4}, {0, 0}, {4, 0}, {4, 4}}, 0},
    {"dent above the slack", 5, {{0, 0}, {1, 0}, {1, 1}, {0.5, 1 - 1.1e-12}, {0, 1}}, 3},
    {"the same far larger", 5, {{0, 0}, {1e9, 0}, {1e9, 1e9}, {5e8, 1e9 - 1.1e-3}, {0, 1e9}}, 3},
    {"the first of two dents", 6, {{0, 0}, {2, 1}, {4, 0}, {4, 4}, {2, 3}, {0, 4}}, 1},
    {"dent behind collinear vertices",
     8,
     {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}, {2, 1}, {4, 4}, {0, 4}},
     5},
    {"an L", 6, {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}}, 3},
    {"spike", 5, {{0, 0}, {2, 0}, {2, 2}, {2, 5}, {2, 1}}, 3},
    {"spike that goes back", 5, {{0, 0}, {4, 0}, {2, 0}, {4, 4}, {0, 4}}, 1},
    {"no area: a line", 3, {{0, 0}, {1, 1}, {2, 2}}, 0},
    {"no area: there and back", 4, {{0, 0}, {1, 1}, {2, 2}, {1, 1}}, 0},
    {"no area: a spot", 4, {{1, 1}, {1, 1}, {1, 1}, {1, 1}}, 0},
};

static gjk_status make_row(const row *r, uint32_t *bad, gjk_shape *shape) {
    return gjk_shape_make_polygon(&arena, r->vertices, r->count, 0, bad, shape);
}

/* Strictly convex, counter-clockwise, and around all vertices, by exact signs. */
static void check_polygon(const gjk_shape *s, const gjk_vec2 *vertices, uint32_t count) {
    uint32_t outside = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        gjk_vec2 a = gjk_xy(gjk_shape_point(s, i));
        gjk_vec2 b = gjk_xy(gjk_shape_point(s, (i + 1) % s->count));
        gjk_vec2 c = gjk_xy(gjk_shape_point(s, (i + 2) % s->count));
        ck_assert_int_eq(gjk_orient2_sign(a, b, c), 1);
        for (uint32_t k = 0; k < count; k++) {
            outside += gjk_orient2_sign(a, b, vertices[k]) < 0;
        }
    }
    ck_assert_uint_eq(outside, 0);
}

#define CONVEX (int)(sizeof convex / sizeof convex[0])
#define REFUSED (int)(sizeof refused / sizeof refused[0])

TEST_EACH(convex_outlines_are_taken, 0, CONVEX) {
    const row *r = &convex[_i];
    gjk_shape shape;
    uint32_t bad = 99;
    gjk_status status = make_row(r, &bad, &shape);
    ck_assert_msg(status == GJK_OK, "%s: %s at %u", r->name, gjk_status_text(status), bad);
    ck_assert_msg(shape.count == r->expected, "%s: %u vertices kept", r->name, shape.count);
    check_polygon(&shape, r->vertices, r->count);
}

TEST_EACH(others_are_refused_naming_the_vertex, 0, REFUSED) {
    const row *r = &refused[_i];
    gjk_shape shape = {.count = 77};
    uint32_t bad = 99;
    gjk_status status = make_row(r, &bad, &shape);
    ck_assert_msg(status == GJK_NOT_CONVEX, "%s: %s", r->name, gjk_status_text(status));
    ck_assert_msg(bad == r->expected, "%s: blames %u", r->name, bad);
    ck_assert_uint_eq(shape.count, 77);
}

/* Every rotation of the list in both windings, scaled, and moved where that is exact. */
TEST_EACH(the_verdict_depends_on_the_outline_only, 0, CONVEX + REFUSED) {
    const uint32_t convex_count = sizeof convex / sizeof convex[0];
    const bool good = (uint32_t)_i < convex_count;
    const row *r = good ? &convex[_i] : &refused[(uint32_t)_i - convex_count];
    static const double units[] = {1, 0x1p-400, 0x1p400, 0x1p-1000};
    for (uint32_t start = 0; start < r->count; start++) {
        for (int form = 0; form < 8; form++) {
            row turned = *r;
            for (uint32_t i = 0; i < r->count; i++) {
                uint32_t from = (form % 2 == 0 ? start + i : start + r->count - i) % r->count;
                turned.vertices[i] = gjk_scale2(units[form / 2], r->vertices[from]);
            }
            gjk_shape shape;
            uint32_t bad;
            ck_assert_msg(make_row(&turned, &bad, &shape) == (good ? GJK_OK : GJK_NOT_CONVEX),
                          "%s, from vertex %u, form %d", r->name, start, form);
        }
    }
}

static gjk_vec2 on_circle(uint32_t i, uint32_t count) {
    double s, c;
    gjk_sincos(6.28318530717958647693 * i / count, &s, &c);
    return (gjk_vec2){c, s};
}

/* Stars {n/k} turn left at every vertex, but go round k times. */
TEST(stars_are_refused) {
    for (uint32_t n = 5; n <= 31; n += 2) {
        for (uint32_t k = 2; k <= n / 2; k++) {
            gjk_vec2 v[VERTICES_MAX], reversed[VERTICES_MAX];
            for (uint32_t i = 0; i < n; i++) {
                v[i] = on_circle(i * k % n, n);
                reversed[n - 1 - i] = v[i];
            }
            gjk_shape shape;
            uint32_t bad = 99;
            ck_assert_int_eq(gjk_shape_make_polygon(&arena, v, n, 0, &bad, &shape), GJK_NOT_CONVEX);
            ck_assert_uint_lt(bad, n);
            ck_assert_uint_gt(bad, 0);
            ck_assert_int_eq(gjk_shape_make_polygon(&arena, reversed, n, 0, &bad, &shape),
                             GJK_NOT_CONVEX);
        }
    }
}

/* A polygon walked twice turns left everywhere too. */
TEST(two_rounds_are_refused) {
    for (uint32_t n = 3; n <= VERTICES_MAX / 2; n++) {
        gjk_vec2 v[VERTICES_MAX];
        for (uint32_t i = 0; i < 2 * n; i++) {
            v[i] = on_circle(i % n, n);
        }
        gjk_shape shape;
        uint32_t bad = 99;
        ck_assert_int_eq(gjk_shape_make_polygon(&arena, v, 2 * n, 0, &bad, &shape), GJK_NOT_CONVEX);
        ck_assert_uint_lt(bad, 2 * n);
        ck_assert_int_eq(gjk_shape_make_polygon(&arena, v, n, 0, &bad, &shape), GJK_OK);
    }
}

static const gjk_vec2 bow_ties[][4] = {
    {{0, 0}, {1, 1}, {1, 0}, {0, 1}},
    {{0, 0}, {1, 0}, {0, 1}, {1, 1}},
    {{0, 0}, {3, 1}, {1, 0}, {0, 1}},
};

TEST_EACH(bow_ties_are_refused, 0, 3) {
    gjk_shape shape;
    uint32_t bad = 99;
    ck_assert_int_eq(gjk_shape_make_polygon(&arena, bow_ties[_i], 4, 0, &bad, &shape),
                     GJK_NOT_CONVEX);
    ck_assert_uint_lt(bad, 4);
}

/*
 * Random convex polygons with vertices added on their sides, up to rounding, are
 * taken; with one vertex pushed inwards they are refused, and that one is blamed.
 */
TEST(random_polygons) {
    test_rng rng = test_rng_make(18);
    for (int round = 0; round < 3000; round++) {
        gjk_vec2 v[VERTICES_MAX];
        uint32_t corners = 3 + test_rng_below(&rng, 12), count = 0;
        double size = test_rng_magnitude(&rng, -9, 9);
        gjk_vec2 away = gjk_scale2(size * test_rng_uniform(&rng, 0, 100), (gjk_vec2){0.6, -0.8});
        for (uint32_t i = 0; i < corners; i++) {
            gjk_vec2 a = on_circle(i, corners), b = on_circle(i + 1, corners);
            v[count++] = gjk_add2(away, gjk_scale2(size, a));
            uint32_t added = test_rng_below(&rng, 3);
            for (uint32_t k = 1; k <= added; k++) {
                double t = k / (added + 1.0);
                gjk_vec2 p = gjk_add2(gjk_scale2(1 - t, a), gjk_scale2(t, b));
                v[count++] = gjk_add2(away, gjk_scale2(size, p));
            }
        }
        gjk_shape shape;
        uint32_t bad = 99;
        gjk_arena_reset(&arena);
        ck_assert_int_eq(gjk_shape_make_polygon(&arena, v, count, 0, &bad, &shape), GJK_OK);
        check_polygon(&shape, v, count);

        uint32_t pushed = test_rng_below(&rng, count);
        gjk_vec2 p = v[(pushed + count - 1) % count], n = v[(pushed + 1) % count];
        gjk_vec2 outward = gjk_right2(gjk_sub2(n, p));
        double dent = 1e-9 * size / gjk_length2(outward);
        v[pushed] = gjk_sub2(gjk_scale2(0.5, gjk_add2(p, n)), gjk_scale2(dent, outward));
        if (corners > 3) { /* of a triangle, another flat one may be left */
            ck_assert_int_eq(gjk_shape_make_polygon(&arena, v, count, 0, &bad, &shape),
                             GJK_NOT_CONVEX);
            ck_assert_uint_eq(bad, pushed);
        }
    }
}

/* A hollow side of as many vertices as there may be, each within the slack. */
TEST(small_dents_do_not_add_up_unnoticed) {
    const uint32_t count = GJK_POINTS_MAX;
    gjk_vec2 *v = calloc(count, sizeof *v);
    ck_assert_ptr_nonnull(v);
    for (uint32_t i = 0; i + 2 < count; i++) {
        double x = (double)i / (count - 3);
        v[i] = (gjk_vec2){x, -1e-3 * x * (1 - x)};
    }
    v[count - 2] = (gjk_vec2){1, -1};
    v[count - 1] = (gjk_vec2){0, -1};
    gjk_shape shape;
    uint32_t bad = 99;
    ck_assert_int_eq(gjk_shape_make_polygon(&arena, v, count, 0, &bad, &shape), GJK_NOT_CONVEX);
    ck_assert_uint_lt(bad, count - 2);
    free(v);
}

/* Each allocation of the check fails in turn. */
TEST(out_of_memory) {
    static const gjk_vec2 v[] = {{0, 0}, {1, 0}, {0, 1}};
    uint32_t corners[] = {0, 1, 2}, bad = 99, refusals = 0;
    const gjk_hull2 hull = {corners, 3};
    gjk_status status = GJK_OUT_OF_MEMORY;
    for (size_t limit = 16; status == GJK_OUT_OF_MEMORY; limit += 16) {
        struct gjk_arena small;
        gjk_arena_init(&small, limit);
        status = gjk_outline_check(&small, v, 3, &hull, &bad);
        refusals += status == GJK_OUT_OF_MEMORY;
        gjk_arena_fini(&small);
    }
    ck_assert_int_eq(status, GJK_OK);
    ck_assert_uint_ge(refusals, 3);
    ck_assert_uint_eq(bad, 99);
}
