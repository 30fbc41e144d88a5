#ifndef GJK_BASE_LARGE_PAGES_H
#define GJK_BASE_LARGE_PAGES_H

/*
 * Large pages for large blocks. A query of a tree of a million boxes touches so many pages that it
 * misses the TLB as often as the caches; with pages of 2 MiB it does not. Only a hint: if the
 * system has no large pages to spare, nothing changes.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#define GJK_LARGE_PAGE_BYTES ((uintptr_t)2 << 20)

/* Asks the system for large pages for a block, or for none. Call it before the first write to the
 * block. Affects only pages that lie wholly in the block, so memory use does not grow. */
static inline void gjk_prefer_large_pages(void *block, size_t bytes, bool are_wanted) {
#ifdef MADV_HUGEPAGE
    const uintptr_t mask = GJK_LARGE_PAGE_BYTES - 1;
    const uintptr_t begin = ((uintptr_t)block + mask) & ~mask;
    const uintptr_t end = ((uintptr_t)block + bytes) & ~mask;
    if (begin < end) {
        (void)madvise((void *)begin, end - begin, are_wanted ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    }
#else
    (void)block, (void)bytes, (void)are_wanted;
#endif
}

#endif
