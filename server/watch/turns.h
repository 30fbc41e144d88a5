#ifndef GJKD_WATCH_TURNS_H
#define GJKD_WATCH_TURNS_H

/*
 * Queue of a loop's readers that have something to read, first come, first served. One event may be
 * for thousands of readers, so the loop serves a few of them at a time and handles requests in
 * between. For the loop's thread only.
 */

#include <stdbool.h>
#include <stddef.h>

/* Returns the structure that contains a member at an offset; NULL for NULL. */
static inline void *gjkd_owner(void *member, size_t offset) {
    return member != NULL ? (char *)member - offset : NULL;
}

/* Entry of a queue; all zero if it is in none. */
struct gjkd_turn {
    struct gjkd_turn *next, **link;
    void (*take)(struct gjkd_turn *turn); /* called for its turn, after it has left the queue */
};

/* Queue of entries; all zero if empty. */
struct gjkd_turns {
    struct gjkd_turn *first, **end;
};

/* Adds an entry to the end, unless it is in the queue already. */
void gjkd_turns_add(struct gjkd_turns *turns, struct gjkd_turn *turn);

/* Removes an entry. Returns false if it is not in the queue. */
bool gjkd_turns_remove(struct gjkd_turns *turns, struct gjkd_turn *turn);

/* Removes the first entry and calls its `take`. Returns false if the queue is empty. */
bool gjkd_turns_give(struct gjkd_turns *turns);

#endif
