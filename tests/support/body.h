#ifndef TEST_BODY_H
#define TEST_BODY_H

/*
 * A placed shape together with the numbers that it was made of, so that a
 * reference can be computed from the input alone: from all the points given (not
 * the hull that the library kept) and from the angle or quaternion (not the matrix).
 */

#include "gjk/shape.h"
#include "quad.h"

#define TEST_BODY_POINTS_MAX 160

typedef struct test_body {
    gjk_shape_type type;
    uint32_t dimension;
    uint32_t count; /* points whose hull is the core; a box has its corners here */
    gjk_vec3 point[TEST_BODY_POINTS_MAX];
    double radius;   /* own radius of a ball or capsule, else 0 */
    double rounding; /* added to any shape */
    gjk_vec3 position;
    double angle;         /* 2D */
    gjk_quat orientation; /* 3D */
    gjk_shape shape;
    gjk_placed placed; /* borrows shape: valid until the body moves in memory */
} test_body;

/* Shapes of one type in the own frame, at the world's origin; call test_body_build next. */
test_body test_body_ball(uint32_t dimension, double radius);
test_body test_body_segment(uint32_t dimension, gjk_vec3 a, gjk_vec3 b, double radius);
test_body test_body_box(uint32_t dimension, gjk_vec3 half_extents);
/* HULL, POLYGON or TRIANGLE. */
test_body test_body_cloud(gjk_shape_type type, uint32_t dimension, const gjk_vec3 *points,
                          uint32_t count);

/*
 * Makes shape and pose by the library's constructors. Fails the running test when
 * one refuses. The shape lives in the arena.
 */
void test_body_build(test_body *body, struct gjk_arena *arena);

/* Only the pose, after a change of position, angle or orientation (or of place in memory). */
void test_body_place(test_body *body);

/* radius + rounding as the library adds them. */
double test_body_radius(const test_body *body);

/* Point i, turned and moved, in 113 bits: its place in the world less `origin`. */
quad3 test_body_world_point(const test_body *body, uint32_t i, gjk_vec3 origin);

/* All of them. */
void test_body_world_points(const test_body *body, gjk_vec3 origin, quad3 *out);

/* Largest coordinate that stands in the world for it: what an ulp of positions is of. */
double test_body_reach(const test_body *body);

/* One line of text that tells all numbers, to stderr. */
void test_body_print(const char *name, const test_body *body);

#endif
