/*
 * Are the answers about curved shapes proven by the shapes themselves? The height of a
 * shape along a direction is a formula; from two heights follows a bound for the
 * signed distance that no direction may exceed and that the normal must attain.
 */

#include "curved.h"
#include "support/test.h"

#include <stdio.h>

#define PAIRS 2000
#define CONVERGED_ERROR 1e-9 /* relative to the size, where converged */
#define ROUNDING_ERROR 1e-13 /* relative to the size and the distance */

typedef struct curved_pair {
    test_curved a, b;
    double size, scale;
} curved_pair;

#define REQUIRE(p, condition) require(p, condition, #condition, __LINE__)
#define REQUIRE_AT_MOST(p, x, most) require_at_most(p, x, most, #x, __LINE__)

static void require(const curved_pair *p, bool holds, const char *what, int line) {
    if (!holds) {
        const gjk_detect_settings settings = gjk_detect_settings_default();
        gjk_detect_result r = gjk_detect(&p->a.placed, &p->b.placed, &settings);
        test_curved_print("a", &p->a);
        test_curved_print("b", &p->b);
        fprintf(stderr, "state %d, convergence %d, depth %.17g, at least %.17g\n", (int)r.state,
                (int)r.convergence, r.depth, r.depth_lower_bound);
        ck_abort_msg("line %d: %s", line, what);
    }
}

static void require_at_most(const curved_pair *p, double x, double most, const char *what,
                            int line) {
    if (!(x <= most)) {
        fprintf(stderr, "%.17g is more than %.17g\n", x, most);
        require(p, false, what, line);
    }
}

static void measure(curved_pair *p) {
    p->size = fmax(p->a.shape.size, p->b.shape.size);
    p->scale =
        p->size + gjk_length3(gjk_sub3(p->a.placed.pose.position, p->b.placed.pose.position));
}

/* About half of them overlapping; once in eight centred on each other. */
static void random_pair(test_rng *rng, uint32_t dimension, struct gjk_arena *arena,
                        curved_pair *p) {
    double size = test_rng_once_in(rng, 3) ? test_rng_magnitude(rng, -2, 2) : 1.0;
    gjk_vec3 home = gjk_scale3(10, test_rng_direction(rng, dimension));
    test_curved_make_random(&p->a, rng, dimension, 1.0, arena, false);
    test_curved_make_random(&p->b, rng, dimension, size, arena, true);
    double apart = test_rng_uniform(rng, 0, 1.6) * (p->a.shape.size + p->b.shape.size) / 2;
    apart = test_rng_once_in(rng, 8) ? 0.0 : apart;
    test_curved_place_randomly(&p->a, rng, home);
    gjk_vec3 away = gjk_scale3(apart, test_rng_direction(rng, dimension));
    test_curved_place_randomly(&p->b, rng, gjk_add3(home, away));
    measure(p);
}

/* At most the truth, as near to it as a search comes. */
static void require_bounds(const curved_pair *p, const gjk_detect_result *d,
                           const gjk_distance_result *r, test_rng *rng) {
    gjk_vec3 n = d->state == GJK_SEPARATED ? r->normal : d->normal;
    double slack = ROUNDING_ERROR * p->scale;
    double best = (double)test_curved_best_gap(&p->a, &p->b, n, rng);
    double along = (double)test_curved_gap(&p->a, &p->b, n);
    if (d->state == GJK_SEPARATED) {
        REQUIRE_AT_MOST(p, best, r->distance + slack);
    } else {
        REQUIRE_AT_MOST(p, d->depth_lower_bound, fmax(-best, 0.0) + slack);
        REQUIRE_AT_MOST(p, fabs(fmax(-along, 0.0) - d->depth), slack);
    }
    if (d->state == GJK_OVERLAPPING && d->convergence == GJK_CONVERGED) {
        REQUIRE_AT_MOST(p, d->depth, -best + CONVERGED_ERROR * p->size);
    }
}

