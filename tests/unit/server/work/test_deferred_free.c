/* Is what is large freed by a worker where a loop lets go of it, and at once everywhere else? */

#include <string.h>

#include "sets/version_edit.h"
#include "test_server.h"
#include "work/memory.h"

static struct gjkd_pool pool;
static int released;
static uv_thread_t releaser;

static void note(void *thing) {
    ck_assert_ptr_eq(thing, &released);
    releaser = uv_thread_self();
    released++;
}

static bool was_here(void) {
    uv_thread_t here = uv_thread_self();
    return uv_thread_equal(&here, &releaser) != 0;
}

static void start(void) {
    released = 0;
    ck_assert(gjkd_pool_init(&pool, 2, 10, false));
}

TEST(a_loop_hands_over_what_is_large) {
    for (int i = 0; i < 2; i++) {
        start();
        gjkd_deferred_free_begin(&pool);
        gjkd_deferred_free(&released, GJKD_LARGE_BYTES - 1, note);
        ck_assert(released == 1 && was_here());
        gjkd_deferred_free(&released, GJKD_LARGE_BYTES + (uint64_t)i, note);
        gjkd_deferred_free_end();
        gjkd_pool_fini(&pool);
        ck_assert(released == 2 && !was_here());
    }
    start();
    gjkd_deferred_free(&released, UINT64_MAX, note);
    ck_assert(released == 1 && was_here());
    gjkd_pool_fini(&pool);
}

static uv_sem_t gate;
static atomic_bool held;

static gjkd_task_result wait_at_gate(struct gjkd_task *task) {
    (void)task;
    held = true;
    uv_sem_wait(&gate);
    return GJKD_TASK_DETACHED;
}

TEST(a_version_goes_when_nobody_has_it) {
    static char meta[GJKD_LARGE_BYTES];
    struct gjkd_task holder = {.run = wait_at_gate};
    ck_assert_int_eq(uv_sem_init(&gate, 0), 0);
    ck_assert(gjkd_pool_init(&pool, 1, 10, false));
    pool.extra_max = 0; /* however long the worker is held */
    gjkd_pool_resume(&pool, &holder);
    while (!held)
        uv_sleep(1);
    struct gjkd_registry *registry = gjkd_registry_new(10);
    struct gjkd_version *small = test_put(registry, "small", "{'dimension':2}", NULL);
    proto_set body = {.dimension = 2, .meta = {meta, sizeof meta}};
    struct gjkd_version *large = NULL;
    memset(meta, ' ', sizeof meta);
    ck_assert_int_eq(gjkd_version_new("large", &body, NULL, NULL, &large), GJK_OK);
    ck_assert_uint_ge(large->bytes, GJKD_LARGE_BYTES);
    gjkd_registry_set(registry, "small", NULL);
    gjkd_deferred_free_begin(&pool);
    gjkd_version_release(small);
    gjkd_version_release(gjkd_version_retain(large));
    ck_assert_msg(!gjkd_pool_has_waiting(&pool), "one is small, the other one is still held");
    gjkd_version_release(large);
    ck_assert(gjkd_pool_has_waiting(&pool));
    gjkd_deferred_free_end();
    uv_sem_post(&gate);
    gjkd_pool_fini(&pool);
    uv_sem_destroy(&gate);
    gjkd_registry_free(registry);
}
