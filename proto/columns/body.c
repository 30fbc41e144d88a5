/*
 * Column messages that define a shape: decodes BodyColumns. Which columns a type has follows from
 * the table of kinds (gjk/kinds.h), as in JSON: a member's form tells the column it comes from.
 */

#include <math.h>
#include <stdio.h>

#include "columns/columns.h"
#include "decode/decode.h"
#include "reader/document.h"
#include "text/text.h"

/* The fields of the message by their numbers. */
enum {
    TYPE = 2,
    VERTICES,
    VERTICES_FLOAT,
    TRIANGLES,
    RING_SIZES,
    POLYGON_SIZES,
    CLOSED,
    ONE_SIDED,
    COLUMNS,
    ROWS,
    SPACING,
    HEIGHTS,
    HEIGHTS_FLOAT,
    MATERIALS,
    POSITION,
    ROTATION,
    ROUNDING,
    CATEGORY,
    MASK,
    GROUP,
    META_JSON,
    FIELDS_END,
};
_Static_assert(FIELDS_END <= PROTO_FIELDS_MAX, "every field has its place");

struct body {
    struct proto_message message; /* its arena is scratch */
    const proto_limits *limits;
    proto_field fields[PROTO_FIELDS_MAX];
    const gjk_kind *kind;
    gjk_geometry geometry;
};

static const char *name_of(const struct body *body, int field) {
    return protobuf_c_message_descriptor_get_field(body->message.descriptor, (unsigned)field)->name;
}

static bool refuse(struct body *body, int field, proto_code code, const char *text) {
    char pointer[64];

    snprintf(pointer, sizeof pointer, "/%s", name_of(body, field));
    proto_problem_set(body->message.problem, code, "%s", text);
    return proto_problem_point(body->message.problem, pointer);
}

static bool is_given(const struct body *body, int field) {
    return body->fields[field].count > 0;
}

/* Of the two columns that a list may come in, the one that is there. */
static int given_of(const struct body *body, int field) {
    return is_given(body, field + 1) ? field + 1 : field;
}

/* --- Type and labels --- */

/* Returns true if shapes of the kind are made of lists alone, for which there are columns. */
static bool has_columns(const gjk_kind *kind) {
    bool any_list = false;

    for (const gjk_member *member = kind->members; member->name != NULL; member++) {
        const gjk_member_form form = member->form;
        if (form == GJK_MEMBER_NUMBER || form == GJK_MEMBER_VECTOR || form == GJK_MEMBER_PARTS) {
            return false;
        }
        any_list = any_list || form == GJK_MEMBER_POINTS || gjk_member_is_kept(member);
    }
    return any_list;
}

static bool read_kind(struct body *body) {
    const proto_text type = body->fields[TYPE].text;
    const uint32_t dimension = body->message.dimension;
    uint32_t only = 0;

    body->kind = type.length > 0 ? gjk_kind_find(type.data, type.length, &only) : NULL;
    if (type.length == 0) {
        return refuse(body, TYPE, PROTO_MISSING_MEMBER, "the member \"type\" is required");
    }
    if (body->kind == NULL || !has_columns(body->kind)) {
        refuse(body, TYPE, PROTO_UNKNOWN_TYPE, "there are no columns for a shape of that type");
        return proto_problem_hint(body->message.problem, "known types: %s",
                                  dimension == 2 ? "region, chain, hull, polygon"
                                                 : "mesh, heightfield, hull");
    }
    return only == 0 || only == dimension ||
           refuse(body, TYPE, PROTO_DIMENSION_MISMATCH, "the type is of the other dimension");
}

