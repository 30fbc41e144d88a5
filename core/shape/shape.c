/*
 * Constructors of the shapes with a fixed number of points: point, ball, segment, capsule, box and
 * triangle. Each checks its numbers, drops coincident points and leaves the rest to cloud.c.
 */

#include "gjk/shape.h"

#include "base/finite.h"
#include "base/predicate.h"
#include "shape/cloud.h"

static bool equal(gjk_vec3 a, gjk_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* The sum of the own radius, which must be positive, and the rounding. */
static gjk_status add_radii(double radius, double rounding, double *sum) {
    gjk_status status = gjk_check_length(radius);
    if (status == GJK_OK && radius == 0) {
        status = GJK_OUT_OF_RANGE;
    }
    if (status == GJK_OK) {
        status = gjk_check_length(rounding);
    }
    if (status == GJK_OK) {
        *sum = radius + rounding;
        status = gjk_check_length(*sum);
    }
    return status;
}

gjk_status gjk_shape_make_point(struct gjk_arena *arena, uint32_t dimension, double rounding,
                                gjk_shape *out) {
    GJK_ASSERT(dimension == 2 || dimension == 3);
    const gjk_vec3 origin = {0, 0, 0};
    gjk_shape head = {.type = GJK_POINT, .dimension = dimension, .count = 1, .radius = rounding};
    gjk_status status = gjk_check_length(rounding);
    return status == GJK_OK ? gjk_cloud_finish(arena, &head, &origin, out) : status;
}

gjk_status gjk_shape_make_ball(struct gjk_arena *arena, uint32_t dimension, double radius,
                               double rounding, gjk_shape *out) {
    GJK_ASSERT(dimension == 2 || dimension == 3);
    const gjk_vec3 origin = {0, 0, 0};
    gjk_shape head = {.type = GJK_BALL, .dimension = dimension, .count = 1};
    gjk_status status = add_radii(radius, rounding, &head.radius);
    return status == GJK_OK ? gjk_cloud_finish(arena, &head, &origin, out) : status;
}

/* How many different ends there are. In 2D z does not count, and becomes 0. */
static uint32_t reduce_ends(uint32_t dimension, gjk_vec3 ends[2]) {
    if (dimension == 2) {
        ends[0].z = ends[1].z = 0;
    }
    return equal(ends[0], ends[1]) ? 1 : 2;
}

/* Segments and capsules, of which head holds all but the count. */
static gjk_status make_between(struct gjk_arena *arena, gjk_shape head, const gjk_vec3 ends[2],
                               gjk_shape *out) {
    gjk_vec3 points[2] = {ends[0], ends[1]};
    gjk_status status = gjk_cloud_check(head.dimension, points, 2);
    if (status != GJK_OK) {
        return status;
    }
    head.count = reduce_ends(head.dimension, points);
    return gjk_cloud_finish(arena, &head, points, out);
}

void gjk_shape_fill_segment(uint32_t dimension, const gjk_vec3 ends[2], double rounding,
                            double *columns, gjk_shape *out) {
    gjk_vec3 points[2] = {ends[0], ends[1]};
    gjk_shape head = {.type = GJK_SEGMENT, .dimension = dimension, .radius = rounding};
    head.count = reduce_ends(dimension, points);
    gjk_cloud_fill(&head, points, columns, out);
}

gjk_status gjk_shape_make_segment(struct gjk_arena *arena, uint32_t dimension, gjk_vec3 a,
                                  gjk_vec3 b, double rounding, gjk_shape *out) {
    gjk_shape head = {.type = GJK_SEGMENT, .dimension = dimension, .radius = rounding};
    gjk_status status = gjk_check_length(rounding);
    return status == GJK_OK ? make_between(arena, head, (gjk_vec3[2]){a, b}, out) : status;
}

gjk_status gjk_shape_make_capsule(struct gjk_arena *arena, uint32_t dimension,
                                  const gjk_vec3 ends[2], double radius, double rounding,
                                  gjk_shape *out) {
    gjk_shape head = {.type = GJK_CAPSULE, .dimension = dimension};
    gjk_status status = add_radii(radius, rounding, &head.radius);
    return status == GJK_OK ? make_between(arena, head, ends, out) : status;
}

static gjk_status check_half_extents(uint32_t dimension, gjk_vec3 half) {
    const double values[3] = {half.x, half.y, half.z};
    for (uint32_t i = 0; i < dimension; i++) {
        gjk_status status = gjk_check_length(values[i]);
        if (status != GJK_OK) {
            return status;
        }
    }
    return GJK_OK;
}

/*
 * The corners of a box. An axis without extent contributes one value instead of two,
 * so that no two corners coincide. In 2D the corners run counter-clockwise.
 */
static uint32_t list_corners(uint32_t dimension, gjk_vec3 half, gjk_vec3 corners[8]) {
    uint32_t count = 0;
    int x_sides = half.x > 0 ? 2 : 1, y_sides = half.y > 0 ? 2 : 1;
    int z_sides = dimension == 3 && half.z > 0 ? 2 : 1;

    for (int k = 0; k < z_sides; k++) {
        for (int j = 0; j < y_sides; j++) {
            for (int i = 0; i < x_sides; i++) {
                bool right = (i == 1) != (j == 1 && x_sides == 2);
                corners[count++] = (gjk_vec3){right ? half.x : -half.x, j == 1 ? half.y : -half.y,
                                              k == 1 ? half.z : -half.z};
            }
        }
    }
    return count;
}

gjk_status gjk_shape_make_box(struct gjk_arena *arena, uint32_t dimension, gjk_vec3 half_extents,
                              double rounding, gjk_shape *out) {
    GJK_ASSERT(dimension == 2 || dimension == 3);
    gjk_vec3 corners[8];
    gjk_shape head = {.type = GJK_BOX, .dimension = dimension, .radius = rounding};

    gjk_status status = check_half_extents(dimension, half_extents);
    if (status == GJK_OK) {
        status = gjk_check_length(rounding);
    }
    if (status != GJK_OK) {
        return status;
    }
    head.count = list_corners(dimension, half_extents, corners);
    return gjk_cloud_finish(arena, &head, corners, out);
}

/* The order by x, then y, then z: on a line, its first and last points are its ends. */
static bool before(gjk_vec3 a, gjk_vec3 b) {
    return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
}

/* Reduces three corners on one line to its ends, or to one point. */
static uint32_t reduce_corners(gjk_vec3 corners[3]) {
    if (!gjk_collinear3(corners[0], corners[1], corners[2])) {
        return 3;
    }
    gjk_vec3 first = corners[0], last = corners[0];
    for (int i = 1; i < 3; i++) {
        first = before(corners[i], first) ? corners[i] : first;
        last = before(last, corners[i]) ? corners[i] : last;
    }
    corners[0] = first;
    corners[1] = last;
    return equal(first, last) ? 1 : 2;
}

void gjk_shape_fill_triangle(const gjk_vec3 corners[3], double rounding, double *columns,
                             gjk_shape *out) {
    gjk_vec3 points[3] = {corners[0], corners[1], corners[2]};
    gjk_shape head = {.type = GJK_TRIANGLE, .dimension = 3, .radius = rounding};
    head.count = reduce_corners(points);
    gjk_cloud_fill(&head, points, columns, out);
}

gjk_status gjk_shape_make_triangle(struct gjk_arena *arena, const gjk_vec3 corners[3],
                                   double rounding, gjk_shape *out) {
    gjk_vec3 points[3] = {corners[0], corners[1], corners[2]};
    gjk_shape head = {.type = GJK_TRIANGLE, .dimension = 3, .radius = rounding};

    gjk_status status = gjk_cloud_check(3, points, 3);
    if (status == GJK_OK) {
        status = gjk_check_length(rounding);
    }
    if (status != GJK_OK) {
        return status;
    }
    head.count = reduce_corners(points);
    return gjk_cloud_finish(arena, &head, points, out);
}
