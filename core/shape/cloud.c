/*
 * Makes a shape of a list of points: they are copied into padded columns, and what every query
 * asks for is computed once. That is the box and the ball around the points, and for polygons the
 * normals of the edges, because only along these can two polygons be parted the shortest way.
 */

#include "shape/cloud.h"

#include "base/finite.h"
#include "base/larger.h"

/* Enlarge the radius of the ball by more than a few roundings can come to. */
#define BALL_SLACK (1.0 + 0x1p-50)
#define BALL_LEAST 0x1p-1074
#define UNIT_EXPONENT_MIN (-1022) /* 1 / 2^exponent is finite from here on */

gjk_status gjk_cloud_check(uint32_t dimension, const gjk_vec3 *points, uint32_t count) {
    GJK_ASSERT(dimension == 2 || dimension == 3);
    for (uint32_t i = 0; i < count; i++) {
        gjk_status status = gjk_check_coordinate(points[i].x);
        if (status == GJK_OK) {
            status = gjk_check_coordinate(points[i].y);
        }
        if (status == GJK_OK && dimension == 3) {
            status = gjk_check_coordinate(points[i].z);
        }
        if (status != GJK_OK) {
            return status;
        }
    }
    return GJK_OK;
}

/* Writes the columns, padded with the first point. Adding 0 turns -0 into 0. */
static void fill_columns(const gjk_shape *shape, const gjk_vec3 *points, double *columns) {
    double *x = columns, *y = x + shape->stride, *z = y + shape->stride;
    for (uint32_t i = 0; i < shape->stride; i++) {
        gjk_vec3 p = points[i < shape->count ? i : 0];
        x[i] = p.x + 0.0;
        y[i] = p.y + 0.0;
        if (shape->dimension == 3) {
            z[i] = p.z + 0.0;
        }
    }
}

static gjk_vec2 edge_after(const gjk_vec3 *points, uint32_t count, uint32_t i) {
    return gjk_xy(gjk_sub3(points[i + 1 < count ? i + 1 : 0], points[i]));
}

/* Whether a cloud of these points has edges to keep: see gjk_has_edges. */
static bool edges_fit(uint32_t dimension, const gjk_vec3 *points, uint32_t count) {
    if (dimension != 2 || count < 2 || count > GJK_EDGES_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        gjk_vec2 edge = edge_after(points, count, i);
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

/* Centre and half width of a column's range. Together they reach both ends, in spite of
 * rounding. */
static void measure_column(const double *column, uint32_t count, double *center, double *half) {
    double low = column[0], high = column[0];
    for (uint32_t i = 1; i < count; i++) {
        low = gjk_smaller(low, column[i]);
        high = gjk_larger(high, column[i]);
    }
    *center = 0.5 * low + 0.5 * high;
    *half = gjk_larger(high - *center, *center - low);
}

/* The radius of the ball around the centre that contains the cloud. It is computed in a unit of
 * a power of two near the given largest half extent, so that squares stay in range. */
static double measure_ball(const gjk_shape *shape, double half) {
    int exponent;
    double largest = 0;

    if (half == 0) {
        return 0;
    }
    frexp(half, &exponent);
    exponent = exponent > UNIT_EXPONENT_MIN ? exponent : UNIT_EXPONENT_MIN;
    double scale = ldexp(1.0, -exponent);
    for (uint32_t i = 0; i < shape->count; i++) {
        gjk_vec3 p = gjk_scale3(scale, gjk_sub3(gjk_shape_point(shape, i), shape->center));
        largest = gjk_larger(largest, gjk_dot3(p, p));
    }
    return ldexp(sqrt(largest), exponent) * BALL_SLACK + BALL_LEAST;
}

static void measure(const double *columns, gjk_shape *s) {
    measure_column(columns, s->count, &s->center.x, &s->half_extents.x);
    measure_column(columns + s->stride, s->count, &s->center.y, &s->half_extents.y);
    if (s->dimension == 3) {
        measure_column(columns + 2 * (size_t)s->stride, s->count, &s->center.z, &s->half_extents.z);
    }
    double half = gjk_larger(gjk_larger(s->half_extents.x, s->half_extents.y), s->half_extents.z);
    double ball = measure_ball(s, half);
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
    fill_columns(&s, points, columns);
    if (s.column_count > s.dimension) {
        gjk_edges_fill(&s, columns);
    }
    s.columns = columns;
    measure(columns, &s);
    *out = s;
}

gjk_status gjk_cloud_finish(struct gjk_arena *arena, const gjk_shape *head, const gjk_vec3 *points,
                            gjk_shape *out) {
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
