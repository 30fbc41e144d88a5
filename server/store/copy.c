/* The texts are cut into parts, because SQLite takes no blob of more than a gigabyte. Each part has
 * a checksum that is seeded with its key, and how many there are stands beside the place. */

#include "store/copy.h"

#include "store/tables.h"
#include "util/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PART_BYTES ((size_t)1 << 20)

/* --- Whose copy --- */

static uint64_t sum_of(const gjkd_copy *copy, int64_t parts) {
    const uint64_t numbers[] = {copy->epoch, copy->place, copy->message, copy->message_place,
                                (uint64_t)parts};
    return gjkd_checksum(copy->cluster, strlen(copy->cluster),
                         gjkd_checksum(numbers, sizeof numbers, 0));
}

/* The parts of all texts. False: the file cannot be read. */
static bool count_parts(struct gjkd_database *database, int64_t *out) {
    sqlite3_stmt *count = database->statements[GJKD_SQL_COUNT_TICKS];
    const bool fine = sqlite3_step(count) == SQLITE_ROW;
    *out = fine ? sqlite3_column_int64(count, 0) : 0;
    (void)sqlite3_reset(count);
    return fine;
}

bool gjkd_database_put_copy(struct gjkd_database *database, const gjkd_copy *copy) {
    sqlite3_stmt *put = database->statements[GJKD_SQL_PUT_COPY];
    int64_t parts = 0;
    if (!count_parts(database, &parts)) {
        return false;
    }
    (void)sqlite3_bind_text(put, 1, copy->cluster, -1, SQLITE_STATIC);
    (void)sqlite3_bind_int64(put, 2, (int64_t)copy->epoch);
    (void)sqlite3_bind_int64(put, 3, (int64_t)copy->place);
    (void)sqlite3_bind_int64(put, 4, (int64_t)copy->message);
    (void)sqlite3_bind_int64(put, 5, (int64_t)copy->message_place);
    (void)sqlite3_bind_int64(put, 6, (int64_t)sum_of(copy, parts));
    return gjkd_statement_run(put);
}

bool gjkd_database_get_copy(struct gjkd_database *database, gjkd_copy *out) {
    sqlite3_stmt *read = database->statements[GJKD_SQL_READ_COPY];
    int64_t parts = 0;
    *out = (gjkd_copy){.epoch = 0};
    if (!count_parts(database, &parts)) {
        return false;
    }
    const int status = sqlite3_step(read);
    bool fine = status == SQLITE_ROW || status == SQLITE_DONE;
    if (status == SQLITE_ROW) {
        const char *cluster = (const char *)sqlite3_column_text(read, 0);
        snprintf(out->cluster, sizeof out->cluster, "%s", cluster != NULL ? cluster : "");
        out->epoch = (uint64_t)sqlite3_column_int64(read, 1);
        out->place = (uint64_t)sqlite3_column_int64(read, 2);
        out->message = (uint64_t)sqlite3_column_int64(read, 3);
        out->message_place = (uint64_t)sqlite3_column_int64(read, 4);
        fine = out->cluster[0] != '\0' &&
               sum_of(out, parts) == (uint64_t)sqlite3_column_int64(read, 5);
    }
    (void)sqlite3_reset(read);
    return fine;
}

