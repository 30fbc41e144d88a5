/*
 * One point of each connected component of triangles, found by union-find over the vertices that
 * they share (Tarjan 1975, with path halving; the least vertex of a component is its root).
 */

#include "shape/pieces.h"

#include <stdlib.h>

static uint32_t find_root(uint32_t *parents, uint32_t v) {
    while (parents[v] != v) {
        parents[v] = parents[parents[v]];
        v = parents[v];
    }
    return v;
}

static void link(uint32_t *parents, uint32_t v, uint32_t w) {
    const uint32_t a = find_root(parents, v), b = find_root(parents, w);
    parents[a > b ? a : b] = a > b ? b : a;
}

/* Links the vertices of each piece and marks the roots of those that belong to one. Returns how many
 * components there are. */
static uint32_t link_pieces(const struct gjk_pieces *pieces, uint32_t vertex_count,
                            gjk_piece_vertices *vertices_of, uint32_t *parents, bool *is_seed) {
    uint32_t indices[3], count = 0;
    for (uint32_t v = 0; v < vertex_count; v++) {
        parents[v] = v;
    }
    for (uint32_t i = 0; i < pieces->count; i++) {
        if (vertices_of(pieces, i, indices)) {
            link(parents, indices[0], indices[1]);
            link(parents, indices[0], indices[2]);
        }
    }
    for (uint32_t i = 0; i < pieces->count; i++) {
        if (vertices_of(pieces, i, indices)) {
            const uint32_t root = find_root(parents, indices[0]);
            count += !is_seed[root];
            is_seed[root] = true;
        }
    }
    return count;
}

gjk_status gjk_pieces_find_seeds(struct gjk_pieces *pieces, uint32_t vertex_count,
                                 gjk_piece_vertices *vertices_of, gjk_piece_vertex *vertex_at) {
    uint32_t *parents = malloc(vertex_count * sizeof *parents);
    bool *is_seed = calloc(vertex_count, sizeof *is_seed);
    gjk_vec3 *seeds = NULL;
    if (parents != NULL && is_seed != NULL) {
        uint32_t count = link_pieces(pieces, vertex_count, vertices_of, parents, is_seed);
        seeds = gjk_arena_alloc_array(&pieces->memory, count, sizeof *seeds);
    }
    for (uint32_t v = 0; seeds != NULL && v < vertex_count; v++) {
        if (is_seed[v]) {
            seeds[pieces->seed_count++] = vertex_at(pieces, v);
        }
    }
    free(parents);
    free(is_seed);
    pieces->seeds = seeds;
    return seeds != NULL ? GJK_OK : GJK_OUT_OF_MEMORY;
}
