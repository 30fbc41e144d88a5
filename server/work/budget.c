/* One atomic sum of the bytes in use. */

#include "work/budget.h"

void gjkd_budget_init(struct gjkd_budget *budget, uint64_t max_bytes) {
    budget->max_bytes = max_bytes;
    atomic_init(&budget->used_bytes, 0);
}

bool gjkd_budget_take(struct gjkd_budget *budget, uint64_t bytes, uint64_t *held) {
    uint64_t before = atomic_fetch_add_explicit(&budget->used_bytes, bytes, memory_order_relaxed);
    if (before + bytes > budget->max_bytes && before > *held) {
        atomic_fetch_sub_explicit(&budget->used_bytes, bytes, memory_order_relaxed);
        return false;
    }
    *held += bytes;
    return true;
}

void gjkd_budget_give(struct gjkd_budget *budget, uint64_t *held) {
    if (*held > 0) {
        atomic_fetch_sub_explicit(&budget->used_bytes, *held, memory_order_relaxed);
        *held = 0;
    }
}

uint64_t gjkd_budget_used(struct gjkd_budget *budget) {
    return atomic_load_explicit(&budget->used_bytes, memory_order_relaxed);
}
