#ifndef GJKD_UTIL_PROCESS_H
#define GJKD_UTIL_PROCESS_H

/* Metrics of the process: the process_* family that every Prometheus client library has. */

#include <stdint.h>
#include <stdio.h>

/* Prints them in the text format of Prometheus, without those that the system does not provide. */
void gjkd_process_print(FILE *out);

/* Returns the bytes of the process that are in memory, or 0 if the system does not tell. */
uint64_t gjkd_process_resident_bytes(void);

#endif
