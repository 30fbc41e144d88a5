/*
 * The first intersection of a line with an ellipse, an ellipsoid or the upper half of an ellipse:
 * scaled by the inverse radii the ellipsoid is the unit ball, which the line enters half a chord
 * before its point nearest the centre. The clearance of a line is measured unscaled, from the
 * tangent plane whose scaled normal is that point.
 */

#include "ray/closed_forms.h"

#include "base/larger.h"
#include "ray/span.h"

/* The largest ratio of the radii: beyond it squares could overflow or underflow. */
#define ASPECT_MAX 0x1p40

typedef struct scaled_line {
    gjk_vec3 inverse;   /* of the radii; 0 for z in 2D */
    gjk_vec3 foot;      /* the point of the scaled line nearest the centre */
    gjk_vec3 direction; /* not of unit length */
    double middle;      /* parameter of the foot on the line */
    double clearance;   /* unscaled distance at which the line passes; negative: inside */
    double half;        /* half the length of the part of the line within, unscaled */
} scaled_line;

static gjk_vec3 times(gjk_vec3 a, gjk_vec3 b) {
    return (gjk_vec3){a.x * b.x, a.y * b.y, a.z * b.z};
}

/* Returns false when the ratio of the radii is too large. */
static bool scale_line(gjk_vec3 radii, uint32_t dimension, const gjk_line *line, scaled_line *out) {
    double z = dimension == 3 ? radii.z : radii.x;
    double most = gjk_larger(radii.x, gjk_larger(radii.y, z)),
           least = gjk_smaller(radii.x, gjk_smaller(radii.y, z));
    if (most > ASPECT_MAX * least) {
        return false;
    }
    out->inverse = (gjk_vec3){1.0 / radii.x, 1.0 / radii.y, dimension == 3 ? 1.0 / z : 0.0};
    out->direction = times(out->inverse, line->direction);
    gjk_vec3 from = times(out->inverse, line->point);
    double square = gjk_dot3(out->direction, out->direction);
    out->middle = -gjk_dot3(from, out->direction) / square;
    out->foot = gjk_add3(from, gjk_scale3(out->middle, out->direction));
    double off = gjk_length3(out->foot), inside = (1.0 - off) * (1.0 + off);
    double slope = gjk_length3(times(out->inverse, out->foot));
    out->clearance = off > 0.0 ? (off - 1.0) * off / slope : -line->slack * 2.0;
    out->half = inside > 0.0 ? sqrt(inside / square) : 0.0;
    return true;
}

/* The outward normal at a point of the line that lies on the curve, of any length. */
static gjk_vec3 normal_at(const scaled_line *s, double from_middle) {
    return times(s->inverse, gjk_add3(s->foot, gjk_scale3(from_middle, s->direction)));
}

gjk_line_hit gjk_line_meet_ellipse(const gjk_shape *shape, const gjk_line *line) {
    scaled_line s;
    if (!scale_line(shape->curve.a, shape->dimension, line, &s)) {
        return gjk_line_unsure();
    }
    if (s.clearance > line->slack) {
        return gjk_line_misses(s.clearance);
    }
    return gjk_line_hits(s.middle - s.half, normal_at(&s, -s.half)); /* a line that grazes hits */
}

gjk_line_hit gjk_line_meet_half_ellipse(const gjk_shape *shape, const gjk_line *line) {
    scaled_line s;
    if (!scale_line(shape->curve.a, 2, line, &s) || fabs(s.clearance) <= line->slack) {
        return gjk_line_unsure();
    }
    if (s.clearance > 0.0) {
        return gjk_line_misses(s.clearance);
    }
    gjk_span span = gjk_span_whole();
    gjk_vec3 in = normal_at(&s, -s.half), out = normal_at(&s, s.half);
    double in_rate = -gjk_dot3(in, line->direction) / gjk_length3(in);
    double out_rate = gjk_dot3(out, line->direction) / gjk_length3(out);
    gjk_span_enter(&span, s.middle - s.half, line->slack / in_rate, in);
    gjk_span_leave(&span, s.middle + s.half, line->slack / out_rate);
    gjk_span_cut(&span, line, (gjk_vec3){0, -1, 0}, -line->point.y, shape->size);
    return gjk_span_verdict(&span);
}
