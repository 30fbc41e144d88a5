#ifndef GJK_BUDGET_H
#define GJK_BUDGET_H

/*
 * The only mechanism that interrupts long work. Loops spend steps as they work; every
 * GJK_BUDGET_STEPS steps the budget calls the caller's is_over, and if that returns true, all work
 * on this budget ends. A step is about 10 ns of work: one box of a tree, one comparison of a sort,
 * or one or two vertices of a scan. A budget belongs to one thread at a time.
 */

#include "gjk/base.h"

GJK_BEGIN

/* Steps between two calls of is_over: about 20 us of work. */
#define GJK_BUDGET_STEPS 2048

typedef struct gjk_budget {
    uint32_t left; /* steps until the next call of is_over; 0 once the budget is spent */
    bool is_spent; /* is_over has returned true; final */
    bool (*is_over)(void *user); /* NULL: no limit */
    void *user;
} gjk_budget;

static inline gjk_budget gjk_budget_make(bool (*is_over)(void *user), void *user) {
    return GJK_LITERAL(gjk_budget){GJK_BUDGET_STEPS, false, is_over, user};
}

/* Calls is_over now. Returns true if the budget is spent; false if `budget` is NULL (no limit). */
bool gjk_budget_ask(gjk_budget *budget);

/* Spends steps. Returns true if the budget is spent and the work must end; false if `budget` is
 * NULL (no limit). */
static inline bool gjk_budget_spend(gjk_budget *budget, uint32_t steps) {
    if (budget == NULL) {
        return false;
    }
    if (steps < budget->left) {
        budget->left -= steps;
        return false;
    }
    return gjk_budget_ask(budget);
}

static inline bool gjk_budget_is_spent(const gjk_budget *budget) {
    return budget != NULL && budget->is_spent;
}

GJK_END

#endif
