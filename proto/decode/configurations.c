/* Decodes rows of configurations: which shapes, their poses row by row, and what is asked of them. */

#include "proto/configurations.h"

#include <math.h>
#include <string.h>

#include "decode/decode.h"
#include "json/reader.h"

/* A list of ids, each once. */
static bool read_shapes(struct proto_reader *reader, const proto_node *root,
                        proto_configurations *out) {
    proto_node shapes = proto_required(root, "shapes");

    if (!proto_read_array(reader, &shapes)) {
        return false;
    }
    size_t count = proto_array_size(shapes.value);
    if (count == 0) {
        return proto_refuse(reader, &shapes, PROTO_OUT_OF_RANGE, "there has to be a shape");
    }
    const char **ids = gjk_arena_alloc_array(reader->arena, count, sizeof *ids);
    if (ids == NULL) {
        return proto_refuse_memory(reader);
    }
    bool is_fine = true;
    for (size_t i = 0; i < count && proto_may_go_on(reader); i++) {
        ids[i] = "";
        is_fine = proto_read_id(reader, proto_item(&shapes, i), &ids[i]) && is_fine;
    }
    out->ids = ids;
    out->shape_count = (uint32_t)count;
    return is_fine;
}

static bool read_allowed(struct proto_reader *reader, const proto_node *root,
                         proto_configurations *out) {
    proto_node allowed = proto_optional(root, "allowed");

    if (!proto_read_array(reader, &allowed)) {
        return false;
    }
    size_t count = proto_array_size(allowed.value);
    const char **ids = gjk_arena_alloc_array(reader->arena, 2 * count, sizeof *ids);
    if (ids == NULL) {
        return proto_refuse_memory(reader);
    }
    bool is_fine = true;
    for (size_t i = 0; i < count && proto_may_go_on(reader); i++) {
        proto_node pair = proto_item(&allowed, i);
        ids[2 * i] = ids[2 * i + 1] = "";
        if (!proto_is_array(pair.value) || proto_array_size(pair.value) != 2) {
            is_fine = proto_refuse_type(reader, &pair, "two ids");
            continue;
        }
        is_fine = proto_read_id(reader, proto_item(&pair, 0), &ids[2 * i]) && is_fine;
        is_fine = proto_read_id(reader, proto_item(&pair, 1), &ids[2 * i + 1]) && is_fine;
    }
    out->allowed_ids = ids;
    out->allowed_count = (uint32_t)count;
    return is_fine;
}

static bool read_pose(struct proto_reader *reader, const proto_node *node, uint32_t dimension,
                      gjk_pose *pose, uint8_t *given) {
    static const char *const known2[] = {"position", "angle", NULL};
    static const char *const known3[] = {"position", "orientation", NULL};
    proto_place place = {0};

    if (!proto_read_object(reader, node) || !proto_decode_place(reader, node, dimension, &place) ||
        !proto_check_members(reader, node, dimension == 2 ? known2 : known3, NULL)) {
        return false;
    }
    *pose = place.pose;
    *given = (uint8_t)((place.has_position ? PROTO_GIVEN_POSITION : 0) |
                       (place.has_rotation ? PROTO_GIVEN_ROTATION : 0));
    return true;
}

/* A row has a pose for each shape. */
static bool check_row(struct proto_reader *reader, const proto_node *row, uint32_t shapes) {
    if (!proto_is_array(row->value)) {
        return proto_refuse_type(reader, row, "an array of poses");
    }
    const size_t count = proto_array_size(row->value);
    return count == shapes || proto_refuse(reader, row, PROTO_OUT_OF_RANGE,
                                           "%zu poses, but there are %u shapes", count, shapes);
}

static bool read_row(struct proto_reader *reader, const proto_node *row,
                     const proto_configurations *asked, gjk_pose *poses, uint8_t *given) {
    if (!check_row(reader, row, asked->shape_count)) {
        return false;
    }
    bool is_fine = true;
    for (uint32_t i = 0; i < asked->shape_count && proto_may_go_on(reader); i++) {
        proto_node pose = proto_item(row, i);
        is_fine = read_pose(reader, &pose, asked->dimension, &poses[i], &given[i]) && is_fine;
    }
    return is_fine;
}

