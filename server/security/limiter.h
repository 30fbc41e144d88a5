#ifndef GJKD_SECURITY_LIMITER_H
#define GJKD_SECURITY_LIMITER_H

/*
 * Rate limits: each client may make so many queries a second, and as many at once after a second
 * of silence. What a request costs is known only once it is read; therefore a client whose account
 * is not used up is admitted, and a large request leaves a debt that has to be waited for. Memory
 * is fixed: when there are more clients than accounts, those that owe least are forgotten.
 * Thread-safe.
 */

#include "util/network.h"

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
 * Limits the open connections over all loops, in total and by client address. Memory is bounded
 * by the number of open connections. Thread-safe.
 */

struct gjkd_connection_limiter;

/* total_max connections in all and per_address_max for each address (0: no limit). NULL: out of
 * memory. */
struct gjkd_connection_limiter *gjkd_connection_limiter_new(uint64_t total_max,
                                                            uint64_t per_address_max);
void gjkd_connection_limiter_free(struct gjkd_connection_limiter *limiter); /* NULL is allowed */

/*
 * Counts a new connection. ip NULL: it is not counted by address. False: a limit is reached, and
 * nothing is counted. IPv6 addresses are counted by /64 prefix, since one client may own all of
 * it.
 */
bool gjkd_connection_limiter_admit(struct gjkd_connection_limiter *limiter, const gjkd_ip *ip);

/* Counts an admitted connection, with the same ip, as closed. */
void gjkd_connection_limiter_release(struct gjkd_connection_limiter *limiter, const gjkd_ip *ip);

#endif
