/* What commits hand to a store, when readers see it, and how writer and store meet. */

#include "sets/commit.h"
#include "work/task.h"

#include <pthread.h>
#include <string.h>

#include "test_server.h"

/* A store that keeps what it is handed until the test settles it. */
static struct fake {
    struct gjkd_storage base; /* first */
    struct gjkd_change *changes[8];
    unsigned count;
    bool is_full;
} fake;

static struct gjkd_registry *newest;
static struct gjkd_change changes[8];
static struct proto_problem problem;

static void submit(struct gjkd_storage *storage, struct gjkd_change *change) {
    struct fake *to = (struct fake *)(void *)storage;
    to->changes[to->count++] = change;
}

static gjkd_verdict commit(struct gjkd_storage *storage, const gjkd_proposal *proposal,
                           gjk_budget *budget, struct proto_problem *to) {
    (void)budget;
    return gjkd_storage_queue(storage, proposal, submit, to);
}

static bool has_room(struct gjkd_storage *storage, bool is_tick, struct proto_problem *to) {
    (void)is_tick;
    return !((struct fake *)(void *)storage)->is_full ||
           proto_problem_set(to, PROTO_OVERLOADED, "full");
}

static void setup(void) {
    memset(&fake, 0, sizeof fake);
    memset(changes, 0, sizeof changes);
    newest = gjkd_registry_new(10);
    fake.base = (struct gjkd_storage){.newest = newest,
                                      .shown = gjkd_registry_new(10),
                                      .has_room = has_room,
                                      .commit = commit};
}

static void teardown(void) {
    gjkd_registry_free(newest);
    gjkd_registry_free(fake.base.shown);
}

TEST_FIXTURE(setup, teardown)

static gjkd_write write_of(unsigned change) {
    return (gjkd_write){.storage = &fake.base,
                        .name = "a",
                        .problem = &problem,
                        .change = &changes[change]};
}

/* PUT of a set without shapes; returns its revision, 0: refused. */
static uint64_t put(unsigned change, uint32_t ticks) {
    const proto_set body = {.dimension = 2, .has_history = ticks > 0, .history_ticks = ticks};
    const gjkd_write write = write_of(change);
    struct gjkd_version *version = NULL;
    if (gjkd_commit_put(&write, &body, &version) == GJKD_REFUSED)
        return 0;
    uint64_t revision = version->revision;
    gjkd_version_release(version);
    return revision;
}

static bool derive_nothing(void *user, const struct gjkd_version *current, proto_edits *out,
                           struct proto_problem *to) {
    (void)user, (void)current, (void)to;
    *out = (proto_edits){0};
    return true;
}

static gjkd_outcome tick(unsigned change, uint64_t number) {
    const gjkd_deriver deriver = {.derive = derive_nothing};
    const gjkd_stamp stamp = {.tick = number};
    const gjkd_write write = write_of(change);
    struct gjkd_version *version = NULL;
    gjkd_outcome outcome = gjkd_commit_edit(&write, NULL, &stamp, &deriver, &version);
    gjkd_version_release(version);
    return outcome;
}

/* Settles the oldest change, as a store does. */
static void settle(gjkd_durability durability) {
    struct gjkd_change *change = fake.changes[0];
    memmove(fake.changes, fake.changes + 1, --fake.count * sizeof fake.changes[0]);
    if (durability == GJKD_ON_DISK)
        gjkd_registry_set(fake.base.shown, change->name, change->to);
    gjkd_version_release(change->from);
    gjkd_version_release(change->to);
    gjkd_change_settle(change, durability);
}

static uint64_t shown(void) {
    struct gjkd_version *version = gjkd_registry_get(fake.base.shown, "a");
    uint64_t revision = version != NULL ? version->revision : 0;
    gjkd_version_release(version);
    return revision;
}

TEST(readers_see_what_is_stored) {
    ck_assert_uint_eq(put(0, 0), 1);
    ck_assert_uint_eq(put(1, 0), 2); /* built upon what is not stored yet */
    ck_assert_uint_eq(fake.count, 2);
    ck_assert_ptr_null(fake.changes[0]->from);
    ck_assert_ptr_eq(fake.changes[1]->from, fake.changes[0]->to);
    ck_assert_uint_eq(shown(), 0);
    settle(GJKD_ON_DISK);
    ck_assert_uint_eq(shown(), 1);
    ck_assert_int_eq(changes[0].durability, GJKD_ON_DISK);
    settle(GJKD_ON_DISK);
    ck_assert_uint_eq(shown(), 2);
    const gjkd_write deletion = write_of(2);
    ck_assert(gjkd_commit_delete(&deletion));
    ck_assert_ptr_null(fake.changes[0]->to);
    ck_assert_uint_eq(shown(), 2);
    settle(GJKD_ON_DISK);
    ck_assert_uint_eq(shown(), 0);
}

