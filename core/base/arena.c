/*
 * A bump allocator. Blocks are cut from the front of chunks that double in size, so that n bytes
 * cost O(log n) calls of malloc. Under AddressSanitizer all memory outside of blocks is poisoned,
 * and gaps between blocks catch overruns.
 */

#include "gjk/arena.h"

#include "base/large_pages.h"

#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_ASAN 1
#endif
#endif

#ifdef ARENA_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(address, size) ASAN_POISON_MEMORY_REGION(address, size)
#define UNPOISON(address, size) ASAN_UNPOISON_MEMORY_REGION(address, size)
#define REDZONE_BYTES 64
#else
#define POISON(address, size) ((void)(address), (void)(size))
#define UNPOISON(address, size) ((void)(address), (void)(size))
#define REDZONE_BYTES 0
#endif

#define CHUNK_FIRST_BYTES 4096
#define CHUNK_DOUBLED_MAX_BYTES ((size_t)4 << 20) /* larger blocks get their own chunk */
#define BLOCK_ALIGNMENT 16
#define LINE_ALIGNMENT 64 /* for blocks of a cache line or more */

struct gjk_arena_chunk {
    struct gjk_arena_chunk *next;
    unsigned char *data; /* aligned to LINE_ALIGNMENT */
    size_t capacity;     /* bytes at `data` */
    size_t filled;       /* bytes at `data` in use, gaps included */
    bool is_lent;        /* caller's storage: never freed */
};

/* A deferred call, stored in the arena itself. */
struct gjk_arena_finalizer {
    struct gjk_arena_finalizer *next;
    void (*release)(void *thing);
    void *thing;
};

/* Returns `value` rounded up to a multiple of a power of two. */
static size_t round_up(size_t value, size_t alignment) {
    return (value + alignment - 1) & ~(alignment - 1);
}

void gjk_arena_init(struct gjk_arena *arena, size_t limit_bytes) {
    *arena = (struct gjk_arena){.limit_bytes = limit_bytes};
}

/* Makes the block the newest chunk. */
static void add_chunk(struct gjk_arena *arena, void *block, size_t bytes, bool is_lent) {
    struct gjk_arena_chunk *chunk = block;
    size_t start = round_up((uintptr_t)(chunk + 1), LINE_ALIGNMENT) - (uintptr_t)chunk;
    *chunk = (struct gjk_arena_chunk){
        .next = arena->chunks,
        .data = (unsigned char *)block + start,
        .capacity = bytes - start,
        .is_lent = is_lent,
    };
    POISON(chunk->data, chunk->capacity);
    arena->chunks = chunk;
}

void gjk_arena_init_in(struct gjk_arena *arena, size_t limit_bytes, void *block, size_t bytes) {
    GJK_ASSERT(bytes >= sizeof(struct gjk_arena_chunk) + LINE_ALIGNMENT);
    gjk_arena_init(arena, limit_bytes);
    add_chunk(arena, block, bytes, true);
}

void gjk_arena_charge(struct gjk_arena *arena, gjk_arena_account *account) {
    GJK_ASSERT(arena->chunks == NULL || arena->chunks->is_lent);
    arena->account = account;
}

void gjk_arena_set_budget(struct gjk_arena *arena, gjk_budget *budget) {
    arena->budget = budget;
}

void gjk_arena_init_beside(struct gjk_arena *scratch, const struct gjk_arena *arena) {
    *scratch = (struct gjk_arena){.account = arena->account, .budget = arena->budget};
}

bool gjk_arena_can_take(const struct gjk_arena *arena, size_t bytes) {
    gjk_arena_account *account = arena->account;
    if (account == NULL) {
        return true;
    }
    bool can = account->take(account, bytes);
    if (can) {
        account->give(account, bytes);
    }
    return can;
}

/* Frees chunks from `chunk` up to `end`, exclusive. */
static void free_chunks(const struct gjk_arena *arena, struct gjk_arena_chunk *chunk,
                        const struct gjk_arena_chunk *end) {
    while (chunk != end) {
        struct gjk_arena_chunk *next = chunk->next;
        UNPOISON(chunk->data, chunk->capacity);
        if (!chunk->is_lent) {
            if (arena->account != NULL) {
                const size_t start = (size_t)(chunk->data - (const unsigned char *)chunk);
                arena->account->give(arena->account, start + chunk->capacity);
            }
            free(chunk);
        }
        chunk = next;
    }
}

/* Calls the finalizers up to `end`, exclusive, newest first. */
static void finalize(struct gjk_arena *arena, const struct gjk_arena_finalizer *end) {
    while (arena->finalizers != end) {
        const struct gjk_arena_finalizer *newest = arena->finalizers;
        arena->finalizers = newest->next;
        newest->release(newest->thing);
    }
}

bool gjk_arena_defer(struct gjk_arena *arena, void (*release)(void *thing), void *thing) {
    struct gjk_arena_finalizer *finalizer = gjk_arena_alloc(arena, sizeof *finalizer);
    if (finalizer == NULL) {
        return false;
    }
    *finalizer = (struct gjk_arena_finalizer){arena->finalizers, release, thing};
    arena->finalizers = finalizer;
    return true;
}

