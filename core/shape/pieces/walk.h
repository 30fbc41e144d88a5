#ifndef GJK_SHAPE_PIECES_WALK_H
#define GJK_SHAPE_PIECES_WALK_H

/*
 * Walks the static tree of a shape of pieces, depth first, nearest child first: names the leaves
 * that a query may be about, while the query lowers its bound as it learns. The tree leaves out
 * only what its boxes, rounded outwards, prove not to matter.
 */

#include "gjk/budget.h"
#include "shape/pieces/tree.h"

typedef enum gjk_walk_kind {
    GJK_WALK_OVERLAP, /* boxes that meet the query's: key 0 */
    GJK_WALK_SWEEP, /* boxes that the query's meets on its way: key is when, as a multiple of it */
    GJK_WALK_NEAR, /* boxes near the query's: key is the square of their distance from its centre */
} gjk_walk_kind;

/* Bounds of a query: a box in the tree's unit and about its centre. */
typedef struct gjk_pieces_query {
    gjk_walk_kind kind;
    double min[3], max[3];
    double rate[3]; /* SWEEP: 1 over the way along each axis, INFINITY where there is none */
    double center[3], radius; /* NEAR: of a ball that holds what asks */
    bool is_ball;             /* NEAR: that ball asks, so its box tells nothing more */
} gjk_pieces_query;

#define GJK_PIECES_STACK (GJK_PIECES_HEIGHT_MAX * (GJK_PIECES_WIDTH - 1) + 1)

typedef struct gjk_pieces_entry {
    double key;
    uint32_t child;
} gjk_pieces_entry;

typedef struct gjk_pieces_walk {
    const gjk_pieces_tree *tree;
    gjk_budget *budget; /* NULL: endless */
    gjk_pieces_query query;
    double bound;     /* children with larger keys do not matter any more; lower it as you learn */
    double box_bound; /* NEAR: nor do those whose box is further from the query's, squared */
    uint32_t top;
    gjk_pieces_entry stack[GJK_PIECES_STACK];
} gjk_pieces_walk;

/* Begins a walk with a box in the shape's own frame, widened by `slack` (a length there) and by the
 * roundings of the transformation into the tree's unit. Call gjk_pieces_walk_along next for a SWEEP,
 * gjk_pieces_walk_ball for a NEAR. budget: NULL: endless. */
void gjk_pieces_walk_begin(gjk_pieces_walk *walk, const gjk_pieces_tree *tree, gjk_walk_kind kind,
                           const gjk_bounds *box, double slack, double bound, gjk_budget *budget);

/* Sets the way of a SWEEP, in the shape's own frame. */
void gjk_pieces_walk_along(gjk_pieces_walk *walk, gjk_vec3 way);

/* Sets the ball of a NEAR, in the shape's own frame; as precise as the box. is_ball: nothing but the
 * ball asks. */
void gjk_pieces_walk_ball(gjk_pieces_walk *walk, gjk_vec3 center, double radius, bool is_ball);

/* The square of a distance in the shape's own frame, from above, in the tree's unit. */
double gjk_pieces_near_bound(const gjk_pieces_tree *tree, double distance);

/* Narrows a NEAR walk to pieces within a distance, in the shape's own frame. */
void gjk_pieces_walk_narrow(gjk_pieces_walk *walk, double distance);

/* The next leaf as slots [*first, *first + *count). False: there are no more, or the budget, which
 * pays for the nodes and for a look at each piece, is spent. */
bool gjk_pieces_walk_next(gjk_pieces_walk *walk, uint32_t *first, uint32_t *count);

/* By what a time of leaving a slab may be too early, relative to it. */
#define GJK_PIECES_TIME_SLACK (1.0 + 0x1p-50)

/* Writes the keys of a node's children to an array aligned to 64 bytes. Returns the bits of those
 * that the query may be about. One function for each instruction set, with the same bits. */
typedef uint32_t gjk_pieces_keys(const gjk_pieces_walk *walk, const gjk_pieces_node *node,
                                 double keys[GJK_PIECES_WIDTH]);
extern gjk_pieces_keys *const gjk_pieces_keys_plain, *const gjk_pieces_keys_avx2,
                                                         *const gjk_pieces_keys_avx512;

#endif
