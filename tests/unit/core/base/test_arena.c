/* Are the blocks of an arena apart, aligned, bounded and freed? */

#include "gjk/arena.h"

#include <stdlib.h>
#include <string.h>

#include "failing_malloc.h"
#include "support/rng.h"
#include "support/test.h"

#if defined(__SANITIZE_ADDRESS__)
#define TEST_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TEST_ASAN 1
#endif
#endif
#ifdef TEST_ASAN
#include <sanitizer/asan_interface.h>
#endif

#define BLOCKS 3000

TEST_ARENA(arena)

TEST(blocks_are_aligned_and_keep_what_is_written) {
    unsigned char *blocks[BLOCKS];
    size_t sizes[BLOCKS];
    test_rng rng = test_rng_make(1);
    for (int i = 0; i < BLOCKS; i++) {
        sizes[i] = test_rng_below(&rng, i % 100 == 0 ? 100000 : 200);
        blocks[i] = gjk_arena_alloc(&arena, sizes[i]);
        ck_assert_ptr_nonnull(blocks[i]);
        ck_assert_uint_eq((uintptr_t)blocks[i] % (sizes[i] >= 64 ? 64 : 16), 0);
        memset(blocks[i], i % 251, sizes[i]);
    }
    uint32_t changed = 0;
    for (int i = 0; i < BLOCKS; i++) {
        for (size_t k = 0; k < sizes[i]; k++) {
            changed += blocks[i][k] != i % 251;
        }
    }
    ck_assert_uint_eq(changed, 0);
}

TEST(empty_blocks_are_unique) {
    const void *a = gjk_arena_alloc(&arena, 0), *b = gjk_arena_alloc(&arena, 0);
    const void *c = gjk_arena_alloc_array(&arena, 0, 8), *d = gjk_arena_alloc_array(&arena, 8, 0);
    ck_assert(a != NULL && b != NULL && c != NULL && d != NULL);
    ck_assert(a != b && b != c && c != d && a != c && a != d && b != d);
}

/* A limit of 1,024 bytes, and blocks of 1,024 in all but for the last one's size. */
TEST(the_limit_is_exact) {
    static const struct {
        size_t limit, last;
        bool fits;
    } rows[] = {{1024, 512 - 64, true}, {1024, 512, true},   {1024, 513, false},
                {1023, 512, false},     {1025, 512, true},   {1024, 1024, false},
                {512, 0, false},        {512 + 16, 0, true}, {512 + 15, 1, false},
                {1024, SIZE_MAX, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gjk_arena a;
        gjk_arena_init(&a, rows[i].limit);
        ck_assert_ptr_nonnull(gjk_arena_alloc(&a, 512));
        ck_assert_uint_eq(a.used_bytes, 512);
        ck_assert_int_eq(gjk_arena_alloc(&a, rows[i].last) != NULL, rows[i].fits);
        ck_assert_uint_le(a.used_bytes, rows[i].limit);
        gjk_arena_fini(&a);
        ck_assert_uint_eq(a.limit_bytes, rows[i].limit);
    }
}

TEST(a_refused_block_leaves_room_for_a_smaller_one) {
    struct gjk_arena a;
    gjk_arena_init(&a, 128);
    ck_assert_ptr_null(gjk_arena_alloc(&a, 129));
    ck_assert_ptr_nonnull(gjk_arena_alloc(&a, 128));
    ck_assert_ptr_null(gjk_arena_alloc(&a, 1));
    gjk_arena_fini(&a);
}

TEST(products_that_overflow_are_refused) {
    ck_assert_ptr_null(gjk_arena_alloc_array(&arena, SIZE_MAX / 2 + 2, 2));
    ck_assert_ptr_null(gjk_arena_alloc_array(&arena, SIZE_MAX, SIZE_MAX));
    ck_assert_ptr_null(gjk_arena_alloc(&arena, SIZE_MAX));
    ck_assert_ptr_null(gjk_arena_copy_text(&arena, "x", SIZE_MAX));
    ck_assert_ptr_nonnull(gjk_arena_alloc_array(&arena, 3, 5));
    ck_assert_uint_eq(arena.used_bytes, 16);
}

TEST(texts_are_copied_with_their_end) {
    char text[] = "abc\0def";
    const char *copy = gjk_arena_copy_text(&arena, text, 7);
    text[0] = 'x';
    ck_assert_mem_eq(copy, "abc\0def", 8);
    ck_assert_str_eq(gjk_arena_copy_text(&arena, NULL, 0), "");
}

TEST(after_a_reset_the_room_is_there_again) {
    struct gjk_arena a;
    gjk_arena_init(&a, 1 << 16);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 64; i++) {
            unsigned char *block = gjk_arena_alloc(&a, 1024);
            ck_assert_ptr_nonnull(block);
            memset(block, round, 1024);
        }
        ck_assert_ptr_null(gjk_arena_alloc(&a, 1));
        gjk_arena_reset(&a);
        ck_assert_uint_eq(a.used_bytes, 0);
    }
    gjk_arena_fini(&a);
    gjk_arena_reset(&a); /* of an empty arena: nothing */
    ck_assert_ptr_nonnull(gjk_arena_alloc(&a, 1));
    gjk_arena_fini(&a);
}

