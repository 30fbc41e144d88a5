/* Decodes the body of POST .../configurations: the shapes, their poses row by row, and options. */

#include "proto/configurations.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "decode/decode.h"

/* Reads a shape that is an object: an inline shape, or a stored one at another pose. */
static const proto_operand *read_operand(struct proto_reader *reader, const proto_node *node,
                                         uint32_t dimension) {
    proto_operand *operand = gjk_arena_alloc(reader->arena, sizeof *operand);
    if (operand == NULL) {
        proto_refuse_memory(reader);
        return NULL;
    }
    proto_operand_init(operand);
    proto_decode_operand(reader, node, dimension, false, operand);
    return operand;
}

static void read_shapes(struct proto_reader *reader, const proto_node *shapes,
                        proto_configurations *out) {
    const size_t count = proto_array_size(shapes->value);

    if (!proto_read_array(reader, shapes)) {
        return;
    }
    if (count == 0) {
        proto_refuse(reader, shapes, PROTO_OUT_OF_RANGE, "there has to be a shape");
        return;
    }
    const char **ids = gjk_arena_alloc_array(reader->arena, count, sizeof *ids);
    const proto_operand **operands =
        gjk_arena_alloc_array(reader->arena, count, sizeof(proto_operand *));
    if (ids == NULL || operands == NULL) {
        proto_refuse_memory(reader);
        return;
    }
    for (size_t i = 0; i < count && proto_may_go_on(reader); i++) {
        proto_node shape = proto_item(shapes, i);
        shape.is_required = true;
        ids[i] = "";
        operands[i] = NULL;
        if (shape.value.type == PROTO_STRING) {
            proto_read_id(reader, shape, &ids[i]);
            continue;
        }
        operands[i] = read_operand(reader, &shape, out->dimension);
        if (operands[i] != NULL) {
            ids[i] = operands[i]->id;
        }
        if (operands[i] != NULL && operands[i]->kind == PROTO_OPERAND_INLINE) {
            char text[16];
            const int length = snprintf(text, sizeof text, "%c%010zu", PROTO_INLINE_MARK, i);
            ids[i] = gjk_arena_copy_text(reader->arena, text, (size_t)length);
            if (ids[i] == NULL) {
                proto_refuse_memory(reader);
            }
        }
    }
    out->ids = ids;
    out->operands = operands;
    out->shape_count = (uint32_t)count;
}

/* Reads a shape of an allowed pair: an id, or an index in `shapes`. */
static void read_member(struct proto_reader *reader, proto_node node,
                        const proto_configurations *asked, const char **out) {
    uint32_t index = 0;

    if (node.value.type != PROTO_NUMBER) {
        proto_read_id(reader, node, out);
    } else if (proto_read_u32(reader, node, 0, asked->shape_count - 1, &index)) {
        *out = asked->ids[index];
    }
}

/* Reads `allowed`, a list of pairs of shapes. */
static void read_allowed(struct proto_reader *reader, const proto_node *allowed,
                         proto_configurations *out) {
    const size_t count = proto_array_size(allowed->value);

    if (!proto_read_array(reader, allowed)) {
        return;
    }
    const char **ids = gjk_arena_alloc_array(reader->arena, 2 * count, sizeof *ids);
    if (ids == NULL) {
        proto_refuse_memory(reader);
        return;
    }
    for (size_t i = 0; i < count && proto_may_go_on(reader); i++) {
        const proto_node pair = proto_item(allowed, i);
        ids[2 * i] = ids[2 * i + 1] = "";
        if (proto_array_size(pair.value) != 2) {
            proto_refuse_type(reader, &pair, "two ids, or indices of shapes");
            continue;
        }
        read_member(reader, proto_item(&pair, 0), out, &ids[2 * i]);
        read_member(reader, proto_item(&pair, 1), out, &ids[2 * i + 1]);
    }
    out->allowed_ids = ids;
    out->allowed_count = (uint32_t)count;
}

static void read_pose(struct proto_reader *reader, const proto_node *node, uint32_t dimension,
                      gjk_pose *pose, uint8_t *given) {
    const uint32_t refused = reader->refused;
    proto_place place = {0};
    proto_object object;

    if (!proto_object_open(reader, node, &object)) {
        return;
    }
    proto_decode_place(reader, &object, dimension, &place);
    if (reader->refused == refused) {
        proto_object_close(reader, &object);
    }
    *pose = place.pose;
    *given = (uint8_t)((place.has_position ? PROTO_GIVEN_POSITION : 0) |
                       (place.has_rotation ? PROTO_GIVEN_ROTATION : 0));
}

/* Checks that a row has a pose for each shape. */
static bool check_row(struct proto_reader *reader, const proto_node *row, uint32_t shapes) {
    const size_t count = proto_array_size(row->value);

    if (!proto_is_array(row->value)) {
        return proto_refuse_type(reader, row, "an array of poses");
    }
    return count == shapes || proto_refuse(reader, row, PROTO_OUT_OF_RANGE,
                                           "%zu poses, but there are %u shapes", count, shapes);
}

