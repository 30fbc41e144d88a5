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

/* Account that pays for the memory of arenas. It is called for every chunk before malloc and before
 * free. take returning false refuses the chunk, and the arena is out of memory. The functions have
 * to stand calls from every thread whose arenas share the account. */
typedef struct gjk_arena_account {
    bool (*take)(struct gjk_arena_account *account, size_t bytes);
    void (*give)(struct gjk_arena_account *account, size_t bytes);
    struct gjk_arena_account *lasting; /* pays for what outlives the arena's user; NULL: none */
} gjk_arena_account;

struct gjk_arena {
    struct gjk_arena_chunk *chunks;         /* newest first */
    size_t used_bytes;                      /* handed out since init or reset, padding included */
    size_t limit_bytes;                     /* 0: none */
    struct gjk_arena_finalizer *finalizers; /* newest first */
    gjk_arena_account *account;             /* NULL: nothing is charged */
    gjk_budget *budget;                     /* NULL: endless */
};

/* Initialises an arena in the caller's storage; allocates nothing. limit_bytes bounds the sum of
 * all blocks, padding included; 0: no bound. */
void gjk_arena_init(struct gjk_arena *arena, size_t limit_bytes);

/* The same with a first chunk inside a block of the caller's, of 128 bytes or more, which may be
 * another arena's: as long as it suffices nothing is allocated. It has to live until fini. */
void gjk_arena_init_in(struct gjk_arena *arena, size_t limit_bytes, void *block, size_t bytes);

/* Charges future chunks to the account, which has to outlive the arena; NULL: to none, as after
 * init. The arena must not have chunks yet. Reset and fini keep the account. */
void gjk_arena_charge(struct gjk_arena *arena, gjk_arena_account *account);

/* Sets the budget of the work on what is made in the arena: constructors and sorts spend it and end
 * with GJK_GIVEN_UP. Borrowed; NULL: endless, as after init. Reset and fini leave that as it is.
 * Until it is spent nothing depends on it. */
void gjk_arena_set_budget(struct gjk_arena *arena, gjk_budget *budget);

/* Initialises an arena without a bound of its own, which shares the account and the budget of
 * another one. */
void gjk_arena_init_beside(struct gjk_arena *scratch, const struct gjk_arena *arena);

/* Returns true if so many bytes could be charged now, or there is no account. Reserves nothing. */
bool gjk_arena_can_take(const struct gjk_arena *arena, size_t bytes) GJK_MUST_USE;

/* Frees every block and chunk. The arena is as after init and may be used again. */
void gjk_arena_fini(struct gjk_arena *arena);

/* Forgets every block but keeps one chunk for the next user (poisoned under ASan). */
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

/* Allocates as gjk_arena_alloc, without large pages: for a block that is filled bit by bit by a
 * thread that must not stall. The system clears a large page as a whole when it is first written
 * to, which takes 0.1 ms, and in a virtual machine 5. */
void *gjk_arena_alloc_gradual(struct gjk_arena *arena, size_t size) GJK_MUST_USE;

/* Allocates count * size bytes as gjk_arena_alloc. Returns NULL if the product overflows, too. */
void *gjk_arena_alloc_array(struct gjk_arena *arena, size_t count, size_t size) GJK_MUST_USE;

/* Defers a call of release(thing) until reset, fini or a rewind to an earlier mark, the newest
 * first. So an arena can hold references to counted objects. Returns false if memory is exhausted:
 * nothing will be called. */
bool gjk_arena_defer(struct gjk_arena *arena, void (*release)(void *thing),
                     void *thing) GJK_MUST_USE;

/* Copies length bytes and adds a NUL. Returns NULL as gjk_arena_alloc. */
char *gjk_arena_copy_text(struct gjk_arena *arena, const char *text, size_t length) GJK_MUST_USE;

GJK_END

#endif
