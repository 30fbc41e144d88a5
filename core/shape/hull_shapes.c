/*
 * Constructors of hulls and polygons. Both become the exact convex hull of their points: strictly
 * convex, in 2D counter-clockwise, with nothing given left outside. The vertices of a polygon must
 * also be the outline of a convex one, within GJK_OUTLINE_SLACK. What is needed on the way stands
 * in a scratch arena: a bounded number of bytes for each of at most GJK_POINTS_MAX points.
 */

#include "base/finite.h"
#include "shape/cloud.h"
#include "shape/hull.h"

static gjk_status check_count(uint32_t count, uint32_t least) {
    return count < least            ? GJK_TOO_FEW_POINTS
           : count > GJK_POINTS_MAX ? GJK_TOO_MANY_POINTS
                                    : GJK_OK;
}

/* Makes the shape around the points that are corners of their hull. head lacks the count. */
static gjk_status finish(struct gjk_arena *arena, struct gjk_arena *scratch, gjk_shape head,
                         const gjk_vec3 *points, const uint32_t *corners, uint32_t count,
                         gjk_shape *out) {
    gjk_vec3 *gathered = gjk_arena_alloc_array(scratch, count, sizeof *gathered);
    if (gathered == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        gathered[i] = points[corners[i]];
    }
    head.count = count;
    return gjk_cloud_finish(arena, &head, gathered, out);
}

static gjk_status make_hull2(struct gjk_arena *arena, struct gjk_arena *scratch,
                             const gjk_shape *head, const gjk_vec3 *points, uint32_t count,
                             gjk_shape *out) {
    gjk_hull2 hull;
    gjk_vec2 *flat = gjk_arena_alloc_array(scratch, count, sizeof *flat);
    if (flat == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        flat[i] = gjk_xy(points[i]);
    }
    gjk_status status = gjk_hull2_make(scratch, flat, count, &hull);
    return status == GJK_OK ? finish(arena, scratch, *head, points, hull.corners, hull.count, out)
                            : status;
}

static gjk_status make_hull3(struct gjk_arena *arena, struct gjk_arena *scratch,
                             const gjk_shape *head, const gjk_vec3 *points, uint32_t count,
                             gjk_shape *out) {
    gjk_hull3 hull;
    gjk_status status = gjk_hull3_make(scratch, points, count, &hull);
    return status == GJK_OK ? finish(arena, scratch, *head, points, hull.corners, hull.count, out)
                            : status;
}

gjk_status gjk_shape_make_hull(struct gjk_arena *arena, uint32_t dimension, const gjk_vec3 *points,
                               uint32_t count, double rounding, gjk_shape *out) {
    const gjk_shape head = {.type = GJK_HULL, .dimension = dimension, .radius = rounding};
    struct gjk_arena scratch;
    gjk_status status = check_count(count, 1);
    if (status == GJK_OK) {
        status = gjk_cloud_check(dimension, points, count);
    }
    if (status == GJK_OK) {
        status = gjk_check_length(rounding);
    }
    if (status != GJK_OK) {
        return status;
    }
    gjk_arena_init_beside(&scratch, arena);
    status = dimension == 2 ? make_hull2(arena, &scratch, &head, points, count, out)
                            : make_hull3(arena, &scratch, &head, points, count, out);
    gjk_arena_fini(&scratch);
    return status;
}

static gjk_status make_polygon(struct gjk_arena *arena, struct gjk_arena *scratch,
                               const gjk_vec2 *vertices, uint32_t count, double rounding,
                               uint32_t *bad_vertex, gjk_shape *out) {
    const gjk_shape head = {.type = GJK_POLYGON, .dimension = 2, .radius = rounding};
    gjk_hull2 hull;
    gjk_vec3 *points = gjk_arena_alloc_array(scratch, count, sizeof *points);
    if (points == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        points[i] = gjk_xy0(vertices[i]);
    }
    gjk_status status = gjk_cloud_check(2, points, count);
    if (status == GJK_OK) {
        status = gjk_check_length(rounding);
    }
    if (status == GJK_OK) {
        status = gjk_hull2_make(scratch, vertices, count, &hull);
    }
    if (status == GJK_OK) {
        status = gjk_outline_check(scratch, vertices, count, &hull, bad_vertex);
    }
    return status == GJK_OK ? finish(arena, scratch, head, points, hull.corners, hull.count, out)
                            : status;
}

gjk_status gjk_shape_make_polygon(struct gjk_arena *arena, const gjk_vec2 *vertices, uint32_t count,
                                  double rounding, uint32_t *bad_vertex, gjk_shape *out) {
    struct gjk_arena scratch;
    gjk_status status = check_count(count, 3);
    if (status != GJK_OK) {
        return status;
    }
    gjk_arena_init_beside(&scratch, arena);
    status = make_polygon(arena, &scratch, vertices, count, rounding, bad_vertex, out);
    gjk_arena_fini(&scratch);
    return status;
}
