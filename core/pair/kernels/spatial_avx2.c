/* The kernels with AVX2. */

#include "base/lanes_avx2.h"

#define SCANS gjk_scans_avx2

#include "pair/kernels/spatial_kernels.h"

const struct gjk_spatial_kernels gjk_spatial_avx2 = {{detect_clouds, distance_clouds}};
