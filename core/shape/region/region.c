/*
 * Regions: polygons with holes, in 2D. Corners of pieces are vertices of the rings, so that the
 * pieces cover the region exactly. This file has the last steps: triangles are merged into convex
 * polygons, which become the pieces.
 *
 * Hertel, Mehlhorn, Fast triangulation of simple polygons, 1983: a diagonal is inessential if both
 * of its ends are convex without it. An essential diagonal stays essential, because angles only
 * grow, so each is checked once. At most two per reflex corner are essential.
 *
 * Triangle t has the half-edges 3t to 3t + 2, from one corner to the next. Two half-edges between
 * the same points in opposite directions are a diagonal; removing it links their neighbours.
 */

#include "shape/region/region.h"

#include "base/numbers.h"
#include "base/predicate.h"
#include "gjk/sort.h"
#include "shape/pieces/pieces.h"

#define NO_HALF UINT32_MAX

typedef struct mesh {
    const gjk_vec2 *points;
    uint32_t half_count;
    uint32_t *origin; /* point; NO_HALF: removed */
    uint32_t *next, *previous;
    uint32_t *polygon; /* union-find: triangle -> one that it was merged with, or itself */
    uint32_t *size;    /* number of vertices, valid for representatives */
} mesh;

static bool make_mesh(struct gjk_arena *arena, const gjk_vec2 *points,
                      const gjk_region_triangles *triangles, mesh *m) {
    m->points = points;
    m->half_count = 3 * triangles->count;
    m->origin = gjk_arena_alloc_array(arena, m->half_count, sizeof *m->origin);
    m->next = gjk_arena_alloc_array(arena, m->half_count, sizeof *m->next);
    m->previous = gjk_arena_alloc_array(arena, m->half_count, sizeof *m->previous);
    m->polygon = gjk_arena_alloc_array(arena, triangles->count, sizeof *m->polygon);
    m->size = gjk_arena_alloc_array(arena, triangles->count, sizeof *m->size);
    if (m->origin == NULL || m->next == NULL || m->previous == NULL || m->polygon == NULL ||
        m->size == NULL) {
        return false;
    }
    for (uint32_t t = 0; t < triangles->count; t++) {
        for (uint32_t k = 0; k < 3; k++) {
            m->origin[3 * t + k] = triangles->corners[t][k];
            m->next[3 * t + k] = 3 * t + (k + 1) % 3;
            m->previous[3 * t + k] = 3 * t + (k + 2) % 3;
        }
        m->polygon[t] = t;
        m->size[t] = 3;
    }
    return true;
}

static uint32_t end_of(const mesh *m, uint32_t half) {
    return m->origin[m->next[half]];
}

/* --- Merging --- */

/* A half-edge with its sort key: the lesser point in the upper half, the greater one in the lower
 * half. */
typedef struct half_edge {
    uint64_t ends;
    uint32_t half;
} half_edge;

static int by_ends(const void *p, const void *q) {
    const half_edge *a = p, *b = q;
    const int order = GJK_COMPARE(a->ends, b->ends);
    return order != 0 ? order : GJK_COMPARE(a->half, b->half);
}

/* Returns the representative of a half-edge's polygon (union-find with path halving). */
static uint32_t polygon_of(mesh *m, uint32_t half) {
    uint32_t t = half / 3;
    while (m->polygon[t] != t) {
        t = m->polygon[t] = m->polygon[m->polygon[t]];
    }
    return t;
}

/* Returns true if the corner at the start of `half` stays convex without `half` and its twin. */
static bool stays_convex(const mesh *m, uint32_t half, uint32_t twin) {
    const uint32_t before = m->origin[m->previous[half]], after = end_of(m, m->next[twin]);
    return gjk_orient2_sign(m->points[before], m->points[m->origin[half]], m->points[after]) >= 0;
}

