/* The kernels with AVX2. */

#include "shape/convex/scan.h"

#ifdef GJK_SCAN_X86
#include "base/lanes_avx2.h"

#define SCAN_BOTH gjk_scan_both3_avx2

#include "pair/kernels/spatial_kernels.h"

const struct gjk_spatial_kernels gjk_spatial_avx2 = {{detect_clouds, distance_clouds}};
#endif
