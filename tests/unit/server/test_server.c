/* Does the server do right what needs no socket? Runs the suites of gjkd_server. */

#include <string.h>
#include <unistd.h>

#include "sets/commit.h"
#include "test_server.h"

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

void test_remove_store(const char *directory) {
    static const char *const files[] = {"sets.db", "sets.db-wal"};
    ck_assert_int_eq(chdir(directory), 0);
    for (int i = 0; i < COUNT_OF(files); i++)
        (void)unlink(files[i]);
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_int_eq(rmdir(directory), 0);
}
