#ifndef GJKD_UTIL_DIGEST_H
#define GJKD_UTIL_DIGEST_H

/* SHA-256, by which tokens and request bodies are compared without being stored. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GJKD_DIGEST_BYTES 32

typedef struct gjkd_digest {
    uint8_t bytes[GJKD_DIGEST_BYTES];
} gjkd_digest;

/* SHA-256 of the data. False: GnuTLS reported an error. */
bool gjkd_digest_make(const char *data, size_t length, gjkd_digest *out)
    __attribute__((warn_unused_result));

#endif
