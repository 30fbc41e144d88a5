#ifndef GJK_PAIR_PIECES_NEAREST_H
#define GJK_PAIR_PIECES_NEAREST_H

/*
 * Search for the triangles of a mesh or height field that are nearest to a ball. A kernel walks the
 * tree and bounds distances from both sides; only triangles that may be the nearest are left for an
 * exact query.
 */

#include "gjk/budget.h"
#include "shape/pieces/pieces.h"

#define GJK_NEAREST_MAX 32

/* A gap is the distance of a rounded triangle from the ball, or minus their depth. */
typedef struct gjk_nearest_search {
    /* Set by the caller. */
    const struct gjk_pieces *pieces;
    gjk_vec3 center; /* of the ball, in the shape's own frame */
    double radius;
    double slack;       /* bounds all errors */
    double enough;      /* the first leaf of gaps below the bound is enough; -INFINITY: none is */
    double bound;       /* larger gaps do not matter; at the end an upper bound of the least gap */
    gjk_budget *budget; /* NULL: unlimited */
    /* Set by the search: the triangles that may have the least gap. */
    uint32_t count;
    uint32_t piece[GJK_NEAREST_MAX];
    double gap[GJK_NEAREST_MAX]; /* lower bounds */
} gjk_nearest_search;

/* A triangle about its offset. Must not move in memory. */
typedef struct gjk_near_triangle {
    gjk_shape shape; /* without members that the kernels of two clouds do not read */
    gjk_vec3 offset;
    bool is_far; /* the offset is not 0 */
    _Alignas(64) double columns[3 * GJK_LANES];
} gjk_near_triangle;

/* The kernels of one instruction set; all sets give the same bits. */
struct gjk_nearest_kernels {
    /* Returns false if the budget is spent, or the search cannot tell. */
    bool (*search)(gjk_nearest_search *search);
    /* Makes the shape of a triangle as gjk_shape_about_offset does. Returns false if its corners
     * are on a line. */
    bool (*make)(const struct gjk_pieces *pieces, uint32_t piece, gjk_near_triangle *out);
};
extern const struct gjk_nearest_kernels gjk_nearest_plain, gjk_nearest_avx2, gjk_nearest_avx512;

#endif
