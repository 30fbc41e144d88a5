#ifndef GJKD_STORE_SCHEMA_H
#define GJKD_STORE_SCHEMA_H

/* Tables of sets.db in each version. */

#include "gjk/base.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* Current version of the tables. Files of later versions are refused, earlier ones are migrated. */
#define GJKD_SCHEMA 4

/* Migrates a file from that version (0: empty) to GJKD_SCHEMA. On failure SQLite has the reason. */
bool gjkd_schema_migrate(sqlite3 *file, int64_t version) GJK_MUST_USE;

typedef enum gjkd_schema_kind {
    GJKD_SCHEMA_FITS,
    GJKD_SCHEMA_FOREIGN, /* the file has something that gjkd has not created */
    GJKD_SCHEMA_OTHER,   /* something that gjkd has created is missing or changed */
} gjkd_schema_kind;

typedef struct gjkd_schema_difference {
    gjkd_schema_kind kind;
    char type[16], name[64]; /* type of the object, such as trigger, and its name */
} gjkd_schema_difference;

/* Compares the file's tables, indices, views and triggers with those that gjkd creates in that
 * version. Returns false if the file cannot be read or memory is exhausted. */
bool gjkd_schema_compare(sqlite3 *file, int64_t version, gjkd_schema_difference *out) GJK_MUST_USE;

#endif
