/*
 * The first intersection of a line with a 3D capsule. The distance of the line from the segment
 * decides whether they intersect. The line enters by the side of the infinite cylinder or, where
 * that entry is beyond an end of the segment, by the ball around that end, which spans the
 * cylinder there.
 */

#include "ray/closed_forms.h"

#include "base/larger.h"

typedef struct view {
    const gjk_line *line;
    gjk_vec3 end[2];
    gjk_vec3 axis; /* unit, from end 0 to end 1 */
    double length;
    double radius;
} view;

/* The point of the line nearest an end, relative to that end; *t: its parameter. */
static gjk_vec3 foot_of(const view *v, int end, double *t) {
    gjk_vec3 from = gjk_sub3(v->line->point, v->end[end]);
    *t = -gjk_dot3(from, v->line->direction);
    return gjk_add3(from, gjk_scale3(*t, v->line->direction));
}

/* The distance of the line from the ball around an end; negative when it intersects it. */
static double distance_from_ball(const view *v, int end) {
    double t;
    return gjk_length3(foot_of(v, end, &t)) - v->radius;
}

/*
 * A hit with that normal; side: made perpendicular to the axis, for a hit of the side, or of a
 * ball where rounding tilts its normal beyond the end. On a long thin capsule a small component
 * along the axis would be a large error.
 */
static gjk_line_hit hit_at(const view *v, double t, gjk_vec3 out, bool side) {
    const double lean = side ? gjk_dot3(out, v->axis) : 0.0;
    return gjk_line_hits(t, gjk_sub3(out, gjk_scale3(lean, v->axis)));
}

/* A line that is known to intersect the capsule; unsure if rounding makes it miss this ball. */
static gjk_line_hit hit_ball(const view *v, int end) {
    double t;
    gjk_vec3 foot = foot_of(v, end, &t);
    double off = gjk_length3(foot), squared = (v->radius - off) * (v->radius + off);
    if (squared <= 0.0) {
        return gjk_line_unsure();
    }
    double chord = sqrt(squared);
    gjk_vec3 out = gjk_sub3(foot, gjk_scale3(chord, v->line->direction));
    double beyond = gjk_dot3(out, v->axis);
    return hit_at(v, t - chord, out, end == 0 ? beyond > 0.0 : beyond < 0.0);
}

static gjk_line_hit miss_or_unsure(double clearance, double slack) {
    return clearance > slack ? gjk_line_misses(clearance) : gjk_line_unsure();
}

/* A line parallel to the axis: it enters by the first ball or misses. */
static gjk_line_hit meet_lengthwise(const view *v) {
    bool forward = gjk_dot3(v->line->direction, v->axis) > 0.0;
    double clearance = gjk_larger(distance_from_ball(v, 0), distance_from_ball(v, 1));
    double nearest = gjk_smaller(distance_from_ball(v, 0), distance_from_ball(v, 1));
    if (nearest > 0.0) {
        return miss_or_unsure(nearest - v->line->slack, v->line->slack);
    }
    return clearance < -2.0 * v->line->slack ? hit_ball(v, forward ? 0 : 1) : gjk_line_unsure();
}

gjk_line_hit gjk_line_meet_capsule(const gjk_vec3 ends[2], double radius, const gjk_line *line) {
    view v = {line, {ends[0], ends[1]}, gjk_sub3(ends[1], ends[0]), 0.0, radius};
    v.length = gjk_length3(v.axis);
    v.axis = gjk_scale3(1.0 / v.length, v.axis);
    gjk_vec3 across = gjk_cross3(line->direction, v.axis); /* length: the sine of the angle */
    double square = gjk_dot3(across, across), sine = sqrt(square);
    if (sine * (v.length + radius) <= line->slack) {
        return meet_lengthwise(&v);
    }
    double shift; /* of the parameter to the first end, so that small angles keep their digits */
    gjk_vec3 from = foot_of(&v, 0, &shift);
    double rate = gjk_dot3(line->direction, v.axis), start = gjk_dot3(from, v.axis);
    gjk_vec3 sideways = gjk_sub3(line->direction, gjk_scale3(rate, v.axis));
    double apart = fabs(gjk_dot3(from, across)) / sine;
    double middle = -gjk_dot3(from, sideways) / square; /* parameter nearest the axis */
    double at = start + middle * rate;
    double clearance = at < 0.0        ? distance_from_ball(&v, 0)
                       : at > v.length ? distance_from_ball(&v, 1)
                                       : apart - radius;
    if (clearance > -line->slack) {
        return miss_or_unsure(clearance, line->slack);
    }
    double t = middle - sqrt((radius - apart) * (radius + apart)) / sine;
    double entry = start + t * rate;
    if (entry < 0.0 || entry > v.length) {
        return hit_ball(&v, entry < 0.0 ? 0 : 1);
    }
    gjk_vec3 out =
        gjk_sub3(gjk_add3(from, gjk_scale3(t, line->direction)), gjk_scale3(entry, v.axis));
    return hit_at(&v, shift + t, out, true);
}
