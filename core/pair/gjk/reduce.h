#ifndef GJK_PAIR_GJK_REDUCE_H
#define GJK_PAIR_GJK_REDUCE_H

/*
 * Reduction of a simplex to its feature nearest the origin, by the signs of Voronoi regions in
 * plain arithmetic. A wrong decision by rounding costs a step; the proofs that end the search do
 * not depend on it.
 */

#include "base/eight_lanes.h"
#include "pair/gjk/simplex.h"

/* Squared sine at the newest corner of a triangle below which the distance of its plane proves
 * nothing, and the relative error of that distance above it. */
#define SLIVER 1e-4
#define HEIGHT_ERROR 0x1p-38

/* Error bounds for the tetrahedron: |w| is at most 3 scale (a rotated coordinate of b is at most
 * sqrt(3) times its reach), the cross product of two edges at most 36 scale^2, and the error of a
 * triple product at most about 30 roundings of (6 scale)^3. */
#define CROSS_MAX 36.0
#define VOLUME_ERROR 0x1p-38

typedef struct search {
    gjk_vec3 w[4]; /* points of the simplex, newest last */
    uint32_t on_a[4], on_b[4];
    uint32_t count, steps;
    gjk_vec3 direction;                /* from the simplex to the origin, of any length */
    double squared;                    /* squared length of the direction */
    double upper_squared, upper_scale; /* |v|^2 = upper_squared / upper_scale; scale 0: unknown */
    double bound; /* lower bound of the distance times the direction's length; NAN: unknown */
} search;

LANES_INLINE void keep_corner(search *s, uint32_t from, uint32_t to) {
    s->w[to].x = s->w[from].x;
    s->w[to].y = s->w[from].y;
    s->w[to].z = s->w[from].z;
    s->on_a[to] = s->on_a[from];
    s->on_b[to] = s->on_b[from];
}

LANES_INLINE void reduce_to_corner(search *s) {
    keep_corner(s, s->count - 1, 0);
    s->count = 1;
    s->direction = gjk_neg3(s->w[0]);
    s->squared = s->upper_squared = gjk_dot3(s->w[0], s->w[0]);
    s->upper_scale = 1.0;
}

/* Reduces a segment, newer end last. */
LANES_INLINE void reduce_edge(search *s) {
    const gjk_vec3 a = s->w[1], edge = gjk_sub3(s->w[0], a);
    const double along = -gjk_dot3(a, edge), squared = gjk_dot3(edge, edge);
    if (!(along > 0.0)) {
        reduce_to_corner(s);
        return;
    }
    s->direction = gjk_neg3(gjk_add3(gjk_scale3(squared, a), gjk_scale3(along, edge)));
    s->squared = s->upper_squared = gjk_dot3(s->direction, s->direction);
    s->upper_scale = along < squared ? squared * squared : 0.0;
}

LANES_INLINE void reduce_to_edge(search *s, uint32_t older) {
    keep_corner(s, older, 0);
    keep_corner(s, s->count - 1, 1);
    s->count = 2;
    reduce_edge(s);
}

/* Reduces a triangle, newest corner last, to one of its two newer edges or the face. */
LANES_INLINE void reduce_triangle(search *s) {
    const gjk_vec3 c = s->w[2], to_a = gjk_sub3(s->w[0], c), to_b = gjk_sub3(s->w[1], c);
    const gjk_vec3 n = gjk_cross3(to_a, to_b);
    const double beyond_a = -gjk_dot3(gjk_cross3(to_a, n), c),
                 beyond_b = -gjk_dot3(gjk_cross3(n, to_b), c);
    if (lanes_unbranched((beyond_a > 0.0) | (beyond_b > 0.0))) {
        const bool toward_a = -gjk_dot3(c, to_a) > 0.0;
        const bool is_a = (beyond_a > 0.0) & (toward_a | !(beyond_b > 0.0));
        reduce_to_edge(s, lanes_unbranched(is_a) ? 0 : 1);
        return;
    }
    const double height = gjk_dot3(n, c), squared = gjk_dot3(n, n);
    const double wide = SLIVER * (gjk_dot3(to_a, to_a) * gjk_dot3(to_b, to_b));
    const double way = height > 0.0 ? -1.0 : 1.0;
    s->direction = gjk_scale3(way, n);
    s->squared = squared;
    s->upper_squared = height * height;
    s->upper_scale = squared > wide ? squared : 0.0;
}

