#ifndef GJKD_STORE_CHECKSUM_H
#define GJKD_STORE_CHECKSUM_H

/* A checksum of bytes, which finds damage, not forgery. Not the same on machines of other byte
 * orders, as the rows that it stands behind are not. */

#include <stddef.h>
#include <stdint.h>

uint64_t gjkd_checksum(const void *bytes, size_t length, uint64_t seed);

#endif
