/* Does a request see one version of every other set, however often it asks? */

#include "sets/registry.h"

#include <stdio.h>

#include "test_server.h"
#include "work/memory.h"

#define SETS 100

static void put(struct gjkd_registry *registry, const char *name) {
    struct gjkd_version *version = test_put(registry, name, "{'dimension':2}", NULL);
    ck_assert_ptr_nonnull(version);
    gjkd_version_release(version);
}

TEST(the_first_version_asked_for_stays) {
    struct gjkd_registry *registry = gjkd_registry_new(10);
    struct gjkd_pinned_sets pinned_sets;
    bool no_memory = true;
    gjkd_pinned_sets_init(&pinned_sets);
    ck_assert_ptr_null(gjkd_pinned_sets_get(&pinned_sets, registry, "a", &no_memory));
    ck_assert(!no_memory);
    put(registry, "a");
    const struct gjkd_version *first =
        gjkd_pinned_sets_get(&pinned_sets, registry, "a", &no_memory);
    ck_assert_ptr_nonnull(first);
    ck_assert_uint_eq(first->revision, 1);
    put(registry, "a");
    ck_assert_ptr_eq(gjkd_pinned_sets_get(&pinned_sets, registry, "a", &no_memory), first);
    gjkd_registry_set(registry, "a", NULL);
    ck_assert_ptr_eq(gjkd_pinned_sets_get(&pinned_sets, registry, "a", &no_memory), first);
    gjkd_pinned_sets_reset(&pinned_sets);
    ck_assert_ptr_null(gjkd_pinned_sets_get(&pinned_sets, registry, "a", &no_memory));
    gjkd_pinned_sets_fini(&pinned_sets);
    gjkd_registry_free(registry);
}

/* --max-memory bounds what pins take beside the versions. */
TEST(pins_are_charged) {
    struct gjkd_registry *registry = gjkd_registry_new(2);
    struct gjkd_pinned_sets pinned_sets;
    bool no_memory;
    gjkd_pinned_sets_init(&pinned_sets);
    put(registry, "a");
    const uint64_t before = gjkd_memory_used();
    ck_assert_ptr_nonnull(gjkd_pinned_sets_get(&pinned_sets, registry, "a", &no_memory));
    ck_assert_uint_eq(gjkd_memory_used(), before + GJKD_TREE_NODE_BYTES);
    gjkd_pinned_sets_reset(&pinned_sets);
    ck_assert_uint_eq(gjkd_memory_used(), before);
    gjkd_memory_set_limit(1);
    ck_assert_ptr_null(gjkd_pinned_sets_get(&pinned_sets, registry, "a", &no_memory));
    ck_assert(no_memory);
    gjkd_memory_set_limit(0);
    gjkd_pinned_sets_fini(&pinned_sets);
    gjkd_registry_free(registry);
}

TEST(many_sets_in_any_order) {
    struct gjkd_registry *registry = gjkd_registry_new(SETS);
    const struct gjkd_version *seen[SETS];
    struct gjkd_pinned_sets pinned_sets;
    bool no_memory;
    char name[16];
    gjkd_pinned_sets_init(&pinned_sets);
    for (int i = 0; i < SETS; i++) {
        snprintf(name, sizeof name, "s%d", i * 37 % SETS);
        put(registry, name);
        seen[i * 37 % SETS] = gjkd_pinned_sets_get(&pinned_sets, registry, name, &no_memory);
    }
    for (int i = 0; i < SETS; i++) {
        snprintf(name, sizeof name, "s%d", i);
        put(registry, name);
        ck_assert_ptr_eq(gjkd_pinned_sets_get(&pinned_sets, registry, name, &no_memory), seen[i]);
        ck_assert_str_eq(seen[i]->name, name);
        ck_assert_uint_eq(seen[i]->revision, 1);
    }
    gjkd_pinned_sets_fini(&pinned_sets);
    gjkd_registry_free(registry);
}
