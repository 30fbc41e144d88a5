/*
 * Can any body of a set do harm, and does every set that is taken come back? The first byte
 * chooses the limits, the rest is the body. A set that is accepted is written as GET does, which
 * must be accepted again and give the same bytes.
 */

#include "fuzz.h"

#include <math.h>
#include <string.h>

#include "proto/reply.h"

#define NAME "fuzz"

static struct proto_buffer encode(const proto_set *set, struct gjk_arena *arena) {
    proto_set_head head = {
        .summary = {NAME, set->dimension, 1, set->shape_count, 0, {0, 0, 0, false}},
        .has_history = set->has_history,
        .history_ticks = set->history_ticks,
        .meta = set->meta,
    };
    struct proto_buffer out;

    proto_buffer_init(&out, arena);
    proto_encode_set_begin(&out, &head);
    for (uint32_t i = 0; i < set->shape_count; i++) {
        const proto_shape *shape = &set->shapes[i].shape;
        const proto_stored stored = {shape->definition, shape->place, NULL, &shape->shape};
        proto_encode_set_shape(&out, set->shapes[i].id, set->dimension, &stored, i);
    }
    proto_encode_shapes_end(&out);
    require(!out.failed);
    return out;
}

static void check_set(const proto_set *set, const proto_limits *limits, struct gjk_arena *arena) {
    struct proto_problem problem;
    proto_set again;

    require(set->dimension == 2 || set->dimension == 3);
    require(set->shape_count <= limits->shapes_per_set_max);
    for (uint32_t i = 0; i < set->shape_count; i++) {
        require(i == 0 || strcmp(set->shapes[i - 1].id, set->shapes[i].id) < 0);
        const gjk_shape *shape = &set->shapes[i].shape.shape;
        require(shape->dimension == set->dimension && shape->type != GJK_CUSTOM);
        require(isfinite(shape->size) && isfinite(shape->bounding_radius));
    }
    struct proto_buffer first = encode(set, arena);
    require(proto_decode_set((proto_text){first.data, first.length}, NAME, limits, arena, &again,
                             &problem));
    struct proto_buffer second = encode(&again, arena);
    require(second.length == first.length && memcmp(second.data, first.data, first.length) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    proto_limits limits = proto_limits_default();
    struct proto_problem problem = {0};
    struct gjk_arena arena;
    proto_set set;

    if (size == 0)
        return 0;
    if (data[0] & 1) {
        limits.points_per_hull_max = 6;
        limits.shapes_per_set_max = 3;
        limits.meta_bytes_max = 8;
        limits.id_bytes_max = 4;
    }
    gjk_arena_init(&arena, data[0] & 2 ? 16384 : 0);
    if (proto_decode_set((proto_text){(const char *)data + 1, size - 1}, NAME, &limits, &arena,
                         &set, &problem)) {
        arena.limit_bytes = 0; /* what follows is not what is tested for running out */
        check_set(&set, &limits, &arena);
    } else {
        check_problem(&problem);
        require(problem.code != PROTO_NOT_FINITE);
    }
    gjk_arena_fini(&arena);
    return 0;
}
