#ifndef GJKD_WORK_DEFERRED_FREE_H
#define GJKD_WORK_DEFERRED_FREE_H

/*
 * Frees large objects on a worker. A set of 200,000 shapes takes a tenth of a second to free; on
 * the thread of a loop that would delay every other connection of the loop, so such a thread
 * hands the object to a worker, and so does a thread in the midst of a short task. Every other
 * thread frees it itself.
 */

#include "work/pool.h"

/* Objects from this size on are large: they take about 2 ms to free. Smaller ones are better freed
 * at once, because memory that waits for a worker cannot be used again meanwhile. */
#define GJKD_LARGE_BYTES (UINT64_C(4) << 20)

/* Declares the calling thread one of these two, until end, which is called after it has run anything
 * for the last time. */
void gjkd_deferred_free_begin(struct gjkd_pool *pool);
void gjkd_deferred_free_end(void);

/* Calls release(object), now or soon on a worker. bytes: about how much that frees. */
void gjkd_deferred_free(void *object, uint64_t bytes, void (*release)(void *object));

#endif
