/*
 * Triangle meshes. A closed one is checked edge by edge: directed edges are gathered at their
 * smaller vertex (counting sort), where each pair of equal neighbours must run once forwards and once
 * backwards.
 */

#include "shape/pieces.h"

#include "base/finite.h"
#include "gjk/budget.h"
#include "gjk/sort.h"

#include <string.h>

static gjk_status fail_at(gjk_pieces_fault *fault, gjk_status status, uint32_t first,
                          uint32_t second, uint32_t depth) {
    *fault = (gjk_pieces_fault){.index = {first, second}, .depth = depth};
    return status;
}

static gjk_status check_numbers(const gjk_mesh *mesh, double rounding, gjk_pieces_fault *fault) {
    if (mesh->vertex_count < 1 || mesh->triangle_count < 1) {
        return fail_at(fault, GJK_TOO_FEW_POINTS, 0, 0, 0);
    }
    if (mesh->triangle_count > GJK_PIECES_MAX) {
        return fail_at(fault, GJK_TOO_MANY_POINTS, 0, 0, 0);
    }
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        const double numbers[3] = {mesh->vertices[i].x, mesh->vertices[i].y, mesh->vertices[i].z};
        for (uint32_t axis = 0; axis < 3; axis++) {
            gjk_status status = gjk_check_coordinate(numbers[axis]);
            if (status != GJK_OK) {
                return fail_at(fault, status, i, axis, 2);
            }
        }
    }
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        for (uint32_t corner = 0; corner < 3; corner++) {
            if (mesh->triangles[i][corner] >= mesh->vertex_count) {
                return fail_at(fault, GJK_BAD_INDEX, i, corner, 2);
            }
        }
    }
    return gjk_check_length(rounding);
}

/* --- Closed meshes --- */

/* A directed edge, kept at its smaller vertex. */
typedef struct half_edge {
    uint32_t other;    /* the larger vertex */
    uint32_t triangle; /* twice, plus 1 where it runs from the larger to the smaller one */
} half_edge;

static int by_other(const void *p, const void *q) {
    const half_edge *a = p, *b = q;
    if (a->other != b->other) {
        return a->other < b->other ? -1 : 1;
    }
    return a->triangle < b->triangle ? -1 : a->triangle > b->triangle;
}

/* Calls back for each directed edge, at its smaller vertex. */
typedef void (*edge_visitor)(uint32_t small, half_edge edge, uint32_t *ends, half_edge *edges);

