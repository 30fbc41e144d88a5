/*
 * Constructors of shapes of many pieces: meshes, height fields, chains, compounds and points.
 *
 * Triangle meshes: a closed mesh is checked edge by edge. Directed edges are gathered at their
 * smaller vertex (counting sort); each pair of equal neighbours must run once forwards and once
 * backwards.
 */

#include "shape/pieces/pieces.h"

#include "base/numbers.h"
#include "gjk/budget.h"
#include "gjk/sort.h"

#include <math.h>
#include <string.h>

static gjk_status fail_at(gjk_pieces_fault *fault, gjk_status status, uint32_t first,
                          uint32_t second, uint32_t depth) {
    *fault = (gjk_pieces_fault){.index = {first, second}, .depth = depth};
    return status;
}

/* Checks the coordinates of points, stored one point after the other. */
static gjk_status check_places(const double *numbers, uint32_t count, uint32_t dimension,
                               gjk_pieces_fault *fault) {
    size_t at;
    const gjk_status status = gjk_check_coordinates(numbers, (size_t)count * dimension, &at);
    return status == GJK_OK
               ? GJK_OK
               : fail_at(fault, status, (uint32_t)(at / dimension), (uint32_t)(at % dimension), 2);
}

static gjk_status check_numbers(const gjk_mesh *mesh, double rounding, gjk_pieces_fault *fault) {
    if (mesh->vertex_count < 1 || mesh->triangle_count < 1) {
        return fail_at(fault, GJK_TOO_FEW_POINTS, 0, 0, 0);
    }
    if (mesh->triangle_count > GJK_PIECES_MAX) {
        return fail_at(fault, GJK_TOO_MANY_POINTS, 0, 0, 0);
    }
    const gjk_status status = check_places(&mesh->vertices[0].x, mesh->vertex_count, 3, fault);
    for (uint32_t i = 0; status == GJK_OK && i < mesh->triangle_count; i++) {
        for (uint32_t corner = 0; corner < 3; corner++) {
            if (mesh->triangles[i][corner] >= mesh->vertex_count) {
                return fail_at(fault, GJK_BAD_INDEX, i, corner, 2);
            }
        }
    }
    return status == GJK_OK ? gjk_check_length(rounding) : status;
}

/* --- Welding --- */

typedef struct corner {
    gjk_vec3 at;
    uint32_t vertex;
} corner;

static int compare_places(gjk_vec3 a, gjk_vec3 b) {
    const int by_x = GJK_COMPARE(a.x, b.x), by_y = GJK_COMPARE(a.y, b.y);
    return by_x != 0 ? by_x : by_y != 0 ? by_y : GJK_COMPARE(a.z, b.z);
}

static int by_place(const void *p, const void *q) {
    const corner *a = p, *b = q;
    const int order = compare_places(a->at, b->at);
    return order != 0 ? order : GJK_COMPARE(a->vertex, b->vertex);
}

/* Finds for each vertex the first one with equal coordinates. Returns OUT_OF_MEMORY or GIVEN_UP on
 * failure. */
static gjk_status weld(struct gjk_arena *scratch, const gjk_mesh *mesh, uint32_t **out) {
    const uint32_t count = mesh->vertex_count;
    uint32_t *welded = gjk_arena_alloc_array(scratch, count, sizeof *welded);
    corner *corners = gjk_arena_alloc_array(scratch, count, sizeof *corners);
    if (welded == NULL || corners == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    for (uint32_t v = 0; v < count; v++) {
        corners[v] = (corner){mesh->vertices[v], v};
    }
    gjk_status status = gjk_sort(scratch, corners, count, sizeof *corners, by_place);
    for (uint32_t i = 0; i < count && status == GJK_OK; i++) {
        const bool is_same = i > 0 && compare_places(corners[i - 1].at, corners[i].at) == 0;
        welded[corners[i].vertex] = is_same ? welded[corners[i - 1].vertex] : corners[i].vertex;
    }
    *out = welded;
    return status;
}

/* --- Closed meshes --- */

/* A directed edge, stored at its smaller vertex. */
typedef struct half_edge {
    uint32_t other;    /* the larger vertex */
    uint32_t triangle; /* 2 * triangle, plus 1 if it runs from the larger vertex */
} half_edge;

static int by_other(const void *p, const void *q) {
    const half_edge *a = p, *b = q;
    const int order = GJK_COMPARE(a->other, b->other);
    return order != 0 ? order : GJK_COMPARE(a->triangle, b->triangle);
}

/* Callback for each directed edge, with its smaller vertex. */
typedef void (*edge_visitor)(uint32_t small, half_edge edge, uint32_t *ends, half_edge *edges);

static void visit_edges(const gjk_mesh *mesh, const uint32_t *welded, edge_visitor visit,
                        uint32_t *ends, half_edge *edges) {
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        uint32_t at[3];
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t vertex = mesh->triangles[i][k];
            at[k] = welded != NULL ? welded[vertex] : vertex;
        }
        if (welded != NULL && (at[0] == at[1] || at[1] == at[2] || at[2] == at[0])) {
            continue;
        }
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t from = at[k], to = at[k == 2 ? 0 : k + 1];
            const bool forwards = from < to;
            visit(forwards ? from : to, (half_edge){forwards ? to : from, 2 * i + (from > to)},
                  ends, edges);
        }
    }
}

