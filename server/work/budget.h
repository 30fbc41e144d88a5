#ifndef GJKD_WORK_BUDGET_H
#define GJKD_WORK_BUDGET_H

/*
 * The memory of the process, counted against --max-memory in one atomic sum: arenas of requests by
 * their chunks, shapes and trees of sets, connections. What is large is refused before the limit, so
 * that small requests and answers that say "no memory" still find some. Thread-safe.
 */

#include "gjk/arena.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A request that holds no more than this is small. */
#define GJKD_SMALL_BYTES ((uint64_t)64 << 10)

/* How much of the limit a charge may use up. */
typedef enum gjkd_charge {
    GJKD_CHARGE_LARGE, /* all but the reserve: an eighth of the limit, at most 64 MiB */
    GJKD_CHARGE_SETS,  /* all but half of the reserve, so that full sets can still be edited; up to
                          GJKD_SMALL_BYTES at once all of it, so that requests keep no small edits out:
                          the registry bounds what sets come to */
    GJKD_CHARGE_SMALL, /* all of it */
} gjkd_charge;

/* Sets the limit; 0: none, as at first. To be called while nothing is charged to large requests. */
void gjkd_budget_limit(uint64_t max_bytes);

/* How many bytes a charge of that kind may use up in all; UINT64_MAX: there is no limit. */
uint64_t gjkd_budget_ceiling(gjkd_charge charge);

/* Charges bytes, which are to be given back with the same kind. False: they do not fit, and nothing
 * is charged. */
bool gjkd_budget_take(gjkd_charge charge, uint64_t bytes) GJK_MUST_USE;
void gjkd_budget_give(gjkd_charge charge, uint64_t bytes);

uint64_t gjkd_budget_used(void); /* in all */
uint64_t gjkd_budget_sets(void); /* of which by sets */

/* Is more than half of the limit in use? Then memory is not kept for reuse. */
bool gjkd_budget_is_tight(void);

/* Pays for the shapes of sets; for arenas that a set may come to hold. */
extern gjk_arena_account gjkd_budget_lasting;

/*
 * What one request is charged for: the account of its arenas, on however many threads. It charges
 * the budget as a small request until it holds more than GJKD_SMALL_BYTES. All requests of one client
 * together may hold half of what sets leave, where they are more than one: the other half is for
 * others. Small requests have such a half of their own, so that large bodies do not keep them out.
 * Clients are told apart by a hash, so that any number of them takes the same memory.
 */
struct gjkd_share {
    _Atomic uint64_t small_bytes, large_bytes;
};

struct gjkd_account {
    gjk_arena_account account; /* first: an account is cast to its gjkd_account */
    struct gjkd_share *share;  /* what the client's requests hold together; NULL: not yet known */
    _Atomic uint64_t held_bytes;
    _Atomic uint64_t large_bytes;  /* of which were not charged as a small request's */
    _Atomic uint64_t wanted_bytes; /* the most that it would have held with what was refused */
};

void gjkd_account_init(struct gjkd_account *account);

/* From now on, until reset or assigned to another, the account is one of that client's. Before
 * anything large is charged. */
void gjkd_account_assign(struct gjkd_account *account, uint64_t client_hash);

/* The request is over; what is still held stays charged, but to no client. */
void gjkd_account_reset(struct gjkd_account *account);

/* Frees an arena of the account, soon and on a worker if it is large. */
void gjkd_account_free_arena(struct gjkd_account *account, struct gjk_arena *arena);

/* After a refusal: would the request have fitted if it had been the only one? */
bool gjkd_account_can_wait(const struct gjkd_account *account);

#endif
