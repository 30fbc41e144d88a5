/*
 * Along which directions can a polygon be pressed out of another the shortest way? Only
 * along normals of edges, so these are computed once, when the polygon is made.
 */

#include "shape/edges.h"

static gjk_vec2 edge_after(const gjk_vec3 *points, uint32_t count, uint32_t i) {
    return gjk_xy(gjk_sub3(points[i + 1 < count ? i + 1 : 0], points[i]));
}

bool gjk_edges_fit(uint32_t dimension, const gjk_vec3 *points, uint32_t count) {
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
