/*
 * Opening the file, and transactions. The log is in exclusive mode, without a shared index, because
 * there is no other process. synchronous=FULL syncs it before a commit returns. SQLite's checksums
 * mark the end of the valid part of the log after a crash, so an interrupted transaction has no
 * effect.
 */

#include "store/database.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* "gjkd" in ASCII */
#define APPLICATION 0x676a6b64

#define PATH_BYTES_MAX 4200

/* Suffix of a file's name while the file is being created. */
#define MADE ".new"

#define OWNER_ONLY (S_IRUSR | S_IWUSR)
#define ALL_MODES (S_IRWXU | S_IRWXG | S_IRWXO)

#define LOG_BYTES_KEPT "67108864"
#define CACHE_KIB "16384"

/* --- Statements --- */

static const char *const statements[GJKD_SQL_COUNT] = {
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
    [GJKD_SQL_READ_COPY] = "SELECT cluster FROM copy",
};

static bool prepare_statements(struct gjkd_database *database) {
    for (int i = 0; i < GJKD_SQL_COUNT; i++) {
        if (sqlite3_prepare_v3(database->sqlite, statements[i], -1, SQLITE_PREPARE_PERSISTENT,
                               &database->statements[i], NULL) != SQLITE_OK) {
            return false;
        }
    }
    return true;
}

bool gjkd_statement_run(sqlite3_stmt *statement) {
    const bool fine = sqlite3_step(statement) == SQLITE_DONE;
    (void)sqlite3_reset(statement);
    (void)sqlite3_clear_bindings(statement);
    return fine;
}

/* --- The directory --- */

static bool lock_directory(struct gjkd_database *database, const char *directory, char *error) {
    database->lock = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (database->lock < 0) {
        return gjkd_refuse(error, "--data-dir %.300s: %s", directory, strerror(errno));
    }
    return flock(database->lock, LOCK_EX | LOCK_NB) == 0 ||
           gjkd_refuse(error, "--data-dir %.300s: %s; every daemon needs a directory of its own",
                       directory,
                       errno == EWOULDBLOCK ? "another process uses it" : strerror(errno));
}

/* --- Tables --- */

/* Current version of the tables. Files of later versions are refused, earlier ones are migrated. */
#define SCHEMA 4

/* Statements that migrate from version i (0: empty file) to version i + 1. */
static const char *const changes[SCHEMA] = {
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

/* Migrates a file from one version (0: empty) to another. */
static bool migrate(sqlite3 *file, int64_t from, int64_t to) {
    for (; from < to; from++) {
        if (!execute(file, "BEGIN IMMEDIATE") || !execute(file, changes[from]) ||
            !execute(file, "COMMIT")) {
            return false;
        }
    }
    return true;
}

/* Reads the number that a pragma returns. Returns false if the file cannot be read. */
static bool ask_integer(struct gjkd_database *database, const char *sql, int64_t *out) {
    sqlite3_stmt *statement = NULL;
    bool fine = sqlite3_prepare_v2(database->sqlite, sql, -1, &statement, NULL) == SQLITE_OK &&
                sqlite3_step(statement) == SQLITE_ROW;
    *out = fine ? sqlite3_column_int64(statement, 0) : 0;
    return sqlite3_finalize(statement) == SQLITE_OK && fine;
}

static bool open_file(struct gjkd_database *database, const char *path) {
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    return sqlite3_open_v2(path, &database->sqlite, flags, NULL) == SQLITE_OK &&
           execute(database->sqlite, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA temp_store = MEMORY;"
                                     "PRAGMA cell_size_check = ON;"
                                     "PRAGMA cache_size = -" CACHE_KIB);
}

/* Opens the write-ahead log. May change the file, so call it only for a file of gjkd. */
static bool begin_log(struct gjkd_database *database) {
    return execute(database->sqlite, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                                     "PRAGMA journal_size_limit = " LOG_BYTES_KEPT);
}

static bool refuse_file(struct gjkd_database *database, const char *path, char *error) {
    const int code = database->sqlite != NULL ? sqlite3_errcode(database->sqlite) : SQLITE_NOMEM;
    const char *remedy = "";
    if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB) {
        remedy = "; it is damaged, or none of gjkd's: restore a backup, or move it away to begin "
                 "without its sets";
    } else if (code == SQLITE_CANTOPEN || code == SQLITE_READONLY || code == SQLITE_PERM) {
        remedy = "; is it a file that gjkd's user may write, in a directory where it may, too?";
    }
    return gjkd_refuse(error, "%.300s: %s%s", path, gjkd_database_error(database), remedy);
}

