#ifndef GJKD_UTIL_PROCESS_H
#define GJKD_UTIL_PROCESS_H

/* Metrics of the process: the process_* family that every Prometheus client library has. */

#include <stdint.h>
#include <stdio.h>

/* Prints the metrics that the system provides, in the text format of Prometheus. */
void gjkd_process_print(FILE *out);

/* Returns the resident memory of the process, in bytes, or 0 if the system does not report it. */
uint64_t gjkd_process_resident_bytes(void);

/*
 * Returns the bytes of memory that the process may use: the machine's memory, or less if a control
 * group (version 1 or 2) that contains the process sets a limit. root: prefix of /proc and /sys, ""
 * except in tests.
 */
uint64_t gjkd_memory_limit(const char *root);

/*
 * Reports the daemon's state to the service manager if the environment has NOTIFY_SOCKET, as with
 * systemd's Type=notify. Thread-safe.
 */

typedef enum gjkd_notice {
    GJKD_NOTICE_READY,     /* serving, also after a reload */
    GJKD_NOTICE_RELOADING, /* reloading its files */
    GJKD_NOTICE_STOPPING,  /* draining */
} gjkd_notice;

void gjkd_notify(gjkd_notice notice);

/*
 * Give the threads of loops priority over workers, so that long work does not delay short queries.
 * A writer has the priority of a loop, but interrupts no other thread when it is woken: the thread
 * that wakes several writers goes on, which saves switches.
 * Each thread calls one of them once, for itself. If the system does not permit it, or the process
 * has a scheduling policy of its own, all threads stay equal.
 */

void gjkd_thread_priority_set_loop(void);
void gjkd_thread_priority_set_writer(void);
void gjkd_thread_priority_set_worker(void);

#endif
