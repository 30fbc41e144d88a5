/*
 * Is what is told of curves without iteration what the shapes themselves tell? Upright
 * cylinders and cones beside, in and on each other, with balls and capsules; ellipsoids and
 * balls, and ellipsoids around one centre: of every size and proportion, judged by heights
 * along many directions and by the general method.
 */

#include "curved.h"
#include "support/test.h"

#include <stdio.h>

#define PAIRS TEST_CASES(600)
#define ROUNDING_ERROR 4e-15 /* relative to all coordinates */

typedef struct direct_pair {
    test_curved a, b;
    uint32_t dimension;
    double size, scale;
} direct_pair;

static double length_of(test_rng *rng, double size) {
    return size * (test_rng_once_in(rng, 4) ? test_rng_magnitude(rng, -6, 0)
                                            : test_rng_uniform(rng, 0.2, 1));
}

/* Along z, either way up; not centred on its own origin. */
static void make_upright(test_rng *rng, test_curved *c, double size, struct gjk_arena *arena,
                         uint32_t kinds) {
    const double at = size * test_rng_uniform(rng, -1, 1), high = length_of(rng, size);
    const gjk_vec3 foot = {0.3 * size, -0.2 * size, at}, top = {foot.x, foot.y, at + high};
    const gjk_vec3 up[2] = {foot, top}, down[2] = {top, foot};
    const gjk_vec3 *ends = test_rng_once_in(rng, 2) ? up : down;
    double rounding = test_rng_once_in(rng, 3) ? length_of(rng, size) : 0.0;
    switch (test_rng_below(rng, kinds)) {
    case 0:
        test_curved_make_cylinder(c, ends, length_of(rng, size), rounding);
        return;
    case 1:
        test_curved_make_cone(c, ends, length_of(rng, size), rounding);
        return;
    case 2:
        test_curved_make_ball(c, arena, 3, length_of(rng, size));
        return;
    default:
        test_curved_make_capsule(c, arena, ends, length_of(rng, size));
        return;
    }
}

static void make_upright_pair(test_rng *rng, struct gjk_arena *arena, double size, direct_pair *p) {
    make_upright(rng, &p->a, 1.0, arena, 2);
    make_upright(rng, &p->b, size, arena, 4);
}

/* The ball may be a point. */
static void make_ellipse_and_ball(test_rng *rng, struct gjk_arena *arena, double size,
                                  direct_pair *p) {
    gjk_vec3 radii = {length_of(rng, 1), length_of(rng, 1), length_of(rng, 1)};
    radii.y = test_rng_once_in(rng, 4) ? radii.z : radii.y;
    test_curved_make_ellipse(&p->a, p->dimension, radii,
                             test_rng_once_in(rng, 3) ? length_of(rng, 1) : 0);
    test_curved_make_ball(&p->b, arena, p->dimension,
                          test_rng_once_in(rng, 2) ? length_of(rng, size) : 0);
}

static void make_concentric(test_rng *rng, struct gjk_arena *arena, double size, direct_pair *p) {
    gjk_vec3 of_a = {length_of(rng, 1), length_of(rng, 1), length_of(rng, 1)};
    gjk_vec3 of_b = {length_of(rng, size), length_of(rng, size), length_of(rng, size)};
    (void)arena;
    test_curved_make_ellipse(&p->a, p->dimension, of_a, 0);
    test_curved_make_ellipse(&p->b, p->dimension, test_rng_once_in(rng, 4) ? of_a : of_b,
                             test_rng_once_in(rng, 3) ? length_of(rng, size) : 0);
}

static const struct direct_family {
    const char *name;
    uint32_t dimension;
    bool concentric;
    void (*make)(test_rng *rng, struct gjk_arena *arena, double size, direct_pair *p);
} families[] = {
    {"upright", 3, false, make_upright_pair},
    {"ellipse and circle", 2, false, make_ellipse_and_ball},
    {"ellipsoid and ball", 3, false, make_ellipse_and_ball},
    {"concentric ellipses", 2, true, make_concentric},
    {"concentric ellipsoids", 3, true, make_concentric},
};
enum { FAMILIES = sizeof families / sizeof families[0] };

/* One in four on one axis, one in four on one level, one in four near the surface. */
static gjk_vec3 offset_of(test_rng *rng, const direct_pair *p) {
    gjk_vec3 off =
        gjk_scale3(p->size * test_rng_uniform(rng, 0, 1.2), test_rng_direction(rng, p->dimension));
    uint32_t kind = test_rng_below(rng, 4);
    gjk_vec3 on = p->a.a;
    if (kind == 2 && p->a.shape.type == GJK_ELLIPSE) { /* on the sphere, stretched */
        off = test_rng_direction(rng, p->dimension);
        double near = 1.0 + (test_rng_once_in(rng, 2) ? 1 : -1) * test_rng_magnitude(rng, -15, -1);
        return (gjk_vec3){near * on.x * off.x, near * on.y * off.y, near * on.z * off.z};
    }
    return (gjk_vec3){kind == 0 ? 0.0 : off.x, kind == 0 ? 0.0 : off.y, kind == 1 ? 0.0 : off.z};
}

