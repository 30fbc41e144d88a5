#ifndef GJKD_WATCH_TURNS_H
#define GJKD_WATCH_TURNS_H

/*
 * The readers of a loop that have news, first come, first served. One event may be for thousands of
 * readers: the loop serves a few of them at a time and looks at its requests in between. On the
 * thread of the loop.
 */

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

#endif