static bool read_labels(struct body *body, struct gjk_arena *arena, proto_shape *out) {
    const proto_text group = body->fields[GROUP].text;

    if (!proto_column_most(&body->message, "category", 1) ||
        !proto_column_most(&body->message, "mask", 1)) {
        return false;
    }
    out->category = is_given(body, CATEGORY) ? body->fields[CATEGORY].uints[0] : 1;
    out->mask = is_given(body, MASK) ? body->fields[MASK].uints[0] : UINT32_MAX;
    if (group.length == 0) {
        return true;
    }
    if (!proto_is_id(group.data, group.length, body->limits->id_bytes_max)) {
        return refuse(body, GROUP, PROTO_BAD_NAME, "the text is not an id or group");
    }
    out->group = gjk_arena_copy_text(arena, group.data, group.length);
    return out->group != NULL || proto_refuse_columns_memory(body->message.problem);
}

static bool read_place(struct body *body, proto_place *out) {
    struct proto_message one = body->message;
    const uint32_t width = one.dimension == 2 ? 1 : 4;
    const proto_pose_rows rows = {"position", "rotation", body->fields[POSITION].doubles,
                                  body->fields[ROTATION].doubles};

    one.count = 1;
    out->has_position = is_given(body, POSITION);
    out->has_rotation = is_given(body, ROTATION);
    return proto_column_optional(&one, "position", one.dimension) &&
           proto_column_optional(&one, "rotation", width) &&
           proto_make_poses(&one, &rows, &out->pose, &out->turn);
}

static bool read_rounding(struct body *body, double *out) {
    static const proto_column_range length = {0.0, GJK_COORDINATE_MAX};

    *out = is_given(body, ROUNDING) ? body->fields[ROUNDING].doubles[0] : 0.0;
    return proto_check_column(body->message.problem, "rounding", out, 1, 1, length);
}

/* --- Geometry --- */

static bool read_vertices(struct body *body, const gjk_member *member, gjk_member_value *out) {
    static const proto_column_range coordinate = {-GJK_COORDINATE_MAX, GJK_COORDINATE_MAX};
    const uint32_t dimension = body->message.dimension;
    const int field = given_of(body, VERTICES);
    const proto_field *column = &body->fields[field];
    const bool are_points = member->form == GJK_MEMBER_POINTS;
    const uint64_t limit = are_points ? body->limits->points_per_hull_max : UINT32_MAX - 1;

    _Static_assert(sizeof(gjk_vec3) == 3 * sizeof(double), "vectors are rows of the column");
    _Static_assert(sizeof(gjk_vec2) == 2 * sizeof(double), "vectors are rows of the column");
    if (!proto_column_rows(&body->message, name_of(body, field), dimension, limit) ||
        !proto_check_column(body->message.problem, name_of(body, field), column->doubles,
                            column->count, dimension, coordinate)) {
        return false;
    }
    const uint32_t count = body->message.count;
    if (count < member->count_min) {
        return refuse(body, field, count == 0 ? PROTO_MISSING_MEMBER : PROTO_OUT_OF_RANGE,
                      "the shape needs more points");
    }
    if (!are_points) {
        out->vertices.in_2d = dimension == 2 ? (const gjk_vec2 *)(void *)column->doubles : NULL;
        out->vertices.in_3d = dimension == 3 ? (const gjk_vec3 *)(void *)column->doubles : NULL;
        out->vertices.count = count;
        return true;
    }
    gjk_vec3 *points = gjk_arena_alloc_array(body->message.arena, count, sizeof *points);
    for (uint32_t i = 0; points != NULL && i < count; i++) {
        points[i] = proto_row_vector(column->doubles, dimension, i);
    }
    out->list.points = points;
    out->list.count = count;
    return points != NULL || proto_refuse_columns_memory(body->message.problem);
}

static bool read_triangles(struct body *body, gjk_member_value *out) {
    if (!is_given(body, TRIANGLES)) {
        return refuse(body, TRIANGLES, PROTO_MISSING_MEMBER, "a mesh has triangles");
    }
    if (!proto_column_rows(&body->message, "triangles", 3, UINT32_MAX / 4)) {
        return false;
    }
    out->triangles.items = (const uint32_t(*)[3])(void *)body->fields[TRIANGLES].uints;
    out->triangles.count = body->message.count;
    return true;
}

