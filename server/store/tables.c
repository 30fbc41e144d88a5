/* Each row that differs is written by one run of a prepared statement. */

#include "store/tables.h"

#include "util/hash.h"

#include <string.h>

/* --- Writing --- */

static void bind_blob(sqlite3_stmt *statement, int column, const void *data, size_t length) {
    (void)sqlite3_bind_blob64(statement, column, data, length, SQLITE_STATIC);
}

/* Looks up the set's number; 0: no such set. Returns false if the file cannot be read. */
static bool find_set(struct gjkd_database *database, const char *name, int64_t *out) {
    sqlite3_stmt *find = database->statements[GJKD_SQL_FIND_SET];
    (void)sqlite3_bind_text(find, 1, name, -1, SQLITE_STATIC);
    const int status = sqlite3_step(find);
    *out = status == SQLITE_ROW ? sqlite3_column_int64(find, 0) : 0;
    (void)sqlite3_reset(find);
    return status == SQLITE_ROW || status == SQLITE_DONE;
}

bool gjkd_database_has(struct gjkd_database *database, const char *name, bool *out) {
    int64_t number = 0;
    const bool fine = find_set(database, name, &number);
    *out = number != 0;
    return fine;
}

static bool drop_set(struct gjkd_database *database, int64_t set) {
    sqlite3_stmt *drop = database->statements[GJKD_SQL_DROP_SET];
    (void)sqlite3_bind_int64(drop, 1, set);
    sqlite3_stmt *shapes = database->statements[GJKD_SQL_DROP_SHAPES];
    (void)sqlite3_bind_int64(shapes, 1, gjkd_row_key(set, 0));
    (void)sqlite3_bind_int64(shapes, 2, gjkd_row_key(set, UINT32_MAX));
    return gjkd_statement_run(drop) && gjkd_statement_run(shapes);
}

/* Returns the checksum of a set's row. */
static uint64_t sum_set(const gjkd_restored *head, uint64_t revision_bound, uint32_t shapes) {
    const uint64_t numbers[] = {
        head->dimension, head->incarnation, head->revision,      revision_bound, head->next_handle,
        shapes,          head->has_history, head->history_ticks,
    };
    uint64_t sum = gjkd_checksum(numbers, sizeof numbers, 0);
    sum = gjkd_checksum(head->name, strlen(head->name), sum);
    if (head->nonce != 0) { /* rows of earlier versions have no nonce */
        sum = gjkd_checksum(&head->nonce, sizeof head->nonce, sum);
    }
    return head->meta.data != NULL ? gjkd_checksum(head->meta.data, head->meta.length, sum) : sum;
}

bool gjkd_database_put_set(struct gjkd_database *database, const struct gjkd_version *version) {
    const gjkd_restored head = {
        .name = version->name,
        .incarnation = version->incarnation,
        .revision = version->revision,
        .nonce = version->nonce,
        .next_handle = version->next_handle,
        .dimension = version->dimension,
        .has_history = version->has_history,
        .history_ticks = version->has_history ? version->history_ticks : 0,
        .meta = version->meta,
    };
    const uint32_t shapes = gjk_set_count(version->set);
    sqlite3_stmt *put = database->statements[GJKD_SQL_PUT_SET];
    (void)sqlite3_bind_text(put, 1, head.name, -1, SQLITE_STATIC);
    (void)sqlite3_bind_int64(put, 2, head.dimension);
    (void)sqlite3_bind_int64(put, 3, (int64_t)head.incarnation);
    (void)sqlite3_bind_int64(put, 4, (int64_t)head.revision);
    (void)sqlite3_bind_int64(put, 5, (int64_t)version->revision_bound);
    (void)sqlite3_bind_int64(put, 6, (int64_t)head.next_handle);
    if (head.has_history) {
        (void)sqlite3_bind_int64(put, 7, head.history_ticks);
    }
    if (head.meta.data != NULL) {
        bind_blob(put, 8, head.meta.data, head.meta.length);
    }
    (void)sqlite3_bind_int64(put, 9, shapes);
    (void)sqlite3_bind_int64(put, 10, (int64_t)sum_set(&head, version->revision_bound, shapes));
    (void)sqlite3_bind_int64(put, 11, head.nonce);
    return gjkd_statement_run(put);
}

struct writer {
    struct gjkd_database *database;
    struct gjk_arena *arena;
    int64_t set;
    uint32_t dimension;
    bool failed;
};

static bool put_shape(struct writer *writer, const gjk_body *body) {
    sqlite3_stmt *put = writer->database->statements[GJKD_SQL_PUT_SHAPE];
    const int64_t key = gjkd_row_key(writer->set, body->handle);
    const gjk_arena_mark mark = gjk_arena_here(writer->arena);
    const proto_text shape = gjkd_shape_encode(body, key, writer->arena);
    gjkd_place_row place;
    gjkd_place_encode(body, writer->dimension, key, gjkd_stored_origin(body), &place);
    (void)sqlite3_bind_int64(put, 1, key);
    (void)sqlite3_bind_text(put, 2, body->id, -1, SQLITE_STATIC);
    bind_blob(put, 3, place.bytes, place.length);
    bind_blob(put, 4, shape.data, shape.length);
    const bool fine = shape.data != NULL && gjkd_statement_run(put);
    gjk_arena_rewind(writer->arena, mark);
    return fine;
}

