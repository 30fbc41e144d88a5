/*
 * Where does a line first meet a convex polygon, sharp or rounded? Each vertex lies so
 * far to the left of the line; the line goes in where the outline, walked
 * counter-clockwise, comes from the left side to the right. Of a rounded polygon the
 * front runs over edges moved outward and arcs between them, ever further to the
 * right: it is walked until it crosses. One product a vertex and no division but that
 * of the edge which is hit.
 */

#include "ray/closed_forms.h"

/* A polygon and the line, as seen along the line. */
typedef struct view {
    const double *x, *y;
    uint32_t count;
    gjk_vec2 point, direction;
} view;

/* How far vertex i is to the left of the line. */
static inline double left_of(const view *v, uint32_t i) {
    return v->direction.x * (v->y[i] - v->point.y) - v->direction.y * (v->x[i] - v->point.x);
}

/* Where on the line it is. */
static inline double along(const view *v, uint32_t i) {
    return v->direction.x * (v->x[i] - v->point.x) + v->direction.y * (v->y[i] - v->point.y);
}

static inline uint32_t next_of(const view *v, uint32_t i) {
    return i + 1 < v->count ? i + 1 : 0;
}

static inline gjk_vec2 edge_from(const view *v, uint32_t i) {
    uint32_t j = next_of(v, i);
    return (gjk_vec2){v->x[j] - v->x[i], v->y[j] - v->y[i]};
}

/* The edge that begins on the left and ends on the line or right of it. */
static gjk_line_hit hit_edge(const view *v, uint32_t i) {
    uint32_t j = next_of(v, i);
    double from = left_of(v, i), to = left_of(v, j), at = along(v, i);
    double t = at + from / (from - to) * (along(v, j) - at);
    return gjk_line_hits(t, gjk_xy0(gjk_right2(edge_from(v, i))));
}

/* Between the normals of the edges that meet there: on the arc's very end rounding may have it
 * lean over one of them, which along a long edge is far off the surface. */
static gjk_line_hit hit_arc(const view *v, uint32_t i, double radius) {
    double left = left_of(v, i), squared = (radius - left) * (radius + left);
    double chord = squared > 0.0 ? sqrt(squared) : 0.0;
    gjk_vec2 d = v->direction;
    gjk_vec2 normal = {left * d.y - chord * d.x, -left * d.x - chord * d.y};
    gjk_vec2 next = edge_from(v, i), last = edge_from(v, i > 0 ? i - 1 : v->count - 1);
    normal = gjk_dot2(normal, next) > 0.0 ? gjk_right2(next) : normal;
    normal = gjk_dot2(normal, last) < 0.0 ? gjk_right2(last) : normal;
    return gjk_line_hits(along(v, i) - chord, gjk_xy0(normal));
}

/* The leftmost vertex; of several the first along the line. */
static uint32_t front_start(const view *v) {
    uint32_t start = 0;
    double most = left_of(v, 0);
    for (uint32_t i = 1; i < v->count; i++) {
        double left = left_of(v, i);
        bool better = left > most || (left == most && along(v, i) < along(v, start));
        start = better ? i : start;
        most = better ? left : most;
    }
    return start;
}

/* The front goes from `most + radius` left of the line to right of it. */
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
        double lift = radius * (-gjk_dot2(v->direction, edge) / length); /* of the moved edge */
        if (from + lift <= 0.0) {
            break; /* the arc before it */
        }
        if (to + lift <= 0.0) {
            double at = along(v, i), part = (from + lift) / (from - to);
            double out = radius * ((to - from) / length);
            return gjk_line_hits(at + part * (along(v, j) - at) + out, gjk_xy0(gjk_right2(edge)));
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
    double beside = (low > -high ? low : -high) - shape->radius;
    if (beside > -line->slack) {
        return beside > line->slack ? gjk_line_misses(beside) : gjk_line_unsure();
    }
    return shape->radius > 0.0 ? hit_rounded(&v, shape->radius)
                               : hit_edge(&v, entered > 0 ? entered - 1 : v.count - 1);
}
