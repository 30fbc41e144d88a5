/*
 * Is an answer the same whichever shape is a, wherever the pair stands, and whatever
 * direction the search begins with?
 */

#include "judge.h"
#include "require.h"
#include "support/test.h"

#define PAIRS 10000

/* Relative to test_pair_scale: two answers, each right to a few 1e-16. */
#define ERROR 4e-15
#define NORMAL_ERROR 1e-12
/* Moved positions are rounded: so many ulp of the largest coordinate. */
#define GRAINS 8

static double distance_of(const gjk_placed *a, const gjk_placed *b) {
    const gjk_distance_settings settings = gjk_distance_settings_default();
    return gjk_distance(a, b, &settings).distance;
}

static gjk_detect_result detect(const gjk_placed *a, const gjk_placed *b) {
    const gjk_detect_settings settings = gjk_detect_settings_default();
    return gjk_detect(a, b, &settings);
}

static double allowed_error(const test_pair *p) {
    double grain = test_ulp(fmax(test_body_reach(&p->a), test_body_reach(&p->b)));
    return ERROR * test_pair_scale(p) + GRAINS * grain;
}

/* A pair whose state hangs on the last digits may change it. */
static bool is_on_the_edge(const test_pair *p, double s) {
    double band = GJK_TOLERANCE_DEFAULT * fmax(p->a.shape.size, p->b.shape.size);
    return fabs(fabs(s) - band) <= allowed_error(p);
}

/* Both directions must show the same gap, though they may differ where several are right. */
static void require_as_good(const test_pair *p, gjk_vec3 n, gjk_vec3 other) {
    double error = NORMAL_ERROR * test_pair_scale(p) + allowed_error(p);
    if (gjk_length3(gjk_sub3(n, other)) > NORMAL_ERROR) {
        TEST_REQUIRE_NEAR(p, (double)test_gap_along(&p->a, &p->b, n),
                          (double)test_gap_along(&p->a, &p->b, other), error);
    }
}

static void require_same(const test_pair *p, const gjk_detect_result *one,
                         const gjk_detect_result *two, double distance_one, double distance_two) {
    double error = allowed_error(p);
    double s = distance_one > 0.0 ? distance_one : -one->depth;
    TEST_REQUIRE(p, one->state == two->state || is_on_the_edge(p, s));
    TEST_REQUIRE_NEAR(p, distance_one, distance_two, error);
    if (one->state == two->state && one->state != GJK_SEPARATED) {
        TEST_REQUIRE_NEAR(p, one->depth, two->depth, error);
        require_as_good(p, one->normal, two->normal);
    }
}

TEST_EACH(swapped, 2, 4) {
    test_rng rng = test_rng_make(100 + (uint64_t)_i);
    struct gjk_arena arena;
    static test_pair p;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < PAIRS; i++) {
        test_random_large_pair(&rng, (uint32_t)_i, &arena, &p);
        gjk_detect_result r = detect(&p.a.placed, &p.b.placed);
        gjk_detect_result back = detect(&p.b.placed, &p.a.placed);
        back.normal = gjk_neg3(back.normal);
        require_same(&p, &r, &back, distance_of(&p.a.placed, &p.b.placed),
                     distance_of(&p.b.placed, &p.a.placed));
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
}

static gjk_quat times(gjk_quat p, gjk_quat q) {
    return (gjk_quat){p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
                      p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
                      p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w,
                      p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z};
}

/* Turns the whole world, then moves it. */
static void move_world(test_body *body, double angle, gjk_quat turn, gjk_vec3 by) {
    body->angle += angle;
    body->orientation = times(turn, body->orientation);
    quad3 position = body->dimension == 2 ? quad3_turn2(angle, body->position)
                                          : quad3_turn3(turn, body->position);
    body->position = gjk_add3(quad3_round(position), by);
    test_body_place(body);
}

TEST_EACH(moved, 2, 4) {
    test_rng rng = test_rng_make(200 + (uint64_t)_i);
    struct gjk_arena arena;
    static test_pair p;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < PAIRS; i++) {
        test_random_large_pair(&rng, (uint32_t)_i, &arena, &p);
        gjk_detect_result r = detect(&p.a.placed, &p.b.placed);
        double distance = distance_of(&p.a.placed, &p.b.placed);
        double angle = _i == 2 ? test_rng_uniform(&rng, -3, 3) : 0.0;
        gjk_quat turn = _i == 3 ? test_rng_rotation(&rng) : (gjk_quat){0, 0, 0, 1};
        gjk_vec3 by = gjk_scale3(0.5, test_rng_direction(&rng, (uint32_t)_i));
        move_world(&p.a, angle, turn, by);
        move_world(&p.b, angle, turn, by);
        gjk_detect_result there = detect(&p.a.placed, &p.b.placed);
        r.normal =
            quad3_round(_i == 2 ? quad3_turn2(angle, r.normal) : quad3_turn3(turn, r.normal));
        require_same(&p, &there, &r, distance_of(&p.a.placed, &p.b.placed), distance);
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
}

static gjk_vec3 odd_direction(test_rng *rng, uint32_t dimension) {
    gjk_vec3 d = test_rng_direction(rng, dimension);
    switch (test_rng_below(rng, 5)) {
    case 0:
        return gjk_scale3(1e-300, d);
    case 1:
        return gjk_scale3(1e300, d);
    case 2:
        return (gjk_vec3){-0.0, test_rng_integer(rng, -1, 1), 0.0};
    case 3:
        return (gjk_vec3){5e-324, 0.0, 0.0};
    default:
        return d;
    }
}

TEST_EACH(begun_anywhere, 2, 4) {
    test_rng rng = test_rng_make(300 + (uint64_t)_i);
    struct gjk_arena arena;
    static test_pair p;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < PAIRS; i++) {
        test_random_large_pair(&rng, (uint32_t)_i, &arena, &p);
        gjk_detect_settings settings = gjk_detect_settings_default();
        gjk_distance_settings distance_settings = gjk_distance_settings_default();
        settings.first_direction = odd_direction(&rng, (uint32_t)_i);
        distance_settings.first_direction = settings.first_direction;
        gjk_detect_result r = detect(&p.a.placed, &p.b.placed);
        gjk_detect_result other = gjk_detect(&p.a.placed, &p.b.placed, &settings);
        gjk_distance_result d = gjk_distance(&p.a.placed, &p.b.placed, &distance_settings);
        TEST_REQUIRE(&p, d.state == other.state);
        require_same(&p, &r, &other, distance_of(&p.a.placed, &p.b.placed), d.distance);
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
}
