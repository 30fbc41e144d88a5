#ifndef GJK_SHAPE_PIECES_WALK_H
#define GJK_SHAPE_PIECES_WALK_H

/*
 * Walk over the static tree of a shape of pieces, depth first, nearest child first. It yields the
 * leaves that may matter to a query, which lowers its bound as it finds answers. The tree skips
 * only what its boxes, rounded outwards, prove irrelevant.
 */

#include "gjk/budget.h"
#include "shape/pieces/tree.h"

typedef enum gjk_walk_kind {
    GJK_WALK_OVERLAP, /* boxes that meet the query's: key 0 */
    GJK_WALK_SWEEP,   /* boxes met by the moving box: key is the fraction of its motion */
    GJK_WALK_NEAR,    /* boxes near the query's: key is the squared distance from its center */
} gjk_walk_kind;

/* Bounds of a query, in the tree's unit and relative to its center. */
typedef struct gjk_pieces_query {
    gjk_walk_kind kind;
    double min[3], max[3];
    double rate[3];           /* SWEEP: 1 over the motion on each axis; INFINITY if there is none */
    double center[3], radius; /* NEAR: of a ball that contains the query's shape */
    bool is_ball;             /* NEAR: the shape is that ball, so its box adds no information */
} gjk_pieces_query;

#define GJK_PIECES_STACK (GJK_PIECES_HEIGHT_MAX * (GJK_PIECES_WIDTH - 1) + 1)

typedef struct gjk_pieces_entry {
    double key;
    uint32_t child;
} gjk_pieces_entry;

typedef struct gjk_pieces_walk {
    const gjk_pieces_tree *tree;
    gjk_budget *budget; /* NULL: unlimited */
    gjk_pieces_query query;
    double bound;     /* children with larger keys are skipped; the query may lower it */
    double box_bound; /* NEAR: maximum squared distance between the boxes */
    uint32_t top;
    gjk_pieces_entry stack[GJK_PIECES_STACK];
} gjk_pieces_walk;

/* Begins a walk with a box in the shape's own frame, widened by `slack` (a length in that frame)
 * and by the rounding error of the transformation into the tree's unit. Call gjk_pieces_walk_along
 * next for a SWEEP, gjk_pieces_walk_ball for a NEAR. The budget may be NULL (unlimited). */
void gjk_pieces_walk_begin(gjk_pieces_walk *walk, const gjk_pieces_tree *tree, gjk_walk_kind kind,
                           const gjk_bounds *box, double slack, double bound, gjk_budget *budget);

/* Sets the motion of a SWEEP, in the shape's own frame. */
void gjk_pieces_walk_along(gjk_pieces_walk *walk, gjk_vec3 way);

/* Sets the ball of a NEAR, in the shape's own frame; it may be rounded like the box. is_ball: the
 * query's shape is the ball. */
void gjk_pieces_walk_ball(gjk_pieces_walk *walk, gjk_vec3 center, double radius, bool is_ball);

/* Returns an upper bound of the square, in the tree's unit, of a distance in the shape's own
 * frame. */
double gjk_pieces_near_bound(const gjk_pieces_tree *tree, double distance);

/* Narrows a NEAR walk to pieces within a distance, in the shape's own frame. */
void gjk_pieces_walk_narrow(gjk_pieces_walk *walk, double distance);

/* Finds the next leaf, as slots [*first, *first + *count). Returns false if there are no more, or
 * if the budget is spent; nodes and pieces are charged to it. */
bool gjk_pieces_walk_next(gjk_pieces_walk *walk, uint32_t *first, uint32_t *count);

/* Factor that bounds the rounding error of the time of leaving a slab. */
#define GJK_PIECES_TIME_SLACK (1.0 + 0x1p-50)

/* Computes the keys of a node's children into an array aligned to 64 bytes. Returns a mask of the
 * children that may matter to the query. One function per instruction set; all give the same
 * bits. */
typedef uint32_t gjk_pieces_keys(const gjk_pieces_walk *walk, const gjk_pieces_node *node,
                                 double keys[GJK_PIECES_WIDTH]);
extern gjk_pieces_keys *const gjk_pieces_keys_plain, *const gjk_pieces_keys_avx2,
                                                         *const gjk_pieces_keys_avx512;

#endif