static void count_edge(uint32_t small, half_edge edge, uint32_t *ends, half_edge *edges) {
    (void)edge, (void)edges;
    ends[small + 1]++;
}

static void put_edge(uint32_t small, half_edge edge, uint32_t *ends, half_edge *edges) {
    edges[ends[small]++] = edge;
}

/* Gathers edges by vertex: those of vertex v are edges[ends[v - 1]] to edges[ends[v] - 1]. */
static void gather_edges(const gjk_mesh *mesh, const uint32_t *welded, uint32_t *ends,
                         half_edge *edges) {
    memset(ends, 0, ((size_t)mesh->vertex_count + 1) * sizeof *ends);
    visit_edges(mesh, welded, count_edge, ends, edges);
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        ends[v + 1] += ends[v];
    }
    visit_edges(mesh, welded, put_edge, ends, edges);
}

/* Counts the open edges at one vertex, given its edges sorted by their other end. In a closed mesh,
 * each edge belongs to exactly two triangles, which pass it in opposite directions. Returns the
 * least triangle with an open edge, or UINT32_MAX. */
static uint32_t find_open_edges(const half_edge *edges, uint32_t count, uint32_t *open_edges) {
    uint32_t worst = UINT32_MAX;
    for (uint32_t i = 0; i < count;) {
        uint32_t end = i + 1;
        while (end < count && edges[end].other == edges[i].other) {
            end++;
        }
        bool paired = end - i == 2 && edges[i].triangle % 2 != edges[i + 1].triangle % 2 &&
                      edges[i].triangle / 2 != edges[i + 1].triangle / 2;
        *open_edges += !paired;
        if (!paired && edges[i].triangle / 2 < worst) {
            worst = edges[i].triangle / 2;
        }
        i = end;
    }
    return worst;
}

