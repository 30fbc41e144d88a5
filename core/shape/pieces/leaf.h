#ifndef GJK_SHAPE_PIECES_LEAF_H
#define GJK_SHAPE_PIECES_LEAF_H

/* Children of a node, and the triangles of a leaf, one a lane: their corners, and their points
 * nearest to one point. */

#include "base/four_lanes.h"
#include "shape/pieces/pieces.h"

/* No child: more slots than a tree has. */
#define GJK_NO_CHILD UINT32_MAX

/* Prefetches a child that is visited later: without a branch, as much of a leaf as of a node; of
 * cells, which are seldom visited, the root. */
LANES_INLINE void prefetch_child(const gjk_pieces_tree *tree, uint32_t child) {
    const uint32_t slot = gjk_child_first_slot(child), cells = tree->cell_count;
    const void *order = slot < cells ? (const void *)tree->nodes : &tree->order[slot - cells];
    const uintptr_t leaf = (uintptr_t)order;
    const uintptr_t node = (uintptr_t)&tree->nodes[child & ~GJK_CHILD_LEAF];
    const uintptr_t is_leaf = -(uintptr_t)(child >> 31); /* all bits or none */
    const char *from = (const char *)(node ^ ((node ^ leaf) & is_leaf));
    for (size_t at = 0; at < sizeof(gjk_pieces_node); at += 64) {
        __builtin_prefetch(from + at);
    }
}

/* Loads corner i of the triangles of a leaf that begins in the height field's cells. */
LANES_INLINE void load_cells(const gjk_heightfield *field, uint32_t first, uint32_t count,
                             lanes3 corner[3]) {
    const uint32_t cells = field->columns - 1, row = first / 2 / cells;
    const uint32_t column = first / 2 - row * cells, last = count / 2;
    const double *low = field->heights + (size_t)row * field->columns + column;
    const double *high = low + field->columns;
    const double x = column, y = row;
    const lanes z[3] = {{low[0], low[0], low[1], low[1]},
                        {low[1], high[1], low[last], high[last]},
                        {high[1], high[0], high[last], high[1]}};
    const lanes columns[3] = {{x, x, x + 1, x + 1},
                              {x + 1, x + 1, x + 2, x + 2},
                              {x + 1, x, x + 2, x + 1}};
    const lanes rows[3] = {all(y), {y, y + 1, y, y + 1}, all(y + 1)};
    for (int i = 0; i < 3; i++) {
        corner[i] = (lanes3){columns[i] * field->spacing[0], rows[i] * field->spacing[1], z[i]};
    }
}

/* Loads corner i of the triangles of a leaf; lanes above their count hold any numbers. */
LANES_INLINE void load_leaf(const struct gjk_pieces *pieces, uint32_t first, uint32_t count,
                            lanes3 corner[3]) {
    gjk_leaf_corners leaf;
    if (!GJK_IS_SMALL && first < pieces->tree.cell_count) { /* gjk_pieces_leaf finds the same */
        load_cells(&pieces->heightfield, first, count, corner);
        return;
    }
    if (pieces->type != GJK_MESH) {
        (void)gjk_pieces_leaf(pieces, first, count, &leaf);
        for (int i = 0; i < 3; i++) {
            corner[i] = corner_of(leaf.at, i);
        }
        return;
    }
    const uint32_t *order = pieces->tree.order + first;
    const uint32_t(*triangles)[3] = pieces->mesh.triangles;
    const gjk_vec3 *vertices = pieces->mesh.vertices;
    const uint32_t *t[4];
    for (uint32_t k = 0; k < 4; k++) {
        t[k] = triangles[order[k & -((k - count) >> 31)]]; /* the first from `count` on */
    }
    for (int i = 0; i < 3; i++) {
        corner[i] = columns_of(&vertices[t[0][i]], &vertices[t[1][i]], &vertices[t[2][i]],
                               &vertices[t[3][i]]);
    }
}

/* A point of a triangle: from + (to_u * u + to_v * v) / whole. */
typedef struct leaf_points {
    lanes3 from, u, v;
    lanes to_u, to_v, whole;
} leaf_points;

