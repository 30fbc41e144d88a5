/*
 * Does every version of an ordered map hold what a naive one holds, whatever was done to others?
 * Items are numbers; the naive map is an array that tells of each number whether, and in which
 * edition, it is there.
 */

#include "base/map.h"

#include <string.h>

#include "failing_malloc.h"
#include "support/rng.h"
#include "support/test.h"

#define KEYS_MAX 20000
#define EDITIONS 4
#define VERSIONS 6

typedef struct thing {
    int key;
    int keepers; /* how often retained and not released */
} thing;

static thing things[KEYS_MAX][EDITIONS];
static int keys[KEYS_MAX];
static long kept;
static bool broken; /* something was released that nobody kept */

static const void *key_of(const void *item) {
    return &((const thing *)item)->key;
}

static int compare(const void *key, const void *item) {
    return *(const int *)key - ((const thing *)item)->key;
}

/* No assertions here: Check calls malloc. */
static void retain(const void *context, const void *item) {
    broken = broken || context != &kept;
    ((thing *)item)->keepers++;
    kept++;
}

static void release(const void *context, const void *item) {
    broken = broken || context != &kept || ((thing *)item)->keepers == 0;
    ((thing *)item)->keepers--;
    kept--;
}

static const gjk_map_kind kind = {key_of, compare, retain, release};

typedef struct version {
    gjk_map map;
    unsigned char edition[KEYS_MAX]; /* 0: not there, else which */
} version;

static void set_up(void) {
    kept = 0;
    broken = false;
    for (int i = 0; i < KEYS_MAX; i++) {
        keys[i] = i;
        for (int e = 0; e < EDITIONS; e++) {
            things[i][e] = (thing){.key = i};
        }
    }
}

/* Every item, by rank, by key, in one list, and the ranks of keys between. */
static void check_whole(const version *v, int key_count) {
    static const void *listed[KEYS_MAX];
    uint32_t rank = 0, count = gjk_map_count(&v->map);
    gjk_map_finger finger = {.leaf = NULL};
    gjk_map_list(&v->map, 0, count, listed);
    for (int i = 0; i < key_count; i++) {
        const thing *found = gjk_map_find(&v->map, &i);
        ck_assert_ptr_eq(gjk_map_find_from(&v->map, &finger, &i), found);
        if (v->edition[i] == 0) {
            ck_assert_ptr_null(found);
        } else {
            ck_assert_ptr_eq(found, &things[i][v->edition[i]]);
            ck_assert_int_gt(found->keepers, 0);
            ck_assert_ptr_eq(gjk_map_at(&v->map, rank), found);
            ck_assert_ptr_eq(listed[rank], found);
            rank++;
        }
        ck_assert_uint_eq(gjk_map_rank(&v->map, &i), rank);
    }
    ck_assert_uint_eq(count, rank);
}

/* What gjk_map_diff has told. */
typedef struct told {
    const version *from, *to;
    int last, count;
} told;

static void check_difference(void *user, const void *old, const void *new) {
    told *t = user;
    int key = ((const thing *)(old != NULL ? old : new))->key;
    int p = t->from->edition[key], q = t->to->edition[key];
    ck_assert_int_gt(key, t->last);
    ck_assert_int_ne(p, q);
    ck_assert_ptr_eq(old, p == 0 ? NULL : &things[key][p]);
    ck_assert_ptr_eq(new, q == 0 ? NULL : &things[key][q]);
    t->last = key;
    t->count++;
}

static void check_diff(const version *from, const version *to, int key_count) {
    told t = {from, to, -1, 0};
    gjk_map_diff(&from->map, &to->map, check_difference, &t);
    for (int i = 0; i < key_count; i++) {
        t.count -= from->edition[i] != to->edition[i];
    }
    ck_assert_int_eq(t.count, 0);
}

/* Random edits of up to `most` keys near each other or anywhere; most insert, replace or remove,
 * as `mood` likes it. Notes in `v` what they do. */
