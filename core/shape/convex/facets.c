/*
 * Facets of clouds: edges of the hull in 2D, triangles of the hull in 3D. A flat cloud in 3D is a
 * polygon between two parallel planes; a line or a point is bounded by pairs of parallel planes.
 */

#include <math.h>

#include "shape/convex/hull.h"
#include "shape/convex/support.h"

/* Adds the half space with outward normal v that just contains the cloud; nothing if v is zero. */
static void add_facet(const gjk_shape *shape, gjk_vec3 v, gjk_facets *out) {
    const double most = gjk_largest3(v);
    if (!(most > 0.0)) {
        return;
    }
    const gjk_vec3 scaled = {v.x / most, v.y / most, v.z / most};
    const double length = gjk_length3(scaled);
    const gjk_vec3 normal = {scaled.x / length, scaled.y / length, scaled.z / length};
    const gjk_vec3 farthest = gjk_add3(gjk_support_of(shape, normal), shape->offset);
    out->items[out->count++] = (gjk_facet){normal, gjk_dot3(normal, farthest)};
}

static void add_slab(const gjk_shape *shape, gjk_vec3 v, gjk_facets *out) {
    add_facet(shape, v, out);
    add_facet(shape, gjk_neg3(v), out);
}

/* Adds the facets of a shape that is, at least nearly, a line: at its ends and along it, in 2D and
 * 3D. */
static void add_line(const gjk_shape *shape, gjk_vec3 along, gjk_facets *out) {
    add_slab(shape, along, out);
    if (shape->dimension == 2) {
        add_slab(shape, (gjk_vec3){-along.y, along.x, 0.0}, out);
        return;
    }
    const bool is_upright = fabs(along.z) > 0.5 * gjk_largest3(along);
    const gjk_vec3 other = is_upright ? (gjk_vec3){1, 0, 0} : (gjk_vec3){0, 0, 1};
    const gjk_vec3 across = gjk_cross3(along, other);
    add_slab(shape, across, out);
    add_slab(shape, gjk_cross3(along, across), out);
}

/* Adds the edges of a polygon whose corners are counter-clockwise about the normal. */
static void add_edges(const gjk_shape *shape, const gjk_vec3 *points, const gjk_hull2 *hull,
                      gjk_vec3 normal, gjk_facets *out) {
    for (uint32_t i = 0; i < hull->count; i++) {
        const gjk_vec3 from = points[hull->corners[i]];
        const gjk_vec3 to = points[hull->corners[(i + 1) % hull->count]];
        add_facet(shape, gjk_cross3(gjk_sub3(to, from), normal), out);
    }
}

static gjk_vec3 farthest_from(const gjk_vec3 *points, uint32_t count, gjk_vec3 from) {
    gjk_vec3 farthest = from;
    double most = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        const gjk_vec3 off = gjk_sub3(points[i], from);
        if (gjk_dot3(off, off) > most) {
            most = gjk_dot3(off, off);
            farthest = points[i];
        }
    }
    return farthest;
}

/* Returns the normal of the largest triangle that the line from a to b forms with a point. */
static gjk_vec3 plane_normal(const gjk_vec3 *points, uint32_t count, gjk_vec3 a, gjk_vec3 b) {
    gjk_vec3 normal = {0, 0, 0};
    for (uint32_t i = 0; i < count; i++) {
        const gjk_vec3 n = gjk_cross3(gjk_sub3(b, a), gjk_sub3(points[i], a));
        if (gjk_dot3(n, n) > gjk_dot3(normal, normal)) {
            normal = n;
        }
    }
    return normal;
}

/* Adds the facets of coplanar points in 3D, projected along the axis closest to the plane's
 * normal. */
static gjk_status add_flat(struct gjk_arena *arena, const gjk_shape *shape, const gjk_vec3 *points,
                           gjk_facets *out) {
    const uint32_t count = shape->count;
    const gjk_vec3 a = farthest_from(points, count, points[0]);
    const gjk_vec3 b = farthest_from(points, count, a);
    gjk_vec3 normal = plane_normal(points, count, a, b);
    gjk_hull2 hull = {NULL, 0};
    const double x = fabs(normal.x), y = fabs(normal.y), z = fabs(normal.z);
    const int axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    const double seen = axis == 0 ? normal.x : axis == 1 ? normal.y : normal.z;
    gjk_status status = gjk_hull2_make(arena, points, count, axis, &hull);
    if (status != GJK_OK) {
        return status;
    }
    if (hull.count < 3) {
        add_line(shape, gjk_sub3(b, a), out);
        return GJK_OK;
    }
    add_slab(shape, normal, out);
    add_edges(shape, points, &hull, seen > 0.0 ? normal : gjk_neg3(normal), out);
    return GJK_OK;
}

static gjk_status add_hull3(struct gjk_arena *arena, const gjk_shape *shape, const gjk_vec3 *points,
                            gjk_facets *out) {
    gjk_hull3 hull;
    gjk_status status = gjk_hull3_make(arena, points, shape->count, &hull);
    if (status != GJK_OK) {
        return status;
    }
    if (hull.rank < 3) {
        return add_flat(arena, shape, points, out);
    }
    for (uint32_t i = 0; i < hull.triangle_count; i++) {
        const uint32_t *corner = hull.triangles[i];
        const gjk_vec3 a = points[corner[0]];
        add_facet(shape, gjk_cross3(gjk_sub3(points[corner[1]], a), gjk_sub3(points[corner[2]], a)),
                  out);
    }
    return GJK_OK;
}

static gjk_status add_hull2(struct gjk_arena *arena, const gjk_shape *shape, const gjk_vec3 *points,
                            gjk_facets *out) {
    gjk_hull2 hull;
    gjk_status status = gjk_hull2_make(arena, points, shape->count, 2, &hull);
    if (status != GJK_OK) {
        return status;
    }
    if (hull.count < 3) {
        add_line(shape, gjk_sub3(points[hull.corners[hull.count - 1]], points[hull.corners[0]]),
                 out);
    } else {
        add_edges(shape, points, &hull, (gjk_vec3){0, 0, 1}, out);
    }
    return GJK_OK;
}

gjk_status gjk_facets_make(struct gjk_arena *arena, const gjk_shape *shape, gjk_facets *out) {
    GJK_ASSERT(shape->count > 0);
    gjk_vec3 *points = gjk_arena_alloc_array(arena, shape->count, sizeof *points);
    out->count = 0;
    out->items = gjk_arena_alloc_array(arena, 2 * shape->count + 8, sizeof *out->items);
    if (points == NULL || out->items == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    int exponent;
    (void)frexp(shape->size, &exponent);
    for (uint32_t i = 0; i < shape->count; i++) { /* exact; no product of differences underflows */
        const gjk_vec3 p = gjk_shape_point(shape, i);
        points[i] = (gjk_vec3){ldexp(p.x, -exponent), ldexp(p.y, -exponent), ldexp(p.z, -exponent)};
    }
    gjk_status status = GJK_OK;
    if (shape->type != GJK_BOX && shape->count > 1) {
        status = shape->dimension == 2 ? add_hull2(arena, shape, points, out)
                                       : add_hull3(arena, shape, points, out);
    }
    if (status == GJK_OK && out->count == 0) { /* a box, or a single point */
        add_slab(shape, (gjk_vec3){1, 0, 0}, out);
        add_slab(shape, (gjk_vec3){0, 1, 0}, out);
        if (shape->dimension == 3) {
            add_slab(shape, (gjk_vec3){0, 0, 1}, out);
        }
    }
    return status;
}
