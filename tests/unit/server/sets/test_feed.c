/* Does a feed know what changed between any two revisions that it keeps, and forget in time? */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sets/commit.h"
#include "sets/feed.h"
#include "test_server.h"

#define BOX "{'type':'box','half_extents':[1,1]}"
#define CIRCLE "{'type':'circle','radius':1}"
#define SET(shapes) "{'dimension':2,'shapes':{" shapes "}}"

static struct gjkd_registry *registry;
static struct gjk_arena arena;
static gjkd_changes changes;

static void setup(void) {
    registry = gjkd_registry_new(10);
    gjk_arena_init(&arena, 0);
}

static void teardown(void) {
    gjk_arena_fini(&arena);
    gjkd_registry_free(registry);
}

/* Puts the set; its feed, which the registry's version keeps. */
static struct gjkd_feed *put(const char *body) {
    struct gjkd_version *version = test_put(registry, "s", body, NULL);
    struct gjkd_feed *feed = version->feed;
    gjkd_version_release(version);
    return feed;
}

static gjkd_collected collect(struct gjkd_feed *feed, uint64_t since, uint64_t upto) {
    const gjkd_since from = {.order = since};
    return gjkd_feed_collect(feed, &from, upto, &arena, &changes);
}

/* For a reader that also knows by which write it has that version. */
static gjkd_collected collect_of(struct gjkd_feed *feed, uint64_t since, uint32_t mark) {
    const gjkd_since from = {since, true, mark};
    return gjkd_feed_collect(feed, &from, feed->newest, &arena, &changes);
}

TEST(changes_are_told_once_each) {
    setup();
    struct gjkd_feed *feed = put(SET("'a':" BOX ",'b':" BOX ",'c':" BOX));
    ck_assert_int_eq(collect(feed, 1, 1), GJKD_COLLECT_NOT_KEPT);
    (void)put(SET("'a':" CIRCLE ",'c':" BOX));
    (void)put(SET("'a':" BOX ",'b':" BOX ",'c':" BOX));
    ck_assert_ptr_eq(put("{'dimension':2,'meta':{},'shapes':{}}"), feed);
    ck_assert_int_eq(collect(feed, 1, 2), GJKD_COLLECTED);
    ck_assert(changes.count == 1 && changes.handles[0] == 1 && !changes.meta);
    ck_assert(changes.gone == 1 && strcmp(changes.ids[0], "b") == 0);
    ck_assert_int_eq(collect(feed, 1, 3), GJKD_COLLECTED);
    ck_assert(changes.count == 2 && changes.handles[0] == 1 && changes.handles[1] == 4);
    ck_assert_int_eq(collect(feed, 1, 4), GJKD_COLLECTED);
    ck_assert(changes.count == 2 && changes.gone == 3 && changes.meta && !changes.history);
    ck_assert_str_eq(changes.ids[0], "a");
    ck_assert_str_eq(changes.ids[2], "c");
    ck_assert_int_eq(collect(feed, 4, 5), GJKD_COLLECT_LATER);
    ck_assert_int_eq(collect(feed, 0, 4), GJKD_COLLECT_NOT_KEPT);
    teardown();
}

TEST(a_revision_that_another_write_made_is_not_known) {
    setup();
    struct gjkd_feed *feed = put(SET("'a':" BOX));
    struct gjkd_version *first = gjkd_registry_get(registry, "s");
    (void)put(SET("'a':" CIRCLE));
    struct gjkd_version *second = gjkd_registry_get(registry, "s");
    (void)put(SET("'a':" BOX));
    ck_assert_uint_ne(first->nonce, second->nonce);
    ck_assert_int_eq(collect_of(feed, 1, first->nonce), GJKD_COLLECTED);
    ck_assert_int_eq(collect_of(feed, 2, second->nonce), GJKD_COLLECTED);
    ck_assert_int_eq(collect_of(feed, 2, first->nonce), GJKD_COLLECT_NOT_KEPT);
    ck_assert_int_eq(collect_of(feed, 1, 0), GJKD_COLLECT_NOT_KEPT);
    gjkd_version_release(first);
    gjkd_version_release(second);
    teardown();
}

