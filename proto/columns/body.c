/*
 * Column messages that define a shape: decodes BodyColumns. Which columns a type has follows from
 * the table of kinds (gjk/kinds.h), as in JSON: a member's form tells the column it comes from.
 */

#include <math.h>
#include <stdalign.h>
#include <stdio.h>

#include "columns/columns.h"
#include "decode/decode.h"
#include "json/reader.h"
#include "json/text.h"
#include "json/writer.h"

struct body {
    PROTO_ROWS_OF(PROTO_BODY_COLUMNS);
    proto_source source; /* its arena is scratch */
    struct proto_message message;
    const gjk_kind *kind;
    gjk_geometry geometry;
};

static const char *name_of(const struct body *body, const proto_field *field) {
    return proto_body_columns_table.columns[field - body->fields].name;
}

static bool refuse_column(struct body *body, const proto_field *field, proto_code code,
                          const char *text) {
    return proto_refuse_row(body->source.problem, name_of(body, field), PROTO_NO_ROW, code, "%s",
                            text);
}

/* --- Type and labels --- */

/* Returns true if shapes of the kind are made of lists alone, for which there are columns. */
static bool has_columns(const gjk_kind *kind) {
    bool any_list = false;

    for (const gjk_member *member = kind->members; member->name != NULL; member++) {
        const gjk_member_form form = member->form;
        if ((form == GJK_MEMBER_NUMBER && !member->is_optional) || form == GJK_MEMBER_VECTOR ||
            form == GJK_MEMBER_PARTS) {
            return false;
        }
        any_list = any_list || form == GJK_MEMBER_POINTS || gjk_member_is_kept(member);
    }
    return any_list;
}

static bool read_kind(struct body *body) {
    const proto_text type = body->type.text;
    const uint32_t dimension = body->rows.dimension;
    uint32_t only = 0;

    body->kind = type.length > 0 ? gjk_kind_find(type.data, type.length, &only) : NULL;
    if (type.length == 0) {
        return refuse_column(body, &body->type, PROTO_MISSING_MEMBER,
                             "the member \"type\" is required");
    }
    if (body->kind == NULL || !has_columns(body->kind)) {
        refuse_column(body, &body->type, PROTO_UNKNOWN_TYPE,
                      "there are no columns for a shape of that type");
        return proto_problem_hint(body->source.problem, "known types: %s",
                                  dimension == 2 ? "region, chain, hull, polygon, points"
                                                 : "mesh, heightfield, hull, points");
    }
    return only == 0 || only == dimension ||
           refuse_column(body, &body->type, PROTO_DIMENSION_MISMATCH,
                         "the type is of the other dimension");
}

static bool read_labels(struct body *body, struct gjk_arena *arena, proto_shape *out) {
    const proto_text group = body->group.text;

    out->category = body->category.count > 0 ? body->category.uints[0] : 1;
    out->mask = body->mask.count > 0 ? body->mask.uints[0] : UINT32_MAX;
    if (group.length == 0) {
        return true;
    }
    if (!proto_is_id(group.data, group.length, body->source.limits->id_bytes_max)) {
        return refuse_column(body, &body->group, PROTO_BAD_NAME, "the text is not an id or group");
    }
    out->group = gjk_arena_copy_text(arena, group.data, group.length);
    return out->group != NULL ||
           proto_refuse_columns_status(body->source.problem, GJK_OUT_OF_MEMORY);
}

/* Checks that a column holds one row, or nothing. */
static bool check_one(struct body *body, const proto_field *field) {
    const proto_column *column = &proto_body_columns_table.columns[field - body->fields];
    const uint32_t width = proto_width(column, body->rows.dimension, 1);

    return field->count == 0 || field->count == width ||
           proto_refuse_row(body->source.problem, column->name, PROTO_NO_ROW, PROTO_WRONG_TYPE,
                            "%s holds %u numbers, not %u", column->name, field->count, width);
}

