#include "work/heap.h"

#include "util/process.h"
#include "work/memory.h"

#include <malloc.h>
#include <stdint.h>

/* Freed memory at the end of the heap that the next large request may reuse. By default malloc returns
 * it to the system, and the kernel has to clear it again page by page. */
#define KEPT_BYTES (16 << 20)

/* Blocks of this size on are mapped one by one and unmapped when they are freed. By default malloc
 * raises this threshold when a large block is freed; temporary blocks of requests then fragment the
 * heap between long-lived sets, which took four times their memory. */
#define LARGE_BLOCK_BYTES (1 << 20)

/* A trim is worth while if the process holds this part of the limit beyond what is charged, and has
 * grown by half of it since the last one. */
#define EXCESS_PART 16

/* After a tight time, while what it left is worked off and freed: looks, and those from trim to trim. */
#define LOOKS_AFTER 121
#define LOOKS_APART 5

void gjkd_heap_setup(unsigned threads) {
    mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
    mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES);
    /* Threads that pause share the arenas of those that run: what one frees, the next can reuse. */
    mallopt(M_ARENA_MAX, (int)threads);
}

bool gjkd_heap_trim(void) {
    static uint64_t trimmed_bytes;   /* held after the last trim; 0: not tight since then */
    static unsigned looks_to_go = 0; /* after a tight time */
    const uint64_t resident = gjkd_process_resident_bytes();
    const uint64_t excess = gjkd_memory_ceiling(GJKD_CHARGE_SMALL) / EXCESS_PART;
    const bool is_tight = gjkd_memory_is_tight();
    if (is_tight) {
        looks_to_go = LOOKS_AFTER;
    } else {
        trimmed_bytes = 0;
        looks_to_go -= looks_to_go > 0 ? 1 : 0;
    }
    const bool is_due =
        is_tight ? resident > trimmed_bytes + excess / 2 : looks_to_go % LOOKS_APART == 1;
    if (is_due && resident > gjkd_memory_used() + excess) {
        malloc_trim(0);
        trimmed_bytes = gjkd_process_resident_bytes();
    }
    return is_tight;
}
