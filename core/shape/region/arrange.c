/*
 * Arrangements: edges that cross are cut at their crossings. Of the parts, those that separate the
 * inside of a fill rule from its outside are kept.
 *
 * The sweep of Bentley, Ottmann (Algorithms for reporting and counting geometric intersections,
 * 1979), with the status of the other sweep (status.c) and exact predicates. A crossing is rounded
 * as soon as it is found: onto a nearby end, or to a grid whose step is a unit in the last place of
 * the largest coordinate. This turns the edges slightly, so the order of the status may be wrong in
 * places, and crossings may be missed or created. So the sweep is repeated until it finds no
 * crossing; that last sweep is exact.
 *
 * Snap rounding (Hobby, Practical segment intersection with finite precision output, 1999; Guibas,
 * Marimont, Rounding arrangements dynamically, 1998) moves each edge to all grid points that it
 * passes. Deviation: vertices stay, on the grid or not, and an edge is moved only where it crosses
 * another one. If three sweeps do not suffice, some edges nearly coincide; later sweeps also move
 * edges to points within half a step, so that they become one.
 *
 * Each sweep makes progress: an edge is cut at points in its box, so the boxes of its parts have
 * the same total width and height.
 *
 * Edges that coincide become one, whose winding is the sum of theirs.
 */

#include "shape/region/region.h"

#include "base/double_double.h"
#include "base/list.h"
#include "base/numbers.h"
#include "base/predicate.h"

#include <math.h>
#include <string.h>

/* Number of sweeps that move edges only to crossings. */
#define SWEEPS_EXACT 3
/* Maximum number of sweeps. Millions of random rings within a few units in the last place took
 * fewer than 30. */
#define SWEEPS_MAX 100

/* An edge that starts at a crossing. */
typedef struct start {
    gjk_vec2 at;
    uint32_t edge;
} start;

typedef struct arrangement {
    gjk_list points; /* gjk_vec2: points of the sweep in order, then crossings */
    gjk_list edges;  /* gjk_sweep_edge */
    uint32_t edges_max;
    struct gjk_arena *arena; /* for one sweep */
    uint32_t point_count;    /* without the crossings */
    uint32_t *starts;        /* point -> index in `order` of the first edge that starts there */
    uint32_t *order;
    gjk_list queue;  /* start: a heap, the next one in front */
    uint32_t root;   /* root of the status tree */
    gjk_vec2 at;     /* the current point */
    gjk_list spokes; /* gjk_spoke: the edges that leave `at` to the right */
    gjk_list right;  /* uint32_t: edges that remain after joining, from bottom to top */
    double step;     /* step of the grid that crossings are rounded to */
    bool snaps_near; /* edges are also moved to nearby points */
    bool has_moved;  /* a crossing was rounded */
} arrangement;

static gjk_vec2 point_at(const arrangement *a, uint32_t point) {
    return ((const gjk_vec2 *)(const void *)a->points.items)[point];
}

static gjk_sweep_edge *edges_of(const arrangement *a) {
    return (gjk_sweep_edge *)(void *)a->edges.items;
}

/* Orders starts so that the first one is last, which is the front of the heap. */
static int by_start_backwards(const void *p, const void *q) {
    const start *a = p, *b = q;
    const int order = gjk_points_compare(b->at, a->at);
    return order != 0 ? order : GJK_COMPARE(b->edge, a->edge);
}

/* --- Cutting --- */

static gjk_status add_point(arrangement *a, gjk_vec2 point, uint32_t *out) {
    *out = a->points.count;
    return gjk_list_add(&a->points, &point) ? GJK_OK : GJK_OUT_OF_MEMORY;
}

/* Adds an edge between two points, with the other members of edge `like`. */
static gjk_status add_edge(arrangement *a, uint32_t like, uint32_t left, uint32_t right,
                           uint32_t *out) {
    if (a->edges.count >= a->edges_max) {
        return GJK_TOO_MANY_POINTS;
    }
    gjk_sweep_edge edge = edges_of(a)[like];
    edge.left = left;
    edge.right = right;
    *out = a->edges.count;
    return gjk_list_add(&a->edges, &edge) ? GJK_OK : GJK_OUT_OF_MEMORY;
}

/* Queues an edge, which the sweep then starts at its left end. */
static gjk_status enqueue(arrangement *a, uint32_t edge) {
    const start item = {point_at(a, edges_of(a)[edge].left), edge};
    return gjk_list_insert(&a->queue, by_start_backwards, &item) ? GJK_OK : GJK_OUT_OF_MEMORY;
}

