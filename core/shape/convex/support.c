/*
 * Support points. A cloud is scanned completely: contiguous columns with wide instructions are
 * faster than hill climbing at the usual sizes. The instruction set is chosen at each call, so that
 * the core needs neither a global nor initialisation.
 */

#include "shape/convex/support.h"

#include "shape/convex/scan.h"

/* Number of points up to which comparing across lanes costs more than it saves. */
#define SCALAR_MAX 12

uint32_t gjk_scan3(const gjk_columns *cloud, double dx, double dy, double dz) {
    const struct gjk_scans *scans =
        cloud->count > SCALAR_MAX ? gjk_scans_fastest() : &gjk_scans_plain;
    return scans->three(cloud, dx, dy, dz);
}

gjk_vec2 gjk_support_of2(const gjk_shape *shape, gjk_vec2 direction) {
    if (shape->count == 0) {
        gjk_vec3 point;
        gjk_curve_support(shape, direction.x, direction.y, 0.0, &point);
        return gjk_xy(point);
    }
    const double *x = shape->columns, *y = x + shape->stride;
    const struct gjk_scans *scans =
        shape->count > SCALAR_MAX ? gjk_scans_fastest() : &gjk_scans_plain;
    uint32_t i = scans->two(shape, direction.x, direction.y);
    return (gjk_vec2){x[i], y[i]};
}

void gjk_support_of3(const gjk_shape *shape, double dx, double dy, double dz, gjk_vec3 *point) {
    if (shape->count == 0) { /* a curve has no columns */
        gjk_curve_support(shape, dx, dy, dz, point);
        return;
    }
    const double *x = shape->columns, *y = x + shape->stride, *z = y + shape->stride;
    if (shape->type == GJK_BOX) { /* the signs choose the corner; adding 0 turns -0 into 0 */
        point->x = (dx > 0.0 ? -x[0] : x[0]) + 0.0;
        point->y = (dy > 0.0 ? -y[0] : y[0]) + 0.0;
        point->z = (dz > 0.0 ? -z[0] : z[0]) + 0.0;
        return;
    }
    gjk_columns cloud = {x, shape->count, shape->stride};
    uint32_t i = shape->count == 1 ? 0 : gjk_scan3(&cloud, dx, dy, dz);
    point->x = x[i];
    point->y = y[i];
    point->z = z[i];
}

gjk_vec3 gjk_shape_any_point(const gjk_shape *shape) {
    gjk_vec3 point;
    if (shape->count > 0) {
        return gjk_shape_point(shape, 0);
    }
    gjk_curve_support(shape, 1.0, 0.0, 0.0, &point);
    return gjk_add3(point, shape->offset);
}

/* Portable scans, one point at a time. */

static uint32_t scan2(const gjk_shape *cloud, double dx, double dy) {
    const double *x = cloud->columns, *y = x + cloud->stride;
    uint32_t best = 0;
    double most = dx * x[0] + dy * y[0];
    for (uint32_t i = 1; i < cloud->count; i++) {
        double along = dx * x[i] + dy * y[i];
        best = along > most ? i : best;
        most = along > most ? along : most;
    }
    return best;
}

static uint32_t scan3(const gjk_columns *cloud, double dx, double dy, double dz) {
    const double *x = cloud->x, *y = x + cloud->stride, *z = y + cloud->stride;
    uint32_t best = 0;
    double most = dx * x[0] + dy * y[0] + dz * z[0];
    for (uint32_t i = 1; i < cloud->count; i++) {
        double along = dx * x[i] + dy * y[i] + dz * z[i];
        best = along > most ? i : best;
        most = along > most ? along : most;
    }
    return best;
}

static void scan_both3(const gjk_columns cloud[2], const gjk_vec3 direction[2], uint32_t index[2]) {
    for (int i = 0; i < 2; i++) {
        index[i] = scan3(&cloud[i], direction[i].x, direction[i].y, direction[i].z);
    }
}

static uint32_t scan_least(const double *values, uint32_t count) {
    uint32_t best = 0;
    double least = values[0];
    for (uint32_t i = 1; i < count; i++) {
        best = values[i] < least ? i : best;
        least = values[i] < least ? values[i] : least;
    }
    return best;
}

static double scan_inner(const double *x, uint32_t stride, uint32_t count, const gjk_vec3 *place,
                         double *inner) {
    const double *y = x + stride, *z = y + stride, *distance = z + stride;
    double least = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        inner[i] = distance[i] - (x[i] * place->x + y[i] * place->y + z[i] * place->z);
        least = inner[i] < least ? inner[i] : least;
    }
    return least;
}

static void scan_beyond(const double *x, uint32_t stride, uint32_t count, const gjk_vec3 *nearest,
                        double *square) {
    const double *y = x + stride, *z = y + stride, *least = z + stride;
    const gjk_beyond of = gjk_beyond_of(nearest);
    for (uint32_t i = 0; i < count; i++) {
        const double along = x[i] * nearest->x + y[i] * nearest->y + z[i] * nearest->z;
        const double off = least[i] - along, inner = off > 0.0 ? off : 0.0;
        const double rest = of.own - along * along, across = rest > of.thin ? rest : of.thin;
        const double meet = of.own + inner * inner * (of.scale / across);
        square[i] = of.own < along * (least[i] > 0.0 ? least[i] : 0.0) ? least[i] * least[i] : meet;
    }
}

const struct gjk_scans gjk_scans_plain = {scan2,      scan3,      scan_both3,
                                          scan_least, scan_inner, scan_beyond};
