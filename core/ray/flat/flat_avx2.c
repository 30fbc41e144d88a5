/* The kernel of rays with AVX2. */

#include "base/lanes_avx2.h"

#include "ray/flat/kernel.h"

gjk_flat_ray_kernel *const gjk_flat_ray_avx2 = ray_at_polygon;
