/*
 * Decodes BodyColumns, the message that defines a shape. The columns are converted to the JSON
 * object of the shape (a proto_value whose lists point into the message), which the JSON decoder
 * then decodes, so that both forms have the same rules. Pointers of its problems are translated to
 * columns and rows.
 */

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>

#include "columns/columns.h"
#include "decode/decode.h"
#include "json/parse.h"

struct body {
    PROTO_ROWS_OF(PROTO_BODY_COLUMNS);
    proto_source source; /* source.arena is temporary */
    struct proto_message message;
    const gjk_kind *kind;
    proto_value pairs[2 * PROTO_COLUMNS_MAX]; /* names and values of the object */
    size_t member_count;
};

static const proto_column *column_of(const struct body *body, const proto_field *field) {
    return &proto_body_columns_table.columns[field - body->fields];
}

static bool refuse_column(const struct body *body, const proto_field *field, proto_code code,
                          const char *text) {
    return proto_refuse_row(body->source.problem, column_of(body, field)->name, PROTO_NO_ROW, code,
                            "%s", text);
}

/* --- Type --- */

/* Returns true if columns can express shapes of the kind: it has lists, and no required member of
 * another form. */
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

static bool find_kind(struct body *body) {
    const proto_text type = body->type.text;
    uint32_t only;

    body->kind = type.length > 0 ? gjk_kind_find(type.data, type.length, &only) : NULL;
    if (type.length == 0) {
        return refuse_column(body, &body->type, PROTO_MISSING_MEMBER, "type is required");
    }
    if (body->kind == NULL || !has_columns(body->kind)) {
        refuse_column(body, &body->type, PROTO_UNKNOWN_TYPE,
                      "there are no columns for a shape of that type");
        return proto_problem_hint(body->source.problem, "known types: %s",
                                  body->rows.dimension == 2 ? "region, chain, hull, polygon, points"
                                                            : "mesh, heightfield, hull, points");
    }
    return true;
}

static bool is_region(const struct body *body) {
    return body->kind->members[0].form == GJK_MEMBER_RINGS;
}

/* --- The object --- */

/* Returns the name of the JSON member for a column. */
static const char *member_of(const struct body *body, const proto_field *field) {
    const gjk_member *first = &body->kind->members[0];
    const bool has_points = first->form == GJK_MEMBER_POINTS || gjk_member_is_kept(first);

    return field == &body->vertices || field == &body->vertices_float
               ? has_points ? first->name : "vertices"
           : field == &body->heights_float ? "heights"
           : field == &body->rotation      ? body->rows.dimension == 2 ? "angle" : "orientation"
           : field == &body->meta_json     ? "meta"
           : field == &body->radii && field->count == 1 ? "radius" /* one radius for all */
                                                        : column_of(body, field)->name;
}

static proto_value string_of(const char *text, size_t length) {
    return (proto_value){.type = PROTO_STRING, .count = (uint32_t)length, .text = text};
}

static proto_value number_of(double number) {
    return (proto_value){.type = PROTO_NUMBER, .number = number};
}

/* Converts a column of doubles to a value. Unaligned doubles are copied. */
static bool doubles_of(struct body *body, const proto_field *field, uint32_t rows,
                       proto_value *out) {
    const bool are_vectors = field == &body->vertices || field == &body->vertices_float;
    const bool is_one =
        field->count == 1 && (field == &body->base || field == &body->radii ||
                              (field == &body->rotation && body->rows.dimension == 2));
    const double *numbers = (const double *)(const void *)field->doubles;

    if (is_one) {
        *out = number_of(proto_double_at(field, 0));
        return true;
    }
    if ((uintptr_t)field->doubles % alignof(double) != 0) {
        double *copy = gjk_arena_alloc_array(body->source.arena, field->count, sizeof *copy);
        if (copy == NULL) {
            return proto_refuse_columns_status(body->source.problem, GJK_OUT_OF_MEMORY);
        }
        numbers = memcpy(copy, field->doubles, field->count * sizeof *copy);
    }
    *out = (proto_value){.type = are_vectors ? PROTO_ROWS : PROTO_NUMBERS,
                         .columns = are_vectors ? (uint8_t)body->rows.dimension : 0,
                         .count = are_vectors ? rows : field->count,
                         .numbers = numbers};
    return true;
}

/* Checks that the sizes of rings or polygons add up to the number of vertices or rings. */
static bool check_sum(const struct body *body, const proto_field *sizes, uint64_t wanted) {
    uint64_t sum = 0;

    for (uint32_t i = 0; i < sizes->count; i++) {
        sum += sizes->uints[i];
    }
    return sum == wanted ||
           refuse_column(body, sizes, PROTO_WRONG_TYPE,
                         "the sizes do not add up to the number of what they divide");
}

