/*
 * Who does which rows? Whoever comes takes the next ones: one counter of rows taken, one of
 * rows done. Between two parts the deadline is looked at, and how long the last one took.
 */

#include "request/request.h"

#define PART_NS 100000

/* So many times as many rows as the part before may a part have: one row tells little. */
#define GROWTH_MAX 4

uint32_t gjkd_chunks_step_of(uint32_t count, uint64_t row_ns) {
    uint64_t step = PART_NS / (row_ns > 0 ? row_ns : 1) + 1;
    return step < count ? (uint32_t)step : count;
}

void gjkd_chunks_leave(struct gjkd_request *request, uint32_t count, uint64_t row_ns,
                       const struct gjkd_chunks *how) {
    struct gjkd_chunks *chunks = &request->chunks;
    request->asked = count;
    if (count == 0) {
        how->finish(request, how->work);
        return;
    }
    chunks->work = how->work;
    chunks->run = how->run;
    chunks->finish = how->finish;
    chunks->rows = count;
    chunks->drop = how->drop;
    chunks->is_fixed = how->is_fixed;
    atomic_init(&chunks->step, gjkd_chunks_step_of(count, row_ns));
    atomic_init(&chunks->taken, 0);
    atomic_init(&chunks->done, 0);
    atomic_init(&chunks->late, false);
}

static bool is_late(struct gjkd_request *request) {
    if (gjkd_request_is_late(request)) {
        atomic_store(&request->chunks.late, true);
    }
    return atomic_load(&request->chunks.late);
}

static void finish(struct gjkd_request *request) {
    if (atomic_load(&request->chunks.late)) {
        if (request->chunks.drop != NULL) {
            request->chunks.drop(request, request->chunks.work);
        }
        gjkd_request_fail(request, PROTO_DEADLINE_EXCEEDED,
                          "time was up before all of it was done");
    } else {
        request->chunks.finish(request, request->chunks.work);
    }
}

uint32_t gjkd_chunks_next_step(uint32_t rows, uint64_t took_ns) {
    uint64_t most = (uint64_t)rows * GROWTH_MAX;
    uint64_t step = took_ns > 0 ? (uint64_t)rows * PART_NS / took_ns : most;
    step = step < most ? step : most;
    return step < 1 ? 1 : step < UINT32_MAX ? (uint32_t)step : UINT32_MAX;
}

static void run(struct gjkd_request *request, const gjkd_chunk *chunk) {
    struct gjkd_chunks *chunks = &request->chunks;
    uint64_t start_ns = uv_hrtime();
    chunks->run(request, chunk);
    gjk_arena_reset(chunk->memory);
    if (!chunks->is_fixed) {
        uint64_t took_ns = uv_hrtime() - start_ns;
        atomic_store(&chunks->step, gjkd_chunks_next_step(chunk->end - chunk->begin, took_ns));
    }
}

bool gjkd_chunks_step(struct gjkd_request *request, struct gjk_arena *memory) {
    struct gjkd_chunks *chunks = &request->chunks;
    uint32_t step = atomic_load(&chunks->step), begin = atomic_load(&chunks->taken);
    uint32_t rows;
    do {
        if (begin == chunks->rows) {
            return false;
        }
        rows = chunks->rows - begin < step ? chunks->rows - begin : step;
    } while (!atomic_compare_exchange_weak(&chunks->taken, &begin, begin + rows));
    if (!is_late(request)) {
        run(request, &(gjkd_chunk){chunks->work, begin, begin + rows, memory});
    }
    if (atomic_fetch_add(&chunks->done, rows) + rows == chunks->rows) {
        finish(request);
    }
    return true;
}

uint32_t gjkd_chunks_waiting(struct gjkd_request *request) {
    struct gjkd_chunks *chunks = &request->chunks;
    if (chunks->rows == 0) {
        return 0;
    }
    uint64_t step = atomic_load(&chunks->step);
    return (uint32_t)((chunks->rows - atomic_load(&chunks->taken) + step - 1) / step);
}

void gjkd_chunks_run_all(struct gjkd_request *request) {
    if (gjkd_chunks_waiting(request) == 0) {
        return;
    }
    struct gjk_arena memory;
    gjk_arena_init(&memory, GJKD_REQUEST_BYTES_MAX);
    while (gjkd_chunks_step(request, &memory)) {
    }
    gjk_arena_fini(&memory);
}
