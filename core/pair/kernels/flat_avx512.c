/* The kernels with AVX-512. */

#include "base/lanes_avx512.h"

#include "pair/kernels/flat_kernels.h"

const struct gjk_flat_kernels gjk_flat_avx512 = {{detect_polygons, distance_polygons},
                                                 {detect_circle, distance_circle}};
