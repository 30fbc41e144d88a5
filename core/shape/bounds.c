/*
 * The axis-aligned box of the world that contains a placed shape: along each axis the range of the
 * support function (of a cloud, of all transformed points), widened by the radius and by a bound
 * of the rounding. That bound allows for two dozen roundings of at most 2^-53 of the magnitudes
 * met, which those of the own bounding box limit.
 */

#include "gjk/shape.h"

#include "shape/support.h"

#define ROUNDING_RELATIVE 0x1p-48
#define ROUNDING_LEAST 0x1p-1060 /* where the relative bound underflows */

/* The range of row . x over a curve. Of a custom shape the known ball is taken. */
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

/* The range of row . x over a cloud. */
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

/* The range of row . x over the own bounding box, of a shape of many pieces. */
static void box_range(const gjk_shape *shape, gjk_vec3 row, double *low, double *high) {
    const gjk_vec3 half = shape->half_extents;
    const double middle = gjk_dot3(row, shape->center);
    const double reach = fabs(row.x) * half.x + fabs(row.y) * half.y + fabs(row.z) * half.z;
    *low = middle - reach;
    *high = middle + reach;
}

/* One axis of the world: x_world = row . x_own + offset. */
static void axis_bounds(const gjk_shape *shape, gjk_vec3 row, double offset, double *min,
                        double *max) {
    double low, high;
    if (shape->pieces != NULL) {
        box_range(shape, row, &low, &high);
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
