#ifndef GJKD_WORK_HEAP_H
#define GJKD_WORK_HEAP_H

/* Settings of malloc, and the memory that it keeps: glibc's, mallopt(3). */

#include <stdbool.h>

/* Sets malloc up for that many threads that run at a time. To be called before there are any. */
void gjkd_heap_setup(unsigned threads);

/*
 * Returns to the system what malloc keeps free between blocks, if the process holds much more than
 * was charged: at once if memory is tight, else if ten calls in a row find so. Requests of many
 * sizes and lifetimes would leave a third of the heap in gaps. To be called by one thread: ten
 * times a second after it has returned true, memory is tight; else once.
 */
bool gjkd_heap_trim(void);

#endif