/* Cuts an edge at a crossing, unless the crossing is an end of it. The sweep reaches the right part
 * later; if the crossing was rounded to a point that the sweep has passed, the right part replaces
 * the edge at once. */
static gjk_status cut_edge(arrangement *a, uint32_t edge, uint32_t crossing) {
    const gjk_vec2 at = point_at(a, crossing);
    const uint32_t left = edges_of(a)[edge].left, right = edges_of(a)[edge].right;
    uint32_t part;
    if (gjk_points_compare(at, point_at(a, left)) == 0 ||
        gjk_points_compare(at, point_at(a, right)) == 0) {
        return GJK_OK;
    }
    if (gjk_points_compare(at, a->at) <= 0) {
        gjk_status status = add_edge(a, edge, left, crossing, &part);
        edges_of(a)[edge].left = crossing;
        return status;
    }
    /* A crossing after the right end is straight above it, and the part runs backwards. */
    const bool is_behind = gjk_points_compare(at, point_at(a, right)) > 0;
    gjk_status status =
        add_edge(a, edge, is_behind ? right : crossing, is_behind ? crossing : right, &part);
    if (status == GJK_OK && is_behind) {
        edges_of(a)[part].turns *= -1;
    }
    edges_of(a)[edge].right = crossing;
    return status == GJK_OK ? enqueue(a, part) : status;
}

static bool is_in_box(gjk_vec2 p, gjk_vec2 a, gjk_vec2 b) {
    return fmin(a.x, b.x) <= p.x && p.x <= fmax(a.x, b.x) && fmin(a.y, b.y) <= p.y &&
           p.y <= fmax(a.y, b.y);
}

/* Finds the point at which two edges cross: an end of them within a step, or else a new point. */
static gjk_status find_crossing(arrangement *a, const uint32_t ends[4], uint32_t *out) {
    gjk_vec2 p[4];
    for (uint32_t i = 0; i < 4; i++) {
        p[i] = point_at(a, ends[i]);
    }
    const gjk_vec2 at = gjk_crossing2(p[0], p[1], p[2], p[3], a->step);
    for (uint32_t i = 0; i < 4; i++) {
        if (fabs(p[i].x - at.x) <= a->step && fabs(p[i].y - at.y) <= a->step &&
            is_in_box(p[i], p[0], p[1]) && is_in_box(p[i], p[2], p[3])) {
            *out = ends[i];
            return GJK_OK;
        }
    }
    return add_point(a, at, out);
}

/* Cuts two edges if they cross in their interiors. */
static gjk_status cut_pair(arrangement *a, uint32_t first, uint32_t second) {
    if (first == GJK_NO_EDGE || second == GJK_NO_EDGE) {
        return GJK_OK;
    }
    const gjk_sweep_edge e = edges_of(a)[first], f = edges_of(a)[second];
    const uint32_t ends[4] = {e.left, e.right, f.left, f.right};
    const gjk_vec2 e0 = point_at(a, e.left), e1 = point_at(a, e.right);
    const gjk_vec2 f0 = point_at(a, f.left), f1 = point_at(a, f.right);
    if (gjk_orient2_sign(e0, e1, f0) * gjk_orient2_sign(e0, e1, f1) >= 0 ||
        gjk_orient2_sign(f0, f1, e0) * gjk_orient2_sign(f0, f1, e1) >= 0) {
        return GJK_OK;
    }
    uint32_t crossing;
    a->has_moved = true;
    gjk_status status = find_crossing(a, ends, &crossing);
    status = status == GJK_OK ? cut_edge(a, first, crossing) : status;
    return status == GJK_OK ? cut_edge(a, second, crossing) : status;
}

/* --- Edges at a point --- */

static gjk_status add_spoke(arrangement *a, uint32_t edge) {
    const gjk_spoke spoke = {a->at, point_at(a, edges_of(a)[edge].right), edge};
    return gjk_list_add(&a->spokes, &spoke) ? GJK_OK : GJK_OUT_OF_MEMORY;
}

/* Cuts the edges that pass through the point. Removes from the status other edges, which are here
 * only because its order is wrong. */
