#ifndef TEST_BUDGET_H
#define TEST_BUDGET_H

/* A budget that is over when it is asked for the ends_at-th time: gjk_budget_make(test_is_over, &left). */

#include "gjk/budget.h"

typedef struct test_budget {
    uint32_t asked, ends_at;
} test_budget;

static inline bool test_is_over(void *user) {
    test_budget *budget = user;
    return ++budget->asked >= budget->ends_at;
}

#endif
