/* Are the pairs that begin and end to collide those that all pairs of both states tell? */

#include "gjk/set_query.h"

#include <stdio.h>
#include <string.h>

#include "support/rng.h"
#include "support/test.h"

#define BODIES 40
#define ROUNDS 200

static struct gjk_arena arena, answers;
static gjk_shape ball;
static char ids[BODIES][8]; /* in the order of bytes */
static gjk_body rooms[ROUNDS][BODIES];
static struct gjk_set *states[ROUNDS]; /* each made from the one before by edits */

static void keep_nothing(const gjk_body *body) {
    (void)body;
}

static gjk_body make_body(test_rng *rng, uint32_t i, uint32_t handle) {
    gjk_body body = {.id = ids[i],
                     .group = test_rng_once_in(rng, 4) ? "g" : NULL,
                     .handle = handle,
                     .category = UINT32_C(1) << test_rng_below(rng, 3),
                     .mask = UINT32_MAX,
                     .placed = {&ball, gjk_pose_identity()}};
    body.placed.pose.position =
        (gjk_vec3){test_rng_uniform(rng, 0, 12), test_rng_uniform(rng, 0, 12), 0};
    return body;
}

/* Makes state `round`, in which about `changes` bodies are moved, removed, or made again under
 * another handle. */
static void make_state(test_rng *rng, uint32_t round, uint32_t changes) {
    gjk_edit edits[BODIES];
    uint32_t count = 0;
    const struct gjk_set *set = states[round - 1];
    for (uint32_t i = 0; i < BODIES; i++) {
        if (test_rng_below(rng, BODIES) >= changes) {
            continue;
        }
        const gjk_body *old = gjk_set_find(set, ids[i]);
        const bool keeps = old != NULL && test_rng_once_in(rng, 2);
        rooms[round][i] = make_body(rng, i, keeps ? old->handle : round * BODIES + i);
        edits[count++] =
            (gjk_edit){ids[i], old != NULL && test_rng_once_in(rng, 3) ? NULL : &rooms[round][i]};
    }
    ck_assert_int_eq(gjk_set_edit(set, edits, count, &states[round]), GJK_OK);
}

static void set_up(void) {
    static const gjk_body_callbacks borrowed = {keep_nothing, keep_nothing};
    test_rng rng = test_rng_make(5);
    gjk_arena_init(&arena, 0);
    gjk_arena_init(&answers, 0);
    ck_assert_int_eq(gjk_shape_make_ball(&arena, 2, 1, 0, &ball), GJK_OK);
    for (uint32_t i = 0; i < BODIES; i++) {
        (void)snprintf(ids[i], sizeof ids[i], "b%02u", i);
    }
    states[0] = gjk_set_new_empty(2, &borrowed);
    for (uint32_t round = 1; round < ROUNDS; round++) {
        make_state(&rng, round, round % 3 == 0 ? BODIES : 3);
    }
}

static void tear_down(void) {
    for (uint32_t round = 0; round < ROUNDS; round++) {
        gjk_set_release(states[round]);
    }
    gjk_arena_fini(&answers);
    gjk_arena_fini(&arena);
}

TEST_FIXTURE(set_up, tear_down)

static gjk_pair_hits all_pairs(const struct gjk_set *set, const gjk_selection *selection) {
    const gjk_snapshot snapshot = gjk_snapshot_of(set);
    const gjk_detect_settings settings = gjk_detect_settings_default();
    gjk_pair_hits hits;
    ck_assert_int_eq(gjk_set_detect_pairs(&snapshot, selection, &settings, &hits), GJK_OK);
    return hits;
}

static bool has_pair(const gjk_pair_hits *hits, const gjk_body *a, const gjk_body *b) {
    bool found = false;
    for (uint32_t i = 0; i < hits->count; i++) {
        found = found || (strcmp(hits->items[i].a->id, a->id) == 0 &&
                          strcmp(hits->items[i].b->id, b->id) == 0);
    }
    return found;
}

/* The list has, in their order, exactly the pairs of `of` that `without` lacks. */
static void check_list(const gjk_overlap_pairs *list, const gjk_pair_hits *of,
                       const gjk_pair_hits *without) {
    uint32_t next = 0;
    for (uint32_t i = 0; i < of->count; i++) {
        if (!has_pair(without, of->items[i].a, of->items[i].b)) {
            ck_assert_uint_lt(next, list->count);
            ck_assert_ptr_eq(list->items[next].a, of->items[i].a);
            ck_assert_ptr_eq(list->items[next].b, of->items[i].b);
            next++;
        }
    }
    ck_assert_uint_eq(next, list->count);
}

static uint32_t compare_states(uint32_t from, uint32_t to, const gjk_filter *filter) {
    const gjk_selection selection = {.filter = filter, .limit = UINT32_MAX, .arena = &answers};
    gjk_selection limited = selection;
    const gjk_pair_hits before = all_pairs(states[from], &selection);
    const gjk_pair_hits after = all_pairs(states[to], &selection);
    gjk_overlap_changes changes;
    limited.limit = 1; /* ignored */
    ck_assert_int_eq(gjk_set_detect_changes(states[from], states[to], &limited, &changes), GJK_OK);
    check_list(&changes.begin, &after, &before);
    check_list(&changes.end, &before, &after);
    gjk_arena_reset(&answers);
    return changes.begin.count + changes.end.count;
}

TEST(they_are_the_difference_of_all_pairs) {
    gjk_filter filter = gjk_filter_default(), some = filter;
    const char *ignored[] = {"b03", "b17"};
    uint32_t told = 0;
    some.mask = 5;
    some.ignore = ignored;
    some.ignore_count = 2;
    for (uint32_t round = 1; round < ROUNDS; round++) {
        told += compare_states(round - 1, round, round % 2 == 0 ? &filter : &some);
        (void)compare_states(round, round / 2, &filter);
    }
    ck_assert_uint_gt(told, ROUNDS);
}

TEST(without_a_state_before_all_begin) {
    const gjk_filter filter = gjk_filter_default();
    const gjk_selection selection = {.filter = &filter, .limit = 1, .arena = &answers};
    gjk_selection every = selection;
    const gjk_pair_hits nothing = {0};
    gjk_overlap_changes changes;
    every.limit = UINT32_MAX;
    const gjk_pair_hits all = all_pairs(states[3], &every);
    ck_assert_int_eq(gjk_set_detect_changes(NULL, states[3], &selection, &changes), GJK_OK);
    check_list(&changes.begin, &all, &nothing);
    ck_assert_uint_gt(changes.begin.count, 0);
    ck_assert_uint_eq(changes.end.count, 0);
}

static bool is_over(void *user) {
    (void)user;
    return true;
}

TEST(a_spent_budget_gives_up) {
    const gjk_filter filter = gjk_filter_default();
    gjk_budget budget = gjk_budget_make(is_over, NULL);
    const gjk_selection selection = {.filter = &filter,
                                     .limit = UINT32_MAX,
                                     .arena = &answers,
                                     .budget = &budget};
    gjk_overlap_changes changes;
    (void)gjk_budget_spend(&budget, 1 << 20);
    ck_assert_int_eq(gjk_set_detect_changes(states[2], states[3], &selection, &changes),
                     GJK_GIVEN_UP);
}
