/* What the verdicts of all ops have in common. */

#include "verdict.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Closer to touching than this, relative to the coordinates, the input's own rounding decides. */
#define UNDECIDABLE 1e-9

bool test_decode(test_case_run *run, proto_op op, proto_query *query) {
    const proto_limits limits = proto_limits_default();
    const proto_text body = {run->vector->request, strlen(run->vector->request)};
    struct proto_problem problem;
    if (proto_decode_query(body, op, 0, &limits, run->arena, query, &problem)) {
        return true;
    }
    test_complain(run, "refused: %.60s at %.60s", problem.detail, problem.pointer);
    return false;
}

void test_complain(test_case_run *run, const char *format, ...) {
    va_list arguments;
    if (run->complaint[0] != '\0') {
        return;
    }
    va_start(arguments, format);
    (void)vsnprintf(run->complaint, sizeof run->complaint, format, arguments);
    va_end(arguments);
}

bool test_boolean_wrong(const test_case_run *run, bool colliding, bool expected,
                        double signed_distance) {
    double s = run->has_truth ? (double)run->truth.signed_distance : signed_distance;
    return fabs(s) >= UNDECIDABLE * run->reach && colliding != expected;
}
