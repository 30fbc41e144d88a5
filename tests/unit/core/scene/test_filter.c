/* Do the lists of a filter say of each body what a search from front to back would? */

#include "gjk/set_query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/rng.h"
#include "support/test.h"

#define TEXTS 40
#define ROUNDS 3000

static char texts[TEXTS][8];

static void set_up(void) {
    for (uint32_t i = 0; i < TEXTS; i++) {
        (void)snprintf(texts[i], sizeof texts[i], "%u", i);
    }
}

static void tear_down(void) {
}

TEST_FIXTURE(set_up, tear_down)

static int compare(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Random texts, some of them twice, in order. */
static uint32_t make_list(test_rng *rng, const char *list[TEXTS]) {
    const uint32_t count = test_rng_below(rng, test_rng_once_in(rng, 2) ? 4 : TEXTS);
    for (uint32_t i = 0; i < count; i++) {
        list[i] = texts[test_rng_below(rng, TEXTS)];
    }
    if (count > 0) {
        qsort(list, count, sizeof *list, compare);
    }
    return count;
}

static bool in_list(const char *text, const char *const *list, uint32_t count) {
    bool found = false;
    for (uint32_t i = 0; text != NULL && i < count; i++) {
        found = found || strcmp(text, list[i]) == 0;
    }
    return found;
}

TEST(lists_are_searched) {
    const char *ids[TEXTS], *groups[TEXTS], *only[TEXTS];
    test_rng rng = test_rng_make(71);
    uint32_t passed = 0;
    for (int i = 0; i < ROUNDS; i++) {
        gjk_filter filter = gjk_filter_default();
        filter.ignore = ids;
        filter.ignore_count = make_list(&rng, ids);
        filter.ignore_groups = groups;
        filter.ignore_groups_count = make_list(&rng, groups);
        filter.only_groups = only;
        filter.only_groups_count = make_list(&rng, only);
        filter.has_only_groups = test_rng_once_in(&rng, 2);
        filter.ignore_group = test_rng_once_in(&rng, 2) ? texts[test_rng_below(&rng, TEXTS)] : NULL;
        for (uint32_t k = 0; k < TEXTS; k++) {
            const char *group = k % 5 == 0 ? NULL : texts[(7 * k) % TEXTS];
            const gjk_body body = {.id = texts[k],
                                   .group = group,
                                   .category = 1,
                                   .mask = UINT32_MAX};
            const bool expected =
                !in_list(body.id, ids, filter.ignore_count) &&
                !in_list(group, groups, filter.ignore_groups_count) &&
                !in_list(group, &filter.ignore_group, filter.ignore_group != NULL) &&
                (!filter.has_only_groups || in_list(group, only, filter.only_groups_count));
            ck_assert_int_eq(gjk_filter_passes(&filter, &body), expected);
            passed += expected;
        }
    }
    ck_assert_uint_ge(passed, ROUNDS);
}
