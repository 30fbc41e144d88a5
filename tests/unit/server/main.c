/* Does the server do right what needs no socket? Runs the suites of gjkd_server. */

#include <stdlib.h>
#include <string.h>

#include "sets/commit.h"
#include "test_server.h"

Suite *test_suite(const char *name, const TTest *const *tests, int count) {
    Suite *suite = suite_create(name);
    TCase *tcase = tcase_create(name);

    tcase_set_timeout(tcase, 600);
    for (int i = 0; i < count; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return suite;
}

struct gjkd_version *test_put(struct gjkd_registry *registry, const char *name, const char *body,
                              const char *if_match) {
    const proto_limits limits = proto_limits_default();
    struct proto_problem problem = {0};
    struct gjkd_version *version = NULL;
    struct gjk_arena arena;
    proto_set set;

    gjk_arena_init(&arena, 0);
    char *text = gjk_arena_copy_text(&arena, body, strlen(body));
    for (char *at = text; *at != '\0'; at++)
        *at = *at == '\'' ? '"' : *at;
    bool decoded =
        proto_decode_set((proto_text){text, strlen(text)}, name, &limits, &arena, &set, &problem);
    ck_assert_msg(decoded, "%s: %s", body, problem.detail);
    struct gjkd_storage memory = gjkd_memory_storage(registry);
    const gjkd_write write = {.storage = &memory,
                              .name = name,
                              .if_match = if_match,
                              .problem = &problem};
    ck_assert_int_eq(gjkd_commit_put(&write, &set, &version) == GJKD_REFUSED, version == NULL);
    gjk_arena_fini(&arena);
    return version;
}

uint32_t test_handle(const struct gjkd_version *version, const char *id) {
    const gjk_body *body = gjk_set_find(version->set, id);
    ck_assert_msg(body != NULL, "no shape %s", id);
    return body->handle;
}

int main(void) {
    SRunner *runner = srunner_create(NULL);

#define ADD_SUITE(name) srunner_add_suite(runner, name##_suite());
    TEST_SUITES(ADD_SUITE)
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
