#ifndef GJKD_WORK_MEMORY_H
#define GJKD_WORK_MEMORY_H

/*
 * The memory of the process, counted against --max-memory in one atomic sum: arenas of requests by
 * their chunks, shapes and trees of sets, connections. What is large is refused before the limit,
 * so that small requests and answers that say "no memory" still find some. Thread-safe.
 */

#include "gjk/arena.h"
#include "work/pool.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A request that holds no more than this is small. */
#define GJKD_SMALL_BYTES ((uint64_t)64 << 10)

/* Kinds of charges, by the part of the limit that they may use. */
typedef enum gjkd_charge {
    GJKD_CHARGE_LARGE, /* all but the reserve: an eighth of the limit, at most 64 MiB */
    GJKD_CHARGE_SETS,  /* all but half of the reserve, so that full sets can still be edited; up to
                          GJKD_SMALL_BYTES at once all of it, so that requests keep no small edits out:
                          the registry bounds what sets come to */
    GJKD_CHARGE_QUEUE, /* all but half of the reserve */
    GJKD_CHARGE_SMALL, /* all of it */
} gjkd_charge;

/* Sets the limit; 0: none, as at first. To be called while nothing is charged to large requests. */
void gjkd_memory_set_limit(uint64_t max_bytes);

/* Returns how many bytes charges of that kind may use in all; UINT64_MAX: no limit. */
uint64_t gjkd_memory_ceiling(gjkd_charge charge);

/* Charges bytes, which are to be given back with the same kind. False: they do not fit, and nothing
 * is charged. */
bool gjkd_memory_take(gjkd_charge charge, uint64_t bytes) GJK_MUST_USE;
void gjkd_memory_give(gjkd_charge charge, uint64_t bytes);

uint64_t gjkd_memory_used(void); /* in all */
uint64_t gjkd_memory_sets(void); /* of which by sets */

/* Returns true if more than half of the limit is in use: memory should not be kept for reuse. */
bool gjkd_memory_is_tight(void);

/* Pays for the shapes of sets; for arenas that a set may come to hold. */
extern gjk_arena_account gjkd_memory_lasting;

/*
 * Memory of one request, or queued for one peer. Every take is undone by a give of the same bytes,
 * at the same account: nothing else changes what an account holds. take and give are safe on any
 * thread; all other functions need an account that no other thread is using, or it is a data race.
 *
 * An account is small up to GJKD_SMALL_BYTES, and then charges the process with GJKD_CHARGE_SMALL;
 * beyond that it is large. All large accounts of one client together may hold half of what sets
 * leave, and so may all small ones, so that large bodies do not keep small requests out. Of the
 * reserve the small accounts of one client use up a 64th, or one small request's memory, so that
 * others find some, and all queues together half, so that requests do. Clients are told apart by a
 * hash, so that any number of them takes the same memory.
 */
struct gjkd_share {
    _Atomic int64_t small_bytes, large_bytes; /* below 0 for a moment while threads take and give */
};

struct gjkd_account {
    gjk_arena_account account; /* first: an account is cast to its gjkd_account */
    struct gjkd_share *share;  /* of the client; NULL: of no client */
    bool is_queue;             /* of a peer: the bound of its client holds for it alone too */
    uint64_t pinned_bytes;     /* charged to the share only */
    _Atomic uint64_t held_bytes;
    _Atomic uint64_t wanted_bytes; /* the most that it would have held with what was refused */
};

/* Makes an account in the caller's storage, for a request: it may hold more than half of what sets
 * leave while it is its client's only one. Of no client until gjkd_account_assign. */
void gjkd_account_init(struct gjkd_account *account);

/* The same for what is queued for a peer of that client, such as answers, events and watches. */
void gjkd_account_init_queue(struct gjkd_account *account, uint64_t client_hash);

/* Makes such an account that holds bytes. False: they do not fit, and there is no account. One for
 * each block: of several blocks of a client no one may take all that others leave. */
bool gjkd_account_open(struct gjkd_account *account, uint64_t client_hash,
                       uint64_t bytes) GJK_MUST_USE;

/* Gives back all that the account holds, and ends it. One that is all zero is none. */
void gjkd_account_close(struct gjkd_account *account);

/* Ends an account, which holds nothing any more. */
void gjkd_account_fini(struct gjkd_account *account);

/* The same as init and fini on the heap. new returns NULL if memory is exhausted; free allows
 * NULL. */
struct gjkd_account *gjkd_account_new(void) GJK_MUST_USE;
void gjkd_account_free(struct gjkd_account *account);

/* Charges bytes to the account, its client and the process. Returns false if they do not fit; then
 * nothing is charged, and wanted_bytes is not 0 until the next reset. */
bool gjkd_account_take(struct gjkd_account *account, uint64_t bytes) GJK_MUST_USE;
void gjkd_account_give(struct gjkd_account *account, uint64_t bytes);

/* Returns true if the client's small or large accounts hold three quarters of what they may
 * together: the time to take no more from its peers, so that what they have begun finds memory. On
 * any thread that may use the account. */
bool gjkd_account_is_crowded(const struct gjkd_account *account);

/* The same of the client with that hash. On any thread. */
bool gjkd_client_is_crowded(uint64_t client_hash);

/* Charges the client, instead of what was pinned before, with memory that is counted elsewhere and
 * kept on this account's behalf, such as old versions of sets. Returns false if the client has more
 * than its share; the charge stands. */
bool gjkd_account_pin(struct gjkd_account *account, uint64_t bytes);

/* Moves the account, with all it holds, to that client. */
void gjkd_account_assign(struct gjkd_account *account, uint64_t client_hash);

/* Takes the account from its client and forgets refusals; what it holds stays charged to the
 * process. */
void gjkd_account_reset(struct gjkd_account *account);

/*
 * Frees an arena that is charged to *account. A large one is freed soon and on a worker, together
 * with its account: *account becomes a new one without a client. So what the arena's finalizers
 * free is credited to the account that it was charged to.
 */
void gjkd_account_free_arena(struct gjkd_account **account, struct gjk_arena *arena);

/* Returns true if a request that was refused would fit if it were the only one. */
bool gjkd_account_can_wait(const struct gjkd_account *account);

/*
 * Frees large objects on a worker. A set of 200,000 shapes takes a tenth of a second to free; on
 * the thread of a loop that would delay every other connection of the loop, so such a thread
 * hands the object to a worker, and so does a thread in the midst of a short task. Every other
 * thread frees it itself.
 */

/* Objects from this size on are large: they take about 2 ms to free. Smaller ones are better freed
 * at once, because memory that waits for a worker cannot be used again meanwhile. */
#define GJKD_LARGE_BYTES (UINT64_C(4) << 20)

/* Declares the calling thread one of these two, until end, which is called after it has run
 * anything for the last time. */
void gjkd_deferred_free_begin(struct gjkd_pool *pool);
void gjkd_deferred_free_end(void);

/* Calls release(object), now or soon on a worker. bytes: about how much that frees. */
void gjkd_deferred_free(void *object, uint64_t bytes, void (*release)(void *object));

/* --- The heap: settings of malloc, and the memory that it keeps; mallopt(3) --- */

/* Sets malloc up for that many threads that run at a time. To be called before there are any. */
void gjkd_heap_setup(unsigned threads);

/*
 * Returns to the system what malloc keeps free between blocks, if the process holds much more than
 * was charged: at once if memory is tight, otherwise when ten calls in a row have found that.
 * Requests of many sizes leave fragments: a third of the heap, before this was done. Returns true
 * while memory is tight. One thread calls it once a second, and ten times a second while it is true.
 */
bool gjkd_heap_trim(void);

#endif
