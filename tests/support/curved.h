#ifndef TEST_CURVED_H
#define TEST_CURVED_H

/*
 * Placed shapes of every type, curved ones above all, with the height of each along a
 * direction by the formula of a textbook in long double: what certificates are checked
 * with. Nothing of the library's support functions is used.
 */

#include "gjk/pair.h"
#include "rng.h"

typedef struct test_curved {
    gjk_vec3 a, b;        /* ellipse, half ellipse: a the radii; cylinder, cone: the ends */
    double radius, theta; /* slice, cylinder, cone, ball */
    double rounding;
    gjk_shape shape;
    gjk_placed placed; /* borrows shape: test_curved_place after a copy */
} test_curved;

/* Shapes in the own frame, without rounding unless said, at the world's origin. */
void test_curved_make_ellipse(test_curved *c, uint32_t dimension, gjk_vec3 radii, double rounding);
void test_curved_make_half_ellipse(test_curved *c, double rx, double height, double rounding);
void test_curved_make_slice(test_curved *c, double radius, double theta, double rounding);
void test_curved_make_cylinder(test_curved *c, const gjk_vec3 ends[2], double radius,
                               double rounding);
void test_curved_make_cone(test_curved *c, const gjk_vec3 ends[2], double radius, double rounding);

/* The next three keep the points in the arena. */
void test_curved_make_ball(test_curved *c, struct gjk_arena *arena, uint32_t dimension,
                           double radius);
void test_curved_make_capsule(test_curved *c, struct gjk_arena *arena, const gjk_vec3 ends[2],
                              double radius);
void test_curved_make_box(test_curved *c, struct gjk_arena *arena, uint32_t dimension,
                          gjk_vec3 half_extents);

/* Of a random curved type, about `size` large; with `any` a box, hull or ball as well. */
void test_curved_make_random(test_curved *c, test_rng *rng, uint32_t dimension, double size,
                             struct gjk_arena *arena, bool any);

/* Turned by angle (2D; 3D about z) or the quaternion. */
void test_curved_place2(test_curved *c, gjk_vec3 position, double angle);
void test_curved_place3(test_curved *c, gjk_vec3 position, gjk_quat orientation);
void test_curved_place_randomly(test_curved *c, test_rng *rng, gjk_vec3 position);

/* max n . x over the shape less n . origin, for a direction n of the world. */
long double test_curved_height(const test_curved *c, gjk_vec3 n, gjk_vec3 origin);

/* How far apart (negative: how deep in each other) the two are along n, whose length is
 * divided out. No direction shows more than their signed distance. */
long double test_curved_gap(const test_curved *a, const test_curved *b, gjk_vec3 n);

/* How far the point is outside along n: no direction shows more than its distance. */
long double test_curved_outside(const test_curved *c, gjk_vec3 point, gjk_vec3 n);

/* The largest gap over many directions, climbing from n and from a net: at most the signed
 * distance, and near it. */
long double test_curved_best_gap(const test_curved *a, const test_curved *b, gjk_vec3 n,
                                 test_rng *rng);

void test_curved_print(const char *name, const test_curved *c);

#endif
