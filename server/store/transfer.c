/*
 * A line is decoded like the body of a PUT. An import is one transaction, so that a mistake in its
 * last line leaves the directory unchanged.
 */

#define _GNU_SOURCE /* for tdestroy */
#include "store/transfer.h"

#include "proto/limits.h"
#include "sets/version_edit.h"
#include "store/load.h"
#include "util/files.h"
#include "work/memory.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- Files of sets --- */

/* Callback for a body; name NULL: the body has it. Returns false on failure: error says why. */
typedef bool take_body(void *user, const char *name, proto_text body, char *error);

static bool ends_with(const char *text, const char *end) {
    const size_t length = strlen(text), end_length = strlen(end);
    return length > end_length && strcmp(text + length - end_length, end) == 0;
}

/* Reads a file with one body in each line. shown_name: name for errors. */
static bool read_lines(FILE *file, const char *shown_name, take_body *take, void *user,
                       char *error) {
    static const char first_line[] = "line 1, "; /* where the parser places faults of a body */
    char reason[GJKD_ERROR_MAX];
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    bool fine = true;
    errno = 0;
    for (unsigned long number = 1; fine && (length = getline(&line, &capacity, file)) > 0;
         number++) {
        const proto_text body = {line, (size_t)length - (line[length - 1] == '\n')};
        const bool is_blank = line[strspn(line, " \t\r\n")] == '\0';
        if (!is_blank && !take(user, NULL, body, reason)) {
            const bool has_column = strncmp(reason, first_line, strlen(first_line)) == 0;
            fine = gjkd_refuse(error, "%.200s, line %lu%s%.280s", shown_name, number,
                               has_column ? ", " : ": ",
                               has_column ? reason + strlen(first_line) : reason);
        }
    }
    if (fine && !feof(file)) {
        fine = gjkd_refuse(error, "%.300s: %s", shown_name, strerror(errno));
    }
    free(line);
    return fine;
}

/* Returns the file's bytes and a NUL, to be freed by the caller; NULL: errno says why. */
static char *read_whole(FILE *file, size_t *length) {
    char *text = NULL;
    FILE *copy = open_memstream(&text, length);
    char piece[65536];
    size_t got;
    if (copy == NULL) {
        return NULL;
    }
    while ((got = fread(piece, 1, sizeof piece, file)) > 0) {
        (void)fwrite(piece, 1, got, copy);
    }
    const bool failed = ferror(file) || ferror(copy);
    if (fclose(copy) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}

/* Reads a file NAME.json, which holds the set NAME. */
static bool read_set(FILE *file, const char *path, take_body *take, void *user, char *error) {
    char name[PROTO_SET_NAME_BYTES_MAX + 1], reason[GJKD_ERROR_MAX];
    const char *base = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
    const size_t name_length = strlen(base) - strlen(".json");
    if (!proto_is_set_name(base, name_length)) {
        return gjkd_refuse(error,
                           "%.300s: the file's name is that of its set, of the form "
                           "[A-Za-z0-9][A-Za-z0-9._~-]{0,127}; give it such a name",
                           path);
    }
    memcpy(name, base, name_length);
    name[name_length] = '\0';
    size_t length = 0;
    char *text = read_whole(file, &length);
    if (text == NULL) {
        return gjkd_refuse(error, "%.300s: %s", path, strerror(errno));
    }
    const bool fine = take(user, name, (proto_text){text, length}, reason) ||
                      gjkd_refuse(error, "%.200s: %.290s", path, reason);
    free(text);
    return fine;
}

static bool read_file(const char *path, take_body *take, void *user, char *error) {
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return gjkd_refuse(error, "%.300s: %s", path, strerror(errno));
    }
    const bool fine = ends_with(path, ".json") ? read_set(file, path, take, user, error)
                                               : read_lines(file, path, take, user, error);
    fclose(file);
    return fine;
}

