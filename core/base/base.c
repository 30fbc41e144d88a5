/*
 * The texts of the core's statuses, and the handler of failed assertions. The handler is the
 * core's only global: one for the whole process, set before the first thread starts and never part
 * of a computation.
 */

#include "gjk/base.h"

#include <stdio.h>
#include <stdlib.h>

static gjk_assert_handler assert_handler;

const char *gjk_status_text(gjk_status status) {
    static const char *const texts[] = {
#define X(name, text) text,
        GJK_STATUS_MAP(X)
#undef X
    };
    size_t i = (size_t)status;
    return i < sizeof texts / sizeof texts[0] ? texts[i] : "unknown status";
}

void gjk_set_assert_handler(gjk_assert_handler handler) {
    assert_handler = handler;
}

void gjk_assert_failed(const char *condition, const char *file, int line) {
    if (assert_handler != NULL) {
        assert_handler(condition, file, line);
    } else {
        fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
    }
    abort();
}