static gjk_status pass_through(arrangement *a, uint32_t point, uint32_t through) {
    gjk_status status = GJK_OK;
    while (through != GJK_NO_EDGE && status == GJK_OK) {
        const uint32_t edge = gjk_status_take_lowest(edges_of(a), &through);
        const uint32_t right = edges_of(a)[edge].right;
        const gjk_vec2 from = point_at(a, edges_of(a)[edge].left), to = point_at(a, right);
        uint32_t part;
        if (gjk_points_compare(from, a->at) >= 0 || gjk_points_compare(to, a->at) <= 0 ||
            gjk_orient2_sign(from, to, a->at) != 0) {
            continue;
        }
        status = add_edge(a, edge, point, right, &part);
        edges_of(a)[edge].right = point;
        status = status == GJK_OK ? add_spoke(a, part) : status;
    }
    return status;
}

/* Adds the edges that start at the point. */
static gjk_status take_starts(arrangement *a, uint32_t point) {
    gjk_status status = GJK_OK;
    if (point < a->point_count) {
        for (uint32_t i = a->starts[point]; i < a->starts[point + 1] && status == GJK_OK; i++) {
            status = add_spoke(a, a->order[i]);
        }
    }
    while (status == GJK_OK && a->queue.count > 0 &&
           gjk_points_compare(((const start *)(const void *)a->queue.items)->at, a->at) == 0) {
        start next;
        gjk_list_take_last(&a->queue, by_start_backwards, &next);
        status = add_spoke(a, next.edge);
    }
    return status;
}

/* Returns true if the point is within half a step of an edge and in its box. */
static bool is_near(const arrangement *a, uint32_t edge) {
    const gjk_vec2 from = point_at(a, edges_of(a)[edge].left);
    const gjk_vec2 to = point_at(a, edges_of(a)[edge].right), p = a->at;
    if (gjk_points_compare(from, p) >= 0 || gjk_points_compare(p, to) >= 0 ||
        !is_in_box(p, from, to)) {
        return false;
    }
    const gjk_double_double dx = gjk_two_difference(to.x, from.x);
    const gjk_double_double dy = gjk_two_difference(to.y, from.y);
    const gjk_double_double left = gjk_dd_mul(dx, gjk_two_difference(p.y, from.y));
    const gjk_double_double right = gjk_dd_mul(dy, gjk_two_difference(p.x, from.x));
    return fabs(gjk_dd_add(left, gjk_dd_neg(right)).high) <=
           0.5 * a->step * sqrt(dx.high * dx.high + dy.high * dy.high);
}

/* Cuts the edges near the point, on one side of it: they are moved to the point. */
static gjk_status snap_to_point(arrangement *a, uint32_t point, uint32_t *root, bool below) {
    gjk_status status = GJK_OK;
    while (status == GJK_OK && *root != GJK_NO_EDGE && is_near(a, *root)) {
        const uint32_t edge = *root, right = edges_of(a)[edge].right;
        uint32_t part;
        *root = gjk_status_end(edges_of(a), edges_of(a)[edge].child[below ? 0 : 1], below);
        status = add_edge(a, edge, point, right, &part);
        edges_of(a)[edge].right = point;
        a->has_moved = true;
        status = status == GJK_OK ? add_spoke(a, part) : status;
    }
    return status;
}

/* Joins two edges that overlap from the point on. The rest of the longer one is queued at the
 * shorter one's end. */
static gjk_status join_edges(arrangement *a, gjk_spoke *kept, const gjk_spoke *other) {
    gjk_sweep_edge *edges = edges_of(a);
    const int order = gjk_points_compare(kept->to, other->to);
    edges[kept->edge].turns += edges[other->edge].turns;
    if (order == 0) {
        edges[other->edge].turns = 0;
        return GJK_OK;
    }
    const uint32_t ends[2] = {edges[kept->edge].right, edges[other->edge].right};
    const int32_t rest = edges[kept->edge].turns - edges[other->edge].turns;
    gjk_sweep_edge *longer = &edges[other->edge];
    if (order > 0) {
        longer->turns = rest;
    }
    edges[kept->edge].right = order < 0 ? ends[0] : ends[1];
    longer->left = edges[kept->edge].right;
    longer->right = order < 0 ? ends[1] : ends[0];
    kept->to = point_at(a, longer->left);
    return enqueue(a, other->edge);
}

/* Sorts the edges to the right of the point, joins those in the same direction and drops those that
 * cancel out. Lists the rest and sets their winding numbers. */
