/* The nearest point of a tetrahedron, with the origin in each of its fifteen regions. */

#include "pair/gjk/simplex.h"

#include "support/test.h"

static gjk_simplex3 simplex_of(const gjk_vec3 *points, uint32_t count) {
    gjk_simplex3 simplex = {.count = count};
    for (uint32_t i = 0; i < count; i++) {
        simplex.vertex[i] = (gjk_vertex3){.w = points[i], .a = points[i]};
    }
    return simplex;
}

static void require_near(gjk_vec3 v, gjk_vec3 expected) {
    ck_assert_double_le(gjk_length3(gjk_sub3(v, expected)), 2e-15);
}

/* The feature has these vertices, as bits, and this nearest point, which its weights make. */
static void require_feature(const gjk_simplex3 *simplex, const gjk_feature3 *found, unsigned bits,
                            gjk_vec3 nearest) {
    unsigned got = 0;
    for (uint32_t i = 0; i < found->count; i++) {
        got |= 1u << found->vertex[i];
        ck_assert_double_gt(found->weight[i], 0.0);
        ck_assert(i == 0 || found->vertex[i] > found->vertex[i - 1]);
    }
    ck_assert_uint_eq(got, bits);
    require_near(found->nearest, nearest);
    gjk_simplex3 kept = *simplex;
    gjk_vec3 point_a, point_b;
    gjk_simplex3_keep(&kept, found);
    gjk_simplex3_points(&kept, &point_a, &point_b);
    require_near(point_a, nearest);
    require_near(point_b, (gjk_vec3){0, 0, 0});
}

/* The corner of a cube with side 6, seen from `from`: which corners (as bits) hold the nearest
 * point, and that point. 0: the origin is inside. */
static const struct {
    gjk_vec3 from;
    unsigned bits;
    gjk_vec3 foot;
} regions[] = {
    {{-1, -1, -1}, 1, {0, 0, 0}}, {{9, -1, -1}, 2, {6, 0, 0}}, {{-1, 9, -1}, 4, {0, 6, 0}},
    {{-1, -1, 9}, 8, {0, 0, 6}},  {{2, -1, -1}, 3, {2, 0, 0}}, {{-1, 2, -1}, 5, {0, 2, 0}},
    {{-1, -1, 2}, 9, {0, 0, 2}},  {{5, 5, -2}, 6, {3, 3, 0}},  {{5, -2, 5}, 10, {3, 0, 3}},
    {{-2, 5, 5}, 12, {0, 3, 3}},  {{1, 2, -1}, 7, {1, 2, 0}},  {{1, -1, 2}, 11, {1, 0, 2}},
    {{-1, 1, 2}, 13, {0, 1, 2}},  {{3, 3, 3}, 14, {2, 2, 2}},  {{1, 1, 1}, 0, {1, 1, 1}},
};
enum { REGIONS = sizeof regions / sizeof regions[0] };

/* In eight orders of the corners, of either winding. */
TEST_EACH(regions_of_a_tetrahedron, 0, 8 * REGIONS) {
    static const gjk_vec3 corner[4] = {{0, 0, 0}, {6, 0, 0}, {0, 6, 0}, {0, 0, 6}};
    const int row = _i / 8, turn = _i % 4, flip = _i % 8 / 4;
    gjk_vec3 points[4];
    unsigned bits = 0;
    for (int i = 0; i < 4; i++) {
        int at = flip == 0 ? (i + turn) % 4 : (7 - i - turn) % 4;
        points[i] = gjk_sub3(corner[at], regions[row].from);
        bits |= (regions[row].bits >> at & 1u) << i;
    }
    gjk_simplex3 simplex = simplex_of(points, 4);
    gjk_feature3 found;
    ck_assert_int_eq(gjk_simplex3_find(&simplex, &found), bits == 0);
    if (bits != 0) {
        require_feature(&simplex, &found, bits, gjk_sub3(regions[row].foot, regions[row].from));
    }
}

TEST(the_surface_is_found_from_inside) {
    const gjk_vec3 points[4] = {{-1, -2, -2}, {9, -2, -2}, {-1, 8, -2}, {-1, -2, 8}};
    gjk_simplex3 simplex = simplex_of(points, 4);
    gjk_feature3 found;
    gjk_simplex3_find_surface(&simplex, &found);
    require_feature(&simplex, &found, 13, (gjk_vec3){-1, 0, 0});
}

TEST(no_area_and_no_volume) {
    const gjk_vec3 line[3] = {{-1, 1, 0}, {1, 1, 0}, {3, 1, 0}};
    const gjk_vec3 flat[4] = {{-2, -2, 1}, {2, -2, 1}, {2, 2, 1}, {-2, 2, 1}};
    gjk_simplex3 simplex = simplex_of(line, 3);
    gjk_feature3 found;
    ck_assert(!gjk_simplex3_find(&simplex, &found));
    require_near(found.nearest, (gjk_vec3){0, 1, 0});
    simplex = simplex_of(flat, 4);
    ck_assert(!gjk_simplex3_find(&simplex, &found));
    require_near(found.nearest, (gjk_vec3){0, 0, 1});
}