static bool read_place(struct body *body, proto_place *out) {
    const gjk_pose *pose = NULL;
    const gjk_rotation *turn = NULL;

    out->has_position = body->position.count > 0;
    out->has_rotation = body->rotation.count > 0;
    if (!check_one(body, &body->position) || !check_one(body, &body->rotation) ||
        !proto_make_poses(&body->source, &body->rows, &body->position, &body->rotation, &pose,
                          &turn)) {
        return false;
    }
    out->pose = pose != NULL ? *pose : gjk_pose_identity();
    if (turn != NULL) {
        out->turn = *turn;
    } else if (body->rows.dimension == 3) {
        out->turn.orientation = (gjk_quat){0.0, 0.0, 0.0, 1.0};
    }
    return true;
}

/* A refusal points at a row of it, as if it were a column. */
static bool check_rounding(const struct body *body) {
    proto_column column = proto_body_columns_table.columns[&body->rounding - body->fields];
    const proto_field one = {.count = 1, .doubles = (const unsigned char *)&body->rounding.number};

    column.values = PROTO_LENGTH;
    return proto_check_doubles(body->source.problem, &column, &one, 1);
}

/* --- Geometry --- */

/* Returns the column that a member comes from; of two, the one that is given. */
static const proto_field *column_of(const struct body *body, const gjk_member *member) {
    switch (member->form) {
    case GJK_MEMBER_POINTS:
    case GJK_MEMBER_VERTICES:
    case GJK_MEMBER_RINGS:
    case GJK_MEMBER_FLAT_RINGS:
        return body->vertices_float.count > 0 ? &body->vertices_float : &body->vertices;
    case GJK_MEMBER_HEIGHTS:
        return body->heights_float.count > 0 ? &body->heights_float : &body->heights;
    case GJK_MEMBER_RADII:
        return &body->radii;
    case GJK_MEMBER_NUMBER: /* one radius stands in the column of many */
        return strcmp(member->name, "radius") == 0 ? &body->radii
                                                   : proto_field_of(&body->rows, member->name);
    default:
        return proto_field_of(&body->rows, member->name);
    }
}

/* Returns a column's numbers, aligned; NULL if memory is exhausted. */
static const double *doubles_of(const struct body *body, const proto_field *field) {
    double *copy = NULL;

    if ((uintptr_t)field->doubles % alignof(double) == 0) {
        return (const double *)(const void *)field->doubles;
    }
    copy = gjk_arena_alloc_array(body->source.arena, field->count, sizeof *copy);
    if (copy != NULL) {
        memcpy(copy, field->doubles, field->count * sizeof *copy);
    }
    return copy;
}

static bool read_vertices(struct body *body, const gjk_member *member, gjk_member_value *out) {
    const uint32_t dimension = body->rows.dimension;
    const proto_field *field = column_of(body, member);
    const bool are_points = member->form == GJK_MEMBER_POINTS;
    const uint64_t limit = are_points ? body->source.limits->points_per_hull_max : PROTO_UNLIMITED;

    _Static_assert(sizeof(gjk_vec3) == 3 * sizeof(double), "vectors are rows of the column");
    _Static_assert(sizeof(gjk_vec2) == 2 * sizeof(double), "vectors are rows of the column");
    if (!proto_count_rows(&body->message, (uint32_t)(field - body->fields), limit)) {
        return false;
    }
    const uint32_t count = body->message.count;
    if (count < member->count_min) {
        return refuse_column(body, field, count == 0 ? PROTO_MISSING_MEMBER : PROTO_OUT_OF_RANGE,
                             "the shape needs more points");
    }
    gjk_vec3 *points = NULL;
    const double *numbers = NULL;
    if (are_points) {
        points = gjk_arena_alloc_array(body->source.arena, count, sizeof *points);
        for (uint32_t i = 0; points != NULL && i < count; i++) {
            points[i] = proto_vector_at(field, dimension, i);
        }
        out->list.points = points;
        out->list.count = count;
    } else {
        numbers = doubles_of(body, field);
        out->vertices.in_2d = dimension == 2 ? (const gjk_vec2 *)(const void *)numbers : NULL;
        out->vertices.in_3d = dimension == 3 ? (const gjk_vec3 *)(const void *)numbers : NULL;
        out->vertices.count = count;
    }
    return points != NULL || numbers != NULL ||
           proto_refuse_columns_status(body->source.problem, GJK_OUT_OF_MEMORY);
}

