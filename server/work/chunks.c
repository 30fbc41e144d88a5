/*
 * Self-scheduling with guided chunk sizes: whoever comes takes the next rows. One counter of rows
 * taken, one of rows done. Before each chunk the budget is asked; after it, how long it took says
 * how many rows the next one has.
 */

#include "work/chunks.h"

#include <uv.h>

/* So many times as many rows as the chunk before may a chunk have: one row tells little. */
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

static void run(struct gjkd_chunks *chunks, gjkd_chunk *chunk) {
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
        run(chunks, &(gjkd_chunk){chunks->work, begin, begin + rows, begin, memory});
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
