/* The kernels with AVX2. */

#include "base/lanes_avx2.h"

#include "pair/kernels/flat_kernels.h"

const struct gjk_flat_kernels gjk_flat_avx2 = {{detect_polygons, distance_polygons},
                                               {detect_circle, distance_circle}};