/* Checks that sizes add up to the number of things that they divide. */
static bool check_sum(struct body *body, const proto_field *sizes, uint64_t wanted) {
    uint64_t sum = 0;

    for (uint32_t i = 0; i < sizes->count; i++) {
        sum += sizes->uints[i];
    }
    return sum == wanted ||
           refuse_column(body, sizes, PROTO_WRONG_TYPE,
                         "the sizes do not add up to the number of what they divide");
}

static bool read_rings(struct body *body, gjk_member_value *out) {
    static const gjk_member vertices = {.form = GJK_MEMBER_VERTICES, .count_min = 1};
    gjk_member_value value = {.number = 0.0};

    if (!read_vertices(body, &vertices, &value) ||
        !check_sum(body, &body->ring_sizes, value.vertices.count) ||
        !check_sum(body, &body->polygon_sizes, body->ring_sizes.count)) {
        return false;
    }
    out->rings = (gjk_region){
        .vertices = value.vertices.in_2d,
        .ring_sizes = body->ring_sizes.uints,
        .polygon_sizes = body->polygon_sizes.uints,
        .polygon_count = body->polygon_sizes.count,
    };
    return true;
}

static bool read_choice(struct body *body, const proto_field *field, const gjk_member *member,
                        gjk_member_value *out) {
    for (uint32_t i = 0; member->choices[i] != NULL; i++) {
        if (proto_text_equals(field->text, member->choices[i], strlen(member->choices[i]))) {
            out->integer = i + 1;
        }
    }
    if (out->integer == 0 && field->text.length > 0) {
        char text[64];
        snprintf(text, sizeof text, "%.*s", proto_shown(field->text, sizeof text - 1),
                 field->text.data);
        proto_refuse_row(body->source.problem, member->name, PROTO_NO_ROW, PROTO_OUT_OF_RANGE,
                         "there is no %s \"%s\"", member->name, text);
        proto_suggest(body->source.problem, "values", text, member->choices);
        return false;
    }
    return true;
}

static bool read_member(struct body *body, const gjk_member *member, gjk_member_value *out) {
    const proto_field *field = column_of(body, member);

    switch (member->form) {
    case GJK_MEMBER_FLAG:
        out->flag = field->flag;
        return true;
    case GJK_MEMBER_COUNT:
        out->integer = field->uint;
        return field->uint >= 2 ||
               refuse_column(body, field, PROTO_OUT_OF_RANGE, "must be at least 2");
    case GJK_MEMBER_STEPS:
        if (field->count != 2) {
            return refuse_column(body, field,
                                 field->count == 0 ? PROTO_MISSING_MEMBER : PROTO_WRONG_TYPE,
                                 "there are two numbers");
        }
        out->vector = proto_vector_at(field, 2, 0);
        return true;
    case GJK_MEMBER_TRIANGLES:
        if (field->count == 0) {
            return refuse_column(body, field, PROTO_MISSING_MEMBER, "a mesh has triangles");
        }
        out->triangles.items = (const uint32_t(*)[3])(const void *)field->uints;
        out->triangles.count = field->count / 3;
        return proto_count_rows(&body->message, (uint32_t)(field - body->fields), UINT32_MAX / 4);
    case GJK_MEMBER_RINGS:
        return read_rings(body, out);
    case GJK_MEMBER_FLAT_RINGS: /* columns have those of all polygons */
        return true;
    case GJK_MEMBER_CHOICE:
        return read_choice(body, field, member, out);
    case GJK_MEMBER_NUMBER:
        out->number = field->count == 1 ? proto_double_at(field, 0) : NAN;
        return true;
    case GJK_MEMBER_RADII:
        out->radii.items = field->count > 1 ? doubles_of(body, field) : NULL;
        out->radii.count = field->count;
        return field->count <= 1 || out->radii.items != NULL ||
               proto_refuse_columns_status(body->source.problem, GJK_OUT_OF_MEMORY);
    case GJK_MEMBER_HEIGHTS:
        out->heights.items = doubles_of(body, field);
        out->heights.count = field->count;
        return out->heights.items != NULL ||
               proto_refuse_columns_status(body->source.problem, GJK_OUT_OF_MEMORY);
    case GJK_MEMBER_MATERIALS:
        out->materials.items = field->count > 0 ? field->uints : NULL;
        out->materials.count = field->count;
        return true;
    default:
        return read_vertices(body, member, out);
    }
}