/* Converts the vertices of a region to an array of polygons of rings. */
static bool divide_vertices(struct body *body, proto_value *value) {
    const uint32_t ring_count = body->ring_sizes.count, count = body->polygon_sizes.count;
    proto_value *rings = gjk_arena_alloc_array(body->source.arena, ring_count, sizeof *rings);
    proto_value *polygons = gjk_arena_alloc_array(body->source.arena, count, sizeof *polygons);
    const double *numbers = value->numbers;

    if (!check_sum(body, &body->ring_sizes, value->count) ||
        !check_sum(body, &body->polygon_sizes, ring_count)) {
        return false;
    }
    if (rings == NULL || polygons == NULL) {
        return proto_refuse_columns_status(body->source.problem, GJK_OUT_OF_MEMORY);
    }
    *value = (proto_value){.type = PROTO_ARRAY, .count = count, .items = polygons};
    for (uint32_t i = 0; i < ring_count; i++) {
        const uint32_t size = body->ring_sizes.uints[i];
        rings[i] =
            (proto_value){.type = PROTO_ROWS, .columns = 2, .count = size, .numbers = numbers};
        numbers += 2 * (size_t)size;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t size = body->polygon_sizes.uints[i];
        polygons[i] = (proto_value){.type = PROTO_ARRAY, .count = size, .items = rings};
        rings += size;
    }
    return true;
}

/* Converts a column to a value. */
static bool value_of(struct body *body, const proto_field *field, proto_value *out) {
    const proto_column *column = column_of(body, field);
    const bool is_label = field == &body->category || field == &body->mask;

    switch (column->type) {
    case PROTO_TEXT:
        *out = string_of(field->text.data, field->text.length);
        return field != &body->meta_json ||
               proto_parse(field->text, body->source.arena, out, body->source.problem) ||
               proto_problem_point(body->source.problem, "/meta_json");
    case PROTO_BOOL:
        out->type = PROTO_TRUE;
        return true;
    case PROTO_UINT:
    case PROTO_DOUBLE:
        *out = number_of(column->type == PROTO_UINT ? field->uint : field->number);
        return true;
    default:
        break;
    }
    if (!proto_count_rows(&body->message, (uint32_t)(field - body->fields), PROTO_UNLIMITED)) {
        return false;
    }
    const uint32_t rows = body->message.count;
    if (column->type == PROTO_UINTS) {
        *out = is_label ? number_of(field->uints[0])
                        : (proto_value){.type = PROTO_INTEGERS,
                                        .columns = column->width > 1 ? column->width : 0,
                                        .count = rows,
                                        .integers = field->uints};
        return true;
    }
    if (field == &body->spacing && field->count != 2) {
        return refuse_column(body, field, PROTO_WRONG_TYPE, "there are two numbers");
    }
    if ((field == &body->position || field == &body->rotation) && rows > 1) {
        return refuse_column(body, field, PROTO_WRONG_TYPE, "a shape has one pose");
    }
    return doubles_of(body, field, rows, out) &&
           (!is_region(body) || out->type != PROTO_ROWS || divide_vertices(body, out));
}

/* Returns true if a column is present and becomes a member of the object. */
static bool is_given(const struct body *body, const proto_field *field) {
    const bool divides = field == &body->ring_sizes || field == &body->polygon_sizes;
    const bool is_count = field == &body->columns || field == &body->row_count;

    switch (column_of(body, field)->type) {
    case PROTO_TEXT:
        return field->text.length > 0;
    case PROTO_BOOL:
        return field->flag;
    case PROTO_UINT: /* of a grid, an absent count means 0 */
        return field->count > 0 || (is_count && body->kind->members[0].form == GJK_MEMBER_COUNT);
    default:
        return field->count > 0 && !(divides && is_region(body));
    }
}

static bool make_object(struct body *body) {
    GJK_ASSERT(body->kind != NULL);
    const proto_field *twice =
        body->vertices.count > 0 && body->vertices_float.count > 0 ? &body->vertices_float
        : body->heights.count > 0 && body->heights_float.count > 0 ? &body->heights_float
                                                                   : NULL;
    if (twice != NULL) {
        return refuse_column(body, twice, PROTO_UNKNOWN_MEMBER,
                             "it stands instead of the column of doubles, not beside it");
    }
    for (const proto_field *field = &body->type; field < body->fields + body->message.table->count;
         field++) {
        const char *name = member_of(body, field);
        proto_value *pair = &body->pairs[2 * body->member_count];
        if (is_given(body, field)) {
            pair[0] = string_of(name, strlen(name));
            if (!value_of(body, field, &pair[1])) {
                return false;
            }
            body->member_count++;
        }
    }
    return true;
}

/* --- Pointers --- */

/* Returns the row in polygon_sizes, ring_sizes or vertices (depth 1, 2, 3) of the element of a
 * region at the path `index`. */
static uint32_t row_of(const struct body *body, const uint32_t *index, uint32_t depth) {
    uint32_t ring = index[1], row = index[2];

    for (uint32_t i = 0; i < index[0]; i++) {
        ring += body->polygon_sizes.uints[i];
    }
    for (uint32_t i = 0; i < ring; i++) {
        row += body->ring_sizes.uints[i];
    }
    return depth == 1 ? index[0] : depth == 2 ? ring : row;
}