static uint32_t random_edits(test_rng *rng, int key_count, uint32_t most, int mood, version *v,
                             gjk_map_edit *edits) {
    uint32_t count = 0, wanted = test_rng_below(rng, most + 1);
    int key = test_rng_integer(rng, 0, key_count - 1);
    int step = test_rng_below(rng, 2) == 0 ? 3 : 1 + (int)(2 * (uint32_t)key_count / (wanted + 1));
    for (; key < key_count && count < wanted; key += 1 + (int)test_rng_below(rng, (uint32_t)step)) {
        bool remove = test_rng_integer(rng, 0, 9) < mood;
        v->edition[key] = remove ? 0 : (unsigned char)test_rng_integer(rng, 1, EDITIONS - 1);
        edits[count++] = (gjk_map_edit){&keys[key], remove ? NULL : &things[key][v->edition[key]]};
    }
    return count;
}

/* Versions come from versions and go again, in any order. */
static void check_long_life(uint64_t seed, int key_count, uint32_t edits_max, int rounds) {
    static version versions[VERSIONS];
    static gjk_map_edit edits[KEYS_MAX];
    test_rng rng = test_rng_make(seed);
    for (int i = 0; i < VERSIONS; i++) {
        versions[i] = (version){.map = gjk_map_make(&kind, &kept)};
    }
    for (int round = 0; round < rounds; round++) {
        version *from = &versions[test_rng_below(&rng, VERSIONS)];
        version *to = &versions[test_rng_below(&rng, VERSIONS)];
        static version made;
        memcpy(made.edition, from->edition, sizeof made.edition);
        int mood = round % 40 < 25 ? 2 : 8;
        uint32_t count = random_edits(&rng, key_count, edits_max, mood, &made, edits);
        ck_assert_int_eq(gjk_map_edit_all(&from->map, edits, count, &made.map), GJK_OK);
        check_diff(from, &made, key_count);
        check_diff(to, from, key_count);
        gjk_map_release(&to->map);
        *to = made;
        if (round % 8 == 0) {
            check_whole(to, key_count);
            check_whole(&versions[test_rng_below(&rng, VERSIONS)], key_count);
        }
    }
    for (int i = 0; i < VERSIONS; i++) {
        check_whole(&versions[i], key_count);
        gjk_map_release(&versions[i].map);
    }
    ck_assert_int_eq(kept, 0);
}

static void set_up(void), tear_down(void);
TEST_FIXTURE(set_up, tear_down)

TEST(an_empty_map) {
    const gjk_map empty = gjk_map_make(&kind, &kept);
    int key = 5;
    gjk_map same;
    ck_assert_uint_eq(gjk_map_count(&empty), 0);
    ck_assert_uint_eq(gjk_map_rank(&empty, &key), 0);
    ck_assert_ptr_null(gjk_map_find(&empty, &key));
    ck_assert_uint_eq(gjk_map_bytes(&empty), 0);
    gjk_map_list(&empty, 0, 0, NULL);
    const gjk_map_edit removal = {&keys[5], NULL};
    ck_assert_int_eq(gjk_map_edit_all(&empty, &removal, 1, &same), GJK_OK);
    ck_assert_uint_eq(gjk_map_count(&same), 0);
    gjk_map_release(&same);
    gjk_map_release(&empty);
}

TEST(few_keys_often) {
    check_long_life(1, 3, 3, 4000);
}

TEST(some_keys_often) {
    check_long_life(2, 200, 20, 4000);
}

TEST(a_thousand_keys) {
    check_long_life(3, 1000, 5, 2000);
    check_long_life(4, 1000, 1000, 500);
}

TEST(twenty_thousand_keys) {
    check_long_life(5, KEYS_MAX, 300, 300);
    check_long_life(6, KEYS_MAX, KEYS_MAX, 60);
}

