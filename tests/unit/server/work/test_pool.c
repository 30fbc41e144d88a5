/* Do workers do each task once, in order, and no more than may wait? Does its loop hear of it? And
 * do the workers of one job help each other, and step aside for others? */

#define _GNU_SOURCE /* SCHED_BATCH, SCHED_IDLE */
#include <sched.h>
#include <string.h>
#include <sys/resource.h>

#include "test_server.h"
#include "util/process.h"
#include "work/chunks.h"
#include "work/pool.h"

#define TASKS_MAX 4000

/* A task that writes down when it ran. */
struct errand {
    struct gjkd_task task;
    unsigned turns; /* to run in all */
    atomic_uint runs;
    unsigned first_run, last_run; /* counted over all errands */
    unsigned done;                /* by the loop */
    uv_thread_t done_by;
};

static struct errand errands[TASKS_MAX];
static atomic_uint runs, held;
static uv_sem_t gate;

static uv_loop_t uv;
static struct gjkd_completion_queue completions;
static unsigned expected; /* by the loop, before it may end */

static void tell(struct gjkd_task *task) {
    struct errand *errand = (struct errand *)(void *)task;
    errand->done++;
    errand->done_by = uv_thread_self();
    if (--expected == 0)
        gjkd_completion_queue_close(&completions);
}

static gjkd_task_result run_errand(struct gjkd_task *task) {
    struct errand *errand = (struct errand *)(void *)task;
    unsigned now = ++runs;
    errand->first_run = errand->first_run == 0 ? now : errand->first_run;
    errand->last_run = now;
    return ++errand->runs < errand->turns ? GJKD_TASK_REQUEUE : GJKD_TASK_COMPLETE;
}

static gjkd_task_result wait_at_gate(struct gjkd_task *task) {
    held++;
    uv_sem_wait(&gate);
    return run_errand(task);
}

static gjkd_task_result run_unheard(struct gjkd_task *task) {
    (void)run_errand(task);
    return GJKD_TASK_DETACHED;
}

static struct gjkd_task *errand(int i, gjkd_task_result (*run)(struct gjkd_task *task)) {
    errands[i] = (struct errand){.turns = 1};
    errands[i].task.completions = &completions;
    errands[i].task.run = run;
    errands[i].task.done = tell;
    return &errands[i].task;
}

static void begin(struct gjkd_pool *pool, unsigned workers, unsigned queued_max) {
    runs = held = 0;
    ck_assert_int_eq(uv_sem_init(&gate, 0), 0);
    ck_assert_int_eq(uv_loop_init(&uv), 0);
    ck_assert(gjkd_completion_queue_init(&completions, &uv));
    ck_assert(gjkd_pool_init(pool, workers, queued_max, true));
    pool->extra_max = 0; /* however long a busy machine keeps a worker from going on */
}

/* Lets the loop run until so many tasks have come back. */
static void end(struct gjkd_pool *pool, unsigned count) {
    expected = count;
    if (count == 0)
        gjkd_completion_queue_close(&completions);
    uv_run(&uv, UV_RUN_DEFAULT);
    gjkd_pool_fini(pool);
    gjkd_completion_queue_fini(&completions);
    ck_assert_int_eq(uv_loop_close(&uv), 0);
    uv_sem_destroy(&gate);
}

/* Makes every worker wait at the gate, with errands from number `first` on. */
static void hold_workers(struct gjkd_pool *pool, int first) {
    for (unsigned i = 0; i < pool->workers; i++)
        ck_assert(gjkd_pool_submit(pool, errand(first + (int)i, wait_at_gate)));
    while (held < pool->workers)
        uv_sleep(1);
}

static void open_gate(unsigned times) {
    for (unsigned i = 0; i < times; i++)
        uv_sem_post(&gate);
}

/* --- The pool --- */

