/*
 * Curved shapes: for each kind its support function, derived from the definition of the shape, and
 * the constructor, which checks the numbers and computes the bounding box in the shape's own frame.
 */

#include "shape/convex/support.h"

#include "base/numbers.h"
#include "shape/convex/cloud.h"

/* Margin of a bounding ball's radius, larger than its rounding error. */
#define BALL_SLACK (1.0 + 0x1p-50)

/* Returns v normalized, without intermediate overflow or underflow; zero stays zero. */
static inline gjk_vec3 unit_or_zero(gjk_vec3 v) {
    double squared = gjk_dot3(v, v);
    if (squared > 0x1p-900 && squared < 0x1p900) {
        return gjk_scale3(1.0 / sqrt(squared), v);
    }
    double most = gjk_largest3(v);
    if (most == 0.0) {
        return v;
    }
    gjk_vec3 scaled = {v.x / most, v.y / most, v.z / most};
    return gjk_scale3(1.0 / gjk_length3(scaled), scaled);
}

/* An ellipsoid is a stretched ball. In 2D the third radius is 0. */
static inline gjk_vec3 ellipse_support(const gjk_curve *curve, gjk_vec3 d) {
    const gjk_vec3 radii = curve->a;
    gjk_vec3 stretched = {radii.x * d.x, radii.y * d.y, radii.z * d.z};
    gjk_vec3 u = unit_or_zero(stretched);
    return (gjk_vec3){radii.x * u.x, radii.y * u.y, radii.z * u.z};
}

/* Returns a point of the arc, or the nearer end of the base. */
static inline gjk_vec3 half_ellipse_support(const gjk_curve *curve, gjk_vec3 d) {
    if (d.y > 0.0) {
        return ellipse_support(curve, d);
    }
    return (gjk_vec3){d.x >= 0.0 ? curve->a.x : -curve->a.x, 0.0, 0.0};
}

/* Returns a point of the arc if d points into the sector, else an end of the arc or the apex. */
static inline gjk_vec3 slice_support(const gjk_curve *curve, gjk_vec3 d) {
    double cosine = curve->a.x, sine = curve->a.y;
    if (fabs(d.y) * cosine <= d.x * sine) {
        return gjk_scale3(curve->radius, unit_or_zero(d));
    }
    gjk_vec3 end = {curve->radius * cosine, copysign(curve->radius * sine, d.y), 0.0};
    return gjk_dot3(end, d) > 0.0 ? end : (gjk_vec3){0, 0, 0};
}

/* Returns the support point of a disc perpendicular to the axis of a cylinder or cone. The
 * direction is projected onto the disc's two axes, so that rounding cannot leave the disc's
 * plane. */
static inline gjk_vec3 disc_support(const gjk_curve *curve, gjk_vec3 center, gjk_vec3 d) {
    gjk_vec3 in_disc = {gjk_dot3(curve->across[0], d), gjk_dot3(curve->across[1], d), 0.0};
    gjk_vec3 u = gjk_scale3(curve->radius, unit_or_zero(in_disc));
    return gjk_add3(center,
                    gjk_add3(gjk_scale3(u.x, curve->across[0]), gjk_scale3(u.y, curve->across[1])));
}

/* A cylinder is the hull of two discs. */
static inline gjk_vec3 cylinder_support(const gjk_curve *curve, gjk_vec3 d) {
    bool toward_b = gjk_dot3(gjk_sub3(curve->b, curve->a), d) > 0.0;
    return disc_support(curve, toward_b ? curve->b : curve->a, d);
}

/* A cone is the hull of a disc and its apex. */
static inline gjk_vec3 cone_support(const gjk_curve *curve, gjk_vec3 d) {
    gjk_vec3 rim = disc_support(curve, curve->a, d);
    return gjk_dot3(gjk_sub3(curve->b, rim), d) > 0.0 ? curve->b : rim;
}

static inline gjk_vec3 support(const gjk_shape *shape, gjk_vec3 direction) {
    const gjk_curve *curve = &shape->curve;
    switch (shape->type) {
#define CASE(type, function, ...) \
    case GJK_##type:              \
        return function##_support(curve, direction);
        GJK_CURVE_MAP(CASE)
#undef CASE
    case GJK_CUSTOM:
        return curve->custom.support(curve->custom.user, direction);
    default:
        GJK_ASSERT(false); /* a cloud has no curve */
        return (gjk_vec3){0, 0, 0};
    }
}

