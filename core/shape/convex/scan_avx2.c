/* The scans with AVX2. */

#include "base/lanes_avx2.h"

#include "shape/convex/scan_lanes.h"

const struct gjk_scans gjk_scans_avx2 = {scan2,      scan3,      scan_both3,
                                         scan_least, scan_inner, scan_beyond};
