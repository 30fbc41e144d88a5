/* Demands on a pair: see require.h. */

#include "require.h"

#include "checks.h"
#include <stdio.h>

static void stop(const test_pair *pair, const char *what, const char *file, int line) {
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
    test_body_print("a", &pair->a);
    test_body_print("b", &pair->b);
    ck_abort_msg("%s:%d: %s", file, line, what);
}

void test_require(const test_pair *pair, bool holds, const char *what, const char *file, int line) {
    if (!holds) {
        stop(pair, what, file, line);
    }
}

void test_require_near(const test_pair *pair, double x, double y, double error, const char *what,
                       const char *file, int line) {
    if (!(fabs(x - y) <= error)) {
        fprintf(stderr, "%.17g and %.17g differ by %g, allowed %g\n", x, y, fabs(x - y), error);
        stop(pair, what, file, line);
    }
}
