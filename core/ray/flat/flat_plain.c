/* The kernel of rays for every processor. */

#include "base/lanes_plain.h"

#include "ray/flat/kernel.h"

gjk_flat_ray_kernel *const gjk_flat_ray_plain = ray_at_polygon;
