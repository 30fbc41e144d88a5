/* Is the hull of points in space their hull, whatever lies on one plane, line or spot? */

#include "shape/convex/hull.h"

#include <stdlib.h>
#include <string.h>

#include "base/predicate.h"
#include "gjk/budget.h"
#include "gjk/shape.h"
#include "support/budget.h"
#include "support/rng.h"
#include "support/test.h"

#define CASES TEST_CASES(600)
#define POINTS_MAX 60

TEST_ARENA(arena)

static gjk_hull3 make(const gjk_vec3 *points, uint32_t count) {
    gjk_hull3 hull;
    gjk_arena_reset(&arena);
    ck_assert_int_eq(gjk_hull3_make(&arena, points, count, &hull), GJK_OK);
    ck_assert_uint_ge(hull.count, 1);
    uint32_t misplaced = 0;
    for (uint32_t i = 0; i < hull.count; i++) {
        misplaced += hull.corners[i] >= count || (i > 0 && hull.corners[i - 1] >= hull.corners[i]);
    }
    ck_assert_uint_eq(misplaced, 0);
    return hull;
}

/* Directed edges as numbers, to be sorted: each must have its opposite exactly once. */
static int compare_edges(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void check_closed(const gjk_hull3 *hull) {
    uint32_t count = 3 * hull->triangle_count;
    uint64_t *edges = calloc(count, sizeof *edges), *opposite = calloc(count, sizeof *opposite);
    ck_assert(edges != NULL && opposite != NULL);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t from = hull->triangles[i / 3][i % 3], to = hull->triangles[i / 3][(i + 1) % 3];
        edges[i] = from << 32 | to;
        opposite[i] = to << 32 | from;
    }
    qsort(edges, count, sizeof *edges, compare_edges);
    qsort(opposite, count, sizeof *opposite, compare_edges);
    uint32_t unmatched = 0, repeated = 0;
    for (uint32_t i = 0; i < count; i++) {
        unmatched += edges[i] != opposite[i];
        repeated += i > 0 && edges[i - 1] == edges[i];
    }
    ck_assert_uint_eq(unmatched, 0);
    ck_assert_uint_eq(repeated, 0);
    free(edges);
    free(opposite);
}

/* A surface without holes: V - E + F = 2, where 2 E = 3 F. */
static void check_euler(const gjk_hull3 *hull, uint32_t count) {
    bool *used = calloc(count, sizeof *used);
    uint32_t vertices = 0;
    ck_assert_ptr_nonnull(used);
    for (uint32_t i = 0; i < 3 * hull->triangle_count; i++) {
        uint32_t v = hull->triangles[i / 3][i % 3];
        vertices += !used[v];
        used[v] = true;
    }
    ck_assert_uint_eq(hull->triangle_count + 4, 2 * vertices);
    free(used);
}

