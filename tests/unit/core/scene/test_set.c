/* Is a set sorted by id, bytewise, free of duplicates, and quick to find in? */

#include "gjk/set.h"

#include <stdio.h>
#include <string.h>

#include "failing_malloc.h"
#include "support/rng.h"
#include "support/set_body.h"
#include "support/test.h"

#define BODIES 500

static struct gjk_arena arena;
static gjk_shape ball[2]; /* of dimension 2 and 3 */

static void set_up(void) {
    gjk_arena_init(&arena, 0);
    for (uint32_t i = 0; i < 2; i++) {
        ck_assert_int_eq(gjk_shape_make_ball(&arena, 2 + i, 1, 0, &ball[i]), GJK_OK);
    }
}

static void tear_down(void) {
    gjk_arena_fini(&arena);
}

TEST_FIXTURE(set_up, tear_down)

static gjk_body make_body(const char *id, uint32_t handle, uint32_t dimension) {
    return (gjk_body){.id = id,
                      .group = handle % 2 == 0 ? NULL : "odd",
                      .handle = handle,
                      .category = 1 + handle,
                      .mask = UINT32_MAX - handle,
                      .placed = {&ball[dimension - 2], gjk_pose_identity()}};
}

TEST(an_empty_set) {
    struct gjk_set *set = NULL;
    ck_assert_int_eq(gjk_set_new(3, NULL, 0, &set), GJK_OK);
    ck_assert_uint_eq(gjk_set_count(set), 0);
    ck_assert_uint_eq(gjk_set_dimension(set), 3);
    ck_assert_ptr_null(gjk_set_find(set, ""));
    gjk_set_release(set);
    gjk_set_release(NULL);
}

/* strcmp's order: capitals before small letters, a prefix before what it begins. */
TEST(bodies_stand_in_the_order_of_their_bytes) {
    static const char *const given[] = {"b",   "a-10", "Z", "a",        "~",
                                        "a/b", "a-9",  "B", "\xc3\xa9", "0"};
    static const char *const sorted[] = {"0",   "B",   "Z", "a", "a-10",
                                         "a-9", "a/b", "b", "~", "\xc3\xa9"};
    gjk_body bodies[10];
    struct gjk_set *set = NULL;
    for (uint32_t i = 0; i < 10; i++) {
        bodies[i] = make_body(given[i], i, 2);
    }
    ck_assert_int_eq(gjk_set_new(2, bodies, 10, &set), GJK_OK);
    ck_assert_uint_eq(gjk_set_count(set), 10);
    ck_assert_uint_eq(gjk_set_dimension(set), 2);
    for (uint32_t i = 0; i < 10; i++) {
        const gjk_body *body = test_set_body(set, i);
        ck_assert_str_eq(body->id, sorted[i]);
        ck_assert_str_eq(given[body->handle], sorted[i]);
        ck_assert_uint_eq(body->category, 1 + body->handle);
        ck_assert_uint_eq(body->mask, UINT32_MAX - body->handle);
        ck_assert_int_eq(body->group != NULL, body->handle % 2);
        ck_assert_ptr_eq(body->placed.shape, &ball[0]);
        ck_assert_ptr_eq(gjk_set_find(set, sorted[i]), body);
        ck_assert_ptr_eq(gjk_set_find_handle(set, body->handle), body);
    }
    ck_assert_ptr_null(gjk_set_find(set, "a-"));
    ck_assert_ptr_null(gjk_set_find(set, ""));
    ck_assert_ptr_null(gjk_set_find(set, "\xff"));
    gjk_set_release(set);
}

TEST(large_sets_in_any_order) {
    static char ids[BODIES][8];
    static gjk_body bodies[BODIES];
    test_rng rng = test_rng_make(19);
    for (uint32_t i = 0; i < BODIES; i++) {
        snprintf(ids[i], sizeof ids[i], "%u", i);
        bodies[i] = make_body(ids[i], i, 3);
    }
    for (int round = 0; round < 10; round++) {
        for (uint32_t i = BODIES - 1; i > 0; i--) {
            uint32_t other = test_rng_below(&rng, i + 1);
            gjk_body swap = bodies[i];
            bodies[i] = bodies[other];
            bodies[other] = swap;
        }
        struct gjk_set *set = NULL;
        ck_assert_int_eq(gjk_set_new(3, bodies, BODIES, &set), GJK_OK);
        for (uint32_t i = 0; i < BODIES; i++) {
            ck_assert(i == 0 ||
                      strcmp(test_set_body(set, i - 1)->id, test_set_body(set, i)->id) < 0);
            const gjk_body *found = gjk_set_find(set, ids[bodies[i].handle]);
            ck_assert_ptr_eq(found, &bodies[i]);
            ck_assert_ptr_eq(gjk_set_find_handle(set, bodies[i].handle), found);
        }
        gjk_set_release(set);
    }
}

