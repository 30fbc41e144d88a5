#ifndef TEST_FAILING_MALLOC_H
#define TEST_FAILING_MALLOC_H

/* Makes one call of malloc by the core fail, to see who notices. */

#include <stdbool.h>

/* The n-th call from now on fails, n counted from 0; the others succeed. (Check calls
 * malloc too: assert nothing before test_malloc_restore.) */
void test_malloc_fail(unsigned n);

/* Ends that. Whether the call came, and failed. */
bool test_malloc_restore(void);

#endif
