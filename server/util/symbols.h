#ifndef GJKD_UTIL_SYMBOLS_H
#define GJKD_UTIL_SYMBOLS_H

/* Names of the program's own functions, static ones included, for crash reports. */

#include <stdint.h>

/* Maps the program's file into memory, which is not read before it is needed. To be called once,
 * before a signal handler asks. */
void gjkd_symbols_load(void);

/*
 * The name of the function that the address of an instruction lies in, and how far in it. NULL: the
 * address is not in the program, or the program was stripped of its symbols. O(symbols); allocates
 * nothing, takes no lock, and may be called in a signal handler.
 */
const char *gjkd_symbols_find(const void *address, uintptr_t *offset);

#endif
