/*
 * Decodes the body of PUT of a set: dimension, history, meta and shapes. Read-only members that GET
 * adds are accepted, so that its answer can be sent back, and ignored.
 */

#include <string.h>

#include "decode/decode.h"

void proto_check_set_name(struct proto_reader *reader, proto_node node, const char *name) {
    const proto_text found = proto_text_of(node.value);

    if (!proto_is_given(&node)) {
        return;
    }
    if (node.value.type != PROTO_STRING) {
        proto_refuse_type(reader, &node, "a string");
    } else if (!proto_text_equals(found, name, strlen(name))) {
        proto_refuse(reader, &node, PROTO_BAD_NAME,
                     "the set is called \"%.128s\" in the path, but \"%.*s\" here", name,
                     proto_shown(found, 128), found.data);
    }
}

void proto_decode_history(struct proto_reader *reader, const proto_node *node, bool *exists,
                          uint32_t *out) {
    const uint64_t most = reader->limits->history_ticks_max;
    uint64_t ticks = 0;
    proto_object history;

    *exists = proto_is_given(node);
    if (!proto_object_open(reader, node, &history)) {
        return;
    }
    if (!proto_read_integer(reader, proto_required(&history, "ticks"), 0, most, &ticks) &&
        reader->last != NULL && reader->last->code == PROTO_OUT_OF_RANGE) {
        proto_hint_limit(reader, most);
    }
    *out = (uint32_t)ticks;
    proto_object_close(reader, &history);
}

static void decode_set(struct proto_reader *reader, proto_object *root, const char *name,
                       proto_set *out) {
    const proto_node dimension = proto_required(root, "dimension");
    const proto_node history = proto_optional(root, "history");
    const proto_node shapes = proto_optional(root, "shapes");
    const proto_node meta = proto_optional(root, "meta");
    proto_node given_name = proto_optional(root, "name");

    proto_optional(root, "revision"); /* only accepted */
    proto_optional(root, "tick");
    proto_optional(root, "ticks");
    out->name = name;
    if (name != NULL) {
        proto_check_set_name(reader, given_name, name);
    } else {
        given_name.is_required = true;
        proto_read_set_name(reader, given_name, &out->name);
    }
    const bool has_dimension = proto_read_u32(reader, dimension, 2, 3, &out->dimension);
    proto_decode_history(reader, &history, &out->has_history, &out->history_ticks);
    proto_decode_meta(reader, &meta, &out->meta);
    if (has_dimension) {
        proto_decode_shapes(reader, &shapes, out->dimension, PROTO_SHAPE_STORED, &out->shapes,
                            &out->shape_count);
    }
    proto_object_close(reader, root);
}

bool proto_decode_set(proto_text body, const char *name, const proto_limits *limits,
                      struct gjk_arena *arena, proto_set *out, struct proto_problem *problem) {
    struct proto_reader reader;
    proto_object object;
    proto_set set = {0};

    if (!proto_reader_open(&reader, body, limits, arena, problem)) {
        return false;
    }
    const proto_node root = proto_root(reader.root);
    if (proto_object_open(&reader, &root, &object)) {
        decode_set(&reader, &object, name, &set);
    }
    const bool is_decoded = proto_reader_finish(&reader, problem);
    proto_reader_close(&reader);
    if (is_decoded) {
        *out = set;
    }
    return is_decoded;
}
