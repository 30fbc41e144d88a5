/*
 * Regions cut into convex polygons: they must cover the region exactly and nothing else, without
 * overlaps, whatever touches whatever. Areas and places are judged in integers.
 */

#include "base/predicate.h"
#include "region_scene.h"
#include "shape/region/region.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#define SCENES TEST_CASES(3000)
#define RANDOM_RINGS TEST_CASES(20000)
#define STARS TEST_CASES(200)
#define LARGE 65536

__extension__ typedef __int128 wide;

/* What a region is cut into. */
typedef struct cut {
    struct gjk_arena arena;
    gjk_rings rings;
    gjk_outlines outlines;
    gjk_pieces_fault fault;
} cut;

static gjk_status cut_region(const gjk_region *region, cut *out) {
    gjk_region_triangles triangles;
    uint32_t vertex = 0;
    gjk_arena_init(&out->arena, 0);
    gjk_status status = gjk_rings_make(&out->arena, region, &out->fault, &out->rings);
    if (status == GJK_OK) {
        status = gjk_region_triangulate(&out->arena, &out->rings, &vertex, &triangles);
    }
    if (status == GJK_NOT_SIMPLE) {
        out->fault = gjk_rings_place(region, vertex);
    }
    return status == GJK_OK
               ? gjk_region_merge(&out->arena, out->rings.points, &triangles, &out->outlines)
               : status;
}

static uint32_t outline(const cut *c, uint32_t i, const uint32_t **points) {
    *points = c->outlines.points + c->outlines.starts[i];
    return c->outlines.starts[i + 1] - c->outlines.starts[i];
}

static wide cross_of(gjk_vec2 a, gjk_vec2 b, double scale) {
    const int64_t ax = (int64_t)(a.x / scale), ay = (int64_t)(a.y / scale);
    const int64_t bx = (int64_t)(b.x / scale), by = (int64_t)(b.y / scale);
    return (wide)ax * by - (wide)ay * bx;
}

/* Twice the area of all pieces; coordinates are integers times the scale. */
static wide area_of(const cut *c, double scale) {
    wide area = 0;
    for (uint32_t i = 0; i < c->outlines.count; i++) {
        const uint32_t *points;
        const uint32_t count = outline(c, i, &points);
        for (uint32_t k = 0; k < count; k++) {
            area += cross_of(c->rings.points[points[k]], c->rings.points[points[(k + 1) % count]],
                             scale);
        }
    }
    return area;
}

/* Strictly convex all round: each corner turns left, and the turns make one round. */
static void check_convex(const cut *c) {
    for (uint32_t i = 0; i < c->outlines.count; i++) {
        const uint32_t *points;
        const uint32_t count = outline(c, i, &points);
        uint32_t lows = 0;
        REQUIRE(count >= 3 && count <= GJK_POINTS_MAX);
        for (uint32_t k = 0; k < count; k++) {
            const uint32_t a = points[k], b = points[(k + 1) % count], d = points[(k + 2) % count];
            REQUIRE(gjk_orient2_sign(c->rings.points[a], c->rings.points[b], c->rings.points[d]) >
                    0);
            lows += b < a && b < d; /* points are in the order of x, then y */
        }
        REQUIRE(lows == 1);
    }
}

/* 1: strictly inside of a piece; 0: on its edge; -1: outside. */
static int place_in_piece(const cut *c, uint32_t i, gjk_vec2 point) {
    const uint32_t *points;
    const uint32_t count = outline(c, i, &points);
    int least = 1;
    for (uint32_t k = 0; k < count; k++) {
        const int sign = gjk_orient2_sign(c->rings.points[points[k]],
                                          c->rings.points[points[(k + 1) % count]], point);
        least = sign < least ? sign : least;
    }
    return least;
}

/* Whether any piece has the point; no two may have it inside. */
static bool contains(const cut *c, gjk_vec2 point) {
    uint32_t inside = 0, closed = 0;
    for (uint32_t i = 0; i < c->outlines.count; i++) {
        const int place = place_in_piece(c, i, point);
        inside += place > 0;
        closed += place >= 0;
    }
    REQUIRE(inside <= 1);
    REQUIRE(inside == 0 || closed == 1);
    return closed > 0;
}

static bool same_cut(const cut *a, const cut *b) {
    const uint32_t count = a->outlines.count;
    return count == b->outlines.count &&
           memcmp(a->outlines.starts, b->outlines.starts, (count + 1) * sizeof(uint32_t)) == 0 &&
           memcmp(a->outlines.points, b->outlines.points,
                  a->outlines.starts[count] * sizeof(uint32_t)) == 0;
}