static int is_wanted(const struct dirent *entry) {
    return entry->d_name[0] != '.' &&
           (ends_with(entry->d_name, ".json") || ends_with(entry->d_name, ".ndjson"));
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool read_folder(const char *path, take_body *take, void *user, char *error) {
    struct dirent **entries = NULL;
    const int count = scandir(path, &entries, is_wanted, by_name);
    bool fine = count >= 0 || gjkd_refuse(error, "%.300s: %s", path, strerror(errno));
    for (int i = 0; i < count; i++) {
        char file[PATH_MAX];
        if (fine &&
            (size_t)snprintf(file, sizeof file, "%s/%s", path, entries[i]->d_name) >= sizeof file) {
            fine = gjkd_refuse(error, "%.300s: the name of a file in it is too long", path);
        }
        fine = fine && read_file(file, take, user, error);
        free(entries[i]);
    }
    free(entries);
    return fine;
}

static bool refuse_body(char *error, const struct proto_problem *problem) {
    return gjkd_refuse(error, "%.120s%s%.160s%s%.80s; correct it, or take the set out",
                       problem->pointer, problem->pointer[0] != '\0' ? ": " : "", problem->detail,
                       problem->hint[0] != '\0' ? "; " : "", problem->hint);
}

/* --- Sets at the start of a daemon --- */

struct seeding {
    const gjkd_write *where; /* NULL: bodies are only checked */
    const proto_limits *limits;
    void *names; /* names of all bodies so far: a tree of <search.h> */
};

static int compare_names(const void *a, const void *b) {
    return strcmp(a, b);
}

/* Adds a name. Returns false if it exists already. */
static bool add_name(struct seeding *seeding, const char *name, struct proto_problem *problem) {
    char *copy = strdup(name);
    char *const *found = copy != NULL ? tsearch(copy, &seeding->names, compare_names) : NULL;
    if (found == NULL) {
        free(copy);
        return proto_problem_set(problem, PROTO_OUT_OF_MEMORY, "there is no memory for the name");
    }
    if (*found != copy) {
        free(copy);
        return proto_problem_set(problem, PROTO_BAD_NAME,
                                 "the set \"%.128s\" is there twice, here and before", name);
    }
    return true;
}

/* Creates the set like a PUT with If-None-Match: *, and waits until it is stored. */
static bool seed_set(struct seeding *seeding, const char *name, proto_text body,
                     struct proto_problem *problem) {
    struct gjkd_account account;
    struct gjk_arena arena;
    struct gjkd_change change = {0};
    proto_set set;
    gjkd_account_init(&account);
    gjk_arena_init(&arena, 0);
    gjk_arena_charge(&arena, &account.account);
    bool fine = proto_decode_set(body, name, seeding->limits, &arena, &set, problem) &&
                add_name(seeding, set.name, problem);
    if (fine && seeding->where != NULL) {
        gjkd_write write = *seeding->where;
        write.name = set.name;
        write.if_none_match = "*";
        write.problem = problem;
        write.change = &change;
        struct gjkd_version *version = NULL;
        if (gjkd_commit_put(&write, &set, &version) == GJKD_REFUSED) {
            fine = problem->code == PROTO_REVISION_MISMATCH; /* the set exists already */
        } else {
            gjkd_version_release(version);
            fine = gjkd_change_wait(&change) != GJKD_NOT_STORED ||
                   proto_problem_set(problem, PROTO_NOT_STORED, "it could not be stored");
        }
    }
    gjk_arena_fini(&arena);
    return fine;
}

static bool seed(void *user, const char *name, proto_text body, char *error) {
    struct proto_problem problem = {0};
    return seed_set(user, name, body, &problem) || refuse_body(error, &problem);
}

bool gjkd_seed_demo(const gjkd_write *where, const proto_limits *limits,
                    char error[GJKD_ERROR_MAX]) {
    struct seeding seeding = {.where = where, .limits = limits};
    bool fine = true;
    for (size_t i = 0; fine && i < gjkd_file_count; i++) {
        const struct gjkd_file *file = &gjkd_files[i];
        char name[PROTO_SET_NAME_BYTES_MAX + 1], reason[GJKD_ERROR_MAX];
        if (sscanf(file->name, "demo/%128[^.].json", name) == 1) {
            const proto_text body = {(const char *)file->text, file->length};
            fine = seed(&seeding, name, body, reason) ||
                   gjkd_refuse(error, "demo set %s: %.300s", name, reason);
        }
    }
    tdestroy(seeding.names, free);
    return fine;
}

bool gjkd_load_bodies(const gjkd_write *where, const char *path, const proto_limits *limits,
                      char error[GJKD_ERROR_MAX]) {
    struct seeding seeding = {.where = where, .limits = limits};
    char reason[GJKD_ERROR_MAX];
    struct stat status;
    bool fine = false;
    if (stat(path, &status) != 0) {
        gjkd_refuse(reason, "%.300s: %s", path, strerror(errno));
    } else {
        fine = S_ISDIR(status.st_mode) ? read_folder(path, seed, &seeding, reason)
                                       : read_file(path, seed, &seeding, reason);
    }
    tdestroy(seeding.names, free);
    if (!fine) {
        snprintf(error, GJKD_ERROR_MAX, "--load: %.500s", reason);
    }
    return fine;
}

/* --- Export --- */

struct printing {
    FILE *out;
    bool failed;
};

/* Prints the text and empties it. */
static void flush(struct printing *printing, struct proto_buffer *text) {
    struct gjk_arena *arena = text->arena;
    printing->failed = printing->failed || text->failed ||
                       fwrite(text->data, 1, text->length, printing->out) != text->length;
    gjk_arena_reset(arena);
    proto_buffer_init(text, arena);
}

static void print_set(void *user, struct gjkd_version *version) {
    struct printing *printing = user;
    const proto_set_head head = gjkd_version_head(version);
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
    proto_encode_shapes_end(&text);
    flush(printing, &text);
    (void)fputc('\n', printing->out);
    gjk_arena_fini(&arena);
    gjkd_version_release(version);
}

bool gjkd_export(const char *directory, FILE *out, char error[GJKD_ERROR_MAX]) {
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
        fine = gjkd_refuse(error, "the sets cannot be written: %s", strerror(errno));
    }
    return fine;
}

/* --- Import --- */

struct importing {
    struct gjkd_database *database;
    proto_limits limits;
};

/* Stores a decoded set. */
static bool store_set(struct importing *importing, const proto_set *set, struct gjk_arena *arena,
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
                      store_set(importing, &set, &arena, &problem);
    gjk_arena_fini(&arena);
    return fine || refuse_body(error, &problem);
}

bool gjkd_import(const char *directory, FILE *in, char error[GJKD_ERROR_MAX]) {
    struct importing importing = {.limits = proto_limits_default()};
    importing.database = gjkd_database_open(directory, error);
    if (importing.database == NULL) {
        return false;
    }
    if (!gjkd_database_check_owner(importing.database, directory, error)) {
        gjkd_database_close(importing.database);
        return false;
    }
    bool fine = gjkd_database_begin(importing.database);
    if (!fine) {
        snprintf(error, GJKD_ERROR_MAX, "%.300s: %.150s", directory,
                 gjkd_database_error(importing.database));
    }
    fine = fine && read_lines(in, "--import", import, &importing, error);
    if (fine && !gjkd_database_commit(importing.database)) {
        fine = gjkd_refuse(error, "%.300s: %.150s", directory,
                           gjkd_database_error(importing.database));
    }
    if (!fine) {
        gjkd_database_undo(importing.database);
    }
    gjkd_database_close(importing.database);
    return fine;
}
