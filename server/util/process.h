#ifndef GJKD_UTIL_PROCESS_H
#define GJKD_UTIL_PROCESS_H

/* Metrics of the process: the process_* family that every Prometheus client library has. */

#include <stdint.h>
#include <stdio.h>

/* Prints them in the text format of Prometheus, without those that the system does not provide. */
void gjkd_process_print(FILE *out);

/* Returns the bytes of the process that are in memory, or 0 if the system does not tell. */
uint64_t gjkd_process_resident_bytes(void);

/*
 * The bytes of memory that the process may use: what the machine has, or less where a control group
 * of the process, of version 1 or 2, or one that contains it, says so. root stands before the paths
 * of /proc and /sys: "" but for tests.
 */
uint64_t gjkd_memory_limit(const char *root);

/*
 * Tells the service manager the daemon's state, if NOTIFY_SOCKET in the environment asks for that,
 * as systemd does for Type=notify. Thread-safe.
 */

typedef enum gjkd_notice {
    GJKD_NOTICE_READY,     /* serving, also after a reload */
    GJKD_NOTICE_RELOADING, /* reloading its files */
    GJKD_NOTICE_STOPPING,  /* draining */
} gjkd_notice;

void gjkd_notify(gjkd_notice notice);

/*
 * Gives the threads of loops priority over workers, so that long work does not delay short
 * queries. Each thread calls one of these once, for itself; where the system does not permit it,
 * or the process was given a scheduling policy of its own, all threads stay equal.
 */

void gjkd_thread_priority_set_loop(void);
void gjkd_thread_priority_set_worker(void);

#endif
