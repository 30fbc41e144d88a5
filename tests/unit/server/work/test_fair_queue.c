/* Does each client get the same processor time, however many tasks it has and however long they
 * are? */

#include <string.h>

#include "test_server.h"
#include "work/fair_queue.h"

#define TASKS 40

static struct gjkd_fair_queue queue;
static struct gjkd_task tasks[TASKS];

static void put(unsigned first, unsigned end, uint16_t client) {
    for (unsigned i = first; i < end; i++) {
        tasks[i] = (struct gjkd_task){.client = client};
        gjkd_fair_queue_put(&queue, &tasks[i]);
    }
}

/* The number of the task whose turn it is, which takes so much processor time. */
static unsigned run_next(int64_t (*time_of)(uint16_t client)) {
    unsigned lined_up = 0;
    struct gjkd_task *task = gjkd_fair_queue_take(&queue, TASKS, &lined_up);
    ck_assert_ptr_nonnull(task);
    gjkd_fair_queue_charge(&queue, task->client, time_of(task->client));
    gjkd_fair_queue_end(&queue, task->client);
    return (unsigned)(task - tasks);
}

static int64_t as_long(uint16_t client) {
    (void)client;
    return 1000;
}

static int64_t twice_as_long(uint16_t client) {
    return client == 1 ? 2000 : 1000;
}

TEST(clients_take_turns) {
    static const unsigned order[] = {0, 20, 29, 1, 21, 2, 22};

    memset(&queue, 0, sizeof queue);
    put(0, 20, 1);
    put(20, 29, 2);
    put(29, 30, 3);
    for (int i = 0; i < COUNT_OF(order); i++)
        ck_assert_uint_eq(run_next(as_long), order[i]);
    for (unsigned i = COUNT_OF(order); i < 19; i++)
        ck_assert_uint_lt(run_next(as_long), 29);
    for (unsigned i = 9; i < 20; i++) /* both have run nine: the rest is client 1's */
        ck_assert_uint_eq(run_next(as_long), i);
    ck_assert_uint_eq(queue.active_count, 0);
}

TEST(long_tasks_get_fewer_turns) {
    unsigned turns[3] = {0};

    memset(&queue, 0, sizeof queue);
    put(0, 20, 1);
    put(20, 40, 2);
    for (int i = 0; i < 18; i++)
        turns[tasks[run_next(twice_as_long)].client]++;
    ck_assert_uint_eq(turns[1], 6);
    ck_assert_uint_eq(turns[2], 12);
}

/* Who has had nothing to do has saved up nothing. */
TEST(who_comes_later_gets_no_more) {
    unsigned turns[3] = {0};

    memset(&queue, 0, sizeof queue);
    put(0, 20, 1);
    for (int i = 0; i < 10; i++)
        (void)run_next(as_long);
    put(20, 40, 2);
    for (int i = 0; i < 10; i++)
        turns[tasks[run_next(as_long)].client]++;
    ck_assert_uint_eq(turns[1], 5);
    ck_assert_uint_eq(turns[2], 5);
}
