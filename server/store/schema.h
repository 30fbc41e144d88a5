#ifndef GJKD_STORE_SCHEMA_H
#define GJKD_STORE_SCHEMA_H

/* The tables of sets.db in each of its forms. */

#include "gjk/base.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* The version of the tables. A file of a later one is refused, one of an earlier one is changed
 * over. */
#define GJKD_SCHEMA 4

/* Changes a file of that version, 0: an empty one, over to GJKD_SCHEMA. False: SQLite says why
 * not. */
bool gjkd_schema_migrate(sqlite3 *file, int64_t version) GJK_MUST_USE;

typedef enum gjkd_schema_kind {
    GJKD_SCHEMA_FITS,
    GJKD_SCHEMA_FOREIGN, /* the file has something that gjkd did not make */
    GJKD_SCHEMA_OTHER,   /* something that gjkd made is missing or changed */
} gjkd_schema_kind;

typedef struct gjkd_schema_difference {
    gjkd_schema_kind kind;
    char type[16], name[64]; /* such as trigger, and what it is called */
} gjkd_schema_difference;

/* Compares what the file has (tables, indices, views, triggers) with what gjkd makes in that
 * version. False: it cannot be read, or there is no memory. */
bool gjkd_schema_compare(sqlite3 *file, int64_t version, gjkd_schema_difference *out) GJK_MUST_USE;

#endif
