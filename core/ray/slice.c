/*
 * The first intersection of a line with a slice: its part within the disc, cut to the two
 * half-planes of the straight sides, which meet at the apex in an angle of at most a half turn.
 */

#include "ray/closed_forms.h"
#include "ray/span.h"

gjk_line_hit gjk_line_meet_slice(const gjk_shape *shape, const gjk_line *line) {
    gjk_vec3 p = line->point, d = line->direction;
    double radius = shape->curve.radius, cosine = shape->curve.a.x, sine = shape->curve.a.y;
    double distance = fabs(gjk_cross2(gjk_xy(d), gjk_xy(p)));
    double depth = radius - distance;
    if (depth < line->slack) {
        return depth < -line->slack ? gjk_line_misses(-depth) : gjk_line_unsure();
    }
    double middle = -gjk_dot3(p, d), half = sqrt(depth * (radius + distance));
    double error = line->slack * radius / half;
    gjk_span span = gjk_span_whole();
    gjk_span_enter(&span, middle - half, error, gjk_line_at(line, middle - half));
    gjk_span_leave(&span, middle + half, error);
    const gjk_vec3 upper = {-sine, cosine, 0}, lower = {-sine, -cosine, 0};
    gjk_span_cut(&span, line, upper, gjk_dot3(upper, p), shape->size);
    gjk_span_cut(&span, line, lower, gjk_dot3(lower, p), shape->size);
    return gjk_span_verdict(&span);
}