TEST(every_task_once) {
    static const unsigned workers[] = {1, 2, 7};
    uv_thread_t self = uv_thread_self();

    for (int k = 0; k < COUNT_OF(workers); k++) {
        struct gjkd_pool pool;
        begin(&pool, workers[k], TASKS_MAX);
        for (int i = 0; i < TASKS_MAX; i++)
            ck_assert(gjkd_pool_submit(&pool, errand(i, run_errand)));
        end(&pool, TASKS_MAX);
        for (int i = 0; i < TASKS_MAX; i++) {
            ck_assert_uint_eq(errands[i].runs, 1);
            ck_assert_uint_eq(errands[i].done, 1);
            ck_assert(uv_thread_equal(&errands[i].done_by, &self));
        }
    }
}

TEST(in_the_order_of_their_arrival) {
    struct gjkd_pool pool;

    begin(&pool, 1, 100);
    hold_workers(&pool, 0);
    for (int i = 1; i <= 50; i++)
        ck_assert(gjkd_pool_submit(&pool, errand(i, run_errand)));
    open_gate(1);
    end(&pool, 51);
    for (unsigned i = 0; i <= 50; i++)
        ck_assert_uint_eq(errands[i].first_run, i + 1);
}

TEST(no_more_than_may_wait) {
    struct gjkd_pool pool;

    begin(&pool, 2, 5);
    hold_workers(&pool, 0);
    for (int i = 2; i < 7; i++) {
        ck_assert_uint_eq(gjkd_pool_queued(&pool), (unsigned)i - 2);
        ck_assert(gjkd_pool_submit(&pool, errand(i, run_errand)));
    }
    ck_assert(!gjkd_pool_submit(&pool, errand(7, run_errand)));
    ck_assert_uint_eq(gjkd_pool_queued(&pool), 5);
    gjkd_pool_resume(&pool, errand(8, run_errand)); /* was let in before */
    ck_assert_uint_eq(gjkd_pool_queued(&pool), 5);
    open_gate(2);
    end(&pool, 8);
    ck_assert_uint_eq(errands[7].runs, 0);
    ck_assert_uint_eq(errands[8].runs, 1);
}

TEST(again_is_after_those_who_wait) {
    struct gjkd_pool pool;

    begin(&pool, 1, 10);
    hold_workers(&pool, 0);
    ck_assert(gjkd_pool_submit(&pool, errand(1, run_errand)));
    errands[1].turns = 2;
    ck_assert(gjkd_pool_submit(&pool, errand(2, run_errand)));
    open_gate(1);
    end(&pool, 3);
    ck_assert_uint_eq(errands[1].first_run, 2);
    ck_assert_uint_eq(errands[2].first_run, 3);
    ck_assert_uint_eq(errands[1].last_run, 4);
    ck_assert_uint_eq(errands[1].done, 1);
}

TEST(over_is_told_to_nobody) {
    struct gjkd_pool pool;

    begin(&pool, 2, 10);
    ck_assert(gjkd_pool_submit(&pool, errand(0, run_unheard)));
    ck_assert(gjkd_pool_submit(&pool, errand(1, run_errand)));
    end(&pool, 1);
    ck_assert_uint_eq(errands[0].runs, 1);
    ck_assert_uint_eq(errands[0].done, 0);
}

TEST(who_is_wanted_and_who_is_free) {
    struct gjkd_pool pool;

    begin(&pool, 2, 10);
    ck_assert(!gjkd_pool_has_waiting(&pool));
    ck_assert(gjkd_pool_has_idle_worker(&pool));
    hold_workers(&pool, 0);
    ck_assert(!gjkd_pool_has_waiting(&pool));
    ck_assert(!gjkd_pool_has_idle_worker(&pool));
    ck_assert(gjkd_pool_submit(&pool, errand(2, run_errand)));
    ck_assert(gjkd_pool_has_waiting(&pool));
    open_gate(2);
    end(&pool, 3);
}

TEST(the_end_comes_after_all_tasks) {
    struct gjkd_pool pool;

    begin(&pool, 3, 100);
    for (int i = 0; i < 100; i++) {
        ck_assert(gjkd_pool_submit(&pool, errand(i, run_unheard)));
    }
    end(&pool, 0);
    ck_assert_uint_eq(runs, 100);
}

/* --- Fairness --- */