void gjk_curve_support(const gjk_shape *shape, double dx, double dy, double dz, gjk_vec3 *point) {
    *point = support(shape, (gjk_vec3){dx, dy, dz});
}

/* Checks lengths that must be positive, and the rounding. */
static gjk_status check(const double *positive, size_t count, double rounding) {
    gjk_status status = GJK_OK;
    for (size_t i = 0; i < count && status == GJK_OK; i++) {
        status = gjk_check_length(positive[i]);
        status = status == GJK_OK && positive[i] == 0.0 ? GJK_OUT_OF_RANGE : status;
    }
    return status == GJK_OK ? gjk_check_length(rounding) : status;
}

/* Sets center, half extents, size and bounding radius from the box of the curve without its radius.
 * The half extents reach both ends even if half of a width rounds to zero. */
static void set_bounds(gjk_shape *shape, gjk_vec3 min, gjk_vec3 max) {
    double r = shape->radius;
    shape->center = gjk_scale3(0.5, gjk_add3(min, max));
    gjk_vec3 up = gjk_sub3(max, shape->center), down = gjk_sub3(shape->center, min);
    gjk_vec3 half = {fmax(up.x, down.x), fmax(up.y, down.y), fmax(up.z, down.z)};
    shape->half_extents =
        (gjk_vec3){half.x + r, half.y + r, shape->dimension == 3 ? half.z + r : 0.0};
    const gjk_vec3 *h = &shape->half_extents;
    double most = fmax(h->x, fmax(h->y, h->z));
    shape->size = 2.0 * most;
    gjk_vec3 scaled = {h->x / most, h->y / most, h->z / most};
    const gjk_vec3 *c = &shape->center;
    shape->reach = fmax(fabs(c->x), fmax(fabs(c->y), fabs(c->z))) + shape->size;
    shape->bounding_radius = most * gjk_length3(scaled) * BALL_SLACK;
}

/* Makes an ellipse with equal radii as a ball, a cloud of one point, which is solved exactly. */
static gjk_status make_round_ellipse(gjk_vec3 radii, gjk_shape *shape) {
    shape->radius += radii.x;
    shape->count = 1;
    shape->stride = GJK_LANES;
    shape->column_count = shape->dimension;
    shape->columns = gjk_origin_columns;
    set_bounds(shape, (gjk_vec3){0, 0, 0}, (gjk_vec3){0, 0, 0});
    return gjk_check_length(shape->radius);
}

gjk_status gjk_shape_make_ellipse(uint32_t dimension, gjk_vec3 radii, double rounding,
                                  gjk_shape *out) {
    const double values[3] = {radii.x, radii.y, radii.z};
    gjk_status status = check(values, dimension == 3 ? 3 : 2, rounding);
    if (status != GJK_OK) {
        return status;
    }
    if (dimension == 2) {
        radii.z = 0.0;
    }
    *out = (gjk_shape){.type = GJK_ELLIPSE, .dimension = dimension, .radius = rounding};
    if (radii.x == radii.y && (dimension == 2 || radii.x == radii.z)) {
        return make_round_ellipse(radii, out);
    }
    out->curve.a = radii;
    set_bounds(out, gjk_neg3(radii), radii);
    return GJK_OK;
}

gjk_status gjk_shape_make_half_ellipse(double width, double height, double rounding,
                                       gjk_shape *out) {
    const double values[2] = {width, height};
    gjk_status status = check(values, 2, rounding);
    if (status != GJK_OK) {
        return status;
    }
    *out = (gjk_shape){.type = GJK_HALF_ELLIPSE, .dimension = 2, .radius = rounding};
    out->curve.a = (gjk_vec3){0.5 * width, height, 0.0};
    set_bounds(out, (gjk_vec3){-0.5 * width, 0, 0}, out->curve.a);
    return GJK_OK;
}

gjk_status gjk_shape_make_slice(double radius, double theta, double rounding, gjk_shape *out) {
    const double values[2] = {radius, theta};
    const double pi = 0x1.921fb54442d18p+1;
    gjk_status status = check(values, 2, rounding);
    if (status != GJK_OK) {
        return status;
    }
    if (theta > pi) {
        return GJK_OUT_OF_RANGE;
    }
    double sine, cosine;
    gjk_sincos(0.5 * theta, &sine, &cosine);
    *out = (gjk_shape){.type = GJK_SLICE, .dimension = 2, .radius = rounding};
    out->curve.a = (gjk_vec3){cosine, sine, 0.0};
    out->curve.radius = radius;
    set_bounds(out, (gjk_vec3){0, -radius * sine, 0}, (gjk_vec3){radius, radius * sine, 0});
    return GJK_OK;
}

