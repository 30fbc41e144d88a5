/* The scans with AVX-512. */

#include "base/lanes_avx512.h"

#include "shape/convex/scan_lanes.h"

const struct gjk_scans gjk_scans_avx512 = {scan2,      scan3,      scan_both3,
                                           scan_least, scan_inner, scan_beyond};
