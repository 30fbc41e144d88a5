/*
 * Hertel, Mehlhorn, Fast triangulation of simple polygons, 1983: a diagonal is inessential if
 * without it both its ends are still convex. Once essential it stays so, as angles only grow, so
 * each is looked at once. At most two at each reflex corner are essential.
 *
 * Triangle t has the half-edges 3t to 3t + 2, from one corner to the next. Two half-edges between
 * the same points in opposite directions are a diagonal; taking it out links their neighbours.
 */

#include "shape/region/merge.h"

#include "base/predicate.h"
#include "gjk/sort.h"

#define NO_HALF UINT32_MAX

typedef struct mesh {
    const gjk_vec2 *points;
    uint32_t half_count;
    uint32_t *origin; /* point; NO_HALF: taken out */
    uint32_t *next, *previous;
    uint32_t *polygon; /* triangle -> one that it was joined with, itself at last */
    uint32_t *size;    /* vertices, of a triangle that stands for a polygon */
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

/* --- Diagonals --- */

/* A half-edge, found by its ends. */
typedef struct half_edge {
    uint32_t low, high, half;
} half_edge;

static int compare(uint32_t a, uint32_t b) {
    return (a > b) - (a < b);
}

static int by_ends(const void *p, const void *q) {
    const half_edge *a = p, *b = q;
    if (a->low != b->low) {
        return compare(a->low, b->low);
    }
    return a->high != b->high ? compare(a->high, b->high) : compare(a->half, b->half);
}

/* Both half-edges of a diagonal are neighbours then. */
static gjk_status sort_halves(struct gjk_arena *arena, const mesh *m, half_edge *halves) {
    for (uint32_t h = 0; h < m->half_count; h++) {
        const uint32_t a = m->origin[h], b = end_of(m, h);
        halves[h] = (half_edge){a < b ? a : b, a < b ? b : a, h};
    }
    return gjk_sort(arena, halves, m->half_count, sizeof *halves, by_ends);
}

/* --- Joining --- */

/* The triangle that stands for the polygon of a half-edge (union-find, paths halved). */
static uint32_t polygon_of(mesh *m, uint32_t half) {
    uint32_t t = half / 3;
    while (m->polygon[t] != t) {
        t = m->polygon[t] = m->polygon[m->polygon[t]];
    }
    return t;
}

/* Returns true if the corner where `half` starts is convex when it and its twin are gone. */
static bool stays_convex(const mesh *m, uint32_t half, uint32_t twin) {
    const uint32_t before = m->origin[m->previous[half]], after = end_of(m, m->next[twin]);
    return gjk_orient2_sign(m->points[before], m->points[m->origin[half]], m->points[after]) >= 0;
}

static void take_out(mesh *m, uint32_t half, uint32_t twin) {
    const uint32_t before[2] = {m->previous[half], m->previous[twin]};
    const uint32_t after[2] = {m->next[twin], m->next[half]};
    for (uint32_t i = 0; i < 2; i++) {
        m->next[before[i]] = after[i];
        m->previous[after[i]] = before[i];
    }
    m->origin[half] = m->origin[twin] = NO_HALF;
}

/* Takes a diagonal out if it may go. */
static void join_polygons(mesh *m, uint32_t half, uint32_t twin) {
    const uint32_t a = polygon_of(m, half), b = polygon_of(m, twin);
    const uint32_t large = m->size[a] < m->size[b] ? b : a, small = large == a ? b : a;
    const uint32_t size = m->size[large] + m->size[small] - 2;
    if (size <= GJK_POINTS_MAX && stays_convex(m, half, twin) && stays_convex(m, twin, half)) {
        take_out(m, half, twin);
        m->polygon[small] = large;
        m->size[large] = size;
    }
}

static void join_all(mesh *m, const half_edge *halves) {
    for (uint32_t i = 0; i + 1 < m->half_count; i++) {
        if (halves[i].low == halves[i + 1].low && halves[i].high == halves[i + 1].high) {
            join_polygons(m, halves[i].half, halves[i + 1].half);
        }
    }
}

/* --- Outlines --- */

/* Copies the corners of the polygon of a half-edge and marks its half-edges as taken out. */
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
    gjk_status status = sort_halves(arena, &m, halves);
    if (status == GJK_OK) {
        join_all(&m, halves);
        take_outlines(&m, corners, starts, out);
    }
    return status;
}