/* The chunk that reset keeps must do without malloc, and as a whole. */
TEST(a_reset_keeps_one_chunk) {
    for (int round = 0; round < 10; round++) {
        test_malloc_fail(0);
        const void *block = gjk_arena_alloc(&arena, 3000);
        bool failed = test_malloc_restore();
        ck_assert_int_eq(failed, round == 0);
        ck_assert_int_eq(block != NULL, round != 0);
        ck_assert(round > 0 || gjk_arena_alloc(&arena, 3000) != NULL);
        gjk_arena_reset(&arena);
    }
}

TEST(without_memory_there_is_no_block_and_nothing_breaks) {
    unsigned failures = 0;
    unsigned char *first = gjk_arena_alloc(&arena, 100);
    ck_assert_ptr_nonnull(first);
    memset(first, 7, 100);
    for (int i = 0; i < 40; i++) {
        test_malloc_fail(0);
        const void *block = gjk_arena_alloc(&arena, 3000);
        bool failed = test_malloc_restore();
        failures += failed;
        ck_assert_int_eq(block == NULL, failed);
        if (failed) {
            ck_assert_ptr_nonnull(gjk_arena_alloc(&arena, 3000));
        }
    }
    ck_assert_uint_gt(failures, 1);
    for (int i = 0; i < 100; i++) {
        ck_assert_uint_eq(first[i], 7);
    }
}

/* Doubling: a megabyte in small blocks takes few chunks. */
TEST(chunks_double) {
    unsigned chunks = 0;
    for (int i = 0; i < 1 << 14; i++) {
        test_malloc_fail(0);
        const void *block = gjk_arena_alloc(&arena, 64);
        chunks += test_malloc_restore();
        if (block == NULL) {
            ck_assert_ptr_nonnull(gjk_arena_alloc(&arena, 64));
        }
    }
    ck_assert_uint_ge(chunks, 2);
    ck_assert_uint_le(chunks, 12);
}

#ifdef TEST_ASAN
TEST(what_is_not_handed_out_is_poisoned) {
    char *block = gjk_arena_alloc(&arena, 100), *next = gjk_arena_alloc(&arena, 64);
    ck_assert_ptr_nonnull(next);
    ck_assert(!__asan_address_is_poisoned(block) && !__asan_address_is_poisoned(block + 99));
    ck_assert(__asan_address_is_poisoned(block + 100) && __asan_address_is_poisoned(next + 64));
    gjk_arena_reset(&arena);
    ck_assert(__asan_address_is_poisoned(block) && __asan_address_is_poisoned(next));
}
#endif

/* What was there before a mark keeps its bytes; what came after costs nothing any more. */
TEST(rewinding_to_a_mark) {
    test_rng rng = test_rng_make(3);
    gjk_arena_mark marks[20];
    unsigned char *blocks[20];
    size_t used[20];
    for (int round = 0; round < 50; round++) {
        int depth = 0;
        for (int step = 0; step < 200; step++) {
            if (depth < 20 && (depth == 0 || test_rng_below(&rng, 2) == 0)) {
                marks[depth] = gjk_arena_here(&arena);
                used[depth] = arena.used_bytes;
                blocks[depth] = gjk_arena_alloc(&arena, 2000);
                memset(blocks[depth], depth, 2000);
                (void)!gjk_arena_alloc(&arena, test_rng_below(&rng, 9000));
                depth++;
            } else {
                depth -= test_rng_integer(&rng, 1, depth);
                gjk_arena_rewind(&arena, marks[depth]);
                ck_assert_uint_eq(arena.used_bytes, used[depth]);
            }
            for (int i = 0; i < depth; i++) {
                ck_assert(blocks[i][0] == i && blocks[i][1999] == i);
            }
        }
        gjk_arena_reset(&arena);
    }
    /* Over and over it takes no more memory. */
    gjk_arena_fini(&arena);
    (void)!gjk_arena_alloc(&arena, 100);
    for (int i = 0; i < 10000; i++) {
        gjk_arena_mark mark = gjk_arena_here(&arena);
        ck_assert_ptr_nonnull(gjk_arena_alloc(&arena, 100000));
        gjk_arena_rewind(&arena, mark);
    }
    ck_assert_uint_eq(arena.used_bytes, 128);
}

/* The lent block is filled first, without malloc; and it is its owner's to free. */
TEST(a_lent_block_is_the_first_chunk) {
    static _Alignas(16) unsigned char lent[3][4096];
    struct gjk_arena a;
    memset(lent, 1, sizeof lent);
    for (int round = 0; round < 2; round++) {
        gjk_arena_init_in(&a, 10000, lent[1], sizeof lent[1]);
        ck_assert_uint_eq(a.used_bytes, 0);
        test_malloc_fail(0);
        unsigned char *first = gjk_arena_alloc(&a, 1000), *second = gjk_arena_alloc(&a, 2000);
        bool before = test_malloc_restore();
        ck_assert(!before && first != NULL && second != NULL);
        ck_assert(first >= lent[1] && second + 2000 <= lent[2]);
        ck_assert_uint_eq((uintptr_t)first % 64, 0);
        memset(first, 2, 1000);
        memset(second, 2, 2000);
        unsigned char *beyond = gjk_arena_alloc(&a, 3000);
        ck_assert_ptr_nonnull(beyond);
        ck_assert(beyond < lent[0] || beyond >= lent[0] + sizeof lent);
        ck_assert_ptr_null(gjk_arena_alloc(&a, 5000)); /* the limit counts both */
        ck_assert(first[999] == 2 && second[0] == 2);
        gjk_arena_fini(&a);
    }
    memset(lent[1], 1, sizeof lent[1]); /* it is not poisoned any more */
    ck_assert(lent[0][4095] == 1 && lent[2][0] == 1);
}
