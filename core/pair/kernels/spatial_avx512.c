/* The kernels with AVX-512. */

#include "base/lanes_avx512.h"

#define SCANS gjk_scans_avx512

#include "pair/kernels/spatial_kernels.h"

const struct gjk_spatial_kernels gjk_spatial_avx512 = {{detect_clouds, distance_clouds}};
