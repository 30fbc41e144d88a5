/* The cold half of a budget: the question to the caller. */

#include "gjk/budget.h"

bool gjk_budget_ask(gjk_budget *budget) {
    if (budget == NULL) {
        return false;
    }
    budget->is_spent =
        budget->is_spent || (budget->is_over != NULL && budget->is_over(budget->user));
    budget->left = budget->is_spent ? 0 : GJK_BUDGET_STEPS;
    return budget->is_spent;
}
