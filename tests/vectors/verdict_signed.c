/* Is the signed distance right, and everything that goes with it? */

#include "verdict.h"

#include "judge.h"

#include <string.h>

#define ERROR_MAX 1e-9
/* Coordinates of at most 1e3: their rounding is below 1e-12 of max(1, |value|). */
#define ERROR_MAX_SCALED 1e-12
#define WELL_SCALED 1e3
/* Our own brute force has no such excuse. */
#define TRUTH_ERROR_MAX 1e-12

/*
 * The references were computed from the points in the world, rounded to doubles: far
 * from the origin (positions up to 6.7e7, where an ulp is 1.5e-8) they are off by up
 * to that. The answer, computed in the frame of one shape, is not; the brute force,
 * which starts from the poses as well, confirms it to 1e-12.
 */
static double reference_error(const test_case_run *run) {
    return 2 * test_ulp(run->reach);
}

static double allowed_error(const test_case_run *run, double value) {
    double scaled = run->reach <= WELL_SCALED ? ERROR_MAX_SCALED : ERROR_MAX;
    double line = run->vector->tolerance;
    /* Where a line grants more than 1e-9 its answer was published with so few digits. */
    double relative = line > ERROR_MAX ? line : scaled;
    return relative * fmax(1.0, fabs(value)) + reference_error(run);
}

static void compare_value(test_case_run *run, const gjk_detect_result *detect,
                          const gjk_distance_result *distance, double expected) {
    double got = distance->distance > 0.0 ? distance->distance : -detect->depth;
    if (fabs(got - expected) > allowed_error(run, expected)) {
        test_complain(run, "signed distance %.17g, expected %.17g", got, expected);
    }
    if (run->has_truth) {
        double s = (double)run->truth.signed_distance;
        if (fabs(got - s) > TRUTH_ERROR_MAX * fmax(1.0, fabs(s))) {
            test_complain(run, "signed distance %.17g, truth %.17g", got, s);
        }
    }
}

/* lower and upper enclose the positive part of the expected number. */
static bool encloses(double lower, double upper, double expected, double slack) {
    double positive = fmax(expected, 0.0);
    return lower - slack <= positive && positive <= upper + slack;
}

static void compare_bounds(test_case_run *run, const gjk_detect_result *detect,
                           const gjk_distance_result *distance, double expected) {
    double size = fmax(run->vector->a.shape.size, run->vector->b.shape.size);
    double slack = 4 * test_ulp(fmax(size, fabs(expected))) + reference_error(run);
    if (run->vector->tolerance > ERROR_MAX) {
        return; /* an answer published with few digits */
    }
    if (!encloses(distance->lower_bound, distance->distance, expected, slack)) {
        test_complain(run, "distance in [%.17g, %.17g], expected %.17g", distance->lower_bound,
                      distance->distance, expected);
    }
    if (detect->state != GJK_SEPARATED &&
        !encloses(detect->depth_lower_bound, detect->depth, -expected, slack)) {
        test_complain(run, "depth in [%.17g, %.17g], expected %.17g", detect->depth_lower_bound,
                      detect->depth, -expected);
    }
}

static void judge_against_truth(test_case_run *run) {
    test_worst worst = {0};
    test_judgement j = test_judge(&run->vector->a, &run->vector->b, &run->truth, true, &worst);
    for (unsigned bit = 0; bit < TEST_COMPLAINT_COUNT; bit++) {
        if (j.complaints >> bit & 1u) {
            test_complain(run, "%s (truth %.17g, depth %.17g, distance %.17g)",
                          test_complaint_text(bit), (double)run->truth.signed_distance,
                          j.detect.depth, j.distance.distance);
        }
    }
}

void test_run_signed(test_case_run *run) {
    proto_query q, d;
    if (!test_decode(run, PROTO_OP_DETECT, &q) || !test_decode(run, PROTO_OP_DISTANCE, &d)) {
        return;
    }
    gjk_detect_settings settings = gjk_detect_settings_default();
    const gjk_distance_settings distance_settings = gjk_distance_settings_default();
    const gjk_placed a = {&q.a.shape, q.a.pose}, b = {&q.b.shape, q.b.pose};
    const gjk_placed da = {&d.a.shape, d.a.pose}, db = {&d.b.shape, d.b.pose};
    gjk_detect_result detect = gjk_detect(&a, &b, &settings);
    gjk_distance_result distance = gjk_distance(&da, &db, &distance_settings);
    settings.penetration = false;
    gjk_state quick = gjk_detect(&a, &b, &settings).state;
    if (detect.state != distance.state || detect.state != quick) {
        test_complain(run, "states %d, %d, %d", (int)detect.state, (int)distance.state, (int)quick);
    }
    if (test_vector_expects(run->vector, "signed_distance")) {
        double expected = test_vector_expected(run->vector, "signed_distance");
        if (test_boolean_wrong(run, detect.state != GJK_SEPARATED, expected <= 0.0, expected)) {
            test_complain(run, "state %d, expected %.17g", (int)detect.state, expected);
        }
        compare_value(run, &detect, &distance, expected);
        compare_bounds(run, &detect, &distance, expected);
    } else { /* no depth is known */
        bool expected = json_is_true(json_object_get(run->vector->expect, "colliding"));
        double value = test_vector_expected(run->vector, "distance");
        double known = value > 0.0 ? value : distance.distance - detect.depth;
        if (test_boolean_wrong(run, detect.state != GJK_SEPARATED, expected, known)) {
            test_complain(run, "state %d, expected the opposite", (int)detect.state);
        }
        if (fabs(distance.distance - value) > allowed_error(run, value)) {
            test_complain(run, "distance %.17g, expected %.17g", distance.distance, value);
        }
    }
    if (run->has_truth) {
        judge_against_truth(run);
    }
}
