/*
 * Scans one point after the other, on every processor.
 */

#include "shape/scan.h"

uint32_t gjk_scan2_plain(const gjk_shape *cloud, double dx, double dy) {
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

uint32_t gjk_scan3_plain(const gjk_columns *cloud, double dx, double dy, double dz) {
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

void gjk_scan_both3_plain(const gjk_columns cloud[2], const gjk_vec3 direction[2],
                          uint32_t index[2]) {
    for (int i = 0; i < 2; i++) {
        index[i] = gjk_scan3_plain(&cloud[i], direction[i].x, direction[i].y, direction[i].z);
    }
}

uint32_t gjk_scan_least_plain(const double *values, uint32_t count) {
    uint32_t best = 0;
    double least = values[0];
    for (uint32_t i = 1; i < count; i++) {
        best = values[i] < least ? i : best;
        least = values[i] < least ? values[i] : least;
    }
    return best;
}
