/* The least translation out of balls and beyond planes, compared with translations tried at random. */

#include "pair/pieces/way_out.h"

#include "support/budget.h"
#include "support/rng.h"
#include "support/test.h"

#define CASES 300
#define TRIED 300

static gjk_balls make_balls(test_rng *rng, uint32_t most, bool is_on_grid) {
    gjk_balls balls = {.count = 0};
    for (uint32_t count = 1 + test_rng_below(rng, most); count > 0; count--) {
        gjk_ball ball = {.radius = test_rng_uniform(rng, 0.5, 2)};
        ball.center = gjk_scale3(test_rng_uniform(rng, 0, 2), test_rng_direction(rng, 3));
        if (is_on_grid) {
            const gjk_vec3 c = ball.center;
            ball = (gjk_ball){{round(c.x), round(c.y), round(c.z)}, ceil(ball.radius)};
        }
        (void)gjk_balls_add(&balls, ball);
    }
    return balls;
}

/* By how much a translation is out of all, at least. */
static double out_by(const gjk_balls *balls, const gjk_plane *plane, gjk_vec3 t) {
    double out = gjk_dot3(plane->normal, t) - plane->least;
    for (uint32_t i = 0; i < balls->count; i++) {
        out = fmin(out, gjk_length3(gjk_sub3(t, balls->of[i].center)) - balls->of[i].radius);
    }
    return out;
}

/* On a grid many spheres touch, or meet in one place, which is told only roughly. */
TEST_EACH(no_shorter_one_is_out, 0, 2) {
    test_rng rng = test_rng_make(20280401 + (uint64_t)_i);
    int out = 0;
    for (int i = 0; i < CASES; i++) {
        const gjk_balls balls = make_balls(&rng, 12, _i == 1);
        const gjk_plane plane = {test_rng_direction(&rng, 3), test_rng_uniform(&rng, 0.1, 1)};
        gjk_vec3 t = gjk_scale3(plane.least, plane.normal);
        const double least = gjk_balls_least(&balls, &plane, 1, 0, 1e-12, INFINITY, &t);
        ck_assert_double_le(fabs(gjk_length3(t) - least), 1e-15);
        out += out_by(&balls, &plane, t) > -1e-9;
        for (int k = 0; k < TRIED; k++) {
            const double length = least * (k % 2 ? 1.0 - 1e-6 : cbrt(test_rng_uniform(&rng, 0, 1)));
            const gjk_vec3 shorter = gjk_scale3(length, test_rng_direction(&rng, 3));
            ck_assert_double_lt(out_by(&balls, &plane, shorter), 1e-9);
        }
    }
    ck_assert_int_ge(out, _i == 1 ? 0 : CASES * 9 / 10);
}

TEST(a_budget_ends_it) {
    test_rng rng = test_rng_make(20280402);
    gjk_balls balls = {.count = 0};
    while (balls.count < GJK_BALLS) { /* all meet, and all that two meet in is in others */
        const gjk_vec3 center = test_rng_direction(&rng, 3);
        (void)gjk_balls_add(&balls, (gjk_ball){center, 2});
    }
    test_budget left = {0, 2};
    gjk_budget budget = gjk_budget_make(test_is_over, &left);
    gjk_vec3 t = {0, 0, 0};
    balls.budget = &budget;
    (void)gjk_balls_least(&balls, NULL, 0, 0, 1e-12, INFINITY, &t);
    ck_assert(gjk_budget_is_spent(&budget));
    ck_assert_int_eq(left.asked, 2);
}
