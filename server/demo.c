/*
 * What does a newcomer find? Two sets, written as anyone would PUT them and stored by the
 * same decoder, so that they can neither be wrong nor special.
 */

#include "demo.h"

#include "commit.h"
#include "demo_data.h"

#include <stdio.h>
#include <string.h>

static bool load_one(struct gjkd_registry *registry, const proto_limits *limits,
                     const struct gjkd_demo_text *demo, char *error) {
    struct gjk_arena arena;
    struct proto_problem problem;
    struct gjkd_version *version = NULL;
    proto_set set;
    proto_text body = {(const char *)demo->text, demo->length};
    gjk_arena_init(&arena, 0);
    bool fine = proto_decode_set(body, demo->name, limits, &arena, &set, &problem);
    if (!fine) {
        snprintf(error, PROTO_DETAIL_MAX, "demo set %s: %.200s: %.100s", demo->name,
                 problem.pointer, problem.detail);
    } else {
        gjkd_commit_status status =
            gjkd_commit_put(registry, demo->name, &set, NULL, "*", &version);
        fine = version != NULL || status == GJKD_COMMIT_PRECONDITION_FAILED;
        if (!fine) {
            snprintf(error, PROTO_DETAIL_MAX, "demo set %s: no memory", demo->name);
        }
    }
    gjkd_version_release(version);
    gjk_arena_fini(&arena);
    return fine;
}

bool gjkd_demo_load(struct gjkd_registry *registry, const proto_limits *limits,
                    char error[PROTO_DETAIL_MAX]) {
    for (size_t i = 0; i < gjkd_demo_count; i++) {
        if (!load_one(registry, limits, &gjkd_demo_texts[i], error)) {
            return false;
        }
    }
    return true;
}
