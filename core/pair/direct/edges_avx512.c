/* The scan of edges with AVX-512. */

#include "shape/convex/scan.h"

#ifdef GJK_SCAN_X86
#include "base/lanes_avx512.h"

#include "pair/direct/edges_lanes.h"

LANES_TARGET gjk_gap2 gjk_scan_edges_avx512(const gjk_frame2 *frame, gjk_turned2 *b) {
    return scan_edges(frame, b);
}

#endif
