/*
 * Sweep over the rings of a region: the status orders edges, funnels emit triangles.
 *
 * Triangulation of monotone polygons with a stack (Garey, Johnson, Preparata, Tarjan, Triangulating
 * a simple polygon, 1978; de Berg and others, Computational Geometry, section 3.3), for many
 * polygons at a time: the stacks are lists in one array of entries.
 *
 * All triangles have area. On the chain's own side, an exact turn ensures it. On the other side,
 * the new vertex sees the whole chain: the edge or diagonal on its side starts where the chain
 * does, and the chain turns away from it from its first step on, because no vertex is on an edge.
 */

#include "shape/region/region.h"

#include "base/predicate.h"
#include "gjk/budget.h"
#include "gjk/sort.h"

/* Cuts polygons that are monotone along x into triangles, as a sweep supplies their vertices. */

typedef struct gjk_funnel_entry {
    uint32_t point, before;
} gjk_funnel_entry;

/* Storage of funnels and triangles. The caller makes the arrays large enough. */
typedef struct gjk_funnels {
    const gjk_vec2 *points;
    gjk_funnel_entry *entries;
    uint32_t entry_count, entry_capacity;
    uint32_t (*triangles)[3]; /* points, counter-clockwise, none without area */
    uint32_t triangle_count, triangle_capacity;
} gjk_funnels;

static inline gjk_funnel funnel_none(void) {
    return (gjk_funnel){GJK_NO_ENTRY, false};
}
static inline bool funnel_exists(const gjk_funnel *funnel) {
    return funnel->top != GJK_NO_ENTRY;
}

static void push_entry(gjk_funnels *funnels, gjk_funnel *funnel, uint32_t point) {
    GJK_ASSERT(funnels->entry_count < funnels->entry_capacity);
    funnels->entries[funnels->entry_count] = (gjk_funnel_entry){point, funnel->top};
    funnel->top = funnels->entry_count++;
}

/* Adds the triangle of the chain's last two vertices and a point to their right. */
static void add_triangle(gjk_funnels *funnels, const gjk_funnel *funnel, uint32_t point,
                         bool point_above) {
    const gjk_funnel_entry *last = &funnels->entries[funnel->top];
    const uint32_t from = funnels->entries[last->before].point;
    GJK_ASSERT(funnels->triangle_count < funnels->triangle_capacity);
    uint32_t *triangle = funnels->triangles[funnels->triangle_count++];
    triangle[0] = point_above ? from : last->point;
    triangle[1] = point_above ? last->point : from;
    triangle[2] = point;
}

/* Adds all triangles between the chain and a point on the other side. */
static void clear_chain(gjk_funnels *funnels, gjk_funnel *funnel, uint32_t point) {
    while (funnels->entries[funnel->top].before != GJK_NO_ENTRY) {
        add_triangle(funnels, funnel, point, !funnel->upper);
        funnel->top = funnels->entries[funnel->top].before;
    }
}

/* Adds the triangles between the end of the chain and a point on the same side that sees it. */
static void clear_corner(gjk_funnels *funnels, gjk_funnel *funnel, uint32_t point) {
    const gjk_vec2 *p = funnels->points;
    for (;;) {
        const gjk_funnel_entry *last = &funnels->entries[funnel->top];
        if (last->before == GJK_NO_ENTRY) {
            return;
        }
        const gjk_funnel_entry *before = &funnels->entries[last->before];
        const int turn = gjk_orient2_sign(p[before->point], p[last->point], p[point]);
        if (turn != (funnel->upper ? -1 : 1)) {
            return;
        }
        add_triangle(funnels, funnel, point, !funnel->upper);
        funnel->top = last->before;
    }
}

/* Starts a polygon at a point. */
static gjk_funnel funnel_start(gjk_funnels *funnels, uint32_t point) {
    gjk_funnel funnel = funnel_none();
    push_entry(funnels, &funnel, point);
    return funnel;
}

