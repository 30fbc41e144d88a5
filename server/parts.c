/*
 * Who does which rows? Whoever comes takes the next ones: one counter of rows taken, one of
 * rows done. Between two parts the deadline is looked at, and how long the last one took.
 */

#include "job.h"

#define PART_NS 100000

/* So many times as many rows as the part before may a part have: one row tells little. */
#define GROWTH_MAX 4

uint32_t gjkd_parts_step_of(uint32_t count, uint64_t row_ns) {
    uint64_t step = PART_NS / (row_ns > 0 ? row_ns : 1) + 1;
    return step < count ? (uint32_t)step : count;
}

void gjkd_parts_leave(struct gjkd_job *job, uint32_t count, uint64_t row_ns,
                      const struct gjkd_parts *how) {
    struct gjkd_parts *parts = &job->parts;
    job->asked = count;
    if (count == 0) {
        how->finish(job, how->work);
        return;
    }
    parts->work = how->work;
    parts->run = how->run;
    parts->finish = how->finish;
    parts->rows = count;
    parts->drop = how->drop;
    parts->is_fixed = how->is_fixed;
    atomic_init(&parts->step, gjkd_parts_step_of(count, row_ns));
    atomic_init(&parts->taken, 0);
    atomic_init(&parts->done, 0);
    atomic_init(&parts->late, false);
}

static bool is_late(struct gjkd_job *job) {
    if (gjkd_job_is_late(job)) {
        atomic_store(&job->parts.late, true);
    }
    return atomic_load(&job->parts.late);
}

static void finish(struct gjkd_job *job) {
    if (atomic_load(&job->parts.late)) {
        if (job->parts.drop != NULL) {
            job->parts.drop(job, job->parts.work);
        }
        gjkd_job_fail(job, PROTO_DEADLINE_EXCEEDED, "time was up before all of it was done");
    } else {
        job->parts.finish(job, job->parts.work);
    }
}

uint32_t gjkd_parts_next_step(uint32_t rows, uint64_t took_ns) {
    uint64_t most = (uint64_t)rows * GROWTH_MAX;
    uint64_t step = took_ns > 0 ? (uint64_t)rows * PART_NS / took_ns : most;
    step = step < most ? step : most;
    return step < 1 ? 1 : step < UINT32_MAX ? (uint32_t)step : UINT32_MAX;
}

static void run(struct gjkd_job *job, const gjkd_part *part) {
    struct gjkd_parts *parts = &job->parts;
    uint64_t start_ns = uv_hrtime();
    parts->run(job, part);
    gjk_arena_reset(part->memory);
    if (!parts->is_fixed) {
        uint64_t took_ns = uv_hrtime() - start_ns;
        atomic_store(&parts->step, gjkd_parts_next_step(part->end - part->begin, took_ns));
    }
}

bool gjkd_parts_step(struct gjkd_job *job, struct gjk_arena *memory) {
    struct gjkd_parts *parts = &job->parts;
    uint32_t step = atomic_load(&parts->step), begin = atomic_load(&parts->taken);
    uint32_t rows;
    do {
        if (begin == parts->rows) {
            return false;
        }
        rows = parts->rows - begin < step ? parts->rows - begin : step;
    } while (!atomic_compare_exchange_weak(&parts->taken, &begin, begin + rows));
    if (!is_late(job)) {
        run(job, &(gjkd_part){parts->work, begin, begin + rows, memory});
    }
    if (atomic_fetch_add(&parts->done, rows) + rows == parts->rows) {
        finish(job);
    }
    return true;
}

uint32_t gjkd_parts_waiting(struct gjkd_job *job) {
    struct gjkd_parts *parts = &job->parts;
    if (parts->rows == 0) {
        return 0;
    }
    uint64_t step = atomic_load(&parts->step);
    return (uint32_t)((parts->rows - atomic_load(&parts->taken) + step - 1) / step);
}

void gjkd_parts_run_all(struct gjkd_job *job) {
    if (gjkd_parts_waiting(job) == 0) {
        return;
    }
    struct gjk_arena memory;
    gjk_arena_init(&memory, GJKD_JOB_BYTES_MAX);
    while (gjkd_parts_step(job, &memory)) {
    }
    gjk_arena_fini(&memory);
}