/* --- Columns that do not belong there --- */

static bool is_of_kind(const struct body *body, const proto_field *field) {
    bool has_rings = false;

    for (const gjk_member *member = body->kind->members; member->name != NULL; member++) {
        has_rings = has_rings || member->form == GJK_MEMBER_RINGS;
        if (column_of(body, member) == field) {
            return true;
        }
    }
    return has_rings && (field == &body->ring_sizes || field == &body->polygon_sizes);
}

static bool check_fields(struct body *body) {
    GJK_ASSERT(body->kind != NULL);
    const proto_field *twice =
        body->vertices.count > 0 && body->vertices_float.count > 0 ? &body->vertices_float
        : body->heights.count > 0 && body->heights_float.count > 0 ? &body->heights_float
                                                                   : NULL;
    if (twice != NULL) {
        return refuse_column(body, twice, PROTO_UNKNOWN_MEMBER,
                             "it stands instead of the column of doubles, not beside it");
    }
    const proto_field *end = body->fields + body->message.table->count;
    for (const proto_field *field = &body->vertices; field < end; field++) {
        const bool is_label = field >= &body->position && field <= &body->meta_json;
        if (!is_label && field->count > 0 && !is_of_kind(body, field)) {
            return refuse_column(body, field, PROTO_UNKNOWN_MEMBER,
                                 "a shape of that type has none");
        }
    }
    return true;
}

/* --- What constructors refuse --- */

/* The row of the column of vertices at which a ring's vertex stands, or the row of the ring. */
static uint32_t row_of_ring(const gjk_region *rings, const gjk_pieces_fault *place, bool vertex) {
    uint32_t ring = 0, row = 0;

    for (uint32_t i = 0; i < place->index[0]; i++) {
        ring += rings->polygon_sizes[i];
    }
    ring += place->depth > 1 ? place->index[1] : 0;
    for (uint32_t i = 0; i < ring; i++) {
        row += rings->ring_sizes[i];
    }
    return vertex ? row + place->index[2] : ring;
}

static bool refuse_pieces(struct body *body, const proto_field *field) {
    const uint64_t limit = body->source.limits->pieces_per_shape_max;

    proto_refuse_row(body->source.problem, name_of(body, field), PROTO_NO_ROW, PROTO_TOO_MANY,
                     "a shape may have %llu pieces", (unsigned long long)limit);
    return proto_problem_limit(body->source.problem, limit);
}

