/*
 * Convex hull of points in space: finds a tetrahedron with volume (two distant points, one far off
 * their line, one far off their plane) and grows it by quickhull (quickhull3.c). If exact signs
 * show that there is none, the hull is a point, a segment or a polygon (hull2.c). Rounded distances
 * only choose among points that exact signs allow.
 */

#include "shape/convex/hull.h"

#include <string.h>

static double component(gjk_vec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/* Copies the points, scaled so that the largest magnitude is in [0.5, 1). */
static void scale_points(const gjk_vec3 *points, uint32_t count, gjk_vec3 *scaled) {
    double largest = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            largest = fmax(largest, fabs(component(points[i], axis)));
        }
    }
    int exponent;
    frexp(largest, &exponent);
    for (uint32_t i = 0; i < count; i++) {
        gjk_vec3 p = points[i];
        scaled[i] = (gjk_vec3){ldexp(p.x, -exponent), ldexp(p.y, -exponent), ldexp(p.z, -exponent)};
    }
}

/* Finds two points at the ends of the axis along which the points spread most. */
static void find_ends(const gjk_cloud3 *c, uint32_t ends[2]) {
    double widest = -1;
    for (int axis = 0; axis < 3; axis++) {
        uint32_t low = 0, high = 0;
        for (uint32_t i = 1; i < c->count; i++) {
            double x = component(c->points[i], axis);
            low = x < component(c->points[low], axis) ? i : low;
            high = x > component(c->points[high], axis) ? i : high;
        }
        /* Rounding is monotone, so a width of 0 means that the coordinates are equal. */
        double width = component(c->points[high], axis) - component(c->points[low], axis);
        if (width > widest) {
            widest = width;
            ends[0] = low;
            ends[1] = high;
        }
    }
}

/* Returns a point far off the line through two points, or GJK_NO_POINT if all are on it. */
static uint32_t find_off_line(const gjk_cloud3 *c, const uint32_t ends[2]) {
    const gjk_vec3 *s = c->scaled, *p = c->points;
    gjk_vec3 along = gjk_sub3(s[ends[1]], s[ends[0]]);
    uint32_t best = GJK_NO_POINT;
    double farthest = -1;
    for (uint32_t i = 0; i < c->count; i++) {
        gjk_vec3 area = gjk_cross3(along, gjk_sub3(s[i], s[ends[0]]));
        double distance = gjk_dot3(area, area);
        if (distance > farthest && !gjk_collinear3(p[ends[0]], p[ends[1]], p[i])) {
            best = i;
            farthest = distance;
        }
    }
    return best;
}

/* Returns a point far off the plane through three points, or GJK_NO_POINT if all are on it. */
static uint32_t find_off_plane(const gjk_cloud3 *c, const uint32_t triangle[3]) {
    uint32_t best = GJK_NO_POINT;
    double farthest = -1;
    for (uint32_t i = 0; i < c->count; i++) {
        double measure;
        if (gjk_cloud3_side(c, triangle, i, &measure) != 0 && fabs(measure) > farthest) {
            best = i;
            farthest = fabs(measure);
        }
    }
    return best;
}

/* Fills out->corners with the marked indices, ascending. */
static gjk_status list_corners(struct gjk_arena *arena, const uint8_t *marks, uint32_t count,
                               gjk_hull3 *out) {
    out->corners = gjk_arena_alloc_array(arena, count, sizeof *out->corners);
    if (out->corners == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    out->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (marks[i] != 0) {
            out->corners[out->count++] = i;
        }
    }
    return GJK_OK;
}

/* Marks the hull of points in the plane of a triangle, projected along an axis along which the
 * triangle has area. */
static gjk_status mark_flat(const gjk_cloud3 *c, struct gjk_arena *arena, const uint32_t t[3],
                            uint8_t *marks) {
    const gjk_vec3 *p = c->points;
    gjk_hull2 hull;
    int axis = 0;
    while (axis < 2 &&
           gjk_orient2_sign(gjk_seen_along(p[t[0]], axis), gjk_seen_along(p[t[1]], axis),
                            gjk_seen_along(p[t[2]], axis)) == 0) {
        axis++;
    }
    gjk_status status = gjk_hull2_make(arena, p, c->count, axis, &hull);
    for (uint32_t i = 0; status == GJK_OK && i < hull.count; i++) {
        marks[hull.corners[i]] = 1;
    }
    return status;
}

/* Marks the corners and sets the rank. */
static gjk_status mark_corners(const gjk_cloud3 *c, struct gjk_arena *arena, uint8_t *marks,
                               gjk_hull3 *out) {
    uint32_t t[4] = {0};

    find_ends(c, t);
    const gjk_vec3 p = c->points[t[0]], q = c->points[t[1]];
    marks[t[0]] = 1;
    if (p.x == q.x && p.y == q.y && p.z == q.z) {
        out->rank = 0;
        return GJK_OK;
    }
    marks[t[1]] = 1;
    t[2] = find_off_line(c, t);
    if (t[2] == GJK_NO_POINT) {
        out->rank = 1;
        return GJK_OK;
    }
    marks[t[0]] = marks[t[1]] = 0;
    t[3] = find_off_plane(c, t);
    if (t[3] == GJK_NO_POINT) {
        out->rank = 2;
        return mark_flat(c, arena, t, marks);
    }
    double measure;
    if (gjk_cloud3_side(c, t, t[3], &measure) > 0) {
        uint32_t swap = t[1];
        t[1] = t[2];
        t[2] = swap;
    }
    out->rank = 3;
    return gjk_quickhull3(arena, c, t, GJK_QUICKHULL3_LOOKS, marks, out);
}

gjk_status gjk_hull3_make(struct gjk_arena *arena, const gjk_vec3 *points, uint32_t count,
                          gjk_hull3 *out) {
    GJK_ASSERT(count >= 1 && count <= UINT32_MAX / 2);
    gjk_vec3 *scaled = gjk_arena_alloc_array(arena, count, sizeof *scaled);
    uint8_t *marks = gjk_arena_alloc_array(arena, count, sizeof *marks);
    if (scaled == NULL || marks == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    scale_points(points, count, scaled);
    memset(marks, 0, count);

    gjk_hull3 hull = {.count = 0};
    gjk_cloud3 cloud = {points, scaled, count};
    gjk_status status = mark_corners(&cloud, arena, marks, &hull);
    if (status == GJK_OK) {
        status = list_corners(arena, marks, count, &hull);
    }
    if (status == GJK_OK) {
        *out = hull;
    }
    return status;
}