/* Removes a diagonal if it is inessential. */
static void join_polygons(mesh *m, uint32_t half, uint32_t twin) {
    const uint32_t a = polygon_of(m, half), b = polygon_of(m, twin);
    const uint32_t large = m->size[a] < m->size[b] ? b : a, small = large == a ? b : a;
    const uint32_t size = m->size[large] + m->size[small] - 2;
    if (size <= GJK_POINTS_MAX && stays_convex(m, half, twin) && stays_convex(m, twin, half)) {
        const uint32_t before[2] = {m->previous[half], m->previous[twin]};
        const uint32_t after[2] = {m->next[twin], m->next[half]};
        for (uint32_t i = 0; i < 2; i++) {
            m->next[before[i]] = after[i];
            m->previous[after[i]] = before[i];
        }
        m->origin[half] = m->origin[twin] = NO_HALF;
        m->polygon[small] = large;
        m->size[large] = size;
    }
}

/* --- Outlines --- */

/* Copies the corners of a half-edge's polygon and removes its half-edges. Returns the number of
 * corners. */
static uint32_t take_outline(mesh *m, uint32_t first, uint32_t *out) {
    uint32_t count = 0;
    for (uint32_t h = first;; h = m->next[h]) {
        const uint32_t before = m->origin[m->previous[h]];
        if (gjk_orient2_sign(m->points[before], m->points[m->origin[h]], m->points[end_of(m, h)]) !=
            0) {
            out[count++] = m->origin[h];
        }
        if (m->next[h] == first) {
            break;
        }
    }
    for (uint32_t h = first; m->origin[h] != NO_HALF; h = m->next[h]) {
        m->origin[h] = NO_HALF;
    }
    return count;
}

static void take_outlines(mesh *m, uint32_t *points, uint32_t *starts, gjk_outlines *out) {
    *out = (gjk_outlines){points, starts, 0};
    starts[0] = 0;
    for (uint32_t h = 0; h < m->half_count; h++) {
        if (m->origin[h] != NO_HALF) {
            const uint32_t start = starts[out->count++];
            starts[out->count] = start + take_outline(m, h, points + start);
        }
    }
}

