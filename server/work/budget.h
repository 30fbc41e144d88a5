#ifndef GJKD_WORK_BUDGET_H
#define GJKD_WORK_BUDGET_H

/* Bytes that many requests share: taken bit by bit, given back at once. Thread-safe. */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct gjkd_budget {
    uint64_t max_bytes;
    _Atomic uint64_t used_bytes;
};

void gjkd_budget_init(struct gjkd_budget *budget, uint64_t max_bytes);

/*
 * So many bytes more for whoever holds *held already. False, and nothing taken, when that is
 * more than there is; but who is the only one to hold any gets all it asks for.
 */
bool gjkd_budget_take(struct gjkd_budget *budget, uint64_t bytes, uint64_t *held);

/* All of it back; *held is 0 then. */
void gjkd_budget_give(struct gjkd_budget *budget, uint64_t *held);

uint64_t gjkd_budget_used(struct gjkd_budget *budget);

#endif
