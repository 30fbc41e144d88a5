#ifndef GJKD_WORK_CHUNKS_H
#define GJKD_WORK_CHUNKS_H

/*
 * Work cut into parts: the rows of a column message, the queries of a batch. A handler that has
 * understood its request leaves the rows here and returns without a reply; they are then done in
 * steps of about 100 us, by as many workers as there are, and the last one writes the answer. How
 * many rows that is, is guessed for the first part and measured for those after it. A row fills
 * a slot of its own, so that neither the order nor a bit of the answer depends on who did what,
 * or when.
 */

#include "gjk/arena.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct gjkd_request;

typedef struct gjkd_chunk {
    void *work;               /* the handler's own */
    uint32_t begin, end;      /* rows to do */
    struct gjk_arena *memory; /* empty; what lies in it is gone with the part */
} gjkd_chunk;

struct gjkd_chunks {
    void *work;
    void (*run)(struct gjkd_request *request, const gjkd_chunk *chunk);
    void (*finish)(struct gjkd_request *request, void *work); /* fills job->reply */
    void (*drop)(struct gjkd_request *request,
                 void *work); /* instead, when it is late; NULL: nothing */
    bool is_fixed;            /* every part but the last has as many rows as the first */
    uint32_t rows;            /* 0: nothing was left to do */
    atomic_uint step;         /* rows of the next part */
    atomic_uint taken, done;  /* rows */
    atomic_bool late;         /* the deadline has passed: what is left is not done */
};

/* How many of count rows, each of about row_ns, make the first part. */
uint32_t gjkd_chunks_step_of(uint32_t count, uint64_t row_ns);

/* How many make the next part, when so many took so long. */
uint32_t gjkd_chunks_next_step(uint32_t rows, uint64_t took_ns);

/* For handlers: leaves count rows, each of about row_ns, to be done by run. finish is called once,
 * also when there are no rows. */
void gjkd_chunks_leave(struct gjkd_request *request, uint32_t count, uint64_t row_ns,
                       const struct gjkd_chunks *how);

/*
 * Takes the next part and does it; whoever does the last one finishes the job. False: there was
 * none left to take. Any number of threads may call it for one job, each with memory of its own.
 */
bool gjkd_chunks_step(struct gjkd_request *request, struct gjk_arena *memory);

/* How many parts has nobody taken yet? 0 when the handler left nothing. */
uint32_t gjkd_chunks_waiting(struct gjkd_request *request);

/* All of it, here and now. Nothing when the handler left nothing. */
void gjkd_chunks_run_all(struct gjkd_request *request);

#endif
