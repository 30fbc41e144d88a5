/*
 * The demo sets are decoded and stored like the body of a PUT, so that they are valid by
 * construction.
 */

#include "sets/demo.h"

#include "sets/commit.h"
#include "util/files.h"

#include <stdio.h>
#include <string.h>

#define FOLDER "demo/"
#define SUFFIX ".json"

/* "demo/arena2d.json" -> "arena2d". False: the file is no demo set. */
static bool find_name(const struct gjkd_file *file, char name[64]) {
    size_t length = strlen(file->name);
    size_t around = strlen(FOLDER SUFFIX);
    if (strncmp(file->name, FOLDER, strlen(FOLDER)) != 0 || length - around >= 64) {
        return false;
    }
    memcpy(name, file->name + strlen(FOLDER), length - around);
    name[length - around] = '\0';
    return true;
}

static bool load_one(struct gjkd_registry *registry, const proto_limits *limits,
                     const struct gjkd_file *file, const char *name, char *error) {
    struct gjk_arena arena;
    struct proto_problem problem;
    struct gjkd_version *version = NULL;
    proto_set set;
    proto_text body = {(const char *)file->text, file->length};
    gjk_arena_init(&arena, 0);
    bool fine = proto_decode_set(body, name, limits, &arena, &set, &problem);
    if (!fine) {
        snprintf(error, PROTO_DETAIL_MAX, "demo set %s: %.200s: %.100s", name, problem.pointer,
                 problem.detail);
    } else {
        const gjkd_write write = {registry, name, NULL, "*", &problem};
        fine = gjkd_commit_put(&write, &set, &version) != GJKD_REFUSED ||
               problem.code == PROTO_REVISION_MISMATCH;
        if (!fine) {
            snprintf(error, PROTO_DETAIL_MAX, "demo set %s: %.200s", name, problem.detail);
        }
    }
    gjkd_version_release(version);
    gjk_arena_fini(&arena);
    return fine;
}

bool gjkd_demo_load(struct gjkd_registry *registry, const proto_limits *limits,
                    char error[PROTO_DETAIL_MAX]) {
    char name[64];
    for (size_t i = 0; i < gjkd_file_count; i++) {
        if (find_name(&gjkd_files[i], name) &&
            !load_one(registry, limits, &gjkd_files[i], name, error)) {
            return false;
        }
    }
    return true;
}
