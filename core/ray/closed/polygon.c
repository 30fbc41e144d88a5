/*
 * First intersection of a line with a convex polygon, sharp or rounded, by the signed distances of
 * the vertices to the left of the line: the line enters where the outline, in counter-clockwise
 * order, crosses it from left to right. The front of a rounded polygon consists of edges moved
 * outward and arcs between them, monotonically to the right; it is followed up to the crossing. The
 * cost is one cross product for each vertex and one division.
 */

#include "ray/closed/closed_forms.h"

/* Least radius relative to the size: smaller radii have less effect than rounding, but might lead
 * to normals whose length underflows. */
#define RADIUS_LEAST 0x1p-60

/* A polygon and the line. */
typedef struct view {
    const double *x, *y;
    uint32_t count;
    gjk_vec2 point, direction;
} view;

/* Returns the signed distance of vertex i to the left of the line. */
static inline double left_of(const view *v, uint32_t i) {
    return v->direction.x * (v->y[i] - v->point.y) - v->direction.y * (v->x[i] - v->point.x);
}

/* Returns the parameter of the projection of vertex i on the line. */
static inline double parameter_of(const view *v, uint32_t i) {
    return v->direction.x * (v->x[i] - v->point.x) + v->direction.y * (v->y[i] - v->point.y);
}

static inline uint32_t next_of(const view *v, uint32_t i) {
    return i + 1 < v->count ? i + 1 : 0;
}

static inline gjk_vec2 edge_from(const view *v, uint32_t i) {
    uint32_t j = next_of(v, i);
    return (gjk_vec2){v->x[j] - v->x[i], v->y[j] - v->y[i]};
}

/* Returns a hit with a normal of any length; UNSURE if its square underflows. */
static gjk_line_hit hit_at(double t, gjk_vec2 normal) {
    return gjk_length2(normal) > GJK_LINE_LENGTH_LEAST ? gjk_line_hits(t, gjk_xy0(normal))
                                                       : gjk_line_unsure();
}

/* Intersects the edge from vertex i, which is on the left, to the next one, on the line or
 * right. */
static gjk_line_hit hit_edge(const view *v, uint32_t i) {
    uint32_t j = next_of(v, i);
    double from = left_of(v, i), to = left_of(v, j), at = parameter_of(v, i);
    double t = at + from / (from - to) * (parameter_of(v, j) - at);
    return hit_at(t, gjk_right2(edge_from(v, i)));
}

/* Returns a hit of the arc around vertex i. The normal is clamped between those of the adjacent
 * edges: a normal that rounding turns beyond an end of the arc would be wrong for a long edge. */
static gjk_line_hit hit_arc(const view *v, uint32_t i, double radius) {
    double left = left_of(v, i), squared = (radius - left) * (radius + left);
    double chord = squared > 0.0 ? sqrt(squared) : 0.0;
    gjk_vec2 d = v->direction;
    gjk_vec2 normal = {left * d.y - chord * d.x, -left * d.x - chord * d.y};
    gjk_vec2 next = edge_from(v, i), last = edge_from(v, i > 0 ? i - 1 : v->count - 1);
    normal = gjk_dot2(normal, next) > 0.0 ? gjk_right2(next) : normal;
    normal = gjk_dot2(normal, last) < 0.0 ? gjk_right2(last) : normal;
    return hit_at(parameter_of(v, i) - chord, normal);
}

/* Returns the leftmost vertex; of several, the first along the line. */
static uint32_t front_start(const view *v) {
    uint32_t start = 0;
    double most = left_of(v, 0);
    for (uint32_t i = 1; i < v->count; i++) {
        double left = left_of(v, i);
        bool better = left > most || (left == most && parameter_of(v, i) < parameter_of(v, start));
        start = better ? i : start;
        most = better ? left : most;
    }
    return start;
}

/* Follows the front of the rounded polygon from the leftmost vertex to the crossing. */
static gjk_line_hit hit_rounded(const view *v, double radius) {
    uint32_t i = front_start(v);
    double from = left_of(v, i);
    for (uint32_t steps = 0; steps < v->count; steps++) {
        uint32_t j = next_of(v, i);
        double to = left_of(v, j);
        if (to >= from) {
            break; /* the end of the front */
        }
        gjk_vec2 edge = edge_from(v, i);
        double length = gjk_length2(edge);
        if (!(length > GJK_LINE_LENGTH_LEAST)) {
            return gjk_line_unsure();
        }
        double lift = radius * (-gjk_dot2(v->direction, edge) / length); /* the edge's move left */
        if (from + lift <= 0.0) {
            break; /* the line hits the arc before this edge */
        }
        if (to + lift <= 0.0) {
            double at = parameter_of(v, i), part = (from + lift) / (from - to);
            double out = radius * ((to - from) / length);
            return hit_at(at + part * (parameter_of(v, j) - at) + out, gjk_right2(edge));
        }
        i = j;
        from = to;
    }
    return hit_arc(v, i, radius);
}

gjk_line_hit gjk_line_meet_polygon(const gjk_shape *shape, const gjk_line *line) {
    const view v = {shape->columns, shape->columns + shape->stride, shape->count,
                    gjk_xy(line->point), gjk_xy(line->direction)};
    uint32_t entered = 0;
    double before = left_of(&v, v.count - 1), low = before, high = before;
    for (uint32_t i = 0; i < v.count; i++) {
        double left = left_of(&v, i);
        entered = before > 0.0 && left <= 0.0 ? i : entered;
        low = left < low ? left : low;
        high = left > high ? left : high;
        before = left;
    }
    double clearance = (low > -high ? low : -high) - shape->radius;
    if (clearance > -line->slack) {
        return gjk_line_passes(clearance, line->slack);
    }
    return shape->radius > RADIUS_LEAST * shape->size
               ? hit_rounded(&v, shape->radius)
               : hit_edge(&v, entered > 0 ? entered - 1 : v.count - 1);
}
