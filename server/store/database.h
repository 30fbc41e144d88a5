#ifndef GJKD_STORE_DATABASE_H
#define GJKD_STORE_DATABASE_H

/*
 * File sets.db of a data directory: SQLite with a write-ahead log that is synced at every commit.
 * Not thread-safe.
 */

#include "gjk/base.h"
#include "util/log.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <sys/stat.h>

/* Prepared statements, indices into `statements`. */
enum {
    GJKD_SQL_FIND_SET,
    GJKD_SQL_PUT_SET,
    GJKD_SQL_DROP_SET,
    GJKD_SQL_DROP_SHAPES, /* all shapes of a set */
    GJKD_SQL_PUT_SHAPE,
    GJKD_SQL_MOVE_SHAPE,
    GJKD_SQL_DROP_SHAPE,
    GJKD_SQL_READ_SETS,
    GJKD_SQL_READ_SHAPES,
    GJKD_SQL_READ_COPY,
    GJKD_SQL_COUNT
};

struct gjkd_database {
    sqlite3 *sqlite;
    int lock;              /* file descriptor of the locked directory; -1 if not open */
    struct stat file, log; /* as of their opening; `log` is all zero if it did not exist */
    bool has_moved;        /* the last commit was refused because one of them had moved */
    sqlite3_stmt *statements[GJKD_SQL_COUNT];
};

/*
 * Opens the directory's file, or creates it, and locks the directory against all other processes.
 * Refuses an empty file as damaged. Returns NULL on failure: error gives the reason and the remedy.
 */
struct gjkd_database *gjkd_database_open(const char *directory, char error[GJKD_ERROR_MAX]);

/* Writes the log into the file and unlocks the directory. NULL is allowed. */
void gjkd_database_close(struct gjkd_database *database);

/* Returns false if an earlier gjkd kept the directory for a node of a cluster; error says so. The
 * cluster would not learn of changes made here. */
bool gjkd_database_check_owner(struct gjkd_database *database, const char *directory,
                               char error[GJKD_ERROR_MAX]) GJK_MUST_USE;

/* Returns the full path of the file. A view. */
const char *gjkd_database_path(struct gjkd_database *database);

/*
 * A transaction. After commit has returned true, everything written since begin is on stable
 * storage. If any call returns false, call undo: then nothing is stored, and gjkd_database_error
 * returns the reason.
 */
bool gjkd_database_begin(struct gjkd_database *database) GJK_MUST_USE;
bool gjkd_database_commit(struct gjkd_database *database) GJK_MUST_USE;
void gjkd_database_undo(struct gjkd_database *database);
const char *gjkd_database_error(struct gjkd_database *database);

/* Returns true if the file or its log is no longer at the path where it was opened. Commits then
 * fail, since no later start would find what they store. */
bool gjkd_database_has_moved(struct gjkd_database *database);

/* Checkpoints the log into the file as far as possible, so that later transactions overwrite it. */
void gjkd_database_reuse_log(struct gjkd_database *database);

/* Writes a row without meaning, for a transaction that changes no set. */
bool gjkd_database_touch(struct gjkd_database *database) GJK_MUST_USE;

/* Runs a statement that returns no rows, then clears its bindings. */
bool gjkd_statement_run(sqlite3_stmt *statement) GJK_MUST_USE;

#endif
