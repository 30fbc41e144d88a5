#ifndef GJKD_WATCH_TRAIL_H
#define GJKD_WATCH_TRAIL_H

/*
 * The trail of a set: its last versions, kept until all who follow it have compared them, so that
 * what came and went between two of them is told. Bounded: whoever is too slow loses the oldest.
 * Not thread-safe.
 */

#include <stdbool.h>
#include <stdint.h>

struct gjkd_version;

/* The versions that are kept at most, and the memory that they are charged for and pin. The newest
 * is kept whatever its size. */
#define GJKD_TRAIL_VERSIONS_MAX 1024
#define GJKD_TRAIL_BYTES_MAX ((uint64_t)16 << 20)

/* One version, after `from` in the order of gjkd_version_seq. */
typedef struct gjkd_trail_step {
    uint64_t from;
    struct gjkd_version *version;
    uint32_t followers; /* that have yet to take it */
} gjkd_trail_step;

typedef struct gjkd_trail {
    gjkd_trail_step *ring; /* of `capacity`, a power of two or 0 */
    uint32_t capacity;
    uint64_t begin, end; /* numbers of the first step that is kept, and of the next one */
    uint64_t bytes;      /* charged for those that are kept */
    uint32_t followers;
} gjkd_trail;

/* Adds a follower. Returns its next step, the one that is added next. */
uint64_t gjkd_trail_join(gjkd_trail *trail);
/* Removes a follower, whose next step that is. */
void gjkd_trail_leave(gjkd_trail *trail, uint64_t next);

/* Adds a step, if anybody follows; retains the version. Without memory all steps are lost. O(1)
 * amortised. */
void gjkd_trail_add(gjkd_trail *trail, uint64_t from, struct gjkd_version *version);

/* Takes the follower's next step, whose version is to be released. *has_lost is set where steps
 * before it were lost. False: there is none. */
bool gjkd_trail_take(gjkd_trail *trail, uint64_t *next, gjkd_trail_step *out, bool *has_lost);

void gjkd_trail_fini(gjkd_trail *trail); /* without followers */

#endif
