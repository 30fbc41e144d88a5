#ifndef GJKD_WATCH_QUOTA_H
#define GJKD_WATCH_QUOTA_H

/* How many watches each client has, on all loops together. Thread-safe. */

#include "work/memory.h"
#include "work/table.h"

#include <pthread.h>

struct gjkd_quota {
    pthread_mutex_t lock; /* of what follows */
    struct gjkd_table clients;
    uint64_t max; /* watches of one client */
};

void gjkd_quota_init(struct gjkd_quota *quota, uint64_t max);
void gjkd_quota_fini(struct gjkd_quota *quota); /* all are given back */

typedef enum gjkd_quota_result {
    GJKD_QUOTA_TAKEN,
    GJKD_QUOTA_FULL, /* the client has all that it may have */
    GJKD_QUOTA_NO_MEMORY,
} gjkd_quota_result;

/* Counts one more watch of the client with that hash. O(1). */
gjkd_quota_result gjkd_quota_take(struct gjkd_quota *quota, uint64_t hash) GJK_MUST_USE;
/* One less, of those that were taken. */
void gjkd_quota_give(struct gjkd_quota *quota, uint64_t hash);

/*
 * Memory that one client holds between its requests, charged to the process and to the client's
 * share of it (work/memory.h). One thread at a time.
 */

struct gjkd_payment {
    struct gjkd_account account;
    uint64_t bytes;
};

/* Charges bytes to the client with that hash. False: they do not fit, and nothing is charged. */
bool gjkd_payment_take(struct gjkd_payment *payment, uint64_t client, uint64_t bytes) GJK_MUST_USE;

/* Gives them back. */
void gjkd_payment_give(struct gjkd_payment *payment);

#endif
