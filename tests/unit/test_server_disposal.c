/* Is what is large freed by a worker where a loop lets go of it, and at once everywhere else? */

#include <string.h>

#include "disposal.h"
#include "test_server.h"

static struct gjkd_pool pool;
static uv_loop_t loop;
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
    gjkd_pool_init(&pool, 2, 10);
    ck_assert_int_eq(uv_loop_init(&loop), 0);
}

START_TEST(a_loop_hands_over_what_is_large) {
    start();
    gjkd_disposal_begin(&pool, &loop);
    gjkd_dispose(&released, GJKD_LARGE_BYTES - 1, note);
    ck_assert(released == 1 && was_here() && !uv_loop_alive(&loop));
    for (int i = 0; i < 2; i++) {
        gjkd_dispose(&released, GJKD_LARGE_BYTES + (uint64_t)i, note);
        ck_assert(uv_loop_alive(&loop));
        uv_run(&loop, UV_RUN_DEFAULT);
        ck_assert(released == 2 + i && !was_here());
    }
    gjkd_disposal_end();
    gjkd_dispose(&released, UINT64_MAX, note);
    ck_assert(released == 4 && was_here() && !uv_loop_alive(&loop));
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}
END_TEST

START_TEST(a_version_goes_when_nobody_has_it) {
    static char meta[300000];
    start();
    struct gjkd_registry *registry = gjkd_registry_new(10);
    struct gjkd_version *small = test_put(registry, "small", "{'dimension':2}", NULL);
    proto_set body = {.dimension = 2, .meta = {meta, sizeof meta}};
    struct gjkd_version *large = NULL;
    memset(meta, ' ', sizeof meta);
    ck_assert_int_eq(gjkd_version_new("large", &body, NULL, &large), GJK_OK);
    ck_assert_uint_ge(large->bytes, GJKD_LARGE_BYTES);
    gjkd_registry_remove(registry, "small");
    gjkd_disposal_begin(&pool, &loop);
    gjkd_version_release(small);
    gjkd_version_release(gjkd_version_retain(large));
    ck_assert_msg(!uv_loop_alive(&loop), "one is small, the other one is still held");
    gjkd_version_release(large);
    ck_assert(uv_loop_alive(&loop));
    uv_run(&loop, UV_RUN_DEFAULT);
    gjkd_disposal_end();
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    gjkd_registry_free(registry);
}
END_TEST

Suite *server_disposal_suite(void) {
    const TTest *const tests[] = {a_loop_hands_over_what_is_large,
                                  a_version_goes_when_nobody_has_it};
    return test_suite("disposal", tests, COUNT_OF(tests));
}
