/*
 * Edges of a sweep in order, and its status as a splay tree (Sleator, Tarjan, Self-adjusting binary
 * search trees, 1985): O(log n) amortised for any input, without randomness that could be
 * predicted. Each event splits the tree at its point and joins it again with the new edges.
 */

#include "shape/region/status.h"

#include "base/numbers.h"
#include "base/predicate.h"

#include <string.h>

void gjk_edges_gather(const gjk_sweep_edge *edges, uint32_t edge_count, uint32_t point_count,
                      uint32_t *starts, uint32_t *order) {
    uint32_t *next = starts + 1; /* next[p] counts up from the start of p to that of p + 1 */
    memset(starts, 0, ((size_t)point_count + 2) * sizeof *starts);
    for (uint32_t i = 0; i < edge_count; i++) {
        next[edges[i].left + 1]++;
    }
    for (uint32_t p = 0; p < point_count; p++) {
        next[p + 1] += next[p];
    }
    for (uint32_t i = 0; i < edge_count; i++) {
        order[next[edges[i].left]++] = i;
    }
}

int gjk_spoke_from_below(const void *p, const void *q) {
    const gjk_spoke *a = p, *b = q;
    const int sign = gjk_orient2_sign(a->from, a->to, b->to);
    return sign != 0 ? -sign : GJK_COMPARE(a->edge, b->edge);
}

enum { BELOW = 0, ABOVE = 1 };

/* Target of a splay: a point, with a tie rule for edges through it; or, without a point, the end of
 * the tree on side `tie`. */
typedef struct target {
    const gjk_vec2 *points; /* NULL: an end of the tree */
    uint32_t point;
    int tie; /* BELOW: go on below such an edge; ABOVE: above it */
} target;

static int side_of_edge(const gjk_sweep_edge *edge, const target *t) {
    if (t->points == NULL) {
        return t->tie;
    }
    const gjk_vec2 *p = t->points;
    const int sign = gjk_orient2_sign(p[edge->left], p[edge->right], p[t->point]);
    return sign == 0 ? t->tie : sign > 0;
}

/* Rotates the tree: the child on that side becomes the parent of its parent. */
static uint32_t rotate(gjk_sweep_edge *edges, uint32_t parent, int side) {
    const uint32_t child = edges[parent].child[side];
    edges[parent].child[side] = edges[child].child[!side];
    edges[child].child[!side] = parent;
    return child;
}

/* Top-down splay: makes the last edge on the path to the target the root. */
static uint32_t splay(gjk_sweep_edge *edges, uint32_t root, const target *t) {
    uint32_t trees[2] = {GJK_NO_EDGE, GJK_NO_EDGE};     /* edges below and above the path */
    uint32_t *ends[2] = {&trees[BELOW], &trees[ABOVE]}; /* where these trees grow */
    if (root == GJK_NO_EDGE) {
        return root;
    }
    for (;;) {
        const int side = side_of_edge(&edges[root], t);
        uint32_t next = edges[root].child[side];
        if (next == GJK_NO_EDGE) {
            break;
        }
        if (side_of_edge(&edges[next], t) == side && edges[next].child[side] != GJK_NO_EDGE) {
            root = rotate(edges, root, side);
            next = edges[root].child[side];
        }
        *ends[!side] = root; /* the target is on `side`, so the root is on the other side */
        ends[!side] = &edges[root].child[side];
        root = next;
    }
    for (int side = 0; side < 2; side++) {
        *ends[side] = edges[root].child[side];
        edges[root].child[side] = trees[side];
    }
    return root;
}

/* Splits a tree at the target. The extreme edges of the parts next to the cut need not be at their
 * roots. */
static void cut_tree(gjk_sweep_edge *edges, uint32_t root, const target *t, uint32_t parts[2]) {
    parts[BELOW] = parts[ABOVE] = GJK_NO_EDGE;
    if (root != GJK_NO_EDGE) {
        root = splay(edges, root, t);
        const int side = side_of_edge(&edges[root], t);
        parts[side] = edges[root].child[side];
        edges[root].child[side] = GJK_NO_EDGE;
        parts[!side] = root;
    }
}

gjk_status_parts gjk_status_split(gjk_sweep_edge *edges, uint32_t root, const gjk_vec2 *points,
                                  uint32_t point) {
    uint32_t lower[2], upper[2];
    cut_tree(edges, root, &(target){points, point, BELOW}, lower);
    cut_tree(edges, lower[ABOVE], &(target){points, point, ABOVE}, upper);
    return (gjk_status_parts){
        .below = gjk_status_end(edges, lower[BELOW], true),
        .through = upper[BELOW],
        .above = gjk_status_end(edges, upper[ABOVE], false),
    };
}

uint32_t gjk_status_end(gjk_sweep_edge *edges, uint32_t root, bool highest) {
    return splay(edges, root, &(target){.tie = highest ? ABOVE : BELOW});
}

uint32_t gjk_status_take_lowest(gjk_sweep_edge *edges, uint32_t *root) {
    const uint32_t lowest = gjk_status_end(edges, *root, false);
    *root = edges[lowest].child[ABOVE];
    return lowest;
}

uint32_t gjk_status_join(gjk_sweep_edge *edges, uint32_t below, const uint32_t *between,
                         uint32_t count, uint32_t above) {
    uint32_t root = above;
    while (count > 0) {
        const uint32_t edge = between[--count];
        edges[edge].child[BELOW] = GJK_NO_EDGE;
        edges[edge].child[ABOVE] = root;
        root = edge;
    }
    if (below != GJK_NO_EDGE) {
        edges[below].child[ABOVE] = root;
        root = below;
    }
    return root;
}
