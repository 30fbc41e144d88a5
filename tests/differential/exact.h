#ifndef TEST_EXACT_H
#define TEST_EXACT_H

/*
 * References in exact rational arithmetic, by CGAL. The input is what the shapes were
 * made from: the doubles of the points, of the position and of the quaternion, whose
 * rotation is a rational function of it, so that nothing is rounded before the answer.
 */

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* count points of a body in 3D, x y z each. */
typedef struct test_exact_body {
    const double *points;
    unsigned count;
    double position[3], orientation[4]; /* x y z w, of any length but 0 */
    double orientation_rest[4]; /* what is to be added: a turn in the plane has few digits else */
    double way[3], fraction;    /* the position is moved by fraction * way */
    const struct test_exact_body
        *whole; /* in whose frame it stands, its points apart; NULL: the world's */
} test_exact_body;

/* The square of the signed distance of the hulls, as a sum of two doubles, and its sign. */
typedef struct test_exact_distance {
    int sign; /* 1 apart, -1 interiors meet, 0 neither */
    double square_high, square_low;
    bool solid; /* the Minkowski difference has an interior */
} test_exact_distance;

/* Distance by quadratic programming (Polytope_distance_d), depth from the faces of the hull of
 * all differences of points. */
test_exact_distance test_exact_signed_distance(const test_exact_body *a, const test_exact_body *b);

/* Are the points at `kept` (indices) exactly the extreme points of all? Of a coordinate that all
 * share is nothing assumed; duplicates count once. dimension 2: z is not looked at. */
bool test_exact_is_hull(unsigned dimension, const double *points, unsigned count,
                        const double *kept, unsigned kept_count);

#ifdef __cplusplus
}
#endif

#endif