static void visit_edges(const gjk_mesh *mesh, edge_visitor visit, uint32_t *ends,
                        half_edge *edges) {
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        for (uint32_t corner = 0; corner < 3; corner++) {
            const uint32_t from = mesh->triangles[i][corner];
            const uint32_t to = mesh->triangles[i][corner == 2 ? 0 : corner + 1];
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

/* ends[v] becomes the end of the edges gathered at vertex v; those at v begin where v - 1's end. */
static void gather_edges(const gjk_mesh *mesh, uint32_t *ends, half_edge *edges) {
    memset(ends, 0, ((size_t)mesh->vertex_count + 1) * sizeof *ends);
    visit_edges(mesh, count_edge, ends, edges);
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        ends[v + 1] += ends[v];
    }
    visit_edges(mesh, put_edge, ends, edges);
}

/* The edges at one vertex, sorted by their other end. In a closed mesh each edge belongs to exactly two
 * triangles, which pass it in opposite directions. Returns the least triangle with an edge that does
 * not, or UINT32_MAX. */
static uint32_t find_open_edge(const half_edge *edges, uint32_t count) {
    uint32_t worst = UINT32_MAX;
    for (uint32_t i = 0; i < count;) {
        uint32_t end = i + 1;
        while (end < count && edges[end].other == edges[i].other) {
            end++;
        }
        bool paired = end - i == 2 && edges[i].triangle % 2 != edges[i + 1].triangle % 2 &&
                      edges[i].triangle / 2 != edges[i + 1].triangle / 2;
        if (!paired && edges[i].triangle / 2 < worst) {
            worst = edges[i].triangle / 2;
        }
        i = end;
    }
    return worst;
}

static gjk_status check_closed(struct gjk_arena *scratch, const gjk_mesh *mesh,
                               gjk_pieces_fault *fault) {
    const size_t count = 3 * (size_t)mesh->triangle_count;
    half_edge *edges = gjk_arena_alloc_array(scratch, count, sizeof *edges);
    uint32_t *ends = gjk_arena_alloc_array(scratch, (size_t)mesh->vertex_count + 1, sizeof *ends);
    if (edges == NULL || ends == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    uint32_t worst = UINT32_MAX, begin = 0;
    gjk_budget *budget = scratch->budget;
    gjk_status status = GJK_OK;
    gather_edges(mesh, ends, edges);
    for (uint32_t v = 0; v < mesh->vertex_count && status == GJK_OK; v++) {
        const uint32_t at_v = ends[v] - begin;
        status = gjk_budget_spend(budget, 4 + at_v)
                     ? GJK_GIVEN_UP
                     : gjk_sort(scratch, edges + begin, at_v, sizeof *edges, by_other);
        if (status == GJK_OK) {
            uint32_t open = find_open_edge(edges + begin, at_v);
            worst = open < worst ? open : worst;
            begin = ends[v];
        }
    }
    return status == GJK_OK && worst != UINT32_MAX ? fail_at(fault, GJK_NOT_CLOSED, worst, 0, 1)
                                                   : status;
}

/* --- Components --- */

static bool vertices_of(const struct gjk_pieces *pieces, uint32_t piece, uint32_t indices[3]) {
    memcpy(indices, pieces->mesh.triangles[piece], 3 * sizeof indices[0]);
    return true;
}

static gjk_vec3 vertex_at(const struct gjk_pieces *pieces, uint32_t vertex) {
    return pieces->mesh.vertices[vertex];
}

/* --- The shape --- */

static gjk_status copy_arrays(struct gjk_pieces *pieces, const gjk_mesh *mesh) {
    const uint32_t vertices = mesh->vertex_count, triangles = mesh->triangle_count;
    pieces->mesh = *mesh;
    pieces->mesh.vertices = gjk_pieces_copy(pieces, mesh->vertices, vertices, sizeof(gjk_vec3));
    pieces->mesh.triangles =
        gjk_pieces_copy(pieces, mesh->triangles, triangles, sizeof mesh->triangles[0]);
    if (mesh->materials != NULL) {
        pieces->materials = gjk_pieces_copy(pieces, mesh->materials, triangles, sizeof(uint32_t));
    }
    pieces->mesh.materials = pieces->materials;
    bool copied = pieces->mesh.vertices != NULL && pieces->mesh.triangles != NULL &&
                  (mesh->materials == NULL || pieces->materials != NULL);
    return copied ? GJK_OK : GJK_OUT_OF_MEMORY;
}

gjk_status gjk_shape_make_mesh(struct gjk_arena *arena, const gjk_mesh *mesh, double rounding,
                               gjk_pieces_fault *fault, gjk_shape *out) {
    *fault = (gjk_pieces_fault){.depth = 0};
    gjk_status status = check_numbers(mesh, rounding, fault);
    if (status == GJK_OK && mesh->closed) {
        struct gjk_arena scratch;
        gjk_arena_init_beside(&scratch, arena);
        status = check_closed(&scratch, mesh, fault);
        gjk_arena_fini(&scratch);
    }
    if (status != GJK_OK) {
        return status;
    }
    struct gjk_pieces *pieces = gjk_pieces_new(arena, GJK_MESH, 3);
    if (pieces == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    pieces->count = mesh->triangle_count;
    pieces->rounding = rounding;
    pieces->closed = mesh->closed;
    pieces->one_sided = mesh->one_sided;
    status = copy_arrays(pieces, mesh);
    if (status == GJK_OK) {
        status = gjk_pieces_find_seeds(pieces, mesh->vertex_count, vertices_of, vertex_at);
    }
    return status == GJK_OK ? gjk_pieces_finish(pieces, arena, out) : status;
}
