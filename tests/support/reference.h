#ifndef TEST_REFERENCE_H
#define TEST_REFERENCE_H

/*
 * The true signed distance of two small shapes, by brute force in 113 bits and
 * with nothing of the library's methods: no simplex, no iteration, no hull.
 *
 * s = max over unit n of (min over b of n . b - max over a of n . a), and that
 * maximum is always at one of finitely many n: the direction between two points,
 * from a point square to an edge, square to an edge (2D) or to two edges (3D).
 * Every pair of points counts as an edge. All candidates are evaluated; none can
 * give too much, and one of them gives the truth.
 */

#include "body.h"

typedef struct test_truth {
    quad signed_distance; /* of the shapes, radii included */
    quad3 normal;         /* a unit n that attains it, from a to b */
} test_truth;

/* Bodies of up to about 10 points in 3D, 40 in 2D: O((n + m) n^2 m^2) at worst. */
test_truth test_reference(const test_body *a, const test_body *b);

/* min n . b - max n . a, radii included, for a direction of any length but 0: how far apart
 * (or, negative, how deep in each other) the two are along it. */
quad test_gap_along(const test_body *a, const test_body *b, gjk_vec3 direction);

/* The signed distance of a point of the world from a body, negative inside. */
quad test_point_distance(const test_body *body, gjk_vec3 point);

#endif