/* Returns true if the sizes add up to that many. */
static bool check_sum(struct body *body, int field, uint64_t wanted) {
    const proto_field *sizes = &body->fields[field];
    uint64_t sum = 0;

    for (uint64_t i = 0; i < sizes->count; i++) {
        sum += sizes->uints[i];
    }
    return sum == wanted || refuse(body, field, PROTO_WRONG_TYPE,
                                   "the sizes do not add up to the number of what they divide");
}

static bool read_rings(struct body *body, gjk_member_value *out) {
    static const gjk_member vertices = {.form = GJK_MEMBER_VERTICES, .count_min = 1};
    gjk_member_value value = {.number = 0.0};

    if (!read_vertices(body, &vertices, &value) ||
        !check_sum(body, RING_SIZES, value.vertices.count) ||
        !check_sum(body, POLYGON_SIZES, body->fields[RING_SIZES].count)) {
        return false;
    }
    out->rings = (gjk_region){
        .vertices = value.vertices.in_2d,
        .ring_sizes = body->fields[RING_SIZES].uints,
        .polygon_sizes = body->fields[POLYGON_SIZES].uints,
        .polygon_count = (uint32_t)body->fields[POLYGON_SIZES].count,
    };
    return true;
}

static bool read_count(struct body *body, int field, uint32_t *out) {
    *out = is_given(body, field) ? body->fields[field].uints[0] : 0;
    return *out >= 2 || refuse(body, field, PROTO_OUT_OF_RANGE, "must be at least 2");
}

static bool read_spacing(struct body *body, gjk_vec3 *out) {
    static const proto_column_range step = {0x1p-1074, GJK_COORDINATE_MAX};
    const proto_field *column = &body->fields[SPACING];

    body->message.count = 1;
    if (!proto_column_full(&body->message, "spacing", 2) ||
        !proto_check_column(body->message.problem, "spacing", column->doubles, 2, 1, step)) {
        return false;
    }
    *out = (gjk_vec3){column->doubles[0], column->doubles[1], 0.0};
    return true;
}

static bool is_called(const gjk_member *member, const char *name) {
    return strcmp(member->name, name) == 0;
}

static bool read_member(struct body *body, const gjk_member *member, gjk_member_value *out) {
    const proto_field *fields = body->fields;
    const int flag = is_called(member, "closed") ? CLOSED : ONE_SIDED;

    switch (member->form) {
    case GJK_MEMBER_FLAG:
        out->flag = is_given(body, flag) && fields[flag].uints[0] != 0;
        return true;
    case GJK_MEMBER_COUNT:
        return read_count(body, is_called(member, "columns") ? COLUMNS : ROWS, &out->integer);
    case GJK_MEMBER_STEPS:
        return read_spacing(body, &out->vector);
    case GJK_MEMBER_TRIANGLES:
        return read_triangles(body, out);
    case GJK_MEMBER_RINGS:
        return read_rings(body, out);
    case GJK_MEMBER_HEIGHTS:
        out->heights.items = fields[given_of(body, HEIGHTS)].doubles;
        out->heights.count = (uint32_t)fields[given_of(body, HEIGHTS)].count;
        return true;
    case GJK_MEMBER_MATERIALS:
        out->materials.items = fields[MATERIALS].uints;
        out->materials.count = (uint32_t)fields[MATERIALS].count;
        return true;
    default:
        return read_vertices(body, member, out);
    }
}

/* --- Columns that do not belong there --- */

static uint32_t fields_of(const gjk_member *member) {
#define BIT(field) (UINT32_C(1) << (field))
    switch (member->form) {
    case GJK_MEMBER_FLAG:
        return is_called(member, "closed") ? BIT(CLOSED) : BIT(ONE_SIDED);
    case GJK_MEMBER_COUNT:
        return is_called(member, "columns") ? BIT(COLUMNS) : BIT(ROWS);
    case GJK_MEMBER_STEPS:
        return BIT(SPACING);
    case GJK_MEMBER_TRIANGLES:
        return BIT(TRIANGLES);
    case GJK_MEMBER_RINGS:
        return BIT(VERTICES) | BIT(VERTICES_FLOAT) | BIT(RING_SIZES) | BIT(POLYGON_SIZES);
    case GJK_MEMBER_HEIGHTS:
        return BIT(HEIGHTS) | BIT(HEIGHTS_FLOAT);
    case GJK_MEMBER_MATERIALS:
        return BIT(MATERIALS);
    default:
        return BIT(VERTICES) | BIT(VERTICES_FLOAT);
    }
}

