#ifndef TEST_VERDICT_H
#define TEST_VERDICT_H

#include "reference.h"
#include "vector.h"

#include "proto/request.h"

#define TEST_VERDICT_TEXT_MAX 200

/* What a case looks like from all sides, and what was found wrong with the answer. */
typedef struct test_case_run {
    const test_vector *vector;
    struct gjk_arena *arena;
    double reach;     /* largest coordinate: what the reference's own rounding is relative to */
    bool is_sat;      /* dyn4j's answer came from its SAT */
    bool has_truth;   /* the shapes were small enough for the brute force */
    test_truth truth; /* of a and b */
    char complaint[TEST_VERDICT_TEXT_MAX]; /* "": none */
} test_case_run;

/* Decodes the request as the wire would; false, with a complaint, when it is refused. */
bool test_decode(test_case_run *run, proto_op op, proto_query *query);

/* Keeps the first complaint, in printf form. */
void test_complain(test_case_run *run, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* One function an op. */
void test_run_signed(test_case_run *run);
void test_run_detect(test_case_run *run);
void test_run_distance(test_case_run *run);
void test_run_raycast(test_case_run *run);

/* Is this boolean wrong, and not merely undecidable? `signed_distance` is what is known of it, as
 * the line tells or, where it tells nothing, as answered. The truth goes before both. */
bool test_boolean_wrong(const test_case_run *run, bool colliding, bool expected,
                        double signed_distance);

#endif
