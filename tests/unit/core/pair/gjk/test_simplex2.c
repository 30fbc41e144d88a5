/* The nearest point of a segment and of a triangle, with the origin in each of their regions. */

#include "pair/gjk/simplex.h"

#include "support/test.h"

/* A simplex of so many points; a carries the point, b is 0, so that a - b is it. */
static gjk_simplex2 simplex_of(const gjk_vec2 *points, uint32_t count) {
    gjk_simplex2 simplex = {.count = count};
    for (uint32_t i = 0; i < count; i++) {
        simplex.vertex[i] = (gjk_vertex2){.w = points[i], .a = points[i]};
    }
    return simplex;
}

/* The feature has these vertices, as bits, and this nearest point, which its weights make. */
static void require_feature(const gjk_simplex2 *simplex, const gjk_feature2 *found, unsigned bits,
                            gjk_vec2 nearest) {
    unsigned got = 0;
    for (uint32_t i = 0; i < found->count; i++) {
        got |= 1u << found->vertex[i];
        ck_assert_double_gt(found->weight[i], 0.0);
    }
    ck_assert_uint_eq(got, bits);
    ck_assert_double_eq_tol(found->nearest.x, nearest.x, 1e-15);
    ck_assert_double_eq_tol(found->nearest.y, nearest.y, 1e-15);
    ck_assert_double_eq_tol(found->squared, gjk_dot2(nearest, nearest), 1e-14);
    gjk_simplex2 kept = *simplex;
    gjk_vec2 point_a, point_b;
    gjk_simplex2_keep(&kept, found);
    gjk_simplex2_points(&kept, &point_a, &point_b);
    ck_assert_double_eq_tol(point_a.x, nearest.x, 1e-15);
    ck_assert_double_eq_tol(point_a.y, nearest.y, 1e-15);
    ck_assert_double_eq(point_b.x, 0.0);
}

TEST(regions_of_a_segment) {
    static const struct {
        gjk_vec2 ends[2];
        unsigned bits;
        gjk_vec2 nearest;
    } rows[] = {
        {{{1, 1}, {3, 1}}, 1, {1, 1}},  {{{3, 1}, {1, 1}}, 2, {1, 1}},
        {{{-1, 2}, {3, 2}}, 3, {0, 2}}, {{{0, 2}, {3, 2}}, 1, {0, 2}}, /* at the very end */
        {{{2, 2}, {2, 2}}, 1, {2, 2}},  {{{-1, -1}, {1, 1}}, 3, {0, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        gjk_simplex2 simplex = simplex_of(rows[i].ends, 2);
        gjk_feature2 found;
        ck_assert(!gjk_simplex2_find(&simplex, &found));
        require_feature(&simplex, &found, rows[i].bits, rows[i].nearest);
    }
}

/* The triangle (0,0) (4,0) (0,4), moved so that the origin lies in each region in turn; every
 * order of the corners, both ways round. */
TEST_EACH(regions_of_a_triangle, 0, 8 * 6) {
    static const struct {
        gjk_vec2 from;
        unsigned bits;
        gjk_vec2 foot;
    } rows[] = {
        {{-1, -1}, 1, {0, 0}}, {{6, -1}, 2, {4, 0}}, {{-1, 6}, 4, {0, 4}}, {{2, -1}, 3, {2, 0}},
        {{3, 3}, 6, {2, 2}},   {{-1, 2}, 5, {0, 2}}, {{1, 1}, 0, {1, 1}}, /* inside */
        {{2, 2}, 0, {2, 2}}, /* on an edge: it is held */
    };
    static const gjk_vec2 corner[3] = {{0, 0}, {4, 0}, {0, 4}};
    static const int order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                    {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    const int row = _i / 6;
    const int *turn = order[_i % 6];
    gjk_vec2 points[3];
    unsigned bits = 0;
    for (int i = 0; i < 3; i++) {
        points[i] = gjk_sub2(corner[turn[i]], rows[row].from);
        bits |= (rows[row].bits >> turn[i] & 1u) << i;
    }
    gjk_simplex2 simplex = simplex_of(points, 3);
    gjk_feature2 found;
    ck_assert_int_eq(gjk_simplex2_find(&simplex, &found), bits == 0);
    if (bits != 0) {
        require_feature(&simplex, &found, bits, gjk_sub2(rows[row].foot, rows[row].from));
    }
}

TEST(the_surface_is_found_from_inside) {
    const gjk_vec2 points[3] = {{-1, -2}, {5, -2}, {-1, 4}};
    gjk_simplex2 simplex = simplex_of(points, 3);
    gjk_feature2 found;
    gjk_simplex2_find_surface(&simplex, &found);
    require_feature(&simplex, &found, 5, (gjk_vec2){-1, 0});
}

/* Nearly through the origin: the edge's normal has digits that the nearest point has not. */
TEST(the_direction_is_the_normal_of_the_edge) {
    const gjk_vec2 points[2] = {{-3, -1 + 0x1p-51}, {3, 1}};
    gjk_simplex2 simplex = simplex_of(points, 2);
    gjk_feature2 found;
    ck_assert(!gjk_simplex2_find(&simplex, &found));
    gjk_simplex2_keep(&simplex, &found);
    gjk_vec2 n = gjk_simplex2_direction(&simplex, found.nearest);
    ck_assert_double_eq_tol(fabs(n.x), 1 / sqrt(10), 1e-15);
    ck_assert_double_eq_tol(fabs(n.y), 3 / sqrt(10), 1e-15);
}
