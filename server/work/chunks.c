/*
 * Guided self-scheduling: each free thread takes the next rows. One atomic counts the rows taken,
 * another those done. Before each chunk the budget is checked; the chunk's duration then determines
 * the size of the next one.
 */

#include "work/chunks.h"

#include "util/crash.h"
#include "util/timing.h"

#include <sched.h>
#include <uv.h>

/* Maximum growth from one chunk to the next: the duration of a single row tells little. */
#define GROWTH_MAX 4

uint32_t gjkd_chunks_step_of(uint32_t count, uint64_t row_ns) {
    uint64_t step = GJKD_CHUNK_NS / (row_ns > 0 ? row_ns : 1) + 1;
    return step < count ? (uint32_t)step : count;
}

uint32_t gjkd_chunks_next_step(uint32_t rows, uint64_t took_ns) {
    uint64_t most = (uint64_t)rows * GROWTH_MAX;
    uint64_t step = took_ns > 0 ? (uint64_t)rows * GJKD_CHUNK_NS / took_ns : most;
    step = step < most ? step : most;
    return step < 1 ? 1 : step < UINT32_MAX ? (uint32_t)step : UINT32_MAX;
}

void gjkd_chunks_begin(struct gjkd_chunks *chunks, uint32_t count, uint64_t row_ns) {
    chunks->rows = count;
    chunks->first_step = gjkd_chunks_step_of(count, row_ns);
    atomic_init(&chunks->step, chunks->first_step);
    atomic_init(&chunks->taken, 0);
    atomic_init(&chunks->done, 0);
    atomic_init(&chunks->late, false);
    if (count == 0) {
        chunks->finish(chunks->work, false);
    }
}

static void run_chunk(struct gjkd_chunks *chunks, gjkd_chunk *chunk) {
    uint64_t start_ns = uv_hrtime();
    chunks->run(chunk);
    if (gjk_budget_is_spent(chunk->memory->budget)) {
        atomic_store(&chunks->late, true);
    }
    gjk_arena_reset(chunk->memory);
    const uint64_t took_ns = uv_hrtime() - start_ns;
    const uint32_t next = gjkd_chunks_next_step(chunk->end - chunk->begin, took_ns);
    const bool is_few = chunks->never_shrinks && next < chunks->first_step;
    atomic_store(&chunks->step, is_few ? chunks->first_step : next);
}

bool gjkd_chunks_step(struct gjkd_chunks *chunks, struct gjk_arena *memory) {
    uint32_t step = atomic_load(&chunks->step), begin = atomic_load(&chunks->taken);
    uint32_t rows;
    do {
        if (begin == chunks->rows) {
            return false;
        }
        rows = chunks->rows - begin < step ? chunks->rows - begin : step;
    } while (!atomic_compare_exchange_weak(&chunks->taken, &begin, begin + rows));
    if (gjk_budget_ask(memory->budget)) {
        atomic_store(&chunks->late, true);
    }
    if (!atomic_load(&chunks->late)) {
        run_chunk(chunks, &(gjkd_chunk){chunks->work, begin, begin + rows, begin, memory});
    }
    if (atomic_fetch_add(&chunks->done, rows) + rows == chunks->rows) {
        chunks->finish(chunks->work, atomic_load(&chunks->late));
    }
    return true;
}

uint32_t gjkd_chunks_waiting(struct gjkd_chunks *chunks) {
    if (chunks->rows == 0) {
        return 0;
    }
    uint64_t step = atomic_load(&chunks->step);
    return (uint32_t)((chunks->rows - atomic_load(&chunks->taken) + step - 1) / step);
}

void gjkd_chunks_run_all(struct gjkd_chunks *chunks) {
    if (gjkd_chunks_waiting(chunks) == 0) {
        return;
    }
    struct gjk_arena memory;
    gjk_arena_init(&memory, 0);
    gjk_arena_charge(&memory, chunks->account);
    gjk_budget budget = gjk_budget_make(chunks->is_over, chunks->user);
    gjk_arena_set_budget(&memory, &budget);
    while (gjkd_chunks_step(chunks, &memory)) {
    }
    gjk_arena_fini(&memory);
}

/*
 * Work sharing with yielding. The first runner begins the job and processes its chunks. Before each
 * chunk it checks the pool: if a worker is idle, it submits another runner; if tasks wait and it
 * has worked for the duration of a chunk, it moves to the end of the queue. After each such
 * duration it also yields the processor to a loop that may wait for it. The other runners do the
 * same. No runner is submitted that would have to wait. A runner ends when no chunk is left, and
 * the last runner ends the job.
 */

