#ifndef GJKD_STORE_STATEMENTS_H
#define GJKD_STORE_STATEMENTS_H

/* Shared by the files of the database: the connection and its prepared statements. */

#include "gjk/base.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <sys/stat.h>

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
    GJKD_SQL_PUT_COPY,
    GJKD_SQL_READ_COPY,
    GJKD_SQL_COUNT_TICKS, /* parts of all sets */
    GJKD_SQL_DROP_TICKS,  /* of a set */
    GJKD_SQL_PUT_TICKS,
    GJKD_SQL_READ_TICKS,
    GJKD_SQL_COUNT
};

struct gjkd_database {
    sqlite3 *sqlite;
    int lock;              /* the directory, locked; -1: it is not open */
    struct stat file, log; /* as they were opened; of the log all zero if there was none */
    bool has_moved;        /* and the last commit was refused for it */
    sqlite3_stmt *statements[GJKD_SQL_COUNT];
};

bool gjkd_statements_prepare(struct gjkd_database *database) GJK_MUST_USE;
void gjkd_statements_finalize(struct gjkd_database *database);

/* Runs a statement that answers no rows, and forgets what was bound to it. */
bool gjkd_statement_run(sqlite3_stmt *statement) GJK_MUST_USE;

#endif
