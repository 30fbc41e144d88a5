/* Does the sort sort, keep what is equal in order, and end with budget or memory? */

#include "gjk/sort.h"

#include <string.h>

#include "support/budget.h"
#include "support/rng.h"
#include "support/test.h"

#define COUNT_MAX 5000

typedef struct item {
    uint32_t key, place;
    char rest[5]; /* an odd size */
} item;

static struct gjk_arena arena;
static item items[COUNT_MAX];
static uint32_t comparisons;

static void set_up(void) {
    gjk_arena_init(&arena, 0);
    comparisons = 0;
}

static void tear_down(void) {
    gjk_arena_fini(&arena);
}

TEST_FIXTURE(set_up, tear_down)

static int by_key(const void *a, const void *b) {
    const item *p = a, *q = b;
    comparisons++;
    return (p->key > q->key) - (p->key < q->key);
}

/* How the keys of a case follow from the place. */
enum { RANDOM, FEW_KEYS, SORTED, BACKWARDS, SAW, FORMS };

static void fill(test_rng *rng, int form, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t keys[FORMS] = {test_rng_below(rng, UINT32_MAX), test_rng_below(rng, 4), i,
                                      count - i, i % 7};
        items[i] = (item){.key = keys[form], .place = i};
    }
}

static uint32_t count_misplaced(uint32_t count) {
    uint32_t misplaced = 0;
    for (uint32_t i = 1; i < count; i++) {
        const item *p = &items[i - 1], *q = &items[i];
        misplaced += p->key > q->key || (p->key == q->key && p->place > q->place);
    }
    return misplaced;
}

/* Whether each place is there once. */
static bool is_complete(uint32_t count) {
    static bool seen[COUNT_MAX];
    uint32_t found = 0;
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < count; i++) {
        found += !seen[items[i].place];
        seen[items[i].place] = true;
    }
    return found == count;
}

TEST(sorts_and_keeps_what_is_equal_in_order) {
    test_rng rng = test_rng_make(81);
    for (uint32_t count = 0; count <= COUNT_MAX; count += count < 70 ? 1 : 493) {
        for (int form = 0; form < FORMS; form++) {
            fill(&rng, form, count);
            ck_assert_int_eq(gjk_sort(&arena, items, count, sizeof *items, by_key), GJK_OK);
            ck_assert_uint_eq(count_misplaced(count), 0);
            ck_assert(is_complete(count));
        }
    }
    ck_assert_uint_eq(arena.used_bytes, 0);
}

TEST(no_order_takes_quadratic_time) {
    test_rng rng = test_rng_make(82);
    for (int form = 0; form < FORMS; form++) {
        comparisons = 0;
        fill(&rng, form, COUNT_MAX);
        ck_assert_int_eq(gjk_sort(&arena, items, COUNT_MAX, sizeof *items, by_key), GJK_OK);
        ck_assert_uint_le(comparisons, COUNT_MAX * 14);
    }
}

TEST(ends_with_budget_and_loses_nothing) {
    test_rng rng = test_rng_make(83);
    test_budget left = {0, UINT32_MAX};
    gjk_budget budget = gjk_budget_make(test_is_over, &left);
    gjk_arena_set_budget(&arena, &budget);
    fill(&rng, RANDOM, COUNT_MAX);
    ck_assert_int_eq(gjk_sort(&arena, items, COUNT_MAX, sizeof *items, by_key), GJK_OK);
    const uint32_t all = left.asked;
    ck_assert_uint_ge(all, 40);
    for (uint32_t ends_at = 1; ends_at <= all; ends_at++) {
        left = (test_budget){0, ends_at};
        budget = gjk_budget_make(test_is_over, &left);
        rng = test_rng_make(83); /* the same items, so that the budget is asked as often */
        fill(&rng, RANDOM, COUNT_MAX);
        ck_assert_int_eq(gjk_sort(&arena, items, COUNT_MAX, sizeof *items, by_key), GJK_GIVEN_UP);
        ck_assert_uint_eq(left.asked, ends_at);
        ck_assert(is_complete(COUNT_MAX));
    }
    ck_assert_uint_eq(arena.used_bytes, 0);
}

TEST(out_of_memory) {
    test_rng rng = test_rng_make(84);
    struct gjk_arena small;
    gjk_arena_init(&small, 64);
    fill(&rng, BACKWARDS, COUNT_MAX);
    ck_assert_int_eq(gjk_sort(&small, items, COUNT_MAX, sizeof *items, by_key), GJK_OUT_OF_MEMORY);
    ck_assert(is_complete(COUNT_MAX));
    gjk_arena_fini(&small);
}
