#ifndef GJKD_UTIL_HASH_H
#define GJKD_UTIL_HASH_H

/* Hashes two words, for hash tables. With a secret seed, nobody can construct collisions. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

uint64_t gjkd_hash2(const uint64_t words[2], uint64_t seed);

/* Returns a checksum of bytes, which detects damage but not forgery. It depends on the byte order
 * of the machine, as stored rows do. */
uint64_t gjkd_checksum(const void *bytes, size_t length, uint64_t seed);

/* SHA-256, used to compare tokens and request bodies without storing them. */

#define GJKD_DIGEST_BYTES 32

typedef struct gjkd_digest {
    uint8_t bytes[GJKD_DIGEST_BYTES];
} gjkd_digest;

/* Computes the SHA-256 of the data. Returns false if GnuTLS reports an error. */
bool gjkd_digest_make(const char *data, size_t length, gjkd_digest *out)
    __attribute__((warn_unused_result));

#endif
