/*
 * How does a list of points become a shape? They are copied into padded columns, and
 * the box and the ball around them are measured once, since every query asks for them.
 */

#include "shape/cloud.h"

#include "base/finite.h"
#include "base/larger.h"
#include "shape/edges.h"

/* Makes the radius of the ball contain its points in spite of a few roundings. */
#define BALL_SLACK (1.0 + 0x1p-50)
#define BALL_LEAST 0x1p-1074
#define UNIT_EXPONENT_MIN (-1022) /* of the unit in which it is measured: 1 / unit is finite */

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

/* Centre and half width of a column's range. The half width reaches both ends. */
static void measure_column(const double *column, uint32_t count, double *center, double *half) {
    double low = column[0], high = column[0];
    for (uint32_t i = 1; i < count; i++) {
        low = gjk_smaller(low, column[i]);
        high = gjk_larger(high, column[i]);
    }
    *center = 0.5 * low + 0.5 * high;
    *half = gjk_larger(high - *center, *center - low);
}

/* The radius of the ball around the centre that contains the cloud, whose largest half
 * extent is given. It is computed in a unit of a power of two near that. */
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

gjk_status gjk_cloud_finish(struct gjk_arena *arena, const gjk_shape *head, const gjk_vec3 *points,
                            gjk_shape *out) {
    GJK_ASSERT(head->count >= 1 && head->count <= GJK_POINTS_MAX);
    gjk_shape s = *head;
    s.stride = (s.count + GJK_LANES - 1) / GJK_LANES * GJK_LANES;

    s.column_count = gjk_edges_fit(s.dimension, points, s.count) ? 5 : s.dimension;
    double *columns = gjk_arena_alloc_array(arena, s.column_count, s.stride * sizeof *columns);
    if (columns == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    fill_columns(&s, points, columns);
    if (s.column_count > s.dimension) {
        gjk_edges_fill(&s, columns);
    }
    s.columns = columns;

    measure_column(columns, s.count, &s.center.x, &s.half_extents.x);
    measure_column(columns + s.stride, s.count, &s.center.y, &s.half_extents.y);
    if (s.dimension == 3) {
        measure_column(columns + 2 * (size_t)s.stride, s.count, &s.center.z, &s.half_extents.z);
    }
    double half = gjk_larger(gjk_larger(s.half_extents.x, s.half_extents.y), s.half_extents.z);
    double ball = measure_ball(&s, half);
    s.bounding_radius = s.radius == 0 ? ball : (ball + s.radius) * (ball == 0 ? 1.0 : BALL_SLACK);
    s.size = 2 * (half + s.radius);
    s.half_extents.x += s.radius;
    s.half_extents.y += s.radius;
    s.half_extents.z += s.dimension == 3 ? s.radius : 0;
    s.reach = gjk_larger(fabs(s.center.x), gjk_larger(fabs(s.center.y), fabs(s.center.z))) + s.size;
    *out = s;
    return GJK_OK;
}
