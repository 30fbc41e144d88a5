/*
 * Larger shapes than a brute force can judge, against exact rational arithmetic (CGAL):
 * signed distances of hulls in any pose and degenerate ones, and which points the hull
 * builder keeps. GJKD_SEED and GJKD_FACTOR as in test_differential.c.
 */

#include "exact.h"
#include "judge.h"
#include "quad.h"
#include "scene.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>

/* Points of one kind, of which hull builders and solvers get some wrong. */
typedef enum cloud_kind {
    IN_A_BALL,
    ON_A_SPHERE,
    ON_A_GRID,   /* many in one plane, many twice */
    NEARLY_FLAT, /* thin by 1e-3 to 1e-15 */
    FLAT,
    ON_A_LINE,
    NEEDLE,   /* long by 1e2 to 1e7 */
    FAR_AWAY, /* from the own origin, by 1 to 1e12 */
    CLOUD_KINDS
} cloud_kind;

static const char *const kind_name[] = {"in a ball", "on a sphere", "on a grid", "nearly flat",
                                        "flat",      "on a line",   "needle",    "far away"};

static gjk_vec3 grid_point(test_rng *rng) {
    int x = test_rng_integer(rng, -2, 2), y = test_rng_integer(rng, -2, 2);
    return (gjk_vec3){x, y, test_rng_integer(rng, -2, 2)};
}

static void make_cloud(test_rng *rng, cloud_kind kind, gjk_vec3 *points, uint32_t count) {
    double thin = test_rng_magnitude(rng, -15, -3), slim = test_rng_magnitude(rng, -7, -2);
    gjk_vec3 far = gjk_scale3(test_rng_magnitude(rng, 0, 12), test_rng_direction(rng, 3));
    gjk_vec3 line = grid_point(rng);
    for (uint32_t i = 0; i < count; i++) {
        gjk_vec3 d = test_rng_direction(rng, 3), p = gjk_scale3(test_rng_uniform(rng, 0, 1), d);
        switch (kind) {
        case ON_A_SPHERE:
            p = d;
            break;
        case ON_A_GRID:
            p = grid_point(rng);
            break;
        case NEARLY_FLAT:
            p.z *= thin;
            break;
        case FLAT:
            p = grid_point(rng);
            p.z = p.x + p.y;
            break;
        case ON_A_LINE:
            p = gjk_scale3(test_rng_integer(rng, -3, 3), line);
            break;
        case NEEDLE:
            p.y *= slim;
            p.z *= slim;
            break;
        case FAR_AWAY:
            p = gjk_add3(p, far);
            break;
        default:
            break;
        }
        points[i] = p;
    }
}

static test_body make_hull(test_rng *rng, cloud_kind kind, uint32_t most) {
    gjk_vec3 points[TEST_BODY_POINTS_MAX];
    uint32_t count = 1 + test_rng_below(rng, most);
    make_cloud(rng, kind, points, count);
    return test_body_cloud(GJK_HULL, 3, points, count);
}

static void flatten(const gjk_vec3 *points, uint32_t count, double *out) {
    for (uint32_t i = 0; i < count; i++) {
        out[3 * i] = points[i].x;
        out[3 * i + 1] = points[i].y;
        out[3 * i + 2] = points[i].z;
    }
}

static test_exact_body exact_of(const test_body *body, double *points) {
    flatten(body->point, body->count, points);
    gjk_vec3 p = body->position;
    gjk_quat q = body->orientation;
    return (test_exact_body){.points = points,
                             .count = body->count,
                             .position = {p.x, p.y, p.z},
                             .orientation = {q.x, q.y, q.z, q.w}};
}

static test_truth truth_of(const test_pair *pair, int *sign) {
    double a[3 * TEST_BODY_POINTS_MAX], b[3 * TEST_BODY_POINTS_MAX];
    const test_exact_body p = exact_of(&pair->a, a), q = exact_of(&pair->b, b);
    test_exact_distance exact = test_exact_signed_distance(&p, &q);
    quad value = quad_sqrt((quad)exact.square_high + exact.square_low);
    *sign = exact.sign;
    return (test_truth){.signed_distance = exact.sign < 0 ? -value : value};
}

static double extent(const test_body *body, bool most) {
    double x = body->point[0].x;
    for (uint32_t i = 1; i < body->count; i++) {
        bool further = most ? body->point[i].x > x : body->point[i].x < x;
        x = further ? body->point[i].x : x;
    }
    return x;
}

