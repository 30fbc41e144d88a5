/*
 * What is the true signed distance? See reference.h. To be quick about it every
 * candidate is first valued in doubles; those that are clearly too small and whose
 * direction is well enough conditioned for doubles to tell are not valued again.
 */

#include "reference.h"

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>

/* A direction whose length is less than this times its ingredients': ask in 113 bits. */
#define WELL_CONDITIONED 1e-3
/* Error of a value in doubles, relative to the coordinates: 4e-16 / WELL_CONDITIONED and room. */
#define PREFILTER 1e-11

typedef struct cloud {
    uint32_t count;
    quad3 point[TEST_BODY_POINTS_MAX];
    gjk_vec3 rough[TEST_BODY_POINTS_MAX]; /* point - point[0] in doubles */
    quad3 *edge;                          /* every pair of points, and the three axes */
    uint32_t edge_count;
} cloud;

typedef struct problem {
    cloud a, b;
    gjk_vec3 rough_between; /* b.point[0] - a.point[0] */
    double scale;
    double best_rough;
    bool valuing; /* second pass */
    quad best;
    quad3 normal;
} problem;

static double value_rough(const problem *p, gjk_vec3 n) {
    double low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < p->b.count; i++) {
        low = fmin(low, gjk_dot3(n, p->b.rough[i]));
    }
    for (uint32_t i = 0; i < p->a.count; i++) {
        high = fmax(high, gjk_dot3(n, p->a.rough[i]));
    }
    return (gjk_dot3(n, p->rough_between) + low - high) / gjk_length3(n);
}

static quad gap_of(const cloud *a, const cloud *b, quad3 n) {
    quad low = quad3_dot(n, b->point[0]), high = quad3_dot(n, a->point[0]);
    for (uint32_t i = 1; i < b->count; i++) {
        quad along = quad3_dot(n, b->point[i]);
        low = along < low ? along : low;
    }
    for (uint32_t i = 1; i < a->count; i++) {
        quad along = quad3_dot(n, a->point[i]);
        high = along > high ? along : high;
    }
    return low - high;
}

static void value(problem *p, quad3 n) {
    n = quad3_unit(n);
    if (!(quad3_dot(n, n) > 0)) {
        return;
    }
    quad gap = gap_of(&p->a, &p->b, n);
    if (gap > p->best) {
        p->best = gap;
        p->normal = n;
    }
}

/* n, made of vectors whose lengths multiply to `ingredients`. */
static void propose(problem *p, quad3 n, double ingredients) {
    gjk_vec3 rough = quad3_round(n);
    double length = gjk_length3(rough);
    bool conditioned = length > WELL_CONDITIONED * ingredients;
    double gap = length > 0.0 ? value_rough(p, rough) : -INFINITY;
    if (!p->valuing) {
        p->best_rough = conditioned ? fmax(p->best_rough, gap) : p->best_rough;
    } else if (!conditioned || gap >= p->best_rough - PREFILTER * p->scale) {
        value(p, n);
    }
}

/* The direction square to two edges, both ways. */
static void propose_cross(problem *p, quad3 e, quad3 f) {
    quad3 n = quad3_cross(e, f);
    double ingredients = gjk_length3(quad3_round(e)) * gjk_length3(quad3_round(f));
    propose(p, n, ingredients);
    propose(p, quad3_scale(-1, n), ingredients);
}

/* The part of w square to an edge. */
static void propose_square(problem *p, quad3 w, quad3 edge) {
    quad square = quad3_dot(edge, edge);
    if (square > 0) {
        quad3 along = quad3_scale(quad3_dot(w, edge) / square, edge);
        propose(p, quad3_sub(w, along), gjk_length3(quad3_round(w)));
    }
}

static void propose_edges_2d(problem *p) {
    const quad3 up = {0, 0, 1};
    for (uint32_t i = 0; i < p->a.edge_count; i++) {
        propose_cross(p, p->a.edge[i], up);
    }
    for (uint32_t k = 0; k < p->b.edge_count; k++) {
        propose_cross(p, p->b.edge[k], up);
    }
}

static void propose_edges_3d(problem *p) {
    for (uint32_t i = 0; i < p->a.edge_count; i++) {
        for (uint32_t k = 0; k < p->b.edge_count; k++) {
            propose_cross(p, p->a.edge[i], p->b.edge[k]);
        }
    }
}

/* Faces: two edges of one triangle. */
static void propose_faces(problem *p, const cloud *c) {
    for (uint32_t i = 0; i < c->count; i++) {
        for (uint32_t j = i + 1; j < c->count; j++) {
            for (uint32_t k = j + 1; k < c->count; k++) {
                propose_cross(p, quad3_sub(c->point[j], c->point[i]),
                              quad3_sub(c->point[k], c->point[i]));
            }
        }
    }
}

