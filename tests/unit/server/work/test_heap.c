/* Does the process return the gaps that malloc keeps: at once if memory is tight, else after ten
 * looks, and later those that came when it had trimmed? */

#include <stdlib.h>
#include <string.h>

#include "support/test.h"
#include "test_server.h"
#include "util/process.h"
#include "work/memory.h"

#define LIMIT ((uint64_t)64 << 20)
#define BLOCK_BYTES 16384
#define BLOCKS 8192 /* 128 MiB */

static void fill(char **blocks) {
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = malloc(BLOCK_BYTES);
        ck_assert_ptr_nonnull(blocks[i]);
        for (int at = 0; at < BLOCK_BYTES; at += 1024) {
            blocks[i][at] = 1;
        }
    }
}

/* Frees all blocks but one in sixteen: the gaps lie between those. */
static void make_gaps(char **blocks) {
    for (int i = 0; i < BLOCKS; i++) {
        if (i % 16 != 0) {
            free(blocks[i]);
            blocks[i] = NULL;
        }
    }
}

/* A sanitizer has a malloc of its own, which keeps what is freed. */
TEST(gaps_are_returned) {
    char **blocks = calloc(BLOCKS, sizeof *blocks);
    ck_assert_ptr_nonnull(blocks);
    fill(blocks);
    make_gaps(blocks);
    const uint64_t filled = gjkd_process_resident_bytes();
    ck_assert_uint_gt(filled, LIMIT);

    gjkd_memory_set_limit(LIMIT);
    ck_assert(gjkd_memory_take(GJKD_CHARGE_SMALL, LIMIT / 2));
    ck_assert(!gjkd_heap_trim());
    ck_assert_uint_gt(gjkd_process_resident_bytes(), filled / 10 * 9);
    ck_assert(gjkd_memory_take(GJKD_CHARGE_SMALL, 1));
    ck_assert(gjkd_heap_trim());
    if (!TEST_SANITIZED) {
        ck_assert_uint_lt(gjkd_process_resident_bytes(), filled / 2);
    }
    gjkd_memory_give(GJKD_CHARGE_SMALL, LIMIT / 2 + 1);
    for (int i = 1; i < BLOCKS; i += 16) {
        blocks[i] = malloc(BLOCK_BYTES);
        ck_assert_ptr_nonnull(blocks[i]);
        memset(blocks[i], 1, BLOCK_BYTES);
    }
    for (int i = 1; i < BLOCKS; i += 16) {
        free(blocks[i]);
    }
    const uint64_t left = gjkd_process_resident_bytes();
    for (int i = 0; i < 10; i++) {
        ck_assert(!gjkd_heap_trim());
    }
    if (!TEST_SANITIZED) {
        ck_assert_uint_lt(gjkd_process_resident_bytes(), left - LIMIT / 16);
    }
    gjkd_memory_set_limit(0);
    for (int i = 0; i < BLOCKS; i += 16) {
        ck_assert_int_eq(blocks[i][1024], 1);
        free(blocks[i]);
    }
    free(blocks);
}

TEST(gaps_made_after_a_trim_are_returned_later) {
    char **blocks = calloc(BLOCKS, sizeof *blocks);
    ck_assert_ptr_nonnull(blocks);
    fill(blocks);
    gjkd_memory_set_limit(LIMIT);
    for (int i = 0; i < 10; i++) {
        ck_assert(!gjkd_heap_trim());
    }
    make_gaps(blocks);
    const uint64_t left = gjkd_process_resident_bytes();
    for (int i = 0; i < 60; i++) {
        ck_assert(!gjkd_heap_trim());
    }
    ck_assert_uint_gt(gjkd_process_resident_bytes(), left / 10 * 9);
    for (int i = 0; i < 10; i++) {
        ck_assert(!gjkd_heap_trim());
    }
    if (!TEST_SANITIZED) {
        ck_assert_uint_lt(gjkd_process_resident_bytes(), left / 2);
    }
    gjkd_memory_set_limit(0);
    for (int i = 0; i < BLOCKS; i += 16) {
        free(blocks[i]);
    }
    free(blocks);
}
