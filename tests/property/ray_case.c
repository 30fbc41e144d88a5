/* Random rays at random bodies: see ray_case.h. */

#include "ray_case.h"

#include "support/checks.h"
#include <stdio.h>

void test_aim(test_ray_case *c, gjk_vec3 origin, gjk_vec3 direction, double max_distance) {
    c->direction = direction;
    gjk_status status = gjk_ray_make(origin, direction, max_distance, &c->ray);
    ck_assert_msg(status == GJK_OK, "%s", gjk_status_text(status));
}

void test_random_ray_case(test_rng *rng, uint32_t dimension, struct gjk_arena *arena,
                          test_ray_case *out) {
    const gjk_vec3 half = {1, 1, 1};
    bool large = test_rng_once_in(rng, 3);
    out->target.a = large ? test_random_hull(rng, dimension, 10 + test_rng_below(rng, 91), half)
                          : test_random_body(rng, dimension, test_rng_magnitude(rng, -1, 1));
    test_body *body = &out->target.a;
    test_turn_randomly(rng, body);
    body->position = gjk_scale3(test_rng_uniform(rng, 0, 3), test_rng_direction(rng, dimension));
    out->target.b = test_body_ball(dimension, 0.0);
    test_pair_build(&out->target, arena);
    double reach = fmax(body->shape.bounding_radius, 0.1);
    gjk_vec3 center = gjk_pose_apply(&body->placed.pose, body->shape.center);
    gjk_vec3 from = gjk_add3(center, gjk_scale3(reach * test_rng_uniform(rng, 0, 4),
                                                test_rng_direction(rng, dimension)));
    gjk_vec3 at = gjk_add3(center, gjk_scale3(reach * test_rng_uniform(rng, 0, 1),
                                              test_rng_direction(rng, dimension)));
    gjk_vec3 direction = gjk_scale3(test_rng_magnitude(rng, -3, 3), gjk_sub3(at, from));
    test_aim(out, from, direction, INFINITY);
}

gjk_ray_result test_cast(const test_ray_case *c, bool solid) {
    gjk_ray_settings settings = gjk_ray_settings_default();
    settings.solid = solid;
    return gjk_raycast(&c->target.a.placed, &c->ray, &settings);
}

double test_ray_scale(const test_ray_case *c) {
    const test_body *body = &c->target.a;
    double away = test_largest3(gjk_sub3(c->ray.origin, body->position));
    return fmax(fmax(body->shape.size, away), test_largest3(body->shape.center));
}

double test_ray_depth(const test_ray_case *c, gjk_vec3 point) {
    static const _Alignas(64) double zero[3 * GJK_LANES] = {0};
    const gjk_shape shape = {.type = GJK_POINT,
                             .dimension = c->target.a.dimension,
                             .count = 1,
                             .stride = GJK_LANES,
                             .columns = zero};
    gjk_placed at = {&shape, gjk_pose_identity()};
    at.pose.position = point;
    const gjk_detect_settings detect = gjk_detect_settings_default();
    const gjk_distance_settings distance = gjk_distance_settings_default();
    double apart = gjk_distance(&c->target.a.placed, &at, &distance).distance;
    return apart > 0.0 ? apart : -gjk_detect(&c->target.a.placed, &at, &detect).depth;
}

gjk_vec3 test_along(const test_ray_case *c, double t) {
    return gjk_add3(c->ray.origin, gjk_scale3(t, c->ray.direction));
}

void test_ray_print_unless(const test_ray_case *c, bool holds) {
    if (!holds) {
        gjk_vec3 o = c->ray.origin, d = c->direction;
        gjk_ray_result r = test_cast(c, true);
        fprintf(stderr, "ray from %.17g %.17g %.17g along %.17g %.17g %.17g up to %.17g\n", o.x,
                o.y, o.z, d.x, d.y, d.z, c->ray.max_distance);
        fprintf(stderr,
                "hit %d inside %d at %.17g point %.17g %.17g %.17g normal %.17g %.17g %.17g "
                "status %d iterations %u\n",
                r.hit, r.inside, r.distance, r.point.x, r.point.y, r.point.z, r.normal.x,
                r.normal.y, r.normal.z, (int)r.convergence, r.iterations);
    }
}