TEST(the_oldest_change_goes_first) {
    setup();
    struct gjkd_feed *feed = put(SET("'a':" BOX));
    for (int i = 1; i <= GJKD_FEED_CHANGES_MAX + 1; i++) {
        (void)put(i % 2 != 0 ? SET("'a':" CIRCLE) : SET("'a':" BOX));
    }
    const uint64_t newest = GJKD_FEED_CHANGES_MAX + 2;
    ck_assert_uint_eq(feed->newest, newest);
    ck_assert_uint_eq(feed->count, GJKD_FEED_CHANGES_MAX);
    ck_assert_int_eq(collect(feed, 1, newest), GJKD_COLLECT_NOT_KEPT);
    ck_assert_int_eq(collect(feed, 2, newest), GJKD_COLLECTED);
    ck_assert_int_eq(collect(feed, newest - 1, newest), GJKD_COLLECTED);
    ck_assert_uint_eq(changes.count, 1);
    teardown();
}

TEST(bytes_are_bounded_and_given_back) {
    enum { SHAPES = 4000, ENTRY = 170 };
    setup();
    const uint64_t before = gjkd_memory_sets();
    char *body = malloc(SHAPES * ENTRY), *at = body;
    at += sprintf(at, "{'dimension':2,'shapes':{");
    for (int i = 0; i < SHAPES; i++) {
        at += sprintf(at, "%s'%0120d':{'type':'point'}", i > 0 ? "," : "", i);
    }
    sprintf(at, "}}");
    struct gjkd_feed *feed = put(body);
    for (int i = 0; i < 40; i++) {
        (void)put(SET());
        (void)put(body);
        ck_assert_uint_le(feed->bytes, GJKD_FEED_BYTES_MAX);
    }
    ck_assert_uint_gt(feed->bytes, GJKD_FEED_BYTES_MAX - (1 << 20));
    ck_assert_uint_lt(feed->count, 80);
    ck_assert_int_eq(collect(feed, feed->newest - feed->count, feed->newest), GJKD_COLLECTED);
    ck_assert(changes.count > 0 && changes.gone == SHAPES);
    free(body);
    struct proto_problem problem = {0};
    struct gjkd_storage memory = gjkd_memory_storage(registry);
    const gjkd_write write = {.storage = &memory, .name = "s", .problem = &problem};
    ck_assert(gjkd_commit_delete(&write));
    ck_assert_uint_eq(gjkd_memory_sets(), before);
    teardown();
}

static void count(struct gjkd_listener *listener, const struct gjkd_version *from,
                  struct gjkd_version *to) {
    (void)listener;
    ck_assert((from == NULL) == (to == NULL));
    changes.count++;
}

TEST(a_listener_is_told_of_changes_and_of_the_end) {
    setup();
    struct gjkd_listener listener = {.notify = count};
    struct gjkd_version *version = test_put(registry, "s", SET("'a':" BOX), NULL);
    struct gjkd_feed *feed = version->feed;
    changes.count = 0;
    feed->listener = &listener;
    (void)put(SET());
    ck_assert_uint_eq(changes.count, 1);
    struct proto_problem problem = {0};
    struct gjkd_storage memory = gjkd_memory_storage(registry);
    const gjkd_write write = {.storage = &memory, .name = "s", .problem = &problem};
    ck_assert(gjkd_commit_delete(&write));
    ck_assert_uint_eq(changes.count, 2);
    ck_assert_int_eq(collect(feed, 1, 2), GJKD_COLLECT_ENDED);
    ck_assert(feed->has_ended);
    feed->listener = NULL;
    gjkd_version_release(version);
    teardown();
}
