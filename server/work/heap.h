#ifndef GJKD_WORK_HEAP_H
#define GJKD_WORK_HEAP_H

/* Settings of malloc, and the memory that it keeps: glibc's, mallopt(3). */

#include <stdbool.h>

/* Sets malloc up for that many threads that run at a time. To be called before there are any. */
void gjkd_heap_setup(unsigned threads);

/*
 * Returns to the system what malloc keeps free between blocks, if the process holds much more than
 * was charged: at once if memory is tight, otherwise when ten calls in a row have found that.
 * Requests of many sizes leave fragments: a third of the heap, before this was done. Returns true
 * while memory is tight. One thread calls it once a second, and ten times a second while it is true.
 */
bool gjkd_heap_trim(void);

#endif