static gjk_status sort_right(arrangement *a, uint32_t below) {
    gjk_status status = gjk_list_sort(&a->spokes, gjk_spoke_from_below);
    gjk_spoke *spokes = (gjk_spoke *)(void *)a->spokes.items;
    int32_t winding = below == GJK_NO_EDGE ? 0 : edges_of(a)[below].winding;
    a->right.count = 0;
    for (uint32_t i = 0; i < a->spokes.count && status == GJK_OK;) {
        gjk_spoke *kept = &spokes[i];
        for (i++; i < a->spokes.count && status == GJK_OK &&
                  gjk_orient2_sign(a->at, kept->to, spokes[i].to) == 0;
             i++) {
            status = join_edges(a, kept, &spokes[i]);
        }
        gjk_sweep_edge *edge = &edges_of(a)[kept->edge];
        if (edge->turns != 0) {
            edge->winding = winding += edge->turns;
            status = gjk_list_add(&a->right, &kept->edge) ? status : GJK_OUT_OF_MEMORY;
        }
    }
    return status;
}

/* --- The sweep --- */

static gjk_status visit(arrangement *a, uint32_t point) {
    a->at = point_at(a, point);
    gjk_status_parts parts =
        gjk_status_split(edges_of(a), a->root, (const gjk_vec2 *)(const void *)a->points.items,
                         point);
    a->spokes.count = 0;
    gjk_status status = pass_through(a, point, parts.through);
    if (a->snaps_near) {
        status = status == GJK_OK ? snap_to_point(a, point, &parts.below, true) : status;
        status = status == GJK_OK ? snap_to_point(a, point, &parts.above, false) : status;
    }
    status = status == GJK_OK ? take_starts(a, point) : status;
    status = status == GJK_OK ? sort_right(a, parts.below) : status;
    if (status != GJK_OK) {
        return status;
    }
    const uint32_t *right = (const uint32_t *)(const void *)a->right.items;
    const uint32_t count = a->right.count;
    if (count == 0) {
        status = cut_pair(a, parts.below, parts.above);
    } else {
        status = cut_pair(a, parts.below, right[0]);
        status = status == GJK_OK ? cut_pair(a, right[count - 1], parts.above) : status;
    }
    a->root = gjk_status_join(edges_of(a), parts.below, right, count, parts.above);
    return status;
}

/* Visits all points, and those of crossings as they are found. */
static gjk_status visit_all(arrangement *a) {
    gjk_status status = GJK_OK;
    for (uint32_t next = 0; status == GJK_OK && (next < a->point_count || a->queue.count > 0);) {
        const start *queued = (const start *)(const void *)a->queue.items;
        uint32_t point = next;
        if (a->queue.count > 0 &&
            (next == a->point_count || gjk_points_compare(queued->at, point_at(a, next)) < 0)) {
            point = edges_of(a)[queued->edge].left;
        } else {
            next++;
        }
        status = gjk_budget_spend(a->arena->budget, 64) ? GJK_GIVEN_UP : visit(a, point);
    }
    return status;
}

/* --- Repeated sweeps --- */

/* Sorts the points, drops edges without length or winding, and gathers the others at their left
 * ends. */