/*
 * Restricts the file's mode to its owner (0600), whatever the umask is; SQLite gives its logs the
 * same mode. Creates the file if flags say so. Returns false on failure: errno is set.
 */
static bool own_file(const char *path, int flags) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC | flags, OWNER_ONLY);
    struct stat status;
    const bool fine = fd >= 0 && fstat(fd, &status) == 0 &&
                      (!S_ISREG(status.st_mode) || (status.st_mode & ALL_MODES) == OWNER_ONLY ||
                       fchmod(fd, OWNER_ONLY) == 0);
    if (fd >= 0) {
        close(fd);
    }
    return fine;
}

/* Creates a file with empty tables. */
static bool make_tables(const char *path, char *error) {
    struct gjkd_database made = {.sqlite = NULL};
    if (!own_file(path, O_CREAT | O_EXCL)) {
        return gjkd_refuse(error, "%.300s: %s", path, strerror(errno));
    }
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    const bool fine =
        (sqlite3_open_v2(path, &made.sqlite, flags, NULL) == SQLITE_OK &&
         execute(made.sqlite, "PRAGMA synchronous = FULL") && migrate(made.sqlite, 0, SCHEMA)) ||
        refuse_file(&made, path, error);
    sqlite3_close(made.sqlite);
    return fine;
}

static void remove_file(const char *path, const char *suffix) {
    char name[PATH_BYTES_MAX + 16];
    snprintf(name, sizeof name, "%s%s", path, suffix);
    (void)unlink(name);
}

/*
 * Creates the file under another name and renames it once its tables are on stable storage: after a
 * crash there is either no file, or one with all tables. Removes the remains of earlier attempts.
 */
static bool make_file(struct gjkd_database *database, const char *path, char *error) {
    char made[PATH_BYTES_MAX + 16];
    snprintf(made, sizeof made, "%s" MADE, path);
    remove_file(path, MADE);
    remove_file(path, MADE "-journal");
    bool fine = make_tables(made, error);
    if (fine && (rename(made, path) != 0 || fsync(database->lock) != 0)) {
        fine = gjkd_refuse(error, "%.300s: %s", path, strerror(errno));
    }
    if (!fine) {
        remove_file(path, MADE);
        remove_file(path, MADE "-journal");
    }
    return fine;
}

/* Refuses a write-ahead log without its file: it holds that file's newest writes, and SQLite would
 * delete it when it creates a new file. */
static bool refuse_orphan(const char *path, char *error) {
    char log[PATH_BYTES_MAX + 16];
    struct stat status;
    snprintf(log, sizeof log, "%s-wal", path);
    return stat(log, &status) != 0 || status.st_size == 0 ||
           gjkd_refuse(
               error,
               "%.300s: it is there without %.100s, whose newest writes it holds: put that file "
               "back, or move the log away, too, to begin without its sets",
               log, strrchr(path, '/') + 1);
}

/* Creates the file if it does not exist. Refuses an empty one, since it has lost its data. */
static bool find_file(struct gjkd_database *database, const char *path, char *error) {
    struct stat status;
    if (stat(path, &status) != 0) {
        return errno != ENOENT || (refuse_orphan(path, error) && make_file(database, path, error));
    }
    return !S_ISREG(status.st_mode) || status.st_size > 0 ||
           gjkd_refuse(
               error,
               "%.300s: it is damaged: it is empty, and gjkd leaves no such file: restore a "
               "backup, or move it away to begin without its sets",
               path);
}

/* Compares definitions without blanks: a file restored from a dump may have other line ends. */
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

