/* Are names found and listed in order, and do many threads see whole versions only? */

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "sets/commit.h"
#include "support/set_body.h"
#include "test_server.h"

static struct gjkd_registry *registry;

static void put(const char *name) {
    struct gjkd_version *version = test_put(registry, name, "{'dimension':2}", NULL);
    ck_assert_ptr_nonnull(version);
    gjkd_version_release(version);
}

/* Lists into one text, "a b c" and " +" when there is more. */
static const char *list_granted(const char *prefix, const gjkd_grant *grant, const char *after,
                                size_t limit) {
    static _Thread_local char text[256];
    struct gjkd_version *found[16];
    bool more = false;
    size_t count = gjkd_registry_list(registry, prefix, grant, after, limit, found, &more);

    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        strcat(text, i > 0 ? " " : "");
        strcat(text, found[i]->name);
        gjkd_version_release(found[i]);
    }
    strcat(text, more ? " +" : "");
    return text;
}

static const char *list(const char *prefix, const char *after, size_t limit) {
    return list_granted(prefix, NULL, after, limit);
}

TEST(names_that_a_grant_covers) {
    const gjkd_grant grant = {GJKD_SCOPE_READ, "b,a-1,Z,a-10", ""};
    registry = gjkd_registry_new(100);
    for (const char *const *name =
             (const char *const[]){"b", "a-2", "a", "Z", "a-10", "aa", "c", "Y", "a-1", NULL};
         *name != NULL; name++) {
        put(*name);
    }
    ck_assert_str_eq(list_granted("", &grant, NULL, 16), "Z a-1 a-10 b");
    ck_assert_str_eq(list_granted("", &grant, NULL, 2), "Z a-1 +");
    ck_assert_str_eq(list_granted("", &grant, "a-10", 1), "b");
    ck_assert_str_eq(list_granted("", &grant, NULL, 4), "Z a-1 a-10 b");
    ck_assert_str_eq(list_granted("a", &grant, NULL, 16), "a-1 a-10");
    ck_assert_str_eq(list_granted("a", &grant, NULL, 1), "a-1 +");
    ck_assert_str_eq(list_granted("c", &grant, NULL, 16), "");
    ck_assert_str_eq(list_granted("a-10", &grant, NULL, 16), "a-10");
    gjkd_registry_free(registry);
}

TEST(names_in_order) {
    registry = gjkd_registry_new(100);
    put("b");
    put("a-2");
    put("a");
    put("Z");
    put("a-10");
    ck_assert_str_eq(list("", NULL, 16), "Z a a-10 a-2 b");
    ck_assert_str_eq(list("", NULL, 2), "Z a +");
    ck_assert_str_eq(list("", "a", 2), "a-10 a-2 +");
    ck_assert_str_eq(list("", "a-2", 2), "b");
    ck_assert_str_eq(list("a", NULL, 16), "a a-10 a-2");
    ck_assert_str_eq(list("a-", NULL, 1), "a-10 +");
    ck_assert_str_eq(list("a-", "a-10", 1), "a-2");
    ck_assert_str_eq(list("a-", "A", 16), "a-10 a-2");
    ck_assert_str_eq(list("a-", "c", 16), "");
    ck_assert_str_eq(list("", "a-1", 1), "a-10 +"); /* the cursor's set may be gone */
    ck_assert_str_eq(list("x", NULL, 16), "");
    ck_assert_ptr_null(gjkd_registry_get(registry, "a-"));
    gjkd_registry_set(registry, "a-10", NULL);
    gjkd_registry_set(registry, "a-10", NULL); /* no longer there */
    ck_assert_str_eq(list("", NULL, 16), "Z a a-2 b");
    gjkd_registry_free(registry);
}

TEST(sets_are_counted) {
    registry = gjkd_registry_new(2);
    put("a");
    put("b");
    put("a");
    ck_assert_ptr_null(test_put(registry, "c", "{'dimension':2}", NULL));
    gjkd_registry_size size = gjkd_registry_measure(registry);
    ck_assert_uint_eq(size.sets, 2);
    ck_assert_uint_eq(size.shapes, 0);
    gjkd_version_release(
        test_put(registry, "a",
                 "{'dimension':2,'shapes':{'p':{'type':'point'},'q':{'type':'point'}}}", NULL));
    ck_assert_uint_eq(gjkd_registry_measure(registry).shapes, 2);
    gjkd_registry_set(registry, "a", NULL);
    size = gjkd_registry_measure(registry);
    ck_assert_uint_eq(size.sets, 1);
    ck_assert_uint_eq(size.shapes, 0);
    put("c");
    gjkd_registry_free(registry);
}

TEST(a_held_version_outlives_its_name) {
    registry = gjkd_registry_new(2);
    put("a");
    struct gjkd_version *held = gjkd_registry_get(registry, "a");
    put("a");
    gjkd_registry_set(registry, "a", NULL);
    ck_assert_str_eq(held->name, "a");
    ck_assert_uint_eq(held->revision, 1);
    gjkd_registry_free(registry);
    ck_assert_uint_eq(gjk_set_count(held->set), 0);
    gjkd_version_release(held);
}

TEST(two_exchange_what_they_have) {
    struct gjkd_registry *shown = gjkd_registry_new(100), *other = gjkd_registry_new(100);
    registry = other;
    put("new");
    put("newer");
    registry = shown;
    put("old");
    struct gjkd_version *old = gjkd_registry_get(shown, "old");
    const gjkd_registry_size before = gjkd_registry_measure(shown);
    gjkd_registry_exchange(shown, other);
    ck_assert_str_eq(list("", NULL, 16), "new newer");
    ck_assert_uint_eq(gjkd_registry_measure(shown).sets, 2);
    ck_assert_uint_eq(gjkd_registry_measure(other).bytes, before.bytes);
    struct gjkd_version *found = gjkd_registry_get(other, "old");
    ck_assert_ptr_eq(found, old);
    gjkd_version_release(found);
    gjkd_registry_free(other);
    gjkd_version_release(old);
    put("newest");
    ck_assert_str_eq(list("", NULL, 16), "new newer newest");
    gjkd_registry_free(shown);
}

