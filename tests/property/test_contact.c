/*
 * Does an answer mean in the world what its header says? Moving b by depth * normal
 * parts the two just so; a separating axis separates; witness points lie on their
 * shapes; and the value only grows while b moves away.
 */

#include "judge.h"
#include "require.h"
#include "support/test.h"

#define PAIRS 10000
#define CHAINS 1500
#define GAPS 24

#define ERROR 1e-12

static gjk_detect_result detect(const test_pair *p) {
    const gjk_detect_settings settings = gjk_detect_settings_default();
    return gjk_detect(&p->a.placed, &p->b.placed, &settings);
}

static gjk_distance_result distance(const gjk_placed *a, const gjk_placed *b) {
    const gjk_distance_settings settings = gjk_distance_settings_default();
    return gjk_distance(a, b, &settings);
}

/* Signed, as the two calls together tell it. */
static double signed_distance(const test_pair *p) {
    gjk_distance_result d = distance(&p->a.placed, &p->b.placed);
    return d.distance > 0.0 ? d.distance : -detect(p).depth;
}

/* A point of the world is on the shape when its distance from it is nothing but rounding. */
static void require_on(const test_pair *p, const test_body *body, gjk_vec3 point) {
    struct gjk_arena arena;
    gjk_arena_init(&arena, 0);
    test_body at = test_body_ball(body->dimension, 0.0);
    at.position = point;
    test_body_build(&at, &arena);
    double off = distance(&body->placed, &at.placed).distance;
    TEST_REQUIRE_NEAR(p, off, 0.0, ERROR * test_pair_scale(p));
    gjk_arena_fini(&arena);
}

static void require_consistent(test_pair *p) {
    double error = ERROR * test_pair_scale(p);
    gjk_detect_result r = detect(p);
    gjk_distance_result d = distance(&p->a.placed, &p->b.placed);
    TEST_REQUIRE(p, r.state == d.state);
    if (r.state == GJK_SEPARATED) {
        TEST_REQUIRE(p, test_gap_along(&p->a, &p->b, r.normal) > 0);
        TEST_REQUIRE_NEAR(p, (double)test_gap_along(&p->a, &p->b, d.normal), d.distance, error);
    } else {
        require_on(p, &p->a, r.point_a);
        require_on(p, &p->b, r.point_b);
        p->b.position = gjk_add3(p->b.position, gjk_scale3(r.depth, r.normal));
        test_body_place(&p->b);
        double left = signed_distance(p);
        TEST_REQUIRE_NEAR(p, left, r.depth > 0.0 ? 0.0 : d.distance, error);
        return;
    }
    require_on(p, &p->a, d.point_a);
    require_on(p, &p->b, d.point_b);
}

TEST_EACH(means_what_it_says, 2, 4) {
    test_rng rng = test_rng_make(400 + (uint64_t)_i);
    struct gjk_arena arena;
    static test_pair p;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < PAIRS; i++) {
        test_random_large_pair(&rng, (uint32_t)_i, &arena, &p);
        require_consistent(&p);
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
}

/* From clearly overlapping over touching to clearly apart. */
static double gap_at(int i) {
    int exponent = i < GAPS / 2 ? i : GAPS - 1 - i;
    double gap = 0.1;
    for (int k = 0; k < exponent; k++) {
        gap *= 0.1;
    }
    return i < GAPS / 2 ? -gap : gap;
}

/*
 * Along the normal of a contact the signed distance is the gap itself: it is convex, changes at
 * most as fast as b moves, is at least the gap along the normal, and equals it at both ends of the
 * way from `deepest` (where b was) to the contact. So it equals it all the way, and beyond.
 */
static void walk_out(test_pair *p, gjk_vec3 contact, gjk_vec3 normal, double deepest) {
    double scale = test_pair_scale(p), before = -INFINITY;
    double grain = test_ulp(fmax(test_body_reach(&p->a), test_body_reach(&p->b)));
    for (int i = 0; i < GAPS; i++) {
        double gap = scale * gap_at(i);
        if (gap < -deepest) {
            continue;
        }
        p->b.position = gjk_add3(contact, gjk_scale3(gap, normal));
        test_body_place(&p->b);
        double s = signed_distance(p);
        TEST_REQUIRE_NEAR(p, s, gap, 4e-15 * scale + 8 * grain);
        TEST_REQUIRE(p, s > before || gap - scale * gap_at(i - 1) < 8 * grain + 4e-15 * scale);
        before = s;
    }
}

TEST_EACH(grows_on_the_way_out, 2, 4) {
    test_rng rng = test_rng_make(500 + (uint64_t)_i);
    struct gjk_arena arena;
    static test_pair p;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < CHAINS; i++) {
        test_random_pair(&rng, (uint32_t)_i, &arena, &p);
        gjk_detect_result r = detect(&p);
        gjk_distance_result d = distance(&p.a.placed, &p.b.placed);
        bool apart = d.state == GJK_SEPARATED;
        gjk_vec3 normal = apart ? d.normal : r.normal;
        double to_contact = apart ? -d.distance : r.depth;
        gjk_vec3 contact = gjk_add3(p.b.position, gjk_scale3(to_contact, normal));
        walk_out(&p, contact, normal, r.depth);
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
}
