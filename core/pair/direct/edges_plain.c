/* The scan of edges for every processor, and the choice among them. */

#include "base/lanes_plain.h"

#include "pair/direct/edges_lanes.h"

gjk_gap2 gjk_scan_edges_plain(const gjk_frame2 *frame, gjk_turned2 *b) {
    return scan_edges(frame, b);
}

gjk_gap2 gjk_scan_edges(const gjk_frame2 *frame, gjk_turned2 *b) {
#ifdef GJK_SCAN_X86
    if (gjk_has_avx512()) {
        return gjk_scan_edges_avx512(frame, b);
    }
    if (gjk_has_avx2()) {
        return gjk_scan_edges_avx2(frame, b);
    }
#endif
    return gjk_scan_edges_plain(frame, b);
}
