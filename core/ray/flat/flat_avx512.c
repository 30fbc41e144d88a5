/* The kernel of rays with AVX-512. */

#include "base/lanes_avx512.h"

#include "ray/flat/kernel.h"

gjk_flat_ray_kernel *const gjk_flat_ray_avx512 = ray_at_polygon;