static void submit_helper(struct gjkd_task_group *group) {
    unsigned next = atomic_load(&group->sent);
    while (next < GJKD_TASK_GROUP_MAX &&
           !atomic_compare_exchange_weak(&group->sent, &next, next + 1)) {
    }
    if (next < GJKD_TASK_GROUP_MAX) {
        atomic_fetch_add(&group->out, 1);
        gjkd_pool_resume(group->pool, &group->runners[next].task);
    }
}

/* Processes chunks until none is left or other tasks wait. Returns false if some are left. */
static bool do_chunks(struct gjkd_task_group *group) {
    struct gjkd_chunks *chunks = group->chunks;
    struct gjk_arena memory;
    gjk_arena_init(&memory, 0);
    gjk_arena_charge(&memory, chunks->account);
    gjk_budget budget = gjk_budget_make(chunks->is_over, chunks->user);
    gjk_arena_set_budget(&memory, &budget);
    const uint64_t begun_ns = uv_hrtime();
    uint64_t yielded_ns = begun_ns;
    while (gjkd_chunks_waiting(chunks) > 0) {
        if (gjkd_chunks_waiting(chunks) > 1 && gjkd_pool_has_idle_worker(group->pool)) {
            submit_helper(group);
        }
        (void)gjkd_chunks_step(chunks, &memory);
        const uint64_t now_ns = uv_hrtime();
        if (gjkd_chunks_waiting(chunks) == 0 ||
            (gjkd_pool_has_waiting(group->pool) && now_ns - begun_ns >= GJKD_CHUNK_NS)) {
            break;
        }
        if (now_ns - yielded_ns >= GJKD_CHUNK_NS) {
            sched_yield(); /* a loop may be ready that could not preempt this thread */
            yielded_ns = uv_hrtime();
        }
    }
    gjk_arena_fini(&memory);
    return gjkd_chunks_waiting(chunks) == 0;
}

/* Begins the job, unless it has begun. Returns false if a short job took too long. */
static bool begin_job(struct gjkd_task_group *group, bool is_short, int64_t begun_ns) {
    if (!group->is_begun) { /* no other runner exists yet */
        if (is_short && !group->try(group->job, begun_ns)) {
            return false;
        }
        if (!is_short) {
            group->begin(group->job);
        }
        group->is_begun = true;
    }
    return true;
}

static gjkd_task_result on_work(struct gjkd_task *task) {
    struct gjkd_task_group *group = ((struct gjkd_runner *)(void *)task)->group;
    const char *before = gjkd_crash_note_route(group->name);
    const int64_t before_ns = gjkd_timing_thread_ns();
    gjkd_task_result result = GJKD_TASK_REQUEUE;
    bool is_done = begin_job(group, task->is_short, before_ns) && do_chunks(group);
    atomic_fetch_add(&group->used_ns, (uint64_t)(gjkd_pool_read_time() - before_ns));
    if (is_done) {
        result = GJKD_TASK_DETACHED;
        if (atomic_fetch_sub(&group->out, 1) == 1) {
            result = group->end(group->job, task) ? GJKD_TASK_COMPLETE : GJKD_TASK_DETACHED;
            (void)gjkd_pool_read_time(); /* the end is the client's, too: it may pack the answer */
        }
    }
    gjkd_crash_note_route(before);
    return result;
}

static void on_done(struct gjkd_task *task) {
    struct gjkd_task_group *group = ((struct gjkd_runner *)(void *)task)->group;
    group->done(group);
}

bool gjkd_task_group_start(struct gjkd_task_group *group) {
    group->is_begun = false;
    atomic_init(&group->sent, 1);
    atomic_init(&group->out, 1);
    atomic_init(&group->used_ns, 0);
    for (unsigned i = 0; i < GJKD_TASK_GROUP_MAX; i++) {
        group->runners[i] = (struct gjkd_runner){.group = group};
        group->runners[i].task.completions = group->completions;
        group->runners[i].task.client = group->client;
        group->runners[i].task.run = on_work;
        group->runners[i].task.done = on_done;
    }
    group->runners[0].task.writer = group->writer;
    group->runners[0].task.is_short = group->try != NULL;
    return gjkd_pool_submit(group->pool, &group->runners[0].task);
}