/* A map of the keys 0, step, 2 step, ... */
static gjk_map make_filled(int count, int step) {
    static gjk_map_edit edits[KEYS_MAX];
    const gjk_map empty = gjk_map_make(&kind, &kept);
    gjk_map map;
    for (int i = 0; i < count; i++) {
        edits[i] = (gjk_map_edit){&keys[i * step], &things[i * step][1]};
    }
    ck_assert_int_eq(gjk_map_edit_all(&empty, edits, (uint32_t)count, &map), GJK_OK);
    return map;
}

TEST(parts_of_the_list) {
    static const void *listed[3000];
    gjk_map map = make_filled(3000, 2);
    test_rng rng = test_rng_make(7);
    for (int round = 0; round < 2000; round++) {
        uint32_t first = test_rng_below(&rng, 3001), count = test_rng_below(&rng, 3001 - first);
        gjk_map_list(&map, first, count, listed);
        for (uint32_t i = 0; i < count; i++) {
            ck_assert_int_eq(((const thing *)listed[i])->key, 2 * (int)(first + i));
        }
    }
    gjk_map_release(&map);
}

/* One key changed in many copies little; all of them, everything. */
TEST(an_edit_shares_what_it_does_not_touch) {
    gjk_map map = make_filled(KEYS_MAX, 1), next;
    ck_assert_uint_eq(map.added_bytes, gjk_map_bytes(&map));
    ck_assert_uint_le(gjk_map_bytes(&map), 11 * KEYS_MAX);
    const gjk_map_edit edit = {&keys[777], &things[777][2]};
    long before = kept;
    ck_assert_int_eq(gjk_map_edit_all(&map, &edit, 1, &next), GJK_OK);
    ck_assert_uint_eq(gjk_map_bytes(&next), gjk_map_bytes(&map));
    ck_assert_uint_le(next.added_bytes, 1500);
    ck_assert_int_le(kept - before, 32);
    gjk_map_release(&map);
    ck_assert_ptr_eq(gjk_map_find(&next, &keys[777]), &things[777][2]);
    gjk_map_release(&next);
    ck_assert_int_eq(kept, 0);
}

/* Removing most of it key by key leaves no skeleton behind. */
TEST(what_is_removed_takes_its_memory_along) {
    gjk_map map = make_filled(KEYS_MAX, 1), next;
    for (int i = 0; i < KEYS_MAX; i++) {
        if (i % 100 != 0) {
            const gjk_map_edit edit = {&keys[i], NULL};
            ck_assert_int_eq(gjk_map_edit_all(&map, &edit, 1, &next), GJK_OK);
            gjk_map_release(&map);
            map = next;
        }
    }
    ck_assert_uint_eq(gjk_map_count(&map), KEYS_MAX / 100);
    ck_assert_uint_le(gjk_map_bytes(&map), 24 * KEYS_MAX / 100);
    gjk_map_release(&map);
    ck_assert_int_eq(kept, 0);
}

/* Whichever allocation fails, the map is what it was and nothing leaks. */
TEST(without_memory_nothing_changes) {
    static gjk_map_edit edits[400];
    gjk_map map = make_filled(1200, 2), next;
    for (int i = 0; i < 400; i++) {
        edits[i] = (gjk_map_edit){&keys[i * 5], i % 3 == 0 ? &things[i * 5][2] : NULL};
    }
    const long before = kept;
    bool failed = true;
    for (unsigned n = 0; failed; n++) {
        test_malloc_fail(n);
        gjk_status status = gjk_map_edit_all(&map, edits, 400, &next);
        failed = test_malloc_restore();
        ck_assert_int_eq(status, failed ? GJK_OUT_OF_MEMORY : GJK_OK);
        ck_assert(!failed || kept == before);
        ck_assert(failed || n > 20);
    }
    gjk_map_release(&next);
    ck_assert_int_eq(kept, before);
    gjk_map_release(&map);
    ck_assert_int_eq(kept, 0);
}

static void tear_down(void) {
    ck_assert(!broken);
    ck_assert_int_eq(kept, 0);
}
