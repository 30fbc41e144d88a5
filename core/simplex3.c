/*
 * Which point of a simplex lies nearest the origin? The cases of Ericson,
 * Real-Time Collision Detection, 5.1, read from the sides inwards: a tetrahedron
 * asks the faces that the origin lies beyond, a triangle the edges, a segment its
 * ends. Deviation: the sides of a tetrahedron are told by exact orientation
 * predicates, so that no rounding can lose the origin between two faces.
 */

#include "simplex3.h"

#include "predicate.h"
#include "twofold.h"

/* (ay * bz - az * by) for differences known as high + low. */
static double minor_of_twofolds(gjk_twofold ay, gjk_twofold az, gjk_twofold by, gjk_twofold bz) {
    gjk_twofold p = gjk_two_product(ay.high, bz.high);
    gjk_twofold q = gjk_two_product(az.high, by.high);
    gjk_twofold d = gjk_two_difference(p.high, q.high);
    double rest = (ay.high * bz.low + ay.low * bz.high) - (az.high * by.low + az.low * by.high);
    return d.high + (d.low + ((p.low - q.low) + rest));
}

static gjk_vec3 precise_cross(gjk_vec3 a, gjk_vec3 b, gjk_vec3 c) {
    gjk_twofold ux = gjk_two_difference(b.x, a.x), vx = gjk_two_difference(c.x, a.x);
    gjk_twofold uy = gjk_two_difference(b.y, a.y), vy = gjk_two_difference(c.y, a.y);
    gjk_twofold uz = gjk_two_difference(b.z, a.z), vz = gjk_two_difference(c.z, a.z);
    return (gjk_vec3){minor_of_twofolds(uy, uz, vy, vz), minor_of_twofolds(uz, ux, vz, vx),
                      minor_of_twofolds(ux, uy, vx, vy)};
}

/* The normal of abc, not of unit length. */
static gjk_vec3 cross_of(gjk_vec3 a, gjk_vec3 b, gjk_vec3 c) {
    const double sliver = 1e-6; /* squared sine of the angle at a */
    gjk_vec3 u = gjk_sub3(b, a), v = gjk_sub3(c, a), n = gjk_cross3(u, v);
    if (gjk_dot3(n, n) < sliver * (gjk_dot3(u, u) * gjk_dot3(v, v))) {
        n = precise_cross(a, b, c);
    }
    return n;
}

static gjk_vec3 unit3(gjk_vec3 v) {
    double length = gjk_length3(v);
    return length > 0.0 ? gjk_scale3(1.0 / length, v) : v;
}

gjk_vec3 gjk_triangle_normal3(gjk_vec3 a, gjk_vec3 b, gjk_vec3 c) {
    return unit3(cross_of(a, b, c));
}

