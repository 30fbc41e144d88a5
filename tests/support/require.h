#ifndef TEST_REQUIRE_H
#define TEST_REQUIRE_H

/* Demands on a pair: when one does not hold, the bodies are printed and the test fails. */

#include "gjk/pair.h"
#include "scene.h"

#define TEST_REQUIRE(pair, condition) test_require(pair, condition, #condition, __FILE__, __LINE__)

void test_require(const test_pair *pair, bool holds, const char *what, const char *file, int line);

/* |x - y| <= error, printed with both values when not. */
#define TEST_REQUIRE_NEAR(pair, x, y, error) \
    test_require_near(pair, x, y, error, #x " is near " #y, __FILE__, __LINE__)

void test_require_near(const test_pair *pair, double x, double y, double error, const char *what,
                       const char *file, int line);

#endif