void gjk_arena_fini(struct gjk_arena *arena) {
    finalize(arena, NULL);
    free_chunks(arena, arena->chunks, NULL);
    arena->chunks = NULL;
    arena->used_bytes = 0;
}

void gjk_arena_reset(struct gjk_arena *arena) {
    gjk_arena_rewind(arena, (gjk_arena_mark){0});
}

gjk_arena_mark gjk_arena_here(const struct gjk_arena *arena) {
    struct gjk_arena_chunk *chunk = arena->chunks;
    return (gjk_arena_mark){.chunk = chunk,
                            .finalizer = arena->finalizers,
                            .filled = chunk != NULL ? chunk->filled : 0,
                            .used_bytes = arena->used_bytes};
}

static void cut_chunk(struct gjk_arena_chunk *chunk, size_t filled) {
    chunk->filled = filled;
    POISON(chunk->data + filled, chunk->capacity - filled);
}

void gjk_arena_rewind(struct gjk_arena *arena, gjk_arena_mark mark) {
    finalize(arena, mark.finalizer);
    struct gjk_arena_chunk *newest = arena->chunks;
    if (newest != NULL && newest != mark.chunk) {
        free_chunks(arena, newest->next, mark.chunk);
        newest->next = mark.chunk;
        cut_chunk(newest, 0);
    }
    if (mark.chunk != NULL) {
        cut_chunk(mark.chunk, mark.filled);
    }
    arena->used_bytes = mark.used_bytes;
}

/* Takes a block at `start` of the newest chunk. Precondition: the chunk has room for it. */
static void *take(struct gjk_arena *arena, size_t start, size_t size, size_t padded) {
    struct gjk_arena_chunk *chunk = arena->chunks;
    chunk->filled = start + padded + REDZONE_BYTES;
    arena->used_bytes += padded;
    UNPOISON(chunk->data + start, size);
    return chunk->data + start;
}

/* Takes a block at the front of a new chunk. Not inlined, so that the common case saves no
 * registers. */
__attribute__((noinline)) static void *take_new(struct gjk_arena *arena, size_t size, size_t padded,
                                                bool is_gradual) {
    size_t capacity = arena->chunks == NULL ? CHUNK_FIRST_BYTES : 2 * arena->chunks->capacity;
    if (capacity > CHUNK_DOUBLED_MAX_BYTES) {
        capacity = CHUNK_DOUBLED_MAX_BYTES;
    }
    if (capacity < padded + REDZONE_BYTES) {
        capacity = padded + REDZONE_BYTES;
    }
    capacity += sizeof(struct gjk_arena_chunk) + LINE_ALIGNMENT;
    if (arena->account != NULL && !arena->account->take(arena->account, capacity)) {
        return NULL;
    }
    void *block = malloc(capacity);
    if (block == NULL) {
        if (arena->account != NULL) {
            arena->account->give(arena->account, capacity);
        }
        return NULL;
    }
    if (padded >= CHUNK_DOUBLED_MAX_BYTES) { /* the block fills the chunk */
        gjk_prefer_large_pages(block, capacity, !is_gradual);
    }
    add_chunk(arena, block, capacity, false);
    return take(arena, 0, size, padded);
}

static inline void *alloc(struct gjk_arena *arena, size_t size, bool is_gradual) {
    size_t alignment = size >= LINE_ALIGNMENT ? LINE_ALIGNMENT : BLOCK_ALIGNMENT;
    size_t limit = arena->limit_bytes != 0 ? arena->limit_bytes : SIZE_MAX;

    if (size > SIZE_MAX / 2) {
        return NULL;
    }
    size_t padded = size == 0 ? alignment : round_up(size, alignment);
    if (padded > limit || arena->used_bytes > limit - padded) {
        return NULL;
    }
    const struct gjk_arena_chunk *chunk = arena->chunks;
    size_t start = chunk != NULL ? round_up(chunk->filled, alignment) : 0;
    bool fits = chunk != NULL && start <= chunk->capacity &&
                padded + REDZONE_BYTES <= chunk->capacity - start;
    return fits ? take(arena, start, size, padded) : take_new(arena, size, padded, is_gradual);
}

void *gjk_arena_alloc(struct gjk_arena *arena, size_t size) {
    return alloc(arena, size, false);
}

void *gjk_arena_alloc_gradual(struct gjk_arena *arena, size_t size) {
    return alloc(arena, size, true);
}

void *gjk_arena_alloc_array(struct gjk_arena *arena, size_t count, size_t size) {
    if (size != 0 && count > SIZE_MAX / size) {
        return NULL;
    }
    return gjk_arena_alloc(arena, count * size);
}

char *gjk_arena_copy_text(struct gjk_arena *arena, const char *text, size_t length) {
    if (length == SIZE_MAX) {
        return NULL;
    }
    char *copy = gjk_arena_alloc(arena, length + 1);
    if (copy != NULL) {
        if (length > 0) {
            memcpy(copy, text, length);
        }
        copy[length] = '\0';
    }
    return copy;
}
