/*
 * Do witness points lie on their shapes where the polytope gives up? Round bodies deep inside
 * each other have nearly the same depth all around, or the same along a whole circle, and no
 * number of faces brings their bounds together. The points and the normal must be right all
 * the same: the contract of the answer knows no exception.
 */

#include "curved.h"
#include "support/test.h"

#include <stdio.h>

#define PAIRS 60
#define POINT_ERROR 2e-13 /* relative to the size: of a point on a curve, by the depth's */
#define LIMIT_ERROR 2e-14 /* the same at any tolerance and limit, far from the world's origin */
#define STEP_ERROR 1e-12  /* of point_a - point_b, which is made to match */
#define BOUND_ERROR 1e-13 /* relative to the size */

typedef struct deep_pair {
    test_curved a, b;
    gjk_vec3 offset; /* of b's position against a's */
    bool turned;     /* against each other */
    double size;
} deep_pair;

typedef struct deep_family {
    const char *name;
    uint32_t dimension;
    void (*make)(test_rng *rng, deep_pair *p);
} deep_family;

static double some(test_rng *rng) {
    return test_rng_uniform(rng, 0.2, 1);
}

static gjk_vec3 some_radii(test_rng *rng) {
    return (gjk_vec3){some(rng), some(rng), some(rng)};
}

static void make_upright(test_rng *rng, test_curved *c, bool cone) {
    double half = some(rng);
    const gjk_vec3 ends[2] = {{0, 0, -half}, {0, 0, half}};
    if (cone) {
        test_curved_make_cone(c, ends, some(rng), 0);
    } else {
        test_curved_make_cylinder(c, ends, some(rng), 0);
    }
}

static void cone_in_itself(test_rng *rng, deep_pair *p) {
    make_upright(rng, &p->a, true);
    p->b = p->a;
}

static void coaxial_cylinders(test_rng *rng, deep_pair *p) {
    make_upright(rng, &p->a, false);
    make_upright(rng, &p->b, false);
}

static void coaxial_cone_and_cylinder(test_rng *rng, deep_pair *p) {
    make_upright(rng, &p->a, true);
    make_upright(rng, &p->b, false);
}

static void nearly_coaxial_cylinders(test_rng *rng, deep_pair *p) {
    coaxial_cylinders(rng, p);
    p->offset = gjk_scale3(1e-6, test_rng_direction(rng, 3));
}

static void concentric_ellipsoids(test_rng *rng, deep_pair *p) {
    test_curved_make_ellipse(&p->a, 3, some_radii(rng), 0);
    test_curved_make_ellipse(&p->b, 3, some_radii(rng), 0);
    p->turned = test_rng_once_in(rng, 2);
}

static void nearly_round(test_rng *rng, deep_pair *p) {
    test_curved_make_ellipse(&p->a, 3, (gjk_vec3){1, 1.01, 1 - 0.01 * some(rng)}, 0);
    test_curved_make_ellipse(&p->b, 3, (gjk_vec3){1, 1.003, 1 + 0.01 * some(rng)}, 0);
    p->turned = true;
}

static void ellipsoids_off_centre(test_rng *rng, deep_pair *p) {
    concentric_ellipsoids(rng, p);
    p->offset = gjk_scale3(0.2, test_rng_direction(rng, 3));
}

static void slice_in_itself(test_rng *rng, deep_pair *p) {
    test_curved_make_slice(&p->a, some(rng), 3 * some(rng), 0);
    p->b = p->a;
}

static void nearly_round_ellipses(test_rng *rng, deep_pair *p) {
    test_curved_make_ellipse(&p->a, 2, (gjk_vec3){1, 1 - 1e-3 * some(rng), 0}, 0);
    test_curved_make_ellipse(&p->b, 2, (gjk_vec3){1, 1 - 1e-3 * some(rng), 0}, 0);
    p->turned = true;
}

static const deep_family families[] = {
    {"cone in itself", 3, cone_in_itself},
    {"coaxial cylinders", 3, coaxial_cylinders},
    {"coaxial cone and cylinder", 3, coaxial_cone_and_cylinder},
    {"nearly coaxial cylinders", 3, nearly_coaxial_cylinders},
    {"concentric ellipsoids", 3, concentric_ellipsoids},
    {"nearly round ellipsoids", 3, nearly_round},
    {"ellipsoids off centre", 3, ellipsoids_off_centre},
    {"slice in itself", 2, slice_in_itself},
    {"nearly round ellipses", 2, nearly_round_ellipses},
};
enum { FAMILIES = sizeof families / sizeof families[0] };

static void place(test_rng *rng, const deep_family *family, deep_pair *p) {
    const gjk_vec3 home = gjk_scale3(10, test_rng_direction(rng, family->dimension));
    p->offset = (gjk_vec3){0, 0, 0};
    p->turned = false;
    family->make(rng, p);
    test_curved_place_randomly(&p->a, rng, home);
    test_curved_place_randomly(&p->b, rng, gjk_add3(home, p->offset));
    if (!p->turned) {
        p->b.placed.pose.rotation = p->a.placed.pose.rotation;
    }
    p->size = fmax(p->a.shape.size, p->b.shape.size);
}

