/*
 * The feature of a simplex nearest the origin, by Voronoi regions (Ericson, Real-Time Collision
 * Detection, 5.1): a tetrahedron is reduced to the faces beyond which the origin lies, a triangle
 * to its edges, a segment to its ends. Deviation: exact orientation predicates decide the sides of
 * a tetrahedron, so that rounding cannot lose the origin between two faces.
 */

#include "pair/gjk/simplex.h"

#include "base/double_double.h"
#include "base/predicate.h"

/* Vectors shorter than this are scaled up first: their squares would lose digits or underflow. */
#define TOO_SHORT 0x1p-500
#define SCALE_UP 0x1p600

/* Squared sine at a triangle's corner below which double-double may be too coarse for its normal:
 * its error is up to 2^-103 of the edges' product. */
#define NEEDLE 1e-28

/* Returns ay * bz - az * by for differences in double-double arithmetic. */
static double double_double_minor(gjk_double_double ay, gjk_double_double az, gjk_double_double by,
                                  gjk_double_double bz) {
    gjk_double_double p = gjk_two_product(ay.high, bz.high);
    gjk_double_double q = gjk_two_product(az.high, by.high);
    gjk_double_double d = gjk_two_difference(p.high, q.high);
    double rest = (ay.high * bz.low + ay.low * bz.high) - (az.high * by.low + az.low * by.high);
    return d.high + (d.low + ((p.low - q.low) + rest));
}

static gjk_vec3 precise_cross(const gjk_vec3 *a, const gjk_vec3 *b, const gjk_vec3 *c) {
    gjk_double_double ux = gjk_two_difference(b->x, a->x), vx = gjk_two_difference(c->x, a->x);
    gjk_double_double uy = gjk_two_difference(b->y, a->y), vy = gjk_two_difference(c->y, a->y);
    gjk_double_double uz = gjk_two_difference(b->z, a->z), vz = gjk_two_difference(c->z, a->z);
    return (gjk_vec3){double_double_minor(uy, uz, vy, vz), double_double_minor(uz, ux, vz, vx),
                      double_double_minor(ux, uy, vx, vy)};
}

/* Returns the normal of abc, of any length, in double-double arithmetic if the squared sine of the
 * angle at a is below `sliver`. */
static inline gjk_vec3 cross_of(const gjk_vec3 *a, const gjk_vec3 *b, const gjk_vec3 *c,
                                double sliver) {
    gjk_vec3 u = gjk_sub3(*b, *a), v = gjk_sub3(*c, *a), n = gjk_cross3(u, v);
    if (gjk_dot3(n, n) < sliver * (gjk_dot3(u, u) * gjk_dot3(v, v))) {
        n = precise_cross(a, b, c);
    }
    return n;
}

static inline gjk_vec3 unit3(gjk_vec3 v) {
    double length = gjk_length3(v);
    if (length < TOO_SHORT) {
        v = gjk_scale3(SCALE_UP, v);
        length = gjk_length3(v);
    }
    return length > 0.0 ? gjk_scale3(1.0 / length, v) : v;
}

bool gjk_sliver_normal3(const gjk_vec3 *a, const gjk_vec3 *b, const gjk_vec3 *c, gjk_vec3 *normal) {
    const gjk_vec3 u = gjk_sub3(*b, *a), v = gjk_sub3(*c, *a);
    gjk_vec3 n = cross_of(a, b, c, GJK_SLIVER);
    const double squared = gjk_dot3(n, n), product = gjk_dot3(u, u) * gjk_dot3(v, v);
    if (!(squared > NEEDLE * product && squared > GJK_CROSS_TINY)) {
        n = gjk_cross3_exact(*a, *b, *c);
    }
    *normal = unit3(n);
    return n.x != 0.0 || n.y != 0.0 || n.z != 0.0;
}

void gjk_simplex3_points(const gjk_simplex3 *s, gjk_vec3 *point_a, gjk_vec3 *point_b) {
    const gjk_vertex3 *first = &s->vertex[0];
    *point_a = first->a;
    *point_b = first->b;
    for (uint32_t i = 1; i < s->count; i++) {
        gjk_vec3 to_a = gjk_sub3(s->vertex[i].a, first->a);
        gjk_vec3 to_b = gjk_sub3(s->vertex[i].b, first->b);
        *point_a = gjk_add3(*point_a, gjk_scale3(s->weight[i], to_a));
        *point_b = gjk_add3(*point_b, gjk_scale3(s->weight[i], to_b));
    }
}

gjk_vec3 gjk_simplex3_heading(const gjk_simplex3 *s, const gjk_feature3 *feature) {
    gjk_vec3 a = s->vertex[0].w, v = feature->nearest;
    if (s->count == 3) {
        gjk_vec3 n = cross_of(&a, &s->vertex[1].w, &s->vertex[2].w, GJK_SLIVER);
        if (!(gjk_dot3(n, n) > GJK_CROSS_TINY)) {
            n = gjk_cross3_exact(a, s->vertex[1].w, s->vertex[2].w);
        }
        v = gjk_dot3(n, v) < 0.0 ? gjk_neg3(n) : n;
    } else if (s->count == 2) {
        gjk_vec3 edge = gjk_sub3(s->vertex[1].w, a);
        v = gjk_sub3(v, gjk_scale3(gjk_dot3(v, edge) / gjk_dot3(edge, edge), edge));
    }
    return gjk_dot3(v, v) < TOO_SHORT * TOO_SHORT ? gjk_scale3(SCALE_UP, v) : v;
}

