/* The kernels for every processor. */

#include "base/lanes_plain.h"

#define SCAN_BOTH gjk_scan_both3_plain

#include "pair/kernels/spatial_kernels.h"

SPATIAL_KERNELS(plain)
