#ifndef GJK_BUDGET_H
#define GJK_BUDGET_H

/*
 * The one way in which long work is interrupted. Loops spend steps where they do the work; every
 * GJK_BUDGET_STEPS steps the caller is asked whether to give up, and then all work of the budget
 * ends. A step stands for about 10 ns: a box of a tree, a comparison of a sort, a vertex of a scan
 * or two. A budget belongs to one thread at a time.
 */

#include "gjk/base.h"

GJK_BEGIN

/* Steps between two questions to the caller: some 20 us of work. */
#define GJK_BUDGET_STEPS 2048

typedef struct gjk_budget {
    uint32_t left;               /* steps until the caller is asked; 0 once the budget is spent */
    bool is_spent;               /* the caller has given up, which is final */
    bool (*is_over)(void *user); /* NULL: the budget is endless */
    void *user;
} gjk_budget;

static inline gjk_budget gjk_budget_make(bool (*is_over)(void *user), void *user) {
    return GJK_LITERAL(gjk_budget){GJK_BUDGET_STEPS, false, is_over, user};
}

/* Asks the caller now. NULL: endless. Returns true if the budget is spent. */
bool gjk_budget_ask(gjk_budget *budget);

/* Spends steps. NULL: endless. Returns true if the budget is spent and the work is to end. */
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