static bool equal(gjk_vec3 a, gjk_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static int side(const gjk_vec3 *p, const uint32_t t[3], gjk_vec3 q) {
    return gjk_orient3_sign(p[t[0]], p[t[1]], p[t[2]], q);
}

/* Does a point lie on the line segment from a to b? All are known to be coplanar at least. */
static bool on_segment(gjk_vec3 a, gjk_vec3 b, gjk_vec3 q) {
    return gjk_collinear3(a, b, q) && fmin(a.x, b.x) <= q.x && q.x <= fmax(a.x, b.x) &&
           fmin(a.y, b.y) <= q.y && q.y <= fmax(a.y, b.y) && fmin(a.z, b.z) <= q.z &&
           q.z <= fmax(a.z, b.z);
}

/* How many of the points lie outside of a hull whose triangles are about `corners`. */
static uint32_t count_outside(const gjk_hull3 *hull, const gjk_vec3 *corners, const gjk_vec3 *p,
                              uint32_t count) {
    uint32_t outside = 0;
    for (uint32_t t = 0; t < hull->triangle_count; t++) {
        for (uint32_t k = 0; k < count; k++) {
            outside += side(corners, hull->triangles[t], p[k]) > 0;
        }
    }
    return outside;
}

/*
 * No point is outside of any triangle of the hull of the corners alone: so the corners
 * suffice. Neither is one outside the triangles of the hull of all points.
 */
static void check_solid(const gjk_vec3 *p, uint32_t count, gjk_hull3 hull) {
    gjk_vec3 kept[POINTS_MAX];
    ck_assert_uint_ge(hull.count, 4);
    check_closed(&hull);
    check_euler(&hull, count);
    for (uint32_t i = 0; i < hull.count; i++) {
        kept[i] = p[hull.corners[i]];
    }
    ck_assert_uint_eq(count_outside(&hull, p, p, count), 0);
    uint32_t kept_count = hull.count;
    gjk_hull3 again = make(kept, kept_count);
    ck_assert_uint_eq(again.count, kept_count);
    ck_assert_uint_eq(again.rank, 3);
    ck_assert_uint_eq(count_outside(&again, kept, p, count), 0);
}

static void check_line(const gjk_vec3 *p, uint32_t count, const gjk_hull3 *hull) {
    ck_assert_uint_eq(hull->count, hull->rank + 1);
    gjk_vec3 a = p[hull->corners[0]], b = p[hull->corners[hull->count - 1]];
    for (uint32_t k = 0; k < count; k++) {
        ck_assert(on_segment(a, b, p[k]));
    }
}

/* All points in one plane: seen from a point off it, with which they make a solid. */
static void check_plane(const gjk_vec3 *p, uint32_t count, const gjk_hull3 *hull) {
    gjk_vec3 with_apex[POINTS_MAX + 1];
    uint32_t flat_corners[POINTS_MAX], flat_count = hull->count;
    gjk_vec3 a = p[hull->corners[0]], b = p[hull->corners[1]], c = p[hull->corners[2]];

    ck_assert_uint_ge(flat_count, 3);
    memcpy(flat_corners, hull->corners, flat_count * sizeof *flat_corners);
    for (uint32_t k = 0; k < count; k++) {
        ck_assert_int_eq(gjk_orient3_sign(a, b, c, p[k]), 0);
    }
    memcpy(with_apex, p, count * sizeof *p);
    with_apex[count] = gjk_add3(a, gjk_cross3(gjk_sub3(b, a), gjk_sub3(c, a)));
    gjk_hull3 solid = make(with_apex, count + 1);
    ck_assert_uint_eq(solid.count, flat_count + 1);
    for (uint32_t i = 0; i < flat_count; i++) {
        uint32_t found = 0;
        for (uint32_t k = 0; k < flat_count; k++) {
            found += equal(with_apex[solid.corners[k]], p[flat_corners[i]]);
        }
        ck_assert_uint_eq(found, 1);
    }
}

static uint32_t check_hull(const gjk_vec3 *p, uint32_t count) {
    gjk_hull3 hull = make(p, count);
    uint32_t rank = hull.rank;
    ck_assert_uint_le(rank, 3);
    ck_assert_int_eq(hull.triangles != NULL, rank == 3);
    if (rank == 3) {
        check_solid(p, count, hull);
    } else if (rank == 2) {
        check_plane(p, count, &hull);
    } else {
        check_line(p, count, &hull);
    }
    return rank;
}

/*
 * For integers everything is exact in doubles: a corner is the only farthest point
 * along the sum of the outward normals around it, and that proves that it is one.
 */
static void check_corners_of_integers(const gjk_vec3 *p, uint32_t count) {
    gjk_hull3 hull = make(p, count);
    for (uint32_t i = 0; i < hull.count && hull.rank == 3; i++) {
        gjk_vec3 normal = {0, 0, 0}, v = p[hull.corners[i]];
        for (uint32_t t = 0; t < hull.triangle_count; t++) {
            const uint32_t *c = hull.triangles[t];
            if (c[0] == hull.corners[i] || c[1] == hull.corners[i] || c[2] == hull.corners[i]) {
                normal = gjk_add3(normal, gjk_cross3(gjk_sub3(p[c[1]], p[c[0]]),
                                                     gjk_sub3(p[c[2]], p[c[0]])));
            }
        }
        uint32_t as_far = 0;
        for (uint32_t k = 0; k < count; k++) {
            as_far += !equal(p[k], v) && gjk_dot3(normal, gjk_sub3(p[k], v)) >= 0;
        }
        ck_assert_uint_eq(as_far, 0);
    }
}

/* Small grids: everything coincident, collinear and coplanar that there is. */
TEST(grids) {
    uint32_t ranks[4] = {0};
    test_rng rng = test_rng_make(13);
    for (int i = 0; i < CASES; i++) {
        gjk_vec3 p[POINTS_MAX];
        uint32_t count = 1 + test_rng_below(&rng, POINTS_MAX);
        int width = test_rng_integer(&rng, 0, 4), height = test_rng_integer(&rng, 0, 4);
        int depth = test_rng_integer(&rng, 0, 4);
        for (uint32_t k = 0; k < count; k++) {
            p[k].x = test_rng_integer(&rng, -width, width);
            p[k].y = test_rng_integer(&rng, -height, height);
            p[k].z = test_rng_integer(&rng, -depth, depth) + (i % 2 == 0 ? p[k].x : 0);
        }
        ranks[check_hull(p, count)]++;
        check_corners_of_integers(p, count);
    }
    for (int rank = 0; rank <= 3; rank++) {
        ck_assert_uint_gt(ranks[rank], CASES / 200);
    }
}

/* Oblique planes and lines that go through integers only. */
TEST(oblique_degenerate_points) {
    test_rng rng = test_rng_make(14);
    for (int i = 0; i < CASES; i++) {
        gjk_vec3 p[POINTS_MAX], axes[2];
        uint32_t count = 4 + test_rng_below(&rng, POINTS_MAX - 4);
        for (int k = 0; k < 2; k++) {
            axes[k].x = test_rng_integer(&rng, -99, 99);
            axes[k].y = test_rng_integer(&rng, -99, 99);
            axes[k].z = test_rng_integer(&rng, -99, 99);
        }
        for (uint32_t k = 0; k < count; k++) {
            gjk_vec3 u = gjk_scale3(test_rng_integer(&rng, -99, 99), axes[0]);
            gjk_vec3 v = gjk_scale3(test_rng_integer(&rng, -99, 99), axes[1]);
            p[k] = i % 2 == 0 ? u : gjk_add3(u, v);
        }
        ck_assert_uint_le(check_hull(p, count), 1 + i % 2);
    }
}

/* On spheres, planes and cubes up to rounding; far away; of any size. */
TEST(nearly_degenerate_points) {
    test_rng rng = test_rng_make(15);
    for (int i = 0; i < CASES; i++) {
        gjk_vec3 p[POINTS_MAX];
        uint32_t count = 4 + test_rng_below(&rng, POINTS_MAX - 4);
        double size = i % 2 == 0 ? 1 : test_rng_magnitude(&rng, -145, 145);
        double away = i % 3 == 0 ? test_rng_magnitude(&rng, -2, 4) : 0;
        gjk_vec3 center = gjk_scale3(size * away, test_rng_direction(&rng, 3));
        gjk_vec3 u = test_rng_direction(&rng, 3), v = test_rng_direction(&rng, 3);
        for (uint32_t k = 0; k < count; k++) {
            gjk_vec3 q = test_rng_direction(&rng, 3);
            if (i % 4 == 1) {
                q = gjk_add3(gjk_scale3(q.x, u), gjk_scale3(q.y, v));
            } else if (i % 4 == 2) {
                q = (gjk_vec3){k % 2 == 0 ? 1 : -1, q.y, q.z};
            } else if (i % 4 == 3) {
                q = gjk_scale3(q.x, u);
            }
            p[k] = gjk_add3(center, gjk_scale3(size, q));
        }
        check_hull(p, count);
    }
}

/* A coordinate so small beside the others that a common unit would lose it. */
TEST(mixed_magnitudes) {
    const double huge = GJK_COORDINATE_MAX, tiny = 1e-300;
    const gjk_vec3 p[] = {{huge, 0, 0},  {-huge, 0, 0},    {0, huge, 0},
                          {0, -huge, 0}, {0, 0, tiny},     {1, 1, -tiny},
                          {1, 1, 0},     {huge / 2, 0, 0}, {0, 0, tiny / 2}};
    ck_assert_uint_eq(check_hull(p, 9), 3);
    gjk_hull3 hull = make(p, 9);
    static const uint32_t corners[] = {0, 1, 2, 3, 4, 5};
    ck_assert_uint_eq(hull.count, 6);
    ck_assert_mem_eq(hull.corners, corners, sizeof corners);
    ck_assert_uint_eq(check_hull(p, 4), 2);
    ck_assert_uint_eq(check_hull(p, 2), 1);
    ck_assert_uint_eq(check_hull(p, 1), 0);
}

TEST(a_cube_with_everything_on_it) {
    gjk_vec3 p[125];
    for (int i = 0; i < 125; i++) {
        p[i] = (gjk_vec3){i % 5, i / 5 % 5, i / 25};
    }
    gjk_hull3 hull = make(p, 125);
    static const uint32_t corners[] = {0, 4, 20, 24, 100, 104, 120, 124};
    ck_assert_uint_eq(hull.count, 8);
    ck_assert_mem_eq(hull.corners, corners, sizeof corners);
}

enum { SPHERE, CUBE, CYLINDER, PLANE, LINE, FORMS };

static gjk_vec3 form_point(test_rng *rng, int form, uint32_t i) {
    gjk_vec3 d = test_rng_direction(rng, 3), flat = test_rng_direction(rng, 2);
    double faces[3] = {d.x, d.y, d.z};
    faces[i % 3] = i % 2 == 0 ? 1 : -1;
    switch (form) {
    case SPHERE:
        return d;
    case CUBE:
        return (gjk_vec3){faces[0], faces[1], faces[2]};
    case CYLINDER:
        return (gjk_vec3){flat.x, flat.y, i % 2};
    case PLANE:
        return (gjk_vec3){i % 256, i / 256, 3.0 * (i % 256) - i / 256};
    default:
        return (gjk_vec3){i, 2.0 * i, -3.0 * i};
    }
}

/* As many points as a shape may have. Wrong growth shows as a timeout here. */
TEST_EACH(many_points, 0, FORMS) {
    static const uint32_t ranks[FORMS] = {3, 3, 3, 2, 1};
    gjk_vec3 *p = calloc(GJK_POINTS_MAX, sizeof *p);
    ck_assert_ptr_nonnull(p);
    test_rng rng = test_rng_make(16);
    for (uint32_t i = 0; i < GJK_POINTS_MAX; i++) {
        p[i] = form_point(&rng, _i, i);
    }
    gjk_hull3 hull = make(p, GJK_POINTS_MAX);
    ck_assert_uint_eq(hull.rank, ranks[_i]);
    if (hull.rank == 3) {
        check_closed(&hull);
        check_euler(&hull, GJK_POINTS_MAX);
    }
    uint32_t outside = 0;
    for (uint32_t t = 0; t < hull.triangle_count; t++) {
        for (int k = 0; k < 3; k++) {
            uint32_t other = test_rng_below(&rng, GJK_POINTS_MAX);
            outside += side(p, hull.triangles[t], p[other]) > 0;
        }
    }
    ck_assert_uint_eq(outside, 0);
    ck_assert(_i != PLANE || hull.count == 4);
    ck_assert(_i != LINE || hull.count == 2);
    free(p);
}

/* --- Points for which adding the farthest first takes quadratic time --- */

/* On a paraboloid, or on a cone (power 1), ever nearer to its tip. */
static gjk_vec3 spiral_point(double shrink, int power, uint32_t i) {
    const double r = pow(shrink, -(double)i), turn = 2.399 * i;
    return (gjk_vec3){r * cos(turn), r * sin(turn), power == 1 ? r : r * r};
}

static void check_closed_around(const gjk_hull3 *hull, const gjk_vec3 *p, uint32_t count) {
    check_closed(hull);
    check_euler(hull, count);
    ck_assert_uint_eq(count_outside(hull, p, p, count), 0);
}

TEST(points_near_a_tip) {
    enum { COUNT = 1500 };
    static gjk_vec3 p[COUNT];
    for (int power = 1; power <= 2; power++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            p[i] = spiral_point(1.05, power, i);
        }
        const gjk_hull3 hull = make(p, COUNT);
        ck_assert_uint_eq(hull.count, COUNT);
        check_closed_around(&hull, p, COUNT);
    }
}