/* Where its first point, however far from its own origin, comes to stand in the middle. */
static void bring_back(test_rng *rng, test_body *body) {
    if (test_rng_once_in(rng, 3)) {
        body->orientation = (gjk_quat){0, 0, 0, 1};
    }
    body->position = gjk_neg3(quad3_round(quad3_turn3(body->orientation, body->point[0])));
}

/* In one another or apart; whole numbers, every second time, side by side in one plane. */
static void place(test_rng *rng, cloud_kind kind, test_pair *pair) {
    bool whole = kind == ON_A_GRID || kind == FLAT || kind == ON_A_LINE;
    if (whole && test_rng_once_in(rng, 2)) {
        pair->b.position = grid_point(rng);
        pair->b.position.x = extent(&pair->a, true) - extent(&pair->b, false);
        return;
    }
    test_turn_randomly(rng, &pair->a);
    test_turn_randomly(rng, &pair->b);
    if (kind == FAR_AWAY) {
        bring_back(rng, &pair->a);
        bring_back(rng, &pair->b);
    }
    gjk_vec3 off = gjk_scale3(test_rng_uniform(rng, 0, 2), test_rng_direction(rng, 3));
    pair->b.position = gjk_add3(pair->b.position, off);
}

#define PAIRS 250
#define SHOWN_MAX 3

TEST_EACH(signed_distances, 0, CLOUD_KINDS) {
    static test_pair pair;
    const cloud_kind kind = (cloud_kind)_i;
    test_rng rng = test_rng_make(test_seed() * 1000 + 900 + _i);
    uint64_t pairs = PAIRS * test_factor();
    unsigned wrong = 0, seen[3] = {0, 0, 0};
    test_worst worst = {0};
    struct gjk_arena arena;
    gjk_arena_init(&arena, 0);
    for (uint64_t i = 0; i < pairs; i++) {
        uint32_t most = i % 10 == 0 ? 64 : 20;
        int sign;
        pair.a = make_hull(&rng, kind, most);
        pair.b = make_hull(&rng, test_rng_once_in(&rng, 3) ? IN_A_BALL : kind, most);
        place(&rng, kind, &pair);
        test_pair_build(&pair, &arena);
        test_truth truth = truth_of(&pair, &sign);
        test_judgement j = test_judge(&pair.a, &pair.b, &truth, false, &worst);
        seen[sign + 1]++;
        if (j.complaints != 0 && wrong++ < SHOWN_MAX) {
            test_judgement_print(&j, &pair.a, &pair.b, &truth);
        }
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
    printf("%-12s %u overlapping, %u just touching, %u apart; worst: value %.1e, upper %+.1f ulp, "
           "lower %+.1f ulp\n",
           kind_name[kind], seen[0], seen[1], seen[2], worst.value, worst.upper_ulps,
           worst.lower_ulps);
    fflush(stdout);
    ck_assert_msg(wrong == 0, "%s: %u pairs wrong", kind_name[kind], wrong);
    ck_assert_uint_gt(seen[2], 0);
}

#define CLOUDS 400

/* Compares the hull of a random cloud with CGAL's. In 2D z of the points is 0. */
static void build(test_rng *rng, uint32_t dimension, cloud_kind kind, struct gjk_arena *arena) {
    gjk_vec3 points[TEST_BODY_POINTS_MAX], kept[TEST_BODY_POINTS_MAX];
    double given[3 * TEST_BODY_POINTS_MAX], corners[3 * TEST_BODY_POINTS_MAX];
    uint32_t count = 1 + test_rng_below(rng, TEST_BODY_POINTS_MAX);
    gjk_shape shape;
    make_cloud(rng, kind, points, count);
    for (uint32_t i = 0; i < count && dimension == 2; i++) {
        points[i].z = 0.0;
    }
    ck_assert(gjk_shape_make_hull(arena, dimension, points, count, 0.0, &shape) == GJK_OK);
    for (uint32_t i = 0; i < shape.count; i++) {
        kept[i] = gjk_shape_point(&shape, i);
    }
    flatten(points, count, given);
    flatten(kept, shape.count, corners);
    ck_assert_msg(test_exact_is_hull(dimension, given, count, corners, shape.count),
                  "%uD, %s: not the hull of %u points", dimension, kind_name[kind], count);
}

TEST_EACH(hull_builder, 0, CLOUD_KINDS) {
    test_rng rng = test_rng_make(test_seed() * 1000 + 950 + _i);
    uint64_t clouds = CLOUDS * test_factor();
    struct gjk_arena arena;
    gjk_arena_init(&arena, 0);
    for (uint64_t i = 0; i < clouds; i++) {
        build(&rng, 2, (cloud_kind)_i, &arena);
        build(&rng, 3, (cloud_kind)_i, &arena);
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
}
