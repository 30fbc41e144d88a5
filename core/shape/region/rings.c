/*
 * Rings as edges between distinct points: all vertices are sorted by x and y, equal ones become one
 * point, and a point's index is its position in that order. "Left of" and "right of" are then
 * comparisons of indices, and rings touch at a vertex if they share a point.
 */

#include "shape/region/region.h"

#include "base/numbers.h"
#include "gjk/sort.h"

#include <string.h>

/* --- Sizes and numbers --- */

/* Counts rings and vertices. */
static gjk_status count_all(const gjk_region *region, gjk_pieces_fault *fault, gjk_rings *out) {
    uint64_t rings = 0, vertices = 0;
    if (region->polygon_count == 0 && region->fill == GJK_FILL_NONE) {
        return GJK_TOO_FEW_POINTS;
    }
    for (uint32_t p = 0; p < region->polygon_count; p++) {
        if (region->polygon_sizes[p] == 0 && region->fill == GJK_FILL_NONE) {
            *fault = (gjk_pieces_fault){.index = {p}, .depth = 1};
            return GJK_TOO_FEW_POINTS;
        }
        for (uint32_t r = 0; r < region->polygon_sizes[p]; r++) {
            vertices += region->ring_sizes[rings++];
            if (rings > GJK_REGION_VERTICES_MAX || vertices > GJK_REGION_VERTICES_MAX) {
                return GJK_TOO_MANY_POINTS;
            }
        }
    }
    out->ring_count = (uint32_t)rings;
    out->vertex_count = (uint32_t)vertices;
    return GJK_OK;
}

gjk_pieces_fault gjk_rings_place(const gjk_region *region, uint32_t vertex) {
    uint32_t ring = 0;
    for (uint32_t p = 0; p < region->polygon_count; p++) {
        for (uint32_t r = 0; r < region->polygon_sizes[p]; r++, ring++) {
            if (vertex < region->ring_sizes[ring]) {
                return (gjk_pieces_fault){.index = {p, r, vertex}, .depth = 3};
            }
            vertex -= region->ring_sizes[ring];
        }
    }
    return (gjk_pieces_fault){.depth = 0};
}

/* --- Points --- */

typedef struct entry {
    gjk_vec2 point;
    uint32_t vertex;
} entry;

int gjk_points_compare(gjk_vec2 a, gjk_vec2 b) {
    const int by_x = GJK_COMPARE(a.x, b.x);
    return by_x != 0 ? by_x : GJK_COMPARE(a.y, b.y);
}

static int by_place(const void *p, const void *q) {
    const entry *a = p, *b = q;
    const int order = gjk_points_compare(a->point, b->point);
    return order != 0 ? order : GJK_COMPARE(a->vertex, b->vertex);
}

gjk_status gjk_points_sort(struct gjk_arena *arena, gjk_vec2 *points, uint32_t *count,
                           uint32_t *point_of) {
    const gjk_arena_mark mark = gjk_arena_here(arena);
    entry *entries = gjk_arena_alloc_array(arena, *count, sizeof *entries);
    if (entries == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < *count; i++) {
        entries[i] = (entry){points[i], i};
    }
    gjk_status status = gjk_sort(arena, entries, *count, sizeof *entries, by_place);
    uint32_t found = 0;
    for (uint32_t i = 0; status == GJK_OK && i < *count; i++) {
        if (found == 0 || gjk_points_compare(points[found - 1], entries[i].point) != 0) {
            points[found++] = entries[i].point;
        }
        point_of[entries[i].vertex] = found - 1;
    }
    *count = found;
    gjk_arena_rewind(arena, mark);
    return status;
}

/* --- Edges --- */

static gjk_sweep_edge make_edge(const uint32_t *point_of, uint32_t from, uint32_t to,
                                uint32_t ring) {
    const bool forwards = point_of[from] < point_of[to];
    const uint32_t left = forwards ? from : to, right = forwards ? to : from;
    return (gjk_sweep_edge){.left = point_of[left],
                            .right = point_of[right],
                            .ring = ring,
                            .vertex = from,
                            .left_vertex = left,
                            .right_vertex = right};
}

