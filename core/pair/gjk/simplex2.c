/*
 * The feature of a simplex nearest the origin, in 2D: the twin of simplex3.c. A triangle is reduced
 * to an edge beyond which the origin lies, a segment to one of its ends, by Voronoi regions. The
 * exact orientation predicate decides the sides of a triangle.
 */

#include "pair/gjk/simplex.h"

#include "base/predicate.h"

/* Vectors shorter than this are scaled up first: their squares would lose digits or underflow. */
#define TOO_SHORT 0x1p-500
#define SCALE_UP 0x1p600

static gjk_vec2 unit2(gjk_vec2 v) {
    double length = gjk_length2(v);
    if (length < TOO_SHORT) {
        v = gjk_scale2(SCALE_UP, v);
        length = gjk_length2(v);
    }
    return length > 0.0 ? gjk_scale2(1.0 / length, v) : v;
}

void gjk_simplex2_points(const gjk_simplex2 *s, gjk_vec2 *point_a, gjk_vec2 *point_b) {
    const gjk_vertex2 *first = &s->vertex[0];
    *point_a = first->a;
    *point_b = first->b;
    for (uint32_t i = 1; i < s->count; i++) {
        gjk_vec2 to_a = gjk_sub2(s->vertex[i].a, first->a);
        gjk_vec2 to_b = gjk_sub2(s->vertex[i].b, first->b);
        *point_a = gjk_add2(*point_a, gjk_scale2(s->weight[i], to_a));
        *point_b = gjk_add2(*point_b, gjk_scale2(s->weight[i], to_b));
    }
}

gjk_vec2 gjk_simplex2_direction(const gjk_simplex2 *s, gjk_vec2 v) {
    if (s->count == 2) {
        gjk_vec2 n = unit2(gjk_right2(gjk_sub2(s->vertex[1].w, s->vertex[0].w)));
        return gjk_dot2(n, v) < 0.0 ? gjk_neg2(n) : n;
    }
    return unit2(v);
}

void gjk_simplex2_keep(gjk_simplex2 *s, const gjk_feature2 *feature) {
    gjk_vertex2 kept[2];
    for (uint32_t i = 0; i < feature->count; i++) {
        kept[i] = s->vertex[feature->vertex[i]];
    }
    for (uint32_t i = 0; i < feature->count; i++) {
        s->vertex[i] = kept[i];
        s->weight[i] = feature->weight[i];
    }
    s->count = feature->count;
}

static gjk_feature2 corner(const gjk_simplex2 *s, uint32_t a) {
    gjk_vec2 v = s->vertex[a].w;
    return (gjk_feature2){{a}, {1.0}, 1, v, gjk_dot2(v, v)};
}

/* Returns the feature of edge ab nearest the origin. Weights are computed from the nearer end. */
static gjk_feature2 nearest_of_edge(const gjk_simplex2 *s, uint32_t a, uint32_t b) {
    gjk_vec2 edge = gjk_sub2(s->vertex[b].w, s->vertex[a].w);
    double from_a = -gjk_dot2(s->vertex[a].w, edge), from_b = gjk_dot2(s->vertex[b].w, edge);
    if (from_a <= 0.0 || from_b <= 0.0) {
        return corner(s, from_a <= 0.0 ? a : b);
    }
    bool near_a = from_a <= from_b;
    double weight = fmin(from_a, from_b) / gjk_dot2(edge, edge);
    gjk_vec2 v = near_a ? gjk_add2(s->vertex[a].w, gjk_scale2(weight, edge))
                        : gjk_sub2(s->vertex[b].w, gjk_scale2(weight, edge));
    return (gjk_feature2){{near_a ? a : b, near_a ? b : a},
                          {1.0 - weight, weight},
                          2,
                          v,
                          gjk_dot2(v, v)};
}

/* Finds the feature of the triangle nearest the origin. Returns true, without a feature, if the
 * triangle contains the origin, unless `surface` asks for the nearest edge in any case. */
static bool find_in_triangle(const gjk_simplex2 *s, bool surface, gjk_feature2 *feature) {
    static const uint8_t edge[3][2] = {{0, 1}, {1, 2}, {2, 0}};
    const gjk_vertex2 *p = s->vertex;
    const gjk_vec2 origin = {0, 0};
    int winding = gjk_orient2_sign(p[0].w, p[1].w, p[2].w);
    gjk_feature2 best = {.squared = INFINITY};
    for (int i = 0; i < 3; i++) {
        uint32_t a = edge[i][0], b = edge[i][1];
        int side = gjk_orient2_sign(p[a].w, p[b].w, origin);
        if (surface || winding == 0 || side * winding < 0) { /* the origin lies beyond this edge */
            gjk_feature2 found = nearest_of_edge(s, a, b);
            best = found.squared < best.squared ? found : best;
        }
    }
    *feature = best;
    return best.count == 0;
}

bool gjk_simplex2_find(const gjk_simplex2 *s, gjk_feature2 *feature) {
    switch (s->count) {
    case 1:
        *feature = corner(s, 0);
        return false;
    case 2:
        *feature = nearest_of_edge(s, 0, 1);
        return false;
    default:
        return find_in_triangle(s, false, feature);
    }
}

void gjk_simplex2_find_surface(const gjk_simplex2 *s, gjk_feature2 *feature) {
    GJK_ASSERT(s->count == 3);
    (void)find_in_triangle(s, true, feature);
}
