#ifndef GJKD_UTIL_DIGEST_H
#define GJKD_UTIL_DIGEST_H

/* SHA-256: how tokens and the bodies of requests are told apart without being kept. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GJKD_DIGEST_BYTES 32

typedef struct gjkd_digest {
    uint8_t bytes[GJKD_DIGEST_BYTES];
} gjkd_digest;

/* False: the library cannot. */
bool gjkd_digest_make(const char *data, size_t length, gjkd_digest *out)
    __attribute__((warn_unused_result));

#endif
