/*
 * The gap between a piece and a convex shape along one direction: the difference of their support
 * values. The direction leads from the point of the piece nearest to the shape's centre to that centre
 * (point on triangle after Ericson, Real-Time Collision Detection, 2005, 5.1.5). Any unit direction
 * gives a valid bound, so roundings of the nearest point do no harm.
 */

#include "shape/pieces_gap.h"

#include "base/larger.h"
#include "shape/support.h"

gjk_seen gjk_seen_make(const gjk_pose *frame, const gjk_placed *placed) {
    gjk_seen seen = {{placed->shape, gjk_pose_relative(frame, &placed->pose)}, {0, 0, 0}};
    seen.center = gjk_pose_apply(&seen.placed.pose, placed->shape->center);
    return seen;
}

/* The number s in [0, 1] for which a + s (b - a) is nearest, from the numerators of s and 1 - s. */
static gjk_vec3 between(gjk_vec3 a, gjk_vec3 b, double of_b, double of_a) {
    return gjk_add3(a, gjk_scale3(of_b / (of_b + of_a), gjk_sub3(b, a)));
}

static gjk_vec3 nearest_on_triangle(const gjk_vec3 corners[3], gjk_vec3 p) {
    const gjk_vec3 a = corners[0], b = corners[1], c = corners[2];
    const gjk_vec3 ab = gjk_sub3(b, a), ac = gjk_sub3(c, a);
    const gjk_vec3 ap = gjk_sub3(p, a), bp = gjk_sub3(p, b), cp = gjk_sub3(p, c);
    const double d1 = gjk_dot3(ab, ap), d2 = gjk_dot3(ac, ap);
    if (d1 <= 0.0 && d2 <= 0.0) {
        return a;
    }
    const double d3 = gjk_dot3(ab, bp), d4 = gjk_dot3(ac, bp);
    if (d3 >= 0.0 && d4 <= d3) {
        return b;
    }
    const double of_c = d1 * d4 - d3 * d2;
    if (of_c <= 0.0 && d1 >= 0.0 && d3 <= 0.0) {
        return between(a, b, d1, -d3);
    }
    const double d5 = gjk_dot3(ab, cp), d6 = gjk_dot3(ac, cp);
    if (d6 >= 0.0 && d5 <= d6) {
        return c;
    }
    const double of_b = d5 * d2 - d1 * d6;
    if (of_b <= 0.0 && d2 >= 0.0 && d6 <= 0.0) {
        return between(a, c, d2, -d6);
    }
    const double of_a = d3 * d6 - d5 * d4;
    if (of_a <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) {
        return between(b, c, d4 - d3, d5 - d6);
    }
    const double whole = of_a + of_b + of_c;
    return gjk_add3(a, gjk_add3(gjk_scale3(of_b / whole, ab), gjk_scale3(of_c / whole, ac)));
}

/* The least value of direction . x over a placed shape. */
static double least_along(const gjk_placed *placed, gjk_vec3 direction) {
    const gjk_shape *shape = placed->shape;
    const gjk_vec3 d = gjk_neg3(gjk_mul3_transposed(&placed->pose.rotation, direction));
    gjk_vec3 point;
    if (shape->dimension == 3) {
        gjk_support_of3(shape, d.x, d.y, d.z, &point);
    } else {
        const gjk_vec2 flat = gjk_support_of2(shape, gjk_xy(d));
        point = (gjk_vec3){flat.x, flat.y, 0.0};
    }
    point = gjk_add3(point, shape->offset);
    return gjk_dot3(direction, placed->pose.position) - gjk_dot3(d, point) - shape->radius;
}

/* False where v has no direction that doubles can tell. */
static bool normalise(gjk_vec3 *v) {
    const double square = gjk_dot3(*v, *v);
    if (!(square > 0x1p-900) || !(square < INFINITY)) {
        return false;
    }
    *v = gjk_scale3(1.0 / sqrt(square), *v);
    return true;
}

static const gjk_gap no_gap = {{0, 0, 0}, -INFINITY};

static gjk_gap thin_gap(const struct gjk_pieces *pieces, const gjk_vec3 corners[3],
                        const gjk_seen *seen, gjk_vec3 shift) {
    const gjk_vec3 center = gjk_add3(seen->center, shift);
    gjk_vec3 direction = gjk_sub3(center, nearest_on_triangle(corners, center));
    if (!normalise(&direction)) {
        return no_gap;
    }
    const double most =
        gjk_larger(gjk_dot3(direction, corners[0]),
                   gjk_larger(gjk_dot3(direction, corners[1]), gjk_dot3(direction, corners[2])));
    const double least = least_along(&seen->placed, direction) + gjk_dot3(direction, shift);
    return (gjk_gap){direction, least - most - pieces->rounding};
}

gjk_gap gjk_piece_gap(const struct gjk_pieces *pieces, uint32_t i, const gjk_seen *seen,
                      gjk_vec3 shift) {
    gjk_vec3 corners[3];
    if (gjk_pieces_corners(pieces, i, corners)) {
        return thin_gap(pieces, corners, seen, shift);
    }
    gjk_piece piece;
    gjk_piece_make_own(pieces, i, &piece);
    const gjk_vec3 from = gjk_pose_apply(&piece.placed.pose, piece.placed.shape->center);
    gjk_vec3 direction = gjk_sub3(gjk_add3(seen->center, shift), from);
    if (!normalise(&direction)) {
        return no_gap;
    }
    const double most = -least_along(&piece.placed, gjk_neg3(direction));
    const double least = least_along(&seen->placed, direction) + gjk_dot3(direction, shift);
    return (gjk_gap){direction, least - most};
}
