#ifndef GJK_TREE_NODE_H
#define GJK_TREE_NODE_H

/* The nodes of trees. A node has up to GJK_TREE_WIDTH branches, with their boxes as columns, so
 * that one test of a node tests all of them; a branch is a body or another node. */

#include "base/lanes.h"
#include "base/references.h"
#include "gjk/body.h"
#include "gjk/budget.h"
#include "ray/query_bounds.h"

#define GJK_TREE_WIDTH 8

/* Builds and edits maintain that the height of a node of n bodies is at most GJK_TREE_HEIGHT_SPARE
 * + (digits of n in base 2). */
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
    /* Members that walks read come first. */
    double min[3][GJK_TREE_WIDTH], max[3][GJK_TREE_WIDTH];
    const void *branch[GJK_TREE_WIDTH];
    uint8_t kind[GJK_TREE_WIDTH];
    uint32_t used;
    gjk_references references;
    /* The range of handles below each branch. */
    uint32_t first[GJK_TREE_WIDTH], last[GJK_TREE_WIDTH];
    uint32_t height; /* 1: bodies only */
    uint32_t count;  /* bodies below */
    uint32_t nodes;  /* below, and this one */
    double load;     /* the sum of the measures of all boxes below */
    /* At the time when this branch was last built: */
    double built_load; /* load divided by the measure of the own box */
    uint32_t built_count;
} gjk_tree_node;

/* A branch by itself. kind NODE: it holds one reference. */
typedef struct gjk_branch {
    gjk_bounds box;
    const void *what; /* NULL: none */
    uint32_t first, last;
    gjk_branch_kind kind;
} gjk_branch;

struct gjk_tree {
    gjk_references references;
    uint32_t dimension;
    const gjk_tree_node *root;
    uint32_t own_nodes; /* not shared with the tree that it was made from */
    gjk_bounds bounds;
    uint32_t motion_count;
    gjk_motion motions[]; /* of a span */
};

uint32_t gjk_branch_count(const gjk_branch *branch); /* of bodies */
void gjk_branch_retain(const gjk_branch *branch);
void gjk_branch_release(const gjk_branch *branch);

/* A node of 1 to GJK_TREE_WIDTH branches, of which it takes the references. NULL: out of memory. It
 * counts as built now. */
gjk_tree_node *gjk_tree_node_new(uint32_t dimension, const gjk_branch *branches, uint32_t count);
void gjk_tree_node_put(gjk_tree_node *node, uint32_t i, const gjk_branch *branch);
gjk_branch gjk_branch_of_node(const gjk_tree_node *node);

/* A view, which retains nothing. Inline, so that only the members in use are read. */
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

/* Writes the keys of a node's branches to an array aligned to 64 bytes. Returns a bit for each
 * whose key is at most bound. One function for each instruction set, with the same bits. */
typedef uint32_t gjk_tree_keys(const gjk_tree_node *node, const gjk_query_bounds *query,
                               double bound, double keys[GJK_TREE_WIDTH]);
extern gjk_tree_keys *const gjk_tree_keys_plain, *const gjk_tree_keys_avx2,
                                                     *const gjk_tree_keys_avx512;

static inline uint32_t gjk_tree_node_keys(const gjk_tree_node *node, const gjk_query_bounds *query,
                                          double bound, double keys[GJK_TREE_WIDTH]) {
    return GJK_FASTEST(gjk_tree_keys_plain, gjk_tree_keys_avx2, gjk_tree_keys_avx512)(node, query,
                                                                                      bound, keys);
}

/* Writes for each branch of a the bits of the branches of b whose boxes meet its own. In the same
 * forms. */
typedef void gjk_tree_meetings(const gjk_tree_node *a, const gjk_tree_node *b,
                               uint8_t meets[GJK_TREE_WIDTH]);
extern gjk_tree_meetings *const gjk_tree_meetings_plain, *const gjk_tree_meetings_avx2,
                                                             *const gjk_tree_meetings_avx512;

/* Writes all bodies and motions below a branch, as branches. Returns the end. */
gjk_branch *gjk_branch_collect(const gjk_branch *branch, gjk_branch *out);

/* Builds a branch over count >= 1 bodies or motions, which it reorders. in_haste: in about a third of
 * the time, for a tree that will not live long. False: out of memory, or given up. O(count log
 * count). */
bool gjk_tree_build(uint32_t dimension, gjk_branch *bodies, uint32_t count, bool in_haste,
                    gjk_budget *budget, gjk_branch *out);

/* Moves the smaller half of count >= 1 bodies, count / 2 of them, to the front, in the order of
 * their centers along the axis, then of handles. Expected O(n), at most 96 n. Returns how many
 * bodies were looked at. */
uint64_t gjk_branches_halve(gjk_branch *bodies, uint32_t count, uint32_t axis);

#endif