/* Refuses the file because of an object, the row, that only one of two lists has. */
static bool refuse_object(sqlite3_stmt *row, bool is_foreign, const char *path, char *error) {
    return gjkd_refuse(error,
                       is_foreign
                           ? "%.300s: it holds the %.10s \"%.60s\", which gjkd did not make: "
                             "restore a backup, or remove it with sqlite3 (DROP) if you "
                             "know what it has done"
                           : "%.300s: its %.10s \"%.60s\" is missing, or not as gjkd made "
                             "it: restore a backup, or move it away to begin without its "
                             "sets",
                       path, text(row, 0), text(row, 1));
}

/* Compares two lists of objects, sorted by name. Returns false if they differ, or if one cannot be
 * read: then error stays "". */
static bool compare_objects(sqlite3_stmt *found, sqlite3_stmt *wanted, const char *path,
                            char *error) {
    for (;;) {
        const int a = sqlite3_step(found), b = sqlite3_step(wanted);
        if (a == SQLITE_DONE && b == SQLITE_DONE) {
            return true;
        }
        if ((a != SQLITE_ROW && a != SQLITE_DONE) || (b != SQLITE_ROW && b != SQLITE_DONE)) {
            return false;
        }
        const int order = a == SQLITE_DONE   ? 1
                          : b == SQLITE_DONE ? -1
                                             : strcmp(text(found, 1), text(wanted, 1));
        if (order < 0 || (order == 0 && strcmp(text(found, 0), text(wanted, 0)) != 0)) {
            return refuse_object(found, true, path, error);
        }
        if (order > 0 || !is_same_definition(text(found, 2), text(wanted, 2))) {
            return refuse_object(wanted, false, path, error);
        }
    }
}

/* Checks that the file has exactly the tables, indices, views and triggers that gjkd creates in its
 * version. A foreign trigger, for example, could change what is stored. */
