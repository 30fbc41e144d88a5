/*
 * Decodes the body of PUT of a set: dimension, history, meta and shapes. Read-only members that GET
 * adds are accepted, so that its answer can be sent back, and ignored.
 */

#include <string.h>

#include "decode/decode.h"
#include "json/reader.h"

bool proto_check_set_name(struct proto_reader *reader, proto_node node, const char *name) {
    if (!proto_is_given(&node)) {
        return true;
    }
    if (node.value.type != PROTO_STRING) {
        return proto_refuse_type(reader, &node, "a string");
    }
    const proto_text found = proto_text_of(node.value);
    if (proto_text_equals(found, name, strlen(name))) {
        return true;
    }
    return proto_refuse(reader, &node, PROTO_BAD_NAME,
                        "the set is called \"%.128s\" in the path, but \"%.*s\" here", name,
                        proto_shown(found, 128), found.data);
}

bool proto_decode_history(struct proto_reader *reader, const proto_node *node, bool *exists,
                          uint32_t *out) {
    static const char *const known[] = {"ticks", NULL};
    uint64_t ticks = 0;

    *exists = proto_is_given(node);
    if (!proto_is_given(node)) {
        return true;
    }
    if (!proto_read_object(reader, node)) {
        return false;
    }
    bool is_fine = proto_check_members(reader, node, known, NULL);
    if (!proto_read_integer(reader, proto_required(node, "ticks"), 0,
                            reader->limits->history_ticks_max, &ticks)) {
        if (reader->problem->code == PROTO_OUT_OF_RANGE) {
            proto_problem_limit(reader->problem, reader->limits->history_ticks_max);
        }
        return false;
    }
    *out = (uint32_t)ticks;
    return is_fine;
}

bool proto_decode_meta(struct proto_reader *reader, const proto_node *node, proto_text *out) {
    if (!proto_is_given(node)) {
        return true;
    }
    return proto_check_meta(reader, node) && proto_take_text(reader, out);
}

/* The given name, which the member must not contradict, or else the member's. */
static bool read_name(struct proto_reader *reader, const proto_node *root, const char *name,
                      const char **out) {
    *out = name;
    if (name != NULL) {
        return proto_check_set_name(reader, proto_optional(root, "name"), name);
    }
    const proto_node node = proto_required(root, "name");
    if (!proto_is_given(&node)) {
        proto_refuse_missing(reader, &node);
        return false;
    }
    return proto_read_set_name(reader, node, out);
}

static bool decode_set(struct proto_reader *reader, const proto_node *root, const char *name,
                       proto_set *out) {
    static const char *const known[] = {"dimension", "history", "shapes", "meta", NULL};
    static const char *const read_only[] = {"name", "revision", "tick", "ticks", NULL};
    uint64_t dimension = 0;

    if (!proto_read_object(reader, root)) {
        return false;
    }
    bool is_fine = proto_check_members(reader, root, known, read_only);
    is_fine = read_name(reader, root, name, &out->name) && is_fine;
    bool has_dimension =
        proto_read_integer(reader, proto_required(root, "dimension"), 2, 3, &dimension);
    proto_node history = proto_optional(root, "history");
    proto_node meta = proto_optional(root, "meta");
    proto_node shapes = proto_optional(root, "shapes");
    out->dimension = (uint32_t)dimension;
    is_fine =
        proto_decode_history(reader, &history, &out->has_history, &out->history_ticks) && is_fine;
    is_fine = proto_decode_meta(reader, &meta, &out->meta) && is_fine;
    return has_dimension &&
           proto_decode_shapes(reader, &shapes, out->dimension, PROTO_SHAPE_STORED, &out->shapes,
                               &out->shape_count) &&
           is_fine;
}

bool proto_decode_set(proto_text body, const char *name, const proto_limits *limits,
                      struct gjk_arena *arena, proto_set *out, struct proto_problem *problem) {
    struct proto_document document;
    struct proto_reader reader;
    proto_set set = {0};

    if (!proto_document_open(&document, body, arena, problem)) {
        return false;
    }
    proto_reader_init(&reader, &document, limits, arena, problem);
    proto_node root = proto_root(document.root);
    bool is_decoded = decode_set(&reader, &root, name, &set);
    proto_document_close(&document);
    if (is_decoded) {
        *out = set;
    }
    return is_decoded;
}