/* --- Unions of cells --- */

static void check_cells(const region_scene *scene) {
    cut c, again;
    const gjk_status status = cut_region(&scene->region, &c);
    REQUIRE(status == GJK_OK);
    check_convex(&c);
    REQUIRE(c.outlines.count <= 2 * scene->reflex_count + scene->part_count);
    const wide cell = 4 * (wide)abs(scene->a * scene->d - scene->b * scene->c);
    REQUIRE(area_of(&c, scene->scale) == 2 * cell * scene->solid_count);
    for (int i = -1; i <= 2 * GRID + 1; i++) {
        for (int j = -1; j <= 2 * GRID + 1; j++) {
            const bool is_in = i >= 0 && j >= 0 && region_scene_contains(scene, i, j);
            REQUIRE(contains(&c, region_scene_point(scene, i, j)) == is_in);
        }
    }
    REQUIRE(cut_region(&scene->region, &again) == GJK_OK);
    REQUIRE(same_cut(&c, &again));
    gjk_arena_fini(&c.arena);
    gjk_arena_fini(&again.arena);
}

TEST(unions_of_cells) {
    static const double scales[] = {1, 0x1p-665 /* 1e-200 */, 0x1p465 /* 1e140 */};
    static region_scene scene;
    test_rng rng = test_rng_make(1);
    for (uint32_t i = 0; i < SCENES; i++) {
        region_scene_make(&rng, scales[i % 3], &scene);
        check_cells(&scene);
    }
}

/* Two solid cells more or less, exchanged between the polygons: a hole of another polygon. */
TEST(holes_of_other_polygons) {
    static region_scene scene;
    test_rng rng = test_rng_make(2);
    uint32_t refused = 0;
    for (uint32_t i = 0; i < SCENES; i++) {
        region_scene_make(&rng, 1, &scene);
        /* The last ring of one polygon becomes the first of a new one, and the other way round. */
        for (uint32_t p = 0; p < scene.region.polygon_count; p++) {
            if (scene.polygon_sizes[p] > 1) {
                cut c;
                memmove(scene.polygon_sizes + p + 2, scene.polygon_sizes + p + 1,
                        (scene.region.polygon_count - p - 1) * sizeof scene.polygon_sizes[0]);
                scene.polygon_sizes[p]--;
                scene.polygon_sizes[p + 1] = 1;
                scene.region.polygon_count++;
                REQUIRE(cut_region(&scene.region, &c) == GJK_NOT_SIMPLE);
                gjk_arena_fini(&c.arena);
                refused++;
                break;
            }
        }
    }
    REQUIRE(refused > SCENES / 4);
}

/* --- Random rings --- */

static bool same(gjk_vec2 a, gjk_vec2 b) {
    return a.x == b.x && a.y == b.y;
}

static bool on_edge(gjk_vec2 a, gjk_vec2 b, gjk_vec2 p) {
    return gjk_orient2_sign(a, b, p) == 0 && fmin(a.x, b.x) <= p.x && p.x <= fmax(a.x, b.x) &&
           fmin(a.y, b.y) <= p.y && p.y <= fmax(a.y, b.y);
}

/* CROSSING: inside of an edge, or along it. */
typedef enum contact { APART, TOUCHING, CROSSING } contact;

/* What two edges do that do not follow each other in a ring. */
static contact edges_contact(gjk_vec2 a, gjk_vec2 b, gjk_vec2 c, gjk_vec2 d) {
    const int abc = gjk_orient2_sign(a, b, c), abd = gjk_orient2_sign(a, b, d);
    const int cda = gjk_orient2_sign(c, d, a), cdb = gjk_orient2_sign(c, d, b);
    if (abc * abd < 0 && cda * cdb < 0) {
        return CROSSING;
    }
    const int touches = on_edge(a, b, c) + on_edge(a, b, d) + on_edge(c, d, a) + on_edge(c, d, b);
    /* Collinear edges with a common end touch twice there, and more if they overlap. */
    const bool common = same(a, c) || same(a, d) || same(b, c) || same(b, d);
    if (abc == 0 && abd == 0 && touches > (common ? 2 : 0)) {
        return CROSSING;
    }
    return touches > 0 ? TOUCHING : APART;
}

