#ifndef GJKD_SECURITY_LIMITER_H
#define GJKD_SECURITY_LIMITER_H

/*
 * Rate limits: each client may make a number of queries per second, and the same number at once
 * after a second of silence. The cost of a request is known only after it is read: a client is
 * admitted while its account is not used up, and a large request leaves a debt that the client has
 * to wait for. Memory is fixed: if there are more clients than accounts, those that owe least are
 * forgotten. Thread-safe.
 */

#include "util/table.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Number of accounts. */
#define GJKD_LIMITER_CLIENTS_MAX 65536

/* A client: an address, or the first 16 bytes of a token's hash. */
typedef struct gjkd_limiter_key {
    uint64_t words[2];
} gjkd_limiter_key;

gjkd_limiter_key gjkd_limiter_key_of(const uint8_t bytes[16]);

/* Returns the key of a second account of the same client. */
gjkd_limiter_key gjkd_limiter_second_key(const gjkd_limiter_key *key);

struct gjkd_limiter;

/* Makes a limiter for per_second >= 1 queries. Returns NULL if memory is exhausted. */
struct gjkd_limiter *gjkd_limiter_new(uint64_t per_second);
void gjkd_limiter_free(struct gjkd_limiter *limiter); /* NULL is allowed */

/* Charges one query if the account allows it and returns 0; otherwise returns the seconds until it
 * will, at least 1. now_ns: by a monotonic clock. */
uint64_t gjkd_limiter_take(struct gjkd_limiter *limiter, const gjkd_limiter_key *key,
                           uint64_t now_ns);

/* Returns the result that gjkd_limiter_take would have, without charging. */
uint64_t gjkd_limiter_wait_s(struct gjkd_limiter *limiter, const gjkd_limiter_key *key,
                             uint64_t now_ns);

/* Charges queries unconditionally. */
void gjkd_limiter_charge(struct gjkd_limiter *limiter, const gjkd_limiter_key *key,
                         uint64_t queries, uint64_t now_ns);

/*
 * Quotas: limits on the number of connections, or watches, of all loops, in total and for each
 * client. Clients are told apart by a hash whose seed is secret, so that nobody can choose clients
 * that share a count. Memory grows with the number of clients that hold something. Thread-safe.
 */

struct gjkd_quota {
    pthread_mutex_t lock; /* protects the members below */
    struct gjkd_table clients;
    uint64_t taken, most, most_each;
};

/* Initialises a quota. most: limit in total; most_each: limit for each client. */
void gjkd_quota_init(struct gjkd_quota *quota, uint64_t most, uint64_t most_each);
void gjkd_quota_fini(struct gjkd_quota *quota); /* everything was given back */

typedef enum gjkd_quota_result {
    GJKD_QUOTA_TAKEN,
    GJKD_QUOTA_FULL, /* a limit is reached */
    GJKD_QUOTA_NO_MEMORY,
} gjkd_quota_result;

/* Takes one for the client with that hash; NULL: counts only in total. O(1). */
gjkd_quota_result gjkd_quota_take(struct gjkd_quota *quota, const uint64_t *client) GJK_MUST_USE;
/* Gives one back that was taken for the same client. */
void gjkd_quota_give(struct gjkd_quota *quota, const uint64_t *client);

#endif
