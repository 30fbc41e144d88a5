#ifndef TEST_RAY_CLOSED_H
#define TEST_RAY_CLOSED_H

#include "ray_case.h"

/* What a closed form says in 113 bits of a ray at a ball, a capsule or a box without rounding. */
typedef struct test_closed_hit {
    bool hit;
    quad t;
    quad cosine;    /* of the angle between the ray and the normal: 0 when it grazes */
    quad clearance; /* how far the answer is from being the opposite (a length), >= 0 */
} test_closed_hit;

/* The origin must be outside. */
test_closed_hit test_closed_form(const test_ray_case *c);

/* Where the line leaves; the origin may be inside. */
test_closed_hit test_closed_exit(const test_ray_case *c);

#endif