/* Adds the next vertex of a polygon, on its upper or lower side. O(1) amortised. */
static void funnel_add(gjk_funnels *funnels, gjk_funnel *funnel, uint32_t point, bool upper) {
    const uint32_t top = funnel->top;
    if (upper == funnel->upper) {
        clear_corner(funnels, funnel, point);
    } else {
        clear_chain(funnels, funnel, point);
        funnels->entries[top].before = GJK_NO_ENTRY;
        *funnel = (gjk_funnel){top, upper};
    }
    push_entry(funnels, funnel, point);
}

/* Adds the last vertex of a polygon. */
static void funnel_close(gjk_funnels *funnels, gjk_funnel *funnel, uint32_t point) {
    clear_chain(funnels, funnel, point);
    *funnel = funnel_none();
}

/*
 * One plane sweep from left to right checks the rings and triangulates the region.
 *
 * Crossings: edges that become neighbours in the status are tested (Shamos, Hoey, Geometric
 * intersection problems, 1976), and the sweep ends at the first crossing. Until then all its events
 * are vertices, so no point has to be constructed, and exact signs of turns decide everything. An
 * edge that a vertex touches is cut in two there; overlapping edges then start at one point in the
 * same direction. Rings that share a vertex cross there if their edges alternate around it.
 *
 * Nesting: each edge knows the innermost ring around the face above it. Rings that do not cross are
 * nested like brackets, so this suffices to find what contains a new ring.
 *
 * Triangles: the partition of de Berg and others (Computational Geometry, section 3.2; after Lee,
 * Preparata 1977) into polygons monotone along x. Its diagonals lead from a vertex without edges to
 * its left, or to the vertex after one without edges to its right. The polygons are triangulated as
 * they grow (above). Vertices may have any degree, because rings may touch.
 */

#define NO_PARENT_YET (UINT32_MAX - 1)

typedef struct sweep {
    const gjk_rings *rings;
    struct gjk_arena *arena;
    const gjk_vec2 *points;
    gjk_sweep_edge *edges; /* those of the rings in their order, then parts of cut edges */
    uint32_t edge_count;
    uint32_t *starts; /* point -> index in `order` of the first edge that starts there */
    uint32_t *order;
    uint32_t root;    /* root of the status tree */
    uint32_t *parent; /* ring -> ring that contains it */
    gjk_funnels funnels;
    uint32_t fault; /* vertex of the input */
    /* Edges to the left and right of the current point, from bottom to top. */
    uint32_t *left, *right;
    uint32_t left_count, right_count;
    gjk_spoke *spokes;
    uint32_t *brackets; /* vertices by which rings pass the current point */
} sweep;

/* --- Preparation --- */

static bool allocate(struct gjk_arena *arena, const gjk_rings *rings, sweep *s) {
    /* At most one edge is cut at each point. */
    const size_t points = rings->point_count, edges = rings->edge_count + points;
    s->starts = gjk_arena_alloc_array(arena, points + 2, sizeof *s->starts);
    s->order = gjk_arena_alloc_array(arena, rings->edge_count, sizeof *s->order);
    s->parent = gjk_arena_alloc_array(arena, rings->ring_count, sizeof *s->parent);
    s->left = gjk_arena_alloc_array(arena, edges, sizeof *s->left);
    s->right = gjk_arena_alloc_array(arena, edges, sizeof *s->right);
    s->spokes = gjk_arena_alloc_array(arena, edges, sizeof *s->spokes);
    s->brackets = gjk_arena_alloc_array(arena, edges, sizeof *s->brackets);
    /* There is one entry for each edge to the right of a point, plus two per point. A planar graph
     * has fewer than two triangles per point. */
    s->funnels.points = rings->points;
    s->funnels.entry_capacity = (uint32_t)(edges + 2 * points);
    s->funnels.entries =
        gjk_arena_alloc_array(arena, s->funnels.entry_capacity, sizeof *s->funnels.entries);
    s->funnels.triangle_capacity = (uint32_t)(2 * points);
    s->funnels.triangles =
        gjk_arena_alloc_array(arena, s->funnels.triangle_capacity, sizeof *s->funnels.triangles);
    return s->starts != NULL && s->order != NULL && s->parent != NULL && s->left != NULL &&
           s->right != NULL && s->spokes != NULL && s->brackets != NULL &&
           s->funnels.entries != NULL && s->funnels.triangles != NULL;
}

