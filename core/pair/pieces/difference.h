#ifndef GJK_PAIR_PIECES_DIFFERENCE_H
#define GJK_PAIR_PIECES_DIFFERENCE_H

#include "pair/pieces/way_out.h"

/* Planes of all differences of one search, at most. */
#define GJK_DIFFERENCE_PLANES 1536

typedef struct gjk_difference_planes {
    uint32_t count;
    gjk_plane planes[GJK_DIFFERENCE_PLANES];
} gjk_difference_planes;

/* The planes around the Minkowski difference of a pair that translations of a length reach. A
 * translation no longer than that is in the difference if it is beyond none of them. */
typedef struct gjk_difference {
    uint32_t piece_a, piece_b;
    uint32_t first, end;
    bool is_exact; /* within rounding; else the planes may leave out a little of the difference */
} gjk_difference;

/* Returns true if all planes of a difference are known at once: that of two boxes. */
bool gjk_difference_is_of_boxes(const gjk_convex_pair *pair);

/* Sets the planes of the difference of two pieces, as far as way->length; of boxes all. Returns
 * false if it is flat, or if there are too many planes, or if they cannot be known that far. */
bool gjk_difference_find(const gjk_way_out *way, const gjk_convex_pair *pair,
                         gjk_difference_planes *all, gjk_difference *of);

/* Returns true if a translation is beyond none of the planes. */
static inline bool gjk_difference_has(const gjk_difference_planes *all, const gjk_difference *of,
                                      gjk_vec3 t) {
    for (uint32_t i = of->first; i < of->end; i++) {
        if (gjk_dot3(all->planes[i].normal, t) >= all->planes[i].least) {
            return false;
        }
    }
    return true;
}

#endif