TEST(duplicates_are_refused) {
    struct gjk_set *set = NULL;
    const gjk_body bodies[] = {make_body("x", 0, 2), make_body("y", 1, 2), make_body("x", 2, 2)};
    ck_assert_int_eq(gjk_set_new(2, bodies, 3, &set), GJK_DUPLICATE_ID);
    ck_assert_ptr_null(set);
    ck_assert_int_eq(gjk_set_new(2, bodies, 2, &set), GJK_OK);
    gjk_set_release(set);
}

TEST(without_memory_there_is_no_set) {
    struct gjk_set *set = NULL;
    const gjk_body body = make_body("x", 0, 2);
    bool failed = true;
    for (unsigned n = 0; failed; n++) {
        test_malloc_fail(n);
        gjk_status status = gjk_set_new(2, &body, 1, &set);
        failed = test_malloc_restore();
        ck_assert_int_eq(status, failed ? GJK_OUT_OF_MEMORY : GJK_OK);
        ck_assert_int_eq(set == NULL, failed);
    }
    gjk_set_release(set);
}

/* Bodies of a naive set: slot i is of id i, NULL when it is not there. */
static char long_ids[BODIES][8];
static gjk_body editions[BODIES][2];
static int kept[BODIES][2];

static int *keepers_of(const gjk_body *body) {
    return &kept[0][0] + (body - &editions[0][0]);
}

static void keep(const gjk_body *body) {
    ++*keepers_of(body);
}

static void give_up(const gjk_body *body) {
    --*keepers_of(body); /* no assertion: Check calls malloc */
}

static const gjk_body_callbacks keeper = {keep, give_up};

static void make_editions(void) {
    for (uint32_t i = 0; i < BODIES; i++) {
        snprintf(long_ids[i], sizeof long_ids[i], "%04u", i);
        for (uint32_t e = 0; e < 2; e++) {
            editions[i][e] = make_body(long_ids[i], (i * 7 + 3) % BODIES, 2);
        }
    }
}

/* Handles in descending order, then in ascending order, those of no body among them. */
static void check_handles(const struct gjk_set *set) {
    static uint32_t handles[2 * BODIES];
    static const gjk_body *found[2 * BODIES];
    for (uint32_t i = 0; i < BODIES; i++) {
        handles[i] = BODIES - i;
        handles[BODIES + i] = i;
    }
    gjk_set_find_handles(set, handles, 2 * BODIES, found);
    for (uint32_t i = 0; i < 2 * BODIES; i++) {
        ck_assert_ptr_eq(found[i], gjk_set_find_handle(set, handles[i]));
    }
}

static void check_against(const struct gjk_set *set, const gjk_body *const naive[BODIES]) {
    gjk_set_iterator bodies = gjk_set_iterate(set, NULL);
    check_handles(set);
    for (uint32_t i = 0; i < BODIES; i++) {
        uint32_t handle = editions[i][0].handle;
        ck_assert_ptr_eq(gjk_set_find(set, long_ids[i]), naive[i]);
        ck_assert_ptr_eq(gjk_set_find_handle(set, handle), naive[i]);
        if (naive[i] != NULL) {
            ck_assert_ptr_eq(gjk_set_next(&bodies), naive[i]);
            ck_assert_int_gt(*keepers_of(naive[i]), 0);
        }
    }
    ck_assert_ptr_null(gjk_set_next(&bodies));
    ck_assert_uint_eq(gjk_set_count(set), bodies.next);
}

typedef struct told {
    const gjk_body *const *from, *const *to; /* naive sets */
    uint32_t count;
} told;