/* Points along the sides of a square of that width, and some above it. */
static gjk_vec3 square_point(test_rng *rng, uint32_t width) {
    const double at = test_rng_below(rng, width), across = test_rng_below(rng, width);
    switch (test_rng_below(rng, 5)) {
    case 0:
        return (gjk_vec3){at, 0, 0};
    case 1:
        return (gjk_vec3){width, at, 0};
    case 2:
        return (gjk_vec3){width - at, width, 0};
    case 3:
        return (gjk_vec3){0, width - at, 0};
    default:
        return (gjk_vec3){at, across, 1 + test_rng_below(rng, 3)};
    }
}

static uint32_t find_place(const gjk_vec3 *p, uint32_t count, const uint8_t *marks, gjk_vec3 q) {
    for (uint32_t i = 0; i < count; i++) {
        if (marks[i] != 0 && equal(p[i], q)) {
            return i;
        }
    }
    return GJK_NO_POINT;
}

/* Cones over sides with corners in their middle, and points in the planes of their faces: the order
 * in which points are added must not matter. */
TEST(squares_in_any_order) {
    enum { COUNT = 220 };
    gjk_vec3 p[COUNT], scaled[COUNT];
    const uint32_t start[4] = {0, 1, 2, 3};
    test_rng rng = test_rng_make(17);
    for (int i = 0; i < 500; i++) {
        const uint32_t width = 12 + test_rng_below(&rng, 24);
        uint8_t marks[2][COUNT] = {{0}, {0}};
        uint32_t corners[2] = {0, 0};
        for (uint32_t k = 0; k < COUNT; k++) {
            p[k] = square_point(&rng, width);
        }
        p[0] = (gjk_vec3){0, 0, 0};
        p[1] = (gjk_vec3){0, width, 0};
        p[2] = (gjk_vec3){width, 0, 0};
        p[3] = (gjk_vec3){1, 1, 1};
        for (uint32_t k = 0; k < COUNT; k++) {
            scaled[k] = gjk_scale3(0x1p-6, p[k]);
        }
        const gjk_cloud3 cloud = {p, scaled, COUNT};
        for (uint32_t k = 0; k < 2; k++) {
            gjk_hull3 hull = {.count = 0};
            gjk_arena_reset(&arena);
            ck_assert_int_eq(gjk_quickhull3(&arena, &cloud, start, k * UINT32_MAX, marks[k], &hull),
                             GJK_OK);
            ck_assert_uint_eq(count_outside(&hull, p, p, COUNT), 0);
        }
        for (uint32_t k = 0; k < COUNT; k++) {
            corners[0] += marks[0][k];
            corners[1] += marks[1][k];
            ck_assert(marks[0][k] == 0 || find_place(p, COUNT, marks[1], p[k]) != GJK_NO_POINT);
        }
        ck_assert_uint_eq(corners[0], corners[1]);
    }
}