/* Reduces a tetrahedron, newest corner last, to one of its three newer faces. Returns true if the
 * origin is inside, with a distance above `margin` / (2 * face area) from each face. */
LANES_INLINE bool reduce_tetrahedron(search *s, double margin, bool by_distance) {
    const gjk_vec3 d = s->w[3], a = gjk_sub3(s->w[0], d), b = gjk_sub3(s->w[1], d);
    const gjk_vec3 c = gjk_sub3(s->w[2], d), bc = gjk_cross3(b, c);
    const gjk_vec3 ca = gjk_cross3(c, a), ab = gjk_cross3(a, b);
    const double volume = gjk_dot3(a, bc), turn = volume > 0.0 ? -1.0 : 1.0;
    const double of_a = turn * gjk_dot3(d, bc), of_b = turn * gjk_dot3(d, ca);
    const double of_c = turn * gjk_dot3(d, ab);
    if (lanes_unbranched((of_a > 0.0) & (of_b > 0.0) & (of_c > 0.0))) {
        const double of_d = fabs(volume) - (of_a + of_b + of_c);
        s->upper_scale = 0.0;
        return (of_a > margin) & (of_b > margin) & (of_c > margin) & (of_d > margin);
    }
    double far_a = of_a, far_b = of_b, far_c = of_c;
    if (by_distance) {
        far_a *= fabs(of_a) / gjk_dot3(bc, bc);
        far_b *= fabs(of_b) / gjk_dot3(ca, ca);
        far_c *= fabs(of_c) / gjk_dot3(ab, ab);
    }
    const bool is_a = (far_a <= far_b) & (far_a <= far_c), is_b = !is_a & (far_b <= far_c);
    const uint32_t first = lanes_unbranched(is_a), second = 2 - lanes_unbranched(!is_a & !is_b);
    keep_corner(s, first, 0);
    keep_corner(s, second, 1);
    keep_corner(s, 3, 2);
    s->count = 3;
    reduce_triangle(s);
    return false;
}

/* Reduces the simplex to the feature nearest the origin. Returns true if it certainly contains the
 * origin. */
LANES_INLINE bool reduce_simplex(search *s, double margin, bool by_distance) {
    if (s->count == 4) {
        return reduce_tetrahedron(s, margin, by_distance);
    }
    if (s->count == 1) {
        reduce_to_corner(s);
    } else if (s->count == 2) {
        reduce_edge(s);
    } else {
        reduce_triangle(s);
    }
    return false;
}

/* Returns the margin for reduce_tetrahedron. */
LANES_INLINE double margin_of(double tolerance, double scale) {
    const double squared = scale * scale;
    return CROSS_MAX * tolerance * squared + VOLUME_ERROR * squared * scale;
}

/* Returns true if the origin is beyond the edge of the two older corners of a triangle, which can
 * happen after a tetrahedron or initial points. */
LANES_INLINE bool beyond_oldest_edge(const search *s) {
    const gjk_vec3 a = s->w[0], b = s->w[1], c = s->w[2];
    const gjk_vec3 n = gjk_cross3(gjk_sub3(a, c), gjk_sub3(b, c));
    return !(gjk_dot3(gjk_cross3(gjk_sub3(b, a), n), a) > 0.0);
}

/* Returns true if the sum of the radii certainly exceeds the distance of the cores. */
LANES_INLINE bool is_within_radius(const search *s, double radius, double tolerance, double scale) {
    const double reach = radius - tolerance - HEIGHT_ERROR * scale;
    return reach > 0.0 && s->upper_scale > GJK_SQUARED_TINY &&
           s->upper_squared < reach * reach * s->upper_scale &&
           !(s->count == 3 && beyond_oldest_edge(s));
}

#endif
