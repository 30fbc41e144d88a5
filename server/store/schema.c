/*
 * The reference of a comparison is created by the statements that create a file. Definitions are
 * compared without blanks, because a file restored from a dump may have other line ends.
 */

#include "store/schema.h"

#include "gjk/base.h"

#include <stdio.h>
#include <string.h>

/* Statements that migrate from version i (0: empty file) to version i + 1. */
static const char *const changes[GJKD_SCHEMA] = {
    "CREATE TABLE sets (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
    " dimension INTEGER NOT NULL, incarnation INTEGER NOT NULL, revision INTEGER NOT NULL,"
    " revision_bound INTEGER NOT NULL, next_handle INTEGER NOT NULL, history INTEGER,"
    " meta BLOB, shapes INTEGER NOT NULL, sum INTEGER NOT NULL);"
    "CREATE TABLE shapes (key INTEGER PRIMARY KEY, id TEXT NOT NULL, place BLOB NOT NULL,"
    " shape BLOB NOT NULL);"
    "CREATE TABLE touched (times INTEGER NOT NULL);"
    "INSERT INTO touched VALUES (0);"
    "PRAGMA application_id = 1735027556;"
    "PRAGMA user_version = 1;",
    "CREATE TABLE copy (number INTEGER PRIMARY KEY, cluster TEXT NOT NULL, epoch INTEGER NOT NULL,"
    " place INTEGER NOT NULL, message INTEGER NOT NULL, message_place INTEGER NOT NULL,"
    " sum INTEGER NOT NULL);"
    "CREATE TABLE ticks (key INTEGER PRIMARY KEY, text BLOB NOT NULL, sum INTEGER NOT NULL);"
    "PRAGMA user_version = 2;",
    ("ALTER TABLE sets ADD COLUMN mark INTEGER NOT NULL DEFAULT 0;"
     "PRAGMA user_version = 3;"),
    "PRAGMA user_version = 4;", /* a place may contain the write that has last changed its shape */
};

static bool execute(sqlite3 *file, const char *sql) {
    return sqlite3_exec(file, sql, NULL, NULL, NULL) == SQLITE_OK;
}

static bool change_over(sqlite3 *file, int64_t from, int64_t to) {
    GJK_ASSERT(from >= 0 && to <= GJKD_SCHEMA);
    for (; from < to; from++) {
        if (!execute(file, "BEGIN IMMEDIATE") || !execute(file, changes[from]) ||
            !execute(file, "COMMIT")) {
            return false;
        }
    }
    return true;
}

bool gjkd_schema_migrate(sqlite3 *file, int64_t version) {
    return change_over(file, version, GJKD_SCHEMA);
}

/* --- Comparison --- */

static bool is_same_definition(const char *a, const char *b) {
    static const char blanks[] = " \t\r\n";
    a += strspn(a, blanks);
    b += strspn(b, blanks);
    while (*a != '\0' && *a == *b) {
        a += 1 + strspn(a + 1, blanks);
        b += 1 + strspn(b + 1, blanks);
    }
    return *a == *b;
}

static const char *text(sqlite3_stmt *row, int column) {
    const char *found = (const char *)sqlite3_column_text(row, column);
    return found != NULL ? found : "";
}

static void note_difference(gjkd_schema_kind kind, sqlite3_stmt *row, gjkd_schema_difference *out) {
    out->kind = kind;
    snprintf(out->type, sizeof out->type, "%s", text(row, 0));
    snprintf(out->name, sizeof out->name, "%s", text(row, 1));
}

/* Compares two lists that are sorted by name. Returns false if one of them cannot be read. */
static bool compare_rows(sqlite3_stmt *found, sqlite3_stmt *wanted, gjkd_schema_difference *out) {
    out->kind = GJKD_SCHEMA_FITS;
    while (out->kind == GJKD_SCHEMA_FITS) {
        const int a = sqlite3_step(found), b = sqlite3_step(wanted);
        if ((a != SQLITE_ROW && a != SQLITE_DONE) || (b != SQLITE_ROW && b != SQLITE_DONE)) {
            return false;
        }
        if (a == SQLITE_DONE && b == SQLITE_DONE) {
            break;
        }
        const int order = a == SQLITE_DONE   ? 1
                          : b == SQLITE_DONE ? -1
                                             : strcmp(text(found, 1), text(wanted, 1));
        if (order < 0 || (order == 0 && strcmp(text(found, 0), text(wanted, 0)) != 0)) {
            note_difference(GJKD_SCHEMA_FOREIGN, found, out);
        } else if (order > 0 || !is_same_definition(text(found, 2), text(wanted, 2))) {
            note_difference(GJKD_SCHEMA_OTHER, wanted, out);
        }
    }
    return true;
}

bool gjkd_schema_compare(sqlite3 *file, int64_t version, gjkd_schema_difference *out) {
    static const char list[] = "SELECT type, name, sql FROM sqlite_schema ORDER BY name, type";
    sqlite3 *reference = NULL;
    sqlite3_stmt *found = NULL, *wanted = NULL;
    const bool fine =
        sqlite3_open_v2(":memory:", &reference, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) ==
            SQLITE_OK &&
        change_over(reference, 0, version) &&
        sqlite3_prepare_v2(file, list, -1, &found, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(reference, list, -1, &wanted, NULL) == SQLITE_OK &&
        compare_rows(found, wanted, out);
    sqlite3_finalize(found);
    sqlite3_finalize(wanted);
    sqlite3_close(reference);
    return fine;
}
