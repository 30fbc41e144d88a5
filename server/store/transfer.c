/*
 * Imports and exports sets. A line is decoded as the body of a PUT. An import is one transaction,
 * so that a mistake in its last line leaves the directory as it was.
 */

#include "store/transfer.h"

#include "sets/seed.h"
#include "sets/version_edit.h"
#include "store/copy.h"
#include "store/load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool refuse_body(char *error, const struct proto_problem *problem) {
    snprintf(error, GJKD_BODIES_ERROR_MAX, "%.120s%s%.160s%s%.80s; correct it, or take the set out",
             problem->pointer, problem->pointer[0] != '\0' ? ": " : "", problem->detail,
             problem->hint[0] != '\0' ? "; " : "", problem->hint);
    return false;
}

/* --- What a daemon begins with --- */

struct seeding {
    const gjkd_write *where;
    const proto_limits *limits;
    struct gjkd_seeded seeded;
};

static bool seed(void *user, const char *name, proto_text body, char *error) {
    struct seeding *seeding = user;
    struct proto_problem problem = {0};
    return gjkd_seed(seeding->where, name, body, seeding->limits, &seeding->seeded, &problem) ||
           refuse_body(error, &problem);
}

bool gjkd_load_bodies(const gjkd_write *where, const char *path, const proto_limits *limits,
                      char error[GJKD_BODIES_ERROR_MAX]) {
    struct seeding seeding = {.where = where, .limits = limits};
    char reason[GJKD_BODIES_ERROR_MAX];
    const bool fine = gjkd_bodies_read(path, seed, &seeding, reason);
    gjkd_seeded_fini(&seeding.seeded);
    if (!fine) {
        snprintf(error, GJKD_BODIES_ERROR_MAX, "--load: %.500s", reason);
    }
    return fine;
}

/* --- Out of a directory --- */

struct printing {
    FILE *out;
    bool failed;
};

/* Writes the text out and begins another. */
static void flush(struct printing *printing, struct proto_buffer *text) {
    struct gjk_arena *arena = text->arena;
    printing->failed = printing->failed || text->failed ||
                       fwrite(text->data, 1, text->length, printing->out) != text->length;
    gjk_arena_reset(arena);
    proto_buffer_init(text, arena);
}

static void print_set(void *user, struct gjkd_version *version) {
    struct printing *printing = user;
    const proto_set_head head = {
        .summary = gjkd_version_summary(version),
        .has_history = version->has_history,
        .history_ticks = version->history_ticks,
        .meta = version->meta,
    };
    struct gjk_arena arena;
    struct proto_buffer text;
    gjk_arena_init(&arena, 0);
    proto_buffer_init(&text, &arena);
    proto_encode_set_begin(&text, &head);
    gjk_set_iterator bodies = gjk_set_iterate(version->set, NULL);
    for (const gjk_body *body; !printing->failed && (body = gjk_set_next(&bodies)) != NULL;) {
        const proto_stored stored = gjkd_stored_view(body);
        if (bodies.next > 1) {
            flush(printing, &text);
            (void)fputc(',', printing->out);
        }
        proto_encode_set_shape(&text, body->id, version->dimension, &stored, body->handle);
    }
    proto_encode_set_end(&text);
    flush(printing, &text);
    (void)fputc('\n', printing->out);
    gjk_arena_fini(&arena);
    gjkd_version_release(version);
}

bool gjkd_export(const char *directory, FILE *out, char error[GJKD_STORE_ERROR_MAX]) {
    const proto_limits limits = proto_limits_default();
    struct printing printing = {.out = out};
    gjkd_load_progress progress = {0};
    const gjkd_load_setup loading = {&limits, 1, &progress, print_set, &printing};
    struct gjkd_database *database = gjkd_database_open(directory, error);
    if (database == NULL) {
        return false;
    }
    bool fine = gjkd_load(database, &loading, error);
    gjkd_database_close(database);
    if (fine && (fflush(out) != 0 || printing.failed || ferror(out))) {
        snprintf(error, GJKD_STORE_ERROR_MAX, "the sets cannot be written: %s", strerror(errno));
        fine = false;
    }
    return fine;
}

/* --- Into a directory --- */

struct importing {
    struct gjkd_database *database;
    proto_limits limits;
};

/* Stores a set that is decoded. */
static bool store(struct importing *importing, const proto_set *set, struct gjk_arena *arena,
                  struct proto_problem *problem) {
    struct gjkd_version *version = NULL;
    bool is_there = false;
    if (!gjkd_database_has(importing->database, set->name, &is_there) || is_there) {
        return is_there ? proto_problem_set(problem, PROTO_REVISION_MISMATCH,
                                            "the set \"%.128s\" is stored already", set->name)
                        : proto_problem_set(problem, PROTO_NOT_STORED, "%.200s",
                                            gjkd_database_error(importing->database));
    }
    if (gjkd_version_new(set->name, set, NULL, NULL, &version) != GJK_OK) {
        return proto_problem_set(problem, PROTO_OUT_OF_MEMORY, "there is no memory for the set");
    }
    const bool fine = gjkd_database_write(importing->database, NULL, version, arena) ||
                      proto_problem_set(problem, PROTO_NOT_STORED, "%.200s",
                                        gjkd_database_error(importing->database));
    gjkd_version_release(version);
    return fine;
}

static bool import(void *user, const char *name, proto_text body, char *error) {
    struct importing *importing = user;
    struct proto_problem problem = {0};
    struct gjk_arena arena;
    proto_set set;
    gjk_arena_init(&arena, 0);
    const bool fine = proto_decode_set(body, name, &importing->limits, &arena, &set, &problem) &&
                      store(importing, &set, &arena, &problem);
    gjk_arena_fini(&arena);
    return fine || refuse_body(error, &problem);
}

bool gjkd_import(const char *directory, FILE *in, char error[GJKD_STORE_ERROR_MAX]) {
    struct importing importing = {.limits = proto_limits_default()};
    importing.database = gjkd_database_open(directory, error);
    if (importing.database == NULL) {
        return false;
    }
    gjkd_copy copy;
    if (!gjkd_copy_check(importing.database, directory, "", &copy, error)) {
        gjkd_database_close(importing.database);
        return false;
    }
    bool fine = gjkd_database_begin(importing.database);
    if (!fine) {
        snprintf(error, GJKD_STORE_ERROR_MAX, "%.300s: %.150s", directory,
                 gjkd_database_error(importing.database));
    }
    fine = fine && gjkd_bodies_read_lines(in, "--import", import, &importing, error);
    if (fine && !gjkd_database_commit(importing.database)) {
        snprintf(error, GJKD_STORE_ERROR_MAX, "%.300s: %.150s", directory,
                 gjkd_database_error(importing.database));
        fine = false;
    }
    if (!fine) {
        gjkd_database_undo(importing.database);
    }
    gjkd_database_close(importing.database);
    return fine;
}
