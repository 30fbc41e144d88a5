#ifndef GJKD_SECURITY_LIMITER_H
#define GJKD_SECURITY_LIMITER_H

/*
 * Rate limits: each client may make so many queries a second, and as many at once after a second
 * of silence. What a request costs is known only once it is read; therefore a client whose account
 * is not used up is admitted, and a large request leaves a debt that has to be waited for. Memory
 * is fixed: when there are more clients than accounts, those that owe least are forgotten.
 * Thread-safe.
 */

#include "util/table.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Number of accounts. */
#define GJKD_LIMITER_CLIENTS_MAX 65536

/* A client: an address, or the beginning of a token's hash. */
typedef struct gjkd_limiter_key {
    uint64_t words[2];
} gjkd_limiter_key;

gjkd_limiter_key gjkd_limiter_key_of(const uint8_t bytes[16]);

/* A second account of the same client. */
gjkd_limiter_key gjkd_limiter_key_beside(const gjkd_limiter_key *key);

struct gjkd_limiter;

/* per_second >= 1. NULL: out of memory. */
struct gjkd_limiter *gjkd_limiter_new(uint64_t per_second);
void gjkd_limiter_free(struct gjkd_limiter *limiter); /* NULL is allowed */

/* Charges one query if the account allows it and returns 0; else returns in how many seconds it
 * will, at least 1. now_ns is read from a monotonic clock. */
uint64_t gjkd_limiter_take(struct gjkd_limiter *limiter, const gjkd_limiter_key *key,
                           uint64_t now_ns);

/* Returns what gjkd_limiter_take would return; charges nothing. */
uint64_t gjkd_limiter_wait_s(struct gjkd_limiter *limiter, const gjkd_limiter_key *key,
                             uint64_t now_ns);

/* Charges queries unconditionally. */
void gjkd_limiter_charge(struct gjkd_limiter *limiter, const gjkd_limiter_key *key,
                         uint64_t queries, uint64_t now_ns);

/*
 * Quotas: how many connections, or watches, there may be on all loops, in all and of each client.
 * Clients are told apart by a hash whose seed is secret, so that nobody can choose clients that
 * share a count. Memory is bounded by what is taken. Thread-safe.
 */

struct gjkd_quota {
    pthread_mutex_t lock; /* of what follows */
    struct gjkd_table clients;
    uint64_t taken, most, most_each;
};

/* most: in all; most_each: of each client. */
void gjkd_quota_init(struct gjkd_quota *quota, uint64_t most, uint64_t most_each);
void gjkd_quota_fini(struct gjkd_quota *quota); /* all are given back */

typedef enum gjkd_quota_result {
    GJKD_QUOTA_TAKEN,
    GJKD_QUOTA_FULL, /* there are as many as there may be */
    GJKD_QUOTA_NO_MEMORY,
} gjkd_quota_result;

/* Counts one more, of the client with that hash. NULL: only in all. O(1). */
gjkd_quota_result gjkd_quota_take(struct gjkd_quota *quota, const uint64_t *client) GJK_MUST_USE;
/* One less, of those that were taken. */
void gjkd_quota_give(struct gjkd_quota *quota, const uint64_t *client);

#endif
