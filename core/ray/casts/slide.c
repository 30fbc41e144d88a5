/*
 * The separating axis theorem for a shape that moves in a straight line past another: it only
 * slides along the other if their projections along the path do not overlap. The normal of a
 * contact is not enough: if an edge or a corner touches, all normals of a cone are valid, and
 * detection returns one of them. The separating normals perpendicular to the path form an arc,
 * which is found by bisection: a support point of the difference beyond the middle of the arc
 * excludes one half.
 */

#include "ray/casts/casts.h"

#include "pair/frame.h"
#include "shape/convex/support.h"

/* Least component of a path against the normal that leads into the target: more than rounding tilts
 * a flat floor. */
#define INWARD 0x1p-40

/* Most steps of the bisection. Each halves the arc, from a half turn to 1e-12. */
#define STEPS_MAX 40

static gjk_vec3 support_of(const gjk_placed *placed, gjk_vec3 n) {
    const gjk_vec3 own = gjk_mul3_transposed(&placed->pose.rotation, n);
    const gjk_vec3 ball = gjk_scale3(placed->shape->radius, own);
    return gjk_mul3(&placed->pose.rotation, gjk_add3(gjk_support_of(placed->shape, own), ball));
}

/* Returns the point of target - moving farthest along n. */
static gjk_vec3 support_of_difference(const gjk_path *path, gjk_vec3 n) {
    const gjk_vec3 between = gjk_sub3(path->target->pose.position, path->moving->pose.position);
    const gjk_vec3 of_both =
        gjk_sub3(support_of(path->target, n), support_of(path->moving, gjk_neg3(n)));
    return gjk_add3(between, of_both);
}

bool gjk_path_separates(const gjk_path *path, gjk_vec3 n) {
    return gjk_dot3(n, support_of_difference(path, n)) <= path->tolerance;
}

static bool separates_one_side(const gjk_path *path, gjk_vec3 n) {
    return gjk_path_separates(path, n) && !gjk_path_separates(path, gjk_neg3(n));
}

static bool is_beside(const gjk_path *path, gjk_vec3 n, gjk_vec3 *beside) {
    *beside = n;
    return separates_one_side(path, n);
}

/* Returns the unit vector perpendicular to the direction that is nearest the normal. */
static gjk_vec3 perpendicular_to(gjk_vec3 direction, gjk_vec3 normal) {
    gjk_vec3 n = gjk_sub3(normal, gjk_scale3(gjk_dot3(normal, direction), direction));
    if (gjk_length3(n) < 1e-3) { /* nearly parallel: any perpendicular vector */
        const bool along_x = fabs(direction.x) > 0.7;
        n = gjk_cross3(direction, (gjk_vec3){!along_x, along_x, 0.0});
    }
    return gjk_scale3(1.0 / gjk_length3(n), n);
}

static gjk_vec3 in_plane(const gjk_vec3 axes[2], gjk_vec2 p) {
    return gjk_add3(gjk_scale3(p.x, axes[0]), gjk_scale3(p.y, axes[1]));
}

static gjk_vec2 unit2(gjk_vec2 p) {
    return gjk_scale2(1.0 / gjk_length2(p), p);
}

static bool slides3(const gjk_path *path, gjk_vec3 normal, gjk_vec3 *beside) {
    /* Projections are in the unit of the pair, so that their squares do not vanish. */
    const double unit = gjk_pair_unit(path->target, path->moving);
    const double tolerance = unit * path->tolerance;
    gjk_vec3 axes[2] = {perpendicular_to(path->direction, normal)};
    axes[1] = gjk_cross3(path->direction, axes[0]);
    gjk_vec2 middle = {1, 0}, low = {0, 0}, high = {0, 0};
    for (int step = 0; step < STEPS_MAX; step++) {
        const gjk_vec3 n = in_plane(axes, middle);
        const gjk_vec3 w = gjk_scale3(unit, support_of_difference(path, n));
        const gjk_vec2 projection = {gjk_dot3(axes[0], w), gjk_dot3(axes[1], w)};
        if (gjk_dot2(middle, projection) <= tolerance) {
            *beside = n;
            return !gjk_path_separates(path, gjk_neg3(n));
        }
        if (step == 0) { /* begins with the half circle opposite to the projected point */
            const gjk_vec2 away = gjk_neg2(unit2(projection));
            low = gjk_right2(away);
            high = gjk_neg2(low);
            /* Tries the ends of the arc, as for a face on a floor: bisection does not reach
             * them. */
            if (is_beside(path, in_plane(axes, low), beside) ||
                is_beside(path, in_plane(axes, high), beside)) {
                return true;
            }
            /* Widens the arc by the tolerance: if the two overlap by less, the separating normal
             * may be beyond the half circle. */
            const double beyond = tolerance / gjk_length2(projection);
            low = unit2(gjk_sub2(low, gjk_scale2(beyond, away)));
            high = unit2(gjk_sub2(high, gjk_scale2(beyond, away)));
            middle = away;
            continue;
        }
        const double at_low = gjk_dot2(low, projection), at_high = gjk_dot2(high, projection);
        if (at_low > tolerance && at_high > tolerance) {
            return false;
        }
        *(at_low < at_high ? &high : &low) = middle;
        middle = unit2(gjk_add2(low, high));
    }
    return false;
}

bool gjk_path_slides(const gjk_path *path, gjk_vec3 normal, gjk_vec3 *beside) {
    if (path->target->shape->dimension == 3) {
        return slides3(path, normal, beside);
    }
    const gjk_vec3 n = gjk_xy0(gjk_right2(gjk_xy(path->direction)));
    return is_beside(path, n, beside) || is_beside(path, gjk_neg3(n), beside);
}

bool gjk_path_leads_in(const gjk_path *path, gjk_vec3 normal) {
    gjk_vec3 beside;
    return gjk_dot3(path->direction, normal) < -INWARD &&
           !gjk_path_separates(path, gjk_neg3(normal)) && !gjk_path_slides(path, normal, &beside);
}

bool gjk_path_flat_normal(const gjk_path *path, gjk_vec3 *normal) {
    const gjk_shape *shape = path->target->shape;
    if (!gjk_is_flat(shape)) {
        return false;
    }
    const double unit = gjk_unit_of(shape->size); /* so that no product of lengths vanishes */
    const gjk_vec3 corner = gjk_shape_point(shape, 0);
    const gjk_vec3 edge = gjk_scale3(unit, gjk_sub3(gjk_shape_point(shape, 1), corner));
    gjk_vec3 n =
        shape->dimension == 2
            ? gjk_xy0(gjk_right2(gjk_xy(edge)))
            : gjk_cross3(edge, gjk_scale3(unit, gjk_sub3(gjk_shape_point(shape, 2), corner)));
    n = gjk_mul3(&path->target->pose.rotation, gjk_scale3(1.0 / gjk_length3(n), n));
    if (!separates_one_side(path, n)) {
        n = gjk_neg3(n);
        if (!separates_one_side(path, n)) {
            return false;
        }
    }
    if (!(gjk_dot3(path->direction, n) < -INWARD)) {
        return false;
    }
    *normal = gjk_no_minus_zero3(n);
    return true;
}
