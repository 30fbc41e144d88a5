/*
 * Which point of a simplex lies nearest the origin? The 2D twin of simplex3.c: a
 * triangle asks the edges that the origin lies beyond, a segment its ends. The
 * sides of a triangle are told by the exact orientation predicate.
 */

#include "simplex2.h"

#include "predicate.h"

static gjk_vec2 unit2(gjk_vec2 v) {
    double length = gjk_length2(v);
    return length > 0.0 ? gjk_scale2(1.0 / length, v) : v;
}

gjk_vec2 gjk_simplex2_nearest(const gjk_simplex2 *s) {
    const gjk_vec2 first = s->vertex[0].w;
    gjk_vec2 v = first;
    for (uint32_t i = 1; i < s->count; i++) {
        v = gjk_add2(v, gjk_scale2(s->weight[i], gjk_sub2(s->vertex[i].w, first)));
    }
    return v;
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

static gjk_simplex2 simplex_of(const gjk_vertex2 *a, const gjk_vertex2 *b) {
    gjk_simplex2 s = {.count = b != NULL ? 2 : 1};
    s.vertex[0] = *a;
    if (b != NULL) {
        s.vertex[1] = *b;
    }
    return s;
}

/* The part of segment ab nearest the origin. Weights are taken from the nearer end. */
static gjk_simplex2 nearest_of_segment(const gjk_vertex2 *a, const gjk_vertex2 *b) {
    gjk_vec2 edge = gjk_sub2(b->w, a->w);
    double from_a = -gjk_dot2(a->w, edge), from_b = gjk_dot2(b->w, edge);
    if (from_a <= 0.0 || from_b <= 0.0) {
        gjk_simplex2 end = simplex_of(from_a <= 0.0 ? a : b, NULL);
        end.weight[0] = 1.0;
        return end;
    }
    gjk_simplex2 s = from_a <= from_b ? simplex_of(a, b) : simplex_of(b, a);
    s.weight[1] = fmin(from_a, from_b) / gjk_dot2(edge, edge);
    s.weight[0] = 1.0 - s.weight[1];
    return s;
}

static gjk_simplex2 nearer(gjk_simplex2 p, gjk_simplex2 q) {
    gjk_vec2 v = gjk_simplex2_nearest(&p), w = gjk_simplex2_nearest(&q);
    return gjk_dot2(w, w) < gjk_dot2(v, v) ? q : p;
}

/* Reduces triangle vertex[0..2]; true when the origin is in it. */
static bool reduce_triangle(gjk_simplex2 *s) {
    const gjk_vertex2 *p = s->vertex;
    const gjk_vec2 origin = {0, 0};
    int winding = gjk_orient2_sign(p[0].w, p[1].w, p[2].w);
    gjk_simplex2 best = {.count = 0};
    for (int i = 0; i < 3; i++) {
        const gjk_vertex2 *a = &p[i], *b = &p[(i + 1) % 3];
        int side = gjk_orient2_sign(a->w, b->w, origin);
        if (winding != 0 && side * winding >= 0) {
            continue; /* on the inner side of this edge */
        }
        gjk_simplex2 found = nearest_of_segment(a, b);
        best = best.count == 0 ? found : nearer(best, found);
    }
    if (best.count == 0) {
        return true;
    }
    *s = best;
    return false;
}

bool gjk_simplex2_reduce(gjk_simplex2 *s) {
    switch (s->count) {
    case 1:
        s->weight[0] = 1.0;
        return false;
    case 2:
        *s = nearest_of_segment(&s->vertex[0], &s->vertex[1]);
        return false;
    default:
        return reduce_triangle(s);
    }
}
