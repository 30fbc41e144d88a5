/* Do rays hit balls, capsules and boxes where closed forms say, grazing ones included? */

#include "ray_closed.h"
#include "support/test.h"

#define RAYS 20000

/* Of t: relative to the scale, divided by the cosine, for a flat angle multiplies every error. */
#define ERROR 1e-14
/* Of hit or miss: an answer that close to the opposite, relative to the scale, is not judged. */
#define UNDECIDABLE 1e-13

static test_body random_simple(test_rng *rng, uint32_t dimension) {
    gjk_vec3 p = gjk_scale3(test_rng_uniform(rng, 0.1, 1), test_rng_direction(rng, dimension));
    gjk_vec3 q = gjk_scale3(test_rng_uniform(rng, 0.1, 1), test_rng_direction(rng, dimension));
    switch (test_rng_below(rng, 3)) {
    case 0:
        return test_body_ball(dimension, test_rng_magnitude(rng, -2, 1));
    case 1:
        return test_body_segment(dimension, p, q, test_rng_uniform(rng, 0.05, 1));
    default:
        return test_body_box(dimension, (gjk_vec3){fabs(p.x), fabs(p.y), fabs(p.z)});
    }
}

/* A ray that passes the witness point of a support plane at a distance of 1e-1 to 1e-12. */
static void aim_to_graze(test_rng *rng, test_ray_case *c) {
    const test_body *body = &c->target.a;
    test_body far = test_body_ball(body->dimension, 0.0);
    gjk_vec3 out = test_rng_direction(rng, body->dimension);
    far.position = gjk_add3(body->position, gjk_scale3(50.0, out));
    struct gjk_arena arena;
    gjk_arena_init(&arena, 0);
    test_body_build(&far, &arena);
    const gjk_distance_settings settings = gjk_distance_settings_default();
    gjk_distance_result d = gjk_distance(&body->placed, &far.placed, &settings);
    gjk_arena_fini(&arena);
    gjk_vec3 other = test_rng_direction(rng, body->dimension);
    gjk_vec3 along = gjk_sub3(other, gjk_scale3(gjk_dot3(other, d.normal), d.normal));
    double off = test_rng_magnitude(rng, -12, -1) * (test_rng_once_in(rng, 2) ? 1 : -1);
    gjk_vec3 passed = gjk_add3(d.point_a, gjk_scale3(off, d.normal));
    double length = gjk_length3(along);
    test_aim(c, gjk_sub3(passed, gjk_scale3(test_rng_uniform(rng, 3, 9) / length, along)), along,
             INFINITY);
}

static void require_closed_form(const test_ray_case *c) {
    gjk_ray_result r = test_cast(c, true);
    double scale = test_ray_scale(c);
    if (r.inside) {
        RAY_REQUIRE(c, test_ray_depth(c, c->ray.origin) <= 1e-9 * scale);
        return;
    }
    test_closed_hit closed = test_closed_form(c);
    bool decided = closed.clearance > UNDECIDABLE * scale;
    RAY_REQUIRE(c, !decided || r.hit == closed.hit);
    if (r.hit) {
        RAY_REQUIRE_NEAR(c, gjk_length3(r.normal), 1.0, 2e-15);
        RAY_REQUIRE(c, gjk_dot3(r.normal, c->ray.direction) <= 0.0);
    }
    if (r.hit && closed.hit && closed.cosine > 1e-5) {
        double error = ERROR * scale / (double)closed.cosine;
        RAY_REQUIRE_NEAR(c, r.distance, (double)closed.t, error);
    }
}

TEST_EACH(as_closed_forms, 2, 4) {
    test_rng rng = test_rng_make(1300 + (uint64_t)_i);
    struct gjk_arena arena;
    static test_ray_case c;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < RAYS; i++) {
        test_random_ray_case(&rng, (uint32_t)_i, &arena, &c);
        gjk_vec3 position = c.target.a.position;
        c.target.a = random_simple(&rng, (uint32_t)_i);
        c.target.a.position = position;
        if (!test_rng_once_in(&rng, 4)) {
            test_turn_randomly(&rng, &c.target.a);
        }
        test_pair_build(&c.target, &arena);
        if (test_rng_once_in(&rng, 2)) {
            aim_to_graze(&rng, &c);
        }
        require_closed_form(&c);
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
}
