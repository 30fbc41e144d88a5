/* Does each follower of a trail get every version once, in order, or learn that some were lost? */

#include "watch/trail.h"

#include "sets/version.h"

#include "support/test.h"
#include "test_server.h"

#define SET(shapes) "{'dimension':2,'shapes':{" shapes "}}"

static struct gjkd_registry *registry;
static gjkd_trail trail;

/* Adds one more version of the set to the trail; it is held by that alone. */
static uint64_t add(const char *body) {
    struct gjkd_version *version = test_put(registry, "s", body, NULL);
    const uint64_t seq = gjkd_version_seq(version);
    gjkd_trail_add(&trail, seq - 1, version);
    gjkd_version_release(version);
    return seq;
}

/* Takes the step to that version. */
static void check_step(uint64_t *next, uint64_t seq, bool has_lost) {
    gjkd_trail_step step;
    bool lost = !has_lost;
    ck_assert(gjkd_trail_take(&trail, next, &step, &lost));
    ck_assert_uint_eq(gjkd_version_seq(step.version), seq);
    ck_assert_uint_eq(step.from, seq - 1);
    ck_assert_int_eq(lost, has_lost);
    gjkd_version_release(step.version);
}

static void check_end(uint64_t *next) {
    gjkd_trail_step step;
    bool lost = true;
    ck_assert(!gjkd_trail_take(&trail, next, &step, &lost));
    ck_assert(!lost);
}

static void setup(void) {
    registry = gjkd_registry_new(10);
    trail = (gjkd_trail){0};
}

/* Nothing holds a version any more. */
static void teardown(uint64_t bytes_before) {
    ck_assert_uint_eq(trail.followers, 0);
    ck_assert_uint_eq(trail.bytes, 0);
    ck_assert_uint_eq(trail.begin, trail.end);
    gjkd_trail_fini(&trail);
    gjkd_registry_free(registry);
    ck_assert_uint_eq(gjkd_memory_sets(), bytes_before);
}

TEST(every_follower_gets_every_version_since_it_joined) {
    const uint64_t before = gjkd_memory_sets();
    setup();
    (void)add(SET()); /* nobody follows */
    ck_assert_uint_eq(trail.end, 0);
    uint64_t a = gjkd_trail_join(&trail), b = 0;
    for (uint64_t seq = 2; seq < 60; seq++) {
        ck_assert_uint_eq(add(SET()), seq);
        if (seq == 20) {
            b = gjkd_trail_join(&trail);
        }
    }
    for (uint64_t seq = 2; seq < 60; seq++) {
        check_step(&a, seq, false);
    }
    check_end(&a);
    ck_assert_uint_eq(trail.end - trail.begin, 39); /* b waits for them */
    check_step(&b, 21, false);
    gjkd_trail_leave(&trail, b);
    ck_assert_ptr_null(trail.ring);
    check_step(&a, add(SET()), false);
    gjkd_trail_leave(&trail, a);
    teardown(before);
}

TEST(the_oldest_are_lost_beyond_the_bound) {
    const uint64_t before = gjkd_memory_sets();
    setup();
    uint64_t slow = gjkd_trail_join(&trail), fast = gjkd_trail_join(&trail);
    for (uint64_t seq = 1; seq <= GJKD_TRAIL_VERSIONS_MAX + 3; seq++) {
        (void)add(SET());
        check_step(&fast, seq, false);
    }
    ck_assert_uint_eq(trail.end - trail.begin, GJKD_TRAIL_VERSIONS_MAX);
    check_step(&slow, 4, true);
    check_step(&slow, 5, false);
    gjkd_trail_leave(&trail, slow);
    gjkd_trail_leave(&trail, fast);
    teardown(before);
}
