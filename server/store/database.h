#ifndef GJKD_STORE_DATABASE_H
#define GJKD_STORE_DATABASE_H

/*
 * The file sets.db of a data directory: SQLite with a write-ahead log that is synced at every
 * commit. For one thread at a time.
 */

#include "gjk/base.h"
#include "util/log.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <sys/stat.h>

/* The prepared statements, for the files of the store. */
enum {
    GJKD_SQL_FIND_SET,
    GJKD_SQL_PUT_SET,
    GJKD_SQL_DROP_SET,
    GJKD_SQL_DROP_SHAPES, /* of a set */
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
    int lock;              /* the directory, locked; -1: it is not open */
    struct stat file, log; /* as they were opened; of the log all zero if there was none */
    bool has_moved;        /* and the last commit was refused for it */
    sqlite3_stmt *statements[GJKD_SQL_COUNT];
};

/*
 * Opens the directory's file, or makes it, and locks the directory against every other process. A
 * file that is empty is refused as damaged. NULL: error says why not, and what to do.
 */
struct gjkd_database *gjkd_database_open(const char *directory, char error[GJKD_ERROR_MAX]);

/* Writes the log into the file and gives the directory free. NULL is allowed. */
void gjkd_database_close(struct gjkd_database *database);

/* Returns false, with the reason in error, if the directory is that of a cluster's node, of a gjkd
 * that kept one: the log of the cluster would lack what is changed here. */
bool gjkd_database_check_owner(struct gjkd_database *database, const char *directory,
                               char error[GJKD_ERROR_MAX]) GJK_MUST_USE;

/* The file's whole path. A view. */
const char *gjkd_database_path(struct gjkd_database *database);

/*
 * A transaction: what is written between begin and commit is on stable storage once commit has
 * returned true, or, if anything returned false, not at all after undo. gjkd_database_error says
 * what happened.
 */
bool gjkd_database_begin(struct gjkd_database *database) GJK_MUST_USE;
bool gjkd_database_commit(struct gjkd_database *database) GJK_MUST_USE;
void gjkd_database_undo(struct gjkd_database *database);
const char *gjkd_database_error(struct gjkd_database *database);

/* Returns true if the file or its log is not where it was opened: commits fail then, because no
 * start would find what they store. */
bool gjkd_database_has_moved(struct gjkd_database *database);

/* Copies the log into the file as far as possible, so that the next transactions overwrite it. */
void gjkd_database_reuse_log(struct gjkd_database *database);

/* Writes something that means nothing. */
bool gjkd_database_touch(struct gjkd_database *database) GJK_MUST_USE;

/* Runs a statement that answers no rows, and forgets what was bound to it. */
bool gjkd_statement_run(sqlite3_stmt *statement) GJK_MUST_USE;

#endif
