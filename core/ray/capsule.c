/*
 * Where does a line first meet a 3D capsule? It goes in by the side of the infinite
 * cylinder; where that is beyond an end of the segment, only that end's ball can come
 * next, for the ball spans the cylinder there. Whether it meets at all is told by the
 * distance of the line from the segment.
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

/* The point of the line relative to an end, at the foot of the perpendicular; *t: where. */
static gjk_vec3 foot_of(const view *v, int end, double *t) {
    gjk_vec3 from = gjk_sub3(v->line->point, v->end[end]);
    *t = -gjk_dot3(from, v->line->direction);
    return gjk_add3(from, gjk_scale3(*t, v->line->direction));
}

/* How far the line passes from the ball around an end; negative: it meets it. */
static double beside_ball(const view *v, int end) {
    double t;
    return gjk_length3(foot_of(v, end, &t)) - v->radius;
}

/*
 * The normal there, made square to the axis where the side is hit (or rounding has a ball's lean
 * back over the side): along a slim capsule a little along the axis is far off the surface.
 */
static gjk_line_hit hit_at(const view *v, double t, gjk_vec3 out, bool side) {
    gjk_line_hit hit = gjk_line_hits(t, out);
    if (side) {
        double lean = gjk_dot3(hit.normal, v->axis);
        hit = gjk_line_hits(t, gjk_sub3(hit.normal, gjk_scale3(lean, v->axis)));
    }
    return hit;
}

/* The line is known to meet the capsule; if rounding has it miss this ball, ask elsewhere. */
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

static gjk_line_hit judge(double beside, double slack) {
    return beside > slack ? gjk_line_misses(beside) : gjk_line_unsure();
}

/* Parallel to the axis over the whole length: in by the first ball, or past all of it. */
static gjk_line_hit meet_lengthwise(const view *v) {
    bool forward = gjk_dot3(v->line->direction, v->axis) > 0.0;
    double beside = gjk_larger(beside_ball(v, 0), beside_ball(v, 1));
    double nearest = gjk_smaller(beside_ball(v, 0), beside_ball(v, 1));
    if (nearest > 0.0) {
        return judge(nearest - v->line->slack, v->line->slack);
    }
    return beside < -2.0 * v->line->slack ? hit_ball(v, forward ? 0 : 1) : gjk_line_unsure();
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
    double
        shift; /* from the line's point nearest the first end, so that small angles lose nothing */
    gjk_vec3 from = foot_of(&v, 0, &shift);
    double rate = gjk_dot3(line->direction, v.axis), start = gjk_dot3(from, v.axis);
    gjk_vec3 sideways = gjk_sub3(line->direction, gjk_scale3(rate, v.axis));
    double apart = fabs(gjk_dot3(from, across)) / sine;
    double middle = -gjk_dot3(from, sideways) / square; /* nearest the axis */
    double at = start + middle * rate;
    double beside = at < 0.0        ? beside_ball(&v, 0)
                    : at > v.length ? beside_ball(&v, 1)
                                    : apart - radius;
    if (beside > -line->slack) {
        return judge(beside, line->slack);
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
