#ifndef GJKD_WORK_THREAD_PRIORITY_H
#define GJKD_WORK_THREAD_PRIORITY_H

/*
 * Gives the threads of loops priority over workers, so that long work does not delay short
 * queries. Each thread calls one of these once, for itself; where the system does not permit it,
 * or the process was given a scheduling policy of its own, all threads stay equal.
 */

void gjkd_thread_priority_set_loop(void);
void gjkd_thread_priority_set_worker(void);

#endif