TEST(clients_take_turns) {
    struct gjkd_pool pool;

    begin(&pool, 1, 100);
    hold_workers(&pool, 0);
    for (int i = 1; i <= 30; i++) {
        struct gjkd_task *task = errand(i, run_errand);
        task->client = i <= 20 ? 1 : i <= 29 ? 2 : 3;
        ck_assert(gjkd_pool_submit(&pool, task));
    }
    open_gate(1);
    end(&pool, 31);
    ck_assert_uint_eq(errands[1].first_run, 2);
    ck_assert_uint_eq(errands[21].first_run, 3); /* behind one of client 1 */
    ck_assert_uint_eq(errands[30].first_run, 4);
}

static atomic_bool is_enough;

static gjkd_task_result run_on(struct gjkd_task *task) {
    while (!is_enough)
        gjkd_pool_pause(uv_hrtime());
    return run_errand(task);
}

/* More long tasks than workers, and all that comes behind them is done meanwhile. */
TEST(long_tasks_pause) {
    for (unsigned workers = 1; workers <= 3; workers++) {
        struct gjkd_pool pool;
        is_enough = false;
        begin(&pool, workers, 1000);
        for (int i = 0; i < 8; i++)
            ck_assert(gjkd_pool_submit(&pool, errand(i, run_on)));
        for (int i = 8; i < 500; i++) {
            struct gjkd_task *task = errand(i, run_errand);
            task->client = (uint8_t)(i % 3);
            ck_assert(gjkd_pool_submit(&pool, task));
        }
        expected = 500;
        while (expected > 8)
            uv_run(&uv, UV_RUN_ONCE);
        is_enough = true;
        end(&pool, expected);
        for (int i = 0; i < 500; i++)
            ck_assert_uint_eq(errands[i].done, 1);
        ck_assert_uint_eq(pool.queued, 0);
        ck_assert_uint_eq(pool.main.waiting, 0);
    }
}

/* More than there are threads for. */
TEST(long_tasks_of_many) {
    struct gjkd_pool pool;

    is_enough = false;
    begin(&pool, 2, 1000);
    for (int i = 0; i < 200; i++) {
        struct gjkd_task *task = errand(i, run_on);
        task->client = (uint8_t)(i % 5);
        ck_assert(gjkd_pool_submit(&pool, task));
    }
    struct gjkd_task *task = errand(200, run_errand);
    task->client = 9;
    ck_assert(gjkd_pool_submit(&pool, task));
    expected = 201;
    while (errands[200].done == 0)
        uv_run(&uv, UV_RUN_ONCE);
    is_enough = true;
    end(&pool, 200);
}

/* A task that never pauses has its place lent to others after a while. */
TEST(a_stall_is_helped) {
    struct gjkd_pool pool;

    begin(&pool, 2, 10);
    pool.extra_max = 1;
    hold_workers(&pool, 0);
    ck_assert(gjkd_pool_submit(&pool, errand(2, run_errand)));
    while (errands[2].runs == 0)
        uv_sleep(1);
    open_gate(2);
    end(&pool, 3);
    ck_assert_uint_eq(pool.main.free, 2);
    ck_assert_uint_eq(pool.main.extra, 0);
}

/* Also of one that comes before any of them has begun. */
TEST(a_stall_of_a_burst_is_helped) {
    struct gjkd_pool pool;

    begin(&pool, 1, 10);
    pool.extra_max = 1;
    pthread_mutex_lock(&pool.main.lock); /* nothing begins meanwhile */
    for (int i = 0; i < 2; i++)
        ck_assert(gjkd_pool_submit(&pool, errand(i, i == 0 ? wait_at_gate : run_errand)));
    pthread_mutex_unlock(&pool.main.lock);
    while (errands[1].runs == 0)
        uv_sleep(1);
    open_gate(1);
    end(&pool, 2);
}

static atomic_uint writing;

static gjkd_task_result write_alone(struct gjkd_task *task) {
    ck_assert_uint_eq(++writing, 1);
    uv_sleep(2);
    writing--;
    return run_errand(task);
}

