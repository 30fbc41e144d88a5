/*
 * malloc and free of the module, a tenth of the code size of libc's: segregated free lists, with
 * four size classes per power of two. Freed blocks are not coalesced. That suffices because arenas
 * allocate doubling sizes, and sets allocate nodes of few sizes.
 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PAGE 65536
#define HEAD 16 /* bytes before the caller's memory; keeps its alignment */

typedef struct block {
    size_t size; /* including the head */
    struct block *next;
} block;

extern char __heap_base;
static block *freed[4 * 32];
static uintptr_t fresh, end; /* memory that was never allocated */

static uint32_t octave_of(size_t size) {
    return 31 - (uint32_t)__builtin_clzl(size);
}

static block **list_of(size_t size) {
    const uint32_t octave = octave_of(size);
    return &freed[4 * octave + (size >> (octave - 2) & 3)];
}

static void *take(size_t size) {
    if (size > SIZE_MAX / 4) {
        return NULL;
    }
    size += HEAD;
    const size_t unit = size < 64 ? 16 : (size_t)1 << (octave_of(size) - 2);
    size = (size + unit - 1) & -unit;
    block **list = list_of(size), *taken = *list;
    if (taken != NULL) {
        *list = taken->next;
        return (char *)taken + HEAD;
    }
    if (fresh == 0) {
        fresh = ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15;
        end = __builtin_wasm_memory_size(0) * PAGE;
    }
    if (size > end - fresh) {
        const size_t pages = (size - (end - fresh) + PAGE - 1) / PAGE;
        if (__builtin_wasm_memory_grow(0, pages) == SIZE_MAX) {
            return NULL;
        }
        end += pages * PAGE;
    }
    taken = (block *)fresh;
    fresh += size;
    taken->size = size;
    return (char *)taken + HEAD;
}

void *malloc(size_t size) {
    return take(size);
}

void free(void *given) {
    if (given != NULL) {
        block *old = (block *)(void *)((char *)given - HEAD), **list = list_of(old->size);
        old->next = *list;
        *list = old;
    }
}

void *calloc(size_t count, size_t size) {
    size_t bytes;
    void *taken = __builtin_mul_overflow(count, size, &bytes) ? NULL : take(bytes);
    return taken != NULL ? memset(taken, 0, bytes) : NULL;
}

void *realloc(void *given, size_t size) {
    const size_t had = given != NULL ? ((block *)(void *)((char *)given - HEAD))->size - HEAD : 0;
    if (size <= had) {
        return given;
    }
    void *taken = take(size);
    if (taken != NULL && had > 0) {
        memcpy(taken, given, had);
        free(given);
    }
    return taken;
}