static gjk_status prepare(arrangement *a) {
    uint32_t *point_of = gjk_arena_alloc_array(a->arena, a->points.count, sizeof *point_of);
    a->starts = gjk_arena_alloc_array(a->arena, (size_t)a->points.count + 2, sizeof *a->starts);
    a->order = gjk_arena_alloc_array(a->arena, a->edges.count, sizeof *a->order);
    if (point_of == NULL || a->starts == NULL || a->order == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    gjk_status status =
        gjk_points_sort(a->arena, (gjk_vec2 *)(void *)a->points.items, &a->points.count, point_of);
    if (status != GJK_OK) {
        return status;
    }
    gjk_sweep_edge *edges = edges_of(a);
    uint32_t count = 0;
    for (uint32_t i = 0; i < a->edges.count; i++) {
        const uint32_t left = point_of[edges[i].left], right = point_of[edges[i].right];
        const bool forwards = left < right;
        if (left != right && edges[i].turns != 0) {
            edges[count++] = (gjk_sweep_edge){
                .left = forwards ? left : right,
                .right = forwards ? right : left,
                .turns = forwards ? edges[i].turns : -edges[i].turns,
            };
        }
    }
    a->edges.count = count;
    a->point_count = a->points.count;
    gjk_edges_gather(edges, count, a->point_count, a->starts, a->order);
    return GJK_OK;
}

/* Cuts all edges where they meet, until no new crossings appear. */
static gjk_status arrange(arrangement *a, const struct gjk_arena *beside) {
    gjk_status status;
    uint32_t sweeps = 0;
    do {
        struct gjk_arena scratch;
        gjk_arena_init_beside(&scratch, beside);
        a->arena = &scratch;
        a->queue = gjk_list_make(&scratch, sizeof(start));
        a->spokes = gjk_list_make(&scratch, sizeof(gjk_spoke));
        a->right = gjk_list_make(&scratch, sizeof(uint32_t));
        a->root = GJK_NO_EDGE;
        a->has_moved = false;
        a->snaps_near = sweeps >= SWEEPS_EXACT;
        status = prepare(a);
        status = status == GJK_OK ? visit_all(a) : status;
        gjk_arena_fini(&scratch);
        a->arena = a->queue.arena = a->spokes.arena = a->right.arena = NULL;
    } while (status == GJK_OK && a->has_moved && ++sweeps < SWEEPS_MAX);
    return status == GJK_OK && a->has_moved ? GJK_NOT_SIMPLE : status;
}

/* --- The boundary --- */

static bool is_inside(gjk_fill fill, int32_t winding) {
    return fill == GJK_FILL_EVENODD ? winding % 2 != 0 : winding != 0;
}

/* Makes rings of the edges between inside and outside, and of their points. */
static gjk_status take_boundary(const arrangement *a, struct gjk_arena *arena, gjk_fill fill,
                                gjk_rings *out) {
    const gjk_sweep_edge *from = edges_of(a);
    gjk_sweep_edge *edges =
        gjk_arena_alloc_array(arena, (size_t)a->edges.count + a->point_count, sizeof *edges);
    gjk_vec2 *points = gjk_arena_alloc_array(arena, a->point_count, sizeof *points);
    uint32_t *place = gjk_arena_alloc_array(arena, a->point_count, sizeof *place);
    uint32_t *outer = gjk_arena_alloc_array(arena, 1, sizeof *outer);
    uint32_t count = 0, point_count = 0;
    if (edges == NULL || points == NULL || place == NULL || outer == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    memset(place, 0, a->point_count * sizeof *place);
    for (uint32_t i = 0; i < a->edges.count; i++) {
        const int32_t above = from[i].winding, below = above - from[i].turns;
        if (from[i].turns != 0 && is_inside(fill, above) != is_inside(fill, below)) {
            edges[count++] = (gjk_sweep_edge){.left = from[i].left, .right = from[i].right};
            place[from[i].left] = place[from[i].right] = 1;
        }
    }
    for (uint32_t p = 0; p < a->point_count; p++) {
        if (place[p] != 0) {
            points[point_count] = point_at(a, p);
            place[p] = point_count++;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        edges[i].left = place[edges[i].left];
        edges[i].right = place[edges[i].right];
    }
    outer[0] = 0;
    out->points = points;
    out->point_count = point_count;
    out->edges = edges;
    out->edge_count = count;
    out->outer = outer;
    out->ring_count = 1;
    out->is_arranged = true;
    return GJK_OK;
}

gjk_status gjk_rings_arrange(struct gjk_arena *arena, gjk_fill fill, uint32_t edges_max,
                             gjk_rings *rings) {
    arrangement a = {
        .points = gjk_list_make(arena, sizeof(gjk_vec2)),
        .edges = gjk_list_make(arena, sizeof(gjk_sweep_edge)),
        .edges_max = edges_max,
    };
    gjk_status status = rings->edge_count > edges_max ? GJK_TOO_MANY_POINTS : GJK_OK;
    double largest = 0.0;
    for (uint32_t p = 0; p < rings->point_count && status == GJK_OK; p++) {
        uint32_t index;
        largest = fmax(largest, fmax(fabs(rings->points[p].x), fabs(rings->points[p].y)));
        status = add_point(&a, rings->points[p], &index);
    }
    int exponent;
    frexp(largest, &exponent);
    a.step = ldexp(1.0, exponent - 53);
    for (uint32_t i = 0; i < rings->edge_count && status == GJK_OK; i++) {
        const gjk_sweep_edge *from = &rings->edges[i];
        const gjk_sweep_edge edge = {
            .left = from->left,
            .right = from->right,
            .turns = from->vertex == from->left_vertex ? 1 : -1,
        };
        status = gjk_list_add(&a.edges, &edge) ? GJK_OK : GJK_OUT_OF_MEMORY;
    }
    status = status == GJK_OK ? arrange(&a, arena) : status;
    return status == GJK_OK ? take_boundary(&a, arena, fill, rings) : status;
}