/* --- Edges at a point --- */

/* Reports the later of the starts of two edges as the fault. */
static gjk_status refuse_crossing(sweep *s, uint32_t a, uint32_t b) {
    const uint32_t first = s->edges[a].vertex, second = s->edges[b].vertex;
    s->fault = first > second ? first : second;
    return GJK_NOT_SIMPLE;
}

/* Cuts an edge at a point on it. Returns the part to the right. */
static uint32_t cut_edge(sweep *s, uint32_t edge, uint32_t point) {
    const uint32_t part = s->edge_count++;
    s->edges[part] = s->edges[edge];
    s->edges[part].left = s->edges[edge].right = point;
    /* As if the ring had a vertex of its own there. */
    s->edges[part].left_vertex = s->edges[edge].right_vertex = s->rings->vertex_count;
    return part;
}

static gjk_status sort_right(sweep *s, uint32_t point) {
    for (uint32_t i = 0; i < s->right_count; i++) {
        const uint32_t edge = s->right[i];
        s->spokes[i] = (gjk_spoke){s->points[point], s->points[s->edges[edge].right], edge};
    }
    gjk_status status =
        gjk_sort(s->arena, s->spokes, s->right_count, sizeof *s->spokes, gjk_spoke_from_below);
    if (status != GJK_OK) {
        return status;
    }
    for (uint32_t i = 0; i < s->right_count; i++) {
        s->right[i] = s->spokes[i].edge;
        if (i > 0 &&
            gjk_orient2_sign(s->points[point], s->spokes[i - 1].to, s->spokes[i].to) == 0) {
            return refuse_crossing(s, s->right[i - 1], s->right[i]);
        }
    }
    return GJK_OK;
}

/* Finds the edges to the left among those that leave the status, and those to the right among the
 * rings. */
static gjk_status find_edges(sweep *s, uint32_t point, uint32_t through) {
    uint32_t cut = GJK_NO_EDGE;
    s->left_count = s->right_count = 0;
    while (through != GJK_NO_EDGE) {
        const uint32_t edge = gjk_status_take_lowest(s->edges, &through);
        s->left[s->left_count++] = edge;
        if (s->edges[edge].right != point) {
            if (cut != GJK_NO_EDGE) {
                return refuse_crossing(s, cut, edge);
            }
            cut = edge;
            s->right[s->right_count++] = cut_edge(s, edge, point);
        }
    }
    for (uint32_t i = s->starts[point]; i < s->starts[point + 1]; i++) {
        s->right[s->right_count++] = s->order[i];
    }
    return sort_right(s, point);
}

/* --- Crossings --- */

/* Checks that no rings cross at the current point: going round it, the two edges by which a ring
 * passes must match like brackets. */
static gjk_status check_passes(sweep *s) {
    const uint32_t right_count = s->right_count, count = right_count + s->left_count;
    uint32_t depth = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t vertex = i < right_count ? s->edges[s->right[i]].left_vertex
                                                : s->edges[s->left[count - 1 - i]].right_vertex;
        if (depth > 0 && s->brackets[depth - 1] == vertex) {
            depth--;
        } else {
            s->brackets[depth++] = vertex;
        }
    }
    if (depth == 0) {
        return GJK_OK;
    }
    /* Two rings, or one ring twice, pass the point by vertices; at most one passes it by an edge
     * alone. */
    const uint32_t a = s->brackets[depth - 2], b = s->brackets[depth - 1];
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    s->fault = high < s->rings->vertex_count ? high : low;
    return GJK_NOT_SIMPLE;
}

/* Checks that two edges do not cross in their interiors. Other contacts are found at their
 * points. */