/* Writers of one set are begun one by one, in their order, and hold no worker while they wait. */
TEST(writers_line_up) {
    struct gjkd_pool pool;

    begin(&pool, 2, 1000);
    for (int i = 0; i < 100; i++) {
        struct gjkd_task *task = errand(i, write_alone);
        task->writer = GJKD_QUEUE_WRITERS;
        ck_assert(gjkd_pool_submit(&pool, task));
    }
    struct gjkd_task *other = errand(100, run_errand);
    other->writer = 1;
    ck_assert(gjkd_pool_submit(&pool, other));
    end(&pool, 101);
    for (unsigned i = 1; i < 100; i++)
        ck_assert_uint_gt(errands[i].first_run, errands[i - 1].first_run);
    ck_assert_uint_lt(errands[100].first_run, 10);
    ck_assert_uint_eq(pool.main.waiting, 0);
}

static gjkd_task_result wait_outside(struct gjkd_task *task) {
    gjkd_pool_disable_pauses();
    gjkd_pool_enter_blocking();
    gjkd_pool_enable_pauses();
    return wait_at_gate(task);
}

static gjkd_task_result wait_beside_the_line(struct gjkd_task *task) {
    gjkd_pool_enter_blocking();
    gjkd_pool_leave_line();
    gjkd_pool_leave_line(); /* once is enough */
    return wait_at_gate(task);
}

/* A writer that leaves its line lets the next one be begun, and one only: when it ends, none is. */
TEST(who_leaves_the_line_holds_nobody_up) {
    struct gjkd_pool pool;

    begin(&pool, 1, 10);
    for (int i = 0; i < 4; i++) {
        struct gjkd_task *task = errand(i, i == 0 ? wait_beside_the_line : write_alone);
        task->writer = 1;
        ck_assert(gjkd_pool_submit(&pool, task));
    }
    while (errands[3].runs == 0)
        uv_sleep(1);
    ck_assert_uint_eq(errands[0].runs, 0);
    open_gate(1);
    end(&pool, 4);
    ck_assert_uint_eq(pool.main.waiting, 0);
    ck_assert_uint_eq(pool.main.free, 1);
}

/* A writer that has more to do comes back without its line, which goes on meanwhile. */
TEST(a_writer_that_comes_back_does_not_wait_for_itself) {
    struct gjkd_pool pool;

    begin(&pool, 1, 10);
    hold_workers(&pool, 3);
    for (int i = 0; i < 3; i++) {
        struct gjkd_task *task = errand(i, i == 0 ? run_errand : write_alone);
        errands[i].turns = i == 0 ? 3 : 1;
        task->writer = 1;
        ck_assert(gjkd_pool_submit(&pool, task));
    }
    open_gate(1);
    end(&pool, 4);
    ck_assert_uint_eq(errands[0].runs, 3);
    ck_assert_uint_lt(errands[1].last_run, errands[0].last_run);
    ck_assert_uint_eq(pool.main.waiting, 0);
}

TEST(who_steps_out_holds_no_worker) {
    struct gjkd_pool pool;

    begin(&pool, 1, 100);
    for (int i = 0; i < 10; i++)
        ck_assert(gjkd_pool_submit(&pool, errand(i, wait_outside)));
    while (held < 10)
        uv_sleep(1);
    ck_assert_uint_eq(pool.main.free, 1);
    open_gate(10);
    end(&pool, 10);
    ck_assert_uint_eq(pool.main.free, 1);
}

TEST(a_full_queue_has_room_for_others) {
    struct gjkd_pool pool;

    begin(&pool, 1, 32);
    hold_workers(&pool, 0);
    for (int i = 1; i <= 36; i++) {
        struct gjkd_task *task = errand(i, run_errand);
        task->client = i <= 33 ? 0 : 7;
        ck_assert_int_eq(gjkd_pool_submit(&pool, task), i != 33 && i != 36);
    }
    open_gate(1);
    end(&pool, 35);
}

/* --- Short tasks --- */

static void submit_short(struct gjkd_pool *pool, int i, gjkd_task_result (*run)(struct gjkd_task *),
                         unsigned turns, uint16_t writer) {
    struct gjkd_task *task = errand(i, run);
    errands[i].turns = turns;
    task->is_short = true;
    task->writer = writer;
    ck_assert(gjkd_pool_submit(pool, task));
}

