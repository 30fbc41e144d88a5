/* The scans with AVX-512. */

#include "shape/convex/scan.h"

#ifdef GJK_SCAN_X86
#include "base/lanes_avx512.h"

#include "shape/convex/scan_lanes.h"

LANES_TARGET uint32_t gjk_scan2_avx512(const gjk_shape *cloud, double dx, double dy) {
    return scan2(cloud, dx, dy);
}

LANES_TARGET uint32_t gjk_scan3_avx512(const gjk_columns *cloud, double dx, double dy, double dz) {
    return scan3(cloud, dx, dy, dz);
}

LANES_TARGET void gjk_scan_both3_avx512(const gjk_columns cloud[2], const gjk_vec3 direction[2],
                                        uint32_t index[2]) {
    scan_both3(cloud, direction, index);
}

LANES_TARGET uint32_t gjk_scan_least_avx512(const double *values, uint32_t count) {
    return scan_least(values, count);
}

#endif
