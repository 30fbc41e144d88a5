#ifndef GJKD_REQUEST_PACKED_H
#define GJKD_REQUEST_PACKED_H

/*
 * Packed bodies of answers that have an entity tag, kept for the next client that asks for the same
 * bytes. The least recently used ones go first. Thread-safe.
 */

#include "gjk/arena.h"
#include "proto/buffer.h"
#include "sets/etag.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Most bodies that are kept, and most bytes of all of them: a 64th of --max-memory, but no more than
 * 16 MiB. One body has at most a 16th of that. */
#define GJKD_PACKED_MAX 64
#define GJKD_PACKED_MEMORY_PART 64
#define GJKD_PACKED_BYTES_MAX ((uint64_t)16 << 20)
#define GJKD_PACKED_BODY_PART 16

/* Bodies that are shorter than this before they are packed are not kept: there are many, and to
 * pack one takes less than 0.1 ms. */
#define GJKD_PACKED_LENGTH_MIN 4096

/* Bytes of a key: an entity tag, and what else tells the bodies of one tag apart. */
#define GJKD_PACKED_KEY_MAX (GJKD_ETAG_MAX + 16)

struct gjkd_packed_cache {
    pthread_mutex_t lock;                       /* of what follows */
    struct gjkd_packed *items[GJKD_PACKED_MAX]; /* the most recently used one first */
    uint32_t count;
    uint64_t bytes; /* of all items, charged to the process (work/memory.h) */
    uint64_t made, reused;
};

void gjkd_packed_init(struct gjkd_packed_cache *cache);
void gjkd_packed_fini(struct gjkd_packed_cache *cache);

/* Copies the body that is kept under the key to the arena. Returns false if there is none of at most
 * length_max bytes, or no memory for the copy. */
bool gjkd_packed_find(struct gjkd_packed_cache *cache, const char *key, size_t length_max,
                      struct gjk_arena *arena, proto_text *out);

/* Keeps a copy of a body that has just been packed and stands in pieces, unless it is too long or
 * memory is tight; then all that is kept is given back, too. */
void gjkd_packed_keep(struct gjkd_packed_cache *cache, const char *key, const proto_text *pieces,
                      size_t count);

typedef struct gjkd_packed_measure {
    uint64_t bytes;        /* kept */
    uint64_t made, reused; /* bodies so far */
} gjkd_packed_measure;
gjkd_packed_measure gjkd_packed_measure_now(struct gjkd_packed_cache *cache);

#endif
