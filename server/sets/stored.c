/*
 * Two reference-counted objects: the definition (shape, its columns and texts, in one block) and
 * the place, which references its definition. The pieces of a shape are a third one, shared by
 * definitions that differ in other members only.
 */

#include "sets/stored.h"

#include "gjk/pieces.h"
#include "util/references.h"
#include "work/memory.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Alignment of a shape's columns, in bytes, for vector loads. */
#define COLUMN_ALIGNMENT 64

/* The columns follow, aligned, then the texts: in a cloud, which has no curve, in place of it. */
struct definition {
    gjkd_references references;
    uint32_t bytes;      /* size of the block */
    uint32_t meta_bytes; /* length of the meta JSON at the end of text, before the closing brace; 0:
                            none */
    proto_text text;
    gjk_shape shape; /* last, and all of it in the block */
};

struct gjkd_stored {
    gjk_body body; /* first: a body is cast to its gjkd_stored; its shape is the definition's */
    gjkd_references references;
    bool has_position, has_rotation;
    gjkd_origin origin;
    struct block *block; /* the block that contains it; NULL: allocated alone */
};

/* Places allocated together, and freed with the last of them. */
struct block {
    gjkd_references references; /* places in use or not handed out yet */
    uint32_t bytes;
    struct gjkd_stored places[];
};

/* Bodies are immutable except for their reference count. */
static struct gjkd_stored *stored_of(const gjk_body *body) {
    return (struct gjkd_stored *)body;
}

static struct definition *definition_of(const gjk_body *body) {
    return (struct definition *)((char *)body->placed.shape - offsetof(struct definition, shape));
}

static void retain(const gjk_body *body) {
    gjkd_references_retain(&stored_of(body)->references);
}

/* Allocates a block charged to the process. Returns NULL if memory is exhausted. */
static void *alloc_charged(size_t bytes) {
    if (!gjkd_memory_take(GJKD_CHARGE_SETS, bytes)) {
        return NULL;
    }
    void *block = malloc(bytes);
    if (block == NULL) {
        gjkd_memory_give(GJKD_CHARGE_SETS, bytes);
    }
    return block;
}

static void free_charged(void *block, size_t bytes) {
    free(block);
    gjkd_memory_give(GJKD_CHARGE_SETS, bytes);
}

static void release(const gjk_body *body) {
    struct gjkd_stored *stored = stored_of(body);
    if (!gjkd_references_release(&stored->references)) {
        return;
    }
    struct definition *definition = definition_of(body);
    if (gjkd_references_release(&definition->references)) {
        gjk_pieces_release(definition->shape.pieces);
        free_charged(definition, definition->bytes);
    }
    struct block *block = stored->block;
    if (block == NULL) {
        free_charged(stored, sizeof *stored);
    } else if (gjkd_references_release(&block->references)) {
        free_charged(block, block->bytes);
    }
}

const uint64_t gjkd_stored_place_bytes = sizeof(struct gjkd_stored);
const gjk_body_callbacks gjkd_stored_callbacks = {retain, release};

/* --- Construction --- */

static char *put_text(char *at, const char *text, size_t length) {
    memcpy(at, text, length);
    at[length] = '\0';
    return at + length + 1;
}

/* Allocates the definition of a body and gives the body its shape, id and group. Returns false if
 * memory is exhausted. */
static bool make_definition(const char *id, const proto_shape *shape, gjk_body *body) {
    size_t id_length = strlen(id), text_length = shape->definition.length;
    size_t group_length = shape->group != NULL ? strlen(shape->group) : 0;
    const bool has_columns =
        shape->shape.column_count > 0 && shape->shape.columns != gjk_origin_columns;
    size_t columns =
        has_columns ? (size_t)shape->shape.column_count * shape->shape.stride * sizeof(double) : 0;
    const size_t head = shape->shape.count > 0 ? offsetof(struct definition, shape.curve)
                                               : sizeof(struct definition);
    size_t size = head + columns + id_length + group_length + text_length + 3;
    size += has_columns ? COLUMN_ALIGNMENT - alignof(struct definition) : 0;
    size = size > sizeof(struct definition) ? size : sizeof(struct definition);
    struct definition *definition = size <= UINT32_MAX ? alloc_charged(size) : NULL;
    if (definition == NULL) {
        return false;
    }
    gjkd_references_init(&definition->references);
    definition->bytes = (uint32_t)size;
    definition->meta_bytes = shape->meta_bytes;
    definition->shape = shape->shape;
    if (shape->shape.pieces != NULL) {
        gjk_pieces_retain(shape->shape.pieces);
    }
    char *at = (char *)definition + head;
    if (has_columns) {
        at += -(uintptr_t)at & (COLUMN_ALIGNMENT - 1);
        definition->shape.columns = memcpy(at, shape->shape.columns, columns);
        at += columns;
    }
    body->placed.shape = &definition->shape;
    body->id = at;
    at = put_text(at, id, id_length);
    body->group = shape->group != NULL ? at : NULL;
    at = put_text(at, shape->group != NULL ? shape->group : "", group_length);
    definition->text = (proto_text){at, text_length};
    (void)put_text(at, shape->definition.data, text_length);
    return true;
}

static void place(struct gjkd_stored *stored, const proto_place *place) {
    stored->has_position = place->has_position;
    stored->has_rotation = place->has_rotation;
    stored->body.placed.pose = place->pose;
}