static void check_change(void *user, const gjk_body *from, const gjk_body *to) {
    told *t = user;
    long i = ((from != NULL ? from : to) - &editions[0][0]) / 2;
    ck_assert_ptr_ne(from, to);
    ck_assert_ptr_eq(from, t->from[i]);
    ck_assert_ptr_eq(to, t->to[i]);
    t->count++;
}

TEST(edits_make_a_set_beside_the_old_one) {
    test_rng rng = test_rng_make(20);
    const gjk_body *naive[BODIES] = {NULL}, *older[BODIES];
    gjk_edit edits[BODIES];
    make_editions();
    struct gjk_set *set = gjk_set_new_empty(2, &keeper);
    for (int round = 0; round < 300; round++) {
        uint32_t count = 0, chance = 1 + test_rng_below(&rng, 100);
        memcpy(older, naive, sizeof naive);
        for (uint32_t i = 0; i < BODIES; i++) {
            if (test_rng_below(&rng, chance) == 0) {
                naive[i] = round % 3 == 0 ? NULL : &editions[i][test_rng_below(&rng, 2)];
                edits[count++] = (gjk_edit){long_ids[i], naive[i]};
            }
        }
        struct gjk_set *next = NULL;
        ck_assert_int_eq(gjk_set_edit(set, edits, count, &next), GJK_OK);
        check_against(set, older);
        told t = {older, naive, 0};
        gjk_set_diff(set, next, check_change, &t);
        for (uint32_t i = 0; i < BODIES; i++) {
            t.count -= older[i] != naive[i];
        }
        ck_assert_uint_eq(t.count, 0);
        gjk_set_release(set);
        check_against(next, naive);
        ck_assert_uint_ge(gjk_set_bytes(next), gjk_set_added_bytes(next));
        set = next;
    }
    gjk_set_release(set);
    for (uint32_t i = 0; i < BODIES; i++) {
        ck_assert(kept[i][0] == 0 && kept[i][1] == 0);
    }
}

/* A handle may move to another id in one edit. */
TEST(a_handle_that_changes_its_id) {
    const gjk_body bodies[] = {make_body("a", 1, 2), make_body("b", 2, 2)};
    const gjk_body moved = make_body("c", 1, 2);
    const gjk_edit edits[] = {{"a", NULL}, {"c", &moved}};
    struct gjk_set *set = NULL, *next = NULL;
    ck_assert_int_eq(gjk_set_new(2, bodies, 2, &set), GJK_OK);
    ck_assert_int_eq(gjk_set_edit(set, edits, 2, &next), GJK_OK);
    ck_assert_ptr_eq(gjk_set_find_handle(next, 1), &moved);
    ck_assert_ptr_eq(gjk_set_find_handle(set, 1), &bodies[0]);
    ck_assert_ptr_null(gjk_set_find(next, "a"));
    ck_assert_uint_eq(gjk_set_count(next), 2);
    gjk_set_release(set);
    gjk_set_release(next);
}

TEST(an_edit_without_memory_changes_nothing) {
    gjk_edit edits[BODIES];
    make_editions();
    struct gjk_set *empty = gjk_set_new_empty(2, &keeper), *set = NULL, *next = NULL;
    const gjk_body *naive[BODIES];
    for (uint32_t i = 0; i < BODIES; i++) {
        naive[i] = &editions[i][0];
        edits[i] = (gjk_edit){long_ids[i], naive[i]};
    }
    ck_assert_int_eq(gjk_set_edit(empty, edits, BODIES, &set), GJK_OK);
    for (uint32_t i = 0; i < BODIES; i++) {
        edits[i].body = i % 3 == 0 ? NULL : &editions[i][1];
    }
    bool failed = true;
    for (unsigned n = 0; failed; n++) {
        test_malloc_fail(n);
        gjk_status status = gjk_set_edit(set, edits, BODIES, &next);
        failed = test_malloc_restore();
        ck_assert_int_eq(status, failed ? GJK_OUT_OF_MEMORY : GJK_OK);
        check_against(set, naive);
    }
    gjk_set_release(next);
    gjk_set_release(set);
    gjk_set_release(empty);
    for (uint32_t i = 0; i < BODIES; i++) {
        ck_assert(kept[i][0] == 0 && kept[i][1] == 0);
    }
}
