/*
 * Which point of a cloud lies farthest along a direction? Scans all of it:
 * contiguous columns beat hill climbing at the sizes that shapes have.
 */

#include "support.h"

#include "curve.h"

gjk_vec2 gjk_support_of2(const gjk_shape *shape, gjk_vec2 direction) {
    if (shape->count == 0) {
        return gjk_xy(gjk_curve_support(shape, gjk_xy0(direction)));
    }
    const double *x = shape->columns, *y = x + shape->stride;
    uint32_t best = 0;
    double most = direction.x * x[0] + direction.y * y[0];
    for (uint32_t i = 1; i < shape->count; i++) {
        double along = direction.x * x[i] + direction.y * y[i];
        if (along > most) {
            most = along;
            best = i;
        }
    }
    return (gjk_vec2){x[best], y[best]};
}

gjk_vec3 gjk_support_of3(const gjk_shape *shape, gjk_vec3 direction) {
    if (shape->count == 0) {
        return gjk_curve_support(shape, direction);
    }
    const double *x = shape->columns, *y = x + shape->stride, *z = y + shape->stride;
    uint32_t best = 0;
    double most = direction.x * x[0] + direction.y * y[0] + direction.z * z[0];
    for (uint32_t i = 1; i < shape->count; i++) {
        double along = direction.x * x[i] + direction.y * y[i] + direction.z * z[i];
        if (along > most) {
            most = along;
            best = i;
        }
    }
    return (gjk_vec3){x[best], y[best], z[best]};
}
