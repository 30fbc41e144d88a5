/* The scan of edges for every processor. */

#include "base/lanes_plain.h"

#include "pair/direct/edges_lanes.h"

gjk_scan_edges *const gjk_scan_edges_plain = scan_edges;
gjk_enter_edges *const gjk_enter_edges_plain = enter_edges;