static gjk_status check_pair(sweep *s, uint32_t a, uint32_t b) {
    if (a == GJK_NO_EDGE || b == GJK_NO_EDGE) {
        return GJK_OK;
    }
    const gjk_vec2 a0 = s->points[s->edges[a].left], a1 = s->points[s->edges[a].right];
    const gjk_vec2 b0 = s->points[s->edges[b].left], b1 = s->points[s->edges[b].right];
    const bool cross = gjk_orient2_sign(a0, a1, b0) * gjk_orient2_sign(a0, a1, b1) < 0 &&
                       gjk_orient2_sign(b0, b1, a0) * gjk_orient2_sign(b0, b1, a1) < 0;
    return cross ? refuse_crossing(s, a, b) : GJK_OK;
}

/* --- Nesting --- */

static bool is_outer(const sweep *s, uint32_t ring) {
    return s->rings->outer[ring] == ring;
}

/* Returns true if the face just above an edge is in the region. */
static bool is_solid(const sweep *s, uint32_t edge) {
    return edge != GJK_NO_EDGE && s->edges[edge].face != GJK_NO_RING &&
           is_outer(s, s->edges[edge].face);
}

/* Returns true if a ring may be in a face: an outer ring in no ring or in a hole, a hole in the
 * outer ring of its polygon. */
static bool may_lie_in(const sweep *s, uint32_t ring, uint32_t face) {
    if (is_outer(s, ring)) {
        return face == GJK_NO_RING || !is_outer(s, face);
    }
    return face == s->rings->outer[ring];
}

static gjk_status find_faces(sweep *s, uint32_t below) {
    uint32_t face = below == GJK_NO_EDGE ? GJK_NO_RING : s->edges[below].face;
    for (uint32_t i = 0; i < s->right_count; i++) {
        gjk_sweep_edge *edge = &s->edges[s->right[i]];
        if (face == edge->ring) {
            face = s->parent[edge->ring];
        } else {
            if (s->parent[edge->ring] == NO_PARENT_YET && !may_lie_in(s, edge->ring, face)) {
                return refuse_crossing(s, s->right[i], s->right[i]);
            }
            s->parent[edge->ring] = face;
            face = edge->ring;
        }
        edge->face = face;
        edge->funnels[0] = edge->funnels[1] = funnel_none();
    }
    return GJK_OK;
}

/* --- Monotone polygons --- */

/* Splits the face above an edge, which contains the point, by a diagonal to the point. */
static void fork_polygon(sweep *s, uint32_t edge, uint32_t point, gjk_funnel *lower,
                         gjk_funnel *upper) {
    const gjk_funnel *funnels = s->edges[edge].funnels;
    if (funnel_exists(&funnels[1])) {
        *lower = funnels[0];
        *upper = funnels[1];
    } else {
        /* The diagonal starts at the polygon's newest vertex. The point is an upper vertex of the
         * part below the diagonal and a lower vertex of the part above it. */
        const gjk_funnel whole = funnels[0];
        const gjk_funnel fresh = funnel_start(&s->funnels, s->funnels.entries[whole.top].point);
        *lower = whole.upper ? whole : fresh;
        *upper = whole.upper ? fresh : whole;
    }
    funnel_add(&s->funnels, lower, point, true);
    funnel_add(&s->funnels, upper, point, false);
}

/* Adds the point to the polygons between the edges to its left, which end there, except the one
 * below the lowest edge and the one above the highest. */
