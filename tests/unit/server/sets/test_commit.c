/* Do versions share what did not change, count what they keep, and remember ticks? */

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "sets/commit.h"
#include "sets/kept_ticks.h"
#include "sets/version.h"
#include "test_server.h"
#include "work/memory.h"

#define BOX "{'type':'box','half_extents':[1,1]}"

static struct gjkd_registry *registry;
static _Thread_local struct proto_problem problem;

static void setup(const char *body) {
    registry = gjkd_registry_new(10);
    gjkd_version_release(test_put(registry, "s", body, NULL));
}

static bool apply(void *user, const struct gjkd_version *current, proto_edits *out,
                  struct proto_problem *trouble) {
    const proto_base base = gjkd_version_base(current);
    return proto_change_apply(user, &base, out, trouble);
}

/* Makes a patch, or with a tick (>= 0) that tick, of the set "s". NULL: refused. */
static struct gjkd_version *change(const char *body, int tick, const char *if_match) {
    const proto_limits limits = proto_limits_default();
    struct proto_change *opened;
    struct gjkd_version *version = NULL;
    struct gjk_arena arena;

    gjk_arena_init(&arena, 0);
    char *text = gjk_arena_copy_text(&arena, body, strlen(body));
    for (char *at = text; *at != '\0'; at++)
        *at = *at == '\'' ? '"' : *at;
    const proto_change_request request = {{text, strlen(text)},
                                          tick < 0 ? PROTO_PATCH_SET : PROTO_PUT_TICK,
                                          "s",
                                          &limits,
                                          &arena};
    problem = (struct proto_problem){0};
    ck_assert(proto_change_open(&request, &opened, &problem));
    struct gjkd_storage memory = gjkd_memory_storage(registry);
    const gjkd_write write = {.storage = &memory,
                              .name = "s",
                              .if_match = if_match,
                              .problem = &problem};
    const gjkd_deriver deriver = {.derive = apply, .user = opened};
    gjkd_stamp stamp = {.tick = (uint64_t)tick};
    ck_assert(gjkd_digest_make(text, strlen(text), &stamp.digest));
    gjkd_outcome outcome =
        gjkd_commit_edit(&write, NULL, tick < 0 ? NULL : &stamp, &deriver, &version);
    ck_assert_int_eq(outcome == GJKD_REFUSED, version == NULL);
    ck_assert_int_eq(outcome == GJKD_REFUSED, problem.code != PROTO_OK);
    proto_change_close(opened);
    gjk_arena_fini(&arena);
    return version;
}

static void do_change(const char *body, int tick) {
    struct gjkd_version *version = change(body, tick, NULL);
    ck_assert_msg(version != NULL, "%s: %s", body, problem.detail);
    gjkd_version_release(version);
}

static struct gjkd_version *current(void) {
    return gjkd_registry_get(registry, "s");
}

static void finish(void) {
    gjkd_registry_free(registry);
}

TEST(what_does_not_change_is_shared) {
    setup("{'dimension':2,'shapes':{'a':" BOX ",'b':" BOX ",'c':" BOX "}}");
    struct gjkd_version *one = current();
    struct gjkd_version *two = change("{'shapes':{'b':{'position':[1,1]}}}", -1, NULL);
    const gjk_body *before = gjk_set_find(one->set, "b"), *after = gjk_set_find(two->set, "b");
    ck_assert_ptr_eq(gjk_set_find(one->set, "a"), gjk_set_find(two->set, "a"));
    ck_assert_ptr_ne(before, after);
    ck_assert_ptr_eq(before->placed.shape, after->placed.shape);
    ck_assert_ptr_eq(before->id, after->id);
    ck_assert_uint_eq(before->handle, after->handle);
    ck_assert_double_eq(before->placed.pose.position.x, 0);
    ck_assert_double_eq(after->placed.pose.position.x, 1);
    ck_assert_uint_eq(one->bytes, two->bytes);
    gjkd_version_release(one);
    /* The definition outlives the version that it came with. */
    ck_assert_str_eq(gjkd_stored_view(after).definition.data,
                     "{\"type\":\"box\",\"half_extents\":[1,1]}");
    gjkd_version_release(two);
    finish();
}

