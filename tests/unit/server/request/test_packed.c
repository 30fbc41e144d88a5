/* Are packed bodies kept and found by their keys, within their bounds? */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "request/packed.h"
#include "test_server.h"
#include "work/memory.h"

static struct gjkd_packed_cache cache;
static struct gjk_arena arena;
static char letters[1 << 21];

static void start(void) {
    for (size_t i = 0; i < sizeof letters; i++)
        letters[i] = (char)('a' + i % 23);
    gjkd_packed_init(&cache);
    gjk_arena_init(&arena, 0);
}

static void finish(void) {
    gjk_arena_fini(&arena);
    gjkd_packed_fini(&cache);
    ck_assert_uint_eq(gjkd_memory_used(), 0);
    gjkd_memory_set_limit(0);
}

/* Keeps so many letters, in two pieces. */
static void keep(const char *key, size_t length) {
    const proto_text pieces[] = {{letters, length / 3},
                                 {letters + length / 3, length - length / 3}};
    gjkd_packed_keep(&cache, key, pieces, 2);
}

static void keep_number(unsigned i, size_t length) {
    char key[16];
    snprintf(key, sizeof key, "\"%u\"", i);
    keep(key, length);
}

static bool has(const char *key, size_t length) {
    proto_text found;
    if (!gjkd_packed_find(&cache, key, SIZE_MAX, &arena, &found))
        return false;
    ck_assert_uint_eq(found.length, length);
    ck_assert_int_eq(memcmp(found.data, letters, length), 0);
    gjk_arena_reset(&arena);
    return true;
}

TEST(a_body_is_found_by_its_key) {
    start();
    keep("\"a\"", 1000);
    keep("\"a\" pieces", 2000);
    keep("\"b\"", 0);
    ck_assert(has("\"a\"", 1000) && has("\"a\" pieces", 2000) && has("\"b\"", 0));
    ck_assert(!has("\"c\"", 0) && !has("", 0));
    keep("\"a\"", 1000); /* another thread has packed it, too */
    ck_assert_uint_eq(cache.count, 3);
    const gjkd_packed_measure measure = gjkd_packed_measure_now(&cache);
    ck_assert_uint_eq(measure.made, 4);
    ck_assert_uint_eq(measure.reused, 3);
    ck_assert_uint_eq(measure.bytes, gjkd_memory_used());
    finish();
}

TEST(a_body_that_is_too_long_for_its_reader_stays) {
    proto_text found;
    start();
    keep("\"a\"", 1001);
    ck_assert(!gjkd_packed_find(&cache, "\"a\"", 1000, &arena, &found));
    ck_assert(gjkd_packed_find(&cache, "\"a\"", 1001, &arena, &found));
    finish();
}

TEST(the_least_recently_used_ones_go_first) {
    start();
    for (unsigned i = 0; i < GJKD_PACKED_MAX; i++)
        keep_number(i, 100);
    ck_assert(has("\"0\"", 100));
    keep("\"new\"", 100);
    ck_assert_uint_eq(cache.count, GJKD_PACKED_MAX);
    ck_assert(has("\"0\"", 100) && !has("\"1\"", 100) && has("\"2\"", 100) && has("\"new\"", 100));
    finish();
}

TEST(bytes_are_bounded) {
    const uint64_t limit = (uint64_t)64 << 20, most = limit / GJKD_PACKED_MEMORY_PART;
    start();
    gjkd_memory_set_limit(limit);
    for (unsigned i = 0; i < 40; i++) {
        keep_number(i, most / GJKD_PACKED_BODY_PART - 500);
        ck_assert_uint_le(cache.bytes, most);
        ck_assert_uint_eq(cache.bytes, gjkd_memory_used());
    }
    ck_assert_uint_eq(cache.count, GJKD_PACKED_BODY_PART);
    keep("\"large\"", most / GJKD_PACKED_BODY_PART);
    ck_assert(!has("\"large\"", 0));
    ck_assert_uint_eq(cache.count, GJKD_PACKED_BODY_PART);
    gjkd_memory_set_limit(0);
    keep("\"large\"", GJKD_PACKED_BYTES_MAX / GJKD_PACKED_BODY_PART);
    ck_assert(!has("\"large\"", 0));
    finish();
}

TEST(tight_memory_empties_it) {
    const uint64_t limit = (uint64_t)64 << 20;
    start();
    gjkd_memory_set_limit(limit);
    keep("\"a\"", 1000);
    ck_assert(gjkd_memory_take(GJKD_CHARGE_SETS, limit / 2));
    keep("\"b\"", 1000);
    ck_assert_uint_eq(cache.count, 0);
    ck_assert_uint_eq(gjkd_memory_used(), limit / 2);
    gjkd_memory_give(GJKD_CHARGE_SETS, limit / 2);
    keep("\"b\"", 1000);
    ck_assert(has("\"b\"", 1000));
    finish();
}

#define ROUNDS 3000

/* Keeps and finds bodies whose length follows from their key. */
static void *use(void *seed) {
    unsigned state = *(const unsigned *)seed;
    struct gjk_arena copies;
    gjk_arena_init(&copies, 0);
    for (int i = 0; i < ROUNDS; i++) {
        const unsigned k = (unsigned)rand_r(&state) % (GJKD_PACKED_MAX + 20);
        char key[16];
        proto_text found;
        snprintf(key, sizeof key, "\"%u\"", k);
        if (!gjkd_packed_find(&cache, key, SIZE_MAX, &copies, &found)) {
            keep_number(k, 100 + k);
        } else if (found.length != 100 + k || memcmp(found.data, letters, found.length) != 0) {
            ck_abort_msg("the body of another key");
        }
        gjk_arena_reset(&copies);
    }
    gjk_arena_fini(&copies);
    return NULL;
}

TEST(threads_may_keep_and_find) {
    pthread_t threads[4];
    unsigned seeds[4] = {1, 2, 3, 4};
    start();
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, use, &seeds[i]), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    ck_assert_uint_eq(cache.count, GJKD_PACKED_MAX);
    ck_assert_uint_eq(cache.bytes, gjkd_memory_used());
    finish();
}
