#ifndef GJKD_WORK_THREAD_PRIORITY_H
#define GJKD_WORK_THREAD_PRIORITY_H

/*
 * Who goes first where several threads want one processor? Loops before workers: long work may
 * take a little longer, a short question must not. Each thread says it of itself, once; where
 * the system does not allow that, or the process has been given a scheduling policy of its own,
 * all stay equal.
 */

void gjkd_thread_priority_of_loop(void);
void gjkd_thread_priority_of_worker(void);

#endif
