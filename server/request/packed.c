/*
 * A list in order of last use, short enough for a linear search. Bodies are reference-counted: the
 * cache holds one reference, and each thread that copies a body holds another, so that no thread
 * copies under the lock. The copy is in the request's arena, so a slow reader pays for it and does
 * not keep the cache from freeing the body.
 */

#include "request/packed.h"

#include "work/memory.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gjkd_packed {
    atomic_uint references;
    size_t length;
    char key[GJKD_PACKED_KEY_MAX];
    char data[];
};

static uint64_t bytes_of(const struct gjkd_packed *item) {
    return sizeof *item + item->length;
}

/* Returns the limit for the bytes of all items. */
static uint64_t bytes_max(void) {
    const uint64_t part = gjkd_memory_ceiling(GJKD_CHARGE_SMALL) / GJKD_PACKED_MEMORY_PART;
    return part < GJKD_PACKED_BYTES_MAX ? part : GJKD_PACKED_BYTES_MAX;
}

static void release(struct gjkd_packed *item) {
    if (atomic_fetch_sub(&item->references, 1) == 1) {
        gjkd_memory_give(GJKD_CHARGE_LARGE, bytes_of(item));
        free(item);
    }
}

/* Removes the last item. Needs the lock. */
static void drop_last(struct gjkd_packed_cache *cache) {
    struct gjkd_packed *item = cache->items[--cache->count];
    cache->bytes -= bytes_of(item);
    release(item);
}

/* Returns the index of a key, or cache->count if it is absent. Needs the lock. */
static uint32_t index_of(const struct gjkd_packed_cache *cache, const char *key) {
    uint32_t i = 0;
    while (i < cache->count && strcmp(cache->items[i]->key, key) != 0) {
        i++;
    }
    return i;
}

/* Puts an item at the front, and moves the first `i` items up by one. Needs the lock. */
static void put_first(struct gjkd_packed_cache *cache, struct gjkd_packed *item, uint32_t i) {
    memmove(&cache->items[1], &cache->items[0], i * sizeof *cache->items);
    cache->items[0] = item;
}

void gjkd_packed_init(struct gjkd_packed_cache *cache) {
    *cache = (struct gjkd_packed_cache){.lock = PTHREAD_MUTEX_INITIALIZER};
}

void gjkd_packed_fini(struct gjkd_packed_cache *cache) {
    while (cache->count > 0) {
        drop_last(cache);
    }
    pthread_mutex_destroy(&cache->lock);
}

bool gjkd_packed_find(struct gjkd_packed_cache *cache, const char *key, size_t length_max,
                      struct gjk_arena *arena, proto_text *out) {
    struct gjkd_packed *item = NULL;
    pthread_mutex_lock(&cache->lock);
    const uint32_t i = index_of(cache, key);
    if (i < cache->count && cache->items[i]->length <= length_max) {
        item = cache->items[i];
        put_first(cache, item, i);
        atomic_fetch_add(&item->references, 1);
        cache->reused++;
    }
    pthread_mutex_unlock(&cache->lock);
    char *copy = item != NULL ? gjk_arena_alloc(arena, item->length) : NULL;
    if (copy != NULL) {
        memcpy(copy, item->data, item->length);
        *out = (proto_text){copy, item->length};
    }
    if (item != NULL) {
        release(item);
    }
    return copy != NULL;
}

/* Copies a body into a new item. Returns NULL if it is too long or memory is exhausted. */
static struct gjkd_packed *make_item(const char *key, const proto_text *pieces, size_t count) {
    size_t length = 0;
    for (size_t i = 0; i < count; i++) {
        length += pieces[i].length;
    }
    const uint64_t bytes = sizeof(struct gjkd_packed) + length;
    if (bytes > bytes_max() / GJKD_PACKED_BODY_PART || strlen(key) >= GJKD_PACKED_KEY_MAX ||
        !gjkd_memory_take(GJKD_CHARGE_LARGE, bytes)) {
        return NULL;
    }
    struct gjkd_packed *item = malloc(bytes);
    if (item == NULL) {
        gjkd_memory_give(GJKD_CHARGE_LARGE, bytes);
        return NULL;
    }
    atomic_init(&item->references, 1);
    item->length = 0;
    snprintf(item->key, sizeof item->key, "%s", key);
    for (size_t i = 0; i < count; i++) {
        memcpy(item->data + item->length, pieces[i].data, pieces[i].length);
        item->length += pieces[i].length;
    }
    return item;
}

void gjkd_packed_keep(struct gjkd_packed_cache *cache, const char *key, const proto_text *pieces,
                      size_t count) {
    const bool is_tight = gjkd_memory_is_tight();
    struct gjkd_packed *item = is_tight ? NULL : make_item(key, pieces, count);
    pthread_mutex_lock(&cache->lock);
    cache->made++;
    const bool is_new = item != NULL && index_of(cache, key) == cache->count;
    while (cache->count > 0 &&
           (is_tight || (is_new && (cache->count == GJKD_PACKED_MAX ||
                                    cache->bytes + bytes_of(item) > bytes_max())))) {
        drop_last(cache);
    }
    if (is_new) {
        put_first(cache, item, cache->count++);
        cache->bytes += bytes_of(item);
    }
    pthread_mutex_unlock(&cache->lock);
    if (item != NULL && !is_new) { /* another thread has kept the same body meanwhile */
        release(item);
    }
}

gjkd_packed_measure gjkd_packed_measure_now(struct gjkd_packed_cache *cache) {
    pthread_mutex_lock(&cache->lock);
    const gjkd_packed_measure measure = {cache->bytes, cache->made, cache->reused};
    pthread_mutex_unlock(&cache->lock);
    return measure;
}
