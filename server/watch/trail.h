#ifndef GJKD_WATCH_TRAIL_H
#define GJKD_WATCH_TRAIL_H

/*
 * Trail of a set: its last versions, each kept until all followers have compared it, so that they
 * also notice pairs that overlapped only between two of them. Bounded: a follower that is too slow
 * loses the oldest versions. Not thread-safe.
 */

#include <stdbool.h>
#include <stdint.h>

struct gjkd_version;

/* Maximum number of versions, and of bytes that they are charged for and keep from being freed. The
 * newest one is kept whatever its size. */
#define GJKD_TRAIL_VERSIONS_MAX 1024
#define GJKD_TRAIL_BYTES_MAX ((uint64_t)16 << 20)

/* Version that follows the version `from` (gjkd_version_seq). */
typedef struct gjkd_trail_step {
    uint64_t from;
    struct gjkd_version *version;
    uint32_t followers; /* followers that have not taken it yet */
} gjkd_trail_step;

typedef struct gjkd_trail {
    gjkd_trail_step *ring; /* `capacity` slots, a power of two or 0 */
    uint32_t capacity;
    uint64_t begin, end; /* number of the oldest step, and of the next one to be added */
    uint64_t bytes;      /* charged bytes of the versions in the trail */
    uint32_t followers;
} gjkd_trail;

/* Adds a follower. Returns the number of its first step, which is the next to be added. */
uint64_t gjkd_trail_join(gjkd_trail *trail);
/* Removes a follower whose next step is `next`. */
void gjkd_trail_leave(gjkd_trail *trail, uint64_t next);

/* Adds a step and retains its version, if there are followers. If memory is exhausted, all steps
 * are lost. O(1) amortised. */
void gjkd_trail_add(gjkd_trail *trail, uint64_t from, struct gjkd_version *version);

/* Takes the follower's next step, whose version the caller releases. Sets *has_lost if steps before
 * it were lost. Returns false if there is no step. */
bool gjkd_trail_take(gjkd_trail *trail, uint64_t *next, gjkd_trail_step *out, bool *has_lost);

void gjkd_trail_fini(gjkd_trail *trail); /* for a trail without followers */

#endif
