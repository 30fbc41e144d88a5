#ifndef GJKD_UTIL_TABLE_H
#define GJKD_UTIL_TABLE_H

/*
 * A hash table with separate chaining whose entries are members of the caller's objects
 * (intrusive). Keys are hashes that nobody outside can choose (gjkd_hash2); several entries may
 * share one. For one thread at a time.
 */

#include "gjk/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gjkd_entry {
    struct gjkd_entry *next; /* next entry of the chain */
    uint64_t key;
};

/* An empty table is all zero. */
struct gjkd_table {
    struct gjkd_entry **slots; /* slot_count of them, a power of two */
    size_t slot_count, count;
};

/* Adds an entry before others with the same key. Amortized O(1). Returns false if memory for the
 * first slots is exhausted; if memory for more slots is, chains get longer. */
bool gjkd_table_add(struct gjkd_table *table, struct gjkd_entry *entry, uint64_t key) GJK_MUST_USE;

/* Return the newest entry with that key, and the next one with the same key; NULL: none. */
struct gjkd_entry *gjkd_table_find(const struct gjkd_table *table, uint64_t key);
struct gjkd_entry *gjkd_table_find_next(const struct gjkd_entry *entry);

/* Removes an entry that is in the table. */
void gjkd_table_remove(struct gjkd_table *table, struct gjkd_entry *entry);

/* Frees the slots, but no entry. */
void gjkd_table_fini(struct gjkd_table *table);

#endif
