#ifndef GJK_PAIR_PIECES_DIFFERENCE_H
#define GJK_PAIR_PIECES_DIFFERENCE_H

#include "pair/pieces/way_out.h"
#include "shape/convex/scan.h"

/* Largest number of planes of all differences of one search. */
#define GJK_DIFFERENCE_PLANES 1536

/* Planes in columns, as gjk_scans reads them. */
typedef struct gjk_difference_planes {
    uint32_t count;
    _Alignas(64) double x[GJK_DIFFERENCE_PLANES], y[GJK_DIFFERENCE_PLANES];
    double z[GJK_DIFFERENCE_PLANES], least[GJK_DIFFERENCE_PLANES];
} gjk_difference_planes;

/* The planes around the Minkowski difference of a pair, up to a length of translations. A
 * translation no longer than that is in the difference if it is beyond none of them. */
typedef struct gjk_difference {
    uint32_t piece_a, piece_b;
    uint32_t first, end; /* multiples of GJK_LANES, padded with planes that are never reached */
    bool is_of_boxes;
    bool is_exact; /* within rounding; else the planes may omit a little of the difference */
} gjk_difference;

/* Returns true if all planes of the difference are known at once, as for two boxes. */
bool gjk_difference_is_of_boxes(const gjk_placed *a, const gjk_placed *b);

/* Computes the planes of the difference of two pieces, up to way->length (for boxes all planes).
 * Returns false if the difference is flat, has too many planes, or cannot be computed that far. */
bool gjk_difference_find(const gjk_way_out *way, const gjk_placed *a, const gjk_placed *b,
                         gjk_difference_planes *all, gjk_difference *of);

static inline gjk_plane gjk_difference_plane(const gjk_difference_planes *all, uint32_t i) {
    return (gjk_plane){{all->x[i], all->y[i], all->z[i]}, all->least[i]};
}

/* Sets `inner`, 64-byte aligned, to the distance of a translation inside each plane, and returns
 * the least: the translation is in the difference if it is above 0. */
static inline double gjk_difference_depth(const gjk_difference_planes *all,
                                          const gjk_difference *of, gjk_vec3 t,
                                          double inner[GJK_DIFFERENCE_PLANES]) {
    return gjk_scans_fastest()->inner(all->x + of->first, GJK_DIFFERENCE_PLANES,
                                      of->end - of->first, &t, inner);
}

#endif
