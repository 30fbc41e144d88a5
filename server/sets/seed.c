/*
 * They are decoded and committed like the body of a PUT with If-None-Match: *, so that they are
 * valid by construction and never take the place of another.
 */

#define _GNU_SOURCE /* tdestroy */
#include "sets/seed.h"

#include "util/files.h"
#include "work/memory.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "demo/"
#define SUFFIX ".json"

/* --- Names --- */

static int compare_names(const void *a, const void *b) {
    return strcmp(a, b);
}

void gjkd_seeded_fini(struct gjkd_seeded *seeded) {
    tdestroy(seeded->names, free);
    seeded->names = NULL;
}

/* Adds a name. Returns false if it is there already. */
static bool add_name(struct gjkd_seeded *seeded, const char *name, struct proto_problem *problem) {
    char *copy = strdup(name);
    char *const *found = copy != NULL ? tsearch(copy, &seeded->names, compare_names) : NULL;
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

/* --- Sets --- */

bool gjkd_seed(const gjkd_write *where, const char *name, proto_text body,
               const proto_limits *limits, struct gjkd_seeded *seeded,
               struct proto_problem *problem) {
    struct gjkd_account account;
    struct gjk_arena arena;
    struct gjkd_change change = {0};
    proto_set set;
    gjkd_account_init(&account);
    gjk_arena_init(&arena, 0);
    gjk_arena_charge(&arena, &account.account);
    bool fine = proto_decode_set(body, name, limits, &arena, &set, problem) &&
                add_name(seeded, set.name, problem);
    if (fine && where != NULL) {
        gjkd_write write = *where;
        write.name = set.name;
        write.if_none_match = "*";
        write.problem = problem;
        write.change = &change;
        struct gjkd_version *version = NULL;
        if (gjkd_commit_put(&write, &set, &version) == GJKD_REFUSED) {
            fine = problem->code == PROTO_REVISION_MISMATCH; /* the name is taken */
        } else {
            gjkd_version_release(version);
            fine = gjkd_change_wait(&change) != GJKD_NOT_STORED ||
                   proto_problem_set(problem, PROTO_NOT_STORED, "it could not be stored");
        }
    }
    gjk_arena_fini(&arena);
    return fine;
}

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

bool gjkd_seed_demo(const gjkd_write *where, const proto_limits *limits,
                    char error[PROTO_DETAIL_MAX]) {
    struct proto_problem problem;
    struct gjkd_seeded seeded = {NULL};
    char name[64];
    bool fine = true;
    for (size_t i = 0; fine && i < gjkd_file_count; i++) {
        const proto_text body = {(const char *)gjkd_files[i].text, gjkd_files[i].length};
        fine = !find_name(&gjkd_files[i], name) ||
               gjkd_seed(where, name, body, limits, &seeded, &problem);
        if (!fine) {
            snprintf(error, PROTO_DETAIL_MAX, "demo set %s: %.200s: %.100s", name, problem.pointer,
                     problem.detail);
        }
    }
    gjkd_seeded_fini(&seeded);
    return fine;
}
