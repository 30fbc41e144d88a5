/* The kernels for every processor. */

#include "base/lanes_plain.h"

#define SCANS gjk_scans_plain

#include "pair/kernels/spatial_kernels.h"

const struct gjk_spatial_kernels gjk_spatial_plain = {{detect_clouds, distance_clouds}};
