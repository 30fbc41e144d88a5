#ifndef GJK_PAIR_KERNELS_SPATIAL_H
#define GJK_PAIR_KERNELS_SPATIAL_H

/*
 * Two clouds in space, the commonest pairs in 3D, walked by one kernel each before the general
 * question is set up. The walk is GJK in floating point alone: signs choose the features, which
 * rounding may get wrong, and nothing it says on its way is relied upon. What it ends with is: a
 * support plane beyond the origin, a tetrahedron around it by a margin, or a feature whose distance
 * its support plane meets within rounding; for a depth the tetrahedron is expanded to a polytope
 * that proves it (spatial_expand.h). A walk that ends with none of them is left to boolean_gjk3.c, gjk3.c
 * and epa3.c, whose predicates are exact, and which go on from where it stands.
 */

#include "gjk/pair.h"
#include "pair/order.h"
#include "shape/convex/scan.h"

/* Where a walk ended: points of both clouds, whose differences are around or near the origin. */
typedef struct gjk_walk3 {
    uint32_t count; /* 0: nothing is known */
    uint32_t steps;
    uint32_t on_a[4], on_b[4]; /* of the shape that comes first and of the other: indices */
    bool is_around;            /* a proof that the cores overlap, and deeper than the tolerance */
    bool is_within;            /* ... that the shapes do, by their radii */
} gjk_walk3;

/* One that has not been. */
static inline void gjk_walk3_init(gjk_walk3 *walk) {
    walk->count = 0;
    walk->is_around = walk->is_within = false;
}

#define GJK_SPATIAL_KERNELS(set)                                                                  \
    bool gjk_spatial_detect_##set(const gjk_placed *a, const gjk_placed *b, bool is_swapped,      \
                                  const gjk_detect_settings *settings, gjk_detect_result *result, \
                                  gjk_walk3 *walk);                                               \
    bool gjk_spatial_distance_##set(const gjk_placed *a, const gjk_placed *b, bool is_swapped,    \
                                    const gjk_distance_settings *settings,                        \
                                    gjk_distance_result *result, gjk_walk3 *walk);

/*
 * Set *result as gjk_detect and gjk_distance do, if they can decide it; else *walk, which begins
 * empty. Both shapes are served: gjk_spatial_serves. is_swapped: b comes first in the order of
 * order.h. One function for each instruction set, with the same bits; the settings' solver is the
 * direct one, there is no first direction, and no sign is asked for. A cache is recalled, and kept
 * if they decide.
 */
GJK_SPATIAL_KERNELS(plain)
#ifdef GJK_SCAN_X86
GJK_SPATIAL_KERNELS(avx2)
GJK_SPATIAL_KERNELS(avx512)
#endif

/* Iterations that the settings must allow, so that a walk and what follows it stay within them. */
#define GJK_SPATIAL_ITERATIONS 40

/* Returns true if two placed shapes are such a pair. Of two boxes the separating axes tell more at
 * once. */
static inline bool gjk_spatial_serves(const gjk_placed *a, const gjk_placed *b) {
    const gjk_shape *p = a->shape, *q = b->shape;
    return p->dimension == 3 && p->count > 0 && q->count > 0 &&
           !(p->type == GJK_BOX && q->type == GJK_BOX) && !p->is_far && !q->is_far &&
           a->pose.form != GJK_POSE_REST && b->pose.form != GJK_POSE_REST;
}

/* Returns true if these kernels may answer under such settings: no other penetration solver, first
 * direction or small number of iterations is asked for. */
static inline bool gjk_spatial_may_choose(const struct gjk_penetration_solver *solver,
                                          gjk_vec3 first_direction, uint32_t max_iterations) {
    return max_iterations >= GJK_SPATIAL_ITERATIONS &&
           (solver == NULL || solver == &gjk_penetration_direct) && first_direction.x == 0.0 &&
           first_direction.y == 0.0 && first_direction.z == 0.0;
}

#ifdef GJK_SCAN_X86
#define GJK_SPATIAL_FASTEST(kernel, ...)                           \
    (gjk_has_avx512() ? gjk_spatial_##kernel##_avx512(__VA_ARGS__) \
     : gjk_has_avx2() ? gjk_spatial_##kernel##_avx2(__VA_ARGS__)   \
                      : gjk_spatial_##kernel##_plain(__VA_ARGS__))
#else
#define GJK_SPATIAL_FASTEST(kernel, ...) gjk_spatial_##kernel##_plain(__VA_ARGS__)
#endif

/* The fastest of them on this processor; false too for pairs and settings that they do not
 * serve. */
static inline bool gjk_spatial_detect(const gjk_placed *a, const gjk_placed *b,
                                      const gjk_detect_settings *settings,
                                      gjk_detect_result *result, gjk_walk3 *walk) {
    if (!gjk_spatial_serves(a, b) ||
        !gjk_spatial_may_choose(settings->solver, settings->first_direction,
                                settings->max_iterations)) {
        return false;
    }
    return GJK_SPATIAL_FASTEST(detect, a, b, !gjk_comes_first(a, b), settings, result, walk);
}

static inline bool gjk_spatial_distance(const gjk_placed *a, const gjk_placed *b,
                                        const gjk_distance_settings *settings,
                                        gjk_distance_result *result, gjk_walk3 *walk) {
    if (!gjk_spatial_serves(a, b) || settings->is_signed ||
        !gjk_spatial_may_choose(settings->solver, settings->first_direction,
                                settings->max_iterations)) {
        return false;
    }
    return GJK_SPATIAL_FASTEST(distance, a, b, !gjk_comes_first(a, b), settings, result, walk);
}

#endif
