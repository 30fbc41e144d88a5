/* The slots double when there are as many entries, and never shrink. */

#include "util/table.h"

#include <stdlib.h>

#define SLOTS_MIN 8

static struct gjkd_entry **slot_of(const struct gjkd_table *table, uint64_t key) {
    return &table->slots[key & (table->slot_count - 1)];
}

static void put_entry(struct gjkd_table *table, struct gjkd_entry *entry) {
    struct gjkd_entry **slot = slot_of(table, entry->key);
    entry->next = *slot;
    *slot = entry;
}

/* Moves a chain from its end, so that entries with one key keep their order. */
static void move_chain(struct gjkd_table *to, struct gjkd_entry *chain) {
    struct gjkd_entry *reversed = NULL;
    while (chain != NULL) {
        struct gjkd_entry *next = chain->next;
        chain->next = reversed;
        reversed = chain;
        chain = next;
    }
    while (reversed != NULL) {
        struct gjkd_entry *next = reversed->next;
        put_entry(to, reversed);
        reversed = next;
    }
}

static void grow(struct gjkd_table *table) {
    const size_t slot_count = table->slot_count > 0 ? table->slot_count * 2 : SLOTS_MIN;
    struct gjkd_table grown = {calloc(slot_count, sizeof(struct gjkd_entry *)), slot_count,
                               table->count};
    if (grown.slots == NULL) {
        return;
    }
    for (size_t i = 0; i < table->slot_count; i++) {
        move_chain(&grown, table->slots[i]);
    }
    free((void *)table->slots);
    *table = grown;
}

bool gjkd_table_add(struct gjkd_table *table, struct gjkd_entry *entry, uint64_t key) {
    if (table->count == table->slot_count) {
        grow(table);
    }
    if (table->slot_count == 0) {
        return false;
    }
    entry->key = key;
    put_entry(table, entry);
    table->count++;
    return true;
}

static struct gjkd_entry *first_of(struct gjkd_entry *chain, uint64_t key) {
    while (chain != NULL && chain->key != key) {
        chain = chain->next;
    }
    return chain;
}

struct gjkd_entry *gjkd_table_find(const struct gjkd_table *table, uint64_t key) {
    return table->slot_count > 0 ? first_of(*slot_of(table, key), key) : NULL;
}

struct gjkd_entry *gjkd_table_find_next(const struct gjkd_entry *entry) {
    return first_of(entry->next, entry->key);
}

void gjkd_table_remove(struct gjkd_table *table, struct gjkd_entry *entry) {
    struct gjkd_entry **at = slot_of(table, entry->key);
    while (*at != entry) {
        at = &(*at)->next;
    }
    *at = entry->next;
    table->count--;
}

void gjkd_table_fini(struct gjkd_table *table) {
    free((void *)table->slots);
    *table = (struct gjkd_table){NULL, 0, 0};
}
