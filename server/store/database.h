#ifndef GJKD_STORE_DATABASE_H
#define GJKD_STORE_DATABASE_H

/*
 * The file sets.db of a data directory: SQLite with a write-ahead log that is synced at every
 * commit. For one thread at a time.
 */

#include "gjk/base.h"

#include <stdbool.h>

#define GJKD_STORE_ERROR_MAX 512

struct gjkd_database;

/*
 * Opens the directory's file, or makes it, and locks the directory against every other process. A
 * file that is empty is refused as damaged. NULL: error says why not, and what to do.
 */
struct gjkd_database *gjkd_database_open(const char *directory, char error[GJKD_STORE_ERROR_MAX]);

/* Writes the log into the file and gives the directory free. NULL is allowed. */
void gjkd_database_close(struct gjkd_database *database);

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

#endif
