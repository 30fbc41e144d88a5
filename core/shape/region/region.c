/*
 * Regions: polygons with holes, in 2D. Rings (region/rings) are judged and cut into triangles by
 * one sweep (region/sweep), and these are joined into convex polygons (region/merge), which become
 * the pieces. Corners of pieces are vertices of the rings, so that the pieces are the region
 * exactly.
 */

#include "base/finite.h"
#include "shape/pieces.h"
#include "shape/region/merge.h"

/* Keeps what was given, for those who write it down again. */
static gjk_status copy_rings(struct gjk_pieces *pieces, const gjk_region *region,
                             const gjk_rings *rings) {
    gjk_region *copy = &pieces->region.rings;
    copy->polygon_count = region->polygon_count;
    copy->vertices =
        gjk_pieces_copy(pieces, region->vertices, rings->vertex_count, sizeof(gjk_vec2));
    copy->ring_sizes =
        gjk_pieces_copy(pieces, region->ring_sizes, rings->ring_count, sizeof(uint32_t));
    copy->polygon_sizes =
        gjk_pieces_copy(pieces, region->polygon_sizes, region->polygon_count, sizeof(uint32_t));
    const bool copied =
        copy->vertices != NULL && copy->ring_sizes != NULL && copy->polygon_sizes != NULL;
    return copied ? GJK_OK : GJK_OUT_OF_MEMORY;
}

static gjk_status copy_outlines(struct gjk_pieces *pieces, const gjk_vec2 *points,
                                const gjk_outlines *outlines) {
    const uint32_t corner_count = outlines->starts[outlines->count];
    gjk_vec2 *corners = gjk_arena_alloc_array(&pieces->memory, corner_count, sizeof *corners);
    pieces->region.outline_starts =
        gjk_pieces_copy(pieces, outlines->starts, (size_t)outlines->count + 1,
                        sizeof *outlines->starts);
    pieces->region.outlines = corners;
    if (corners == NULL || pieces->region.outline_starts == NULL) {
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

/* The outlines of the pieces, in memory of the scratch arena. */
static gjk_status cut(struct gjk_arena *scratch, const gjk_region *region, gjk_pieces_fault *fault,
                      gjk_rings *rings, gjk_outlines *out) {
    gjk_region_triangles triangles;
    uint32_t vertex = 0;
    gjk_status status = gjk_rings_make(scratch, region, fault, rings);
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
        status = copy_rings(pieces, region, &rings);
    }
    if (status == GJK_OK) {
        status = copy_outlines(pieces, rings.points, &outlines);
    }
    gjk_arena_fini(&scratch);
    if (status == GJK_OK) {
        status = make_polygons(pieces);
    }
    return status == GJK_OK ? gjk_pieces_finish(pieces, arena, out) : status;
}