TEST(short_tasks_need_no_worker) {
    struct gjkd_pool pool;

    begin(&pool, 1, 1000);
    hold_workers(&pool, 0);
    for (int i = 1; i < 100; i++)
        submit_short(&pool, i, run_errand, 1, 0);
    expected = 100;
    while (expected > 1)
        uv_run(&uv, UV_RUN_ONCE);
    ck_assert_uint_eq(gjkd_pool_queued(&pool), 0);
    ck_assert_uint_eq(errands[0].runs, 0);
    open_gate(1);
    end(&pool, 1);
    for (int i = 0; i < 100; i++)
        ck_assert_uint_eq(errands[i].done, 1);
}

TEST(short_tasks_that_wait_hold_up_no_others) {
    struct gjkd_pool pool;

    begin(&pool, 1, 1000);
    for (int i = 0; i < 20; i++)
        submit_short(&pool, i, wait_outside, 1, 0);
    while (held < 20)
        uv_sleep(1);
    submit_short(&pool, 20, run_errand, 1, 0);
    while (errands[20].runs == 0)
        uv_sleep(1);
    ck_assert_uint_eq(errands[0].runs, 0);
    open_gate(20);
    end(&pool, 21);
    ck_assert_uint_eq(pool.short_tasks.free, GJKD_SHORT_THREADS);
}

TEST(short_writers_line_up) {
    struct gjkd_pool pool;

    begin(&pool, 1, 1000);
    for (int i = 0; i < 100; i++)
        submit_short(&pool, i, write_alone, 1, GJKD_QUEUE_WRITERS);
    end(&pool, 100);
    for (unsigned i = 1; i < 100; i++)
        ck_assert_uint_gt(errands[i].first_run, errands[i - 1].first_run);
}

TEST(short_tasks_that_are_long_go_to_the_workers) {
    struct gjkd_pool pool;

    begin(&pool, 1, 1000);
    hold_workers(&pool, 0);
    submit_short(&pool, 1, run_errand, 2, 7);
    submit_short(&pool, 2, run_errand, 1, 7);
    expected = 3;
    while (expected > 2)
        uv_run(&uv, UV_RUN_ONCE);
    ck_assert_uint_eq(errands[2].done, 1); /* nobody keeps its line meanwhile */
    ck_assert_uint_eq(errands[1].runs, 1);
    ck_assert(!errands[1].task.is_short);
    open_gate(1);
    end(&pool, 2);
    ck_assert_uint_eq(errands[1].runs, 2);
    ck_assert_uint_eq(errands[1].done, 1);
}

TEST(the_end_comes_after_all_short_tasks) {
    struct gjkd_pool pool;

    begin(&pool, 1, 1000);
    for (int i = 0; i < 100; i++)
        submit_short(&pool, i, run_errand, i % 2 == 0 ? 2 : 1, 0);
    gjkd_pool_fini(&pool);
    ck_assert_uint_eq(runs, 150);
    end(&pool, 100);
}

/* --- The task group of a job --- */

#define ROWS 400

static struct gjkd_config config;
static struct gjkd_context context;
static struct gjkd_request request;
static struct gjkd_task_group group;
static struct {
    atomic_uint visits[ROWS], chunks, at_once, most_at_once, finished;
    atomic_uint hands, waits; /* chunks do not end before so many ran at once, if that is soon */
    unsigned done, passed_by; /* chunks that were done when somebody else ran */
} seen;

static void run_chunk(gjkd_chunk *chunk) {
    unsigned now = ++seen.at_once, most = seen.most_at_once;
    while (now > most && !atomic_compare_exchange_weak(&seen.most_at_once, &most, now)) {
    }
    for (uint32_t i = chunk->begin; i < chunk->end; i++)
        seen.visits[i]++;
    do {
        uv_sleep(1);
    } while (seen.most_at_once < seen.hands && seen.waits++ < 10000);
    seen.at_once--;
    seen.chunks++;
}

