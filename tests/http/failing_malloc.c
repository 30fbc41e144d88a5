/*
 * For LD_PRELOAD: makes one allocation, or all from one on, fail, and counts those that live. Which
 * one is written by a test into the file that FAILING_MALLOC names, which is mapped before the
 * daemon gives its files up.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static struct control {
    _Atomic int64_t countdown; /* 1: the next one fails; 0 or less: none does */
    _Atomic int64_t width;     /* how many fail from then on */
    _Atomic int64_t failed;
    _Atomic int64_t live;
} unused, *control = &unused;

#define NEXT(name)                                          \
    static __typeof__(name) *next;                          \
    if (next == NULL) {                                     \
        next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name); \
    }

/* Whether this allocation is one that fails. */
static bool fails(void) {
    if (atomic_load_explicit(&control->width, memory_order_relaxed) <= 0 ||
        atomic_fetch_sub(&control->countdown, 1) > 1 || atomic_fetch_sub(&control->width, 1) <= 0) {
        return false;
    }
    atomic_fetch_add(&control->failed, 1);
    errno = ENOMEM;
    return true;
}

static void *counted(void *memory) {
    atomic_fetch_add_explicit(&control->live, memory != NULL, memory_order_relaxed);
    return memory;
}

void *malloc(size_t bytes) {
    NEXT(malloc)
    return fails() ? NULL : counted(next(bytes));
}

void *calloc(size_t count, size_t bytes) {
    NEXT(calloc)
    return fails() ? NULL : counted(next(count, bytes));
}

void *realloc(void *memory, size_t bytes) {
    NEXT(realloc)
    if (fails()) {
        return NULL;
    }
    return memory == NULL ? counted(next(memory, bytes)) : next(memory, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes) {
    NEXT(aligned_alloc)
    return fails() ? NULL : counted(next(alignment, bytes));
}

int posix_memalign(void **out, size_t alignment, size_t bytes) {
    NEXT(posix_memalign)
    if (fails()) {
        return ENOMEM;
    }
    int error = next(out, alignment, bytes);
    atomic_fetch_add_explicit(&control->live, error == 0, memory_order_relaxed);
    return error;
}

void free(void *memory) {
    NEXT(free)
    atomic_fetch_sub_explicit(&control->live, memory != NULL, memory_order_relaxed);
    next(memory);
}

__attribute__((constructor)) static void begin(void) {
    const char *name = getenv("FAILING_MALLOC");
    int fd = name != NULL ? open(name, O_RDWR | O_CLOEXEC) : -1;
    void *shared =
        fd >= 0 ? mmap(NULL, sizeof unused, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (shared == MAP_FAILED) {
        abort();
    }
    close(fd);
    control = shared;
    unsetenv("LD_PRELOAD");
}
