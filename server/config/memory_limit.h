#ifndef GJKD_CONFIG_MEMORY_LIMIT_H
#define GJKD_CONFIG_MEMORY_LIMIT_H

#include <stdint.h>

/*
 * The bytes of memory that the process may use: what the machine has, or less where a control group
 * of the process, of version 1 or 2, or one that contains it, says so. root stands before the paths
 * of /proc and /sys: "" but for tests.
 */
uint64_t gjkd_memory_limit(const char *root);

#endif