static void require_at_most(const deep_family *family, const deep_pair *p, double x, double most,
                            const char *what) {
    if (!(x <= most)) {
        test_curved_print("a", &p->a);
        test_curved_print("b", &p->b);
        ck_abort_msg("%s: %s: %.17g is more than %.17g", family->name, what, x, most);
    }
}

/* Along the normal neither inside nor outside; along others, near to it above all, not outside. */
static void require_on(const deep_family *family, const deep_pair *p, const test_curved *c,
                       gjk_vec3 point, gjk_vec3 outward, test_rng *rng) {
    double off = fabs((double)test_curved_outside(c, point, outward));
    require_at_most(family, p, off, POINT_ERROR * p->size, "off the shape along the normal");
    for (int i = 0; i < 40; i++) {
        double far = i < 20 ? 1.0 : test_rng_magnitude(rng, -8, 0);
        gjk_vec3 aside = gjk_scale3(far, test_rng_direction(rng, family->dimension));
        gjk_vec3 n = i < 20 ? aside : gjk_add3(outward, aside);
        double outside = (double)test_curved_outside(c, point, n);
        require_at_most(family, p, outside, POINT_ERROR * p->size, "outside the shape");
    }
}

TEST_EACH(points_are_on_both, 0, FAMILIES) {
    const gjk_detect_settings settings = gjk_detect_settings_default();
    const deep_family *family = &families[_i];
    test_rng rng = test_rng_make(9300 + (uint64_t)_i);
    static deep_pair p;
    for (int i = 0; i < PAIRS; i++) {
        place(&rng, family, &p);
        gjk_detect_result r = gjk_detect(&p.a.placed, &p.b.placed, &settings);
        ck_assert_int_eq(r.state, GJK_OVERLAPPING);
        ck_assert(r.has_points);
        gjk_vec3 between = gjk_sub3(r.point_a, r.point_b);
        double missed = gjk_length3(gjk_sub3(between, gjk_scale3(r.depth, r.normal)));
        require_at_most(family, &p, missed, STEP_ERROR * p.size, "point_a - point_b is off by");
        require_on(family, &p, &p.a, r.point_a, r.normal, &rng);
        require_on(family, &p, &p.b, r.point_b, gjk_neg3(r.normal), &rng);
        double along = -(double)test_curved_gap(&p.a, &p.b, r.normal);
        double best = -(double)test_curved_best_gap(&p.a, &p.b, r.normal, &rng);
        require_at_most(family, &p, fabs(along - r.depth), BOUND_ERROR * p.size, "depth is off by");
        require_at_most(family, &p, r.depth_lower_bound, best + BOUND_ERROR * p.size,
                        "lower bound");
    }
}

/* Not outside of the shape, in any direction. */
static void require_within(const deep_family *family, const deep_pair *p, const test_curved *c,
                           gjk_vec3 point, gjk_vec3 outward, test_rng *rng) {
    for (int i = 0; i < 40; i++) {
        const double far = test_rng_magnitude(rng, -8, 1);
        const gjk_vec3 n =
            gjk_add3(outward, gjk_scale3(far, test_rng_direction(rng, family->dimension)));
        const double outside = (double)test_curved_outside(c, point, n);
        require_at_most(family, p, outside, LIMIT_ERROR * p->size, "outside the shape");
    }
}

/* Whatever the tolerance, and wherever the limit ends the iterations. */
TEST_EACH(points_are_on_both_at_any_limit, 0, FAMILIES) {
    static const double tolerances[] = {1e-10, 1e-4, 1e-2};
    static const uint32_t limits[] = {GJK_ITERATIONS_MIN, 20, 100};
    const deep_family *family = &families[_i];
    test_rng rng = test_rng_make(9400 + (uint64_t)_i);
    static deep_pair p;
    for (int i = 0; i < 9 * PAIRS / 6; i++) {
        gjk_detect_settings settings = gjk_detect_settings_default();
        settings.tolerance = tolerances[i % 3];
        settings.max_iterations = limits[i / 3 % 3];
        place(&rng, family, &p);
        const gjk_detect_result r = gjk_detect(&p.a.placed, &p.b.placed, &settings);
        if (r.state != GJK_OVERLAPPING) {
            ck_assert_int_eq(r.convergence, GJK_ITERATION_LIMIT);
            continue;
        }
        const gjk_vec3 between = gjk_sub3(r.point_a, r.point_b);
        const double missed = gjk_length3(gjk_sub3(between, gjk_scale3(r.depth, r.normal)));
        require_at_most(family, &p, missed, STEP_ERROR * p.size, "point_a - point_b is off by");
        require_within(family, &p, &p.a, r.point_a, r.normal, &rng);
        require_within(family, &p, &p.b, r.point_b, gjk_neg3(r.normal), &rng);
    }
}

/* Two ellipsoids that are not nearly round need no more iterations than the default. */
TEST(ellipsoids_converge) {
    const deep_family off_centre = {"ellipsoids off centre", 3, ellipsoids_off_centre};
    const gjk_detect_settings settings = gjk_detect_settings_default();
    test_rng rng = test_rng_make(9500);
    static deep_pair p;
    for (int i = 0; i < PAIRS; i++) {
        place(&rng, &off_centre, &p);
        const gjk_detect_result r = gjk_detect(&p.a.placed, &p.b.placed, &settings);
        ck_assert_int_eq(r.convergence, GJK_CONVERGED);
    }
}