const gjk_body *gjkd_stored_new(const char *id, const proto_shape *shape, uint32_t handle,
                                bool teleport) {
    struct gjkd_stored *stored = alloc_charged(sizeof *stored);
    if (stored == NULL) {
        return NULL;
    }
    stored->body = (gjk_body){
        .handle = handle,
        .category = shape->category,
        .mask = shape->mask,
        .teleport = teleport,
    };
    if (!make_definition(id, shape, &stored->body)) {
        free_charged(stored, sizeof *stored);
        return NULL;
    }
    gjkd_references_init(&stored->references);
    stored->origin = (gjkd_origin){.revision = 0};
    stored->block = NULL;
    place(stored, &shape->place);
    return &stored->body;
}

/* A block has as many places as the write has made so far, up to this maximum: one kept place keeps
 * its whole block. */
#define BLOCK_PLACES_MAX 8

static bool add_block(gjkd_places *places) {
    const uint32_t made = places->made > 0 ? places->made : 1;
    const uint32_t count = made < BLOCK_PLACES_MAX ? made : BLOCK_PLACES_MAX;
    const size_t bytes = sizeof(struct block) + count * sizeof(struct gjkd_stored);
    struct block *block = alloc_charged(bytes);
    if (block == NULL) {
        return false;
    }
    atomic_init(&block->references, count);
    block->bytes = (uint32_t)bytes;
    places->block = block;
    places->left = count;
    return true;
}

/* Takes a place from the newest block. Returns NULL if memory is exhausted. */
static struct gjkd_stored *alloc_place(gjkd_places *places) {
    if (places->left == 0 && !add_block(places)) {
        return NULL;
    }
    struct gjkd_stored *stored = &places->block->places[--places->left];
    stored->block = places->block;
    places->made++;
    return stored;
}

void gjkd_places_close(gjkd_places *places) {
    struct block *block = places->block;
    const uint32_t left = places->left;
    places->left = 0;
    if (left > 0 &&
        atomic_fetch_sub_explicit(&block->references, left, memory_order_acq_rel) == left) {
        free_charged(block, block->bytes);
    }
}

const gjk_body *gjkd_stored_move(const gjk_body *body, const proto_place *to, bool teleport,
                                 gjkd_places *places) {
    struct gjkd_stored *stored = alloc_place(places);
    if (stored == NULL) {
        return NULL;
    }
    stored->body = *body;
    stored->body.teleport = teleport;
    gjkd_references_init(&stored->references);
    stored->origin = (gjkd_origin){.revision = 0};
    gjkd_references_retain(&definition_of(body)->references);
    place(stored, to);
    return &stored->body;
}

/* --- Access --- */

gjkd_origin gjkd_stored_origin(const gjk_body *body) {
    return stored_of(body)->origin;
}

void gjkd_stored_set_origin(const gjk_body *body, gjkd_origin origin) {
    stored_of(body)->origin = origin;
}

proto_stored gjkd_stored_view(const gjk_body *body) {
    const struct gjkd_stored *stored = stored_of(body);
    return (proto_stored){
        .definition = definition_of(body)->text,
        .place = {body->placed.pose, stored->has_position, stored->has_rotation},
        .self = body,
        .shape = body->placed.shape,
    };
}

proto_text gjkd_stored_meta(const gjk_body *body) {
    const struct definition *definition = definition_of(body);
    const size_t bytes = definition->meta_bytes;
    const char *brace = definition->text.data + definition->text.length - 1;
    return bytes > 0 ? (proto_text){brace - bytes, bytes} : (proto_text){NULL, 0};
}

/* Compares numbers bit by bit, because -0 and 0 are printed differently. */
static bool is_same_to_the_bit(const void *a, const void *b, size_t bytes) {
    return memcmp(a, b, bytes) == 0;
}

static bool has_same_place(const struct gjkd_stored *a, const struct gjkd_stored *b) {
    const gjk_pose *p = &a->body.placed.pose, *q = &b->body.placed.pose;
    const size_t turn_bytes =
        a->body.placed.shape->dimension == 2 ? sizeof p->turn.angle : sizeof p->turn.orientation;
    return a->has_position == b->has_position && a->has_rotation == b->has_rotation &&
           is_same_to_the_bit(&p->position, &q->position, sizeof p->position) &&
           is_same_to_the_bit(&p->turn, &q->turn, turn_bytes);
}

bool gjkd_stored_is_same(const gjk_body *a, const gjk_body *b) {
    const struct gjkd_stored *p = stored_of(a), *q = stored_of(b);
    const struct definition *c = definition_of(a), *d = definition_of(b);
    const bool is_defined_alike =
        c == d || (c->shape.pieces == d->shape.pieces && c->text.length == d->text.length &&
                   memcmp(c->text.data, d->text.data, c->text.length) == 0);
    return is_defined_alike && has_same_place(p, q);
}

bool gjkd_stored_is_moved(const gjk_body *body, const gjk_body *other) {
    return body->placed.shape == other->placed.shape;
}

uint64_t gjkd_stored_bytes(const gjk_body *body, const gjk_body *beside) {
    const struct definition *definition = definition_of(body);
    const struct gjk_pieces *pieces = definition->shape.pieces;
    if (body == beside) {
        return 0;
    }
    uint64_t bytes = sizeof(struct gjkd_stored);
    if (beside != NULL && gjkd_stored_is_moved(beside, body)) {
        return bytes;
    }
    bytes += definition->bytes;
    if (pieces != NULL && !(beside != NULL && beside->placed.shape->pieces == pieces)) {
        bytes += gjk_pieces_bytes(pieces);
    }
    return bytes;
}

void gjkd_edits_free(gjk_edit *edits, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (edits[i].body != NULL) {
            gjkd_stored_callbacks.release(edits[i].body);
        }
    }
    free(edits);
}