gjk_vec3 gjk_simplex3_direction(const gjk_simplex3 *s, const gjk_feature3 *feature) {
    return unit3(gjk_simplex3_heading(s, feature));
}

void gjk_simplex3_keep(gjk_simplex3 *s, const gjk_feature3 *feature) {
    for (uint32_t i = 0; i < feature->count; i++) {
        if (feature->vertex[i] != i) { /* ascending, so nothing is overwritten before it is read */
            gjk_vertex3_copy(&s->vertex[feature->vertex[i]], &s->vertex[i]);
        }
        s->weight[i] = feature->weight[i];
    }
    s->count = feature->count;
}

void gjk_simplex3_polish(gjk_simplex3 *s) {
    if (s->count != 3) {
        return;
    }
    gjk_vec3 p = s->vertex[0].w;
    gjk_vec3 u = gjk_sub3(s->vertex[1].w, p), v = gjk_sub3(s->vertex[2].w, p);
    gjk_vec3 n = cross_of(&p, &s->vertex[1].w, &s->vertex[2].w, GJK_SLIVER);
    double area = gjk_dot3(n, n);
    gjk_vec3 foot = gjk_add3(p, gjk_add3(gjk_scale3(s->weight[1], u), gjk_scale3(s->weight[2], v)));
    gjk_vec3 rest = gjk_sub3(foot, gjk_scale3(gjk_dot3(n, foot) / area, n));
    double beta = s->weight[1] - gjk_dot3(n, gjk_cross3(rest, v)) / area;
    double gamma = s->weight[2] - gjk_dot3(n, gjk_cross3(u, rest)) / area;
    if (beta >= 0.0 && gamma >= 0.0 && beta + gamma <= 1.0) {
        s->weight[0] = 1.0 - beta - gamma;
        s->weight[1] = beta;
        s->weight[2] = gamma;
    }
}

/* Each try_ function replaces *best by its own feature nearest the origin, if that is nearer. It
 * writes in place, because a returned feature would be copied twice. */

static void try_corner(const gjk_simplex3 *s, uint32_t a, gjk_feature3 *best) {
    gjk_vec3 v = s->vertex[a].w;
    double squared = gjk_dot3(v, v);
    if (squared < best->squared) {
        best->vertex[0] = a;
        best->weight[0] = 1.0;
        best->count = 1;
        best->nearest = v;
        best->squared = squared;
    }
}

/* Tries edge ab, a < b. Weights are computed from the nearer end. */
static void try_edge(const gjk_simplex3 *s, uint32_t a, uint32_t b, gjk_feature3 *best) {
    gjk_vec3 edge = gjk_sub3(s->vertex[b].w, s->vertex[a].w);
    double from_a = -gjk_dot3(s->vertex[a].w, edge), from_b = gjk_dot3(s->vertex[b].w, edge);
    if (from_a <= 0.0 || from_b <= 0.0) {
        try_corner(s, from_a <= 0.0 ? a : b, best);
        return;
    }
    bool near_a = from_a <= from_b;
    double near = (near_a ? from_a : from_b) / gjk_dot3(edge, edge);
    gjk_vec3 v = near_a ? gjk_add3(s->vertex[a].w, gjk_scale3(near, edge))
                        : gjk_sub3(s->vertex[b].w, gjk_scale3(near, edge));
    double weight_b = near_a ? near : 1.0 - near, squared = gjk_dot3(v, v);
    if (squared < best->squared) {
        best->vertex[0] = a;
        best->vertex[1] = b;
        best->weight[0] = 1.0 - weight_b;
        best->weight[1] = weight_b;
        best->count = 2;
        best->nearest = v;
        best->squared = squared;
    }
}

/* Tries face abc and the edges beyond which the origin lies; all three edges if the face has no
 * area. */
static void try_face(const gjk_simplex3 *s, uint32_t a, uint32_t b, uint32_t c,
                     gjk_feature3 *best) {
    gjk_vec3 p = s->vertex[a].w;
    gjk_vec3 u = gjk_sub3(s->vertex[b].w, p), v = gjk_sub3(s->vertex[c].w, p);
    gjk_vec3 n = cross_of(&p, &s->vertex[b].w, &s->vertex[c].w, 1e-6);
    double area = gjk_dot3(n, n);
    /* Barycentric weights of the origin's projection, times area. */
    double weight_b = gjk_dot3(n, gjk_cross3(v, p));
    double weight_c = gjk_dot3(n, gjk_cross3(p, u));
    double weight_a = area - weight_b - weight_c;
    bool flat = !(area > 0.0);
    if (flat || weight_c <= 0.0) {
        try_edge(s, a, b, best);
    }
    if (flat || weight_b <= 0.0) {
        try_edge(s, a, c, best);
    }
    if (flat || weight_a <= 0.0) {
        try_edge(s, b, c, best);
    }
    if (flat || !(weight_a > 0.0 && weight_b > 0.0 && weight_c > 0.0)) {
        return;
    }
    double beta = weight_b / area, gamma = weight_c / area;
    gjk_vec3 foot = gjk_add3(p, gjk_add3(gjk_scale3(beta, u), gjk_scale3(gamma, v)));
    double squared = gjk_dot3(foot, foot);
    if (squared < best->squared) {
        best->vertex[0] = a;
        best->vertex[1] = b;
        best->vertex[2] = c;
        best->weight[0] = 1.0 - beta - gamma;
        best->weight[1] = beta;
        best->weight[2] = gamma;
        best->count = 3;
        best->nearest = foot;
        best->squared = squared;
    }
}

