#ifndef GJKD_UTIL_RANDOM_H
#define GJKD_UTIL_RANDOM_H

#include <stdint.h>

/* Returns a random number of the kernel, of which each thread fetches 32 at a time. Never returns
 * 0, unless the kernel has none. */
uint64_t gjkd_random(void);

#endif
