/* Two rounds of the mixing step of wyhash (Wang Yi 2019): a product folded onto itself. */

#include "util/hash.h"

#include <gnutls/crypto.h>
#include <string.h>

static uint64_t fold(uint64_t a, uint64_t b) {
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t gjkd_hash2(const uint64_t words[2], uint64_t seed) {
    uint64_t first = fold(words[0] ^ seed, UINT64_C(0xa0761d6478bd642f) ^ seed >> 1);
    return fold(words[1] ^ first, UINT64_C(0xe7037ed1a0b428db) ^ seed);
}

uint64_t gjkd_checksum(const void *bytes, size_t length, uint64_t seed) {
    const char *at = bytes;
    uint64_t words[2], sum = seed ^ length;
    for (; length > sizeof words; at += sizeof words, length -= sizeof words) {
        memcpy(words, at, sizeof words);
        sum = gjkd_hash2(words, sum);
    }
    memset(words, 0, sizeof words);
    if (length > 0) {
        memcpy(words, at, length);
    }
    return gjkd_hash2(words, sum);
}

/* SHA-256 by GnuTLS, which libmicrohttpd needs anyway. */

bool gjkd_digest_make(const char *data, size_t length, gjkd_digest *out) {
    return gnutls_hash_fast(GNUTLS_DIG_SHA256, data, length, out->bytes) == 0;
}