static bool read_poses(struct proto_reader *reader, const proto_node *root,
                       proto_configurations *out) {
    proto_node rows = proto_required(root, "poses");

    if (!proto_read_array(reader, &rows)) {
        return false;
    }
    size_t count = proto_array_size(rows.value), m = out->shape_count;
    if (count > PROTO_CONFIGURATIONS_MAX) {
        return proto_refuse_many(reader, &rows, "rows", count, PROTO_CONFIGURATIONS_MAX);
    }
    if (count == 0) {
        return proto_refuse(reader, &rows, PROTO_OUT_OF_RANGE, "there has to be a row");
    }
    proto_node first = proto_item(&rows, 0);
    if (!check_row(reader, &first, out->shape_count)) { /* before memory is taken for all */
        return false;
    }
    gjk_pose *poses = gjk_arena_alloc_array(reader->arena, count * m, sizeof *poses);
    uint8_t *given = gjk_arena_alloc_array(reader->arena, count * m, 1);
    if (poses == NULL || given == NULL) {
        return proto_refuse_memory(reader);
    }
    bool is_fine = true;
    for (size_t i = 0; i < count && proto_may_go_on(reader); i++) {
        proto_node row = proto_item(&rows, i);
        is_fine = read_row(reader, &row, out, &poses[i * m], &given[i * m]) && is_fine;
    }
    out->count = (uint32_t)count;
    out->poses = poses;
    out->given = given;
    return is_fine;
}

static bool decode(struct proto_reader *reader, const proto_node *root, proto_configurations *out) {
    static const char *const known[] = {"shapes", "poses",     "self",    "allowed",
                                        "at",     "threshold", "report",  "continuous",
                                        "filter", "include",   "options", NULL};
    static const char *const reports[] = {"colliding", "distance", NULL};
    static const proto_range reach = {0.0, INFINITY, false};
    proto_query common;
    size_t report = 0;

    proto_query_init(&common, PROTO_OP_DISTANCE);
    if (!proto_read_object(reader, root)) {
        return false;
    }
    bool is_fine = proto_check_members(reader, root, known, NULL);
    is_fine = proto_decode_scene(reader, root, &common) && is_fine;
    is_fine = proto_decode_include(reader, proto_optional(root, "include"), &common) && is_fine;
    is_fine = proto_read_bool(reader, proto_optional(root, "self"), &out->self) && is_fine;
    is_fine =
        proto_read_bool(reader, proto_optional(root, "continuous"), &out->continuous) && is_fine;
    is_fine =
        proto_read_choice(reader, proto_optional(root, "report"), reports, &report) && is_fine;
    is_fine =
        proto_read_number(reader, proto_optional(root, "threshold"), reach, &out->threshold) &&
        is_fine;
    is_fine = read_allowed(reader, root, out) && is_fine;
    is_fine = read_shapes(reader, root, out) && is_fine;
    out->distance = report == 1;
    out->filter = common.filter;
    out->options = common.options;
    out->at = common.at;
    out->include_meta = common.include_meta;
    return is_fine && read_poses(reader, root, out);
}

bool proto_decode_configurations(proto_text body, uint32_t set_dimension,
                                 const proto_limits *limits, struct gjk_arena *arena,
                                 proto_configurations *out, struct proto_problem *problem) {
    struct proto_document document;
    struct proto_reader reader;

    *out = (proto_configurations){.dimension = set_dimension, .threshold = INFINITY};
    if (!proto_document_open(&document, body, arena, problem)) {
        return false;
    }
    proto_reader_init(&reader, &document, limits, arena, problem);
    proto_node root = proto_root(document.root);
    bool is_decoded = decode(&reader, &root, out);
    proto_document_close(&document);
    return is_decoded;
}
