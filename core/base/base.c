/*
 * The texts of statuses, the handler of failed assertions, and the budget's call of is_over. The
 * handler is the core's only global: one for the process, set before the first thread starts and
 * never part of a computation.
 */

#include "gjk/base.h"

#include "gjk/budget.h"

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

bool gjk_budget_ask(gjk_budget *budget) {
    if (budget == NULL) {
        return false;
    }
    budget->is_spent =
        budget->is_spent || (budget->is_over != NULL && budget->is_over(budget->user));
    budget->left = budget->is_spent ? 0 : GJK_BUDGET_STEPS;
    return budget->is_spent;
}
