#include "work/heap.h"

#include "util/process.h"
#include "work/memory.h"

#include <malloc.h>
#include <stdint.h>

/* Freed memory at the end of the heap that the next large request may reuse. By default malloc
 * returns it to the system, and the kernel has to clear it again page by page. */
#define KEPT_BYTES (16 << 20)

/* Blocks of this size on are mapped one by one and unmapped when they are freed. By default malloc
 * raises this threshold when a large block is freed; temporary blocks of requests then fragment the
 * heap between long-lived sets, which took four times their memory. */
#define LARGE_BLOCK_BYTES (1 << 20)

/* Part of the limit that the process must hold beyond what is charged for a trim to be worth while,
 * and half of that more than after the last trim. */
#define EXCESS_PART 16

/* Number of looks in a row that find so while memory is not tight: what is freed and soon taken
 * again is not returned, because the kernel would have to clear it. */
#define LOOKS 10

/* Number of looks after a trim until the next is worth while although no more is held than after it:
 * what was in use then may have been freed since. */
#define LOOKS_AGAIN 60

void gjkd_heap_setup(unsigned threads) {
    mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
    mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES);
    /* Threads that pause share the arenas of those that run: what one frees, the next can reuse. */
    mallopt(M_ARENA_MAX, (int)threads);
}

static uint64_t bytes_beyond_charged(void) {
    const uint64_t resident = gjkd_process_resident_bytes(), used = gjkd_memory_used();
    return resident > used ? resident - used : 0;
}

bool gjkd_heap_trim(void) {
    static uint64_t kept_bytes; /* beyond what was charged, after the last trim */
    static unsigned looks;      /* in a row that found a trim worth while */
    static unsigned since_trim; /* looks */
    const uint64_t excess = gjkd_memory_ceiling(GJKD_CHARGE_SMALL) / EXCESS_PART;
    const bool is_tight = gjkd_memory_is_tight();
    const uint64_t beyond = bytes_beyond_charged();
    kept_bytes = beyond < kept_bytes ? beyond : kept_bytes;
    const bool has_more = beyond - kept_bytes > excess / 2 || ++since_trim > LOOKS_AGAIN;
    looks = beyond > excess && has_more ? looks + 1 : 0;
    if (looks >= (is_tight ? 1 : LOOKS)) {
        malloc_trim(0);
        kept_bytes = bytes_beyond_charged();
        looks = since_trim = 0;
    }
    return is_tight;
}
