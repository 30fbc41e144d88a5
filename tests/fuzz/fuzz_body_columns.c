/*
 * Can a message that defines a shape do harm, and is what is accepted a shape whose definition and
 * lists JSON takes back? The first byte chooses the limits, the rest is the body.
 */

#include "fuzz.h"

#include <math.h>
#include <string.h>

#include "gjk/pieces.h"
#include "proto/columns.h"

#define NAME "fuzzed"

/* A set of that shape, as GET answers it, must be taken by PUT. */
static void check_shape(const proto_shape *shape, const proto_limits *limits,
                        struct gjk_arena *arena) {
    const uint32_t dimension = shape->shape.dimension;
    const proto_set_head head = {.summary = {.name = NAME, .dimension = dimension, .revision = 1}};
    const proto_stored stored = {shape->definition, shape->place, NULL, &shape->shape};
    struct proto_problem problem;
    struct proto_buffer out;
    proto_set again;

    require(dimension == 2 || dimension == 3);
    require(isfinite(shape->shape.size) && isfinite(shape->shape.reach));
    require(shape->shape.pieces == NULL ||
            gjk_pieces_count(shape->shape.pieces) <= limits->pieces_per_shape_max);
    proto_buffer_init(&out, arena);
    proto_encode_set_begin(&out, &head);
    proto_encode_set_shape(&out, "a", dimension, &stored, 1);
    proto_encode_shapes_end(&out);
    require(!out.failed);
    require(proto_decode_set((proto_text){out.data, out.length}, NAME, limits, arena, &again,
                             &problem));
    require(again.shape_count == 1);
    require(again.shapes[0].shape.definition.length == shape->definition.length);
    require(memcmp(again.shapes[0].shape.definition.data, shape->definition.data,
                   shape->definition.length) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    proto_limits limits = proto_limits_default();
    struct proto_problem problem = {0};
    struct gjk_arena arena;
    proto_shape shape;

    if (size == 0) {
        return 0;
    }
    if (data[0] & 1) {
        limits.pieces_per_shape_max = 3;
    }
    gjk_arena_init(&arena, 0);
    const proto_text body = {(const char *)data + 1, size - 1};
    if (proto_decode_body_columns(body, &limits, &arena, &shape, &problem)) {
        check_shape(&shape, &limits, &arena);
    } else {
        check_problem(&problem);
    }
    gjk_arena_fini(&arena);
    return 0;
}