/* Refuses at the column and row that the fault names. */
static bool refuse_geometry(struct body *body, gjk_status status) {
    const gjk_geometry_fault *fault = &body->geometry.fault;
    const gjk_pieces_fault *place = &fault->place;
    const gjk_member *member = &body->kind->members[fault->member];
    const gjk_region *rings = &body->geometry.values[0].rings;
    const proto_code code = proto_code_of(status);
    const char *text = place->text != NULL ? place->text : gjk_status_text(status);
    const proto_field *field = column_of(body, member);

    if (status == GJK_OUT_OF_MEMORY || status == GJK_GIVEN_UP) {
        return proto_refuse_columns_status(body->source.problem, status);
    }
    if (status == GJK_TOO_MANY_POINTS) {
        return refuse_pieces(body, field);
    }
    if (fault->is_count) {
        return proto_refuse_row(body->source.problem, name_of(body, field), PROTO_NO_ROW, code,
                                "must have %llu items, found %llu",
                                (unsigned long long)fault->wanted,
                                (unsigned long long)fault->found);
    }
    if (place->depth == 0) {
        return refuse_column(body, field, code, text);
    }
    uint32_t row = place->index[0];
    if (member->form == GJK_MEMBER_RINGS) {
        field = place->depth == 3   ? field
                : place->depth == 2 ? &body->ring_sizes
                                    : &body->polygon_sizes;
        row = place->depth == 1 ? row : row_of_ring(rings, place, place->depth == 3);
    }
    if (status == GJK_NOT_CLOSED) {
        proto_refuse_row(body->source.problem, name_of(body, field), row, code,
                         "%u edges have not two triangles in opposite directions",
                         place->open_edges);
        return place->weld_closes &&
               proto_problem_hint(body->source.problem, "with weld it is closed");
    }
    return proto_refuse_row(body->source.problem, name_of(body, field), row, code, "%s", text);
}

static bool make_shape(struct body *body, gjk_shape *out) {
    const gjk_member *members = body->kind->members;

    for (size_t i = 0; members[i].name != NULL; i++) {
        if (!read_member(body, &members[i], &body->geometry.values[i])) {
            return false;
        }
    }
    const gjk_status status = body->kind->make(&body->geometry, out);
    if (status == GJK_OK && out->pieces != NULL &&
        gjk_pieces_count(out->pieces) > body->source.limits->pieces_per_shape_max) {
        return refuse_pieces(body, column_of(body, &members[0]));
    }
    return status == GJK_OK || refuse_geometry(body, status);
}

/* --- The definition --- */

static void put_member(struct proto_buffer *text, const gjk_member *member, uint32_t dimension,
                       const gjk_member_value *value) {
    if (gjk_member_is_kept(member) || (member->form == GJK_MEMBER_FLAG && !value->flag) ||
        (member->form == GJK_MEMBER_CHOICE && value->integer == 0) ||
        (member->form == GJK_MEMBER_NUMBER && isnan(value->number))) {
        return;
    }
    proto_put_key(text, member->name);
    if (member->form == GJK_MEMBER_CHOICE) {
        proto_put_string_or_null(text, member->choices[value->integer - 1]);
        return;
    }
    if (member->form == GJK_MEMBER_NUMBER) {
        proto_put_number(text, value->number);
    } else if (member->form == GJK_MEMBER_FLAG) {
        proto_put_bool(text, true);
    } else if (member->form == GJK_MEMBER_COUNT) {
        proto_put_integer(text, value->integer);
    } else if (member->form == GJK_MEMBER_STEPS) {
        proto_put_vector(text, 2, value->vector);
    } else {
        proto_put_text(text, "[");
        for (uint32_t i = 0; i < value->list.count; i++) {
            proto_put_item(text);
            proto_put_vector(text, dimension, value->list.points[i]);
        }
        proto_put_text(text, "]");
    }
}