/* The budget is asked once in so many looks at a face, which makes it the measure. */
TEST(no_points_take_quadratic_time) {
    enum { COUNT = 16384 };
    gjk_vec3 *p = calloc(COUNT, sizeof *p);
    ck_assert_ptr_nonnull(p);
    for (uint32_t i = 0; i < COUNT; i++) {
        p[i] = spiral_point(1.003, 2, i);
    }
    test_budget left = {0, UINT32_MAX};
    gjk_budget budget = gjk_budget_make(test_is_over, &left);
    gjk_arena_set_budget(&arena, &budget);
    const gjk_hull3 hull = make(p, COUNT);
    ck_assert_uint_eq(hull.count, COUNT);
    const uint32_t looks_at_a_point = (uint32_t)((uint64_t)left.asked * GJK_BUDGET_STEPS / COUNT);
    ck_assert_uint_ge(looks_at_a_point, 20);
    ck_assert_uint_le(looks_at_a_point, 250);
    free(p);
}

TEST(hulls_end_with_budget) {
    enum { COUNT = 2000 };
    static gjk_vec3 p[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        p[i] = spiral_point(1.05, 2, i);
    }
    test_budget left = {0, UINT32_MAX};
    gjk_budget budget = gjk_budget_make(test_is_over, &left);
    gjk_arena_set_budget(&arena, &budget);
    (void)make(p, COUNT);
    const uint32_t all = left.asked;
    ck_assert_uint_ge(all, 100);
    for (uint32_t ends_at = 1; ends_at <= all; ends_at += all / 20) {
        gjk_hull3 hull = {.count = 99};
        gjk_arena_reset(&arena);
        left = (test_budget){0, ends_at};
        budget = gjk_budget_make(test_is_over, &left);
        ck_assert_int_eq(gjk_hull3_make(&arena, p, COUNT, &hull), GJK_GIVEN_UP);
        ck_assert_uint_eq(hull.count, 99);
        ck_assert_uint_le(left.asked, ends_at + 1);
    }
}

TEST(out_of_memory) {
    static const gjk_vec3 p[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    for (uint32_t count = 1; count <= 5; count++) {
        bool done = false;
        for (size_t limit = 16; !done; limit += 16) {
            struct gjk_arena small;
            gjk_hull3 hull = {.count = 99};
            gjk_arena_init(&small, limit);
            gjk_status status = gjk_hull3_make(&small, p, count, &hull);
            done = status == GJK_OK;
            ck_assert(done || status == GJK_OUT_OF_MEMORY);
            ck_assert_uint_eq(hull.count, done ? count : 99);
            gjk_arena_fini(&small);
            ck_assert_uint_lt(limit, 10000);
        }
    }
}
