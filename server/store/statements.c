/* All the SQL that runs for sets and shapes, prepared once. */

#include "store/statements.h"

static const char *const texts[GJKD_SQL_COUNT] = {
    [GJKD_SQL_FIND_SET] = "SELECT number FROM sets WHERE name = ?1",
    [GJKD_SQL_PUT_SET] =
        ("INSERT INTO sets (name, dimension, incarnation, revision, revision_bound, next_handle,"
         " history, meta, shapes, sum, mark)"
         " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"
         " ON CONFLICT (name) DO UPDATE SET dimension = ?2, incarnation = ?3, revision = ?4,"
         " revision_bound = ?5, next_handle = ?6, history = ?7, meta = ?8, shapes = ?9, sum = ?10,"
         " mark = ?11"),
    [GJKD_SQL_DROP_SET] = "DELETE FROM sets WHERE number = ?1",
    [GJKD_SQL_DROP_SHAPES] = "DELETE FROM shapes WHERE key BETWEEN ?1 AND ?2",
    [GJKD_SQL_PUT_SHAPE] =
        "INSERT OR REPLACE INTO shapes (key, id, place, shape) VALUES (?1, ?2, ?3, ?4)",
    [GJKD_SQL_MOVE_SHAPE] = "UPDATE shapes SET place = ?2 WHERE key = ?1",
    [GJKD_SQL_DROP_SHAPE] = "DELETE FROM shapes WHERE key = ?1",
    [GJKD_SQL_READ_SETS] =
        ("SELECT number, name, dimension, incarnation, revision, revision_bound, next_handle,"
         " history, meta, shapes, sum, mark FROM sets ORDER BY name"),
    [GJKD_SQL_READ_SHAPES] =
        "SELECT key, id, place, shape FROM shapes WHERE key BETWEEN ?1 AND ?2 ORDER BY key",
    [GJKD_SQL_PUT_COPY] =
        ("INSERT OR REPLACE INTO copy (number, cluster, epoch, place, message, message_place, sum)"
         " VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6)"),
    [GJKD_SQL_READ_COPY] = "SELECT cluster, epoch, place, message, message_place, sum FROM copy",
    [GJKD_SQL_COUNT_TICKS] = "SELECT count(*) FROM ticks",
    [GJKD_SQL_DROP_TICKS] = "DELETE FROM ticks WHERE key BETWEEN ?1 AND ?2",
    [GJKD_SQL_PUT_TICKS] = "INSERT INTO ticks (key, text, sum) VALUES (?1, ?2, ?3)",
    [GJKD_SQL_READ_TICKS] =
        "SELECT key, text, sum FROM ticks WHERE key BETWEEN ?1 AND ?2 ORDER BY key",
};

bool gjkd_statements_prepare(struct gjkd_database *database) {
    for (int i = 0; i < GJKD_SQL_COUNT; i++) {
        if (sqlite3_prepare_v3(database->sqlite, texts[i], -1, SQLITE_PREPARE_PERSISTENT,
                               &database->statements[i], NULL) != SQLITE_OK) {
            return false;
        }
    }
    return true;
}

void gjkd_statements_finalize(struct gjkd_database *database) {
    for (int i = 0; i < GJKD_SQL_COUNT; i++) {
        sqlite3_finalize(database->statements[i]);
    }
}

bool gjkd_statement_run(sqlite3_stmt *statement) {
    const bool fine = sqlite3_step(statement) == SQLITE_DONE;
    (void)sqlite3_reset(statement);
    (void)sqlite3_clear_bindings(statement);
    return fine;
}