static void read_poses(struct proto_reader *reader, const proto_node *rows,
                       proto_configurations *out) {
    const size_t count = proto_array_size(rows->value), m = out->shape_count;

    if (!proto_read_array(reader, rows)) {
        return;
    }
    if (count > PROTO_CONFIGURATIONS_MAX) {
        proto_refuse_many(reader, rows, "rows", count, PROTO_CONFIGURATIONS_MAX);
        return;
    }
    if (count == 0) {
        proto_refuse(reader, rows, PROTO_OUT_OF_RANGE, "there has to be a row");
        return;
    }
    const proto_node first = proto_item(rows, 0);
    if (!check_row(reader, &first, out->shape_count)) { /* before memory for all is allocated */
        return;
    }
    gjk_pose *poses = gjk_arena_alloc_array(reader->arena, count * m, sizeof *poses);
    uint8_t *given = gjk_arena_alloc_array(reader->arena, count * m, 1);
    if (poses == NULL || given == NULL) {
        proto_refuse_memory(reader);
        return;
    }
    for (size_t i = 0; i < count && proto_may_go_on(reader); i++) {
        const proto_node row = proto_item(rows, i);
        const bool is_row = check_row(reader, &row, out->shape_count);
        for (size_t k = 0; is_row && k < m && proto_may_go_on(reader); k++) {
            const proto_node pose = proto_item(&row, k);
            read_pose(reader, &pose, out->dimension, &poses[i * m + k], &given[i * m + k]);
        }
    }
    out->count = (uint32_t)count;
    out->poses = poses;
    out->given = given;
}

/* Reads `starts`, the rows at which a new path begins. */
static void read_starts(struct proto_reader *reader, const proto_node *starts,
                        proto_configurations *out) {
    const size_t count = proto_array_size(starts->value);

    if (!proto_is_given(starts) || !proto_read_array(reader, starts)) {
        return;
    }
    bool *begins = gjk_arena_alloc_array(reader->arena, out->count, sizeof *begins);
    if (begins == NULL) {
        proto_refuse_memory(reader);
        return;
    }
    memset(begins, 0, out->count * sizeof *begins);
    for (size_t i = 0; i < count && proto_may_go_on(reader); i++) {
        proto_node item = proto_item(starts, i);
        uint32_t row = 0;
        item.is_required = true;
        if (proto_read_u32(reader, item, 0, out->count - 1, &row)) {
            begins[row] = true;
        }
    }
    out->starts = begins;
}

static void decode_configurations(struct proto_reader *reader, proto_object *root,
                                  proto_configurations *out) {
    static const char *const reports[] = {"colliding", "distance", NULL};
    const proto_node shapes = proto_required(root, "shapes"), poses = proto_required(root, "poses");
    const proto_node allowed = proto_optional(root, "allowed");
    const proto_node starts = proto_optional(root, "starts"), limit = proto_optional(root, "limit");
    proto_query common;
    size_t report = 0;

    proto_query_init(&common, PROTO_OP_DISTANCE);
    proto_decode_scene(reader, root, true, &common);
    proto_decode_include(reader, proto_optional(root, "include"), &common);
    proto_read_bool(reader, proto_optional(root, "self"), &out->self);
    proto_read_bool(reader, proto_optional(root, "continuous"), &out->continuous);
    proto_read_choice(reader, proto_optional(root, "report"), reports, &report);
    proto_read_number(reader, proto_optional(root, "threshold"), proto_not_negative,
                      &out->threshold);
    proto_read_limit(reader, &limit, &common);
    read_shapes(reader, &shapes, out);
    if (out->ids != NULL) {
        read_allowed(reader, &allowed, out);
    }
    out->distance = report == 1;
    out->limit = common.limit;
    if (!out->distance) {
        proto_refuse_given(reader, root, "limit", "but with \"report\": \"distance\"");
    }
    if (!out->continuous) {
        proto_refuse_given(reader, root, "starts", "but with \"continuous\"");
    }
    out->filter = common.filter;
    out->options = common.options;
    if (common.at.given) {
        double *tick = gjk_arena_alloc(reader->arena, sizeof *tick);
        if (tick == NULL) {
            proto_refuse_memory(reader);
            return;
        }
        *tick = common.at.tick;
        out->ticks = tick;
        out->tick_count = 1;
        out->tick_pointer = "/at/tick";
    }
    out->include_meta = common.include_meta;
    proto_object_close(reader, root);
    if (reader->refused == 0) {
        read_poses(reader, &poses, out);
    }
    if (reader->refused == 0) {
        read_starts(reader, &starts, out);
    }
}

bool proto_decode_configurations(proto_text body, uint32_t set_dimension,
                                 const proto_limits *limits, struct gjk_arena *arena,
                                 proto_configurations *out, struct proto_problem *problem) {
    struct proto_reader reader;
    proto_object object;

    *out = (proto_configurations){.dimension = set_dimension, .threshold = INFINITY};
    if (!proto_reader_open(&reader, body, limits, arena, problem)) {
        return false;
    }
    const proto_node root = proto_root(reader.root);
    if (proto_object_open(&reader, &root, &object)) {
        decode_configurations(&reader, &object, out);
    }
    const bool is_decoded = proto_reader_finish(&reader, problem);
    proto_reader_close(&reader);
    return is_decoded;
}
