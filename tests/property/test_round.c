/*
 * Do cylinders, cones, capsules and points give the same answers by Newton's method as without it?
 * The twin of each body has the same support function, but is a custom shape, of which only that is
 * known, so the general method alone answers for it. Both prove bounds, which must overlap.
 */

#include "curved.h"
#include "support/test.h"

#define PAIRS 400
#define BOUND_ERROR 1e-13 /* relative to the size and the distance */
#define POINT_ERROR 2e-13
#define STEP_ERROR 1e-9 /* of the way between the points, where rounding ends the general method */

typedef struct round_pair {
    test_curved a, b;
    gjk_shape twin_a, twin_b;
    gjk_placed of_twin_a, of_twin_b;
    double size, scale;
} round_pair;

/* The textbook's support point of a cylinder or cone along z. */
static gjk_vec3 support_of(const void *user, gjk_vec3 d) {
    const test_curved *c = user;
    const gjk_vec3 off = {d.x, d.y, 0.0};
    const double length = gjk_length3(off), r = length > 0.0 ? c->radius / length : 0.0;
    const gjk_vec3 at_a = gjk_add3(c->a, gjk_scale3(r, off));
    const gjk_vec3 at_b = c->shape.type == GJK_CONE ? c->b : gjk_add3(c->b, gjk_scale3(r, off));
    return gjk_dot3(at_b, d) > gjk_dot3(at_a, d) ? at_b : at_a;
}

static void make_twin(const test_curved *c, gjk_shape *twin, gjk_placed *placed) {
    *twin = c->shape;
    if (c->shape.count == 0) {
        const gjk_custom custom = {support_of, c, c->shape.center, c->shape.bounding_radius};
        ck_assert_int_eq(gjk_shape_make_custom(3, &custom, c->rounding, twin), GJK_OK);
        twin->size = c->shape.size; /* which the tolerance is relative to */
    }
    *placed = (gjk_placed){twin, c->placed.pose};
}

static void make_body(test_rng *rng, struct gjk_arena *arena, int kind, double size,
                      test_curved *c) {
    const double half = size * test_rng_uniform(rng, 0.1, 1),
                 r = size * test_rng_uniform(rng, 0.1, 1);
    const gjk_vec3 ends[2] = {{0, 0, -half}, {0, 0, half}};
    const double rounding = test_rng_once_in(rng, 4) ? 0.1 * size : 0.0;
    switch (kind) {
    case 0:
        test_curved_make_cylinder(c, ends, r, rounding);
        break;
    case 1:
        test_curved_make_cone(c, ends, r, rounding);
        break;
    case 2:
        test_curved_make_capsule(c, arena, ends, 0.3 * r);
        break;
    default:
        test_curved_make_ball(c, arena, 3, 0.3 * r);
        break;
    }
}

/* How b stands against a, which is upright at the origin. */
typedef enum round_family {
    ANYHOW,
    DEEP,
    NEARLY_PARALLEL,
    PARALLEL,
    CROSSED,
    COAXIAL,
    FAMILIES
} round_family;

static gjk_quat turn_of(test_rng *rng, round_family family) {
    const gjk_vec3 u = test_rng_direction(rng, 3);
    const double tilt = test_rng_magnitude(rng, -9, -1), half = 0.70710678118654757;
    switch (family) {
    case NEARLY_PARALLEL:
        return (gjk_quat){tilt * u.x, tilt * u.y, 0, sqrt(1.0 - tilt * tilt * (1.0 - u.z * u.z))};
    case PARALLEL:
    case COAXIAL:
        return (gjk_quat){0, 0, 0, 1};
    case CROSSED: /* by a right angle */
        return (gjk_quat){half, 0, 0, half};
    default:
        return test_rng_rotation(rng);
    }
}

static gjk_vec3 way_of(test_rng *rng, round_family family, double reach) {
    gjk_vec3 way = gjk_scale3(test_rng_uniform(rng, 0, 1.2) * reach, test_rng_direction(rng, 3));
    if (family == DEEP) {
        way = gjk_scale3(0.2, way);
    } else if (family == COAXIAL) {
        way.x = way.y = 0.0;
    }
    return way;
}

static void make_pair(test_rng *rng, struct gjk_arena *arena, int kinds, round_pair *p) {
    const round_family family = (round_family)test_rng_below(rng, FAMILIES);
    const double size = test_rng_once_in(rng, 3) ? test_rng_magnitude(rng, -2, 1) : 1.0;
    const gjk_vec3 home =
        gjk_scale3(test_rng_once_in(rng, 2) ? 10.0 : 0.0, test_rng_direction(rng, 3));
    make_body(rng, arena, kinds / 4, 1.0, &p->a);
    make_body(rng, arena, kinds % 4, size, &p->b);
    const double reach = p->a.shape.bounding_radius + p->b.shape.bounding_radius;
    const gjk_quat turn = turn_of(rng, family);
    test_curved_place3(&p->a, home, (gjk_quat){0, 0, 0, 1});
    test_curved_place3(&p->b, gjk_add3(home, way_of(rng, family, reach)), turn);
    p->size = fmax(p->a.shape.size, p->b.shape.size);
    p->scale = p->size + gjk_length3(home) + reach;
}

