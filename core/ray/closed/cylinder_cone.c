/*
 * First intersection of a line with a cylinder or a cone: the line's part within the infinite
 * cylinder, or the infinite cone below the apex, cut to the half-spaces of the flat ends. Both
 * are computed in coordinates with z along the axis. The quadratic equation of the cone is
 * solved from the point of the line nearest the apex, which keeps all digits there, and its
 * discriminant is computed as a product of sums: with n = w x d, k^2 (n1^2 + n2^2) - n3^2
 * (Lagrange's identity for the form x^2 + y^2 - k^2 z^2).
 */

#include "ray/closed/closed_forms.h"

#include "base/numbers.h"

/* Entries and exits of a cone's side at larger parameters are beyond its base. */
#define FAR 0x1p200

/* Distance from the apex, relative to the size, below which the side's normal is too inaccurate. */
#define APEX 0x1p-20

/* A line in coordinates of a round shape: x, y across the axis, z along. */
typedef struct view {
    gjk_vec3 from, direction;
    gjk_vec3 axis; /* unit, from curve.a to curve.b, in the shape's frame */
    double length;
    double size;
} view;

static gjk_vec3 turned(const gjk_curve *curve, gjk_vec3 axis, gjk_vec3 v) {
    return (gjk_vec3){gjk_dot3(curve->across[0], v), gjk_dot3(curve->across[1], v),
                      gjk_dot3(axis, v)};
}

/* Turns a vector from the view's coordinates to the shape's. */
static gjk_vec3 turned_back(const gjk_curve *curve, gjk_vec3 axis, gjk_vec3 v) {
    return gjk_add3(gjk_add3(gjk_scale3(v.x, curve->across[0]), gjk_scale3(v.y, curve->across[1])),
                    gjk_scale3(v.z, axis));
}

static view view_from(const gjk_shape *shape, gjk_vec3 point, const gjk_line *line) {
    const gjk_curve *curve = &shape->curve;
    view v;
    v.axis = gjk_cross3(curve->across[0], curve->across[1]);
    v.length = gjk_dot3(gjk_sub3(curve->b, curve->a), v.axis);
    v.from = turned(curve, v.axis, gjk_sub3(line->point, point));
    v.direction = turned(curve, v.axis, line->direction);
    v.size = shape->size;
    return v;
}

/* Cuts the span to the infinite cylinder. */
static void cut_side(gjk_span *span, const gjk_shape *shape, const view *v, double slack) {
    gjk_vec2 w = gjk_xy(v->from), d = gjk_xy(v->direction);
    double radius = shape->curve.radius, square = gjk_dot2(d, d), speed = sqrt(square);
    bool lengthwise = speed * v->size <= slack;
    double distance = lengthwise ? gjk_length2(w) : fabs(gjk_cross2(w, d)) / speed;
    double depth = radius - distance, error = lengthwise ? 2.0 * slack : slack;
    if (depth < error) {
        gjk_span_reject(span, depth < -error ? GJK_LINE_MISSES : GJK_LINE_UNSURE);
    } else if (!lengthwise) {
        double chord = sqrt(depth * (radius + distance));
        double middle = -gjk_dot2(w, d) / square, half = chord / speed;
        gjk_vec3 at = {w.x + (middle - half) * d.x, w.y + (middle - half) * d.y, 0.0};
        error = slack * radius / (speed * chord);
        gjk_span_enter(span, middle - half, error, turned_back(&shape->curve, v->axis, at));
        gjk_span_leave(span, middle + half, error);
    }
}

gjk_line_hit gjk_line_meet_cylinder(const gjk_shape *shape, const gjk_line *line) {
    view v = view_from(shape, shape->curve.a, line);
    gjk_span span = gjk_span_whole();
    cut_side(&span, shape, &v, line->slack);
    gjk_span_cut(&span, line, gjk_neg3(v.axis), -v.from.z, v.size);
    gjk_span_cut(&span, line, v.axis, v.from.z - v.length, v.size);
    return gjk_span_verdict(&span);
}

/* One intersection with the double cone. */
typedef struct crossing {
    double t, error;
    bool counts, unsure; /* counts: it is below the apex; unsure: rounding may change that */
} crossing;

static crossing crossing_at(const view *v, double t, double root, double k, double slack) {
    crossing c = {.t = t, .counts = false, .unsure = false};
    if (!(fabs(t) <= FAR)) {
        return c;
    }
    double below = -(v->from.z + t * v->direction.z);
    c.error = slack * (k * fabs(below) * sqrt(1.0 + k * k)) / root;
    c.counts = below > 0.0;
    double apex = APEX * v->size / gjk_smaller(k, 1.0);
    c.unsure = fabs(below) <= c.error * fabs(v->direction.z) + slack + apex;
    return c;
}

/* Cuts the span to the cone below the apex. The line intersects the double cone where A (t + B/A)^2
 * = disc / A: it enters at (-B - root) / A and leaves at (-B + root) / A, whatever the sign of
 * A. */
static void cut_cone(gjk_span *span, const gjk_shape *shape, const view *v, double slack) {
    const gjk_vec3 w = v->from, d = v->direction, n = gjk_cross3(w, d);
    double k = shape->curve.radius / v->length;
    double around = k * gjk_length2(gjk_xy(n)), distance = fabs(n.z);
    double error = 2.0 * slack * (1.0 + k);
    if (around - distance < error) {
        gjk_span_reject(span, around - distance < -error ? GJK_LINE_MISSES : GJK_LINE_UNSURE);
        return;
    }
    double w_across = gjk_length2(gjk_xy(w)), d_across = gjk_length2(gjk_xy(d));
    double w_side = k * fabs(w.z), d_side = k * fabs(d.z);
    double a = (d_across - d_side) * (d_across + d_side);
    double c = (w_across - w_side) * (w_across + w_side);
    double b = w.x * d.x + w.y * d.y - k * k * w.z * d.z;
    double root = sqrt((around - distance) * (around + distance));
    double q = b < 0.0 ? root - b : -root - b; /* -B + root or -B - root, without cancellation */
    crossing in = crossing_at(v, b < 0.0 ? c / q : q / a, root, k, slack);
    crossing out = crossing_at(v, b < 0.0 ? q / a : c / q, root, k, slack);
    if (in.unsure || out.unsure) {
        gjk_span_reject(span, GJK_LINE_UNSURE);
    } else if (!in.counts && !out.counts) {
        gjk_span_reject(span, GJK_LINE_MISSES);
    }
    if (in.counts) {
        gjk_vec3 at = gjk_add3(w, gjk_scale3(in.t, d));
        at.z *= -k * k;
        gjk_span_enter(span, in.t, in.error, turned_back(&shape->curve, v->axis, at));
    }
    if (out.counts) {
        gjk_span_leave(span, out.t, out.error);
    }
}

gjk_line_hit gjk_line_meet_cone(const gjk_shape *shape, const gjk_line *line) {
    gjk_vec3 from_apex = gjk_sub3(line->point, shape->curve.b);
    double shift = -gjk_dot3(from_apex, line->direction);
    const gjk_line near = {gjk_line_at(line, shift), line->direction, line->slack};
    view v = view_from(shape, shape->curve.b, &near);
    gjk_span span = gjk_span_whole();
    cut_cone(&span, shape, &v, near.slack);
    gjk_span_cut(&span, &near, gjk_neg3(v.axis), -v.from.z - v.length, v.size);
    gjk_line_hit hit = gjk_span_verdict(&span);
    hit.t += shift;
    return hit;
}
