/* The entries of flat.h, over the lanes of an instruction set: for the files that include one of
 * base/lanes_*.h before. */

#include "pair/kernels/flat_circle.h"
#include "pair/kernels/flat_polygons.h"

LANES_TARGET static bool detect_polygons(const gjk_placed *a, const gjk_placed *b,
                                         const gjk_pair_settings *settings,
                                         gjk_pair_answer *answer) {
    return answer_polygons(GJK_ASK_DETECT, a, b, settings, answer) ||
           gjk_answer_general(GJK_ASK_DETECT, a, b, settings, answer);
}

LANES_TARGET static bool distance_polygons(const gjk_placed *a, const gjk_placed *b,
                                           const gjk_pair_settings *settings,
                                           gjk_pair_answer *answer) {
    return answer_polygons(GJK_ASK_DISTANCE, a, b, settings, answer) ||
           gjk_answer_general(GJK_ASK_DISTANCE, a, b, settings, answer);
}

LANES_TARGET static bool detect_circle(const gjk_placed *a, const gjk_placed *b,
                                       const gjk_pair_settings *settings, gjk_pair_answer *answer) {
    return answer_circle(GJK_ASK_DETECT, a, b, settings, answer) ||
           gjk_answer_general(GJK_ASK_DETECT, a, b, settings, answer);
}

LANES_TARGET static bool distance_circle(const gjk_placed *a, const gjk_placed *b,
                                         const gjk_pair_settings *settings,
                                         gjk_pair_answer *answer) {
    return answer_circle(GJK_ASK_DISTANCE, a, b, settings, answer) ||
           gjk_answer_general(GJK_ASK_DISTANCE, a, b, settings, answer);
}
