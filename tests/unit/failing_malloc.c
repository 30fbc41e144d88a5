/* The linker sends every malloc of the program here (--wrap=malloc). */

#include "failing_malloc.h"

#include <stdlib.h>

static bool armed, failed;
static unsigned calls_left;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

void test_malloc_fail(unsigned n) {
    armed = true;
    failed = false;
    calls_left = n;
}

bool test_malloc_restore(void) {
    armed = false;
    return failed;
}

void *__wrap_malloc(size_t size) {
    if (armed && calls_left-- == 0) {
        armed = false;
        failed = true;
        return NULL;
    }
    return __real_malloc(size);
}
