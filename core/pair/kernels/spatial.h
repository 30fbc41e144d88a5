#ifndef GJK_PAIR_KERNELS_SPATIAL_H
#define GJK_PAIR_KERNELS_SPATIAL_H

/*
 * Kernels for two clouds in space, the commonest pairs in 3D. One kernel walks each pair before a
 * general query is set up. The walk is GJK in plain floating point: signs, which rounding may
 * falsify, choose the features, and intermediate results are not relied upon. Only its end is a
 * proof: a support plane beyond the origin, a tetrahedron around the origin by a margin, or a
 * feature whose distance equals that of its support plane within rounding. For a depth the
 * tetrahedron is expanded to a polytope that proves it (spatial_expand.h). A walk without such an
 * end is continued by boolean_gjk3.c, gjk3.c and epa3.c, whose predicates are exact.
 */

#include "pair/answer.h"
#include "shape/convex/scan.h"

/* End of a walk: points of both clouds, whose differences are around or near the origin. */
typedef struct gjk_walk3 {
    uint32_t count; /* 0: no information */
    uint32_t steps;
    uint32_t on_a[4], on_b[4]; /* indices into the shape that comes first, and into the other */
    bool is_around;            /* proves that the cores overlap by more than the tolerance */
    bool is_within;            /* proves that the shapes overlap, by their radii */
} gjk_walk3;

/* Initialises an empty walk. */
static inline void gjk_walk3_init(gjk_walk3 *walk) {
    walk->count = 0;
    walk->is_around = walk->is_within = false;
}

/*
 * Sets *answer as gjk_detect or gjk_distance does and returns true if it can decide the pair;
 * otherwise sets *walk, which starts empty. Preconditions: gjk_spatial_serves is true for the
 * shapes; the settings have the direct solver, no first direction and no is_signed. is_swapped: b
 * comes first in the order of answer.h. The kernel starts from the cache, and updates it if it
 * decides the pair.
 */
typedef bool gjk_spatial_kernel(const gjk_placed *a, const gjk_placed *b, bool is_swapped,
                                const gjk_pair_settings *settings, gjk_pair_answer *answer,
                                gjk_walk3 *walk);

/* The kernels of one instruction set, indexed by gjk_question; all sets give the same bits. */
struct gjk_spatial_kernels {
    gjk_spatial_kernel *clouds[2];
};
extern const struct gjk_spatial_kernels gjk_spatial_plain, gjk_spatial_avx2, gjk_spatial_avx512;

/* Iterations that the settings must allow, so that a walk and the methods after it stay within
 * them. */
#define GJK_SPATIAL_ITERATIONS 40

/* Returns true if the kernels support the pair. Two boxes are excluded: their separating axes find
 * more at once. */
static inline bool gjk_spatial_serves(const gjk_placed *a, const gjk_placed *b) {
    const gjk_shape *p = a->shape, *q = b->shape;
    return p->dimension == 3 && p->count > 0 && q->count > 0 &&
           !(p->type == GJK_BOX && q->type == GJK_BOX) && !p->is_far && !q->is_far &&
           a->pose.form != GJK_POSE_REST && b->pose.form != GJK_POSE_REST;
}

/* Answers by the fastest kernel for this processor. Returns false also for unsupported pairs and
 * settings: another penetration solver, a first direction or few iterations. */
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
