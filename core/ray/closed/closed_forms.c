/*
 * Intersection of a line and a shape in closed form: balls, capsules, ellipses and slices, and the
 * dispatch to the forms in other files. There is no form for hulls in 3D, whose faces are not kept,
 * for curves with a radius, and for custom shapes; a line that misses the bounding box of a hull
 * misses the hull.
 */

#include "ray/closed/closed_forms.h"

#include "base/numbers.h"
#include "pair/frame.h"
#include "ray/general/general.h"

static gjk_line_hit meet_cloud3(const gjk_shape *shape, const gjk_line *line) {
    if (shape->count == 2) {
        const gjk_vec3 ends[2] = {gjk_shape_point(shape, 0), gjk_shape_point(shape, 1)};
        return gjk_line_meet_capsule(ends, shape->radius, line);
    }
    if (shape->count == 3 && shape->radius == 0.0) {
        const gjk_vec3 corners[3] = {gjk_shape_point(shape, 0), gjk_shape_point(shape, 1),
                                     gjk_shape_point(shape, 2)};
        return gjk_line_meet_triangle(corners, line);
    }
    if (shape->type == GJK_BOX && shape->count == 8) {
        /* Without a radius half_extents has the same numbers, nearer in memory. */
        gjk_vec3 corner = shape->radius > 0.0 ? gjk_shape_point(shape, 0) : shape->half_extents;
        gjk_vec3 half = {fabs(corner.x), fabs(corner.y), fabs(corner.z)};
        return gjk_line_meet_box(half, shape->radius, line);
    }
    double clearance = gjk_line_clearance_of_box(shape->center, shape->half_extents, line);
    return gjk_line_passes(clearance, line->slack);
}

gjk_line_hit gjk_line_meet(const gjk_shape *shape, const gjk_line *line) {
    if (shape->count > 0) {
        return shape->dimension == 2 ? gjk_line_meet_polygon(shape, line)
                                     : meet_cloud3(shape, line);
    }
    if (shape->radius > 0.0) {
        return gjk_line_unsure();
    }
    switch (shape->type) {
#define CASE(type, function, ...) \
    case GJK_##type:              \
        return gjk_line_meet_##function(shape, line);
        GJK_CURVE_MAP(CASE)
#undef CASE
    default:
        return gjk_line_unsure();
    }
}

/* Balls and points: the hit is half a chord before the ray's point nearest the centre. In world
 * axes, relative to the ray's origin. A grazing ray hits within rounding. */

/* A ball relative to the ray's origin, in units of the pair. */
typedef struct ball {
    gjk_vec3 center;
    double radius, rounding, unit;
} ball;

static ball ball_of(const gjk_placed *target, const gjk_ray *ray) {
    const gjk_shape *shape = target->shape;
    gjk_vec3 own = gjk_mul3(&target->pose.rotation, gjk_shape_point(shape, 0));
    gjk_vec3 between = gjk_sub3(target->pose.position, ray->origin);
    double away = gjk_largest3(between), most = gjk_larger(away, shape->reach);
    double unit = gjk_unit_is_one(most) ? 1.0 : gjk_unit_of(most);
    return (ball){
        .center = gjk_scale3(unit, gjk_add3(own, between)),
        .radius = shape->radius * unit,
        .rounding = 4.0 * GJK_ROUNDING * (unit * (away + shape->reach)),
        .unit = unit,
    };
}

static double square_of(double x) {
    return x * x;
}

static gjk_ray_result hit_ball_at(const ball *b, const gjk_ray *ray) {
    double along = gjk_dot3(b->center, ray->direction);
    gjk_vec3 off = gjk_sub3(gjk_scale3(along, ray->direction), b->center);
    double squared = gjk_dot3(off, off), inside = square_of(b->radius) - squared;
    if (squared > square_of(b->radius + b->rounding)) {
        return gjk_ray_miss();
    }
    double chord = inside > 0.0 ? sqrt(inside) : 0.0, t = along - chord;
    double distance = b->unit == 1.0 ? t : t / b->unit;
    bool reached = distance <= ray->max_distance || t <= ray->max_distance * b->unit + b->rounding;
    if (t < 0.0 || !reached) {
        return gjk_ray_miss(); /* behind the origin, or out of reach */
    }
    gjk_vec3 normal = gjk_sub3(off, gjk_scale3(chord, ray->direction));
    double length = gjk_length3(normal);
    normal = length > b->rounding ? gjk_scale3(1.0 / length, normal) : gjk_neg3(ray->direction);
    return gjk_ray_hit_at(ray, distance, normal);
}

gjk_ray_result gjk_raycast_ball(const gjk_placed *target, const gjk_ray *ray,
                                const gjk_ray_settings *settings) {
    const ball b = ball_of(target, ray);
    double away = gjk_dot3(b.center, b.center);
    double near = gjk_larger(settings->tolerance * target->shape->size * b.unit, b.rounding);
    if (away <= square_of(b.radius)) {
        return gjk_ray_inside(ray, settings);
    }
    gjk_ray_result inside;
    if (away <= square_of(b.radius + 2.0 * near) &&
        gjk_ray_starts_inside(target, ray, settings, &inside)) {
        return inside; /* touching counts as inside */
    }
    return hit_ball_at(&b, ray);
}

/*
 * 3D capsules. The distance of the line from the segment decides if they intersect. The line enters
 * through the side of the infinite cylinder or, if that entry is beyond an end of the segment,
 * through the ball around that end.
 */