static bool check_fields(struct body *body) {
    uint32_t known = 0;

    GJK_ASSERT(body->kind != NULL);
    for (const gjk_member *member = body->kind->members; member->name != NULL; member++) {
        known |= fields_of(member);
    }
    for (int field = VERTICES; field <= MATERIALS; field++) {
        if (is_given(body, field) && (known & BIT(field)) == 0) {
            return refuse(body, field, PROTO_UNKNOWN_MEMBER, "a shape of that type has none");
        }
    }
    for (int field = VERTICES; field <= HEIGHTS; field += HEIGHTS - VERTICES) {
        if (is_given(body, field) && is_given(body, field + 1)) {
            return refuse(body, field + 1, PROTO_UNKNOWN_MEMBER,
                          "it stands instead of the column of doubles, not beside it");
        }
    }
    return true;
#undef BIT
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

static bool refuse_pieces(struct body *body, gjk_status status) {
    struct proto_problem *problem = body->message.problem;
    const uint64_t limit = body->limits->pieces_per_shape_max;

    if (status != GJK_TOO_MANY_POINTS) {
        return false;
    }
    proto_problem_set(problem, PROTO_TOO_MANY, "a shape may have %llu pieces",
                      (unsigned long long)limit);
    return !proto_problem_limit(problem, limit);
}

/* Refuses at the column and row that the fault names. */
static bool refuse_geometry(struct body *body, gjk_status status) {
    const gjk_geometry_fault *fault = &body->geometry.fault;
    const gjk_pieces_fault *place = &fault->place;
    const gjk_member *member = &body->kind->members[fault->member];
    const gjk_region *rings = &body->geometry.values[0].rings;
    const proto_code code = proto_code_of(status);
    const char *text = gjk_status_text(status);
    uint32_t fields = fields_of(member);
    int field = 0;

    if (status == GJK_OUT_OF_MEMORY || status == GJK_GIVEN_UP) {
        return proto_refuse_columns_status(body->message.problem, status);
    }
    if (refuse_pieces(body, status)) {
        return false;
    }
    while ((fields & 1) == 0) {
        fields >>= 1;
        field++;
    }
    if (field == VERTICES || field == HEIGHTS) {
        field = given_of(body, field);
    }
    if (fault->is_count) {
        proto_problem_set(body->message.problem, code, "must have %llu items, found %llu",
                          (unsigned long long)fault->wanted, (unsigned long long)fault->found);
        char pointer[64];
        snprintf(pointer, sizeof pointer, "/%s", name_of(body, field));
        return proto_problem_point(body->message.problem, pointer);
    }
    if (place->depth == 0) {
        return refuse(body, field, code, text);
    }
    uint32_t row = place->index[0];
    if (member->form == GJK_MEMBER_RINGS) {
        field = place->depth == 3 ? field : place->depth == 2 ? RING_SIZES : POLYGON_SIZES;
        row = place->depth == 1 ? row : row_of_ring(rings, place, place->depth == 3);
    }
    return proto_refuse_row(body->message.problem, name_of(body, field), row, code, "%s", text);
}

static bool make_shape(struct body *body, gjk_shape *out) {
    const gjk_member *members = body->kind->members;

    for (size_t i = 0; members[i].name != NULL; i++) {
        if (!read_member(body, &members[i], &body->geometry.values[i])) {
            return false;
        }
    }
    gjk_status status = body->kind->make(&body->geometry, out);
    if (status == GJK_OK && out->pieces != NULL &&
        gjk_pieces_count(out->pieces) > body->limits->pieces_per_shape_max) {
        status = GJK_TOO_MANY_POINTS;
    }
    return status == GJK_OK || refuse_geometry(body, status);
}

/* --- The definition --- */

static void put_member(struct proto_buffer *text, const gjk_member *member, uint32_t dimension,
                       const gjk_member_value *value) {
    if (gjk_member_is_kept(member) || (member->form == GJK_MEMBER_FLAG && !value->flag)) {
        return;
    }
    proto_put_key(text, member->name);
    if (member->form == GJK_MEMBER_FLAG) {
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
static bool define(const struct body *body, struct gjk_arena *arena, const proto_shape *shape,
                   proto_text meta, proto_text *out) {
    const proto_text type = body->fields[TYPE].text;
    struct proto_buffer text;

    proto_buffer_init(&text, arena);
    proto_put_text(&text, "{");
    proto_put_key(&text, "type");
    proto_put_string(&text, type.data, type.length);
    for (size_t i = 0; body->kind->members[i].name != NULL; i++) {
        put_member(&text, &body->kind->members[i], body->message.dimension,
                   &body->geometry.values[i]);
    }
    if (is_given(body, ROUNDING)) {
        proto_put_named_number(&text, "rounding", body->geometry.rounding);
    }
    if (is_given(body, CATEGORY)) {
        proto_put_named_number(&text, "category", shape->category);
    }
    if (is_given(body, MASK)) {
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
    return !text.failed || proto_refuse_columns_memory(body->message.problem);
}

static bool define_with_meta(struct body *body, struct gjk_arena *arena, proto_shape *out) {
    const proto_text given = body->fields[META_JSON].text;
    struct proto_problem *problem = body->message.problem;
    struct proto_document document;
    struct proto_reader reader;

    if (given.length == 0) {
        return define(body, arena, out, (proto_text){0}, &out->definition);
    }
    if (!proto_document_open(&document, given, arena, problem)) {
        return proto_problem_point(problem, "/meta_json");
    }
    proto_reader_init(&reader, &document, body->limits, arena, problem);
    const proto_node root = proto_root(document.root);
    bool is_fine = proto_check_meta_alone(&reader, &root);
    if (!is_fine) {
        proto_problem_point(problem, "/meta_json");
    }
    const proto_text meta = {reader.text.data, reader.text.length};
    out->meta_bytes = (uint32_t)meta.length;
    is_fine = is_fine && define(body, arena, out, meta, &out->definition);
    proto_document_close(&document);
    return is_fine;
}

/* --- The whole --- */

/* Checks before anything is allocated that the triangles are not too many. */
static bool check_triangles(struct body *body) {
    const uint64_t count = body->message.lengths[TRIANGLES] / 3;

    return count <= body->limits->pieces_per_shape_max ||
           (refuse_pieces(body, GJK_TOO_MANY_POINTS), false);
}

static bool decode(struct body *body, proto_text text, struct gjk_arena *arena, proto_shape *out) {
    double rounding = 0.0;

    if (!proto_message_scan(&body->message, text, 0) || !check_triangles(body) ||
        !proto_message_read(&body->message, text, body->fields) || !read_kind(body) ||
        !check_fields(body) || !read_labels(body, arena, out) || !read_place(body, &out->place) ||
        !read_rounding(body, &rounding)) {
        return false;
    }
    body->geometry = (gjk_geometry){
        .arena = arena,
        .dimension = body->message.dimension,
        .rounding = rounding,
    };
    return make_shape(body, &out->shape) && define_with_meta(body, arena, out);
}

bool proto_decode_body_columns(proto_text text, const proto_limits *limits, struct gjk_arena *arena,
                               proto_shape *out, struct proto_problem *problem) {
    struct gjk_arena scratch;
    struct body body = {
        .message = {&gjkd__v1__body_columns__descriptor, &scratch, problem, {0}, 0, 0, 0},
        .limits = limits,
    };

    gjk_arena_init_beside(&scratch, arena);
    *out = (proto_shape){0};
    bool is_decoded = decode(&body, text, arena, out);
    gjk_arena_fini(&scratch);
    return is_decoded;
}
