#ifndef GJKD_WORK_DEFERRED_FREE_H
#define GJKD_WORK_DEFERRED_FREE_H

/*
 * Who frees what is large? A set of 200,000 shapes takes a tenth of a second to free, and whoever
 * lets go of it last has to: were that a loop, all its other connections would wait. So a loop's
 * thread hands such things to a worker; any other thread frees them itself.
 */

#include "work/pool.h"

/* From here on a thing is large: as much takes some 2 ms to free. Less is better freed at once:
 * what waits for a worker is in the way of what is made meanwhile. */
#define GJKD_LARGE_BYTES (UINT64_C(4) << 20)

/* From now on the calling thread is a loop's; every begin has its end, after the loop has run for
 * the last time. */
void gjkd_deferred_free_begin(struct gjkd_pool *pool);
void gjkd_deferred_free_end(void);

/* Calls release(thing), now or on a worker soon. bytes: about how much that frees. */
void gjkd_deferred_free(void *thing, uint64_t bytes, void (*release)(void *thing));

#endif
