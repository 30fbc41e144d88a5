#ifndef GJKD_WORK_CHUNKS_H
#define GJKD_WORK_CHUNKS_H

/*
 * Work divided into chunks: the rows of a column message, the queries of a batch. As many workers
 * as are free process chunks of about 100 us each, and the thread that completes the last chunk
 * finishes the whole. The size of the first chunk is estimated, that of later ones measured. Each
 * row fills a slot of its own, so that neither the order nor any bit of the answer depends on
 * scheduling.
 */

#include "gjk/arena.h"
#include "gjk/set_query.h"
#include "work/pool.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define GJKD_CHUNK_NS 100000 /* intended duration of a chunk */

typedef struct gjkd_chunk {
    void *work;               /* gjkd_chunks.work */
    uint32_t begin, end;      /* rows of the chunk: from `begin` to before `end` */
    uint32_t next;            /* row that gjkd_chunk_next takes next */
    struct gjk_arena *memory; /* empty at first; reset when the chunk ends */
} gjkd_chunk;

/* Budget of a row, in steps, in addition to that of its query. */
#define GJKD_ROW_STEPS 32

/* Takes the next row of a chunk. Returns false if there is none, or the budget of the chunk's
 * memory is spent, which ends all chunks. */
static inline bool gjkd_chunk_next(gjkd_chunk *chunk, uint32_t *row) {
    if (chunk->next == chunk->end || gjk_budget_spend(chunk->memory->budget, GJKD_ROW_STEPS)) {
        return false;
    }
    *row = chunk->next++;
    return true;
}

struct gjkd_chunks {
    void *work; /* passed to the callbacks */
    void (*run)(gjkd_chunk *chunk);
    /* Called once, when no chunk is left. is_late: the budget was spent, and rows were skipped. */
    void (*finish)(void *work, bool is_late);
    bool (*is_over)(void *user); /* callback of the budget that each thread makes for its chunks */
    void *user;
    gjk_arena_account *account; /* charged with the memory of chunks; NULL: not charged */
    bool never_shrinks;         /* no chunk except the last has fewer rows than the first */

    /* Set by gjkd_chunks_begin: */
    uint32_t rows;           /* 0: no work */
    uint32_t first_step;     /* number of rows of the first chunk */
    atomic_uint step;        /* number of rows of the next chunk */
    atomic_uint taken, done; /* numbers of rows */
    atomic_bool late;        /* the budget is spent: the remaining rows are skipped */
};

/* Returns the number of rows of the first chunk, given count rows of about row_ns each. */
uint32_t gjkd_chunks_step_of(uint32_t count, uint64_t row_ns);

/* Returns the number of rows of the next chunk, given the duration of the last one. */
uint32_t gjkd_chunks_next_step(uint32_t rows, uint64_t took_ns);

/* Starts count rows of about row_ns each; callbacks are set. Without rows, calls finish at once. */
void gjkd_chunks_begin(struct gjkd_chunks *chunks, uint32_t count, uint64_t row_ns);

/*
 * Takes and processes the next chunk; the thread that completes the last one calls finish. Returns
 * false if no chunk was left. Any number of threads may call it, each with its own memory.
 */
bool gjkd_chunks_step(struct gjkd_chunks *chunks, struct gjk_arena *memory);

/* Returns the number of chunks that no thread has taken yet. */
uint32_t gjkd_chunks_waiting(struct gjkd_chunks *chunks);

/* Processes all chunks on the calling thread. */
void gjkd_chunks_run_all(struct gjkd_chunks *chunks);

/*
 * A task group: the workers of one job. One begins the job; if that leaves chunks, others help.
 * Between two chunks each worker yields to waiting tasks, so that a batch of a thousand queries
 * delays a small request by one chunk only. The loop is woken once, when the job is done.
 */

/* Maximum number of workers of one job. */
#define GJKD_TASK_GROUP_MAX 8

struct gjkd_task_group;

struct gjkd_runner {
    struct gjkd_task task; /* first: tasks are cast back */
    struct gjkd_task_group *group;
};

struct gjkd_task_group {
    struct gjkd_pool *pool;
    struct gjkd_completion_queue *completions; /* queue of the loop that starts the group */
    struct gjkd_chunks *chunks;                /* rows is 0, unless `begin` sets chunks up */
    uint16_t client;                           /* as in gjkd_task */
    uint16_t writer;
    const char *name;         /* static text for crash reports */
    void *job;                /* passed to the callbacks */
    void (*begin)(void *job); /* called once, on a worker, before any chunk */
    /* NULL, or called instead of `begin` if the job is expected to take less than GJKD_SHORT_NS. It
     * returns false once it has taken longer; then `begin` starts the job again. */
    bool (*try)(void *job, int64_t begun_ns);
    /* Called once on a worker, when all chunks are done. True: the group completes the task itself.
     * False: other code continues the job and completes the task later. */
    bool (*end)(void *job, struct gjkd_task *task);
    void (*done)(struct gjkd_task_group *group); /* called once, on the loop, after completion */
    bool is_begun;
    atomic_ulong used_ns; /* processor time used so far */
    atomic_uint sent;     /* number of runners submitted so far */
    atomic_uint out;      /* number of runners that have not ended */
    struct gjkd_runner runners[GJKD_TASK_GROUP_MAX];
};

/* Starts a group whose members up to `done` are set, on the loop's thread. Returns false if the
 * queue is full; nothing has begun. */
bool gjkd_task_group_start(struct gjkd_task_group *group);

#endif
