/*
 * Which point of a curved shape lies farthest along a direction? Each from its
 * definition: an ellipsoid is a stretched ball, a cylinder the hull of two discs, a
 * cone that of a disc and a point, a half ellipse and a slice parts of their curve
 * with its two ends (and the apex).
 */

#include "shape/curve.h"

#include "base/larger.h"

/* v over its length, safe from overflow and underflow; zero stays zero. */
static gjk_vec3 unit_of_extreme(gjk_vec3 v) {
    double most = gjk_larger(fabs(v.x), gjk_larger(fabs(v.y), fabs(v.z)));
    if (most == 0.0) {
        return v;
    }
    gjk_vec3 tame = {v.x / most, v.y / most, v.z / most};
    return gjk_scale3(1.0 / gjk_length3(tame), tame);
}

static inline gjk_vec3 unit_or_zero(gjk_vec3 v) {
    double squared = gjk_dot3(v, v);
    if (squared > 0x1p-900 && squared < 0x1p900) {
        return gjk_scale3(1.0 / sqrt(squared), v);
    }
    return unit_of_extreme(v);
}

static inline gjk_vec3 ellipsoid_support(gjk_vec3 radii, gjk_vec3 d) {
    gjk_vec3 stretched = {radii.x * d.x, radii.y * d.y, radii.z * d.z};
    gjk_vec3 u = unit_or_zero(stretched);
    return (gjk_vec3){radii.x * u.x, radii.y * u.y, radii.z * u.z};
}

/* The arc above the base, or the nearer end of the base. */
static inline gjk_vec3 half_ellipse_support(gjk_vec3 radii, gjk_vec3 d) {
    if (d.y > 0.0) {
        return ellipsoid_support(radii, d);
    }
    return (gjk_vec3){d.x >= 0.0 ? radii.x : -radii.x, 0.0, 0.0};
}

/* The arc when d points into the sector, else an end of the arc or the apex. */
static inline gjk_vec3 slice_support(const gjk_curve *curve, gjk_vec3 d) {
    double cosine = curve->a.x, sine = curve->a.y;
    if (fabs(d.y) * cosine <= d.x * sine) {
        return gjk_scale3(curve->radius, unit_or_zero(d));
    }
    gjk_vec3 end = {curve->radius * cosine, copysign(curve->radius * sine, d.y), 0.0};
    return gjk_dot3(end, d) > 0.0 ? end : (gjk_vec3){0, 0, 0};
}

/*
 * The point of a disc across the axis. The direction is taken apart along the disc's
 * own two axes, so that a direction along the axis never leads off the disc.
 */
static inline gjk_vec3 disc_support(const gjk_curve *curve, gjk_vec3 center, gjk_vec3 d) {
    gjk_vec3 in_disc = {gjk_dot3(curve->across[0], d), gjk_dot3(curve->across[1], d), 0.0};
    gjk_vec3 u = gjk_scale3(curve->radius, unit_or_zero(in_disc));
    return gjk_add3(center,
                    gjk_add3(gjk_scale3(u.x, curve->across[0]), gjk_scale3(u.y, curve->across[1])));
}

static inline gjk_vec3 cylinder_support(const gjk_curve *curve, gjk_vec3 d) {
    bool toward_b = gjk_dot3(gjk_sub3(curve->b, curve->a), d) > 0.0;
    return disc_support(curve, toward_b ? curve->b : curve->a, d);
}

static inline gjk_vec3 cone_support(const gjk_curve *curve, gjk_vec3 d) {
    gjk_vec3 rim = disc_support(curve, curve->a, d);
    return gjk_dot3(gjk_sub3(curve->b, rim), d) > 0.0 ? curve->b : rim;
}

static inline gjk_vec3 support(const gjk_shape *shape, gjk_vec3 direction) {
    const gjk_curve *curve = &shape->curve;
    switch (shape->type) {
    case GJK_ELLIPSE:
        return ellipsoid_support(curve->a, direction);
    case GJK_HALF_ELLIPSE:
        return half_ellipse_support(curve->a, direction);
    case GJK_SLICE:
        return slice_support(curve, direction);
    case GJK_CYLINDER:
        return cylinder_support(curve, direction);
    case GJK_CONE:
        return cone_support(curve, direction);
    case GJK_CUSTOM:
        return curve->support(curve->user, direction);
    default:
        GJK_ASSERT(false); /* a cloud has no curve */
        return (gjk_vec3){0, 0, 0};
    }
}

void gjk_curve_support(const gjk_shape *shape, double dx, double dy, double dz, gjk_vec3 *point) {
    *point = support(shape, (gjk_vec3){dx, dy, dz});
}
