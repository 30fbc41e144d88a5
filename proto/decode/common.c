/* Decodes the members that queries of all kinds share: filter, options, tick and trace. */

#include "decode/decode.h"

#include <math.h>
#include <string.h>

#include "gjk/sort.h"

bool proto_read_set_name(struct proto_reader *reader, proto_node node, const char **out) {
    if (!proto_is_given(&node)) {
        return true;
    }
    if (node.value.type != PROTO_STRING) {
        return proto_refuse_type(reader, &node, "the name of a set");
    }
    const proto_text name = proto_text_of(node.value);
    if (!proto_is_set_name(name.data, name.length)) {
        return proto_refuse(reader, &node, PROTO_BAD_NAME, "\"%.*s\" is not the name of a set",
                            proto_shown(name, 128), name.data);
    }
    *out = gjk_arena_copy_text(reader->arena, name.data, name.length);
    return *out != NULL || proto_refuse_memory(reader);
}

/* Reads names into the order in which filters search them. */
static bool read_names(struct proto_reader *reader, proto_node node, const char *const **out,
                       uint32_t *count) {
    if (!proto_read_array(reader, &node)) {
        return false;
    }
    size_t size = proto_array_size(node.value); /* of nothing: 0 */
    const char **names = gjk_arena_alloc_array(reader->arena, size, sizeof *names);
    if (names == NULL) {
        return proto_refuse_memory(reader);
    }
    bool is_fine = true;
    for (size_t i = 0; i < size && proto_may_go_on(reader); i++) {
        is_fine = proto_read_id(reader, proto_item(&node, i), &names[i]) && is_fine;
    }
    *out = names;
    *count = (uint32_t)size;
    if (!is_fine || !proto_may_go_on(reader)) {
        return false;
    }
    gjk_status status = gjk_sort(reader->arena, names, size, sizeof *names, proto_compare_texts);
    return status == GJK_OK || proto_refuse_status(reader, &node, status);
}

bool proto_decode_filter(struct proto_reader *reader, const proto_node *node, gjk_filter *out) {
    static const char *const known[] = {"category",      "mask",        "ignore",
                                        "ignore_groups", "only_groups", NULL};

    if (!proto_is_given(node)) {
        return true;
    }
    *out = gjk_filter_default();
    if (!proto_read_object(reader, node)) {
        return false;
    }
    proto_node ignore = proto_optional(node, "ignore");
    proto_node ignore_groups = proto_optional(node, "ignore_groups");
    proto_node only_groups = proto_optional(node, "only_groups");
    out->has_only_groups = proto_is_given(&only_groups);
    bool is_fine = proto_check_members(reader, node, known, NULL);
    is_fine = proto_read_u32(reader, proto_optional(node, "category"), &out->category) && is_fine;
    is_fine = proto_read_u32(reader, proto_optional(node, "mask"), &out->mask) && is_fine;
    is_fine = read_names(reader, ignore, &out->ignore, &out->ignore_count) && is_fine;
    is_fine = read_names(reader, ignore_groups, &out->ignore_groups, &out->ignore_groups_count) &&
              is_fine;
    return read_names(reader, only_groups, &out->only_groups, &out->only_groups_count) && is_fine;
}

proto_options proto_options_default(void) {
    return (proto_options){GJK_TOLERANCE_DEFAULT, GJK_ITERATIONS_DEFAULT};
}

static bool decode_options(struct proto_reader *reader, const proto_node *node,
                           proto_options *out) {
    static const char *const known[] = {"tolerance", "max_iterations", NULL};
    static const proto_range tolerance = {0.0, GJK_TOLERANCE_MAX, true};
    if (!proto_is_given(node)) {
        return true;
    }
    *out = proto_options_default();
    uint64_t max_iterations = out->max_iterations;
    if (!proto_read_object(reader, node)) {
        return false;
    }
    bool is_fine = proto_check_members(reader, node, known, NULL);
    is_fine =
        proto_read_number(reader, proto_optional(node, "tolerance"), tolerance, &out->tolerance) &&
        is_fine;
    is_fine = proto_read_integer(reader, proto_optional(node, "max_iterations"), GJK_ITERATIONS_MIN,
                                 GJK_ITERATIONS_MAX, &max_iterations) &&
              is_fine;
    out->max_iterations = (uint32_t)max_iterations;
    return is_fine;
}

bool proto_decode_at(struct proto_reader *reader, const proto_node *node, proto_at *out) {
    static const char *const known[] = {"tick", NULL};
    static const proto_range since_start = {0.0, INFINITY, false};
    char pointer[PROTO_POINTER_MAX];

    if (!proto_is_given(node)) {
        return true;
    }
    out->given = true;
    proto_node tick = proto_required(node, "tick");
    proto_pointer_text(&tick, pointer, sizeof pointer);
    out->pointer = gjk_arena_copy_text(reader->arena, pointer, strlen(pointer));
    if (out->pointer == NULL) {
        return proto_refuse_memory(reader);
    }
    if (!proto_read_object(reader, node)) {
        return false;
    }
    bool is_fine = proto_check_members(reader, node, known, NULL);
    return proto_read_number(reader, tick, since_start, &out->tick) && is_fine;
}

bool proto_decode_include(struct proto_reader *reader, proto_node node, proto_query *out) {
    static const char *const known[] = {"meta", NULL};

    if (!proto_read_array(reader, &node)) {
        return false;
    }
    size_t size = proto_array_size(node.value); /* of nothing: 0 */
    bool is_fine = true;
    for (size_t i = 0; i < size && proto_may_go_on(reader); i++) {
        size_t chosen = 0;
        is_fine = proto_read_choice(reader, proto_item(&node, i), known, &chosen) && is_fine;
    }
    out->include_meta = size > 0;
    return is_fine;
}

/* A trace is refused where there is none: an option without effect would mislead. */
static bool decode_trace(struct proto_reader *reader, proto_node node, proto_query *out) {
    if (!proto_read_bool(reader, node, &out->trace)) {
        return false;
    }
    if (!out->trace || out->b.kind != PROTO_OPERAND_ABSENT) {
        return true;
    }
    proto_refuse(reader, &node, PROTO_UNKNOWN_MEMBER,
                 "\"trace\" has no meaning without a single pair");
    return proto_problem_hint(reader->problem, "give \"a\" and \"b\" to have that pair traced");
}

bool proto_decode_scene(struct proto_reader *reader, const proto_node *query, proto_query *out) {
    proto_node at = proto_optional(query, "at");
    proto_node filter = proto_optional(query, "filter");
    proto_node options = proto_optional(query, "options");

    bool is_fine = proto_decode_at(reader, &at, &out->at);
    is_fine = proto_decode_filter(reader, &filter, &out->filter) && is_fine;
    return decode_options(reader, &options, &out->options) && is_fine;
}

bool proto_decode_common(struct proto_reader *reader, const proto_node *query, proto_query *out) {
    bool is_fine = proto_decode_scene(reader, query, out);

    is_fine = proto_decode_include(reader, proto_optional(query, "include"), out) && is_fine;
    return decode_trace(reader, proto_optional(query, "trace"), out) && is_fine;
}