static void place_pair(test_rng *rng, const struct direct_family *family, direct_pair *p) {
    const gjk_vec3 here = {0, 0, 0};
    p->size = fmax(p->a.shape.size, p->b.shape.size);
    gjk_vec3 off = family->concentric ? here : offset_of(rng, p);
    if (p->dimension == 2) {
        double angle = test_rng_once_in(rng, 2) ? 0 : test_rng_uniform(rng, -3, 3);
        test_curved_place2(&p->a, here, angle);
        test_curved_place2(&p->b, gjk_mul3(&p->a.placed.pose.rotation, off), angle);
    } else {
        const gjk_quat none = {0, 0, 0, 1}, turn = test_rng_rotation(rng);
        gjk_quat q = test_rng_once_in(rng, 2) ? none : turn;
        test_curved_place3(&p->a, here, q);
        test_curved_place3(&p->b, gjk_mul3(&p->a.placed.pose.rotation, off), q);
    }
    p->scale = p->a.shape.reach + p->b.shape.reach + gjk_length3(off);
}

static void random_pair(test_rng *rng, const struct direct_family *family, struct gjk_arena *arena,
                        direct_pair *p) {
    double size = test_rng_once_in(rng, 3) ? test_rng_magnitude(rng, -3, 3) : 1.0;
    p->dimension = family->dimension;
    family->make(rng, arena, size, p);
    place_pair(rng, family, p);
    if (test_rng_once_in(rng, 2)) {
        test_curved a = p->a;
        p->a = p->b;
        p->b = a;
        p->a.placed.shape = &p->a.shape;
        p->b.placed.shape = &p->b.shape;
    }
}

static void require_at_most(const direct_pair *p, double x, double most, const char *what) {
    if (!(x <= most)) {
        test_curved_print("a", &p->a);
        test_curved_print("b", &p->b);
        ck_abort_msg("%s: %.17g is more than %.17g", what, x, most);
    }
}

static void require_point(const direct_pair *p, const test_curved *c, gjk_vec3 point,
                          test_rng *rng) {
    for (int i = 0; i < 20; i++) {
        double outside =
            (double)test_curved_outside(c, point, test_rng_direction(rng, p->dimension));
        require_at_most(p, outside, ROUNDING_ERROR * p->scale, "outside the shape");
    }
}

/* The signed distance, with what it owes: exact, and shown by normal and points. */
static double signed_of(const direct_pair *p, const struct gjk_penetration_solver *solver,
                        uint32_t *iterations, test_rng *rng) {
    gjk_detect_settings detect = gjk_detect_settings_default();
    gjk_distance_settings distance = gjk_distance_settings_default();
    detect.solver = distance.solver = solver;
    gjk_detect_result d = gjk_detect(&p->a.placed, &p->b.placed, &detect);
    gjk_distance_result r = gjk_distance(&p->a.placed, &p->b.placed, &distance);
    ck_assert_int_eq(d.state, r.state);
    *iterations = d.iterations > r.iterations ? d.iterations : r.iterations;
    if (rng == NULL) {
        return r.distance > 0 ? r.distance : -d.depth;
    }
    const bool apart = r.distance > 0; /* touching, too, one or the other */
    const double s = apart ? r.distance : -d.depth, slack = ROUNDING_ERROR * p->scale;
    const gjk_vec3 n = apart ? r.normal : d.normal, a = apart ? r.point_a : d.point_a,
                   b = apart ? r.point_b : d.point_b;
    require_at_most(p, d.depth - d.depth_lower_bound + r.distance - r.lower_bound, slack, "bounds");
    require_at_most(p, fabs((double)test_curved_gap(&p->a, &p->b, n) - s), slack, "normal");
    require_at_most(p, (double)test_curved_best_gap(&p->a, &p->b, n, rng) - s, slack, "value");
    gjk_vec3 missed = gjk_sub3(gjk_sub3(b, a), gjk_scale3(s, n));
    require_at_most(p, gjk_length3(missed), slack, "points");
    require_point(p, &p->a, a, rng);
    require_point(p, &p->b, b, rng);
    return s;
}

TEST_EACH(told_at_once, 0, FAMILIES) {
    const struct direct_family *family = &families[_i];
    test_rng rng = test_rng_make(9400 + (uint64_t)_i);
    struct gjk_arena arena;
    static direct_pair p;
    unsigned direct = 0, overlapping = 0;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < PAIRS; i++) {
        uint32_t iterations, others;
        random_pair(&rng, family, &arena, &p);
        double s = signed_of(&p, &gjk_penetration_direct, &iterations, &rng);
        double t = signed_of(&p, &gjk_penetration_epa, &others, NULL);
        require_at_most(&p, t < 0 && s < 0 ? t - s : fabs(s - t), 1e-9 * p.scale, "another method");
        direct += iterations == 1;
        overlapping += s < 0;
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
    ck_assert_uint_gt(direct, PAIRS * 99 / 100);
    ck_assert_uint_gt(overlapping, PAIRS / 5);
    ck_assert(family->concentric || overlapping < 4 * PAIRS / 5);
}
