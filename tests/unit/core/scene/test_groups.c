/* Does a set know its groups after any edits, and does a move of bodies leave them shared? */

#include "gjk/set.h"

#include <stdio.h>

#include "failing_malloc.h"
#include "support/rng.h"
#include "support/set_body.h"
#include "support/test.h"

#define BODIES 60
#define GROUPS 7
#define ROUNDS 300

static struct gjk_arena arena;
static gjk_shape ball;
static char ids[BODIES][8];
static const char *const names[GROUPS] = {"a", "ab", "b", "blue", "red", "x/y", "z"};

static void keep_nothing(const gjk_body *body) {
    (void)body;
}
static const gjk_body_callbacks borrowed = {keep_nothing, keep_nothing};

static void set_up(void) {
    gjk_arena_init(&arena, 0);
    ck_assert_int_eq(gjk_shape_make_ball(&arena, 3, 1, 0, &ball), GJK_OK);
    for (uint32_t i = 0; i < BODIES; i++) {
        (void)snprintf(ids[i], sizeof ids[i], "%02u", i);
    }
}

static void tear_down(void) {
    gjk_arena_fini(&arena);
}

TEST_FIXTURE(set_up, tear_down)

static const gjk_body *make_body(uint32_t i, const char *group) {
    gjk_body *body = gjk_arena_alloc(&arena, sizeof *body);
    ck_assert_ptr_nonnull(body);
    *body = (gjk_body){.id = ids[i],
                       .group = group,
                       .handle = i,
                       .category = 1,
                       .mask = 1,
                       .placed = {&ball, gjk_pose_identity()}};
    return body;
}

/* Edits of random bodies: each is removed, or stands in a random group or none. */
static uint32_t make_edits(test_rng *rng, gjk_edit *edits) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < BODIES; i++) {
        if (test_rng_once_in(rng, 3)) {
            const uint32_t group = test_rng_below(rng, GROUPS + 2);
            edits[count++] =
                (gjk_edit){ids[i], group > GROUPS
                                       ? NULL
                                       : make_body(i, group < GROUPS ? names[group] : NULL)};
        }
    }
    return count;
}

static bool has_group(const struct gjk_set *set, const char *group) {
    for (uint32_t i = 0; i < gjk_set_count(set); i++) {
        const gjk_body *body = test_set_body(set, i);
        if (body->group != NULL && strcmp(body->group, group) == 0) {
            return true;
        }
    }
    return false;
}

TEST(groups_after_any_edits) {
    test_rng rng = test_rng_make(91);
    struct gjk_set *set = gjk_set_new_empty(3, &borrowed), *next;
    uint32_t present = 0;
    gjk_edit edits[BODIES];
    for (int round = 0; round < ROUNDS; round++) {
        const uint32_t count = make_edits(&rng, edits);
        ck_assert_int_eq(gjk_set_edit(set, edits, count, &next), GJK_OK);
        gjk_set_release(set);
        set = next;
        if (test_rng_once_in(&rng, 10)) { /* all but a few go */
            for (uint32_t i = 3; i < BODIES; i++) {
                edits[i - 3] = (gjk_edit){ids[i], NULL};
            }
            ck_assert_int_eq(gjk_set_edit(set, edits, BODIES - 3, &next), GJK_OK);
            gjk_set_release(set);
            set = next;
        }
        for (uint32_t g = 0; g < GROUPS; g++) {
            ck_assert_int_eq(gjk_set_has_group(set, names[g]), has_group(set, names[g]));
            present += has_group(set, names[g]);
        }
        ck_assert(!gjk_set_has_group(set, "nobody's"));
    }
    ck_assert_uint_ge(present, ROUNDS);
    ck_assert_uint_lt(present, ROUNDS * GROUPS);
    gjk_set_release(set);
}

/* What a version takes that shares all but the bodies that moved, with groups and without. */
static size_t bytes_of_a_move(const char *group) {
    struct gjk_set *empty = gjk_set_new_empty(3, &borrowed), *set, *moved;
    gjk_edit edits[BODIES];
    for (uint32_t i = 0; i < BODIES; i++) {
        edits[i] = (gjk_edit){ids[i], make_body(i, group)};
    }
    ck_assert_int_eq(gjk_set_edit(empty, edits, BODIES, &set), GJK_OK);
    edits[0].body = make_body(0, group);
    ck_assert_int_eq(gjk_set_edit(set, edits, 1, &moved), GJK_OK);
    const size_t added = gjk_set_added_bytes(moved);
    ck_assert(group == NULL || gjk_set_has_group(moved, group));
    ck_assert_uint_eq(gjk_set_bytes(moved), gjk_set_bytes(set));
    gjk_set_release(moved);
    gjk_set_release(set);
    gjk_set_release(empty);
    return added;
}

TEST(a_move_shares_the_groups) {
    ck_assert_uint_eq(bytes_of_a_move("red"), bytes_of_a_move(NULL));
}

TEST(groups_are_counted_as_memory) {
    struct gjk_set *with, *without;
    static gjk_body bodies[BODIES];
    for (uint32_t i = 0; i < BODIES; i++) {
        bodies[i] = *make_body(i, ids[i]);
    }
    ck_assert_int_eq(gjk_set_new(3, bodies, BODIES, &with), GJK_OK);
    for (uint32_t i = 0; i < BODIES; i++) {
        bodies[i].group = NULL;
    }
    ck_assert_int_eq(gjk_set_new(3, bodies, BODIES, &without), GJK_OK);
    ck_assert_uint_ge(gjk_set_bytes(with), gjk_set_bytes(without) + BODIES * 8);
    gjk_set_release(with);
    gjk_set_release(without);
}

TEST(without_memory_nothing_changes) {
    struct gjk_set *empty = gjk_set_new_empty(3, &borrowed), *set = NULL;
    const gjk_edit edits[] = {{ids[0], make_body(0, "red")}, {ids[1], make_body(1, "blue")}};
    bool failed = true;
    for (unsigned n = 0; failed; n++) {
        test_malloc_fail(n);
        gjk_status status = gjk_set_edit(empty, edits, 2, &set);
        failed = test_malloc_restore();
        ck_assert_int_eq(status, failed ? GJK_OUT_OF_MEMORY : GJK_OK);
        ck_assert(!gjk_set_has_group(empty, "red"));
    }
    ck_assert(gjk_set_has_group(set, "red") && gjk_set_has_group(set, "blue"));
    gjk_set_release(set);
    gjk_set_release(empty);
}