/* Translates the problem's pointer into the object to one to a column and row. */
static void point_at_column(const struct body *body) {
    struct proto_problem *problem = body->source.problem;
    char *at = problem->pointer + strcspn(problem->pointer + 1, "/") + 1, pointer[64];
    const proto_text member = {problem->pointer + 1, (size_t)(at - problem->pointer - 1)};
    const proto_field *found = NULL;
    uint32_t index[3] = {0}, depth = 0;

    for (; *at == '/' && depth < 3; depth++) {
        index[depth] = (uint32_t)strtoul(at + 1, &at, 10);
    }
    for (const proto_field *field = body->fields + body->message.table->count;
         field-- > &body->type;) {
        const char *name = member_of(body, field);
        if (proto_text_equals(member, name, strlen(name)) &&
            (found == NULL || is_given(body, field) || !is_given(body, found))) {
            found = field;
        }
    }
    if (problem->pointer[0] == '\0' || found == NULL) {
        return;
    }
    uint32_t row = depth > 0 ? index[0] : PROTO_NO_ROW;
    if (depth > 0 && is_region(body)) {
        row = row_of(body, index, depth);
        found = depth == 1 ? &body->polygon_sizes : depth == 2 ? &body->ring_sizes : found;
    } else if (found == &body->rounding || problem->code == PROTO_BAD_ORIENTATION) {
        row = 0; /* a body is one row: the pointer names it as in messages of many */
    }
    const char *name = column_of(body, found)->name;
    if (problem->code == PROTO_UNKNOWN_MEMBER) {
        refuse_column(body, found, problem->code, "a shape of that type has none");
    } else if (problem->code == PROTO_MISSING_MEMBER) {
        proto_refuse_row(problem, name, PROTO_NO_ROW, problem->code, "%s is required", name);
    } else {
        snprintf(pointer, sizeof pointer, row != PROTO_NO_ROW ? "/%s/%u" : "/%s", name, row);
        proto_problem_point(problem, pointer);
    }
    if (problem->code == PROTO_NOT_CONVEX) { /* JSON's hint names a member that is no column */
        proto_problem_hint(problem, "a shape of type \"hull\" is the convex hull of any vertices");
    }
}

/* --- The whole --- */

static bool refuse_pieces(const struct body *body, const proto_field *field) {
    const uint64_t limit = body->source.limits->pieces_per_shape_max;

    proto_refuse_row(body->source.problem, column_of(body, field)->name, PROTO_NO_ROW,
                     PROTO_TOO_MANY, "a shape may have %llu pieces", (unsigned long long)limit);
    return proto_problem_limit(body->source.problem, limit);
}

static uint64_t length_of(const struct body *body, const proto_field *field) {
    return body->message.lengths[field - body->fields];
}

/* Scans and reads the message. Checks the numbers of triangles, rings and polygons before anything
 * is allocated. */
static bool read_fields(struct body *body) {
    struct proto_message *message = &body->message;
    const proto_source *source = &body->source;
    const uint64_t limit = source->limits->pieces_per_shape_max;

    if (!proto_message_scan(message, source->body, 0)) {
        return false;
    }
    if (length_of(body, &body->triangles) / 3 > limit) {
        return refuse_pieces(body, &body->triangles);
    }
    if (length_of(body, &body->ring_sizes) > limit ||
        length_of(body, &body->polygon_sizes) > limit) {
        return refuse_pieces(body, length_of(body, &body->vertices_float) > 0
                                       ? &body->vertices_float
                                       : &body->vertices);
    }
    body->rows.dimension = message->dimension;
    return proto_check_lengths(message, 1) &&
           proto_message_read(message, source->body, body->fields) &&
           proto_check_values(message, body->fields, source->limits);
}

static bool make_shape(const struct body *body, struct gjk_arena *arena, proto_shape *out) {
    struct proto_problem *problem = body->source.problem;
    const proto_node root = proto_root(proto_object_of(body->pairs, (uint32_t)body->member_count));
    const proto_node meta = proto_peek(&root, "meta");
    struct proto_reader reader;

    proto_reader_init(&reader, body->source.limits, arena);
    reader.scratch = reader.text.arena = body->source.arena;
    proto_decode_shape(&reader, &root, body->rows.dimension, PROTO_SHAPE_STORED, NULL, out);
    (void)proto_check_meta_depth(&reader, &meta);
    if (proto_reader_finish(&reader, problem)) {
        return true;
    }
    problem->more_count = 0; /* further pointers are not translated, and may only follow from it */
    point_at_column(body);
    return false;
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
    const bool is_decoded = read_fields(&body) && find_kind(&body) && make_object(&body) &&
                            make_shape(&body, arena, out);
    gjk_arena_fini(&scratch);
    return is_decoded;
}
