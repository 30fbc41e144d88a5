/*
 * Decodes shapes. The type decides which geometry belongs to a shape; pose, filter, group and meta
 * are the same for all. A shape that is to be stored also gets its definition: the members that
 * were given, except for the pose, with numbers that read back as the same doubles.
 */

#include "decode/decode.h"

#include <string.h>

#include "gjk/sort.h"
#include "proto/edit.h"
#include "json/reader.h"
#include "json/writer.h"

/*
 * Levels of nesting around a shape's meta in the body of a set. The set must take back what one
 * shape took.
 */
#define DEPTH_AROUND_META 3

static void suggest_kind(struct proto_reader *reader, proto_text found, uint32_t dimension,
                         proto_shape_use use) {
    const char *names[PROTO_KIND_NAMES_MAX];

    proto_kind_names(dimension, use == PROTO_SHAPE_PART, names);
    proto_suggest_near(reader, "types", found, names, NULL);
}

static const gjk_kind *refuse_kind(struct proto_reader *reader, const proto_node *type,
                                   uint32_t dimension, proto_shape_use use) {
    const proto_text found = proto_text_of(type->value);

    proto_refuse(reader, type, PROTO_UNKNOWN_TYPE, "there is no shape of type \"%.*s\" in %uD",
                 proto_shown(found, 64), found.data, dimension);
    suggest_kind(reader, found, dimension, use);
    return NULL;
}

/* Refuses a part of a compound that has pieces of its own. */
static const gjk_kind *refuse_nested(struct proto_reader *reader, const proto_node *type,
                                     uint32_t dimension) {
    proto_refuse(reader, type, PROTO_UNKNOWN_TYPE,
                 "the parts of a compound are convex, and a \"%.*s\" has pieces itself",
                 (int)type->value.count, type->value.text);
    suggest_kind(reader, (proto_text){"", 0}, dimension, PROTO_SHAPE_PART);
    return NULL;
}

/* Refuses a kind that has this name in the other dimension only. */
static const gjk_kind *refuse_dimension(struct proto_reader *reader, const proto_node *type,
                                        uint32_t dimension, const gjk_kind *kind,
                                        proto_shape_use use) {
    const proto_text found = proto_text_of(type->value);
    const char *own_name = kind->names[dimension - 2];
    const char *instead = own_name != NULL ? own_name : kind->instead;

    proto_refuse(reader, type, PROTO_DIMENSION_MISMATCH, "the type \"%.*s\" is %uD, not %uD",
                 (int)found.length, found.data, 5 - dimension, dimension);
    if (instead != NULL) {
        proto_problem_hint(reader->problem, "in %uD use \"%s\"", dimension, instead);
    } else {
        suggest_kind(reader, found, dimension, use);
    }
    return NULL;
}

/* The names of the members of a kind's geometry, NULL behind the last. */
static void list_members(const gjk_kind *kind, const char *names[GJK_MEMBERS_MAX + 1]) {
    for (size_t i = 0; i <= GJK_MEMBERS_MAX; i++) {
        names[i] = kind->members[i].name;
    }
}

