/*
 * Does a shape that moves in a straight line only slide along another? It does when the two
 * shadows that they cast along the way do not overlap (the separating axis theorem in the plane
 * square to the way). The normal of a contact alone does not tell: where an edge or a corner
 * touches, every normal of a whole cone is right, and detection answers any of them. In the plane
 * the normals that separate the shadows are an arc, which is found by bisection: each support point
 * of the difference that lies beyond the middle of the arc cuts off one half.
 */

#include "ray/slide.h"

#include "shape/support.h"

/* Each step halves the arc: in the end it is as narrow as the tolerance asks for. */
#define STEPS_MAX 40

static gjk_vec3 support_of(const gjk_placed *placed, gjk_vec3 n) {
    const gjk_vec3 own = gjk_mul3_transposed(&placed->pose.rotation, n);
    gjk_vec3 point;
    if (placed->shape->dimension == 2) {
        point = gjk_xy0(gjk_support_of2(placed->shape, gjk_xy(own)));
    } else {
        gjk_support_of3(placed->shape, own.x, own.y, own.z, &point);
    }
    point = gjk_add3(point, gjk_scale3(placed->shape->radius, own));
    return gjk_mul3(&placed->pose.rotation, point);
}

/* The point of target - moving farthest along n. */
static gjk_vec3 support_of_difference(const gjk_way *way, gjk_vec3 n) {
    const gjk_vec3 between = gjk_sub3(way->target->pose.position, way->moving->pose.position);
    const gjk_vec3 of_both =
        gjk_sub3(support_of(way->target, n), support_of(way->moving, gjk_neg3(n)));
    return gjk_add3(between, of_both);
}

static bool separates(const gjk_way *way, gjk_vec3 n) {
    return gjk_dot3(n, support_of_difference(way, n)) <= way->tolerance;
}

static bool separates_one_side(const gjk_way *way, gjk_vec3 n) {
    return separates(way, n) && !separates(way, gjk_neg3(n));
}

/* A unit vector square to the direction, as near the normal as there is one. */
static gjk_vec3 square_to(gjk_vec3 direction, gjk_vec3 normal) {
    gjk_vec3 n = gjk_sub3(normal, gjk_scale3(gjk_dot3(normal, direction), direction));
    if (gjk_length3(n) < 1e-3) { /* head on: any */
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

static bool slides3(const gjk_way *way, gjk_vec3 normal) {
    gjk_vec3 axes[2] = {square_to(way->direction, normal)};
    axes[1] = gjk_cross3(way->direction, axes[0]);
    gjk_vec2 middle = {1, 0}, low = {0, 0}, high = {0, 0};
    for (int step = 0; step < STEPS_MAX; step++) {
        const gjk_vec3 n = in_plane(axes, middle), w = support_of_difference(way, n);
        const gjk_vec2 shadow = {gjk_dot3(axes[0], w), gjk_dot3(axes[1], w)};
        if (gjk_dot2(middle, shadow) <= way->tolerance) {
            return !separates(way, gjk_neg3(n));
        }
        if (step == 0) { /* the half circle away from the shadow of the point */
            middle = gjk_neg2(unit2(shadow));
            low = gjk_right2(middle);
            high = gjk_neg2(low);
            if (separates_one_side(way, in_plane(axes, low)) ||
                separates_one_side(way, in_plane(axes, high))) {
                return true; /* a floor under a face: bisection would never come to the end */
            }
            continue;
        }
        const double at_low = gjk_dot2(low, shadow), at_high = gjk_dot2(high, shadow);
        if (at_low > way->tolerance && at_high > way->tolerance) {
            return false;
        }
        *(at_low < at_high ? &high : &low) = middle;
        middle = unit2(gjk_add2(low, high));
    }
    return false;
}

bool gjk_way_slides(const gjk_way *way, gjk_vec3 normal) {
    if (way->target->shape->dimension == 3) {
        return slides3(way, normal);
    }
    const gjk_vec3 n = gjk_xy0(gjk_right2(gjk_xy(way->direction)));
    return separates_one_side(way, n) || separates_one_side(way, gjk_neg3(n));
}

bool gjk_way_flat_normal(const gjk_way *way, gjk_vec3 *normal) {
    const gjk_shape *shape = way->target->shape;
    if (shape->radius > 0.0 || shape->count != shape->dimension) {
        return false;
    }
    const gjk_vec3 corner = gjk_shape_point(shape, 0);
    const gjk_vec3 edge = gjk_sub3(gjk_shape_point(shape, 1), corner);
    gjk_vec3 n = shape->dimension == 2
                     ? gjk_xy0(gjk_right2(gjk_xy(edge)))
                     : gjk_cross3(edge, gjk_sub3(gjk_shape_point(shape, 2), corner));
    n = gjk_mul3(&way->target->pose.rotation, gjk_scale3(1.0 / gjk_length3(n), n));
    if (separates_one_side(way, n)) {
        *normal = gjk_no_minus_zero3(n);
        return true;
    }
    *normal = gjk_no_minus_zero3(gjk_neg3(n));
    return separates_one_side(way, gjk_neg3(n));
}