static void propose_points(problem *p, uint32_t dimension) {
    for (uint32_t i = 0; i < p->a.count; i++) {
        for (uint32_t k = 0; k < p->b.count; k++) {
            quad3 w = quad3_sub(p->b.point[k], p->a.point[i]);
            propose(p, w, gjk_length3(quad3_round(w)));
            for (uint32_t e = 0; dimension == 3 && e < p->a.edge_count; e++) {
                propose_square(p, w, p->a.edge[e]);
            }
            for (uint32_t e = 0; dimension == 3 && e < p->b.edge_count; e++) {
                propose_square(p, w, p->b.edge[e]);
            }
        }
    }
}

static void propose_all(problem *p, uint32_t dimension) {
    propose_points(p, dimension);
    if (dimension == 2) {
        propose_edges_2d(p);
        return;
    }
    propose_edges_3d(p);
    propose_faces(p, &p->a);
    propose_faces(p, &p->b);
}

static double largest3(gjk_vec3 v) {
    return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
}

/* Points in units near 1, relative to a's position. The axes make edges even of a single point. */
static void fill_cloud(const test_body *body, gjk_vec3 origin, double unit, cloud *c) {
    c->count = body->count;
    test_body_world_points(body, origin, c->point);
    for (uint32_t i = 0; i < c->count; i++) {
        c->point[i] = quad3_scale(unit, c->point[i]);
        c->rough[i] = quad3_round(quad3_sub(c->point[i], c->point[0]));
    }
    c->edge = malloc((c->count * c->count + 3) * sizeof *c->edge);
    ck_assert_ptr_nonnull(c->edge);
    c->edge_count = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        for (uint32_t k = i + 1; k < c->count; k++) {
            c->edge[c->edge_count++] = quad3_sub(c->point[k], c->point[i]);
        }
    }
    c->edge[c->edge_count++] = (quad3){1, 0, 0};
    c->edge[c->edge_count++] = (quad3){0, 1, 0};
    if (body->dimension == 3) {
        c->edge[c->edge_count++] = (quad3){0, 0, 1};
    }
}

static double cloud_size(const cloud *c) {
    double size = 0.0;
    for (uint32_t i = 0; i < c->count; i++) {
        size = fmax(size, largest3(c->rough[i]));
    }
    return size;
}

/* A power of two that brings the pair near 1. */
static double unit_of(const test_body *a, const test_body *b) {
    double most = 0.0;
    for (uint32_t i = 0; i < a->count; i++) {
        most = fmax(most, largest3(a->point[i]));
    }
    for (uint32_t i = 0; i < b->count; i++) {
        most = fmax(most, largest3(b->point[i]));
    }
    most = fmax(most, largest3(gjk_sub3(b->position, a->position)));
    int exponent;
    (void)frexp(most, &exponent);
    return most > 0.0 ? ldexp(1.0, exponent < -1000 ? 1000 : -exponent) : 1.0;
}

test_truth test_reference(const test_body *a, const test_body *b) {
    static problem p; /* large; tests run in one thread */
    double unit = unit_of(a, b);
    fill_cloud(a, a->position, unit, &p.a);
    fill_cloud(b, a->position, unit, &p.b);
    p.rough_between = quad3_round(quad3_sub(p.b.point[0], p.a.point[0]));
    p.scale = largest3(p.rough_between) + cloud_size(&p.a) + cloud_size(&p.b);
    p.best_rough = -INFINITY;
    p.best = -INFINITY;
    p.valuing = false;
    propose_all(&p, a->dimension);
    p.valuing = true;
    propose_all(&p, a->dimension);
    free(p.a.edge);
    free(p.b.edge);
    quad radii = (quad)a->radius + a->rounding + b->radius + b->rounding;
    return (test_truth){p.best / unit - radii, p.normal};
}

quad test_gap_along(const test_body *a, const test_body *b, gjk_vec3 direction) {
    static cloud p, q;
    p.count = a->count;
    q.count = b->count;
    test_body_world_points(a, a->position, p.point);
    test_body_world_points(b, a->position, q.point);
    quad radii = (quad)a->radius + a->rounding + b->radius + b->rounding;
    return gap_of(&p, &q, quad3_unit(quad3_of(direction))) - radii;
}

quad test_point_distance(const test_body *body, gjk_vec3 point) {
    test_body at = test_body_ball(body->dimension, 0.0);
    at.position = point;
    return test_reference(body, &at).signed_distance;
}
