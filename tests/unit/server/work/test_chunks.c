/* Is work in chunks done once each, by however many, and not past its deadline? */

#include <pthread.h>
#include <string.h>

#include "test_server.h"

#define ROWS_MAX 5000

static struct gjkd_config config;
static struct gjkd_context context;
static struct gjkd_request request;

struct work {
    atomic_uint visits[ROWS_MAX];
    atomic_uint chunks, finished, dropped, held;
    atomic_uint fewest; /* rows of a chunk but the last */
    uint32_t rows_done; /* when finish was called */
};

static struct work work;
static bool never_shrinks = true;

static void run(gjkd_chunk *chunk) {
    struct work *found = chunk->work;
    ck_assert_ptr_eq(found, &work);
    ck_assert_uint_lt(chunk->begin, chunk->end);
    ck_assert_ptr_nonnull(gjk_arena_alloc(chunk->memory, 100));
    for (uint32_t i = chunk->begin; i < chunk->end; i++)
        found->visits[i]++;
    if (chunk->end < request.chunks.rows && chunk->end - chunk->begin < found->fewest)
        found->fewest = chunk->end - chunk->begin;
    found->chunks++;
}

static void finish(void *closure, bool is_late) {
    struct work *found = closure;
    ck_assert_int_eq(request.reply.status, 0); /* what the request holds is still there */
    if (is_late) {
        found->dropped++;
        gjkd_request_fail_late(&request);
        return;
    }
    found->finished++;
    found->rows_done = request.chunks.done;
    request.reply.status = 200;
}

static void begin(uint32_t rows, uint64_t row_ns, uint64_t timeout_ms) {
    memset(&work, 0, sizeof work);
    work.fewest = UINT32_MAX;
    context.config = &config;
    context.limits = proto_limits_default();
    ck_assert(gjkd_request_init(&request, &context, NULL));
    gjkd_request_reset(&request);
    request.deadline_ns = uv_hrtime() + timeout_ms * 1000000;
    gjkd_request_leave_chunks(&request, rows, row_ns,
                              &(struct gjkd_chunks){.work = &work,
                                                    .never_shrinks = never_shrinks,
                                                    .run = run,
                                                    .finish = finish});
}

static void check_all(uint32_t rows) {
    for (uint32_t i = 0; i < rows; i++)
        ck_assert_uint_eq(work.visits[i], 1);
    ck_assert_uint_eq(work.finished, 1);
    ck_assert_uint_eq(work.dropped, 0);
    ck_assert_uint_eq(work.rows_done, rows);
    ck_assert_int_eq(request.reply.status, 200);
}

TEST(every_row_once) {
    static const uint32_t counts[] = {1, 2, 99, 100, 101, 102, 202, 203, ROWS_MAX};

    for (int i = 0; i < COUNT_OF(counts); i++) {
        begin(counts[i], 1000, 10000);
        ck_assert_uint_eq(gjkd_chunks_waiting(&request.chunks), (counts[i] + 100) / 101);
        gjkd_chunks_run_all(&request.chunks);
        check_all(counts[i]);
        ck_assert_uint_le(work.chunks, (counts[i] + 100) / 101);
        ck_assert_uint_ge(work.fewest, 101);
        ck_assert_uint_eq(gjkd_chunks_waiting(&request.chunks), 0);
        gjkd_request_fini(&request);
    }
}

TEST(parts_grow_to_what_takes_long_enough) {
    static const struct {
        uint32_t rows;
        uint64_t took_ns;
        uint32_t next;
    } cases[] = {
        {10, 100000, 10},
        {10, 50000, 20},
        {10, 1000000, 1},
        {10, 2000000, 1},
        {1, 100001, 1},
        {10, 25000, 40},
        {10, 24000, 40},
        {10, 1, 40},
        {10, 0, 40},
        {1, UINT64_MAX, 1},
        {7, 200000, 3},
        {UINT32_MAX, 1, UINT32_MAX},
        {UINT32_MAX, 100000, UINT32_MAX},
    };

    for (int i = 0; i < COUNT_OF(cases); i++)
        ck_assert_uint_eq(gjkd_chunks_next_step(cases[i].rows, cases[i].took_ns), cases[i].next);
    never_shrinks = false;
    begin(ROWS_MAX, UINT64_C(1000000000), 10000);
    ck_assert_uint_eq(gjkd_chunks_waiting(&request.chunks),
                      ROWS_MAX); /* of a guess that is far off */
    gjkd_chunks_run_all(&request.chunks);
    check_all(ROWS_MAX);
    ck_assert_uint_lt(work.chunks, ROWS_MAX / 2);
    gjkd_request_fini(&request);
}

TEST(no_rows_finish_at_once) {
    begin(0, 1000, 10000);
    ck_assert_uint_eq(work.finished, 1);
    ck_assert_uint_eq(gjkd_chunks_waiting(&request.chunks), 0);
    gjkd_chunks_run_all(&request.chunks);
    ck_assert_uint_eq(work.finished, 1);
    gjkd_request_fini(&request);
}

static void *help(void *closure) {
    struct gjk_arena memory;
    gjk_arena_init(&memory, 0);
    while (gjkd_chunks_step(closure, &memory)) {
    }
    gjk_arena_fini(&memory);
    return NULL;
}

TEST(many_hands) {
    for (int round = 0; round < 20; round++) {
        pthread_t threads[4];
        never_shrinks = round % 2 == 0;
        begin(ROWS_MAX, 20000, 10000);
        for (int i = 0; i < COUNT_OF(threads); i++)
            ck_assert_int_eq(pthread_create(&threads[i], NULL, help, &request.chunks), 0);
        for (int i = 0; i < COUNT_OF(threads); i++)
            pthread_join(threads[i], NULL);
        check_all(ROWS_MAX);
        gjkd_request_fini(&request);
    }
}

TEST(nothing_after_the_deadline) {
    struct gjk_arena memory;

    gjk_arena_init(&memory, 0);
    begin(1000, 100000, 10000);
    ck_assert(gjkd_chunks_step(&request.chunks, &memory));
    request.deadline_ns = uv_hrtime() - 1;
    gjkd_chunks_run_all(&request.chunks);
    ck_assert_uint_eq(work.chunks, 1);
    ck_assert_uint_eq(work.finished, 0);
    ck_assert_uint_eq(work.dropped, 1);
    ck_assert_int_eq(request.reply.status, 504);
    gjkd_request_fini(&request);

    begin(1000, 100000, 10000);
    ck_assert(gjkd_request_expire(&request)); /* answered by somebody else */
    gjkd_chunks_run_all(&request.chunks);
    ck_assert_uint_eq(work.chunks, 0);
    ck_assert_int_eq(request.reply.status, 504);
    gjkd_request_fini(&request);
    gjk_arena_fini(&memory);
}