/* Takes the point from + to_u * u / whole where `which` is set. */
LANES_INLINE void take_point(const lane_bits *which, const lanes3 *from, const lanes3 *u,
                             const lanes *to_u, const lanes *whole, leaf_points *out) {
    const lanes zero = all(0.0);
    out->from = pick3(which, from, &out->from);
    out->u = pick3(which, u, &out->u);
    out->to_u = pick(which, to_u, &out->to_u);
    out->to_v = pick(which, &zero, &out->to_v);
    out->whole = pick(which, whole, &out->whole);
}

/*
 * Finds the Voronoi region of each triangle (Ericson, Real-Time Collision Detection, 5.1.5): the
 * first that applies is taken, as in nearest_on_triangle. Sets is_inside unless rounding may have
 * moved the point out of the triangle.
 */
LANES_INLINE lanes3 nearest_on_triangles(const lanes3 t[3], const lanes3 *p, lane_bits *is_inside) {
    const lanes3 ab = difference(&t[1], &t[0]), ac = difference(&t[2], &t[0]);
    const lanes3 bc = difference(&t[2], &t[1]);
    const lanes3 ap = difference(p, &t[0]), bp = difference(p, &t[1]), cp = difference(p, &t[2]);
    const lanes d1 = dot(&ab, &ap), d2 = dot(&ac, &ap), d3 = dot(&ab, &bp), d4 = dot(&ac, &bp);
    const lanes d5 = dot(&ab, &cp), d6 = dot(&ac, &cp), zero = all(0.0);
    const lanes of_c = d1 * d4 - d3 * d2, of_b = d5 * d2 - d1 * d6, of_a = d3 * d6 - d5 * d4;
    const lanes off_b = d4 - d3, off_c = d5 - d6;
    const lanes of_bc = off_b + off_c, of_ac = d2 - d6, of_ab = d1 - d3, one = all(1.0);
    const lane_bits is_bc = (of_a <= zero) & (off_b >= zero) & (off_c >= zero);
    const lane_bits is_ac = (of_b <= zero) & (d2 >= zero) & (d6 <= zero);
    const lane_bits is_c = (d6 >= zero) & (d5 <= d6);
    const lane_bits is_ab = (of_c <= zero) & (d1 >= zero) & (d3 <= zero);
    const lane_bits is_b = (d3 >= zero) & (d4 <= d3);
    const lane_bits is_a = (d1 <= zero) & (d2 <= zero);
    const lane_bits is_face = (of_a >= zero) & (of_b >= zero) & (of_c >= zero);
    leaf_points at = {t[0], ab, ac, of_b, of_c, of_a + of_b + of_c};
    take_point(&is_bc, &t[1], &bc, &off_b, &of_bc, &at);
    take_point(&is_ac, &t[0], &ac, &d2, &of_ac, &at);
    take_point(&is_c, &t[2], &at.u, &zero, &one, &at);
    take_point(&is_ab, &t[0], &ab, &d1, &of_ab, &at);
    take_point(&is_b, &t[1], &at.u, &zero, &one, &at);
    take_point(&is_a, &t[0], &at.u, &zero, &one, &at);
    *is_inside = is_face | is_bc | is_ac | is_c | is_ab | is_b | is_a;
    const lanes to_u = at.to_u / at.whole, to_v = at.to_v / at.whole;
    const lanes3 along_u = scaled(&to_u, &at.u), along_v = scaled(&to_v, &at.v);
    const lanes3 off = sum(&along_u, &along_v);
    return sum(&at.from, &off);
}

/* Directions from points of the triangles to p, and the triangles' support values along them. */
typedef struct leaf_gaps {
    lanes3 direction; /* of unit length; zero: none was found */
    lanes most;       /* INFINITY: no direction */
} leaf_gaps;

/* `off` is the way from the point of each triangle to p, `square` its squared length. */
LANES_INLINE leaf_gaps gaps_along(const lanes3 t[3], const lanes3 *off, const lanes *square) {
    const lanes infinite = all(INFINITY), zero = all(0.0), inverse = 1.0 / root(square);
    const lane_bits has_direction = (*square > all(0x1p-900)) & (*square < infinite);
    const lanes3 unit = scaled(&inverse, off), none = {zero, zero, zero};
    const lanes3 direction = pick3(&has_direction, &unit, &none);
    const lanes at[3] = {dot(&direction, &t[0]), dot(&direction, &t[1]), dot(&direction, &t[2])};
    const lanes later = larger(&at[1], &at[2]), most = larger(&at[0], &later);
    return (leaf_gaps){direction, pick(&has_direction, &most, &infinite)};
}

#endif
