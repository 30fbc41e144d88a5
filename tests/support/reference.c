/*
 * What is the true signed distance? See reference.h. To be quick about it every
 * candidate is first made and valued in doubles; only those that are not clearly too
 * small, and those whose direction is too badly conditioned for doubles to tell, are
 * made and valued again in 113 bits.
 */

#include "reference.h"

#include "checks.h"
#include <stdbool.h>
#include <stdlib.h>

/* A direction shorter than this times its ingredients: doubles do not tell it well enough. */
#define WELL_CONDITIONED 1e-3
/* Error of a value in doubles, relative to the coordinates: 4e-16 / WELL_CONDITIONED and room. */
#define PREFILTER 1e-11

/* A vector, and the same rounded (not computed anew, so it has all digits of a double). */
typedef struct arrow {
    quad3 exact;
    gjk_vec3 rough;
    double length;
} arrow;

typedef struct cloud {
    uint32_t count;
    quad3 point[TEST_BODY_POINTS_MAX];
    gjk_vec3 rough[TEST_BODY_POINTS_MAX]; /* point - point[0] in doubles */
    arrow *edge;                          /* every pair of points, and the axes */
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

/* How a direction is made of two arrows. */
typedef enum recipe {
    AS_IT_IS,      /* the first */
    ACROSS,        /* square to both */
    ACROSS_TURNED, /* the other way */
    BESIDE,        /* the part of the first that is square to the second */
} recipe;

static arrow arrow_of(quad3 exact) {
    gjk_vec3 rough = quad3_round(exact);
    return (arrow){exact, rough, gjk_length3(rough)};
}

static quad3 make_exact(recipe how, const arrow *e, const arrow *f) {
    switch (how) {
    case ACROSS:
        return quad3_cross(e->exact, f->exact);
    case ACROSS_TURNED:
        return quad3_cross(f->exact, e->exact);
    case BESIDE: {
        quad along = quad3_dot(e->exact, f->exact) / quad3_dot(f->exact, f->exact);
        return quad3_sub(e->exact, quad3_scale(along, f->exact));
    }
    default:
        return e->exact;
    }
}

static gjk_vec3 make_rough(recipe how, const arrow *e, const arrow *f) {
    switch (how) {
    case ACROSS:
        return gjk_cross3(e->rough, f->rough);
    case ACROSS_TURNED:
        return gjk_cross3(f->rough, e->rough);
    case BESIDE: {
        double along = gjk_dot3(e->rough, f->rough) / gjk_dot3(f->rough, f->rough);
        return gjk_sub3(e->rough, gjk_scale3(along, f->rough));
    }
    default:
        return e->rough;
    }
}

static double value_rough(const problem *p, gjk_vec3 n) {
    double low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < p->b.count; i++) {
        double along = gjk_dot3(n, p->b.rough[i]);
        low = along < low ? along : low;
    }
    for (uint32_t i = 0; i < p->a.count; i++) {
        double along = gjk_dot3(n, p->a.rough[i]);
        high = along > high ? along : high;
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

static void propose(problem *p, recipe how, const arrow *e, const arrow *f) {
    if (e->length == 0.0 || f->length == 0.0) {
        return;
    }
    gjk_vec3 rough = make_rough(how, e, f);
    bool across = how == ACROSS || how == ACROSS_TURNED;
    double ingredients = across ? e->length * f->length : e->length;
    bool conditioned = gjk_length3(rough) > WELL_CONDITIONED * ingredients;
    if (!p->valuing) {
        p->best_rough = conditioned ? fmax(p->best_rough, value_rough(p, rough)) : p->best_rough;
    } else if (!conditioned || value_rough(p, rough) >= p->best_rough - PREFILTER * p->scale) {
        value(p, make_exact(how, e, f));
    }
}

static void propose_across(problem *p, const arrow *e, const arrow *f) {
    propose(p, ACROSS, e, f);
    propose(p, ACROSS_TURNED, e, f);
}

static void propose_edges_2d(problem *p, const cloud *c) {
    const arrow up = arrow_of((quad3){0, 0, 1});
    for (uint32_t i = 0; i < c->edge_count; i++) {
        propose_across(p, &c->edge[i], &up);
    }
}

static void propose_edges_3d(problem *p) {
    for (uint32_t i = 0; i < p->a.edge_count; i++) {
        for (uint32_t k = 0; k < p->b.edge_count; k++) {
            propose_across(p, &p->a.edge[i], &p->b.edge[k]);
        }
    }
}

/* Faces: two edges of one triangle. */
static void propose_faces(problem *p, const cloud *c) {
    for (uint32_t i = 0; i < c->count; i++) {
        for (uint32_t k = i + 1; k < c->count; k++) {
            const arrow e = arrow_of(quad3_sub(c->point[k], c->point[i]));
            for (uint32_t m = k + 1; m < c->count; m++) {
                const arrow f = arrow_of(quad3_sub(c->point[m], c->point[i]));
                propose_across(p, &e, &f);
            }
        }
    }
}

static void propose_points(problem *p, uint32_t dimension) {
    for (uint32_t i = 0; i < p->a.count; i++) {
        for (uint32_t k = 0; k < p->b.count; k++) {
            const arrow w = arrow_of(quad3_sub(p->b.point[k], p->a.point[i]));
            propose(p, AS_IT_IS, &w, &w);
            for (uint32_t e = 0; dimension == 3 && e < p->a.edge_count; e++) {
                propose(p, BESIDE, &w, &p->a.edge[e]);
            }
            for (uint32_t e = 0; dimension == 3 && e < p->b.edge_count; e++) {
                propose(p, BESIDE, &w, &p->b.edge[e]);
            }
        }
    }
}

static void propose_all(problem *p, uint32_t dimension) {
    propose_points(p, dimension);
    if (dimension == 2) {
        propose_edges_2d(p, &p->a);
        propose_edges_2d(p, &p->b);
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
            c->edge[c->edge_count++] = arrow_of(quad3_sub(c->point[k], c->point[i]));
        }
    }
    c->edge[c->edge_count++] = arrow_of((quad3){1, 0, 0});
    c->edge[c->edge_count++] = arrow_of((quad3){0, 1, 0});
    if (body->dimension == 3) {
        c->edge[c->edge_count++] = arrow_of((quad3){0, 0, 1});
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
