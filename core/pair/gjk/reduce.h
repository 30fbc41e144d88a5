#ifndef GJK_PAIR_GJK_REDUCE_H
#define GJK_PAIR_GJK_REDUCE_H

/*
 * A simplex and its feature nearest the origin, found by the signs of Voronoi regions in plain
 * arithmetic: what rounding decides wrongly costs a step, and is noticed by what proves the end.
 */

#include "base/eight_lanes.h"
#include "pair/gjk/simplex.h"

/* Squared sine at the newest corner below which the distance of a triangle's plane proves nothing,
 * and the error of that distance, relative to the scale, above it. */
#define SLIVER 1e-4
#define HEIGHT_ERROR 0x1p-38

/* Error bounds for the tetrahedron: |w| is at most 3 scale (a rotated coordinate of b is at most
 * sqrt(3) times its reach), the cross product of two edges at most 36 scale^2, and the error of a
 * triple product at most some 30 roundings of (6 scale)^3. */
#define CROSS_MAX 36.0
#define VOLUME_ERROR 0x1p-38

typedef struct search {
    gjk_vec3 w[4]; /* of the simplex, the newest last */
    uint32_t on_a[4], on_b[4];
    uint32_t count, steps;
    gjk_vec3 direction;                /* from the simplex to the origin, of any length */
    double squared;                    /* of that length */
    double upper_squared, upper_scale; /* |v|^2 is the quotient; scale 0: unknown */
    double bound; /* of the distance from below, times the direction's length; NAN: not found yet */
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

/* The region of a segment, the newer end last. */
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

/* The region of a triangle, the newest corner last: one of its newer edges or the face. */
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

/* The region of a tetrahedron, the newest corner last: one of its newer faces or the inside.
 * Returns true when the origin is inside, farther than `margin` over twice the area of a face from
 * each face. */
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

/* Reduces the simplex to the feature nearest the origin. Returns true if it certainly contains
 * it. */
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

/* Returns how far inside a tetrahedron the origin must be, over twice the area of a face. */
LANES_INLINE double margin_of(double tolerance, double scale) {
    const double squared = scale * scale;
    return CROSS_MAX * tolerance * squared + VOLUME_ERROR * squared * scale;
}

/* Returns true if the origin is beyond the edge of the two older corners of a triangle, where the
 * search may lead from a tetrahedron or from initial points. */
LANES_INLINE bool beyond_oldest_edge(const search *s) {
    const gjk_vec3 a = s->w[0], b = s->w[1], c = s->w[2];
    const gjk_vec3 n = gjk_cross3(gjk_sub3(a, c), gjk_sub3(b, c));
    return !(gjk_dot3(gjk_cross3(gjk_sub3(b, a), n), a) > 0.0);
}

/* Returns true if the sum of the radii surely exceeds the distance of the cores. */
LANES_INLINE bool is_within_radius(const search *s, double radius, double tolerance, double scale) {
    const double reach = radius - tolerance - HEIGHT_ERROR * scale;
    return reach > 0.0 && s->upper_scale > GJK_SQUARED_TINY &&
           s->upper_squared < reach * reach * s->upper_scale &&
           !(s->count == 3 && beyond_oldest_edge(s));
}

#endif
