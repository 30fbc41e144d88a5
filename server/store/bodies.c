#include "store/bodies.h"

#include "proto/limits.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool refuse(char *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool refuse(char *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error, GJKD_BODIES_ERROR_MAX, format, arguments);
    va_end(arguments);
    return false;
}

static bool ends_with(const char *text, const char *end) {
    const size_t length = strlen(text), end_length = strlen(end);
    return length > end_length && strcmp(text + length - end_length, end) == 0;
}

/* --- Lines --- */

static bool is_blank(const char *line) {
    return line[strspn(line, " \t\r\n")] == '\0';
}

bool gjkd_bodies_read_lines(FILE *file, const char *shown_name, gjkd_take_body *take, void *user,
                            char error[GJKD_BODIES_ERROR_MAX]) {
    char reason[GJKD_BODIES_ERROR_MAX];
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    bool fine = true;
    errno = 0;
    for (unsigned long number = 1; fine && (length = getline(&line, &capacity, file)) > 0;
         number++) {
        const proto_text body = {line, (size_t)length};
        if (!is_blank(line) && !take(user, NULL, body, reason)) {
            fine = refuse(error, "%.200s, line %lu: %.280s", shown_name, number, reason);
        }
    }
    if (fine && !feof(file)) {
        fine = refuse(error, "%.300s: %s", shown_name, strerror(errno));
    }
    free(line);
    return fine;
}

/* --- Whole files --- */

/* The file's bytes and a NUL, to be freed. NULL: errno says why. */
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

/* The set of a file NAME.json. */
static bool read_set(FILE *file, const char *path, gjkd_take_body *take, void *user, char *error) {
    char name[PROTO_SET_NAME_BYTES_MAX + 1], reason[GJKD_BODIES_ERROR_MAX];
    const char *base = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
    const size_t name_length = strlen(base) - strlen(".json");
    if (!proto_is_set_name(base, name_length)) {
        return refuse(error,
                      "%.300s: the file's name is that of its set, of the form "
                      "[A-Za-z0-9][A-Za-z0-9._~-]{0,127}; give it such a name",
                      path);
    }
    memcpy(name, base, name_length);
    name[name_length] = '\0';
    size_t length = 0;
    char *text = read_whole(file, &length);
    if (text == NULL) {
        return refuse(error, "%.300s: %s", path, strerror(errno));
    }
    const bool fine = take(user, name, (proto_text){text, length}, reason) ||
                      refuse(error, "%.200s: %.290s", path, reason);
    free(text);
    return fine;
}

static bool read_file(const char *path, gjkd_take_body *take, void *user, char *error) {
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return refuse(error, "%.300s: %s", path, strerror(errno));
    }
    const bool fine = ends_with(path, ".json")
                          ? read_set(file, path, take, user, error)
                          : gjkd_bodies_read_lines(file, path, take, user, error);
    fclose(file);
    return fine;
}

/* --- Folders --- */

static int is_wanted(const struct dirent *entry) {
    return entry->d_name[0] != '.' &&
           (ends_with(entry->d_name, ".json") || ends_with(entry->d_name, ".ndjson"));
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool read_folder(const char *path, gjkd_take_body *take, void *user, char *error) {
    struct dirent **entries = NULL;
    const int count = scandir(path, &entries, is_wanted, by_name);
    bool fine = count >= 0 || refuse(error, "%.300s: %s", path, strerror(errno));
    for (int i = 0; i < count; i++) {
        char file[PATH_MAX];
        if (fine &&
            (size_t)snprintf(file, sizeof file, "%s/%s", path, entries[i]->d_name) >= sizeof file) {
            fine = refuse(error, "%.300s: the name of a file in it is too long", path);
        }
        fine = fine && read_file(file, take, user, error);
        free(entries[i]);
    }
    free(entries);
    return fine;
}

bool gjkd_bodies_read(const char *path, gjkd_take_body *take, void *user,
                      char error[GJKD_BODIES_ERROR_MAX]) {
    struct stat status;
    if (stat(path, &status) != 0) {
        return refuse(error, "%.300s: %s", path, strerror(errno));
    }
    return S_ISDIR(status.st_mode) ? read_folder(path, take, user, error)
                                   : read_file(path, take, user, error);
}
