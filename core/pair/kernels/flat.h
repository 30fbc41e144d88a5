#ifndef GJK_PAIR_KERNELS_FLAT_H
#define GJK_PAIR_KERNELS_FLAT_H

/*
 * Two small flat shapes, the commonest pairs in 2D, answered by one kernel each before the general
 * question is set up: all edges of one polygon against all points of the other in registers, and
 * masks instead of branches that nobody could predict. The method is that of separating_axis2.c, to
 * which falls what these kernels leave undecided.
 */

#include "gjk/pair.h"
#include "shape/convex/scan.h"

/*
 * Set *result as gjk_detect and gjk_distance do. False: they could not decide it, and the general
 * method did. The settings' solver is the direct one, and no sign is asked for. A recorder hears
 * nothing of what they decide. One function for each instruction set and kind of pair, with the
 * same bits.
 */
#define GJK_FLAT_KERNEL(question, name)                                          \
    bool gjk_flat_##question##_##name(const gjk_placed *a, const gjk_placed *b,  \
                                      const gjk_##question##_settings *settings, \
                                      gjk_##question##_result *result);
#define GJK_FLAT_KERNELS(set)                 \
    GJK_FLAT_KERNEL(detect, polygons_##set)   \
    GJK_FLAT_KERNEL(distance, polygons_##set) \
    GJK_FLAT_KERNEL(detect, circle_##set)     \
    GJK_FLAT_KERNEL(distance, circle_##set)

GJK_FLAT_KERNELS(plain)
#ifdef GJK_SCAN_X86
GJK_FLAT_KERNELS(avx2)
GJK_FLAT_KERNELS(avx512)
#endif
GJK_FLAT_KERNEL(detect, circles)
GJK_FLAT_KERNEL(distance, circles)
GJK_FLAT_KERNEL(detect, capsules) /* polygons of two points each */
GJK_FLAT_KERNEL(distance, capsules)

/* The same for all pairs and settings: pair/kernels, or else the general method, which a recorder
 * hears. True: pair/kernels has decided. */
bool gjk_detect_general(const gjk_placed *a, const gjk_placed *b,
                        const gjk_detect_settings *settings, gjk_detect_result *result);
bool gjk_distance_general(const gjk_placed *a, const gjk_placed *b,
                          const gjk_distance_settings *settings, gjk_distance_result *result);

/* Returns true if two placed shapes are such a pair. */
static inline bool gjk_flat_serves(const gjk_placed *a, const gjk_placed *b) {
    return a->shape->flat + b->shape->flat >= 2 * GJK_FLAT_POINT && a->pose.form != GJK_POSE_REST &&
           b->pose.form != GJK_POSE_REST;
}

/* Returns true if the settings leave the choice of the method. */
static inline bool gjk_flat_may_choose(const struct gjk_penetration_solver *solver) {
    return solver == NULL || solver == &gjk_penetration_direct;
}

#ifdef GJK_SCAN_X86
#define GJK_FLAT_FASTEST(kernel, ...)                           \
    (gjk_has_avx512() ? gjk_flat_##kernel##_avx512(__VA_ARGS__) \
     : gjk_has_avx2() ? gjk_flat_##kernel##_avx2(__VA_ARGS__)   \
                      : gjk_flat_##kernel##_plain(__VA_ARGS__))
#else
#define GJK_FLAT_FASTEST(kernel, ...) gjk_flat_##kernel##_plain(__VA_ARGS__)
#endif

/* The kernel of a pair that is served, and the fastest of those on this processor. */
#define GJK_FLAT_ASK(question)                                                                \
    static inline bool gjk_flat_##question(const gjk_placed *a, const gjk_placed *b,          \
                                           const gjk_##question##_settings *settings,         \
                                           gjk_##question##_result *result) {                 \
        const uint32_t kinds = a->shape->flat + b->shape->flat;                               \
        const bool are_rods = (a->shape->count | b->shape->count) == 2;                       \
        return kinds == 2 * GJK_FLAT_POLYGON                                                  \
                   ? are_rods ? gjk_flat_##question##_capsules(a, b, settings, result)        \
                              : GJK_FLAT_FASTEST(question##_polygons, a, b, settings, result) \
               : kinds == 2 * GJK_FLAT_POINT                                                  \
                   ? gjk_flat_##question##_circles(a, b, settings, result)                    \
                   : GJK_FLAT_FASTEST(question##_circle, a, b, settings, result);             \
    }
GJK_FLAT_ASK(detect)
GJK_FLAT_ASK(distance)

#endif
