/* Are short tasks run while the workers are busy, one at a time of each set, all before the end?
 * And do those that take longer go to the workers? */

#include "test_server.h"
#include "work/pool.h"

#define TASKS 100

static struct gjkd_pool pool;
static uv_loop_t uv;
static struct gjkd_completion_queue completions;
static uv_sem_t gate;
static atomic_uint held, at_once, most_at_once, runs;
static unsigned expected;

static struct errand {
    struct gjkd_task task;
    unsigned first_run; /* counted over all errands */
    unsigned turns;
    unsigned done;
} errands[TASKS];

static void tell(struct gjkd_task *task) {
    ((struct errand *)(void *)task)->done++;
    if (--expected == 0)
        gjkd_completion_queue_close(&completions);
}

static gjkd_task_result wait_at_gate(struct gjkd_task *task) {
    (void)task;
    held++;
    uv_sem_wait(&gate);
    return GJKD_TASK_COMPLETE;
}

static gjkd_task_result run_alone(struct gjkd_task *task) {
    struct errand *errand = (struct errand *)(void *)task;
    unsigned now = ++at_once;
    most_at_once = now > most_at_once ? now : most_at_once;
    errand->first_run = ++runs;
    uv_sleep(0);
    at_once--;
    return GJKD_TASK_COMPLETE;
}

static gjkd_task_result run_twice(struct gjkd_task *task) {
    struct errand *errand = (struct errand *)(void *)task;
    ck_assert_int_eq(task->is_short, errand->turns == 0);
    return ++errand->turns == 1 ? GJKD_TASK_REQUEUE : GJKD_TASK_COMPLETE;
}

static struct gjkd_task *errand(int i, gjkd_task_result (*run)(struct gjkd_task *), bool is_short) {
    errands[i] = (struct errand){
        .task = {.completions = &completions, .run = run, .done = tell, .is_short = is_short}};
    return &errands[i].task;
}

static void begin(unsigned workers) {
    held = at_once = most_at_once = runs = 0;
    ck_assert_int_eq(uv_sem_init(&gate, 0), 0);
    ck_assert_int_eq(uv_loop_init(&uv), 0);
    ck_assert(gjkd_completion_queue_init(&completions, &uv));
    ck_assert(gjkd_pool_init(&pool, workers, 1000));
    pool.extra_max = 0; /* however long a busy machine keeps a worker from going on */
}

/* Lets the loop run until so many tasks more have come back. */
static void hear(unsigned count) {
    expected = count + 1; /* so that the queue is not closed */
    while (expected > 1)
        uv_run(&uv, UV_RUN_ONCE);
}

static void end(void) {
    gjkd_completion_queue_close(&completions);
    uv_run(&uv, UV_RUN_DEFAULT);
    gjkd_pool_fini(&pool);
    gjkd_completion_queue_fini(&completions);
    ck_assert_int_eq(uv_loop_close(&uv), 0);
    uv_sem_destroy(&gate);
}

static void hold_the_worker(void) {
    ck_assert(gjkd_pool_submit(&pool, errand(0, wait_at_gate, false)));
    while (held < 1)
        uv_sleep(1);
}

TEST(they_need_no_worker) {
    begin(1);
    hold_the_worker();
    for (int i = 1; i < TASKS; i++)
        ck_assert(gjkd_pool_submit(&pool, errand(i, run_alone, true)));
    hear(TASKS - 1);
    ck_assert_uint_eq(gjkd_pool_queued(&pool), 0);
    uv_sem_post(&gate);
    hear(1);
    for (int i = 0; i < TASKS; i++)
        ck_assert_uint_eq(errands[i].done, 1);
    end();
}

TEST(one_writer_at_a_time) {
    begin(1);
    for (int i = 0; i < TASKS; i++) {
        struct gjkd_task *task = errand(i, run_alone, true);
        task->writer = GJKD_QUEUE_WRITERS;
        ck_assert(gjkd_pool_submit(&pool, task));
    }
    hear(TASKS);
    ck_assert_uint_eq(most_at_once, 1);
    for (int i = 1; i < TASKS; i++)
        ck_assert_uint_gt(errands[i].first_run, errands[i - 1].first_run);
    end();
}

TEST(the_long_ones_go_to_the_workers) {
    begin(1);
    hold_the_worker();
    struct gjkd_task *first = errand(1, run_twice, true);
    first->writer = 7;
    ck_assert(gjkd_pool_submit(&pool, first));
    struct gjkd_task *next = errand(2, run_alone, true);
    next->writer = 7;
    ck_assert(gjkd_pool_submit(&pool, next));
    hear(1);
    ck_assert_uint_eq(errands[2].done, 1); /* nobody keeps its line meanwhile */
    ck_assert_uint_eq(errands[1].done, 0);
    uv_sem_post(&gate);
    hear(2);
    ck_assert_uint_eq(errands[1].turns, 2);
    ck_assert_uint_eq(errands[1].done, 1);
    end();
}

TEST(the_end_comes_after_all) {
    begin(1);
    for (int i = 0; i < TASKS; i++)
        ck_assert(gjkd_pool_submit(&pool, errand(i, i % 2 == 0 ? run_twice : run_alone, true)));
    gjkd_pool_fini(&pool);
    ck_assert_uint_eq(runs, TASKS / 2);
    for (int i = 0; i < TASKS; i += 2)
        ck_assert_uint_eq(errands[i].turns, 2);
    hear(TASKS);
    end();
}
