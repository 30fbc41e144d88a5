/*
 * How is a shape kept so that versions of its set share it? One block for the definition (texts,
 * geometry, and its columns behind them), one for the place. Both count their references; the
 * last place to go takes the definition along.
 */

#include "sets/stored.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* What the columns of a shape are aligned to, for vector loads. */
#define COLUMN_ALIGNMENT 64

struct definition {
    atomic_uint references;
    uint32_t bytes; /* of the block */
    gjk_shape shape;
    proto_text text;
    const char *group; /* NULL: none */
    char id[];         /* then group, text and columns */
};

struct gjkd_stored {
    gjk_body body; /* first: a body that is stored is one of these */
    atomic_uint references;
    bool has_position, has_rotation;
    struct definition *definition;
};

/* Bodies are immutable but for the count of who holds them. */
static struct gjkd_stored *stored_of(const gjk_body *body) {
    return (struct gjkd_stored *)body;
}

static void retain(const gjk_body *body) {
    atomic_fetch_add_explicit(&stored_of(body)->references, 1, memory_order_relaxed);
}

static bool drop(atomic_uint *references) {
    return atomic_fetch_sub_explicit(references, 1, memory_order_acq_rel) == 1;
}

static void release(const gjk_body *body) {
    struct gjkd_stored *stored = stored_of(body);
    if (!drop(&stored->references)) {
        return;
    }
    if (drop(&stored->definition->references)) {
        free(stored->definition);
    }
    free(stored);
}

const gjk_keeper gjkd_stored_keeper = {retain, release};

/* --- Making --- */

static char *put_text(char *at, const char *text, size_t length) {
    memcpy(at, text, length);
    at[length] = '\0';
    return at + length + 1;
}

static struct definition *define(const char *id, const proto_shape *shape) {
    size_t id_length = strlen(id), text_length = shape->definition.length;
    size_t group_length = shape->group != NULL ? strlen(shape->group) : 0;
    size_t columns = (size_t)shape->shape.column_count * shape->shape.stride * sizeof(double);
    size_t size = sizeof(struct definition) + id_length + group_length + text_length + 3;
    size += columns > 0 ? columns + COLUMN_ALIGNMENT - 1 : 0;
    struct definition *definition = size <= UINT32_MAX ? malloc(size) : NULL;
    if (definition == NULL) {
        return NULL;
    }
    atomic_init(&definition->references, 1);
    definition->bytes = (uint32_t)size;
    definition->shape = shape->shape;
    char *at = put_text(definition->id, id, id_length);
    definition->group = shape->group != NULL ? at : NULL;
    at = put_text(at, shape->group != NULL ? shape->group : "", group_length);
    definition->text = (proto_text){at, text_length};
    at = put_text(at, shape->definition.data, text_length);
    if (columns > 0) {
        uintptr_t mask = COLUMN_ALIGNMENT - 1;
        at += (COLUMN_ALIGNMENT - ((uintptr_t)at & mask)) & mask;
        definition->shape.columns = memcpy(at, shape->shape.columns, columns);
    }
    return definition;
}

static void place(struct gjkd_stored *stored, const proto_place *place) {
    stored->has_position = place->has_position;
    stored->has_rotation = place->has_rotation;
    stored->body.turn = place->turn;
    stored->body.placed.pose = place->pose;
}

const gjk_body *gjkd_stored_new(const char *id, const proto_shape *shape, uint32_t handle,
                                bool teleport) {
    struct gjkd_stored *stored = malloc(sizeof *stored);
    struct definition *definition = stored != NULL ? define(id, shape) : NULL;
    if (definition == NULL) {
        free(stored);
        return NULL;
    }
    stored->body = (gjk_body){
        .id = definition->id,
        .group = definition->group,
        .handle = handle,
        .category = shape->category,
        .mask = shape->mask,
        .teleport = teleport,
        .placed.shape = &definition->shape,
    };
    atomic_init(&stored->references, 1);
    stored->definition = definition;
    place(stored, &shape->place);
    return &stored->body;
}

const gjk_body *gjkd_stored_move(const gjk_body *body, const proto_place *to, bool teleport) {
    struct gjkd_stored *stored = malloc(sizeof *stored);
    if (stored == NULL) {
        return NULL;
    }
    stored->body = *body;
    stored->body.teleport = teleport;
    atomic_init(&stored->references, 1);
    stored->definition = stored_of(body)->definition;
    atomic_fetch_add_explicit(&stored->definition->references, 1, memory_order_relaxed);
    place(stored, to);
    return &stored->body;
}

/* --- Looking --- */

proto_stored gjkd_stored_view(const gjk_body *body) {
    const struct gjkd_stored *stored = stored_of(body);
    return (proto_stored){
        .definition = stored->definition->text,
        .place = {body->placed.pose, body->turn, stored->has_position, stored->has_rotation},
        .self = body,
    };
}

uint64_t gjkd_stored_bytes(const gjk_body *body, const gjk_body *beside) {
    const struct definition *definition = stored_of(body)->definition;
    if (body == beside) {
        return 0;
    }
    bool shares = beside != NULL && stored_of(beside)->definition == definition;
    return sizeof(struct gjkd_stored) + (shares ? 0 : definition->bytes);
}