bool gjkd_copy_check(struct gjkd_database *database, const char *directory, const char *cluster,
                     gjkd_copy *out, char error[GJKD_STORE_ERROR_MAX]) {
    if (!gjkd_database_get_copy(database, out)) {
        snprintf(
            error, GJKD_STORE_ERROR_MAX,
            "--data-dir %.200s: the file is damaged: restore a backup, or move it away; a node "
            "of a cluster takes all sets from the cluster then",
            directory);
        return false;
    }
    if (strcmp(out->cluster, cluster) == 0) {
        return true;
    }
    if (cluster[0] == '\0') {
        snprintf(error, GJKD_STORE_ERROR_MAX,
                 "--data-dir %.150s: it is kept by a node of the cluster %s, which would not "
                 "hear of changes: give --nats and --cluster %s, or take its sets into another "
                 "directory by --export and --import",
                 directory, out->cluster, out->cluster);
        return false;
    }
    if (out->cluster[0] != '\0') {
        snprintf(error, GJKD_STORE_ERROR_MAX,
                 "--data-dir %.150s: it is kept by a node of the cluster %s, not of %.64s: "
                 "name another directory; sets are taken over by --export and --load",
                 directory, out->cluster, cluster);
        return false;
    }
    gjkd_stored_set set;
    if (gjkd_database_next_set(database, &set) == GJKD_NEXT_END) {
        return true;
    }
    snprintf(
        error, GJKD_STORE_ERROR_MAX,
        "--data-dir %.150s: it holds the sets of a daemon without a cluster: write them out by "
        "gjkd --export --data-dir, name an empty directory, and start one node with --load and "
        "what was written",
        directory);
    return false;
}

/* --- Ticks --- */

/* Finds a set by name. Returns false if there is none, or the file cannot be read. */
static bool find_set(struct gjkd_database *database, const char *name, int64_t *set) {
    return gjkd_database_find(database, name, set) && *set != 0;
}

bool gjkd_database_put_ticks(struct gjkd_database *database, const char *name, const char *text,
                             size_t length) {
    sqlite3_stmt *put = database->statements[GJKD_SQL_PUT_TICKS];
    int64_t set = 0;
    bool fine = find_set(database, name, &set) && gjkd_database_drop_ticks(database, set);
    for (uint32_t part = 0; fine && length > 0; part++) {
        const size_t some = length < PART_BYTES ? length : PART_BYTES;
        const int64_t key = gjkd_key(set, part);
        (void)sqlite3_bind_int64(put, 1, key);
        (void)sqlite3_bind_blob64(put, 2, text, some, SQLITE_STATIC);
        (void)sqlite3_bind_int64(put, 3, (int64_t)gjkd_checksum(text, some, (uint64_t)key));
        fine = gjkd_statement_run(put);
        text += some;
        length -= some;
    }
    return fine;
}

/* Adds a part. False: it is damaged, not the next one, or there is no memory. */
static bool add_part(sqlite3_stmt *read, int64_t key, char **text, size_t *length) {
    const void *part = sqlite3_column_blob(read, 1);
    const size_t some = (size_t)sqlite3_column_bytes(read, 1);
    if (sqlite3_column_int64(read, 0) != key || some == 0 ||
        gjkd_checksum(part, some, (uint64_t)key) != (uint64_t)sqlite3_column_int64(read, 2)) {
        return false;
    }
    char *longer = realloc(*text, *length + some);
    if (longer == NULL) {
        return false;
    }
    memcpy(longer + *length, part, some);
    *text = longer;
    *length += some;
    return true;
}

bool gjkd_database_get_ticks(struct gjkd_database *database, const char *name, char **text,
                             size_t *length) {
    sqlite3_stmt *read = database->statements[GJKD_SQL_READ_TICKS];
    int64_t set = 0;
    *text = NULL;
    *length = 0;
    if (!find_set(database, name, &set)) {
        return false;
    }
    (void)sqlite3_bind_int64(read, 1, gjkd_key(set, 0));
    (void)sqlite3_bind_int64(read, 2, gjkd_key(set, UINT32_MAX));
    int status = sqlite3_step(read);
    bool fine = true;
    for (uint32_t part = 0; fine && status == SQLITE_ROW; part++) {
        fine = add_part(read, gjkd_key(set, part), text, length);
        status = fine ? sqlite3_step(read) : status;
    }
    (void)sqlite3_reset(read);
    if (!fine || status != SQLITE_DONE) {
        free(*text);
        *text = NULL;
        return false;
    }
    return true;
}
