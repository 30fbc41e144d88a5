#include "store/checksum.h"

#include "util/hash.h"

#include <string.h>

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
