#ifndef GJK_TREE_KEYS_H
#define GJK_TREE_KEYS_H

#include "ray/query_bounds.h"
#include "shape/scan.h"
#include "tree/node.h"

/*
 * The branches of a node with keys up to bound, a bit for each, and their keys. One function for
 * each instruction set; they may differ in what does not show in an answer.
 */
uint32_t gjk_query_bounds_node_plain(const gjk_query_bounds *probe, const gjk_tree_node *node,
                                     double bound, double keys[GJK_TREE_WIDTH]);
#ifdef GJK_SCAN_X86
uint32_t gjk_query_bounds_node_avx2(const gjk_query_bounds *probe, const gjk_tree_node *node,
                                    double bound, double keys[GJK_TREE_WIDTH]);
#endif

/* The best of them for the processor. */
static inline uint32_t gjk_query_bounds_node(const gjk_query_bounds *probe,
                                             const gjk_tree_node *node, double bound,
                                             double keys[GJK_TREE_WIDTH]) {
#ifdef GJK_SCAN_X86
    if (__builtin_cpu_supports("avx2")) {
        return gjk_query_bounds_node_avx2(probe, node, bound, keys);
    }
#endif
    return gjk_query_bounds_node_plain(probe, node, bound, keys);
}

#endif
