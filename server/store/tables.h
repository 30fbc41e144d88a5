#ifndef GJKD_STORE_TABLES_H
#define GJKD_STORE_TABLES_H

/*
 * Tables of the database.
 *
 *   sets     one row for each set, without its shapes
 *   shapes   one row for each shape (row.h); its key is the number of the set and the handle
 */

#include "sets/version_edit.h"
#include "store/database.h"
#include "store/row.h"

/* Writes the difference between the stored set `from` and the set `to` (NULL: no set).
 * O(differences). The arena is scratch memory. */
bool gjkd_database_write(struct gjkd_database *database, const struct gjkd_version *from,
                         const struct gjkd_version *to, struct gjk_arena *arena) GJK_MUST_USE;

/* Sets *out to true if a set of that name is stored. Returns false if the file cannot be read. */
bool gjkd_database_has(struct gjkd_database *database, const char *name, bool *out) GJK_MUST_USE;

/* Writes only the set's row. */
bool gjkd_database_put_set(struct gjkd_database *database,
                           const struct gjkd_version *version) GJK_MUST_USE;

/* Row of a set. Its texts are valid until the next call. */
typedef struct gjkd_stored_set {
    int64_t number;
    gjkd_restored head;      /* without bodies */
    uint64_t revision_bound; /* as in gjkd_version */
    uint32_t shapes;
} gjkd_stored_set;

typedef enum gjkd_next { GJKD_NEXT_OK, GJKD_NEXT_END, GJKD_NEXT_FAILED } gjkd_next;

/* Read the sets in order of names, and the shapes of a set in order of handles, one with each call.
 * After any result except OK the next call starts from the beginning. */
gjkd_next gjkd_database_next_set(struct gjkd_database *database, gjkd_stored_set *out);
gjkd_next gjkd_database_next_shape(struct gjkd_database *database, int64_t set, gjkd_row *out);

#endif
