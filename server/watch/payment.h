#ifndef GJKD_WATCH_PAYMENT_H
#define GJKD_WATCH_PAYMENT_H

/*
 * Memory that one client holds between its requests, charged to the process and to the client's share
 * of it (work/memory.h). One thread at a time.
 */

#include "work/memory.h"

struct gjkd_payment {
    struct gjkd_account account;
    uint64_t bytes;
};

/* Charges bytes to the client with that hash. False: they do not fit, and nothing is charged. */
bool gjkd_payment_take(struct gjkd_payment *payment, uint64_t client, uint64_t bytes) GJK_MUST_USE;

/* Gives them back. */
void gjkd_payment_give(struct gjkd_payment *payment);

#endif