/* --- Threads --- */

static void *lock_in_vain(void *closure) {
    (void)closure;
    ck_assert(!gjkd_registry_try_lock_writer(registry, "s", 5));
    return NULL;
}

static void *lock_in_the_end(void *closure) {
    bool *is_locked = closure;
    gjkd_registry_lock_writer(registry, "s");
    *is_locked = true;
    gjkd_registry_unlock_writer(registry, "s");
    return NULL;
}

TEST(a_writer_waits_as_long_as_it_says) {
    pthread_t in_vain, in_the_end;
    bool is_locked = false;
    registry = gjkd_registry_new(100);
    ck_assert(gjkd_registry_try_lock_writer(registry, "s", 0));
    ck_assert_int_eq(pthread_create(&in_vain, NULL, lock_in_vain, NULL), 0);
    pthread_join(in_vain, NULL);
    ck_assert_int_eq(pthread_create(&in_the_end, NULL, lock_in_the_end, &is_locked), 0);
    gjkd_registry_unlock_writer(registry, "s");
    pthread_join(in_the_end, NULL);
    ck_assert(is_locked);
    ck_assert(gjkd_registry_try_lock_writer(registry, "s", 0));
    gjkd_registry_unlock_writer(registry, "s");
    gjkd_registry_free(registry);
}

#define WRITERS 3
#define READERS 3
#define WRITES 60

/* The body of a set whose shapes all stand at x = k; the first handle belongs to "a". */
static void make_body(char *body, size_t size, unsigned k) {
    snprintf(body, size,
             "{'dimension':2,'shapes':{'a':{'type':'point','position':[%u,0]},"
             "'b%u':{'type':'point','position':[%u,1]}}}",
             k, k, k);
}

static void *write_many(void *closure) {
    unsigned first = *(unsigned *)closure;
    char body[256];

    for (unsigned i = 0; i < WRITES; i++) {
        make_body(body, sizeof body, first + i);
        struct gjkd_version *version = test_put(registry, "s", body, NULL);
        ck_assert_ptr_nonnull(version);
        gjkd_version_release(version);
        put(i % 2 == 0 ? "other" : "another");
        gjkd_registry_set(registry, "other", NULL);
    }
    return NULL;
}

static void *read_many(void *closure) {
    uint64_t last = 0;
    (void)closure;
    while (last < WRITERS * WRITES) {
        struct gjkd_version *version = gjkd_registry_get(registry, "s");
        if (version == NULL)
            continue;
        /* One writer's body as a whole, and never an older version than before. */
        const gjk_body *a = test_set_body(version->set, 0);
        const gjk_body *b = test_set_body(version->set, 1);
        ck_assert_double_eq(a->placed.pose.position.x, b->placed.pose.position.x);
        ck_assert_uint_eq(a->handle, 1);
        ck_assert_uint_ge(b->handle, 2);
        ck_assert_uint_ge(version->revision, last);
        last = version->revision;
        gjkd_version_release(version);
        list("", NULL, 3);
    }
    return NULL;
}

TEST(threads_see_whole_versions) {
    pthread_t threads[WRITERS + READERS];
    unsigned firsts[WRITERS];

    registry = gjkd_registry_new(10);
    for (unsigned i = 0; i < WRITERS; i++) {
        firsts[i] = i * WRITES;
        ck_assert_int_eq(pthread_create(&threads[i], NULL, write_many, &firsts[i]), 0);
    }
    for (unsigned i = 0; i < READERS; i++)
        ck_assert_int_eq(pthread_create(&threads[WRITERS + i], NULL, read_many, NULL), 0);
    for (unsigned i = 0; i < WRITERS + READERS; i++)
        pthread_join(threads[i], NULL);
    /* Nothing lost: every write counted, every new id got a handle of its own. */
    struct gjkd_version *version = gjkd_registry_get(registry, "s");
    ck_assert_uint_eq(version->revision, WRITERS * WRITES);
    ck_assert_uint_eq(version->next_handle, 2 + WRITERS * WRITES);
    gjkd_version_release(version);
    gjkd_registry_free(registry);
}

/* Everyone reads, then writes only if nobody else did. */
static void *write_if_match(void *closure) {
    unsigned *won = closure;
    for (int i = 0; i < WRITES; i++) {
        char etag[GJKD_ETAG_MAX];
        struct gjkd_version *version = gjkd_registry_get(registry, "s");
        gjkd_version_etag(version, etag);
        gjkd_version_release(version);
        version = test_put(registry, "s", "{'dimension':2}", etag);
        *won += version != NULL ? 1 : 0;
        gjkd_version_release(version);
    }
    return NULL;
}

TEST(if_match_loses_no_update) {
    pthread_t threads[WRITERS];
    unsigned won[WRITERS] = {0};
    unsigned sum = 0;

    registry = gjkd_registry_new(10);
    put("s");
    for (unsigned i = 0; i < WRITERS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, write_if_match, &won[i]), 0);
    for (unsigned i = 0; i < WRITERS; i++) {
        pthread_join(threads[i], NULL);
        sum += won[i];
    }
    struct gjkd_version *version = gjkd_registry_get(registry, "s");
    ck_assert_uint_eq(version->revision, 1 + sum);
    gjkd_version_release(version);
    gjkd_registry_free(registry);
}
