#ifndef TEST_RUNNER_H
#define TEST_RUNNER_H

/* What a test program of one module defines; runner.c has the main that runs it. */

#include "support/checks.h"

/* Enough for the sanitizers on a busy machine. */
#define TEST_TIMEOUT_S 600

Suite *test_suite(void);

/* A new case of the suite, to which tests are added. */
TCase *test_case(Suite *suite, const char *name);

#endif
