/* Reads a set from the body that stores it. */

#include "bare.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>

double bench_read_ns(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

proto_text bench_read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        err(1, "%s", path);
    }
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *data = malloc(size);
    if (data == NULL || fread(data, 1, size, file) != size) {
        errx(1, "%s", path);
    }
    fclose(file);
    return (proto_text){data, size};
}

struct gjk_set *bench_load_set(proto_text text, struct gjk_arena *arena) {
    proto_limits limits = proto_limits_default();
    struct proto_problem problem;
    struct gjk_set *set = NULL;
    proto_set body;
    if (!proto_decode_set(text, "set", &limits, arena, &body, &problem)) {
        errx(1, "%s: %s", problem.pointer, problem.detail);
    }
    /* As the daemon does: from edits, in the order of ids. */
    gjk_body *bodies = gjk_arena_alloc_array(arena, body.shape_count, sizeof *bodies);
    gjk_edit *edits = gjk_arena_alloc_array(arena, body.shape_count, sizeof *edits);
    for (uint32_t i = 0; i < body.shape_count; i++) {
        const proto_shape *shape = &body.shapes[i].shape;
        bodies[i] = (gjk_body){.id = body.shapes[i].id,
                               .handle = i + 1,
                               .category = shape->category,
                               .mask = shape->mask,
                               .placed = {&shape->shape, shape->place.pose}};
        edits[i] = (gjk_edit){bodies[i].id, &bodies[i]};
    }
    struct gjk_set *empty = gjk_set_new_empty(body.dimension, NULL);
    if (empty == NULL || gjk_set_edit(empty, edits, body.shape_count, &set) != GJK_OK) {
        errx(1, "no memory");
    }
    gjk_set_release(empty);
    return set;
}