/* Computes the unit axis from a to b and two unit vectors perpendicular to it. Returns false if a
 * equals b. */
static bool set_axes(gjk_curve *curve, gjk_vec3 *axis) {
    gjk_vec3 d = gjk_sub3(curve->b, curve->a);
    double most = gjk_largest3(d);
    if (!(most > 0.0)) {
        return false;
    }
    gjk_vec3 u = {d.x / most, d.y / most, d.z / most};
    u = gjk_scale3(1.0 / gjk_length3(u), u);
    curve->across[0] = gjk_perpendicular3(u);
    curve->across[1] = gjk_cross3(u, curve->across[0]);
    *axis = u;
    return true;
}

/* Returns the half width of a disc of radius r on a coordinate axis; along: that component of its
 * unit normal. */
static double disc_reach(double r, double along) {
    return r * sqrt(fmax(0.0, (1.0 - along) * (1.0 + along)));
}

/* Makes a cylinder or a cone; the cone's disc at b is a point. */
static gjk_status make_round(gjk_shape_type type, const gjk_vec3 ends[2], double radius,
                             double rounding, gjk_shape *out) {
    const double values[6] = {ends[0].x, ends[0].y, ends[0].z, ends[1].x, ends[1].y, ends[1].z};
    size_t at;
    gjk_status status = gjk_check_coordinates(values, 6, &at);
    if (status == GJK_OK) {
        status = check(&radius, 1, rounding);
    }
    if (status != GJK_OK) {
        return status;
    }
    gjk_shape shape = {.type = type, .dimension = 3, .radius = rounding};
    gjk_vec3 a = ends[0], b = ends[1], u;
    shape.curve.a = a;
    shape.curve.b = b;
    shape.curve.radius = radius;
    if (!set_axes(&shape.curve, &u)) {
        return GJK_OUT_OF_RANGE;
    }
    gjk_vec3 reach = {disc_reach(radius, u.x), disc_reach(radius, u.y), disc_reach(radius, u.z)};
    gjk_vec3 at_b = type == GJK_CYLINDER ? reach : (gjk_vec3){0, 0, 0};
    gjk_vec3 min = {fmin(a.x - reach.x, b.x - at_b.x), fmin(a.y - reach.y, b.y - at_b.y),
                    fmin(a.z - reach.z, b.z - at_b.z)};
    gjk_vec3 max = {fmax(a.x + reach.x, b.x + at_b.x), fmax(a.y + reach.y, b.y + at_b.y),
                    fmax(a.z + reach.z, b.z + at_b.z)};
    set_bounds(&shape, min, max);
    gjk_set_offset(&shape);
    shape.curve.a = gjk_sub3(a, shape.offset);
    shape.curve.b = gjk_sub3(b, shape.offset);
    *out = shape;
    return GJK_OK;
}

gjk_status gjk_shape_make_cylinder(const gjk_vec3 ends[2], double radius, double rounding,
                                   gjk_shape *out) {
    return make_round(GJK_CYLINDER, ends, radius, rounding, out);
}

gjk_status gjk_shape_make_cone(gjk_vec3 base, gjk_vec3 apex, double radius, double rounding,
                               gjk_shape *out) {
    const gjk_vec3 ends[2] = {base, apex};
    return make_round(GJK_CONE, ends, radius, rounding, out);
}

gjk_status gjk_shape_make_custom(uint32_t dimension, const gjk_custom *custom, double rounding,
                                 gjk_shape *out) {
    const double values[4] = {custom->center.x, custom->center.y, custom->center.z,
                              custom->bounding_radius};
    size_t at;
    gjk_status status = gjk_check_coordinates(values, 4, &at);
    if (status == GJK_OK) {
        status = check(&custom->bounding_radius, 1, rounding);
    }
    if (status != GJK_OK) {
        return status;
    }
    double r = custom->bounding_radius;
    gjk_vec3 half = {r, r, dimension == 3 ? r : 0.0};
    *out = (gjk_shape){.type = GJK_CUSTOM, .dimension = dimension, .radius = rounding};
    out->curve.custom.support = custom->support;
    out->curve.custom.user = custom->user;
    set_bounds(out, gjk_sub3(custom->center, half), gjk_add3(custom->center, half));
    out->bounding_radius = (r + rounding) * BALL_SLACK; /* the ball is known, not the box */
    return GJK_OK;
}