typedef struct view {
    const gjk_line *line;
    gjk_vec3 end[2];
    gjk_vec3 axis; /* unit, from end 0 to end 1 */
    double length;
    double radius;
} view;

/* Returns the point of the line nearest an end, relative to that end, and its parameter *t. */
static gjk_vec3 foot_of(const view *v, int end, double *t) {
    gjk_vec3 from = gjk_sub3(v->line->point, v->end[end]);
    *t = -gjk_dot3(from, v->line->direction);
    return gjk_add3(from, gjk_scale3(*t, v->line->direction));
}

/* Returns the distance of the line from the ball around an end; negative if they intersect. */
static double distance_from_ball(const view *v, int end) {
    double t;
    return gjk_length3(foot_of(v, end, &t)) - v->radius;
}

/* Returns a hit with that normal. side: the normal is made perpendicular to the axis, for a hit of
 * the side, or of a ball if rounding tilts its normal beyond the end. On a long thin capsule a
 * small component along the axis would be a large error. */
static gjk_line_hit hit_at(const view *v, double t, gjk_vec3 out, bool side) {
    const double lean = side ? gjk_dot3(out, v->axis) : 0.0;
    return gjk_line_hits(t, gjk_sub3(out, gjk_scale3(lean, v->axis)));
}

/* Intersects the ball around an end with a line that intersects the capsule. UNSURE if rounding
 * makes it miss the ball. */
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

/* Intersects a line parallel to the axis: it enters through the first ball or misses. */
static gjk_line_hit meet_lengthwise(const view *v) {
    bool forward = gjk_dot3(v->line->direction, v->axis) > 0.0;
    double clearance = gjk_larger(distance_from_ball(v, 0), distance_from_ball(v, 1));
    double nearest = gjk_smaller(distance_from_ball(v, 0), distance_from_ball(v, 1));
    if (nearest > 0.0) {
        return gjk_line_passes(nearest - v->line->slack, v->line->slack);
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
    double shift; /* parameters count from the first end, to keep precision at small angles */
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
        return gjk_line_passes(clearance, line->slack);
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

/*
 * Ellipses, ellipsoids and upper halves of ellipses. Scaled by the inverse radii, an ellipsoid is
 * the unit ball, which the line enters half a chord before its point nearest the centre. The
 * clearance is measured unscaled, from the tangent plane whose scaled normal is that point.
 */

/* Largest ratio of the radii for which squares neither overflow nor underflow. */
#define ASPECT_MAX 0x1p40

typedef struct scaled_line {
    gjk_vec3 inverse;   /* of the radii; 0 for z in 2D */
    gjk_vec3 foot;      /* the point of the scaled line nearest the centre */
    gjk_vec3 direction; /* not of unit length */
    double middle;      /* parameter of the foot on the line */
    double clearance;   /* unscaled distance of the line; negative if it intersects */
    double half;        /* half the unscaled length of the line's part inside */
} scaled_line;

static gjk_vec3 times_each(gjk_vec3 a, gjk_vec3 b) {
    return (gjk_vec3){a.x * b.x, a.y * b.y, a.z * b.z};
}

/* Scales the line. Returns false if the ratio of the radii is too large. */
static bool scale_line(gjk_vec3 radii, uint32_t dimension, const gjk_line *line, scaled_line *out) {
    double z = dimension == 3 ? radii.z : radii.x;
    double most = gjk_larger(radii.x, gjk_larger(radii.y, z)),
           least = gjk_smaller(radii.x, gjk_smaller(radii.y, z));
    if (most > ASPECT_MAX * least) {
        return false;
    }
    out->inverse = (gjk_vec3){1.0 / radii.x, 1.0 / radii.y, dimension == 3 ? 1.0 / z : 0.0};
    out->direction = times_each(out->inverse, line->direction);
    gjk_vec3 from = times_each(out->inverse, line->point);
    double square = gjk_dot3(out->direction, out->direction);
    out->middle = -gjk_dot3(from, out->direction) / square;
    out->foot = gjk_add3(from, gjk_scale3(out->middle, out->direction));
    double off = gjk_length3(out->foot), inside = (1.0 - off) * (1.0 + off);
    double slope = gjk_length3(times_each(out->inverse, out->foot));
    out->clearance = off > 0.0 ? (off - 1.0) * off / slope : -line->slack * 2.0;
    out->half = inside > 0.0 ? sqrt(inside / square) : 0.0;
    return true;
}

/* Returns the outward normal, of any length, where the line meets the curve. */
static gjk_vec3 normal_at(const scaled_line *s, double from_middle) {
    return times_each(s->inverse, gjk_add3(s->foot, gjk_scale3(from_middle, s->direction)));
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

/* Slices: the line's part within the disc, cut to the two half-planes of the straight sides, which
 * meet at the apex in an angle of at most a half turn. */

gjk_line_hit gjk_line_meet_slice(const gjk_shape *shape, const gjk_line *line) {
    gjk_vec3 p = line->point, d = line->direction;
    double radius = shape->curve.radius, cosine = shape->curve.a.x, sine = shape->curve.a.y;
    double distance = fabs(gjk_cross2(gjk_xy(d), gjk_xy(p)));
    double depth = radius - distance;
    if (depth < line->slack) {
        return gjk_line_passes(-depth, line->slack);
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
