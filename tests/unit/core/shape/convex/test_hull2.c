/* Is the hull of points in the plane their hull, strictly convex, for any input? */

#include "shape/convex/hull.h"

#include <stdlib.h>
#include <string.h>

#include "base/predicate.h"
#include "gjk/shape.h"
#include "support/rng.h"
#include "support/test.h"

#define CASES 2000
#define POINTS_MAX 40

TEST_ARENA(arena)

static gjk_hull2 make(const gjk_vec2 *points, uint32_t count) {
    gjk_hull2 hull;
    gjk_vec3 *lifted = calloc(count, sizeof *lifted);
    ck_assert_ptr_nonnull(lifted);
    for (uint32_t i = 0; i < count; i++) {
        lifted[i] = gjk_xy0(points[i]);
    }
    ck_assert_int_eq(gjk_hull2_make(&arena, lifted, count, 2, &hull), GJK_OK);
    free(lifted);
    return hull;
}

static bool equal(gjk_vec2 a, gjk_vec2 b) {
    return a.x == b.x && a.y == b.y;
}

static bool between(double low, double x, double high) {
    return (low <= x && x <= high) || (high <= x && x <= low);
}

/* Every corner turns strictly left, and every point is inside, by exact signs. */
static void check_area(const gjk_vec2 *p, uint32_t count, const gjk_hull2 *hull) {
    uint32_t outside = 0, not_left = 0;
    for (uint32_t i = 0; i < hull->count; i++) {
        gjk_vec2 a = p[hull->corners[i]], b = p[hull->corners[(i + 1) % hull->count]];
        for (uint32_t k = 0; k < count; k++) {
            outside += gjk_orient2_sign(a, b, p[k]) < 0;
        }
        /* Strictly left of the edge are all corners but its own: so it turns round once. */
        for (uint32_t k = 2; k < hull->count; k++) {
            gjk_vec2 c = p[hull->corners[(i + k) % hull->count]];
            not_left += gjk_orient2_sign(a, b, c) != 1;
        }
    }
    ck_assert_uint_eq(outside, 0);
    ck_assert_uint_eq(not_left, 0);
}

static void check_hull(const gjk_vec2 *p, uint32_t count) {
    gjk_hull2 hull = make(p, count);
    ck_assert_uint_ge(hull.count, 1);
    for (uint32_t i = 0; i < hull.count; i++) {
        ck_assert_uint_lt(hull.corners[i], count);
        uint32_t earlier = 0;
        for (uint32_t k = 0; k < hull.corners[i]; k++) {
            earlier += equal(p[k], p[hull.corners[i]]);
        }
        ck_assert_uint_eq(earlier, 0); /* the first of equal points is taken */
        gjk_vec2 first = p[hull.corners[0]], other = p[hull.corners[i]];
        ck_assert(first.x < other.x || (first.x == other.x && first.y <= other.y));
    }
    if (hull.count >= 3) {
        check_area(p, count, &hull);
        return;
    }
    gjk_vec2 a = p[hull.corners[0]], b = p[hull.corners[hull.count - 1]];
    ck_assert(hull.count == 1 || !equal(a, b));
    for (uint32_t k = 0; k < count; k++) {
        ck_assert_int_eq(gjk_orient2_sign(a, b, p[k]), 0);
        ck_assert(between(a.x, p[k].x, b.x) && between(a.y, p[k].y, b.y));
    }
}

/* Small grids: many coincident and collinear points. */
TEST(grids) {
    test_rng rng = test_rng_make(10);
    for (int i = 0; i < CASES; i++) {
        gjk_vec2 p[POINTS_MAX];
        uint32_t count = 1 + test_rng_below(&rng, POINTS_MAX);
        int width = test_rng_integer(&rng, 0, 4), height = test_rng_integer(&rng, 0, 4);
        double unit = test_rng_once_in(&rng, 2) ? 0.1 : 1;
        for (uint32_t k = 0; k < count; k++) {
            p[k].x = unit * test_rng_integer(&rng, -width, width);
            p[k].y = unit * test_rng_integer(&rng, -height, height);
        }
        check_hull(p, count);
    }
}

