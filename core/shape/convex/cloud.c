/*
 * Clouds of points, and the constructors of polygons and hulls.
 *
 * Makes a shape of a list of points: they are copied into padded columns, and what every query
 * needs is computed once: the bounding box and ball, and for polygons the normals of the edges,
 * which are the only candidates for the penetration axis of two polygons.
 */

#include "shape/convex/cloud.h"

#include "base/numbers.h"
#include "shape/convex/hull.h"

/* Margin of a ball's radius, larger than its rounding error. */
#define BALL_SLACK (1.0 + 0x1p-50)
#define BALL_LEAST 0x1p-1074
#define UNIT_EXPONENT_MIN (-1022) /* 1 / 2^exponent is finite for exponents from this on */

gjk_status gjk_cloud_check(uint32_t dimension, const gjk_vec3 *points, uint32_t count) {
    GJK_ASSERT(dimension == 2 || dimension == 3);
    gjk_status status = GJK_OK;
    size_t at;
    for (uint32_t i = 0; i < count && status == GJK_OK; i++) {
        status = gjk_check_coordinates(&points[i].x, dimension, &at);
    }
    return status;
}

void gjk_set_offset(gjk_shape *shape) {
    shape->offset = gjk_offset_of(shape->center, shape->size);
    shape->is_far = gjk_largest3(shape->offset) > 0.0;
}

/* Marks the shape if the kernels for two small flat shapes apply to it: its numbers, and so their
 * products, are of ordinary size, by a wide margin. */
static void set_flat(gjk_shape *shape) {
    const bool is_small = shape->dimension == 2 && shape->stride == GJK_LANES && !shape->is_far &&
                          shape->reach <= 0x1p90;
    shape->flat = GJK_FLAT_NOT;
    if (is_small && shape->count == 1) {
        shape->flat = GJK_FLAT_POINT;
    } else if (is_small && gjk_has_edges(shape) && shape->reach >= 0x1p-90) {
        shape->flat = GJK_FLAT_POLYGON;
    }
}

void gjk_shape_about_offset(const gjk_shape *shape, gjk_shape *out) {
    *out = *shape;
    out->center = gjk_sub3(shape->center, shape->offset);
    out->offset = (gjk_vec3){0, 0, 0};
    out->is_far = false;
    out->reach = gjk_largest3(out->center) + shape->size;
    set_flat(out);
}

/* Writes the columns, padded with the first point. Adding 0 turns -0 into 0. */
static void fill_columns(const gjk_shape *shape, const gjk_vec3 *points, double *columns) {
    double *x = columns, *y = x + shape->stride, *z = y + shape->stride;
    for (uint32_t i = 0; i < shape->stride; i++) {
        gjk_vec3 p = gjk_sub3(points[i < shape->count ? i : 0], shape->offset);
        x[i] = p.x + 0.0;
        y[i] = p.y + 0.0;
        if (shape->dimension == 3) {
            z[i] = p.z + 0.0;
        }
    }
}

/* Returns true if a cloud of these points gets edge columns: see gjk_has_edges. */
static bool edges_fit(uint32_t dimension, const gjk_vec3 *points, uint32_t count) {
    if (dimension != 2 || count < 2 || count > GJK_EDGES_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        gjk_vec2 edge = gjk_xy(gjk_sub3(points[i + 1 < count ? i + 1 : 0], points[i]));
        double most = fmax(fabs(edge.x), fabs(edge.y));
        if (most < 0x1p-400 || most > 0x1p400) {
            return false;
        }
    }
    return true;
}

void gjk_edges_fill(const gjk_shape *shape, double *columns) {
    const double *x = columns, *y = x + shape->stride;
    double *normal_x = columns + 2 * (size_t)shape->stride;
    double *normal_y = normal_x + shape->stride, *offset = normal_y + shape->stride;
    for (uint32_t i = 0; i < shape->stride; i++) {
        uint32_t from = i < shape->count ? i : 0, to = from + 1 < shape->count ? from + 1 : 0;
        gjk_vec2 outward = gjk_right2((gjk_vec2){x[to] - x[from], y[to] - y[from]});
        double length = gjk_length2(outward);
        normal_x[i] = outward.x / length;
        normal_y[i] = outward.y / length;
        offset[i] = normal_x[i] * x[from] + normal_y[i] * y[from];
    }
}

/* Computes center and half width of a range, such that together they reach both ends despite
 * rounding. */
static void measure_range(double low, double high, double *center, double *half) {
    *center = 0.5 * low + 0.5 * high + 0.0; /* not -0 */
    *half = gjk_larger(high - *center, *center - low);
}

/* Returns the radius of a ball around the center that contains the cloud. Lengths are scaled by a
 * power of two near the largest half extent `half`, so that squares stay in range. */
