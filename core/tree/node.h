#ifndef GJK_TREE_NODE_H
#define GJK_TREE_NODE_H

/* Tree nodes. A node has up to GJK_TREE_WIDTH branches; a branch is a body or another node. The
 * boxes of the branches are stored as columns, so that a query is tested against all of them at
 * once. */

#include "base/lanes.h"
#include "base/references.h"
#include "gjk/body.h"
#include "gjk/budget.h"
#include "ray/query_bounds.h"

#define GJK_TREE_WIDTH 8

/* Upper bound of a node's height over n bodies: GJK_TREE_HEIGHT_SPARE + (binary digits of n).
 * Builds and edits maintain this bound. */
#define GJK_TREE_HEIGHT_SPARE 2
#define GJK_TREE_HEIGHT_MAX (GJK_TREE_HEIGHT_SPARE + 32)

typedef enum gjk_branch_kind {
    GJK_BRANCH_BODY,
    GJK_BRANCH_MOTION, /* a moving body, in a tree made by gjk_tree_span */
    GJK_BRANCH_NODE,
} gjk_branch_kind;

typedef struct gjk_motion {
    const gjk_body *from, *to;
} gjk_motion;

typedef struct gjk_tree_node {
    /* Members read by walks come first. */
    double min[3][GJK_TREE_WIDTH], max[3][GJK_TREE_WIDTH];
    const void *branch[GJK_TREE_WIDTH];
    uint8_t kind[GJK_TREE_WIDTH];
    uint32_t used;
    gjk_references references;
    /* Smallest and largest handle of the bodies below each branch. */
    uint32_t first[GJK_TREE_WIDTH], last[GJK_TREE_WIDTH];
    uint32_t height; /* 1 if all branches are bodies */
    uint32_t count;  /* bodies below this node */
    uint32_t nodes;  /* nodes below this node, including itself */
    double load;     /* sum of gjk_box_measure of all boxes below */
    /* Values at the last build of this subtree: */
    double built_load; /* load divided by the measure of the node's own box */
    uint32_t built_count;
} gjk_tree_node;

/* A branch by value. A branch of kind NODE holds one reference to its node. */
typedef struct gjk_branch {
    gjk_bounds box;
    const void *what; /* body, motion or node; NULL: empty branch */
    uint32_t first, last;
    gjk_branch_kind kind;
} gjk_branch;

struct gjk_tree {
    gjk_references references;
    uint32_t dimension;
    const gjk_tree_node *root;
    uint32_t own_nodes; /* nodes not shared with the tree that this one was edited from */
    gjk_bounds bounds;
    uint32_t motion_count;
    gjk_motion motions[]; /* only in a tree made by gjk_tree_span */
};

uint32_t gjk_branch_count(const gjk_branch *branch); /* number of bodies */
void gjk_branch_retain(const gjk_branch *branch);
void gjk_branch_release(const gjk_branch *branch);

/* Creates a node of 1 to GJK_TREE_WIDTH branches and takes over their references. Sets
 * built_load and built_count. Returns NULL if memory is exhausted. */
gjk_tree_node *gjk_tree_node_new(uint32_t dimension, const gjk_branch *branches, uint32_t count);
void gjk_tree_node_put(gjk_tree_node *node, uint32_t i, const gjk_branch *branch);
gjk_branch gjk_branch_of_node(const gjk_tree_node *node);

/* Returns a view of branch i, without a reference. Inline, so that only the members in use are
 * read. */
static inline gjk_branch gjk_branch_at(const gjk_tree_node *node, uint32_t i) {
    return (gjk_branch){
        .box = {{node->min[0][i], node->min[1][i], node->min[2][i]},
                {node->max[0][i], node->max[1][i], node->max[2][i]}},
        .what = node->branch[i],
        .first = node->first[i],
        .last = node->last[i],
        .kind = (gjk_branch_kind)node->kind[i],
    };
}

/* Computes the key of each branch of a node into an array aligned to 64 bytes. Returns a mask of
 * the branches whose key is at most `bound`. All instruction sets give the same bits. */
typedef uint32_t gjk_tree_keys(const gjk_tree_node *node, const gjk_query_bounds *query,
                               double bound, double keys[GJK_TREE_WIDTH]);
extern gjk_tree_keys *const gjk_tree_keys_plain, *const gjk_tree_keys_avx2,
                                                     *const gjk_tree_keys_avx512;

static inline uint32_t gjk_tree_node_keys(const gjk_tree_node *node, const gjk_query_bounds *query,
                                          double bound, double keys[GJK_TREE_WIDTH]) {
    return GJK_FASTEST(gjk_tree_keys_plain, gjk_tree_keys_avx2, gjk_tree_keys_avx512)(node, query,
                                                                                      bound, keys);
}

/* A branch of a node. */
typedef struct gjk_tree_place {
    const gjk_tree_node *node; /* NULL: the whole space */
    uint32_t i;
} gjk_tree_place;

/* Returns the pairs of a branch i of a and a branch k of b whose boxes meet, as bits 8 i + k.
 * around: the branch that holds b; branches of a that its box does not meet are left out at once.
 * All instruction sets give the same bits. */
typedef uint64_t gjk_tree_meetings(const gjk_tree_node *a, const gjk_tree_node *b,
                                   gjk_tree_place around);
extern gjk_tree_meetings *const gjk_tree_meetings_plain, *const gjk_tree_meetings_avx2,
                                                             *const gjk_tree_meetings_avx512;

/* Writes all bodies and motions below a branch to `out`, as branches. Returns the end of the
 * output. */
gjk_branch *gjk_branch_collect(const gjk_branch *branch, gjk_branch *out);

/* Builds a branch over count >= 1 bodies or motions, and reorders their array. in_haste: builds a
 * worse tree in about a third of the time. Returns false if memory or the budget is exhausted.
 * O(count log count). */
bool gjk_tree_build(uint32_t dimension, gjk_branch *bodies, uint32_t count, bool in_haste,
                    gjk_budget *budget, gjk_branch *out);

/* Partitions an array of count >= 1 bodies: the first count / 2 precede the rest by center along
 * the axis, then by handle. Returns the number of visits to bodies: O(count) expected, at most 96
 * count. */
uint64_t gjk_branches_halve(gjk_branch *bodies, uint32_t count, uint32_t axis);

#endif
