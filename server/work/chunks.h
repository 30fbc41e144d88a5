#ifndef GJKD_WORK_CHUNKS_H
#define GJKD_WORK_CHUNKS_H

/*
 * Work cut into chunks: the rows of a column message, the queries of a batch. Chunks of about
 * 100 us are done by as many workers as there are, and the last one finishes the whole. How many
 * rows make a chunk is guessed for the first one and measured for those after it. A row fills a
 * slot of its own, so that neither the order nor a bit of the answer depends on scheduling.
 */

#include "gjk/arena.h"
#include "gjk/set_query.h"
#include "work/pool.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define GJKD_CHUNK_NS 100000 /* that a chunk is meant to take */

typedef struct gjkd_chunk {
    void *work;               /* as in gjkd_chunks */
    uint32_t begin, end;      /* rows to do */
    uint32_t next;            /* of them: see gjkd_chunk_next */
    struct gjk_arena *memory; /* empty; what lies in it is gone with the chunk */
} gjkd_chunk;

/* Budget of a row, in steps, besides that of its query. */
#define GJKD_ROW_STEPS 32

/* Takes the next row of a chunk. False: there is none, or the budget of the chunk's memory is
 * spent, which ends the whole. */
static inline bool gjkd_chunk_next(gjkd_chunk *chunk, uint32_t *row) {
    if (chunk->next == chunk->end || gjk_budget_spend(chunk->memory->budget, GJKD_ROW_STEPS)) {
        return false;
    }
    *row = chunk->next++;
    return true;
}

struct gjkd_chunks {
    void *work; /* what the callbacks work on */
    void (*run)(gjkd_chunk *chunk);
    /* Called once, when all rows are done; is_late: some are not, for the budget was spent. */
    void (*finish)(void *work, bool is_late);
    bool (*is_over)(void *user); /* of the budget that each thread makes for its chunks */
    void *user;
    gjk_arena_account *account; /* of the memory for chunks; NULL: it is not counted */
    bool never_shrinks;         /* no chunk but the last has fewer rows than the first */

    /* Set by gjkd_chunks_begin: */
    uint32_t rows;           /* 0: there is nothing to do */
    uint32_t first_step;     /* rows of the first chunk */
    atomic_uint step;        /* rows of the next chunk */
    atomic_uint taken, done; /* rows */
    atomic_bool late;        /* budget is spent: what is left is not done */
};

/* Returns how many of count rows, each of about row_ns, make the first chunk. */
uint32_t gjkd_chunks_step_of(uint32_t count, uint64_t row_ns);

/* Returns the rows of the next chunk, given how long the rows of the last one took. */
uint32_t gjkd_chunks_next_step(uint32_t rows, uint64_t took_ns);

/* Makes count rows, each of about row_ns, ready to be done by the callbacks, which are set. With no
 * rows finish is called at once. */
void gjkd_chunks_begin(struct gjkd_chunks *chunks, uint32_t count, uint64_t row_ns);

/*
 * Takes the next chunk and does it; the thread that does the last one calls finish. False: there
 * was none left to take. Any number of threads may call it, each with memory of its own.
 */
bool gjkd_chunks_step(struct gjkd_chunks *chunks, struct gjk_arena *memory);

/* Returns the number of chunks that no thread has taken yet. */
uint32_t gjkd_chunks_waiting(struct gjkd_chunks *chunks);

/* Does all chunks on the calling thread. */
void gjkd_chunks_run_all(struct gjkd_chunks *chunks);

/*
 * The workers of one job: one that begins it and, where this leaves chunks to be done, others that
 * help. Between two chunks each yields to tasks that wait for a worker, so that a request of a
 * thousand queries holds up a small one for one chunk only. The loop is woken once, when all is
 * done.
 */

/* Workers that do one job at one time. */
#define GJKD_TASK_GROUP_MAX 8

struct gjkd_task_group;

struct gjkd_runner {
    struct gjkd_task task; /* first: tasks are cast back */
    struct gjkd_task_group *group;
};

struct gjkd_task_group {
    struct gjkd_pool *pool;
    struct gjkd_completion_queue *completions; /* of the loop that starts the group */
    struct gjkd_chunks *chunks; /* rows is 0, or becomes what `begin` leaves to be done */
    uint16_t client;            /* as in gjkd_task */
    uint16_t writer;
    const char *name;         /* noted for the case of a crash; stays */
    void *job;                /* what the callbacks are given */
    void (*begin)(void *job); /* once, before any chunk, on a worker */
    /* NULL, or called in the place of `begin` where the job is expected to take less than
     * GJKD_SHORT_NS. It gives up when it has taken longer and returns false; then `begin` starts
     * the job again. */
    bool (*try)(void *job);
    /* Called once on a worker, when all chunks are done. True: the group then tells the loop by
     * itself. False: the code that goes on with the job completes the task later. */
    bool (*end)(void *job, struct gjkd_task *task);
    void (*done)(struct gjkd_task_group *group); /* once, after that, on the loop */
    bool is_begun;
    atomic_ulong used_ns; /* processor time so far */
    atomic_uint sent;     /* runners so far */
    atomic_uint out;      /* of them at workers, or on their way there */
    struct gjkd_runner runners[GJKD_TASK_GROUP_MAX];
};

/* Starts a group whose members up to done are set, on the loop's thread. Returns false if the queue
 * is full: nothing has begun. */
bool gjkd_task_group_start(struct gjkd_task_group *group);

#endif