static bool check_members(struct proto_reader *reader, const proto_node *object, uint32_t dimension,
                          proto_shape_use use, const char *const *geometry) {
#define COMMON(rotation) \
    "type", "rounding", "position", rotation, "category", "mask", "group", "meta"
    static const char *const inline2[] = {COMMON("angle"), NULL};
    static const char *const inline3[] = {COMMON("orientation"), NULL};
    static const char *const part2[] = {"type", "rounding", "position", "angle", NULL};
    static const char *const part3[] = {"type", "rounding", "position", "orientation", NULL};
    static const char *const operand2[] = {"id", COMMON("angle"), NULL};
    static const char *const operand3[] = {"id", COMMON("orientation"), NULL};
    static const char *const stored2[] = {COMMON("angle"), "handle", NULL};
    static const char *const stored3[] = {COMMON("orientation"), "handle", NULL};
    static const char *const at_tick2[] = {COMMON("angle"), "handle", "teleport", NULL};
    static const char *const at_tick3[] = {COMMON("orientation"), "handle", "teleport", NULL};
    static const char *const alone2[] = {COMMON("angle"), "handle", "revision", NULL};
    static const char *const alone3[] = {COMMON("orientation"), "handle", "revision", NULL};
#undef COMMON
    static const char *const *const known[][2] = {
        [PROTO_SHAPE_STORED] = {stored2, stored3},    [PROTO_SHAPE_AT_TICK] = {at_tick2, at_tick3},
        [PROTO_SHAPE_ALONE] = {alone2, alone3},       [PROTO_SHAPE_INLINE] = {inline2, inline3},
        [PROTO_SHAPE_OPERAND] = {operand2, operand3}, [PROTO_SHAPE_PART] = {part2, part3},
    };

    return proto_check_members(reader, object, known[use][dimension - 2], geometry);
}

/*
 * Refuses a shape without a type. If another member is unknown, it may be the type misspelt, and is
 * told instead.
 */
static void refuse_untyped(struct proto_reader *reader, const proto_node *object,
                           const proto_node *type, uint32_t dimension, proto_shape_use use) {
    const char *geometry[PROTO_GEOMETRY_NAMES_MAX];

    proto_geometry_names(geometry);
    if (check_members(reader, object, dimension, use, geometry)) {
        proto_refuse_missing(reader, type);
    }
    if (use == PROTO_SHAPE_OPERAND && reader->problem->code == PROTO_MISSING_MEMBER) {
        proto_problem_hint(reader->problem, "an inline shape has \"type\", a stored one \"id\"");
    }
}

/* Returns NULL after having set the problem. */
static const gjk_kind *read_kind(struct proto_reader *reader, const proto_node *object,
                                 uint32_t dimension, proto_shape_use use) {
    proto_node type = proto_required(object, "type");
    uint32_t only;

    if (!proto_is_given(&type)) {
        refuse_untyped(reader, object, &type, dimension, use);
        return NULL;
    }
    if (type.value.type != PROTO_STRING) {
        proto_refuse_type(reader, &type, "a string");
        return NULL;
    }
    const gjk_kind *kind = gjk_kind_find(type.value.text, type.value.count, &only);
    if (kind == NULL) {
        return refuse_kind(reader, &type, dimension, use);
    }
    if (only != 0 && only != dimension) {
        return refuse_dimension(reader, &type, dimension, kind, use);
    }
    return use == PROTO_SHAPE_PART && kind->has_pieces ? refuse_nested(reader, &type, dimension)
                                                       : kind;
}

bool proto_check_meta(struct proto_reader *reader, const proto_node *meta) {
    struct proto_buffer *text = &reader->text;

    text->length = 0;
    if (!proto_is_given(meta)) {
        return true;
    }
    proto_put_json(text, meta->value);
    if (text->failed) {
        return proto_refuse_memory(reader);
    }
    return text->length <= reader->limits->meta_bytes_max ||
           proto_refuse_many(reader, meta, "bytes in compact form", text->length,
                             reader->limits->meta_bytes_max);
}

static size_t depth_of(proto_value value) {
    const size_t members = proto_object_size(value), items = proto_array_size(value);
    size_t deepest = 0;

    for (size_t i = 0; i < members + items; i++) {
        const size_t depth =
            depth_of(i < members ? proto_member_value(value, i) : proto_value_at(value, i));
        deepest = depth > deepest ? depth : deepest;
    }
    return value.type == PROTO_OBJECT || proto_is_array(value) ? deepest + 1 : 0;
}

bool proto_check_meta_depth(struct proto_reader *reader, const proto_node *meta) {
    if (depth_of(meta->value) <= PROTO_DEPTH_MAX - DEPTH_AROUND_META) {
        return true;
    }
    proto_refuse(reader, meta, PROTO_MALFORMED_JSON,
                 "in its set this would be nested deeper than %d levels", PROTO_DEPTH_MAX);
    return proto_problem_limit(reader->problem, PROTO_DEPTH_MAX);
}