gjk_status gjk_region_merge(struct gjk_arena *arena, const gjk_vec2 *points,
                            const gjk_region_triangles *triangles, gjk_outlines *out) {
    mesh m;
    bool made = make_mesh(arena, points, triangles, &m);
    half_edge *halves = gjk_arena_alloc_array(arena, 3 * (size_t)triangles->count, sizeof *halves);
    uint32_t *corners = gjk_arena_alloc_array(arena, 3 * (size_t)triangles->count, sizeof *corners);
    uint32_t *starts = gjk_arena_alloc_array(arena, (size_t)triangles->count + 1, sizeof *starts);
    if (!made || halves == NULL || corners == NULL || starts == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    for (uint32_t h = 0; h < m.half_count; h++) {
        const uint32_t a = m.origin[h], b = end_of(&m, h);
        halves[h] = (half_edge){(uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a), h};
    }
    /* Afterwards the two half-edges of each diagonal are adjacent. */
    const gjk_status status = gjk_sort(arena, halves, m.half_count, sizeof *halves, by_ends);
    if (status == GJK_OK) {
        for (uint32_t i = 0; i + 1 < m.half_count; i++) {
            if (halves[i].ends == halves[i + 1].ends) {
                join_polygons(&m, halves[i].half, halves[i + 1].half);
            }
        }
        take_outlines(&m, corners, starts, out);
    }
    return status;
}

/* --- The shape --- */

/* Copies the rings as they were given, so that GET can return them. */
static void copy_rings(struct gjk_pieces *pieces, const gjk_region *region) {
    uint32_t ring_count = 0, vertex_count = 0;
    for (uint32_t p = 0; p < region->polygon_count; p++) {
        ring_count += region->polygon_sizes[p];
    }
    for (uint32_t r = 0; r < ring_count; r++) {
        vertex_count += region->ring_sizes[r];
    }
    gjk_region *copy = &pieces->region.rings;
    *copy = *region;
    copy->vertices = gjk_pieces_copy(pieces, region->vertices, vertex_count, sizeof(gjk_vec2));
    copy->ring_sizes = gjk_pieces_copy(pieces, region->ring_sizes, ring_count, sizeof(uint32_t));
    copy->polygon_sizes =
        gjk_pieces_copy(pieces, region->polygon_sizes, region->polygon_count, sizeof(uint32_t));
}

static gjk_status copy_outlines(struct gjk_pieces *pieces, const gjk_vec2 *points,
                                const gjk_outlines *outlines) {
    const uint32_t corner_count = outlines->starts[outlines->count];
    gjk_vec2 *corners = gjk_arena_alloc_array(&pieces->memory, corner_count, sizeof *corners);
    pieces->region.outline_starts =
        gjk_pieces_copy(pieces, outlines->starts, (size_t)outlines->count + 1,
                        sizeof *outlines->starts);
    pieces->region.outlines = corners;
    if (corners == NULL || pieces->lacks_memory) {
        return GJK_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < corner_count; i++) {
        corners[i] = points[outlines->points[i]];
    }
    pieces->count = outlines->count;
    return GJK_OK;
}

static gjk_status make_polygons(struct gjk_pieces *pieces) {
    struct gjk_arena *arena = &pieces->memory;
    gjk_shape *polygons = gjk_arena_alloc_array(arena, pieces->count, sizeof *polygons);
    if (polygons == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < pieces->count; i++) {
        const gjk_vec2 *corners;
        const uint32_t count = gjk_pieces_polygon(pieces, i, &corners);
        uint32_t bad_vertex;
        gjk_status status = gjk_shape_make_polygon(arena, corners, count, pieces->rounding,
                                                   &bad_vertex, &polygons[i]);
        GJK_ASSERT(status != GJK_NOT_CONVEX);
        if (status != GJK_OK) {
            return status;
        }
    }
    pieces->region.polygons = polygons;
    return GJK_OK;
}

/* Computes the outlines of the pieces, in memory of the scratch arena. */
static gjk_status cut(struct gjk_arena *scratch, const gjk_region *region, gjk_pieces_fault *fault,
                      gjk_rings *rings, gjk_outlines *out) {
    gjk_region_triangles triangles;
    uint32_t vertex = 0;
    gjk_status status = gjk_rings_make(scratch, region, fault, rings);
    if (status == GJK_OK && region->fill != GJK_FILL_NONE) {
        status = gjk_rings_arrange(scratch, region->fill, GJK_PIECES_MAX, rings);
    }
    if (status == GJK_OK) {
        status = gjk_region_triangulate(scratch, rings, &vertex, &triangles);
    }
    if (status == GJK_NOT_SIMPLE) {
        *fault = gjk_rings_place(region, vertex);
    }
    if (status == GJK_OK) {
        status = gjk_region_merge(scratch, rings->points, &triangles, out);
    }
    return status == GJK_OK && out->count > GJK_PIECES_MAX ? GJK_TOO_MANY_POINTS : status;
}

gjk_status gjk_shape_make_region(struct gjk_arena *arena, const gjk_region *region, double rounding,
                                 gjk_pieces_fault *fault, gjk_shape *out) {
    struct gjk_arena scratch;
    struct gjk_pieces *pieces = NULL;
    gjk_rings rings;
    gjk_outlines outlines;
    *fault = (gjk_pieces_fault){.depth = 0};
    gjk_arena_init_beside(&scratch, arena);
    gjk_status status = gjk_check_length(rounding);
    if (status == GJK_OK) {
        status = cut(&scratch, region, fault, &rings, &outlines);
    }
    if (status == GJK_OK) {
        pieces = gjk_pieces_new(arena, GJK_REGION, 2);
        status = pieces != NULL ? GJK_OK : GJK_OUT_OF_MEMORY;
    }
    if (status == GJK_OK) {
        pieces->rounding = rounding;
        copy_rings(pieces, region);
        status = copy_outlines(pieces, rings.points, &outlines);
    }
    gjk_arena_fini(&scratch);
    if (status == GJK_OK) {
        status = make_polygons(pieces);
    }
    return status == GJK_OK ? gjk_pieces_finish(pieces, arena, out) : status;
}
