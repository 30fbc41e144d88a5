#ifndef GJKD_STORE_TABLES_H
#define GJKD_STORE_TABLES_H

/*
 * The tables of the database.
 *
 *   sets     one row a set: all but its shapes
 *   shapes   one row a shape (row.h), under the number of its set and its handle
 */

#include "sets/version_edit.h"
#include "store/database.h"
#include "store/row.h"

/* Writes what makes the stored set `from` (NULL: none) the set `to` (NULL: none). O(differences).
 * The arena is scratch. */
bool gjkd_database_write(struct gjkd_database *database, const struct gjkd_version *from,
                         const struct gjkd_version *to, struct gjk_arena *arena) GJK_MUST_USE;

/* Sets *out: whether there is a set of that name. Returns false if the file cannot be read. */
bool gjkd_database_has(struct gjkd_database *database, const char *name, bool *out) GJK_MUST_USE;

/* Writes the set's row alone. */
bool gjkd_database_put_set(struct gjkd_database *database,
                           const struct gjkd_version *version) GJK_MUST_USE;

/* A set as it is stored, its texts valid until the next call. */
typedef struct gjkd_stored_set {
    int64_t number;
    gjkd_restored head;      /* without bodies */
    uint64_t revision_bound; /* as in gjkd_version */
    uint32_t shapes;
} gjkd_stored_set;

typedef enum gjkd_next { GJKD_NEXT_OK, GJKD_NEXT_END, GJKD_NEXT_FAILED } gjkd_next;

/* One after the other: the sets by name, the shapes of the set of that number by handle. After
 * anything but OK the next call starts over. */
gjkd_next gjkd_database_next_set(struct gjkd_database *database, gjkd_stored_set *out);
gjkd_next gjkd_database_next_shape(struct gjkd_database *database, int64_t set, gjkd_row *out);

#endif
