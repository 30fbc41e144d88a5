/*
 * Does a loose tolerance still tell the state? However far the bounds of a curved pair may be
 * apart, whether it is touching is asked of the signed distance itself. Pairs are put where
 * that is about as large as the tolerance, on either side of it.
 */

#include "curved.h"
#include "support/test.h"

#include <stdio.h>

#define PAIRS TEST_CASES(10000)
#define BLUR 1e-9 /* relative to the size: of what is known of the truth */

typedef struct tolerant_pair {
    test_curved a, b;
    double size, band; /* the tolerance, as a length */
} tolerant_pair;

static double signed_distance(const tolerant_pair *p, gjk_vec3 *normal) {
    const gjk_detect_settings detect = gjk_detect_settings_default();
    const gjk_distance_settings distance = gjk_distance_settings_default();
    gjk_detect_result d = gjk_detect(&p->a.placed, &p->b.placed, &detect);
    gjk_distance_result r = gjk_distance(&p->a.placed, &p->b.placed, &distance);
    *normal = d.state == GJK_SEPARATED ? r.normal : d.normal;
    return d.state == GJK_SEPARATED ? r.distance : -d.depth;
}

/* b moved along the normal until the distance is up to three times the tolerance, or the depth. */
static void make_pair(test_rng *rng, uint32_t dimension, double tolerance, struct gjk_arena *arena,
                      tolerant_pair *p) {
    gjk_vec3 normal, home = gjk_scale3(3, test_rng_direction(rng, dimension));
    test_curved_make_random(&p->a, rng, dimension, 1.0, arena, false);
    test_curved_make_random(&p->b, rng, dimension, test_rng_magnitude(rng, -1, 0), arena, true);
    test_curved_place_randomly(&p->a, rng, (gjk_vec3){0, 0, 0});
    test_curved_place_randomly(&p->b, rng, home);
    p->size = fmax(p->a.shape.size, p->b.shape.size);
    p->band = tolerance * p->size;
    double wanted = p->band * test_rng_uniform(rng, -3, 3);
    double s = signed_distance(p, &normal);
    p->b.placed.pose.position = gjk_add3(p->b.placed.pose.position, gjk_scale3(wanted - s, normal));
}

static void require_state(const tolerant_pair *p, gjk_state state, double s) {
    double blur = BLUR * p->size;
    bool fine = state == GJK_SEPARATED     ? s > p->band - blur
                : state == GJK_OVERLAPPING ? s < -p->band + blur
                                           : fabs(s) <= p->band + blur;
    if (!fine) {
        test_curved_print("a", &p->a);
        test_curved_print("b", &p->b);
        ck_abort_msg("state %d where the distance is %.17g and the tolerance %.17g", (int)state, s,
                     p->band);
    }
}

static void require_agreement(const tolerant_pair *p, double tolerance, unsigned seen[3]) {
    gjk_detect_settings detect = gjk_detect_settings_default();
    gjk_distance_settings distance = gjk_distance_settings_default();
    gjk_vec3 normal;
    detect.tolerance = distance.tolerance = tolerance;
    gjk_detect_result d = gjk_detect(&p->a.placed, &p->b.placed, &detect);
    gjk_distance_result r = gjk_distance(&p->a.placed, &p->b.placed, &distance);
    detect.penetration = false;
    ck_assert_int_eq(d.state, r.state);
    ck_assert_int_eq(d.state, gjk_detect(&p->a.placed, &p->b.placed, &detect).state);
    seen[d.state]++;
    if (d.convergence == GJK_CONVERGED && r.convergence == GJK_CONVERGED) {
        require_state(p, d.state, signed_distance(p, &normal));
    }
}

TEST_EACH(told_by_the_distance, 0, 6) {
    static const double tolerances[] = {0.01, 1e-3, 1e-6};
    const double tolerance = tolerances[_i % 3];
    test_rng rng = test_rng_make(9700 + (uint64_t)_i);
    unsigned seen[3] = {0, 0, 0};
    struct gjk_arena arena;
    static tolerant_pair p;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < PAIRS; i++) {
        make_pair(&rng, 2 + (uint32_t)_i / 3, tolerance, &arena, &p);
        require_agreement(&p, tolerance, seen);
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
    ck_assert_uint_gt(seen[GJK_SEPARATED], PAIRS / 5);
    ck_assert_uint_gt(seen[GJK_TOUCHING], PAIRS / 5);
    ck_assert_uint_gt(seen[GJK_OVERLAPPING], PAIRS / 5);
}