TEST(ticks_stay_in_memory_where_they_may) {
    ck_assert_uint_eq(put(0, 4), 1);
    settle(GJKD_ON_DISK);
    /* The first one tells the store that revisions may be lost from now on. */
    ck_assert_int_eq(tick(1, 1), GJKD_CHANGED);
    ck_assert_uint_eq(fake.count, 1);
    ck_assert_uint_gt(fake.changes[0]->to->revision_bound, 2);
    /* One that follows what is not stored, and the same one again, wait with it. */
    ck_assert_int_eq(tick(2, 2), GJKD_CHANGED);
    ck_assert_int_eq(tick(3, 2), GJKD_REPEATED);
    ck_assert_uint_eq(fake.count, 3);
    while (fake.count > 0)
        settle(GJKD_ON_DISK);
    ck_assert_uint_eq(shown(), 3);
    ck_assert_int_eq(tick(4, 3), GJKD_CHANGED);
    ck_assert_int_eq(tick(5, 3), GJKD_REPEATED);
    ck_assert_uint_eq(fake.count, 0);
    ck_assert_uint_eq(shown(), 4);
    ck_assert_int_eq(changes[4].durability, GJKD_IN_MEMORY);
    ck_assert_int_eq(changes[5].durability, GJKD_IN_MEMORY);
}

TEST(no_revision_passes_the_bound_unheard) {
    ck_assert_uint_eq(put(0, 1), 1);
    settle(GJKD_ON_DISK);
    uint64_t bound = 0, heard = 0;
    for (uint64_t number = 1; heard < 2; number++) {
        memset(&changes[1], 0, sizeof changes[1]);
        ck_assert_int_eq(tick(1, number), GJKD_CHANGED);
        if (fake.count > 0) {
            ck_assert_uint_ge(fake.changes[0]->to->revision, bound);
            bound = fake.changes[0]->to->revision_bound;
            ck_assert_uint_gt(bound, fake.changes[0]->to->revision);
            heard++;
            settle(GJKD_ON_DISK);
        } else {
            ck_assert_uint_lt(shown(), bound);
        }
    }
    ck_assert_uint_eq(put(2, 1), shown() + 1); /* which keeps no ticks */
    ck_assert_uint_eq(fake.changes[0]->to->revision_bound, 0);
    settle(GJKD_ON_DISK);
}

TEST(a_store_without_room_refuses) {
    fake.is_full = true;
    ck_assert_uint_eq(put(0, 0), 0);
    ck_assert_int_eq(problem.code, PROTO_OVERLOADED);
    fake.is_full = false;
    ck_assert_uint_eq(put(0, 4), 1);
    settle(GJKD_ON_DISK);
    fake.is_full = true;
    const gjkd_write deletion = write_of(1);
    ck_assert(!gjkd_commit_delete(&deletion));
    ck_assert_int_eq(problem.code, PROTO_OVERLOADED);
    ck_assert_int_eq(tick(1, 1), GJKD_REFUSED);
    ck_assert_uint_eq(put(1, 0), 0);
    ck_assert_uint_eq(fake.count, 0);
    ck_assert_int_eq(changes[1].durability, GJKD_NO_WRITE);
}

/* --- Writer and store --- */

static void note_done(struct gjkd_task *task) {
    (void)task;
}

TEST(whoever_comes_second_finds_the_other) {
    uv_loop_t loop;
    struct gjkd_completion_queue completions;
    struct gjkd_task task = {.completions = &completions, .done = note_done};
    struct gjkd_change change = {0};
    ck_assert(!gjkd_change_await(&change, &task)); /* no store has it */
    uv_loop_init(&loop);
    ck_assert(gjkd_completion_queue_init(&completions, &loop));
    change.is_submitted = true;
    gjkd_change_settle(&change, GJKD_ON_DISK);
    ck_assert(!gjkd_change_await(&change, &task));
    ck_assert_ptr_null(gjkd_mpsc_queue_take(&completions.tasks));
    change = (struct gjkd_change){.is_submitted = true};
    ck_assert(gjkd_change_await(&change, &task));
    gjkd_change_settle(&change, GJKD_NOT_STORED);
    ck_assert_ptr_eq(gjkd_mpsc_queue_take(&completions.tasks), &task);
    ck_assert_int_eq(change.durability, GJKD_NOT_STORED);
    gjkd_completion_queue_close(&completions);
    uv_run(&loop, UV_RUN_DEFAULT);
    gjkd_completion_queue_fini(&completions);
    uv_loop_close(&loop);
}

static void *settle_all(void *closure) {
    struct gjkd_change *many = closure;
    for (int i = 0; i < 1000; i++)
        gjkd_change_settle(&many[i], GJKD_ON_DISK);
    return NULL;
}

TEST(a_thread_can_wait) {
    static struct gjkd_change many[1000];
    pthread_t thread;
    for (int i = 0; i < 1000; i++)
        many[i].is_submitted = true;
    ck_assert_int_eq(pthread_create(&thread, NULL, settle_all, many), 0);
    for (int i = 0; i < 1000; i++)
        ck_assert_int_eq(gjkd_change_wait(&many[i]), GJKD_ON_DISK);
    pthread_join(thread, NULL);
}
