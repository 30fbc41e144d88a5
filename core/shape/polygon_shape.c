/*
 * Which shape does a list of vertices make? Where they are the outline of a convex
 * polygon, within the slack that outline.h grants, the exact hull of the vertices:
 * strictly convex, counter-clockwise, and nothing given is left outside.
 */

#include "base/finite.h"
#include "shape/cloud.h"
#include "shape/outline.h"

static gjk_status check_vertices(const gjk_vec2 *vertices, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const gjk_vec3 vertex = gjk_xy0(vertices[i]);
        gjk_status status = gjk_cloud_check(2, &vertex, 1);
        if (status != GJK_OK) {
            return status;
        }
    }
    return GJK_OK;
}

/* The corners of the polygon, in memory of the scratch arena. */
static gjk_status find_corners(struct gjk_arena *scratch, const gjk_vec2 *vertices, uint32_t count,
                               uint32_t *bad_vertex, gjk_hull2 *hull, gjk_vec3 **corners) {
    gjk_status status = gjk_hull2_make(scratch, vertices, count, hull);
    if (status == GJK_OK) {
        status = gjk_outline_check(scratch, vertices, count, hull, bad_vertex);
    }
    if (status != GJK_OK) {
        return status;
    }
    gjk_vec3 *list = gjk_arena_alloc_array(scratch, hull->count, sizeof *list);
    if (list == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < hull->count; i++) {
        list[i] = gjk_xy0(vertices[hull->corners[i]]);
    }
    *corners = list;
    return GJK_OK;
}

gjk_status gjk_shape_make_polygon(struct gjk_arena *arena, const gjk_vec2 *vertices, uint32_t count,
                                  double rounding, uint32_t *bad_vertex, gjk_shape *out) {
    if (count < 3) {
        return GJK_TOO_FEW_POINTS;
    }
    if (count > GJK_POINTS_MAX) {
        return GJK_TOO_MANY_POINTS;
    }
    gjk_status status = check_vertices(vertices, count);
    if (status == GJK_OK) {
        status = gjk_check_length(rounding);
    }
    if (status != GJK_OK) {
        return status;
    }

    struct gjk_arena scratch;
    gjk_hull2 hull = {NULL, 0};
    gjk_vec3 *corners = NULL;
    gjk_arena_init(&scratch, 0);
    status = find_corners(&scratch, vertices, count, bad_vertex, &hull, &corners);
    if (status == GJK_OK) {
        gjk_shape head = {.type = GJK_POLYGON,
                          .dimension = 2,
                          .count = hull.count,
                          .radius = rounding};
        status = gjk_cloud_finish(arena, &head, corners, out);
    }
    gjk_arena_fini(&scratch);
    return status;
}