/* Writes the definition as JSON's decoder does, in the same order. meta: compact, or empty. */
static bool define_body(const struct body *body, struct gjk_arena *arena, const proto_shape *shape,
                        proto_text meta, proto_text *out) {
    const proto_text type = body->type.text;
    struct proto_buffer text;

    proto_buffer_init(&text, arena);
    proto_put_text(&text, "{");
    proto_put_key(&text, "type");
    proto_put_string(&text, type.data, type.length);
    for (size_t i = 0; body->kind->members[i].name != NULL; i++) {
        put_member(&text, &body->kind->members[i], body->rows.dimension, &body->geometry.values[i]);
    }
    if (body->rounding.count > 0) {
        proto_put_named_number(&text, "rounding", body->geometry.rounding);
    }
    if (body->category.count > 0) {
        proto_put_named_number(&text, "category", shape->category);
    }
    if (body->mask.count > 0) {
        proto_put_named_number(&text, "mask", shape->mask);
    }
    if (shape->group != NULL) {
        proto_put_key(&text, "group");
        proto_put_string_or_null(&text, shape->group);
    }
    if (meta.length > 0) {
        proto_put_key(&text, "meta");
        proto_put_bytes(&text, meta.data, meta.length);
    }
    proto_put_text(&text, "}");
    *out = (proto_text){text.data, text.length};
    return !text.failed || proto_refuse_columns_status(body->source.problem, GJK_OUT_OF_MEMORY);
}

static bool define_with_meta(struct body *body, struct gjk_arena *arena, proto_shape *out) {
    const proto_text given = body->meta_json.text;
    struct proto_problem *problem = body->source.problem;
    struct proto_reader reader;

    if (given.length == 0) {
        return define_body(body, arena, out, (proto_text){0}, &out->definition);
    }
    if (!proto_reader_open(&reader, given, body->source.limits, arena, problem)) {
        return proto_problem_point(problem, "/meta_json");
    }
    const proto_node root = proto_root(reader.root);
    (void)(proto_check_meta(&reader, &root) && proto_check_meta_depth(&reader, &root));
    bool is_fine = proto_reader_finish(&reader, problem);
    if (!is_fine) {
        proto_problem_point(problem, "/meta_json");
    }
    const proto_text meta = {reader.text.data, reader.text.length};
    out->meta_bytes = (uint32_t)meta.length;
    is_fine = is_fine && define_body(body, arena, out, meta, &out->definition);
    proto_reader_close(&reader);
    return is_fine;
}

/* --- The whole --- */

/* Scans and reads the message. Triangles are counted before anything is allocated. */
static bool read_fields(struct body *body) {
    struct proto_message *message = &body->message;
    const proto_source *source = &body->source;
    const uint32_t triangles = (uint32_t)(&body->triangles - body->fields);

    if (!proto_message_scan(message, source->body, 0)) {
        return false;
    }
    if (message->lengths[triangles] / 3 > source->limits->pieces_per_shape_max) {
        return refuse_pieces(body, &body->triangles);
    }
    body->rows = (proto_rows){.table = message->table,
                              .fields = body->fields,
                              .dimension = message->dimension,
                              .count = 1};
    return proto_check_lengths(message, 1) &&
           proto_message_read(message, source->body, body->fields) &&
           proto_check_values(message, body->fields, source->limits);
}

bool proto_decode_body_columns(proto_text text, const proto_limits *limits, struct gjk_arena *arena,
                               proto_shape *out, struct proto_problem *problem) {
    struct gjk_arena scratch;
    struct body body = {
        .source = {.body = text, .limits = limits, .arena = &scratch, .problem = problem},
        .message = {.table = &proto_body_columns_table,
                    .arena = &scratch,
                    .problem = problem,
                    .shapes = 1},
    };

    gjk_arena_init_beside(&scratch, arena);
    *out = (proto_shape){0};
    bool is_decoded = read_fields(&body) && read_kind(&body) && check_fields(&body) &&
                      read_labels(&body, arena, out) && read_place(&body, &out->place) &&
                      check_rounding(&body);
    if (is_decoded) {
        body.geometry = (gjk_geometry){.arena = arena,
                                       .dimension = body.rows.dimension,
                                       .rounding = body.rounding.number};
        is_decoded = make_shape(&body, &out->shape) && define_with_meta(&body, arena, out);
    }
    gjk_arena_fini(&scratch);
    return is_decoded;
}
