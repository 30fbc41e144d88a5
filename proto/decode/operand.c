/*
 * Decodes operands: a stored shape by its id, a stored shape at another pose, or an inline shape.
 */

#include <string.h>

#include "decode/decode.h"

static bool read_pointer(struct proto_reader *reader, const proto_node *node, const char **out) {
    char text[PROTO_POINTER_MAX];

    proto_pointer_text(node, text, sizeof text);
    *out = gjk_arena_copy_text(reader->arena, text, strlen(text));
    return *out != NULL || proto_refuse_memory(reader);
}

static bool refuse_stored(struct proto_reader *reader, const proto_node *node) {
    proto_refuse(reader, node, PROTO_WRONG_TYPE,
                 "expected an inline shape: without a set there are no stored ones");
    return proto_problem_hint(reader->problem,
                              "give an object with \"type\", or ask /v1/sets/{set}/...");
}

static bool decode_stored(struct proto_reader *reader, const proto_node *node, uint32_t dimension,
                          proto_operand *out) {
    static const char *const known2[] = {"id", "position", "angle", NULL};
    static const char *const known3[] = {"id", "position", "orientation", NULL};
    proto_place place;

    out->kind = PROTO_OPERAND_STORED;
    if (node->value.type == PROTO_STRING) {
        return proto_read_id(reader, *node, &out->id);
    }
    bool is_fine = proto_read_id(reader, proto_required(node, "id"), &out->id);
    is_fine = proto_decode_place(reader, node, dimension, &place) && is_fine;
    is_fine = proto_check_members(reader, node, dimension == 2 ? known2 : known3, NULL) && is_fine;
    if (!is_fine) {
        return false;
    }
    out->pose = place.pose;
    out->has_position = place.has_position;
    out->has_rotation = place.has_rotation;
    return true;
}

static bool decode_inline(struct proto_reader *reader, const proto_node *node, uint32_t dimension,
                          bool is_stateless, proto_operand *out) {
    const proto_shape_use use = is_stateless ? PROTO_SHAPE_INLINE : PROTO_SHAPE_OPERAND;
    proto_shape shape;

    if (!proto_decode_shape(reader, node, dimension, use, NULL, &shape)) {
        return false;
    }
    out->shape = shape.shape;
    out->group = shape.group;
    out->pose = shape.place.pose;
    return true;
}

bool proto_decode_operand(struct proto_reader *reader, const proto_node *node, uint32_t dimension,
                          bool is_stateless, proto_operand *out) {
    const bool is_name = node->value.type == PROTO_STRING;

    if (!proto_is_given(node) && !node->is_required) {
        return true;
    }
    out->kind = PROTO_OPERAND_INLINE; /* or STORED; wrong or not, it is not absent */
    if (!proto_is_given(node)) {
        return proto_refuse_missing(reader, node);
    }
    if (!is_name && node->value.type != PROTO_OBJECT) {
        return proto_refuse_type(reader, node, "an id or a shape");
    }
    if (!read_pointer(reader, node, &out->pointer)) {
        return false;
    }
    if (!is_name && !proto_has(node, "id")) {
        return decode_inline(reader, node, dimension, is_stateless, out);
    }
    if (is_stateless) {
        return refuse_stored(reader, node);
    }
    return decode_stored(reader, node, dimension, out);
}
