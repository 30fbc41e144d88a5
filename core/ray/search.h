#ifndef GJK_RAY_SEARCH_H
#define GJK_RAY_SEARCH_H

/*
 * Search for the first piece that a ray hits, in a shape of many pieces. A kernel walks the tree
 * and rejects triangles that the ray certainly misses; what is left is cast at exactly.
 */

#include "gjk/ray.h"

typedef struct gjk_ray_search {
    /* Arguments. */
    const gjk_placed *target; /* a shape of pieces */
    const gjk_ray *ray;
    const gjk_ray_settings *settings;
    gjk_ray_result *result; /* written if `found`, unless any hit will do */
    bool takes_any;         /* any hit will do: the first one that is certain ends the search */
    /* Set by the kernel: the ray in the shape's own frame. */
    gjk_vec3 origin, direction; /* direction: of unit length, within rounding */
    double rounding;            /* rounding error of both, as a length */
    /* Set by the kernel and gjk_ray_search_leaf. */
    bool found;
    double bound; /* distance beyond which pieces do not matter */
} gjk_ray_search;

/* Searches until the budget is spent. One function for each instruction set; all find the same. */
typedef void gjk_ray_search_run(gjk_ray_search *search);
extern gjk_ray_search_run *const gjk_ray_search_plain, *const gjk_ray_search_avx2,
                                                           *const gjk_ray_search_avx512;

/* Casts the ray at pieces of the leaf that begins with the slot `first`; a set bit of `asked`
 * stands for a piece. */
void gjk_ray_search_leaf(gjk_ray_search *search, uint32_t first, uint32_t asked);

#endif