/* Witness points lie on their shapes (as far as any direction tells) and differ as promised. */
static void require_points(const curved_pair *p, gjk_vec3 a, gjk_vec3 b, gjk_vec3 between,
                           test_rng *rng) {
    double slack = ROUNDING_ERROR * p->scale + CONVERGED_ERROR * p->size;
    REQUIRE_AT_MOST(p, gjk_length3(gjk_sub3(gjk_sub3(b, a), between)), CONVERGED_ERROR * p->scale);
    for (int i = 0; i < 40; i++) {
        gjk_vec3 n = test_rng_direction(rng, p->a.shape.dimension);
        REQUIRE_AT_MOST(p, (double)test_curved_outside(&p->a, a, n), slack);
        REQUIRE_AT_MOST(p, (double)test_curved_outside(&p->b, b, n), slack);
    }
}

static void require_consistent(const curved_pair *p, const gjk_detect_result *d,
                               const gjk_distance_result *r) {
    gjk_detect_settings quick = gjk_detect_settings_default();
    quick.penetration = false;
    REQUIRE(p, d->state == r->state);
    REQUIRE(p, d->state == gjk_detect(&p->a.placed, &p->b.placed, &quick).state);
    REQUIRE(p, fabs(gjk_length3(d->normal) - 1.0) <= 4e-15);
    REQUIRE(p, d->depth_lower_bound <= d->depth && r->lower_bound <= r->distance);
    if (r->convergence == GJK_CONVERGED) {
        REQUIRE(p, r->distance - r->lower_bound <=
                       1.01 * GJK_TOLERANCE_DEFAULT * p->size + ROUNDING_ERROR * p->scale);
    }
    if (d->convergence == GJK_CONVERGED) {
        REQUIRE(p, d->depth - d->depth_lower_bound <=
                       1.01 * GJK_TOLERANCE_DEFAULT * p->size + ROUNDING_ERROR * p->scale);
    }
}

TEST_EACH(certified, 2, 4) {
    test_rng rng = test_rng_make(4000 + (uint64_t)_i);
    const gjk_detect_settings detect = gjk_detect_settings_default();
    const gjk_distance_settings distance = gjk_distance_settings_default();
    struct gjk_arena arena;
    static curved_pair p;
    unsigned overlapping = 0, undecided = 0;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < PAIRS; i++) {
        random_pair(&rng, (uint32_t)_i, &arena, &p);
        gjk_detect_result d = gjk_detect(&p.a.placed, &p.b.placed, &detect);
        gjk_distance_result r = gjk_distance(&p.a.placed, &p.b.placed, &distance);
        require_consistent(&p, &d, &r);
        require_bounds(&p, &d, &r, &rng);
        overlapping += d.state == GJK_OVERLAPPING;
        undecided += d.convergence != GJK_CONVERGED || r.convergence != GJK_CONVERGED;
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
    ck_assert_uint_gt(overlapping, PAIRS / 4);
    ck_assert_uint_lt(overlapping, 3 * PAIRS / 4);
    ck_assert_uint_lt(undecided, PAIRS / 20);
}

/* From the reply alone: the normal shows the lower bound, the points the upper. */
TEST_EACH(witnessed, 2, 4) {
    test_rng rng = test_rng_make(4300 + (uint64_t)_i);
    const gjk_detect_settings detect = gjk_detect_settings_default();
    const gjk_distance_settings distance = gjk_distance_settings_default();
    struct gjk_arena arena;
    static curved_pair p;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < PAIRS; i++) {
        random_pair(&rng, (uint32_t)_i, &arena, &p);
        gjk_detect_result d = gjk_detect(&p.a.placed, &p.b.placed, &detect);
        gjk_distance_result r = gjk_distance(&p.a.placed, &p.b.placed, &distance);
        if (d.state == GJK_OVERLAPPING && d.convergence == GJK_CONVERGED) {
            require_points(&p, d.point_a, d.point_b, gjk_scale3(-d.depth, d.normal), &rng);
        } else if (d.state == GJK_SEPARATED && r.convergence == GJK_CONVERGED) {
            double along = (double)test_curved_gap(&p.a, &p.b, r.normal);
            REQUIRE_AT_MOST(&p, r.lower_bound, along + ROUNDING_ERROR * p.scale);
            require_points(&p, r.point_a, r.point_b, gjk_scale3(r.distance, r.normal), &rng);
        }
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
}

