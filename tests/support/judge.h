#ifndef TEST_JUDGE_H
#define TEST_JUDGE_H

/*
 * Does what gjk_detect and gjk_distance say of a pair agree with the truth, with
 * itself and with each other? Every demand is one line of the table; a judgement is
 * a set of complaints, so that a suite can count before it fails.
 */

#include "gjk/pair.h"
#include "reference.h"

#define TEST_COMPLAINTS(X)                                                      \
    X(NOT_FINITE, "a number is not finite")                                     \
    X(STATE, "the state is wrong")                                              \
    X(DISAGREE, "detect, distance and penetration:false disagree on the state") \
    X(NOT_CONVERGED, "not converged")                                           \
    X(ORDER, "a lower bound is above its value")                                \
    X(VALUE, "the value is further than 2e-13 from the truth")                  \
    X(UPPER, "the truth is above the upper bound by more than 4 ulp")           \
    X(LOWER, "the truth is below the lower bound by more than 4 ulp")           \
    X(NORMAL, "the normal is not of unit length")                               \
    X(AXIS, "the shapes are not that far apart (or deep) along the normal")     \
    X(POINTS, "the points do not differ by value * normal")                     \
    X(POINT_OFF, "a witness point is not on its shape")                         \
    X(ORDER_OF_TWO, "the answer depends on which of the two is named first")    \
    X(FIELDS, "a field that should be empty is not")

enum {
#define X(name, text) TEST_BIT_##name,
    TEST_COMPLAINTS(X)
#undef X
        TEST_COMPLAINT_COUNT
};
const char *test_complaint_text(unsigned bit);

/* Worst errors met. value and points: relative to max(size, distance); bounds: in ulp of that. */
typedef struct test_worst {
    double value, upper_ulps, lower_ulps, points, axis;
    uint32_t iterations;
} test_worst;

typedef struct test_judgement {
    unsigned complaints; /* bit i: TEST_BIT_... */
    gjk_detect_result detect;
    gjk_distance_result distance;
} test_judgement;

/* Asks all three forms with default settings. with_points: the slower check that witness points
 * lie on their shapes, too. */
test_judgement test_judge(const test_body *a, const test_body *b, const test_truth *truth,
                          bool with_points, test_worst *worst);

/* To stderr: complaints, truth, answers and both bodies. */
void test_judgement_print(const test_judgement *judgement, const test_body *a, const test_body *b,
                          const test_truth *truth);

bool test_finite3(gjk_vec3 v);

/* The largest component's magnitude: a norm that neither overflows nor vanishes. */
double test_largest3(gjk_vec3 v);

/* The distance from one double of that magnitude to the next. */
double test_ulp(double magnitude);

#endif
