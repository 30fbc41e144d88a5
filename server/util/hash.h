#ifndef GJKD_UTIL_HASH_H
#define GJKD_UTIL_HASH_H

/* A hash of two words for hash tables. With a secret seed nobody can construct collisions. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

uint64_t gjkd_hash2(const uint64_t words[2], uint64_t seed);

/* Returns a checksum of bytes, which finds damage, not forgery. It is another one on machines of
 * other byte order, as the stored rows are. */
uint64_t gjkd_checksum(const void *bytes, size_t length, uint64_t seed);

/* SHA-256, by which tokens and request bodies are compared without being stored. */

#define GJKD_DIGEST_BYTES 32

typedef struct gjkd_digest {
    uint8_t bytes[GJKD_DIGEST_BYTES];
} gjkd_digest;

/* SHA-256 of the data. False: GnuTLS reported an error. */
bool gjkd_digest_make(const char *data, size_t length, gjkd_digest *out)
    __attribute__((warn_unused_result));

#endif
