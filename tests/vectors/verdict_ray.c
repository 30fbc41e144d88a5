/* dyn4j's answers about rays, which never hit from inside. */

#include "verdict.h"

#include "judge.h"

/* Ours against the shape itself: along the normal the distance from it grows as fast. */
#define STEP 1e-3
#define STEP_ERROR 1e-12
/* dyn4j takes the normal from its last iterate. On a curved side it is off by up to this. */
#define THEIR_NORMAL_ERROR 2e-2

static void judge_hit(test_case_run *run, const gjk_ray_result *r) {
    gjk_vec3 above = gjk_add3(r->point, gjk_scale3(STEP, r->normal));
    double on = (double)test_point_distance(&run->vector->a, r->point);
    double up = (double)test_point_distance(&run->vector->a, above);
    if (!r->has_normal || fabs(on) > STEP_ERROR || fabs(up - STEP) > STEP_ERROR) {
        test_complain(run, "hit point %g off, %g above it %g off", on, STEP, up);
    }
}

void test_run_raycast(test_case_run *run) {
    proto_query q;
    if (!test_decode(run, PROTO_OP_RAYCAST, &q)) {
        return;
    }
    const test_vector *v = run->vector;
    gjk_ray_settings settings = gjk_ray_settings_default();
    settings.solid = q.solid;
    const gjk_placed target = {&q.target.shape, q.target.pose};
    gjk_ray_result r = gjk_raycast(&target, &q.ray, &settings);
    bool hit = json_is_true(json_object_get(v->expect, "hit"));
    if (r.hit != hit) {
        test_complain(run, "hit %d, expected %d", r.hit, hit);
    }
    if (!hit || !r.hit) {
        return;
    }
    double distance = test_vector_expected(v, "distance");
    gjk_vec3 point = test_vector_expected_vec(v, "point");
    gjk_vec3 normal = test_vector_expected_vec(v, "normal");
    if (fabs(r.distance - distance) > v->tolerance * fmax(1.0, distance)) {
        test_complain(run, "distance %.17g, expected %.17g", r.distance, distance);
    }
    if (gjk_length3(gjk_sub3(r.point, point)) > v->tolerance * fmax(1.0, gjk_length3(point))) {
        test_complain(run, "point %g %g, expected %g %g", r.point.x, r.point.y, point.x, point.y);
    }
    bool curved = test_body_radius(&v->a) > 0.0;
    if (gjk_length3(gjk_sub3(r.normal, normal)) > (curved ? THEIR_NORMAL_ERROR : v->tolerance)) {
        test_complain(run, "normal %g %g, expected %g %g", r.normal.x, r.normal.y, normal.x,
                      normal.y);
    }
    judge_hit(run, &r);
}
