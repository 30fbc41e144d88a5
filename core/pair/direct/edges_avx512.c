/* The scan of edges with AVX-512. */

#include "base/lanes_avx512.h"

#include "pair/direct/edges_lanes.h"

gjk_scan_edges *const gjk_scan_edges_avx512 = scan_edges;
gjk_enter_edges *const gjk_enter_edges_avx512 = enter_edges;