TEST(an_edit_of_nothing_is_a_revision) {
    setup("{'dimension':2,'shapes':{'a':" BOX "}}");
    struct gjkd_version *one = current();
    struct gjkd_version *two = change("{}", -1, NULL);
    ck_assert_ptr_eq(one->set, two->set);
    ck_assert_uint_eq(two->revision, one->revision + 1);
    ck_assert_uint_eq(two->incarnation, one->incarnation);
    gjkd_version_release(one);
    gjkd_version_release(two);
    finish();
}

TEST(ticks_are_kept_and_go) {
    setup("{'dimension':2,'history':{'ticks':2},'shapes':{'a':" BOX "}}");
    char body[100];
    for (int tick = 5; tick < 10; tick++) {
        snprintf(body, sizeof body, "{'shapes':{'a':{'position':[%d,0]}}}", tick);
        do_change(body, tick);
    }
    struct gjkd_version *version = current();
    proto_ticks ticks = gjkd_version_ticks(version);
    ck_assert(ticks.oldest == 8 && ticks.newest == 9 && ticks.count == 2);
    gjk_rewound rewound;
    ck_assert(gjkd_rewind(version, 8, &rewound, &problem));
    ck_assert_double_eq(gjk_set_find(rewound.snapshot.set, "a")->placed.pose.position.x, 8);
    ck_assert(!gjkd_rewind(version, 7.5, &rewound, &problem));
    ck_assert_int_eq(problem.code, PROTO_TICK_EXPIRED);
    ck_assert(!gjkd_rewind(version, 9.5, &rewound, &problem));
    ck_assert_int_eq(problem.code, PROTO_TICK_IN_FUTURE);
    gjkd_version_release(version);
    finish();
}

TEST(repeated_ticks) {
    setup("{'dimension':2,'history':{'ticks':2},'shapes':{'a':" BOX "}}");
    struct gjkd_version *first = change("{'shapes':{}}", 1, NULL);
    struct gjkd_version *again = change("{'shapes':{}}", 1, "\"stale\"");
    ck_assert_ptr_eq(first, again);
    gjkd_version_release(again);
    ck_assert_ptr_null(change("{ 'shapes':{}}", 1, NULL));
    ck_assert_int_eq(problem.code, PROTO_TICK_CONFLICT);
    do_change("{'shapes':{'a':null}}", 2);
    do_change("{'shapes':{}}", 1); /* kept: nothing is done */
    ck_assert_ptr_null(change("{'shapes':{}}", 2, NULL));
    do_change("{}", 3);
    ck_assert_ptr_null(change("{'shapes':{}}", 1, NULL)); /* gone */
    ck_assert_int_eq(problem.code, PROTO_TICK_CONFLICT);
    gjkd_version_release(first);
    finish();
}

TEST_EACH(a_set_without_history, 0, 2) {
    static const char *const bodies[] = {"{'dimension':2}",
                                         "{'dimension':2,'history':{'ticks':0}}"};
    gjk_rewound rewound;
    setup(bodies[_i]);
    ck_assert_ptr_null(change("{}", 1, NULL));
    ck_assert_int_eq(problem.code, PROTO_TICK_CONFLICT);
    struct gjkd_version *version = current();
    ck_assert_ptr_null(version->history);
    ck_assert(!gjkd_rewind(version, 1, &rewound, &problem));
    ck_assert_int_eq(problem.code, PROTO_TICK_EXPIRED);
    gjkd_version_release(version);
    finish();
}

/* --- Memory --- */

static uint64_t bytes(void) {
    struct gjkd_version *version = current();
    uint64_t sum = version->bytes;
    ck_assert_uint_eq(gjkd_registry_measure(registry).bytes, sum);
    gjkd_version_release(version);
    return sum;
}

/* A body of a hundred hulls, which are heavier than where they are. */
static char *heavy(const char *rest, double where) {
    static char body[40000];
    int length = snprintf(body, sizeof body, "{%s'shapes':{", rest);
    for (int i = 0; i < 100; i++)
        length += snprintf(body + length, sizeof body - (size_t)length,
                           "%s'hull-%d':{'type':'hull','position':[%g,%d],'points':[[0,0],[1,0],"
                           "[2,1],[2,2],[1,3],[0,3],[-1,2],[-1,1],[-0.5,0.25]]}",
                           i > 0 ? "," : "", i, where, i);
    snprintf(body + length, sizeof body - (size_t)length, "}}");
    return body;
}

