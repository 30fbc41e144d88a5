/* The kernels for every processor. */

#include "base/lanes_plain.h"

#include "pair/kernels/flat_kernels.h"

const struct gjk_flat_kernels gjk_flat_plain = {{detect_polygons, distance_polygons},
                                                {detect_circle, distance_circle}};
