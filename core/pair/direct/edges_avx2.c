/* The scan of edges with AVX2. */

#include "base/lanes_avx2.h"

#include "pair/direct/edges_lanes.h"

gjk_scan_edges *const gjk_scan_edges_avx2 = scan_edges;
gjk_enter_edges *const gjk_enter_edges_avx2 = enter_edges;
