#ifndef GJKD_WORK_BUDGET_H
#define GJKD_WORK_BUDGET_H

/* A limit on memory that many requests share. Thread-safe. */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct gjkd_budget {
    uint64_t max_bytes;
    _Atomic uint64_t used_bytes;
};

void gjkd_budget_init(struct gjkd_budget *budget, uint64_t max_bytes);

/*
 * Takes bytes for a request that holds *held already. False: they exceed the limit, and nothing
 * is taken; but a request that is the only holder gets all that it asks for, so that one large
 * request can always make progress.
 */
bool gjkd_budget_take(struct gjkd_budget *budget, uint64_t bytes, uint64_t *held);

/* Gives all of *held back and sets it to 0. */
void gjkd_budget_give(struct gjkd_budget *budget, uint64_t *held);

uint64_t gjkd_budget_used(struct gjkd_budget *budget);

#endif
