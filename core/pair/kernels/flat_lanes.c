/* The entries of flat.h. */

#include "pair/kernels/flat_circle.h"
#include "pair/kernels/flat_polygons.h"

LANES_INLINE bool detect_polygons(const gjk_placed *a, const gjk_placed *b,
                                  const gjk_pair_settings *settings, gjk_pair_answer *answer) {
    return answer_polygons(GJK_ASK_DETECT, a, b, settings, answer) ||
           gjk_answer_general(GJK_ASK_DETECT, a, b, settings, answer);
}

LANES_INLINE bool distance_polygons(const gjk_placed *a, const gjk_placed *b,
                                    const gjk_pair_settings *settings, gjk_pair_answer *answer) {
    return answer_polygons(GJK_ASK_DISTANCE, a, b, settings, answer) ||
           gjk_answer_general(GJK_ASK_DISTANCE, a, b, settings, answer);
}

LANES_INLINE bool detect_circle(const gjk_placed *a, const gjk_placed *b,
                                const gjk_pair_settings *settings, gjk_pair_answer *answer) {
    return answer_circle(GJK_ASK_DETECT, a, b, settings, answer) ||
           gjk_answer_general(GJK_ASK_DETECT, a, b, settings, answer);
}

LANES_INLINE bool distance_circle(const gjk_placed *a, const gjk_placed *b,
                                  const gjk_pair_settings *settings, gjk_pair_answer *answer) {
    return answer_circle(GJK_ASK_DISTANCE, a, b, settings, answer) ||
           gjk_answer_general(GJK_ASK_DISTANCE, a, b, settings, answer);
}

const struct gjk_flat_kernels LANES_FORM(gjk_flat) = {{detect_polygons, distance_polygons},
                                                      {detect_circle, distance_circle}};
