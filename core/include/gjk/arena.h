#ifndef GJK_ARENA_H
#define GJK_ARENA_H

/*
 * A bump allocator: many small blocks, freed all at once. Who makes an arena owns every block in
 * it; a block lives until gjk_arena_reset or _fini. Not thread-safe: one arena belongs to one
 * thread at a time. Queries never touch it; shape constructors and whoever collects answers do.
 */

#include "gjk/base.h"
#include "gjk/budget.h"

struct gjk_arena_chunk;
struct gjk_arena_finalizer;

/* Account that pays for the memory of arenas. It is called for every chunk before malloc and before
 * free. take returning false refuses the chunk, and the arena is out of memory. The functions have
 * to stand calls from every thread whose arenas share the account. */
typedef struct gjk_arena_account {
    bool (*take)(struct gjk_arena_account *account, size_t bytes);
    void (*give)(struct gjk_arena_account *account, size_t bytes);
    struct gjk_arena_account *lasting; /* pays for what outlives the arena's user; NULL: nobody */
} gjk_arena_account;

struct gjk_arena {
    struct gjk_arena_chunk *chunks;         /* newest first */
    size_t used_bytes;                      /* handed out since init or reset, padding included */
    size_t limit_bytes;                     /* 0: none */
    struct gjk_arena_finalizer *finalizers; /* newest first */
    gjk_arena_account *account;             /* NULL: nobody is told */
    gjk_budget *budget;                     /* NULL: endless */
};

/* Caller's storage. limit_bytes bounds what alloc hands out in all; 0: no bound. */
void gjk_arena_init(struct gjk_arena *arena, size_t limit_bytes);

/* The same with a first chunk inside a block of the caller's, of 128 bytes or more, which may be
 * another arena's: as long as it suffices nothing is allocated. It has to live until fini. */
void gjk_arena_init_in(struct gjk_arena *arena, size_t limit_bytes, void *block, size_t bytes);

/* Charges the chunks of an arena without any to the account, which has to outlive it; NULL: to
 * nobody, as after init. Reset and fini leave that as it is. */
void gjk_arena_charge(struct gjk_arena *arena, gjk_arena_account *account);

/* Sets the budget of the work on what is made in the arena: constructors and sorts spend it and end
 * with GJK_GIVEN_UP. Borrowed; NULL: endless, as after init. Reset and fini leave that as it is.
 * Until it is spent nothing depends on it. */
void gjk_arena_set_budget(struct gjk_arena *arena, gjk_budget *budget);

/* As gjk_arena_init without a bound, for memory that is needed while something is made in another
 * arena: with that one's account and budget. */
void gjk_arena_init_beside(struct gjk_arena *scratch, const struct gjk_arena *arena);

/* Could so many bytes be charged now? Always, where nobody is told. Reserves nothing. */
bool gjk_arena_can_take(const struct gjk_arena *arena, size_t bytes) GJK_MUST_USE;

/* Frees every block and chunk. The arena is as after init and may be used again. */
void gjk_arena_fini(struct gjk_arena *arena);

/* Forgets every block but keeps one chunk for the next user (poisoned under ASan). */
void gjk_arena_reset(struct gjk_arena *arena);

/* Marks: blocks allocated from gjk_arena_here to gjk_arena_rewind go at once; blocks from before
 * stay. Marks are used up like nested brackets: the last one first. Like reset, rewind keeps one
 * chunk for the next user. */
typedef struct gjk_arena_mark {
    struct gjk_arena_chunk *chunk;
    struct gjk_arena_finalizer *finalizer;
    size_t filled, used_bytes;
} gjk_arena_mark;
gjk_arena_mark gjk_arena_here(const struct gjk_arena *arena);
void gjk_arena_rewind(struct gjk_arena *arena, gjk_arena_mark mark);

/* A block of the given size, aligned to 64 bytes when size >= 64, else to 16. Not zeroed. NULL when
 * memory or the arena's limit runs out. size 0 gives a unique pointer. */
void *gjk_arena_alloc(struct gjk_arena *arena, size_t size) GJK_MUST_USE;

/* The same for a block that is filled bit by bit by a thread that must not stall: the system clears
 * a large page as a whole when it is first written to, which takes 0.1 ms, and in a virtual machine
 * 5. */
void *gjk_arena_alloc_gradual(struct gjk_arena *arena, size_t size) GJK_MUST_USE;

/* The same for count items of the given size, safe against overflow of the product. */
void *gjk_arena_alloc_array(struct gjk_arena *arena, size_t count, size_t size) GJK_MUST_USE;

/* Has release(thing) called when what is allocated now goes: by reset, fini or a rewind to an
 * earlier mark, the newest first. So an arena can hold references to objects with a life of their
 * own. False: out of memory, and nothing will be called. */
bool gjk_arena_defer(struct gjk_arena *arena, void (*release)(void *thing),
                     void *thing) GJK_MUST_USE;

/* A copy of length bytes and a NUL behind them. */
char *gjk_arena_copy_text(struct gjk_arena *arena, const char *text, size_t length) GJK_MUST_USE;

#endif
