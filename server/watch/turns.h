#ifndef GJKD_WATCH_TURNS_H
#define GJKD_WATCH_TURNS_H

/*
 * The readers of a loop that have news, first come, first served. One event may be for thousands of
 * readers: the loop serves a few of them at a time and looks at its requests in between. On the
 * thread of the loop.
 */

#include "sets/feed.h"
#include "watch/event.h"
#include "work/pool.h"

#include <stdbool.h>
#include <stddef.h>

/* The structure that has that member at that offset; NULL of NULL. */
static inline void *gjkd_owner(void *member, size_t offset) {
    return member != NULL ? (char *)member - offset : NULL;
}

/* A place in the queue; zero: it is in none. */
struct gjkd_turn {
    struct gjkd_turn *next, **link;
    void (*take)(struct gjkd_turn *turn); /* its turn has come: it has left the queue */
};

/* All zero: empty. */
struct gjkd_turns {
    struct gjkd_turn *first, **end;
};

/* Queues it at the end, unless it is there already. */
void gjkd_turns_add(struct gjkd_turns *turns, struct gjkd_turn *turn);

/* Takes it out of the queue. False: it is not there. */
bool gjkd_turns_remove(struct gjkd_turns *turns, struct gjkd_turn *turn);

/* Gives the first its turn. False: there is none. */
bool gjkd_turns_give(struct gjkd_turns *turns);

/*
 * Catching up: a worker makes one event of all that has changed in a set since some version, for a
 * reader that begins there.
 */

struct gjkd_catching_up {
    struct gjkd_task task; /* first: tasks are cast back */
    unsigned *out;         /* counts those under way, on the loop's thread */
    void *owner;           /* whom `done` tells; NULL: nobody waits for it any more */
    void (*done)(void *owner, const struct gjkd_catching_up *caught_up); /* on the loop's thread */
    struct gjkd_version *version;
    gjkd_since since;
    bool is_whole;            /* since there was no set */
    uint64_t client;          /* hash of the client that pays */
    struct gjkd_event *event; /* what it came to; NULL: there was no memory */
    bool has_ended;           /* the set is deleted: its topic tells that */
};

/*
 * Begins to make what has changed since that version (its order: gjkd_version_seq; NULL: all there
 * is) until `version`,
 * which it retains, in the processor time of the client with that hash. To be called on the thread
 * of the loop whose queue of completions is given; the caller then sets owner and done. It frees
 * itself after done. NULL: out of memory.
 */
struct gjkd_catching_up *gjkd_catching_up_start(struct gjkd_pool *pool,
                                                struct gjkd_completion_queue *completions,
                                                unsigned *out, const gjkd_since *since,
                                                uint64_t client, struct gjkd_version *version);

#endif