/* Returns the sums of the magnitudes of the products in a cross product. */
static inline gjk_vec3 cross_magnitude(gjk_vec3 a, gjk_vec3 b) {
    return (gjk_vec3){fabs(a.y * b.z) + fabs(a.z * b.y), fabs(a.z * b.x) + fabs(a.x * b.z),
                      fabs(a.x * b.y) + fabs(a.y * b.x)};
}

static inline double dot_magnitude(gjk_vec3 a, gjk_vec3 b) {
    return fabs(a.x) * b.x + fabs(a.y) * b.y + fabs(a.z) * b.z;
}

/* The corners of the faces of a tetrahedron. */
static const uint8_t face[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 1, 3}, {1, 2, 3}};

/*
 * Computes the side of each face on which the origin lies: 1 for the side of the opposite corner,
 * -1 for the other side, 0 on the face. Exact: determinants of three corners each, with the filter
 * of base/predicate.h, else the predicate. Returns true if the tetrahedron has a volume.
 */
static bool find_sides(const gjk_vertex3 *p, int side[4]) {
    static const int8_t turn[4] = {-1, -1, 1, 1}; /* gives all four faces one orientation */
    const gjk_vec3 m = gjk_cross3(p[1].w, p[2].w), n = gjk_cross3(p[3].w, p[0].w);
    const gjk_vec3 m_most = cross_magnitude(p[1].w, p[2].w),
                   n_most = cross_magnitude(p[3].w, p[0].w);
    const double volume[4] = {gjk_dot3(p[0].w, m), gjk_dot3(p[2].w, n), gjk_dot3(p[1].w, n),
                              gjk_dot3(p[3].w, m)};
    const double most[4] = {dot_magnitude(p[0].w, m_most), dot_magnitude(p[2].w, n_most),
                            dot_magnitude(p[1].w, n_most), dot_magnitude(p[3].w, m_most)};
    const double whole = (volume[3] - volume[1]) + (volume[2] - volume[0]);
    const double whole_most = (most[3] + most[1]) + (most[2] + most[0]);
    int winding = whole > 0.0 ? 1 : -1;
    if (!(fabs(whole) > 2.0 * GJK_ORIENT3_ERROR * whole_most + GJK_ORIENT_UNDERFLOW)) {
        winding = gjk_orient3_sign(p[0].w, p[1].w, p[2].w, p[3].w);
    }
    for (int i = 0; i < 4; i++) {
        int sign = volume[i] > 0.0 ? 1 : -1;
        if (!(fabs(volume[i]) > GJK_ORIENT3_ERROR * most[i] + GJK_ORIENT_UNDERFLOW)) {
            sign = -gjk_orient3_exact(p[face[i][0]].w, p[face[i][1]].w, p[face[i][2]].w,
                                      (gjk_vec3){0, 0, 0});
        }
        side[i] = sign * turn[i] * winding;
    }
    return winding != 0;
}

/* Finds the feature of the tetrahedron nearest the origin. Returns true, without a feature, if the
 * tetrahedron contains the origin, unless `surface` asks for its surface in any case. */
static bool find_in_tetrahedron(const gjk_simplex3 *s, bool surface, gjk_feature3 *feature) {
    int side[4];
    const bool all = !find_sides(s->vertex, side) || surface;
    for (int i = 0; i < 4; i++) {
        if (all || side[i] < 0) { /* the origin lies beyond this face */
            try_face(s, face[i][0], face[i][1], face[i][2], feature);
        }
    }
    return feature->count == 0;
}

bool gjk_simplex3_find(const gjk_simplex3 *s, gjk_feature3 *feature) {
    feature->count = 0;
    feature->squared = INFINITY;
    switch (s->count) {
    case 1:
        try_corner(s, 0, feature);
        return false;
    case 2:
        try_edge(s, 0, 1, feature);
        return false;
    case 3:
        try_face(s, 0, 1, 2, feature);
        return false;
    default:
        return find_in_tetrahedron(s, false, feature);
    }
}

void gjk_simplex3_find_surface(const gjk_simplex3 *s, gjk_feature3 *feature) {
    GJK_ASSERT(s->count == 4);
    feature->count = 0;
    feature->squared = INFINITY;
    (void)find_in_tetrahedron(s, true, feature);
}
