#ifndef GJKD_WORK_MEMORY_H
#define GJKD_WORK_MEMORY_H

/*
 * The memory of the process, counted against --max-memory in one atomic sum: chunks of request
 * arenas, shapes and trees of sets, connections. Large charges are refused below the limit, so that
 * small requests and answers that report the lack of memory still find some. Thread-safe.
 */

#include "gjk/arena.h"
#include "work/pool.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A request that holds at most this much is small. */
#define GJKD_SMALL_BYTES ((uint64_t)64 << 10)

/* Kinds of charges, by the part of the limit that each may use. */
typedef enum gjkd_charge {
    GJKD_CHARGE_LARGE, /* all but the reserve: an eighth of the limit, at most 64 MiB */
    GJKD_CHARGE_SETS,  /* all but half of the reserve, so that full sets can still be edited; all of
                          it for charges of up to GJKD_SMALL_BYTES, so that requests cannot prevent
                          small edits: the registry bounds the total of sets */
    GJKD_CHARGE_QUEUE, /* all but half of the reserve */
    GJKD_CHARGE_SMALL, /* all of it */
} gjkd_charge;

/* Memory of a node of tsearch(3), which is charged apart from what it points to. */
#define GJKD_TREE_NODE_BYTES 32

/* Sets the limit; 0, the default: none. Call it while no large request is charged. */
void gjkd_memory_set_limit(uint64_t max_bytes);

/* Returns the number of bytes that all charges may reach for a charge of that kind to succeed;
 * UINT64_MAX: no limit. */
uint64_t gjkd_memory_ceiling(gjkd_charge charge);

/* Charges bytes, which the caller gives back with the same kind. Returns false if they do not fit;
 * nothing is charged. */
bool gjkd_memory_take(gjkd_charge charge, uint64_t bytes) GJK_MUST_USE;
void gjkd_memory_give(gjkd_charge charge, uint64_t bytes);

uint64_t gjkd_memory_used(void); /* total */
uint64_t gjkd_memory_sets(void); /* part used by sets */

/* Returns true if more than half of the limit is in use: freed memory should not be cached. */
bool gjkd_memory_is_tight(void);

/* Account of memory that sets hold: for arenas whose content may become part of a set. */
extern gjk_arena_account gjkd_memory_lasting;

/*
 * An account: the memory of one request, or of one queue for a peer. Each take is undone by a give
 * of the same bytes on the same account. take and give are safe on any thread; all other functions
 * require that no other thread is using the account.
 *
 * An account of at most GJKD_SMALL_BYTES is small, otherwise large. All large accounts of one
 * client together may hold half of the memory that sets leave, and so may its small ones, so that
 * large bodies do not keep small requests out. The reserve is divided further: the small accounts
 * of one client may use a 64th of it, or one small request's memory, and all queues together half
 * of it. Clients are told apart by a hash, so that memory does not grow with their number.
 */
struct gjkd_share {
    _Atomic int64_t small_bytes, large_bytes; /* may briefly be below 0 during take and give */
};

struct gjkd_account {
    gjk_arena_account account; /* first: an account is cast to its gjkd_account */
    struct gjkd_share *share;  /* of the account's client; NULL: no client */
    bool is_queue;             /* a queue for a peer, which gets no exception if it is its client's
                                  only account */
    uint64_t pinned_bytes;     /* bytes charged to the share only, not to the process */
    _Atomic uint64_t held_bytes;
    _Atomic uint64_t wanted_bytes; /* the most it would have held without refusals */
};

/* Initialises an account for a request, in the caller's storage. While it is its client's only
 * account, it may hold more than half of what sets leave. It has no client until
 * gjkd_account_assign. */
void gjkd_account_init(struct gjkd_account *account);

/* Initialises an account for data queued for a client's peer: answers, events, watches. */
void gjkd_account_init_queue(struct gjkd_account *account, uint64_t client_hash);

