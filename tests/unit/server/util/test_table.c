/* Does the table hold what a list of entries holds, through growth, equal keys and removals? */

#include "support/rng.h"
#include "test_server.h"
#include "util/table.h"

#define ENTRIES 2000
#define KEYS 300 /* so that many entries have one key */

static struct gjkd_table table;
static struct gjkd_entry entries[ENTRIES];
static uint32_t added[ENTRIES]; /* when; 0: it is not in the table */

/* The newest entry of that key that is older than `before`. */
static struct gjkd_entry *expected(uint64_t key, uint32_t before) {
    struct gjkd_entry *found = NULL;
    uint32_t newest = 0;
    for (size_t i = 0; i < ENTRIES; i++) {
        if (added[i] > newest && added[i] < before && entries[i].key == key) {
            newest = added[i];
            found = &entries[i];
        }
    }
    return found;
}

static void check_key(uint64_t key) {
    struct gjkd_entry *at = gjkd_table_find(&table, key);
    uint32_t before = UINT32_MAX;
    do {
        struct gjkd_entry *wanted = expected(key, before);
        ck_assert_ptr_eq(at, wanted);
        before = wanted != NULL ? added[wanted - entries] : 0;
        at = at != NULL ? gjkd_table_find_next(at) : NULL;
    } while (before > 0);
}

TEST(it_finds_what_is_in_it_the_newest_first) {
    test_rng rng = test_rng_make(5);
    size_t count = 0;
    table = (struct gjkd_table){NULL, 0, 0};
    ck_assert_ptr_null(gjkd_table_find(&table, 1));
    for (uint32_t step = 1; step <= 20000; step++) {
        const size_t i = test_rng_below(&rng, ENTRIES);
        if (added[i] != 0) {
            gjkd_table_remove(&table, &entries[i]);
            added[i] = 0;
            count--;
        } else {
            ck_assert(gjkd_table_add(&table, &entries[i], test_rng_below(&rng, KEYS)));
            added[i] = step;
            count++;
        }
        ck_assert_uint_eq(table.count, count);
        if (step % 16 == 0) {
            check_key(test_rng_below(&rng, KEYS));
        }
    }
    gjkd_table_fini(&table);
    ck_assert_ptr_null(gjkd_table_find(&table, 1));
}