static contact ring_contact(const gjk_vec2 *p, uint32_t n) {
    contact worst = APART;
    for (uint32_t i = 0; i < n; i++) {
        const gjk_vec2 a = p[i], b = p[(i + 1) % n], next = p[(i + 2) % n];
        if (on_edge(a, b, next) || on_edge(b, next, a)) {
            return CROSSING; /* turns back */
        }
        for (uint32_t k = i + 2; k < n && (k + 1) % n != i; k++) {
            const contact now = edges_contact(a, b, p[k], p[(k + 1) % n]);
            worst = now > worst ? now : worst;
        }
    }
    return worst;
}

/* How often the ring goes round a point that is on none of its edges. */
static int winding(const gjk_vec2 *p, uint32_t n, gjk_vec2 point) {
    int turns = 0;
    for (uint32_t k = 0; k < n; k++) {
        const gjk_vec2 a = p[k], b = p[(k + 1) % n];
        if ((a.y <= point.y) != (b.y <= point.y)) {
            const int side = gjk_orient2_sign(a, b, point);
            turns += a.y <= point.y ? side > 0 : -(side < 0);
        }
    }
    return turns;
}

/*
 * Whether a ring that touches itself crosses itself there: then it goes round one of the four
 * sectors at that point twice more often than round the opposite one. Else it goes round everything
 * never or once, and always in one direction.
 */
static bool crosses_itself(const gjk_vec2 *p, uint32_t n, uint32_t side) {
    int least = 0, most = 0;
    for (uint32_t i = 0; i < 16 * side; i++) {
        for (uint32_t k = 0; k < 16 * side; k++) {
            const int turns = winding(p, n, (gjk_vec2){(i + 0.4503) / 16, (k + 0.5619) / 16});
            least = turns < least ? turns : least;
            most = turns > most ? turns : most;
        }
    }
    return most - least > 1;
}

/* A ring of n points of a small grid, none like the one before it. */
static void make_ring(test_rng *rng, uint32_t n, uint32_t side, gjk_vec2 *p) {
    for (uint32_t k = 0; k < n; k++) {
        do {
            p[k] = (gjk_vec2){test_rng_below(rng, side), test_rng_below(rng, side)};
        } while ((k > 0 && same(p[k], p[k - 1])) || (k + 1 == n && same(p[k], p[0])));
    }
}

/* Crossings and touches of every kind. */
TEST(random_rings) {
    test_rng rng = test_rng_make(3);
    uint32_t seen[3] = {0, 0, 0}, accepted = 0;
    for (uint32_t i = 0; i < RANDOM_RINGS; i++) {
        gjk_vec2 p[9];
        const uint32_t n = 3 + test_rng_below(&rng, 7), side = 3 + test_rng_below(&rng, 5);
        make_ring(&rng, n, side, p);
        const contact what = ring_contact(p, n);
        const bool simple = what == APART || (what == TOUCHING && !crosses_itself(p, n, side));
        const uint32_t one = 1;
        const gjk_region region = {.vertices = p,
                                   .ring_sizes = &n,
                                   .polygon_sizes = &one,
                                   .polygon_count = 1};
        cut c;
        const gjk_status status = cut_region(&region, &c);
        seen[what]++;
        REQUIRE((status == GJK_OK) == simple);
        if (status == GJK_OK) {
            wide area = 0;
            for (uint32_t k = 0; k < n; k++) {
                area += cross_of(p[k], p[(k + 1) % n], 1);
            }
            accepted += what == TOUCHING;
            check_convex(&c);
            REQUIRE(area_of(&c, 1) == (area < 0 ? -area : area));
        }
        gjk_arena_fini(&c.arena);
    }
    const uint32_t some = RANDOM_RINGS / 200;
    REQUIRE(seen[APART] > some && accepted > some && seen[TOUCHING] - accepted > some);
}

/* --- Stars --- */

/* Vertices round the origin at random distances, as integers. */
static void make_star(test_rng *rng, uint32_t n, double low, double high, gjk_vec2 *out) {
    for (uint32_t k = 0; k < n; k++) {
        const double angle = 6.283185307179586 * k / n, r = test_rng_uniform(rng, low, high);
        out[k] = (gjk_vec2){floor(r * cos(angle)), floor(r * sin(angle))};
    }
}