static gjk_status check_closed(struct gjk_arena *scratch, const gjk_mesh *mesh,
                               const uint32_t *welded, gjk_pieces_fault *fault) {
    const size_t count = 3 * (size_t)mesh->triangle_count;
    half_edge *edges = gjk_arena_alloc_array(scratch, count, sizeof *edges);
    uint32_t *ends = gjk_arena_alloc_array(scratch, (size_t)mesh->vertex_count + 1, sizeof *ends);
    if (edges == NULL || ends == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    uint32_t worst = UINT32_MAX, begin = 0, open_edges = 0;
    gjk_budget *budget = scratch->budget;
    gjk_status status = GJK_OK;
    gather_edges(mesh, welded, ends, edges);
    for (uint32_t v = 0; v < mesh->vertex_count && status == GJK_OK; v++) {
        const uint32_t at_v = ends[v] - begin;
        status = gjk_budget_spend(budget, 4 + at_v)
                     ? GJK_GIVEN_UP
                     : gjk_sort(scratch, edges + begin, at_v, sizeof *edges, by_other);
        if (status == GJK_OK) {
            uint32_t open = find_open_edges(edges + begin, at_v, &open_edges);
            worst = open < worst ? open : worst;
            begin = ends[v];
        }
    }
    if (status == GJK_OK && open_edges > 0) {
        status = fail_at(fault, GJK_NOT_CLOSED, worst, 0, 1);
        fault->open_edges = open_edges;
    }
    return status;
}

/* Welds the mesh and checks that it is closed, as its flags require. If an unwelded mesh is not
 * closed, sets fault->weld_closes to whether welding would close it. */
static gjk_status check_surface(struct gjk_arena *scratch, const gjk_mesh *mesh, uint32_t **welded,
                                gjk_pieces_fault *fault) {
    gjk_status status = mesh->weld ? weld(scratch, mesh, welded) : GJK_OK;
    if (status == GJK_OK && mesh->closed) {
        status = check_closed(scratch, mesh, *welded, fault);
    }
    if (status == GJK_NOT_CLOSED && !mesh->weld) {
        gjk_pieces_fault other;
        gjk_status with_weld = weld(scratch, mesh, welded);
        with_weld = with_weld == GJK_OK ? check_closed(scratch, mesh, *welded, &other) : with_weld;
        fault->weld_closes = with_weld == GJK_OK;
        status = with_weld == GJK_OK ? status : with_weld;
    }
    return status;
}

/* --- The shape --- */

static gjk_status fill_mesh(struct gjk_pieces *pieces, const gjk_mesh *mesh, const uint32_t *welded,
                            double rounding) {
    const uint32_t vertices = mesh->vertex_count, triangles = mesh->triangle_count;
    /* One more element, so that four doubles can be read at each vertex. */
    gjk_vec3 *copy = gjk_arena_alloc_array(&pieces->memory, vertices + 1, sizeof *copy);
    if (copy == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    memcpy(copy, mesh->vertices, vertices * sizeof *copy);
    copy[vertices] = (gjk_vec3){0, 0, 0};
    pieces->materials = gjk_pieces_copy(pieces, mesh->materials, triangles, sizeof(uint32_t));
    pieces->count = triangles;
    pieces->rounding = rounding;
    pieces->closed = mesh->closed;
    pieces->one_sided = mesh->one_sided;
    pieces->mesh = *mesh;
    pieces->mesh.vertices = copy;
    pieces->mesh.triangles =
        gjk_pieces_copy(pieces, mesh->triangles, triangles, sizeof mesh->triangles[0]);
    pieces->mesh.materials = pieces->materials;
    return pieces->lacks_memory ? GJK_OUT_OF_MEMORY : gjk_pieces_find_seeds(pieces, welded);
}

gjk_status gjk_shape_make_mesh(struct gjk_arena *arena, const gjk_mesh *mesh, double rounding,
                               gjk_pieces_fault *fault, gjk_shape *out) {
    *fault = (gjk_pieces_fault){.depth = 0};
    struct gjk_arena scratch;
    struct gjk_pieces *pieces = NULL;
    uint32_t *welded = NULL;
    gjk_status status = check_numbers(mesh, rounding, fault);
    if (status != GJK_OK) {
        return status;
    }
    gjk_arena_init_beside(&scratch, arena);
    status = check_surface(&scratch, mesh, &welded, fault);
    if (status == GJK_OK) {
        pieces = gjk_pieces_new(arena, GJK_MESH, 3);
        status = pieces != NULL ? fill_mesh(pieces, mesh, welded, rounding) : GJK_OUT_OF_MEMORY;
    }
    gjk_arena_fini(&scratch);
    return status == GJK_OK ? gjk_pieces_finish(pieces, arena, out) : status;
}

/*
 * Height fields: samples on a grid, each cell two triangles. Only the heights are stored; triangles
 * are computed on demand. A cell with a hole at a corner has none. A base closes the field. Seen
 * from above, its sides are lines, so a vertical line through the solid crosses one triangle of the
 * field and one of the two at the bottom, independent of the corners of the sides.
 */

/* Checks a sample. */
static gjk_status check_height(const gjk_heightfield *field, uint32_t i, gjk_pieces_fault *fault) {
    const double height = field->heights[i];
    gjk_status status = isnan(height) ? GJK_OK : gjk_check_coordinate(height);
    const char *text = NULL;
    if (status == GJK_OK && field->has_base && !(height >= field->base)) {
        status = GJK_OUT_OF_RANGE;
        text = isnan(height) ? "must not be a hole: the field has a base"
                             : "must not be below the base";
    }
    if (status != GJK_OK) {
        *fault = (gjk_pieces_fault){.index = {i}, .depth = 1, .text = text};
    }
    return status;
}

static gjk_status check_heights(const gjk_heightfield *field, double rounding,
                                gjk_pieces_fault *fault) {
    *fault = (gjk_pieces_fault){.depth = 0};
    if (field->columns < 2 || field->rows < 2) {
        return GJK_TOO_FEW_POINTS;
    }
    if ((uint64_t)(field->columns - 1) * (field->rows - 1) > GJK_PIECES_MAX / 2) {
        return GJK_TOO_MANY_POINTS;
    }
    for (uint32_t i = 0; i < 2; i++) {
        double extent = field->spacing[i] * ((i == 0 ? field->columns : field->rows) - 1);
        gjk_status status = gjk_check_length(field->spacing[i]);
        status = status == GJK_OK ? gjk_check_length(extent) : status;
        if (status == GJK_OK && field->spacing[i] == 0.0) {
            status = GJK_OUT_OF_RANGE;
        }
        if (status != GJK_OK) {
            return status;
        }
    }
    gjk_status status = field->has_base ? gjk_check_coordinate(field->base) : GJK_OK;
    for (uint32_t i = 0; status == GJK_OK && i < field->columns * field->rows; i++) {
        status = check_height(field, i, fault);
    }
    return status == GJK_OK ? gjk_check_length(rounding) : status;
}

static gjk_status find_field_seeds(struct gjk_pieces *pieces) {
    const gjk_heightfield *field = &pieces->heightfield;
    const uint32_t count = field->columns * field->rows;
    for (uint32_t i = 0; i < count; i++) {
        if (isnan(field->heights[i])) {
            return gjk_pieces_find_seeds(pieces, NULL);
        }
    }
    const gjk_vec3 first = {0, 0, field->heights[0]}; /* without a hole all cells are connected */
    pieces->seeds = gjk_pieces_copy(pieces, &first, 1, sizeof first);
    pieces->seed_count = 1;
    return GJK_OK;
}

gjk_status gjk_shape_make_heightfield(struct gjk_arena *arena, const gjk_heightfield *field,
                                      double rounding, gjk_pieces_fault *fault, gjk_shape *out) {
    gjk_status status = check_heights(field, rounding, fault);
    if (status != GJK_OK) {
        return status;
    }
    struct gjk_pieces *pieces = gjk_pieces_new(arena, GJK_HEIGHTFIELD, 3);
    if (pieces == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    const uint32_t cells = (field->columns - 1) * (field->rows - 1);
    pieces->count = 2 * cells;
    pieces->rounding = rounding;
    pieces->one_sided = field->one_sided;
    pieces->closed = field->has_base;
    pieces->base_count = field->has_base ? 2 + 4 * (field->columns - 1 + field->rows - 1) : 0;
    pieces->heightfield = *field;
    pieces->heightfield.heights =
        gjk_pieces_copy(pieces, field->heights, (size_t)field->columns * field->rows,
                        sizeof(double));
    pieces->materials = gjk_pieces_copy(pieces, field->materials, cells, sizeof(uint32_t));
    pieces->heightfield.materials = pieces->materials;
    status = pieces->lacks_memory ? GJK_OUT_OF_MEMORY : find_field_seeds(pieces);
    return status == GJK_OK ? gjk_pieces_finish(pieces, arena, out) : status;
}

/* Chains: the segments between successive vertices, in 2D. */

static gjk_status check_chain(const gjk_vec2 *vertices, uint32_t count, bool closed,
                              gjk_pieces_fault *fault) {
    *fault = (gjk_pieces_fault){.depth = 0};
    if (count < 2) {
        return GJK_TOO_FEW_POINTS;
    }
    if (count - !closed > GJK_PIECES_MAX) {
        return GJK_TOO_MANY_POINTS;
    }
    return check_places(&vertices[0].x, count, 2, fault);
}

gjk_status gjk_shape_make_chain(struct gjk_arena *arena, const gjk_vec2 *vertices, uint32_t count,
                                bool closed, double rounding, gjk_pieces_fault *fault,
                                gjk_shape *out) {
    gjk_status status = check_chain(vertices, count, closed, fault);
    status = status == GJK_OK ? gjk_check_length(rounding) : status;
    if (status != GJK_OK) {
        return status;
    }
    struct gjk_pieces *pieces = gjk_pieces_new(arena, GJK_CHAIN, 2);
    if (pieces == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    pieces->count = closed ? count : count - 1;
    pieces->rounding = rounding;
    pieces->closed = closed;
    pieces->chain.count = count;
    pieces->chain.vertices = gjk_pieces_copy(pieces, vertices, count, sizeof *vertices);
    return gjk_pieces_finish(pieces, arena, out);
}

/* Compounds: convex shapes at poses of their own within the whole. */

/* Copies a convex shape with its columns into the pieces' memory. Returns NULL if memory is
 * exhausted. */
static const gjk_shape *copy_shape(struct gjk_pieces *pieces, const gjk_shape *shape) {
    gjk_shape *copy = gjk_pieces_copy(pieces, shape, 1, sizeof *shape);
    if (copy != NULL && shape->count > 0) {
        copy->columns =
            gjk_pieces_copy(pieces, shape->columns, (size_t)shape->column_count * shape->stride,
                            sizeof *shape->columns);
    }
    return copy != NULL && (copy->count == 0 || copy->columns != NULL) ? copy : NULL;
}

static gjk_status copy_parts(struct gjk_pieces *pieces, const gjk_placed *parts, uint32_t count) {
    gjk_placed *copies = gjk_arena_alloc_array(&pieces->memory, count, sizeof *copies);
    if (copies == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        GJK_ASSERT(parts[i].shape->pieces == NULL);
        GJK_ASSERT(parts[i].shape->dimension == pieces->dimension);
        copies[i] = (gjk_placed){copy_shape(pieces, parts[i].shape), parts[i].pose};
        if (copies[i].shape == NULL) {
            return GJK_OUT_OF_MEMORY;
        }
    }
    pieces->count = count;
    pieces->compound.parts = copies;
    return GJK_OK;
}

gjk_status gjk_shape_make_compound(struct gjk_arena *arena, uint32_t dimension,
                                   const gjk_placed *parts, uint32_t count, gjk_shape *out) {
    GJK_ASSERT(dimension == 2 || dimension == 3);
    if (count == 0 || count > GJK_PARTS_MAX) {
        return count == 0 ? GJK_TOO_FEW_POINTS : GJK_TOO_MANY_POINTS;
    }
    struct gjk_pieces *pieces = gjk_pieces_new(arena, GJK_COMPOUND, dimension);
    if (pieces == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    gjk_status status = copy_parts(pieces, parts, count);
    return status == GJK_OK ? gjk_pieces_finish(pieces, arena, out) : status;
}

/* Points: balls in the whole's frame. */

static gjk_status check_points(uint32_t dimension, const gjk_points *points, double rounding,
                               gjk_pieces_fault *fault) {
    if (points->count == 0 || points->count > GJK_PIECES_MAX) {
        return points->count == 0 ? GJK_TOO_FEW_POINTS : GJK_TOO_MANY_POINTS;
    }
    const double *numbers = dimension == 2 ? &points->in_2d[0].x : &points->in_3d[0].x;
    gjk_status status = check_places(numbers, points->count, dimension, fault);
    for (uint32_t i = 0; status == GJK_OK && i < points->count; i++) {
        const double radius = points->radii != NULL ? points->radii[i] : points->radius;
        status = gjk_check_length(radius);
        status = status == GJK_OK ? gjk_check_length(radius + rounding) : status;
        if (status != GJK_OK) {
            return fail_at(fault, status, i, 0, 1);
        }
    }
    return status == GJK_OK ? gjk_check_length(rounding) : status;
}

gjk_status gjk_shape_make_points(struct gjk_arena *arena, uint32_t dimension,
                                 const gjk_points *points, double rounding, gjk_pieces_fault *fault,
                                 gjk_shape *out) {
    *fault = (gjk_pieces_fault){.depth = 0};
    gjk_status status = check_points(dimension, points, rounding, fault);
    if (status != GJK_OK) {
        return status;
    }
    struct gjk_pieces *pieces = gjk_pieces_new(arena, GJK_POINTS, dimension);
    if (pieces == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    const uint32_t count = points->count;
    gjk_points *own = &pieces->points;
    pieces->count = count;
    pieces->rounding = rounding;
    *own = *points;
    if (dimension == 2) {
        own->in_2d = gjk_pieces_copy(pieces, points->in_2d, count, sizeof *own->in_2d);
    } else {
        own->in_3d = gjk_pieces_copy(pieces, points->in_3d, count, sizeof *own->in_3d);
        pieces->seeds = own->in_3d;
        pieces->seed_count = count;
    }
    own->radii = gjk_pieces_copy(pieces, points->radii, count, sizeof *own->radii);
    return gjk_pieces_finish(pieces, arena, out);
}