gjk_vec3 gjk_simplex3_nearest(const gjk_simplex3 *s) {
    const gjk_vec3 first = s->vertex[0].w;
    gjk_vec3 v = first;
    for (uint32_t i = 1; i < s->count; i++) {
        v = gjk_add3(v, gjk_scale3(s->weight[i], gjk_sub3(s->vertex[i].w, first)));
    }
    return v;
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

gjk_vec3 gjk_simplex3_direction(const gjk_simplex3 *s, gjk_vec3 v) {
    if (s->count == 3) {
        gjk_vec3 a = s->vertex[0].w;
        gjk_vec3 n = gjk_triangle_normal3(a, s->vertex[1].w, s->vertex[2].w);
        return gjk_dot3(n, v) < 0.0 ? gjk_neg3(n) : n;
    }
    gjk_vec3 n = unit3(v);
    if (s->count == 2) {
        gjk_vec3 edge = unit3(gjk_sub3(s->vertex[1].w, s->vertex[0].w));
        n = unit3(gjk_sub3(n, gjk_scale3(gjk_dot3(n, edge), edge)));
    }
    return n;
}

static gjk_simplex3 simplex_of(const gjk_vertex3 *a, const gjk_vertex3 *b, const gjk_vertex3 *c) {
    gjk_simplex3 s = {.count = c != NULL ? 3 : b != NULL ? 2 : 1};
    s.vertex[0] = *a;
    if (b != NULL) {
        s.vertex[1] = *b;
    }
    if (c != NULL) {
        s.vertex[2] = *c;
    }
    return s;
}

/* The part of segment ab nearest the origin. Weights are taken from the nearer end. */
static gjk_simplex3 nearest_of_segment(const gjk_vertex3 *a, const gjk_vertex3 *b) {
    gjk_vec3 edge = gjk_sub3(b->w, a->w);
    double from_a = -gjk_dot3(a->w, edge), from_b = gjk_dot3(b->w, edge);
    if (from_a <= 0.0 || from_b <= 0.0) {
        gjk_simplex3 end = simplex_of(from_a <= 0.0 ? a : b, NULL, NULL);
        end.weight[0] = 1.0;
        return end;
    }
    gjk_simplex3 s = from_a <= from_b ? simplex_of(a, b, NULL) : simplex_of(b, a, NULL);
    s.weight[1] = fmin(from_a, from_b) / gjk_dot3(edge, edge);
    s.weight[0] = 1.0 - s.weight[1];
    return s;
}

static gjk_simplex3 nearer(gjk_simplex3 p, gjk_simplex3 q) {
    gjk_vec3 v = gjk_simplex3_nearest(&p), w = gjk_simplex3_nearest(&q);
    return gjk_dot3(w, w) < gjk_dot3(v, v) ? q : p;
}

/* The part of triangle abc nearest the origin. */
static gjk_simplex3 nearest_of_triangle(const gjk_vertex3 *a, const gjk_vertex3 *b,
                                        const gjk_vertex3 *c) {
    gjk_vec3 n = cross_of(a->w, b->w, c->w);
    gjk_vec3 u = gjk_sub3(b->w, a->w), v = gjk_sub3(c->w, a->w);
    double area = gjk_dot3(n, n);
    /* Barycentric weights of the origin's projection, times area. */
    double weight_b = gjk_dot3(n, gjk_cross3(v, a->w));
    double weight_c = gjk_dot3(n, gjk_cross3(a->w, u));
    double weight_a = area - weight_b - weight_c;
    if (area > 0.0 && weight_a > 0.0 && weight_b > 0.0 && weight_c > 0.0) {
        gjk_simplex3 face = simplex_of(a, b, c);
        face.weight[1] = weight_b / area;
        face.weight[2] = weight_c / area;
        face.weight[0] = 1.0 - face.weight[1] - face.weight[2];
        return face;
    }
    /* Beyond one edge: that edge. Beyond two: the nearer. No area: any of the three. */
    bool flat = !(area > 0.0);
    gjk_simplex3 best = {.count = 0};
    if (flat || weight_c <= 0.0) {
        best = nearest_of_segment(a, b);
    }
    if (flat || weight_b <= 0.0) {
        gjk_simplex3 s = nearest_of_segment(a, c);
        best = best.count == 0 ? s : nearer(best, s);
    }
    if (flat || weight_a <= 0.0) {
        gjk_simplex3 s = nearest_of_segment(b, c);
        best = best.count == 0 ? s : nearer(best, s);
    }
    return best;
}

/* Reduces tetrahedron vertex[0..3]; true when the origin is in it. */
static bool reduce_tetrahedron(gjk_simplex3 *s) {
    static const uint8_t face[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}};
    const gjk_vertex3 *p = s->vertex;
    const gjk_vec3 origin = {0, 0, 0};
    int winding = gjk_orient3_sign(p[0].w, p[1].w, p[2].w, p[3].w);
    gjk_simplex3 best = {.count = 0};
    for (int i = 0; i < 4; i++) {
        const gjk_vertex3 *a = &p[face[i][0]], *b = &p[face[i][1]], *c = &p[face[i][2]];
        int side = gjk_orient3_sign(a->w, b->w, c->w, origin);
        if (winding != 0 && side * winding >= 0) {
            continue; /* on the inner side of this face */
        }
        gjk_simplex3 found = nearest_of_triangle(a, b, c);
        best = best.count == 0 ? found : nearer(best, found);
    }
    if (best.count == 0) {
        return true;
    }
    *s = best;
    return false;
}

bool gjk_simplex3_reduce(gjk_simplex3 *s) {
    switch (s->count) {
    case 1:
        s->weight[0] = 1.0;
        return false;
    case 2:
        *s = nearest_of_segment(&s->vertex[0], &s->vertex[1]);
        return false;
    case 3:
        *s = nearest_of_triangle(&s->vertex[0], &s->vertex[1], &s->vertex[2]);
        return false;
    default:
        return reduce_tetrahedron(s);
    }
}
