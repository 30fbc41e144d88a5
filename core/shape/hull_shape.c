/*
 * Which shape do many points make? The corners of their convex hull, found exactly.
 * Everything else lives in a scratch arena of its own, a bounded number of bytes for
 * each of at most GJK_POINTS_MAX points.
 */

#include "base/finite.h"
#include "shape/cloud.h"
#include "shape/hull2.h"
#include "shape/hull3.h"

/* Copies the corners of a hull from all its points. */
static gjk_vec3 *gather(struct gjk_arena *scratch, const gjk_vec3 *points, const uint32_t *corners,
                        uint32_t count) {
    gjk_vec3 *gathered = gjk_arena_alloc_array(scratch, count, sizeof *gathered);
    for (uint32_t i = 0; gathered != NULL && i < count; i++) {
        gathered[i] = points[corners[i]];
    }
    return gathered;
}

static gjk_status find_corners(struct gjk_arena *scratch, uint32_t dimension,
                               const gjk_vec3 *points, uint32_t count, gjk_hull3 *out) {
    if (dimension == 3) {
        return gjk_hull3_make(scratch, points, count, out);
    }
    gjk_vec2 *flat = gjk_arena_alloc_array(scratch, count, sizeof *flat);
    gjk_hull2 hull = {NULL, 0};
    if (flat == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        flat[i] = gjk_xy(points[i]);
    }
    gjk_status status = gjk_hull2_make(scratch, flat, count, &hull);
    *out = (gjk_hull3){.corners = hull.corners, .count = hull.count};
    return status;
}

gjk_status gjk_shape_make_hull(struct gjk_arena *arena, uint32_t dimension, const gjk_vec3 *points,
                               uint32_t count, double rounding, gjk_shape *out) {
    if (count < 1) {
        return GJK_TOO_FEW_POINTS;
    }
    if (count > GJK_POINTS_MAX) {
        return GJK_TOO_MANY_POINTS;
    }
    gjk_status status = gjk_cloud_check(dimension, points, count);
    if (status == GJK_OK) {
        status = gjk_check_length(rounding);
    }
    if (status != GJK_OK) {
        return status;
    }

    struct gjk_arena scratch;
    gjk_hull3 hull = {.count = 0};
    gjk_arena_init(&scratch, 0);
    status = find_corners(&scratch, dimension, points, count, &hull);
    if (status == GJK_OK) {
        gjk_vec3 *corners = gather(&scratch, points, hull.corners, hull.count);
        gjk_shape head = {.type = GJK_HULL,
                          .dimension = dimension,
                          .count = hull.count,
                          .radius = rounding};
        status = corners == NULL ? GJK_OUT_OF_MEMORY : gjk_cloud_finish(arena, &head, corners, out);
    }
    gjk_arena_fini(&scratch);
    return status;
}