static double measure_ball(const gjk_shape *shape, const gjk_vec3 *points, double half) {
    int exponent;
    double largest = 0;

    if (half == 0) {
        return 0;
    }
    frexp(half, &exponent);
    exponent = exponent > UNIT_EXPONENT_MIN ? exponent : UNIT_EXPONENT_MIN;
    double scale = ldexp(1.0, -exponent);
    for (uint32_t i = 0; i < shape->count; i++) {
        gjk_vec3 p = gjk_scale3(scale, gjk_sub3(points[i], shape->center));
        p.z = shape->dimension == 3 ? p.z : 0.0;
        largest = gjk_larger(largest, gjk_dot3(p, p));
    }
    return ldexp(sqrt(largest), exponent) * BALL_SLACK + BALL_LEAST;
}

static void measure_cloud(const gjk_vec3 *points, gjk_shape *s) {
    gjk_vec3 low = points[0], high = points[0];
    for (uint32_t i = 1; i < s->count; i++) {
        const gjk_vec3 p = points[i];
        low = (gjk_vec3){gjk_smaller(low.x, p.x), gjk_smaller(low.y, p.y), gjk_smaller(low.z, p.z)};
        high =
            (gjk_vec3){gjk_larger(high.x, p.x), gjk_larger(high.y, p.y), gjk_larger(high.z, p.z)};
    }
    measure_range(low.x, high.x, &s->center.x, &s->half_extents.x);
    measure_range(low.y, high.y, &s->center.y, &s->half_extents.y);
    if (s->dimension == 3) {
        measure_range(low.z, high.z, &s->center.z, &s->half_extents.z);
    }
    double half = gjk_larger(gjk_larger(s->half_extents.x, s->half_extents.y), s->half_extents.z);
    double ball = measure_ball(s, points, half);
    s->bounding_radius =
        s->radius == 0 ? ball : (ball + s->radius) * (ball == 0 ? 1.0 : BALL_SLACK);
    s->size = 2 * (half + s->radius);
    s->half_extents.x += s->radius;
    s->half_extents.y += s->radius;
    s->half_extents.z += s->dimension == 3 ? s->radius : 0;
    s->reach =
        gjk_larger(fabs(s->center.x), gjk_larger(fabs(s->center.y), fabs(s->center.z))) + s->size;
}

static uint32_t stride_of(uint32_t count) {
    return (count + GJK_LANES - 1) / GJK_LANES * GJK_LANES;
}

void gjk_cloud_fill(const gjk_shape *head, const gjk_vec3 *points, double *columns,
                    gjk_shape *out) {
    GJK_ASSERT(head->count >= 1 && head->count <= GJK_POINTS_MAX);
    gjk_shape s = *head;
    s.stride = stride_of(s.count);
    s.column_count = edges_fit(s.dimension, points, s.count) ? 5 : s.dimension;
    measure_cloud(points, &s);
    gjk_set_offset(&s);
    fill_columns(&s, points, columns);
    if (s.column_count > s.dimension) {
        gjk_edges_fill(&s, columns);
    }
    s.columns = columns;
    set_flat(&s);
    *out = s;
}

const _Alignas(64) double gjk_origin_columns[3 * GJK_LANES] = {0};

gjk_status gjk_cloud_finish(struct gjk_arena *arena, const gjk_shape *head, const gjk_vec3 *points,
                            gjk_shape *out) {
    if (head->count == 1 && gjk_largest3(points[0]) == 0.0) {
        double zeros[3 * GJK_LANES];
        gjk_cloud_fill(head, points, zeros, out);
        out->columns = gjk_origin_columns;
        return GJK_OK;
    }
    const uint32_t columns_kept =
        edges_fit(head->dimension, points, head->count) ? 5 : head->dimension;
    double *columns =
        gjk_arena_alloc_array(arena, columns_kept, stride_of(head->count) * sizeof *columns);
    if (columns == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    gjk_cloud_fill(head, points, columns, out);
    return GJK_OK;
}

/*
 * Constructors of hulls and polygons. Both compute the exact convex hull of their points: strictly
 * convex, in 2D counter-clockwise, with no given point outside. The vertices of a polygon must also
 * be the outline of a convex one, within GJK_OUTLINE_SLACK. Intermediate results are in a scratch
 * arena: a bounded number of bytes for each of at most GJK_POINTS_MAX points.
 */

static gjk_status check_count(uint32_t count, uint32_t least) {
    return count < least            ? GJK_TOO_FEW_POINTS
           : count > GJK_POINTS_MAX ? GJK_TOO_MANY_POINTS
                                    : GJK_OK;
}

/* Makes the shape of the points that are corners of their hull. head: all members but the count. */
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
    if (dimension == 2) {
        gjk_hull2 hull;
        status = gjk_hull2_make(&scratch, points, count, 2, &hull);
        status = status == GJK_OK
                     ? finish(arena, &scratch, head, points, hull.corners, hull.count, out)
                     : status;
    } else {
        gjk_hull3 hull;
        status = gjk_hull3_make(&scratch, points, count, &hull);
        status = status == GJK_OK
                     ? finish(arena, &scratch, head, points, hull.corners, hull.count, out)
                     : status;
    }
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
        status = gjk_hull2_make(scratch, points, count, 2, &hull);
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