static bool check_schema(struct gjkd_database *database, int64_t version, const char *path,
                         char *error) {
    static const char list[] = "SELECT type, name, sql FROM sqlite_schema ORDER BY name, type";
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    sqlite3 *reference = NULL;
    sqlite3_stmt *found = NULL, *wanted = NULL;
    error[0] = '\0';
    const bool is_fine =
        sqlite3_open_v2(":memory:", &reference, flags, NULL) == SQLITE_OK &&
        migrate(reference, 0, version) &&
        sqlite3_prepare_v2(database->sqlite, list, -1, &found, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(reference, list, -1, &wanted, NULL) == SQLITE_OK &&
        compare_objects(found, wanted, path, error);
    if (!is_fine && error[0] == '\0') {
        (void)refuse_file(database, path, error);
    }
    sqlite3_finalize(found);
    sqlite3_finalize(wanted);
    sqlite3_close(reference);
    return is_fine;
}

static bool prepare_file(struct gjkd_database *database, const char *path, char *error) {
    int64_t application = 0, version = 0;
    if (!find_file(database, path, error)) {
        return false;
    }
    char log[PATH_BYTES_MAX + 16];
    snprintf(log, sizeof log, "%s-wal", path);
    (void)own_file(path, 0); /* left by an earlier version of gjkd, or by another owner */
    (void)own_file(log, 0);
    if (!open_file(database, path) ||
        !ask_integer(database, "PRAGMA application_id", &application) ||
        !ask_integer(database, "PRAGMA user_version", &version)) {
        return refuse_file(database, path, error);
    }
    if (application != (version > 0 ? APPLICATION : 0)) {
        return gjkd_refuse(error, "%.300s: a database, but none of gjkd's; name another --data-dir",
                           path);
    }
    if (version > SCHEMA || version < 0) {
        return gjkd_refuse(
            error,
            "%.300s: written by a later version of gjkd (form %lld, this one knows %d); "
            "run that version, or move its sets here by --export and --import",
            path, (long long)version, SCHEMA);
    }
    return check_schema(database, version, path, error) &&
           ((begin_log(database) && migrate(database->sqlite, version, SCHEMA) &&
             prepare_statements(database)) ||
            refuse_file(database, path, error));
}

static void note_file(const char *path, struct stat *out) {
    if (out->st_ino == 0 && stat(path, out) != 0) {
        out->st_ino = 0;
    }
}

/* Stores the identity of both files. SQLite creates the log with the first transaction. */
static void note_files(struct gjkd_database *database) {
    const char *path = gjkd_database_path(database);
    note_file(path, &database->file);
    note_file(sqlite3_filename_wal(path), &database->log);
}

struct gjkd_database *gjkd_database_open(const char *directory, char error[GJKD_ERROR_MAX]) {
    struct gjkd_database *database = calloc(1, sizeof *database);
    char path[PATH_BYTES_MAX];
    if (database == NULL) {
        gjkd_refuse(error, "out of memory");
        return NULL;
    }
    snprintf(path, sizeof path, "%s/sets.db", directory);
    database->lock = -1;
    if (!lock_directory(database, directory, error) || !prepare_file(database, path, error)) {
        gjkd_database_close(database);
        return NULL;
    }
    note_files(database);
    return database;
}

bool gjkd_database_check_owner(struct gjkd_database *database, const char *directory,
                               char error[GJKD_ERROR_MAX]) {
    sqlite3_stmt *read = database->statements[GJKD_SQL_READ_COPY];
    const bool is_copy = sqlite3_step(read) == SQLITE_ROW;
    if (is_copy) {
        const char *name = (const char *)sqlite3_column_text(read, 0);
        gjkd_refuse(error,
                    "--data-dir %.150s: it is kept by a node of the cluster %.64s, which would "
                    "not hear of changes: take its sets into another directory by --export "
                    "and --import",
                    directory, name != NULL ? name : "");
    }
    (void)sqlite3_reset(read);
    return !is_copy;
}

const char *gjkd_database_path(struct gjkd_database *database) {
    return sqlite3_db_filename(database->sqlite, "main");
}

void gjkd_database_close(struct gjkd_database *database) {
    if (database == NULL) {
        return;
    }
    for (int i = 0; i < GJKD_SQL_COUNT; i++) {
        sqlite3_finalize(database->statements[i]);
    }
    if (database->sqlite != NULL && gjkd_database_has_moved(database)) {
        /* Closing would delete the log at that path, which may belong to another file. */
        (void)sqlite3_db_config(database->sqlite, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    }
    sqlite3_close(database->sqlite);
    if (database->lock >= 0) {
        close(database->lock);
    }
    free(database);
}

/* --- Transactions --- */

bool gjkd_database_begin(struct gjkd_database *database) {
    return execute(database->sqlite, "BEGIN IMMEDIATE");
}

static bool is_in_place(const struct stat *opened, const char *path) {
    struct stat found;
    return opened->st_ino == 0 || (stat(path, &found) == 0 && found.st_ino == opened->st_ino &&
                                   found.st_dev == opened->st_dev);
}

bool gjkd_database_has_moved(struct gjkd_database *database) {
    const char *path = gjkd_database_path(database);
    return !is_in_place(&database->file, path) ||
           !is_in_place(&database->log, sqlite3_filename_wal(path));
}

bool gjkd_database_commit(struct gjkd_database *database) {
    database->has_moved = gjkd_database_has_moved(database);
    const bool fine = !database->has_moved && execute(database->sqlite, "COMMIT");
    if (fine) {
        note_files(database);
    }
    return fine;
}

bool gjkd_database_touch(struct gjkd_database *database) {
    return execute(database->sqlite, "UPDATE touched SET times = times + 1");
}

void gjkd_database_reuse_log(struct gjkd_database *database) {
    (void)sqlite3_wal_checkpoint_v2(database->sqlite, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
}

void gjkd_database_undo(struct gjkd_database *database) {
    if (!sqlite3_get_autocommit(database->sqlite)) {
        (void)execute(database->sqlite, "ROLLBACK");
    }
}

const char *gjkd_database_error(struct gjkd_database *database) {
    return database->sqlite == NULL ? "out of memory"
           : database->has_moved
               ? "sets.db or its log was deleted or moved: put it back; if it is gone, write the "
                 "sets out with GET /v1/export, and --import them into another directory"
               : sqlite3_errmsg(database->sqlite);
}