/* Points on a line, a circle or a triangle's sides, up to rounding, of any size. */
TEST(nearly_degenerate_points) {
    test_rng rng = test_rng_make(11);
    for (int i = 0; i < CASES; i++) {
        gjk_vec2 p[POINTS_MAX];
        uint32_t count = 3 + test_rng_below(&rng, POINTS_MAX - 3);
        double size = test_rng_magnitude(&rng, -140, 140);
        gjk_vec2 center = {size * test_rng_uniform(&rng, -9, 9), size};
        gjk_vec2 a = gjk_xy(gjk_scale3(size, test_rng_direction(&rng, 2)));
        for (uint32_t k = 0; k < count; k++) {
            gjk_vec2 circle = gjk_xy(gjk_scale3(size, test_rng_direction(&rng, 2)));
            double t = test_rng_uniform(&rng, 0, 1);
            gjk_vec2 line = gjk_scale2(t, a);
            gjk_vec2 side = k % 2 == 0 ? line : (gjk_vec2){t * a.x, t * a.x};
            p[k] = gjk_add2(center, i % 3 == 0 ? circle : i % 3 == 1 ? line : side);
        }
        check_hull(p, count);
    }
}

TEST(known_hulls) {
    static const gjk_vec2 one[] = {{3, 4}}, same[] = {{3, 4}, {3, 4}, {3, 4}};
    static const gjk_vec2 line[] = {{1, 1}, {0, 0}, {3, 3}, {2, 2}, {3, 3}};
    static const gjk_vec2 square[] = {{1, 1}, {0, 1}, {0.5, 0.5}, {1, 0}, {0, 0}, {0.5, 0}, {0, 0}};
    ck_assert_uint_eq(make(one, 1).count, 1);
    ck_assert_uint_eq(make(same, 3).count, 1);
    gjk_hull2 hull = make(line, 5);
    ck_assert(hull.count == 2 && hull.corners[0] == 1 && hull.corners[1] == 2);
    hull = make(square, 7);
    static const uint32_t corners[] = {4, 3, 0, 1};
    ck_assert_uint_eq(hull.count, 4);
    ck_assert_mem_eq(hull.corners, corners, sizeof corners);
}

/* The order of the points changes nothing but the indices. */
TEST(permutations) {
    test_rng rng = test_rng_make(12);
    for (int i = 0; i < CASES; i++) {
        gjk_vec2 p[POINTS_MAX], q[POINTS_MAX];
        for (uint32_t k = 0; k < POINTS_MAX; k++) {
            p[k].x = test_rng_integer(&rng, -9, 9);
            p[k].y = test_rng_integer(&rng, -9, 9);
        }
        memcpy(q, p, sizeof q);
        for (uint32_t k = POINTS_MAX - 1; k > 0; k--) {
            uint32_t other = test_rng_below(&rng, k + 1);
            gjk_vec2 swap = q[k];
            q[k] = q[other];
            q[other] = swap;
        }
        gjk_hull2 a = make(p, POINTS_MAX), b = make(q, POINTS_MAX);
        ck_assert_uint_eq(a.count, b.count);
        for (uint32_t k = 0; k < a.count; k++) {
            ck_assert(equal(p[a.corners[k]], q[b.corners[k]]));
        }
    }
}

/* As many points as a shape may have, all of them corners: on a parabola. */
TEST(many_points) {
    gjk_vec2 *p = calloc(GJK_POINTS_MAX, sizeof *p);
    ck_assert_ptr_nonnull(p);
    for (uint32_t i = 0; i < GJK_POINTS_MAX; i++) {
        double x = (i * 40503u) % GJK_POINTS_MAX;
        p[i] = (gjk_vec2){x, x * x};
    }
    gjk_hull2 hull = make(p, GJK_POINTS_MAX);
    ck_assert_uint_eq(hull.count, GJK_POINTS_MAX);
    uint32_t misplaced = 0;
    for (uint32_t i = 0; i < hull.count; i++) {
        misplaced += p[hull.corners[i]].x != (double)i;
    }
    ck_assert_uint_eq(misplaced, 0);
    free(p);
}

TEST(out_of_memory) {
    static const gjk_vec3 p[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    bool done = false;
    for (size_t limit = 16; !done; limit += 16) {
        struct gjk_arena small;
        gjk_hull2 hull = {NULL, 99};
        gjk_arena_init(&small, limit);
        done = gjk_hull2_make(&small, p, 3, 2, &hull) == GJK_OK;
        ck_assert_uint_eq(hull.count, done ? 3 : 99);
        gjk_arena_fini(&small);
        ck_assert_uint_lt(limit, 1000);
    }
}
