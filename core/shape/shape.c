/* Constructors of shapes with a fixed number of points: point, ball, segment, capsule, box and
 * triangle. Each checks its numbers, drops coincident points and leaves the rest to cloud.c. */

#include "gjk/shape.h"

#include "base/numbers.h"
#include "base/predicate.h"
#include "shape/convex/cloud.h"
#include "shape/convex/support.h"

static bool equal(gjk_vec3 a, gjk_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* Computes the sum of a shape's own radius, which must be positive, and the rounding. */
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

/* Returns the number of different ends. In 2D, z is ignored and set to 0. */
static uint32_t reduce_ends(uint32_t dimension, gjk_vec3 ends[2]) {
    if (dimension == 2) {
        ends[0].z = ends[1].z = 0;
    }
    return equal(ends[0], ends[1]) ? 1 : 2;
}

/* Makes a segment or capsule. head: all members but the count. */
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

/* Lists the corners of a box and returns their number. An axis without extent contributes one value
 * instead of two, so that no corners coincide. In 2D the corners run counter-clockwise. */
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

/* Orders points by x, then y, then z: on a line, the first and last points are the ends. */
static bool before(gjk_vec3 a, gjk_vec3 b) {
    return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
}

/* Reduces three collinear corners to the ends of their line, or to one point. */
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

/*
 * Axis-aligned bounding box of a placed shape: the range of the support function along each axis
 * (for a cloud, of all transformed points), widened by the radius and by a bound of the rounding
 * error. That bound covers two dozen roundings of at most 2^-53 of the magnitudes involved, which
 * the shape's own bounding box limits.
 */

#define ROUNDING_RELATIVE 0x1p-48
#define ROUNDING_LEAST 0x1p-1060 /* if the relative bound underflows */

/* Computes the range of row . x over a curve; for a custom shape, over its bounding ball. */
static void curve_range(const gjk_shape *shape, gjk_vec3 row, double *low, double *high) {
    if (shape->type == GJK_CUSTOM) {
        double middle = gjk_dot3(row, shape->center), half = shape->bounding_radius - shape->radius;
        *low = middle - half;
        *high = middle + half;
        return;
    }
    gjk_vec3 point;
    gjk_curve_support(shape, -row.x, -row.y, -row.z, &point);
    *low = gjk_dot3(row, point);
    gjk_curve_support(shape, row.x, row.y, row.z, &point);
    *high = gjk_dot3(row, point);
}

/* Computes the range of row . x over a cloud. */
static void cloud_range(const gjk_shape *shape, gjk_vec3 row, double *least, double *most) {
    const double *x = shape->columns, *y = x + shape->stride;
    const double *z = shape->dimension == 3 ? y + shape->stride : NULL;
    double low = INFINITY, high = -INFINITY;

    for (uint32_t i = 0; i < shape->count; i++) {
        double t = row.x * x[i] + row.y * y[i] + (z != NULL ? row.z * z[i] : 0.0);
        low = t < low ? t : low;
        high = t > high ? t : high;
    }
    *least = low;
    *most = high;
}

/* Computes the bounds on one axis of the world: x_world = row . x_own + offset. */
static void axis_bounds(const gjk_shape *shape, gjk_vec3 row, double offset, double *min,
                        double *max) {
    double low, high;
    if (shape->pieces != NULL) {
        const gjk_vec3 half = shape->half_extents;
        const double middle = gjk_dot3(row, shape->center);
        const double reach = fabs(row.x) * half.x + fabs(row.y) * half.y + fabs(row.z) * half.z;
        low = middle - reach;
        high = middle + reach;
    } else if (shape->count == 0) {
        curve_range(shape, row, &low, &high);
    } else {
        cloud_range(shape, row, &low, &high);
    }
    const gjk_vec3 c = shape->center, h = shape->half_extents;
    double reach = fabs(row.x) * (fabs(c.x) + h.x) + fabs(row.y) * (fabs(c.y) + h.y) +
                   fabs(row.z) * (fabs(c.z) + h.z) + shape->radius + fabs(offset);
    double slack = ROUNDING_RELATIVE * reach + ROUNDING_LEAST;
    offset += gjk_dot3(row, shape->offset);
    *min = low + offset - shape->radius - slack;
    *max = high + offset + shape->radius + slack;
}

gjk_bounds gjk_placed_bounds(const gjk_placed *placed) {
    const gjk_shape *shape = placed->shape;
    const gjk_pose *pose = &placed->pose;
    gjk_bounds b = {{0, 0, 0}, {0, 0, 0}};

    axis_bounds(shape, pose->rotation.r0, pose->position.x, &b.min.x, &b.max.x);
    axis_bounds(shape, pose->rotation.r1, pose->position.y, &b.min.y, &b.max.y);
    if (shape->dimension == 3) {
        axis_bounds(shape, pose->rotation.r2, pose->position.z, &b.min.z, &b.max.z);
    }
    return b;
}
