#ifndef GJK_PAIR_KERNELS_SPATIAL_H
#define GJK_PAIR_KERNELS_SPATIAL_H

/*
 * Two clouds in space, the commonest pairs in 3D, walked by one kernel each before the general
 * question is set up. The walk is GJK in floating point alone: signs choose the features, which
 * rounding may get wrong, and nothing it says on its way is relied upon. What it ends with is: a
 * support plane beyond the origin, a tetrahedron around it by a margin, or a feature whose distance
 * its support plane meets within rounding; for a depth the tetrahedron is expanded to a polytope
 * that proves it (spatial_expand.h). A walk that ends with none of them is left to boolean_gjk3.c,
 * gjk3.c and epa3.c, whose predicates are exact, and which go on from where it stands.
 */

#include "pair/answer.h"
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

/*
 * Sets *answer as gjk_detect or gjk_distance does, if it can decide it; else *walk, which begins
 * empty. Both shapes are served: gjk_spatial_serves. is_swapped: b comes first in the order of
 * order.h. The settings' solver is the direct one, there is no first direction, and no sign is
 * asked for. A cache is recalled, and kept if the kernel decides.
 */
typedef bool gjk_spatial_kernel(const gjk_placed *a, const gjk_placed *b, bool is_swapped,
                                const gjk_pair_settings *settings, gjk_pair_answer *answer,
                                gjk_walk3 *walk);

/* The kernels of one instruction set, by gjk_question; all sets give the same bits. */
struct gjk_spatial_kernels {
    gjk_spatial_kernel *clouds[2];
};
extern const struct gjk_spatial_kernels gjk_spatial_plain, gjk_spatial_avx2, gjk_spatial_avx512;

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

/* Answers with the fastest of them on this processor. False too for pairs and settings that they do
 * not serve: those with another penetration solver, a first direction or few iterations. */
static inline bool gjk_spatial_answer(gjk_question question, const gjk_placed *a,
                                      const gjk_placed *b, const gjk_pair_settings *settings,
                                      gjk_pair_answer *answer, gjk_walk3 *walk) {
    const gjk_vec3 first = settings->first_direction;
    if (!gjk_spatial_serves(a, b) || (question == GJK_ASK_DISTANCE && settings->is_signed) ||
        settings->max_iterations < GJK_SPATIAL_ITERATIONS ||
        !(settings->solver == NULL || settings->solver == &gjk_penetration_direct) ||
        first.x != 0.0 || first.y != 0.0 || first.z != 0.0) {
        return false;
    }
    const struct gjk_spatial_kernels *kernels =
        GJK_FASTEST(&gjk_spatial_plain, &gjk_spatial_avx2, &gjk_spatial_avx512);
    return kernels->clouds[question](a, b, !gjk_comes_first(a, b), settings, answer, walk);
}

#endif