/* Returns the number of different points of a ring. seen: by point, the last ring that has it. */
static uint32_t count_different(const uint32_t *point_of, uint32_t first, uint32_t end,
                                uint32_t ring, uint32_t *seen) {
    uint32_t different = 0;
    for (uint32_t i = first; i < end; i++) {
        different += seen[point_of[i]] != ring;
        seen[point_of[i]] = ring;
    }
    return different;
}

/* Adds the edges of a ring with the vertices [first, end) and at least two different points.
 * Returns their number. */
static uint32_t add_ring(const uint32_t *point_of, uint32_t first, uint32_t end, uint32_t ring,
                         gjk_sweep_edge *edges) {
    while (point_of[end - 1] == point_of[first]) {
        end--;
    }
    uint32_t count = 0, from = first;
    for (uint32_t i = first + 1; i < end; i++) {
        if (point_of[i] != point_of[from]) {
            edges[count++] = make_edge(point_of, from, i, ring);
            from = i;
        }
    }
    edges[count++] = make_edge(point_of, from, first, ring);
    return count;
}

static gjk_status add_all(const gjk_region *region, const uint32_t *point_of, uint32_t *seen,
                          gjk_rings *rings, gjk_sweep_edge *edges, uint32_t *outer,
                          gjk_pieces_fault *fault) {
    uint32_t ring = 0, first = 0;
    memset(seen, 0xff, rings->point_count * sizeof *seen);
    for (uint32_t p = 0; p < region->polygon_count; p++) {
        const uint32_t outer_ring = ring;
        for (uint32_t r = 0; r < region->polygon_sizes[p]; r++, ring++) {
            const uint32_t end = first + region->ring_sizes[ring];
            if (count_different(point_of, first, end, ring, seen) >= 3) {
                rings->edge_count +=
                    add_ring(point_of, first, end, ring, edges + rings->edge_count);
            } else if (region->fill == GJK_FILL_NONE) {
                *fault = (gjk_pieces_fault){.index = {p, r}, .depth = 2};
                return GJK_TOO_FEW_POINTS;
            }
            outer[ring] = outer_ring;
            first = end;
        }
    }
    rings->edges = edges;
    rings->outer = outer;
    return GJK_OK;
}

gjk_status gjk_rings_make(struct gjk_arena *arena, const gjk_region *region,
                          gjk_pieces_fault *fault, gjk_rings *out) {
    *out = (gjk_rings){.point_count = 0};
    *fault = (gjk_pieces_fault){.depth = 0};
    gjk_status status = count_all(region, fault, out);
    if (status == GJK_OK) {
        size_t at;
        const double *numbers = (const double *)region->vertices; /* NULL if there are none */
        status = gjk_check_coordinates(numbers, 2 * (size_t)out->vertex_count, &at);
        if (status != GJK_OK) {
            *fault = gjk_rings_place(region, (uint32_t)(at / 2));
        }
    }
    if (status != GJK_OK) {
        return status;
    }
    const uint32_t count = out->vertex_count;
    uint32_t *outer = gjk_arena_alloc_array(arena, out->ring_count, sizeof *outer);
    gjk_sweep_edge *edges = gjk_arena_alloc_array(arena, 2 * (size_t)count, sizeof *edges);
    uint32_t *point_of = gjk_arena_alloc_array(arena, count, sizeof *point_of);
    uint32_t *seen = gjk_arena_alloc_array(arena, count, sizeof *seen);
    gjk_vec2 *points = gjk_arena_alloc_array(arena, count, sizeof *points);
    if (outer == NULL || edges == NULL || point_of == NULL || seen == NULL || points == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    out->points = points;
    out->point_count = count;
    if (count > 0) {
        memcpy(points, region->vertices, count * sizeof *points);
        status = gjk_points_sort(arena, points, &out->point_count, point_of);
    }
    return status == GJK_OK ? add_all(region, point_of, seen, out, edges, outer, fault) : status;
}
