#ifndef GJK_SHAPE_PIECES_TREE_H
#define GJK_SHAPE_PIECES_TREE_H

/*
 * The static tree over the pieces of a shape: eight children per node, their boxes as columns of
 * floats rounded outwards, so that one test covers all of them. Boxes are relative to a center and
 * in a unit near the shape's size, so floats lose little precision, however far the shape is from
 * its own origin.
 */

#include "gjk/arena.h"
#include "gjk/shape.h"

#include <math.h>

#define GJK_PIECES_WIDTH 8
/* Maximum number of pieces of a leaf. */
#define GJK_PIECES_LEAF 4
/* Maximum number of levels of nodes. */
#define GJK_PIECES_HEIGHT_MAX 24

/* Budget steps that a search is charged per opened node, and per piece of a leaf. */
#define GJK_PIECES_NODE_STEPS 2
#define GJK_PIECES_PIECE_STEPS 4

typedef struct gjk_pieces_node {
    float min[3][GJK_PIECES_WIDTH], max[3][GJK_PIECES_WIDTH];
    uint32_t child[GJK_PIECES_WIDTH]; /* see gjk_child_is_leaf; unused ones have empty boxes */
} gjk_pieces_node;

/* A child is the index of another node, or a leaf: up to GJK_PIECES_LEAF successive slots. */
#define GJK_CHILD_LEAF 0x80000000u
#define GJK_CHILD_SLOT_BITS 29

static inline bool gjk_child_is_leaf(uint32_t child) {
    return (child & GJK_CHILD_LEAF) != 0;
}
static inline uint32_t gjk_child_first_slot(uint32_t child) {
    return child & ((1u << GJK_CHILD_SLOT_BITS) - 1);
}
static inline uint32_t gjk_child_slot_count(uint32_t child) {
    return ((child & ~GJK_CHILD_LEAF) >> GJK_CHILD_SLOT_BITS) + 1;
}

/* Initialises a node without children. */
static inline void gjk_pieces_node_clear(gjk_pieces_node *node) {
    for (uint32_t i = 0; i < GJK_PIECES_WIDTH; i++) {
        for (int axis = 0; axis < 3; axis++) {
            node->min[axis][i] = INFINITY;
            node->max[axis][i] = -INFINITY;
        }
        node->child[i] = GJK_CHILD_LEAF;
    }
}

/* x, y, z and an unused lane. */
typedef float gjk_float4 __attribute__((vector_size(16)));

static inline void gjk_pieces_node_put(gjk_pieces_node *node, uint32_t i, gjk_float4 min,
                                       gjk_float4 max, uint32_t child) {
    for (int axis = 0; axis < 3; axis++) {
        node->min[axis][i] = min[axis];
        node->max[axis][i] = max[axis];
    }
    node->child[i] = child;
}

typedef struct gjk_pieces_tree {
    gjk_pieces_node *nodes; /* the root first; NULL: no pieces */
    uint32_t node_count;
    uint32_t cell_count; /* slots below it are pieces: of the cells of a height field */
    uint32_t *order;     /* the pieces of the slots from there on */
    uint32_t slot_count;
    gjk_vec3 center; /* of the boxes, in the shape's frame */
    double unit;     /* power of two: length in the tree = unit * length in the shape's frame */
} gjk_pieces_tree;

static inline uint32_t gjk_slot_piece(const gjk_pieces_tree *tree, uint32_t slot) {
    return slot < tree->cell_count ? slot : tree->order[slot - tree->cell_count];
}

/* A piece's box in the tree's unit, used during construction. */
typedef struct gjk_piece_box {
    gjk_float4 min;
    union {
        gjk_float4 max;
        struct {
            float max_xyz[3];
            uint32_t piece;
        };
    };
} gjk_piece_box;

/* Sets center and unit for a shape within bounds. */
void gjk_pieces_tree_set_unit(gjk_pieces_tree *tree, const gjk_bounds *bounds);

/* Converts the box of a piece from the shape's frame to the tree's unit, rounded outwards. */
gjk_piece_box gjk_pieces_tree_box(const gjk_pieces_tree *tree, const gjk_bounds *bounds,
                                  uint32_t piece);

/*
 * Builds nodes and order over boxes, which it reorders. Precondition: gjk_pieces_tree_set_unit.
 * O(n log n). Deterministic. Both arrays are allocated in `arena`, temporary memory in `scratch`.
 * Returns OUT_OF_MEMORY, or GIVEN_UP if the budget of scratch is spent.
 */
gjk_status gjk_pieces_tree_build(gjk_pieces_tree *tree, struct gjk_arena *arena,
                                 struct gjk_arena *scratch, gjk_piece_box *boxes,
                                 uint32_t count) GJK_MUST_USE;

#endif
