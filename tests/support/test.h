#ifndef TEST_TEST_H
#define TEST_TEST_H

/*
 * Tests that register themselves, for the program that they are linked into; test.c has its main.
 *
 *     TEST(a_square_has_four_corners) {
 *         ck_assert_uint_eq(square.count, 4);
 *     }
 *
 * Each file is a suite, and each test a case of it: CK_RUN_SUITE=test_box runs the first,
 * CK_RUN_CASE=a_square_has_four_corners the second.
 */

#include "checks.h"

#include <stdint.h>

/* Begins a test. */
#define TEST(name) TEST_EACH(name, 0, 1)

/* Begins a test that runs for each _i from `from` to `end`, exclusive. */
#define TEST_EACH(name, from, end) TEST_OF(name, from, end, 0, 0)

/* Begins a test that ends its process by that signal or with that exit code. */
#define TEST_ENDS(name, signal, code) TEST_OF(name, 0, 1, signal, code)

#define TEST_OF(name, from, end, signal, code)                       \
    static void name(int _i CK_ATTRIBUTE_UNUSED);                    \
    __attribute__((constructor)) static void name##_register(void) { \
        static const TTest test = {#name, name, __FILE__, __LINE__}; \
        test_register(&test, from, end, signal, code);               \
    }                                                                \
    static void name(int _i CK_ATTRIBUTE_UNUSED)

/* Has the tests of the file that come after it begin with set_up and end with tear_down. */
#define TEST_FIXTURE(set_up, tear_down)                                \
    __attribute__((constructor)) static void set_up##_register(void) { \
        test_register_fixture(__FILE__, set_up, tear_down);            \
    }

/* Declares an arena that each test of the file begins with anew. Takes gjk/arena.h, and the place of
 * a fixture. */
#define TEST_ARENA(arena)                 \
    static struct gjk_arena arena;        \
    static void arena##_set_up(void) {    \
        gjk_arena_init(&arena, 0);        \
    }                                     \
    static void arena##_tear_down(void) { \
        gjk_arena_fini(&arena);           \
    }                                     \
    TEST_FIXTURE(arena##_set_up, arena##_tear_down)

/* Nonzero in a build with a sanitizer, which looks for faults of memory and of threads and takes
 * ten times as long: of so many random cases it runs a tenth, and the other builds run them all. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TEST_SANITIZED 1
#else
#define TEST_SANITIZED 0
#endif
#define TEST_CASES(count) (TEST_SANITIZED ? (count) / 10 : (count))

/* Returns GJKD_FACTOR of the environment, 1 without: how many times as many random cases to run. */
uint64_t test_factor(void);

/* Returns GJKD_SEED of the environment, 1 without. */
uint64_t test_seed(void);

/* For the macros above. */
void test_register(const TTest *test, int from, int end, int signal, int code);
void test_register_fixture(const char *file, void (*set_up)(void), void (*tear_down)(void));

#endif
