#ifndef GJKD_UTIL_HASH_H
#define GJKD_UTIL_HASH_H

/* A hash of two words for hash tables. With a secret seed nobody can construct collisions. */

#include <stdint.h>

uint64_t gjkd_hash2(const uint64_t words[2], uint64_t seed);

#endif
