#ifndef GJK_PAIR_KERNELS_FLAT_H
#define GJK_PAIR_KERNELS_FLAT_H

/*
 * Kernels for pairs of two small flat shapes, the commonest pairs in 2D. One kernel answers each
 * kind of pair before a general query is set up: all edges of one polygon against all points of the
 * other in registers, and masks instead of unpredictable branches. The method is that of
 * separating_axis2.c, which also answers the pairs that these kernels leave undecided.
 */

#include "base/lanes.h"
#include "pair/answer.h"

/* Sets *answer as gjk_detect and gjk_distance do. Returns false if the kernel could not decide and
 * the general method answered. Preconditions: the settings' solver is the direct one, without
 * is_signed. A recorder receives nothing about pairs that a kernel decides. */
typedef bool gjk_flat_kernel(const gjk_placed *a, const gjk_placed *b,
                             const gjk_pair_settings *settings, gjk_pair_answer *answer);

/* The kernels of one instruction set, indexed by gjk_question; all sets give the same bits. */
struct gjk_flat_kernels {
    gjk_flat_kernel *polygons[2], *circle[2];
};
extern const struct gjk_flat_kernels gjk_flat_plain, gjk_flat_avx2, gjk_flat_avx512;

/* Answer two circles, or two polygons of two points each, like a gjk_flat_kernel. */
bool gjk_flat_circles(gjk_question question, const gjk_placed *a, const gjk_placed *b,
                      const gjk_pair_settings *settings, gjk_pair_answer *answer);
bool gjk_flat_capsules(gjk_question question, const gjk_placed *a, const gjk_placed *b,
                       const gjk_pair_settings *settings, gjk_pair_answer *answer);

/* Returns true if the kernels support the pair. */
static inline bool gjk_flat_serves(const gjk_placed *a, const gjk_placed *b) {
    return a->shape->flat + b->shape->flat >= 2 * GJK_FLAT_POINT && a->pose.form != GJK_POSE_REST &&
           b->pose.form != GJK_POSE_REST;
}

/* Returns true if the settings do not force a method. */
static inline bool gjk_flat_may_choose(const struct gjk_penetration_solver *solver) {
    return solver == NULL || solver == &gjk_penetration_direct;
}

/* Returns the fastest kernels on this processor. */
static inline const struct gjk_flat_kernels *gjk_flat_fastest(void) {
    return GJK_FASTEST(&gjk_flat_plain, &gjk_flat_avx2, &gjk_flat_avx512);
}

/* Answers a supported pair by its kernel. */
static inline bool gjk_flat_answer(gjk_question question, const gjk_placed *a, const gjk_placed *b,
                                   const gjk_pair_settings *settings, gjk_pair_answer *answer) {
    const uint32_t kinds = a->shape->flat + b->shape->flat;
    if (kinds == 2 * GJK_FLAT_POLYGON) {
        return (a->shape->count | b->shape->count) == 2
                   ? gjk_flat_capsules(question, a, b, settings, answer)
                   : gjk_flat_fastest()->polygons[question](a, b, settings, answer);
    }
    return kinds == 2 * GJK_FLAT_POINT
               ? gjk_flat_circles(question, a, b, settings, answer)
               : gjk_flat_fastest()->circle[question](a, b, settings, answer);
}

#endif