bool proto_check_meta_alone(struct proto_reader *reader, const proto_node *meta) {
    return proto_check_meta(reader, meta) && proto_check_meta_depth(reader, meta);
}

/* Decodes the members that filters look at, and checks meta. */
static bool decode_labels(struct proto_reader *reader, const proto_node *object, proto_shape *out) {
    proto_node meta = proto_optional(object, "meta");

    bool is_fine = proto_read_u32(reader, proto_optional(object, "category"), &out->category);
    is_fine = proto_read_u32(reader, proto_optional(object, "mask"), &out->mask) && is_fine;
    is_fine = proto_read_id(reader, proto_optional(object, "group"), &out->group) && is_fine;
    is_fine = proto_check_meta(reader, &meta) && is_fine;
    out->meta_bytes = proto_is_given(&meta) ? (uint32_t)reader->text.length : 0;
    return is_fine;
}

bool proto_take_text(struct proto_reader *reader, proto_text *out) {
    if (reader->text.failed) {
        return proto_refuse_memory(reader);
    }
    out->length = reader->text.length;
    out->data = gjk_arena_copy_text(reader->arena, reader->text.data, reader->text.length);
    return out->data != NULL || proto_refuse_memory(reader);
}

/* Writes those of the listed members that the object has. */
static void put_members(struct proto_buffer *text, const proto_node *object,
                        const char *const *names) {
    for (; *names != NULL; names++) {
        const proto_node member = proto_optional(object, *names);
        if (proto_is_given(&member)) {
            proto_put_key(text, *names);
            proto_put_json(text, member.value);
        }
    }
}

/*
 * Writes the definition in a fixed order, so that GET does not show by which edits a shape came
 * about. Lists that the shape's pieces keep are left out.
 */
static bool define(struct proto_reader *reader, const proto_node *object, const gjk_kind *kind,
                   proto_text *out) {
    static const char *const labels[] = {"rounding", "category", "mask", "group", "meta", NULL};
    struct proto_buffer *text = &reader->text;

    text->length = 0;
    proto_put_text(text, "{");
    put_members(text, object, (const char *const[]){"type", NULL});
    for (const gjk_member *member = kind->members; member->name != NULL; member++) {
        if (!gjk_member_is_kept(member)) {
            put_members(text, object, (const char *const[]){member->name, NULL});
        }
    }
    put_members(text, object, labels);
    proto_put_text(text, "}");
    return proto_take_text(reader, out);
}

/* Decodes what the shape is: kind, place and geometry. NULL: a problem is set. */
static const gjk_kind *decode_body(struct proto_reader *reader, const proto_node *node,
                                   uint32_t dimension, proto_shape_use use, const proto_kept *kept,
                                   double rounding, proto_shape *out) {
    gjk_geometry geometry = {.arena = reader->arena, .dimension = dimension, .rounding = rounding};
    const char *members[GJK_MEMBERS_MAX + 1];
    double own = 0.0;

    const gjk_kind *kind = read_kind(reader, node, dimension, use);
    bool is_fine = proto_decode_place(reader, node, dimension, &out->place) && kind != NULL;
    if (kind != NULL) {
        list_members(kind, members);
        is_fine = check_members(reader, node, dimension, use, members) && is_fine;
    }
    is_fine =
        proto_read_number(reader, proto_optional(node, "rounding"), proto_length, &own) && is_fine;
    if (kind != NULL) {
        bool may_keep = kept != NULL && kept->shape->type == (gjk_shape_type)(kind - gjk_kinds);
        geometry.rounding += own;
        is_fine = proto_decode_geometry(reader, node, kind, may_keep ? kept : NULL, &geometry,
                                        &out->shape) &&
                  is_fine;
    }
    return is_fine ? kind : NULL;
}