static void finish(void *work, bool is_late) {
    ck_assert_ptr_eq(work, &request);
    ck_assert(!is_late);
    seen.finished++;
    request.reply.status = 200;
}

static void leave_rows(struct gjkd_request *of) {
    gjkd_request_leave_chunks(of, ROWS, 20000,
                              &(struct gjkd_chunks){.work = of,
                                                    .never_shrinks = true,
                                                    .run = run_chunk,
                                                    .finish = finish});
}

static void leave_nothing(struct gjkd_request *of) {
    of->reply.status = 201;
}

static void begin_job(void *job) {
    gjkd_request_start(job);
}

static bool end_job(void *job, struct gjkd_task *task) {
    (void)task;
    gjkd_request_end(job);
    return true;
}

static void group_done(struct gjkd_task_group *of) {
    ck_assert_ptr_eq(of, &group);
    seen.done++;
    if (--expected == 0)
        gjkd_completion_queue_close(&completions);
}

static void begin_group(unsigned workers, gjkd_handler *handler) {
    static struct gjkd_operation operation = {.path = "/here"};

    memset(&seen, 0, sizeof seen);
    begin(&context.pool, workers, 10);
    operation.handler = handler;
    context.config = &config;
    context.limits = proto_limits_default();
    ck_assert(gjkd_request_init(&request, &context, NULL));
    gjkd_request_reset(&request);
    request.match.operation = &operation;
    request.deadline_ns = uv_hrtime() + UINT64_C(20000000000);
    group = (struct gjkd_task_group){.pool = &context.pool,
                                     .completions = &completions,
                                     .chunks = &request.chunks,
                                     .name = operation.path,
                                     .job = &request,
                                     .begin = begin_job,
                                     .end = end_job,
                                     .done = group_done};
}

static void end_group(int status) {
    ck_assert_uint_eq(seen.done, 1);
    ck_assert_int_eq(request.reply.status, status);
    for (int i = 0; i < ROWS && status == 200; i++)
        ck_assert_uint_eq(seen.visits[i], 1);
    gjkd_request_fini(&request);
}

TEST(a_group_does_every_row_once) {
    for (unsigned workers = 1; workers <= 12; workers++) {
        begin_group(workers, leave_rows);
        seen.hands = workers > 1 ? 2 : 1;
        ck_assert(gjkd_task_group_start(&group));
        end(&context.pool, 1);
        ck_assert_uint_eq(seen.finished, 1);
        ck_assert_uint_eq(seen.most_at_once > 1, workers > 1);
        ck_assert_uint_le(seen.most_at_once,
                          workers < GJKD_TASK_GROUP_MAX ? workers : GJKD_TASK_GROUP_MAX);
        end_group(200);
    }
}

/* --- Jobs of two clients: one works in the beginning, the other in the end, as if it packed --- */

enum { JOBS = 20 };
static struct gjkd_task_group jobs[2 * JOBS];
static unsigned ended[2]; /* jobs, by client */

static void work_for_client(void *job, int64_t client) {
    const int64_t until_ns = gjkd_timing_thread_ns() + 2000000;
    while (((struct gjkd_task_group *)job - jobs) % 2 == client &&
           gjkd_timing_thread_ns() < until_ns) {
    }
}

static void work_in_begin(void *job) {
    work_for_client(job, 0);
}

static bool work_in_end(void *job, struct gjkd_task *task) {
    (void)task;
    work_for_client(job, 1);
    ended[((struct gjkd_task_group *)job - jobs) % 2] += ended[1] < JOBS;
    return true;
}

static void job_done(struct gjkd_task_group *of) {
    (void)of;
    if (--expected == 0)
        gjkd_completion_queue_close(&completions);
}