static bool move_shape(struct writer *writer, const gjk_body *body) {
    sqlite3_stmt *move = writer->database->statements[GJKD_SQL_MOVE_SHAPE];
    const int64_t key = gjkd_row_key(writer->set, body->handle);
    gjkd_place_row place;
    gjkd_place_encode(body, writer->dimension, key, gjkd_stored_origin(body), &place);
    (void)sqlite3_bind_int64(move, 1, key);
    bind_blob(move, 2, place.bytes, place.length);
    return gjkd_statement_run(move);
}

static bool drop_shape(struct writer *writer, const gjk_body *body) {
    sqlite3_stmt *drop = writer->database->statements[GJKD_SQL_DROP_SHAPE];
    (void)sqlite3_bind_int64(drop, 1, gjkd_row_key(writer->set, body->handle));
    return gjkd_statement_run(drop);
}

static void visit(void *user, const gjk_body *from, const gjk_body *to) {
    struct writer *writer = user;
    bool fine = !writer->failed;
    if (fine && to == NULL) {
        fine = drop_shape(writer, from);
    } else if (fine && from != NULL && gjkd_stored_is_moved(from, to)) {
        fine = move_shape(writer, to);
    } else if (fine) {
        fine = put_shape(writer, to);
    }
    writer->failed = !fine;
}

bool gjkd_database_write(struct gjkd_database *database, const struct gjkd_version *from,
                         const struct gjkd_version *to, struct gjk_arena *arena) {
    struct writer writer = {.database = database, .arena = arena};
    const bool is_same_life = from != NULL && to != NULL && from->incarnation == to->incarnation;
    if (from != NULL && (!find_set(database, from->name, &writer.set) || writer.set == 0)) {
        return false;
    }
    if (from != NULL && !is_same_life && !drop_set(database, writer.set)) {
        return false;
    }
    if (to == NULL) {
        return true;
    }
    writer.dimension = to->dimension;
    if (!gjkd_database_put_set(database, to)) {
        return false;
    }
    if (is_same_life) {
        gjk_set_diff(from->set, to->set, visit, &writer);
        return !writer.failed;
    }
    writer.set = sqlite3_last_insert_rowid(database->sqlite);
    gjk_set_iterator bodies = gjk_set_iterate(to->set, NULL);
    const gjk_body *body = gjk_set_next(&bodies);
    while (body != NULL && put_shape(&writer, body)) {
        body = gjk_set_next(&bodies);
    }
    return body == NULL;
}

/* --- Reading --- */

static proto_text blob_of(sqlite3_stmt *statement, int column) {
    const char *data = sqlite3_column_blob(statement, column);
    return (proto_text){data, (size_t)sqlite3_column_bytes(statement, column)};
}

static const char *text_of(sqlite3_stmt *statement, int column) {
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return text != NULL ? text : "";
}

/* Steps to the next row; resets the statement if there is none. */
static gjkd_next step(sqlite3_stmt *statement) {
    const int status = sqlite3_step(statement);
    if (status == SQLITE_ROW) {
        return GJKD_NEXT_OK;
    }
    (void)sqlite3_reset(statement);
    return status == SQLITE_DONE ? GJKD_NEXT_END : GJKD_NEXT_FAILED;
}

gjkd_next gjkd_database_next_set(struct gjkd_database *database, gjkd_stored_set *out) {
    sqlite3_stmt *read = database->statements[GJKD_SQL_READ_SETS];
    const gjkd_next next = step(read);
    if (next != GJKD_NEXT_OK) {
        return next;
    }
    *out = (gjkd_stored_set){
        .number = sqlite3_column_int64(read, 0),
        .head = {.name = text_of(read, 1),
                 .dimension = (uint32_t)sqlite3_column_int64(read, 2),
                 .incarnation = (uint64_t)sqlite3_column_int64(read, 3),
                 .revision = (uint64_t)sqlite3_column_int64(read, 4),
                 .nonce = (uint32_t)sqlite3_column_int64(read, 11),
                 .next_handle = (uint64_t)sqlite3_column_int64(read, 6),
                 .has_history = sqlite3_column_type(read, 7) != SQLITE_NULL,
                 .history_ticks = (uint32_t)sqlite3_column_int64(read, 7),
                 .meta = blob_of(read, 8)},
        .revision_bound = (uint64_t)sqlite3_column_int64(read, 5),
        .shapes = (uint32_t)sqlite3_column_int64(read, 9),
    };
    if (sum_set(&out->head, out->revision_bound, out->shapes) ==
        (uint64_t)sqlite3_column_int64(read, 10)) {
        return GJKD_NEXT_OK;
    }
    (void)sqlite3_reset(read);
    return GJKD_NEXT_FAILED;
}

gjkd_next gjkd_database_next_shape(struct gjkd_database *database, int64_t set, gjkd_row *out) {
    sqlite3_stmt *read = database->statements[GJKD_SQL_READ_SHAPES];
    if (!sqlite3_stmt_busy(read)) {
        (void)sqlite3_bind_int64(read, 1, gjkd_row_key(set, 0));
        (void)sqlite3_bind_int64(read, 2, gjkd_row_key(set, UINT32_MAX));
    }
    const gjkd_next next = step(read);
    if (next == GJKD_NEXT_OK) {
        *out = (gjkd_row){
            .key = sqlite3_column_int64(read, 0),
            .id = text_of(read, 1),
            .place = blob_of(read, 2),
            .shape = blob_of(read, 3),
        };
    }
    return next;
}