static void end_polygons(sweep *s, uint32_t below, uint32_t point, gjk_funnel *lower,
                         gjk_funnel *upper) {
    const uint32_t highest = s->left[s->left_count - 1];
    if (is_solid(s, below)) {
        gjk_funnel *funnels = s->edges[below].funnels;
        funnel_add(&s->funnels, &funnels[0], point, true);
        if (funnel_exists(&funnels[1])) {
            funnel_close(&s->funnels, &funnels[1], point);
        }
        *lower = funnels[0];
    }
    for (uint32_t i = 0; i + 1 < s->left_count; i++) {
        /* Two polygons between the same edges share a vertex without edges to its right; its
         * diagonal leads to this point. */
        for (uint32_t j = 0; j < 2; j++) {
            gjk_funnel *funnel = &s->edges[s->left[i]].funnels[j];
            if (funnel_exists(funnel)) {
                funnel_close(&s->funnels, funnel, point);
            }
        }
    }
    if (is_solid(s, highest)) {
        gjk_funnel *funnels = s->edges[highest].funnels;
        if (funnel_exists(&funnels[1])) {
            funnel_close(&s->funnels, &funnels[0], point);
            funnels[0] = funnels[1];
        }
        funnel_add(&s->funnels, &funnels[0], point, false);
        *upper = funnels[0];
    }
}

/* Adds the point to the polygons around it and passes these on to its edges to the right. */
static void grow_polygons(sweep *s, uint32_t below, uint32_t point) {
    gjk_funnel lower = funnel_none(), upper = funnel_none();
    if (s->left_count > 0) {
        end_polygons(s, below, point, &lower, &upper);
    } else if (is_solid(s, below)) {
        fork_polygon(s, below, point, &lower, &upper);
    }
    if (below != GJK_NO_EDGE) {
        s->edges[below].funnels[0] = lower;
        s->edges[below].funnels[1] = s->right_count == 0 ? upper : funnel_none();
    }
    for (uint32_t i = 0; i + 1 < s->right_count; i++) {
        if (is_solid(s, s->right[i])) {
            s->edges[s->right[i]].funnels[0] = funnel_start(&s->funnels, point);
        }
    }
    if (s->right_count > 0) {
        s->edges[s->right[s->right_count - 1]].funnels[0] = upper;
    }
}

/* --- The sweep --- */

static gjk_status visit(sweep *s, uint32_t point) {
    const gjk_status_parts parts = gjk_status_split(s->edges, s->root, s->points, point);
    gjk_status status = find_edges(s, point, parts.through);
    if (status == GJK_OK && !s->rings->is_arranged) {
        status = check_passes(s);
    }
    if (status == GJK_OK) {
        status = find_faces(s, parts.below);
    }
    const uint32_t count = s->right_count;
    if (status == GJK_OK && count == 0) {
        status = check_pair(s, parts.below, parts.above);
    } else if (status == GJK_OK) {
        status = check_pair(s, parts.below, s->right[0]);
        status = status == GJK_OK ? check_pair(s, s->right[count - 1], parts.above) : status;
    }
    if (status == GJK_OK) {
        grow_polygons(s, parts.below, point);
        s->root = gjk_status_join(s->edges, parts.below, s->right, s->right_count, parts.above);
    }
    return status;
}

gjk_status gjk_region_triangulate(struct gjk_arena *arena, const gjk_rings *rings,
                                  uint32_t *fault_vertex, gjk_region_triangles *out) {
    sweep s = {.rings = rings,
               .arena = arena,
               .points = rings->points,
               .edges = rings->edges,
               .edge_count = rings->edge_count,
               .root = GJK_NO_EDGE};
    gjk_budget *budget = arena->budget;
    if (!allocate(arena, rings, &s)) {
        return GJK_OUT_OF_MEMORY;
    }
    gjk_edges_gather(s.edges, s.edge_count, rings->point_count, s.starts, s.order);
    for (uint32_t r = 0; r < rings->ring_count; r++) {
        s.parent[r] = NO_PARENT_YET;
    }
    gjk_status status = GJK_OK;
    for (uint32_t point = 0; point < rings->point_count && status == GJK_OK; point++) {
        status = gjk_budget_spend(budget, 64) ? GJK_GIVEN_UP : visit(&s, point);
    }
    *fault_vertex = s.fault;
    *out =
        (gjk_region_triangles){(const uint32_t(*)[3])s.funnels.triangles, s.funnels.triangle_count};
    return status;
}