/* Initialises such an account and takes bytes for one block. Returns false if they do not fit; the
 * account is then empty. Each block has its own account, so that none of a client's blocks gets the
 * exception of an only request. */
bool gjkd_account_open(struct gjkd_account *account, uint64_t client_hash,
                       uint64_t bytes) GJK_MUST_USE;

/* Gives back all that the account holds and ends it. An account that is all zero is ignored. */
void gjkd_account_close(struct gjkd_account *account);

/* Ends an account that holds nothing any more. */
void gjkd_account_fini(struct gjkd_account *account);

/* Allocate and free an account on the heap, with init and fini. new returns NULL if memory is
 * exhausted; free allows NULL. */
struct gjkd_account *gjkd_account_new(void) GJK_MUST_USE;
void gjkd_account_free(struct gjkd_account *account);

/* Charges bytes to the account, its client and the process. Returns false if they do not fit; then
 * nothing is charged, and wanted_bytes is not 0 until the next reset. */
bool gjkd_account_take(struct gjkd_account *account, uint64_t bytes) GJK_MUST_USE;
void gjkd_account_give(struct gjkd_account *account, uint64_t bytes);

/* Returns true if the small or the large accounts of the client hold three quarters of what they
 * may hold: the caller should accept no more from the client's peers, so that work that has begun
 * finds memory. On any thread that may use the account. */
bool gjkd_account_is_crowded(const struct gjkd_account *account);

/* The same for a client by its hash. On any thread. */
bool gjkd_client_is_crowded(uint64_t client_hash);

/* Sets the pinned bytes of the account: memory counted elsewhere that is kept only because of this
 * account, such as old versions of sets. The client's share is charged, the process is not. Returns
 * false if the client exceeds its share; the charge stands. */
bool gjkd_account_pin(struct gjkd_account *account, uint64_t bytes);

/* Moves the account, with all it holds, to a client. */
void gjkd_account_assign(struct gjkd_account *account, uint64_t client_hash);

/* Takes the account from its client and forgets refusals; the process stays charged. */
void gjkd_account_reset(struct gjkd_account *account);

/*
 * Frees an arena that is charged to *account. A large arena is freed later, on a worker, together
 * with its account, which the arena's finalizers may credit; *account becomes a new one without a
 * client.
 */
void gjkd_account_free_arena(struct gjkd_account **account, struct gjk_arena *arena);

/* Returns true if the refused request would fit were it the only one. */
bool gjkd_account_can_wait(const struct gjkd_account *account);

/*
 * Frees large objects on a worker. Freeing a set of 200,000 shapes takes a tenth of a second, which
 * on a loop's thread would delay every connection of the loop. Therefore threads of loops, and
 * threads within a short task, hand large objects to a worker; other threads free them at once.
 */

/* Objects of at least this size are large: freeing takes about 2 ms. Smaller ones are freed at
 * once, because their memory cannot be reused while it waits for a worker. */
#define GJKD_LARGE_BYTES (UINT64_C(4) << 20)

/* Mark the calling thread as one that hands over large objects, from begin to end. Call end after
 * the last work on this thread. */
void gjkd_deferred_free_begin(struct gjkd_pool *pool);
void gjkd_deferred_free_end(void);

/* Calls release(object), now or soon on a worker. bytes: estimate of the memory that this frees. */
void gjkd_deferred_free(void *object, uint64_t bytes, void (*release)(void *object));

/* --- The heap: settings of malloc, and the memory that it keeps; mallopt(3) --- */

/* Configures malloc for a number of running threads. Call it before the first one starts. */
void gjkd_heap_setup(unsigned threads);

/*
 * Returns unused memory of malloc to the system if the process holds much more than is charged: at
 * once if memory is tight, otherwise after ten such findings in a row. Requests of many sizes leave
 * fragments, which without this were a third of the heap. Returns true while memory is tight. One
 * thread calls it once a second, or ten times a second while it returns true.
 */
bool gjkd_heap_trim(void);

#endif