static char *moves(double where) {
    static char body[10000];
    int length = snprintf(body, sizeof body, "{'shapes':{");
    for (int i = 0; i < 100; i++)
        length += snprintf(body + length, sizeof body - (size_t)length,
                           "%s'hull-%d':{'position':[%g,%d]}", i > 0 ? "," : "", i, where, i);
    snprintf(body + length, sizeof body - (size_t)length, "}}");
    return body;
}

TEST(ticks_share_definitions) {
    setup(heavy("'dimension':2,'history':{'ticks':8},", 0));
    uint64_t start = bytes();
    do_change("{}", 0);
    uint64_t stamped = bytes();
    ck_assert_uint_lt(stamped - start, 300); /* the same set, seen twice */
    uint64_t last = stamped;
    for (int tick = 1; tick < 8; tick++) {
        do_change(moves(tick), tick);
        ck_assert_uint_lt(bytes() - last, (start * 7) / 10); /* what moved, not what it is */
        ck_assert_uint_gt(bytes() - last, 100 * sizeof(gjk_body));
        last = bytes();
    }
    /* Full: from now on one goes for each that comes. */
    for (int tick = 8; tick < 24; tick++)
        do_change(moves(tick), tick);
    ck_assert_uint_le(bytes(), last + last / 10);
    ck_assert_uint_ge(bytes(), last - last / 10);
    do_change("{'history':null}", -1);
    ck_assert_uint_eq(bytes(), start);
    finish();
}

/* Makes a set with many ticks. */
static void fill(void) {
    gjkd_version_release(
        test_put(registry, "s", heavy("'dimension':2,'history':{'ticks':50},", 0), NULL));
    for (int tick = 0; tick < 60; tick++)
        do_change(moves(tick), tick);
    do_change("{'shapes':{'hull-5':null}}", 60);
    do_change("{'shapes':{'hull-5':" BOX "}}", 61);
}

/* What malloc has handed out is what was counted, about. The first round fills the malloc's own
 * caches, which it counts as handed out. */
TEST(what_is_counted_is_what_is_used) {
    registry = gjkd_registry_new(10);
    for (int round = 0; round < 2; round++) {
        const size_t before = mallinfo2().uordblks;
        if (before == 0) { /* a sanitizer's malloc, which does not tell */
            break;
        }
        fill();
        const size_t used = mallinfo2().uordblks - before;
        ck_assert_msg(bytes() > used * 8 / 10 && bytes() < used * 12 / 10, "%zu used, %zu counted",
                      used, (size_t)bytes());
        gjkd_registry_set(registry, "s", NULL);
        if (round > 0) {
            ck_assert_uint_lt(mallinfo2().uordblks, before + used / 50);
        }
    }
    finish();
}

/* Shapes that move together share memory, and each gives back its part, whichever stays. */
TEST(what_moved_together_is_given_back) {
    enum { SHAPES = 21 };
    static const int firsts[] = {0, 20, 0, 7, 19, 1};
    const uint64_t before = gjkd_memory_sets();
    char body[SHAPES * 64], *at = body + sprintf(body, "{'dimension':2,'shapes':{");
    for (int i = 0; i < SHAPES; i++) {
        at += sprintf(at, "%s's%02d':" BOX, i > 0 ? "," : "", i);
    }
    sprintf(at, "}}");
    setup(body);
    const uint64_t made = gjkd_memory_sets();
    for (size_t round = 0; round < sizeof firsts / sizeof firsts[0]; round++) {
        at = body + sprintf(body, "{'shapes':{");
        for (int i = firsts[round]; i < SHAPES; i++) {
            at += sprintf(at, "%s's%02d':{'position':[%d,%zu]}", i > firsts[round] ? "," : "", i, i,
                          round);
        }
        sprintf(at, "}}");
        do_change(body, -1);
        /* the feed's notes, and a block for each that stays */
        ck_assert_uint_lt(gjkd_memory_sets() - made, 6 * (8 * SHAPES + 8 * sizeof(gjk_body)));
    }
    finish();
    ck_assert_uint_eq(gjkd_memory_sets(), before);
}

