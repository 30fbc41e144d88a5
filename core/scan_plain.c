/*
 * The scan that every processor can do, one point after the other.
 */

#include "scan.h"

uint32_t gjk_scan2_plain(const gjk_shape *cloud, gjk_vec2 direction) {
    const double *x = cloud->columns, *y = x + cloud->stride;
    uint32_t best = 0;
    double most = direction.x * x[0] + direction.y * y[0];
    for (uint32_t i = 1; i < cloud->count; i++) {
        double along = direction.x * x[i] + direction.y * y[i];
        best = along > most ? i : best;
        most = along > most ? along : most;
    }
    return best;
}

uint32_t gjk_scan3_plain(const gjk_shape *cloud, gjk_vec3 direction) {
    const double *x = cloud->columns, *y = x + cloud->stride, *z = y + cloud->stride;
    uint32_t best = 0;
    double most = direction.x * x[0] + direction.y * y[0] + direction.z * z[0];
    for (uint32_t i = 1; i < cloud->count; i++) {
        double along = direction.x * x[i] + direction.y * y[i] + direction.z * z[i];
        best = along > most ? i : best;
        most = along > most ? along : most;
    }
    return best;
}