/* Signed distance, and how far below it may lie. */
static double signed_of(const curved_pair *p, double *error) {
    const gjk_detect_settings detect = gjk_detect_settings_default();
    const gjk_distance_settings distance = gjk_distance_settings_default();
    gjk_detect_result d = gjk_detect(&p->a.placed, &p->b.placed, &detect);
    gjk_distance_result r = gjk_distance(&p->a.placed, &p->b.placed, &distance);
    *error = d.depth - d.depth_lower_bound + r.distance - r.lower_bound + ROUNDING_ERROR * p->scale;
    return r.distance > 0 ? r.distance : -d.depth;
}

/* Turned and moved together, and with a and b exchanged. */
TEST_EACH(wherever_they_stand, 2, 4) {
    test_rng rng = test_rng_make(4100 + (uint64_t)_i);
    struct gjk_arena arena;
    static curved_pair p, q;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < PAIRS; i++) {
        double e, f;
        random_pair(&rng, (uint32_t)_i, &arena, &p);
        double s = signed_of(&p, &e);
        q = p;
        q.a = p.b;
        q.b = p.a;
        q.a.placed.shape = &q.a.shape;
        q.b.placed.shape = &q.b.shape;
        double t = signed_of(&q, &f);
        REQUIRE(&p, fabs(s - t) <= e + f);
        gjk_vec3 off = gjk_sub3(p.b.placed.pose.position, p.a.placed.pose.position);
        q = p;
        q.a.placed = (gjk_placed){&q.a.shape, gjk_pose_identity()};
        q.b.placed.shape = &q.b.shape;
        const gjk_mat3 *m = &p.a.placed.pose.rotation, *o = &p.b.placed.pose.rotation;
        q.b.placed.pose.position = gjk_mul3_transposed(m, off);
        gjk_vec3 x = gjk_mul3_transposed(m, (gjk_vec3){o->r0.x, o->r1.x, o->r2.x});
        gjk_vec3 y = gjk_mul3_transposed(m, (gjk_vec3){o->r0.y, o->r1.y, o->r2.y});
        gjk_vec3 z = gjk_mul3_transposed(m, (gjk_vec3){o->r0.z, o->r1.z, o->r2.z});
        q.b.placed.pose.rotation = (gjk_mat3){{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}};
        q.b.placed.pose.form = GJK_POSE_PLAIN;
        t = signed_of(&q, &f);
        REQUIRE(&p, fabs(s - t) <= e + f + 1e-14 * 10);
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
}

/* Growing a shape by a ball brings the other nearer by its radius. */
TEST_EACH(rounding_is_a_ball, 2, 4) {
    test_rng rng = test_rng_make(4200 + (uint64_t)_i);
    struct gjk_arena arena;
    static curved_pair p, q;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < PAIRS; i++) {
        double e, f, more = test_rng_magnitude(&rng, -6, 0);
        random_pair(&rng, (uint32_t)_i, &arena, &p);
        double s = signed_of(&p, &e);
        if (s < 0) {
            continue; /* the depth grows, too, but the allowed error grows with it */
        }
        q = p;
        const gjk_shape *shape = &p.a.shape;
        const gjk_vec3 ends[2] = {p.a.a, p.a.b};
        double rounding = p.a.rounding + more;
        switch (shape->type) {
        case GJK_ELLIPSE:
            test_curved_make_ellipse(&q.a, shape->dimension, p.a.a, rounding);
            break;
        case GJK_HALF_ELLIPSE:
            test_curved_make_half_ellipse(&q.a, p.a.a.x, p.a.a.y, rounding);
            break;
        case GJK_SLICE:
            test_curved_make_slice(&q.a, p.a.radius, p.a.theta, rounding);
            break;
        case GJK_CYLINDER:
            test_curved_make_cylinder(&q.a, ends, p.a.radius, rounding);
            break;
        default:
            test_curved_make_cone(&q.a, ends, p.a.radius, rounding);
            break;
        }
        q.a.placed.pose = p.a.placed.pose;
        q.a.placed.shape = &q.a.shape;
        q.b.placed.shape = &q.b.shape;
        measure(&q);
        double t = signed_of(&q, &f);
        REQUIRE(&q, fabs(s - more - t) <= e + f + CONVERGED_ERROR * q.size);
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
}
