/* dyn4j's answers about pairs: are ours the same where there is only one right answer? */

#include "verdict.h"

#include "judge.h"

static bool expects_collision(const test_case_run *run) {
    return json_is_true(json_object_get(run->vector->expect, "colliding"));
}

/* All that holds of any answer, whatever dyn4j says. */
static void judge(test_case_run *run) {
    test_worst worst = {0};
    test_judgement j = test_judge(&run->vector->a, &run->vector->b, &run->truth, true, &worst);
    for (unsigned bit = 0; bit < TEST_COMPLAINT_COUNT; bit++) {
        if (j.complaints >> bit & 1u) {
            test_complain(run, "%s (truth %.17g)", test_complaint_text(bit),
                          (double)run->truth.signed_distance);
        }
    }
}

/* Are the shapes as deep in each other along that direction as along ours? */
static bool is_as_deep(const test_case_run *run, gjk_vec3 direction, double depth) {
    quad gap = test_gap_along(&run->vector->a, &run->vector->b, direction);
    return fabs((double)gap + depth) <= run->vector->tolerance * fmax(1.0, depth);
}

/*
 * Another normal is as right when the shapes are as deep in each other along it. dyn4j's SAT finds
 * an axis and turns it from centre to centre, which far inside each other may be the wrong way.
 */
static void compare_normal(test_case_run *run, const gjk_detect_result *r) {
    gjk_vec3 expected = test_vector_expected_vec(run->vector, "normal");
    bool same = gjk_length3(gjk_sub3(r->normal, expected)) <= run->vector->tolerance;
    bool turned = run->is_sat && is_as_deep(run, gjk_neg3(expected), r->depth);
    if (!same && !turned && !is_as_deep(run, expected, r->depth)) {
        test_complain(run, "normal %g %g, expected %g %g", r->normal.x, r->normal.y, expected.x,
                      expected.y);
    }
}

void test_run_detect(test_case_run *run) {
    proto_query q;
    if (!test_decode(run, PROTO_OP_DETECT, &q)) {
        return;
    }
    const gjk_detect_settings settings = gjk_detect_settings_default();
    const gjk_placed a = {&q.a.shape, q.a.pose}, b = {&q.b.shape, q.b.pose};
    gjk_detect_result r = gjk_detect(&a, &b, &settings);
    if (test_boolean_wrong(run, r.state != GJK_SEPARATED, expects_collision(run), 0.0)) {
        test_complain(run, "state %d, expected the opposite", (int)r.state);
    }
    if (test_vector_expects(run->vector, "depth")) {
        double depth = test_vector_expected(run->vector, "depth");
        if (fabs(r.depth - depth) > run->vector->tolerance * fmax(1.0, depth)) {
            test_complain(run, "depth %.17g, expected %.17g", r.depth, depth);
        }
        compare_normal(run, &r);
    }
    judge(run);
}

void test_run_distance(test_case_run *run) {
    proto_query q;
    if (!test_decode(run, PROTO_OP_DISTANCE, &q)) {
        return;
    }
    const gjk_distance_settings settings = gjk_distance_settings_default();
    const gjk_placed a = {&q.a.shape, q.a.pose}, b = {&q.b.shape, q.b.pose};
    gjk_distance_result r = gjk_distance(&a, &b, &settings);
    if (test_boolean_wrong(run, r.state != GJK_SEPARATED, expects_collision(run), 0.0)) {
        test_complain(run, "state %d, expected the opposite", (int)r.state);
    }
    if (test_vector_expects(run->vector, "distance")) {
        double tolerance = run->vector->tolerance;
        double distance = test_vector_expected(run->vector, "distance");
        if (fabs(r.distance - distance) > tolerance * fmax(1.0, distance)) {
            test_complain(run, "distance %.17g, expected %.17g", r.distance, distance);
        }
        /* Between parallel edges any pair of points will do, but not any normal. */
        gjk_vec3 between = gjk_sub3(test_vector_expected_vec(run->vector, "point_b"),
                                    test_vector_expected_vec(run->vector, "point_a"));
        gjk_vec3 ours = gjk_scale3(r.distance, r.normal);
        if (gjk_length3(gjk_sub3(between, ours)) > tolerance * fmax(1.0, distance)) {
            test_complain(run, "b - a is %g %g, expected %g %g", ours.x, ours.y, between.x,
                          between.y);
        }
    }
    judge(run);
}