TEST(edits_between_ticks_are_not_kept) {
    setup(heavy("'dimension':2,'history':{'ticks':8},", 0));
    do_change("{}", 0);
    do_change(moves(1), -1);
    uint64_t once = bytes();
    for (int i = 2; i < 200; i++)
        do_change(moves(i), -1);
    ck_assert_uint_le(bytes(), once + once / 2);
    finish();
}

TEST(a_limit_of_memory) {
    setup(heavy("'dimension':2,'history':{'ticks':1000},", 0));
    const uint64_t max = 3 * bytes();
    gjkd_registry_limit(registry, max);
    int tick = 0;
    while (tick < 1000) {
        struct gjkd_version *version = change(moves(tick), tick, NULL);
        if (version == NULL)
            break;
        gjkd_version_release(version);
        tick++;
    }
    ck_assert_int_lt(tick, 1000);
    ck_assert_int_gt(tick, 2);
    ck_assert_int_eq(problem.code, PROTO_OUT_OF_MEMORY);
    ck_assert_uint_le(bytes(), max);
    ck_assert_uint_gt(bytes(), max / 2);
    /* Nothing has changed, the tick can still be made, and what makes room is taken. */
    struct gjkd_version *version = current();
    ck_assert_uint_eq(gjkd_version_ticks(version).newest, (uint64_t)tick - 1);
    gjkd_version_release(version);
    gjkd_registry_limit(registry, bytes() - 1);
    do_change("{'shapes':{'hull-1':null},'history':{'ticks':2}}", -1);
    gjkd_registry_limit(registry, max);
    do_change("{'shapes':{'hull-2':{'position':[1,1]}}}", tick);
    finish();
}

/* --- Threads --- */

#define WRITERS 4
#define WRITES 50

static void *write_ticks(void *closure) {
    unsigned *made = closure;
    char body[100];
    for (int i = 0; i < WRITES; i++) {
        struct gjkd_version *seen = current();
        proto_ticks ticks = gjkd_version_ticks(seen);
        int tick = ticks.count == 0 ? 0 : (int)ticks.newest + 1;
        gjkd_version_release(seen);
        snprintf(body, sizeof body, "{'shapes':{'a':{'position':[%d,%u]}}}", tick,
                 (unsigned)(made - (unsigned *)NULL) % 7);
        struct gjkd_version *version = change(body, tick, NULL);
        *made += version != NULL && problem.code == PROTO_OK;
        gjkd_version_release(version);
        do_change("{'shapes':{'b':{'angle':1}}}", -1);
    }
    return NULL;
}

static void *read_ticks(void *closure) {
    (void)closure;
    uint64_t last = 0;
    while (last < WRITERS * WRITES) {
        struct gjkd_version *version = current();
        proto_ticks ticks = gjkd_version_ticks(version);
        gjk_rewound rewound;
        for (uint64_t tick = ticks.oldest; ticks.count > 0 && tick <= ticks.newest; tick++) {
            ck_assert(gjkd_rewind(version, (double)tick, &rewound, &problem));
            const gjk_body *a = gjk_set_find(rewound.snapshot.set, "a");
            ck_assert_double_eq(a->placed.pose.position.x, (double)tick);
        }
        last = version->revision;
        gjkd_version_release(version);
    }
    return NULL;
}

TEST(writers_and_readers_of_ticks) {
    pthread_t threads[2 * WRITERS];
    unsigned made[WRITERS] = {0};
    setup("{'dimension':2,'history':{'ticks':5},'shapes':{'a':" BOX ",'b':" BOX "}}");
    for (int i = 0; i < WRITERS; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, write_ticks, &made[i]), 0);
        ck_assert_int_eq(pthread_create(&threads[WRITERS + i], NULL, read_ticks, NULL), 0);
    }
    for (int i = 0; i < 2 * WRITERS; i++)
        pthread_join(threads[i], NULL);
    struct gjkd_version *version = current();
    /* Repeated ticks are no revisions; everything else that was not refused is one. */
    ck_assert_uint_eq(version->revision,
                      1 + WRITERS * WRITES + gjkd_version_ticks(version).newest + 1);
    gjkd_version_release(version);
    finish();
}