TEST(clients_pay_for_the_end_of_their_jobs) {
    static struct gjkd_chunks none;
    struct gjkd_pool pool;

    memset(ended, 0, sizeof ended);
    begin(&pool, 1, 2 * JOBS + 1);
    hold_workers(&pool, 0);
    for (int i = 0; i < 2 * JOBS; i++) {
        jobs[i] = (struct gjkd_task_group){.pool = &pool,
                                           .completions = &completions,
                                           .chunks = &none,
                                           .client = (uint16_t)(1 + i % 2),
                                           .name = "job",
                                           .job = &jobs[i],
                                           .begin = work_in_begin,
                                           .end = work_in_end,
                                           .done = job_done};
        ck_assert(gjkd_task_group_start(&jobs[i]));
    }
    open_gate(1);
    end(&pool, 2 * JOBS + 1);
    ck_assert_uint_ge(ended[0], JOBS - 3); /* when the last of the other client has ended */
}

TEST(without_chunks_a_group_is_one) {
    begin_group(3, leave_nothing);
    ck_assert(gjkd_task_group_start(&group));
    end(&context.pool, 1);
    end_group(201);
}

static gjkd_task_result pass_by(struct gjkd_task *task) {
    seen.passed_by = seen.chunks;
    return run_errand(task);
}

TEST(a_group_steps_aside) {
    begin_group(1, leave_rows);
    seen.hands = 2; /* until the other task is there */
    ck_assert(gjkd_task_group_start(&group));
    while (seen.at_once == 0)
        uv_sleep(1);
    ck_assert(gjkd_pool_submit(&context.pool, errand(0, pass_by)));
    seen.hands = 1;
    end(&context.pool, 2);
    ck_assert_uint_eq(errands[0].done, 1);
    ck_assert_uint_le(seen.passed_by, 2); /* the group may be queued first */
    end_group(200);
}

TEST(a_group_waits_for_no_help_from_the_busy) {
    begin_group(2, leave_rows);
    ck_assert(gjkd_pool_submit(&context.pool, errand(0, wait_at_gate)));
    while (held == 0)
        uv_sleep(1);
    ck_assert(gjkd_task_group_start(&group));
    for (int i = 0; i < 10000 && seen.done == 0; i++) {
        expected = 2;
        uv_run(&uv, UV_RUN_NOWAIT);
        uv_sleep(1);
    }
    ck_assert_uint_eq(seen.done, 1); /* and the other one is still where it was */
    ck_assert_uint_eq(errands[0].runs, 0);
    open_gate(1);
    end(&context.pool, 1);
    end_group(200);
}

TEST(a_group_that_is_not_let_in) {
    begin_group(1, leave_rows);
    context.pool.queued_max = 1;
    hold_workers(&context.pool, 0);
    ck_assert(gjkd_pool_submit(&context.pool, errand(1, run_errand)));
    ck_assert(!gjkd_task_group_start(&group));
    open_gate(1);
    end(&context.pool, 2);
    ck_assert_uint_eq(seen.done, 0);
    gjkd_request_fini(&request);
}

/* --- Urgency --- */

struct standing {
    void (*say)(void);
    int policy_before, policy, nice;
};

static void stand(void *closure) {
    struct standing *standing = closure;
    const struct sched_param none = {0};
    sched_setscheduler(0, standing->policy_before, &none); /* Linux: of this thread */
    standing->say();
    standing->policy = sched_getscheduler(0);
    standing->nice = getpriority(PRIO_PROCESS, 0);
}

static void check_standing(void (*say)(void), int before, int policy, int behind) {
    struct standing standing = {say, before, 0, 0};
    uv_thread_t thread;
    int nice = getpriority(PRIO_PROCESS, 0) + behind;

    ck_assert_int_eq(uv_thread_create(&thread, stand, &standing), 0);
    uv_thread_join(&thread);
    ck_assert_int_eq(standing.policy, policy);
    ck_assert_int_eq(standing.nice, nice < 19 ? nice : 19);
}

TEST(workers_stand_behind_loops) {
    check_standing(gjkd_thread_priority_set_loop, SCHED_OTHER, SCHED_OTHER, 0);
    check_standing(gjkd_thread_priority_set_worker, SCHED_OTHER, SCHED_BATCH, 10);
    check_standing(gjkd_thread_priority_set_loop, SCHED_IDLE, SCHED_IDLE, 0);
    check_standing(gjkd_thread_priority_set_worker, SCHED_IDLE, SCHED_IDLE, 0);
}