/* Even-odd crossings of an upward ray, by exact turns; points on edges count as inside. */
static bool rings_contain(const gjk_region *region, gjk_vec2 point) {
    const gjk_vec2 *p = region->vertices;
    bool inside = false;
    for (uint32_t r = 0; r < region->polygon_sizes[0]; p += region->ring_sizes[r++]) {
        const uint32_t n = region->ring_sizes[r];
        for (uint32_t k = 0; k < n; k++) {
            const gjk_vec2 a = p[k], b = p[(k + 1) % n];
            if (on_edge(a, b, point)) {
                return true;
            }
            if ((a.x <= point.x) != (b.x <= point.x)) {
                inside ^= (gjk_orient2_sign(a, b, point) > 0) == (a.x > b.x);
            }
        }
    }
    return inside;
}

TEST(stars_with_holes) {
    static gjk_vec2 p[3000];
    test_rng rng = test_rng_make(4);
    for (uint32_t i = 0; i < STARS; i++) {
        const uint32_t n = 20 + test_rng_below(&rng, 480);
        const uint32_t sizes[2] = {n, n};
        const uint32_t rings = 2;
        const gjk_region region = {.vertices = p,
                                   .ring_sizes = sizes,
                                   .polygon_sizes = &rings,
                                   .polygon_count = 1};
        make_star(&rng, n, 6e5, 1e6, p);
        make_star(&rng, n, 1e5, 5e5, p + n);
        wide areas[2] = {0, 0};
        for (uint32_t k = 0; k < 2 * n; k++) {
            const uint32_t ring = k / n;
            areas[ring] += cross_of(p[k], p[(k + 1) % n + ring * n], 1);
        }
        cut c;
        REQUIRE(cut_region(&region, &c) == GJK_OK);
        check_convex(&c);
        REQUIRE(area_of(&c, 1) == areas[0] - areas[1]);
        for (uint32_t k = 0; k < 2 * n; k++) {
            const gjk_vec2 random = {test_rng_integer(&rng, -1000000, 1000000),
                                     test_rng_integer(&rng, -1000000, 1000000)};
            REQUIRE(contains(&c, random) == rings_contain(&region, random));
            REQUIRE(contains(&c, p[k]));
        }
        gjk_arena_fini(&c.arena);
    }
}

/* --- Large ones --- */

static gjk_vec2 large[LARGE + 8192];

/* Cuts one ring of n vertices and checks its area. */
static uint32_t cut_large(uint32_t n) {
    const uint32_t one = 1;
    const gjk_region region = {.vertices = large,
                               .ring_sizes = &n,
                               .polygon_sizes = &one,
                               .polygon_count = 1};
    wide area = 0;
    cut c;
    for (uint32_t k = 0; k < n; k++) {
        area += cross_of(large[k], large[(k + 1) % n], 1);
    }
    const gjk_status status = cut_region(&region, &c);
    REQUIRE(status == GJK_OK);
    check_convex(&c);
    REQUIRE(area_of(&c, 1) == (area < 0 ? -area : area));
    const uint32_t count = c.outlines.count;
    gjk_arena_fini(&c.arena);
    return count;
}

TEST(zigzags) {
    /* A band that zigzags: every edge has all others above and below it, or beside it. */
    for (uint32_t turned = 0; turned < 2; turned++) {
        for (uint32_t k = 0; k < LARGE; k++) {
            const uint32_t i = k < LARGE / 2 ? k : LARGE - 1 - k;
            const double x = i, y = (i % 2 == 0 ? 0 : 100000) + (k < LARGE / 2 ? 0 : 10);
            large[k] = turned != 0 ? (gjk_vec2){-y, x} : (gjk_vec2){x, y};
        }
        REQUIRE(cut_large(LARGE) < LARGE);
    }
}

TEST(spirals) {
    /* A band of width 2 along a square spiral whose turns are 8 apart. */
    static const int way[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    static const int outwards[4][2] = {{-2, -2}, {2, -2}, {2, 2}, {-2, 2}};
    const uint32_t half = LARGE / 2;
    gjk_vec2 at = {0, 0};
    for (uint32_t k = 0; k < half; k++) {
        const int length = 8 * (int)(k / 2 + 1);
        large[k] = at;
        large[LARGE - 1 - k] = (gjk_vec2){at.x + outwards[k % 4][0], at.y + outwards[k % 4][1]};
        at = (gjk_vec2){at.x + length * way[k % 4][0], at.y + length * way[k % 4][1]};
    }
    REQUIRE(cut_large(LARGE) <= half);
}

TEST(convex_of_too_many_vertices) {
    const uint32_t n = LARGE + 2;
    for (uint32_t k = 0; k < n; k++) {
        large[k] = (gjk_vec2){k, (double)k * k};
    }
    REQUIRE(cut_large(LARGE) == 1);
    REQUIRE(cut_large(n) == 2);
}
