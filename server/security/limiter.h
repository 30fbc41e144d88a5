#ifndef GJKD_SECURITY_LIMITER_H
#define GJKD_SECURITY_LIMITER_H

/*
 * How much has a client asked of late? Each may ask so many queries a second, and as many at
 * once after a second of silence. What a request costs is known only when it has been read: so
 * a client whose account is not used up may ask, and a large request leaves it in debt, which
 * has to be waited for. Memory is fixed: of more clients than there is room for, those who owe
 * least are forgotten. Thread-safe.
 */

#include <stdbool.h>
#include <stdint.h>

/* How many clients are remembered. */
#define GJKD_LIMITER_CLIENTS_MAX 65536

/* Who: an address, or the beginning of a token's hash. */
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

/* One query, if the account allows it: 0. Else in how many seconds it will, at least 1, and
 * nothing is charged. now_ns by a clock that never goes back. */
uint64_t gjkd_limiter_take(struct gjkd_limiter *limiter, const gjkd_limiter_key *key,
                           uint64_t now_ns);

/* What take would answer, without taking. */
uint64_t gjkd_limiter_wait_s(struct gjkd_limiter *limiter, const gjkd_limiter_key *key,
                             uint64_t now_ns);

/* So many queries more, whatever the account says. */
void gjkd_limiter_charge(struct gjkd_limiter *limiter, const gjkd_limiter_key *key,
                         uint64_t queries, uint64_t now_ns);

#endif