bool proto_decode_shape(struct proto_reader *reader, const proto_node *node, uint32_t dimension,
                        proto_shape_use use, const proto_kept *kept, proto_shape *out) {
    *out = (proto_shape){.category = 1, .mask = UINT32_MAX};
    if (!proto_read_object(reader, node)) {
        return false;
    }
    const gjk_kind *kind = decode_body(reader, node, dimension, use, kept, 0.0, out);
    bool is_fine = decode_labels(reader, node, out) && kind != NULL;
    bool is_kept = use != PROTO_SHAPE_INLINE && use != PROTO_SHAPE_OPERAND;
    return is_fine && (!is_kept || define(reader, node, kind, &out->definition));
}

/* Could proto_encode_definition have written it? Whoever answers it adds the place behind its last
 * member. */
static bool is_definition(proto_text text, const proto_shape *shape) {
    return text.data[0] == '{' && text.data[text.length - 1] == '}' && !shape->place.has_position &&
           !shape->place.has_rotation;
}

bool proto_decode_definition(proto_text text, uint32_t dimension, const proto_limits *limits,
                             struct gjk_arena *arena, proto_shape *out,
                             struct proto_problem *problem) {
    struct proto_document document;
    struct proto_reader reader;

    if (!proto_document_open(&document, text, arena, problem)) {
        return false;
    }
    proto_reader_init(&reader, &document, limits, arena, problem);
    proto_node root = proto_root(document.root);
    bool is_decoded = proto_decode_shape(&reader, &root, dimension, PROTO_SHAPE_INLINE, NULL, out);
    if (is_decoded && !is_definition(text, out)) {
        is_decoded = proto_problem_set(problem, PROTO_INTERNAL, "this is no definition of a shape");
    } else if (is_decoded && out->shape.pieces != NULL) { /* which keep lists that the text has */
        is_decoded = define(&reader, &root, &gjk_kinds[out->shape.type], &out->definition);
    } else if (is_decoded) {
        out->definition = text;
    }
    proto_document_close(&document);
    return is_decoded;
}

bool proto_decode_part(struct proto_reader *reader, const proto_node *node, uint32_t dimension,
                       double rounding, gjk_shape *out, gjk_pose *pose) {
    proto_shape part = {0};

    if (!proto_read_object(reader, node) ||
        decode_body(reader, node, dimension, PROTO_SHAPE_PART, NULL, rounding, &part) == NULL) {
        return false;
    }
    *out = part.shape;
    *pose = part.place.pose;
    return true;
}

static int compare_ids(const void *a, const void *b) {
    return strcmp(((const proto_named_shape *)a)->id, ((const proto_named_shape *)b)->id);
}

bool proto_decode_shapes(struct proto_reader *reader, const proto_node *node, uint32_t dimension,
                         proto_shape_use use, proto_named_shape **out, uint32_t *count) {
    bool is_fine = true;

    if (!proto_read_object(reader, node)) {
        return false;
    }
    size_t size = proto_object_size(node->value);
    if (size > reader->limits->shapes_per_set_max) {
        return proto_refuse_many(reader, node, "shapes", size, reader->limits->shapes_per_set_max);
    }
    *count = 0;
    *out = gjk_arena_alloc_array(reader->arena, size, sizeof **out);
    if (*out == NULL) {
        return proto_refuse_memory(reader);
    }
    for (size_t i = 0; i < size; i++) {
        const proto_node shape = proto_member(node, i);
        proto_named_shape *named = &(*out)[(*count)++];
        is_fine =
            proto_copy_id(reader, &shape, proto_name_at(node->value, i), &named->id) && is_fine;
        is_fine =
            proto_decode_shape(reader, &shape, dimension, use, NULL, &named->shape) && is_fine;
        if (!proto_may_go_on(reader)) {
            break;
        }
    }
    if (!is_fine) {
        return false;
    }
    gjk_status status = gjk_sort(reader->arena, *out, *count, sizeof **out, compare_ids);
    return status == GJK_OK || proto_refuse_status(reader, node, status);
}
