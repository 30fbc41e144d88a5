#ifndef GJKD_UTIL_TABLE_H
#define GJKD_UTIL_TABLE_H

/*
 * A hash table of entries that lie in their owners (intrusive, chained). Keys are hashes already:
 * words that nobody outside can choose (gjkd_hash2). Several entries may have one key. Used by one
 * thread at a time.
 */

#include "gjk/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gjkd_entry {
    struct gjkd_entry *next; /* in the chain */
    uint64_t key;
};

/* All zero: empty. */
struct gjkd_table {
    struct gjkd_entry **slots; /* a power of two of them */
    size_t slot_count, count;
};

/* Adds an entry before those of the same key. Amortized O(1). False: there is no memory for the
 * first slots; where there is none for more, chains get longer. */
bool gjkd_table_add(struct gjkd_table *table, struct gjkd_entry *entry, uint64_t key) GJK_MUST_USE;

/* The newest entry of that key; NULL: none. The next of the same key: from its `next`. */
struct gjkd_entry *gjkd_table_find(const struct gjkd_table *table, uint64_t key);
struct gjkd_entry *gjkd_table_find_next(const struct gjkd_entry *entry);

/* Removes an entry, which is in the table. */
void gjkd_table_remove(struct gjkd_table *table, struct gjkd_entry *entry);

/* Frees the slots, and no entry. */
void gjkd_table_fini(struct gjkd_table *table);

#endif
