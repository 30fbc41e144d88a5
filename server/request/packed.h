#ifndef GJKD_REQUEST_PACKED_H
#define GJKD_REQUEST_PACKED_H

/*
 * Cache of gzipped bodies of answers, keyed by their entity tag. The least recently used body is
 * dropped first. Thread-safe.
 */

#include "gjk/arena.h"
#include "proto/buffer.h"
#include "sets/etag.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Limits of the cache: the number of bodies, the bytes of all (a 64th of --max-memory, at most
 * 16 MiB), and the bytes of one (a 16th of those of all). */
#define GJKD_PACKED_MAX 64
#define GJKD_PACKED_MEMORY_PART 64
#define GJKD_PACKED_BYTES_MAX ((uint64_t)16 << 20)
#define GJKD_PACKED_BODY_PART 16

/* Least length before compression of a body that is kept. Shorter ones are many, and compressing
 * one takes less than 0.1 ms. */
#define GJKD_PACKED_LENGTH_MIN 4096

/* Size of a key: an entity tag, and the parameters that distinguish bodies with the same tag. */
#define GJKD_PACKED_KEY_MAX (GJKD_ETAG_MAX + 16)

struct gjkd_packed_cache {
    pthread_mutex_t lock;                       /* protects the other members */
    struct gjkd_packed *items[GJKD_PACKED_MAX]; /* bodies, the most recently used one first */
    uint32_t count;
    uint64_t bytes;        /* size of all items, charged to the process (work/memory.h) */
    uint64_t made, reused; /* number of bodies compressed, and of answers from the cache, so far */
};

void gjkd_packed_init(struct gjkd_packed_cache *cache);
void gjkd_packed_fini(struct gjkd_packed_cache *cache);

/* Copies the body with that key to the arena. Returns false if it is not kept, longer than
 * length_max, or memory for the copy is exhausted. */
bool gjkd_packed_find(struct gjkd_packed_cache *cache, const char *key, size_t length_max,
                      struct gjk_arena *arena, proto_text *out);

/* Keeps a copy of a gzipped body, given in pieces, unless it is too long. If the process is short
 * of memory, frees all bodies instead. */
void gjkd_packed_keep(struct gjkd_packed_cache *cache, const char *key, const proto_text *pieces,
                      size_t count);

typedef struct gjkd_packed_measure {
    uint64_t bytes; /* as in gjkd_packed_cache, likewise the next */
    uint64_t made, reused;
} gjkd_packed_measure;
gjkd_packed_measure gjkd_packed_measure_now(struct gjkd_packed_cache *cache);

#endif
