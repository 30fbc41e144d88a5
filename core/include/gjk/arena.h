#ifndef GJK_ARENA_H
#define GJK_ARENA_H

/*
 * A bump allocator: many small blocks, freed all at once. A block lives until gjk_arena_reset or
 * _fini. Not thread-safe: one thread at a time may use an arena. Shape constructors and set
 * queries, which collect answers, allocate; pair queries do not.
 */

#include "gjk/base.h"
#include "gjk/budget.h"

GJK_BEGIN

struct gjk_arena_chunk;
struct gjk_arena_finalizer;

/* Account that is charged for the memory of arenas. An arena calls take before it allocates a chunk
 * and give before it frees one. If take returns false, the chunk is refused and the arena counts as
 * out of memory. Arenas on several threads may share an account: both functions must be
 * thread-safe. */
typedef struct gjk_arena_account {
    bool (*take)(struct gjk_arena_account *account, size_t bytes);
    void (*give)(struct gjk_arena_account *account, size_t bytes);
    struct gjk_arena_account *lasting; /* charged for what outlives the user; NULL: none */
} gjk_arena_account;

struct gjk_arena {
    struct gjk_arena_chunk *chunks;         /* newest first */
    size_t used_bytes;                      /* handed out since init or reset, padding included */
    size_t limit_bytes;                     /* 0: no limit */
    struct gjk_arena_finalizer *finalizers; /* newest first */
    gjk_arena_account *account;             /* NULL: nothing is charged */
    gjk_budget *budget;                     /* NULL: no limit */
};

/* Initialises an arena in the caller's storage; allocates nothing. limit_bytes bounds the sum of
 * all blocks, padding included; 0: no bound. */
void gjk_arena_init(struct gjk_arena *arena, size_t limit_bytes);

/* Initialises an arena as gjk_arena_init does, with its first chunk inside `block`, which is at
 * least 128 bytes long and may belong to another arena. No memory is allocated until that chunk is
 * full. The block must live until fini. */
void gjk_arena_init_in(struct gjk_arena *arena, size_t limit_bytes, void *block, size_t bytes);

/* Charges all future chunks to `account`, which must outlive the arena; NULL charges nobody, as
 * after init. Precondition: the arena has no chunks. Reset and fini keep the account. */
void gjk_arena_charge(struct gjk_arena *arena, gjk_arena_account *account);

/* Sets the budget of work on data in the arena. Constructors and sorts spend it and return
 * GJK_GIVEN_UP when it is spent; until then it changes no result. Borrows the budget; NULL: no
 * limit, as after init. Reset and fini keep it. */
void gjk_arena_set_budget(struct gjk_arena *arena, gjk_budget *budget);

/* Initialises an arena without a size limit that shares the account and the budget of `arena`. */
void gjk_arena_init_beside(struct gjk_arena *scratch, const struct gjk_arena *arena);

/* Returns true if `bytes` could be charged now or the arena has no account. Reserves nothing. */
bool gjk_arena_can_take(const struct gjk_arena *arena, size_t bytes) GJK_MUST_USE;

/* Frees every block and chunk. The arena is as after init and can be used again. */
void gjk_arena_fini(struct gjk_arena *arena);

/* Frees every block but keeps one chunk for the next user (poisoned under ASan). */
void gjk_arena_reset(struct gjk_arena *arena);

/* A position in the arena. gjk_arena_rewind frees all blocks allocated since gjk_arena_here
 * returned it. Rewind to positions in reverse order, like closing nested brackets. Like reset,
 * rewind keeps one chunk for the next user. */
typedef struct gjk_arena_mark {
    struct gjk_arena_chunk *chunk;
    struct gjk_arena_finalizer *finalizer;
    size_t filled, used_bytes;
} gjk_arena_mark;
gjk_arena_mark gjk_arena_here(const struct gjk_arena *arena);
void gjk_arena_rewind(struct gjk_arena *arena, gjk_arena_mark mark);

/* Allocates a block of `size` bytes, aligned to 64 bytes if size >= 64, else to 16. Not zeroed.
 * size 0 gives a unique pointer. Returns NULL if memory, the account or the arena's limit is
 * exhausted. */
void *gjk_arena_alloc(struct gjk_arena *arena, size_t size) GJK_MUST_USE;

/* Allocates as gjk_arena_alloc does, but without large pages: for a block that a thread with a
 * latency bound fills gradually. The kernel clears a large page as a whole at the first write to
 * it, which takes 0.1 ms, and 5 ms in a virtual machine. */
void *gjk_arena_alloc_gradual(struct gjk_arena *arena, size_t size) GJK_MUST_USE;

/* Allocates count * size bytes as gjk_arena_alloc does. Also returns NULL if the product
 * overflows. */
void *gjk_arena_alloc_array(struct gjk_arena *arena, size_t count, size_t size) GJK_MUST_USE;

/* Defers a call of release(thing) until reset, fini or a rewind to an earlier mark. Deferred calls
 * run newest first. An arena can thus hold references to counted objects. Returns false if memory
 * is exhausted; release is then never called. */
bool gjk_arena_defer(struct gjk_arena *arena, void (*release)(void *thing),
                     void *thing) GJK_MUST_USE;

/* Copies `length` bytes and adds a NUL. Returns NULL where gjk_arena_alloc would. */
char *gjk_arena_copy_text(struct gjk_arena *arena, const char *text, size_t length) GJK_MUST_USE;

GJK_END

#endif