/* Moves b along the normal until the two nearly touch. */
static void bring_near(test_rng *rng, round_pair *p) {
    gjk_distance_settings how = gjk_distance_settings_default();
    how.is_signed = true;
    const gjk_distance_result r = gjk_distance(&p->a.placed, &p->b.placed, &how);
    const double wanted = test_rng_magnitude(rng, -12, -3) * (test_rng_once_in(rng, 2) ? 1 : -1);
    const gjk_vec3 by = gjk_scale3(wanted - r.signed_distance, r.normal);
    p->b.placed.pose.position = gjk_add3(p->b.placed.pose.position, by);
}

#define REQUIRE(p, condition) require(p, condition, #condition, __LINE__)

static void require(const round_pair *p, bool holds, const char *what, int line) {
    if (!holds) {
        test_curved_print("a", &p->a);
        test_curved_print("b", &p->b);
        ck_abort_msg("line %d: %s", line, what);
    }
}

static void require_points(const round_pair *p, gjk_vec3 a, gjk_vec3 b, gjk_vec3 between,
                           test_rng *rng) {
    const double error = gjk_length3(gjk_sub3(gjk_sub3(b, a), between));
    REQUIRE(p, error <= STEP_ERROR * p->scale);
    for (int i = 0; i < 10; i++) {
        const gjk_vec3 n = test_rng_direction(rng, 3);
        REQUIRE(p, test_curved_outside(&p->a, a, n) <= POINT_ERROR * p->scale);
        REQUIRE(p, test_curved_outside(&p->b, b, n) <= POINT_ERROR * p->scale);
    }
}

/* Bounds of one and the same number by both ways. */
static void require_same(const round_pair *p, double most, double least, double twin_most,
                         double twin_least) {
    const double slack = BOUND_ERROR * p->scale;
    REQUIRE(p, least <= twin_most + slack);
    REQUIRE(p, twin_least <= most + slack);
}

static void check(const round_pair *p, test_rng *rng, unsigned steps[2]) {
    const gjk_detect_settings detect = gjk_detect_settings_default();
    const gjk_distance_settings distance = gjk_distance_settings_default();
    const gjk_detect_result d = gjk_detect(&p->a.placed, &p->b.placed, &detect);
    const gjk_detect_result e = gjk_detect(&p->of_twin_a, &p->of_twin_b, &detect);
    const gjk_distance_result r = gjk_distance(&p->a.placed, &p->b.placed, &distance);
    const gjk_distance_result s = gjk_distance(&p->of_twin_a, &p->of_twin_b, &distance);
    require_same(p, d.depth, d.depth_lower_bound, e.depth, e.depth_lower_bound);
    require_same(p, r.distance, r.lower_bound, s.distance, s.lower_bound);
    REQUIRE(p, d.state == r.state);
    if (d.state == GJK_OVERLAPPING && d.convergence == GJK_CONVERGED) {
        const double along = -(double)test_curved_gap(&p->a, &p->b, d.normal);
        REQUIRE(p, fabs(along - d.depth) <= BOUND_ERROR * p->scale);
        require_points(p, d.point_a, d.point_b, gjk_scale3(-d.depth, d.normal), rng);
    } else if (r.state == GJK_SEPARATED && r.convergence == GJK_CONVERGED) {
        const double along = (double)test_curved_gap(&p->a, &p->b, r.normal);
        REQUIRE(p, r.lower_bound <= along + BOUND_ERROR * p->scale);
        require_points(p, r.point_a, r.point_b, gjk_scale3(r.distance, r.normal), rng);
    }
    steps[0] += d.iterations + r.iterations;
    steps[1] += e.iterations + s.iterations;
}

/* With fewer steps: else nothing but the general method was tested. */
TEST_EACH(agrees_with_the_general_method, 0, 16) {
    test_rng rng = test_rng_make(9700 + (uint64_t)_i);
    struct gjk_arena arena;
    static round_pair p;
    unsigned steps[2] = {0, 0};
    if (_i / 4 >= 2 && _i % 4 >= 2) {
        return; /* two clouds */
    }
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < PAIRS; i++) {
        make_pair(&rng, &arena, _i, &p);
        if (i % 4 == 0) {
            bring_near(&rng, &p);
        }
        make_twin(&p.a, &p.twin_a, &p.of_twin_a);
        make_twin(&p.b, &p.twin_b, &p.of_twin_b);
        check(&p, &rng, steps);
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
    ck_assert_uint_lt(4 * steps[0], 3 * steps[1]);
}
