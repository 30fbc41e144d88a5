/*
 * Decodes shapes. The type decides the members of the geometry; pose, filter, group and meta are
 * the same for all types. A shape to be stored also gets its definition: the given members except
 * for the pose, with numbers that read back as the same doubles.
 */

#include <string.h>

#include "decode/decode.h"
#include "gjk/sort.h"
#include "proto/edit.h"

/*
 * Levels of nesting around a shape's meta in the body of a set. Meta accepted in a shape must also
 * be accepted in the body of its set.
 */
#define DEPTH_AROUND_META 3

/* --- Place --- */

void proto_decode_place(struct proto_reader *reader, proto_object *object, uint32_t dimension,
                        proto_place *out) {
    const char *const other = dimension == 2 ? "orientation" : "angle";
    const proto_node at = proto_optional(object, "position");
    const proto_node turn = proto_optional(object, dimension == 2 ? "angle" : "orientation");
    gjk_vec3 position = {0.0, 0.0, 0.0};
    double angle = 0.0;
    gjk_quat orientation = {0.0, 0.0, 0.0, 1.0};

    proto_read_vector(reader, at, dimension, proto_coordinate, &position);
    out->has_position = proto_is_given(&at);
    if (proto_has(&object->node, other)) {
        const proto_node node = proto_optional(object, other);
        proto_refuse(reader, &node, PROTO_DIMENSION_MISMATCH, "there is no \"%s\" in %uD", other,
                     dimension);
        proto_hint(reader, "%s",
                   dimension == 2 ? "2D shapes turn by \"angle\", in radians"
                                  : "3D shapes turn by \"orientation\": [x, y, z, w]");
        return;
    }
    if (dimension == 2 ? !proto_read_number(reader, turn, proto_any_number, &angle)
                       : !proto_read_quaternion(reader, turn, &orientation)) {
        return;
    }
    out->has_rotation = proto_is_given(&turn);
    gjk_status status;
    if (dimension == 2) {
        status = gjk_pose_make2(gjk_xy(position), angle, &out->pose);
    } else {
        status = gjk_pose_make3(position, orientation, &out->pose);
    }
    if (status != GJK_OK) {
        proto_refuse_status(reader, status == GJK_BAD_ORIENTATION ? &turn : &object->node, status);
    }
}

/* --- Type --- */

static void suggest_kind(struct proto_reader *reader, proto_text found, uint32_t dimension,
                         proto_shape_use use) {
    const char *names[PROTO_KIND_NAMES_MAX];

    proto_kind_names(dimension, use == PROTO_SHAPE_PART, names);
    proto_hint_names(reader, "types", found, names);
}

/* Hints at the equivalent of a GeoJSON object. Returns false if the type is none of GeoJSON's. */
static bool hint_geojson(struct proto_reader *reader, proto_text found) {
    static const struct {
        const char *type, *hint;
    } forms[] = {
        {"Polygon", "GeoJSON's Polygon is {\"type\": \"region\", \"rings\": its coordinates}"},
        {"MultiPolygon",
         "GeoJSON's MultiPolygon is {\"type\": \"region\", \"polygons\": its coordinates}"},
        {"Point", "GeoJSON's Point is {\"type\": \"point\", \"position\": its coordinates}"},
        {"LineString",
         "GeoJSON's LineString is {\"type\": \"chain\", \"vertices\": its coordinates}"},
        {"MultiPoint", "GeoJSON's points are shapes of type \"point\""},
        {"MultiLineString", "each line of GeoJSON's MultiLineString is a \"chain\""},
        {"GeometryCollection", "each geometry of GeoJSON's collection is a shape"},
        {"Feature", "a Feature's geometry is a shape, and its properties can be the \"meta\""},
        {"FeatureCollection", "each Feature's geometry is a shape of the set"},
    };

    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (proto_text_equals(found, forms[i].type, strlen(forms[i].type))) {
            proto_hint(reader, "%s", forms[i].hint);
            return true;
        }
    }
    return false;
}

/* Asks for the members that shapes of all kinds may have in this context. */
static void ask_for_common(proto_object *object, uint32_t dimension, proto_shape_use use) {
    proto_optional(object, "type");
    proto_optional(object, "rounding");
    proto_optional(object, "position");
    proto_optional(object, dimension == 2 ? "angle" : "orientation");
    if (use == PROTO_SHAPE_PART) {
        return;
    }
    proto_optional(object, "category");
    proto_optional(object, "mask");
    proto_optional(object, "group");
    proto_optional(object, "meta");
    if (use == PROTO_SHAPE_OPERAND) {
        proto_optional(object, "id");
    } else if (use != PROTO_SHAPE_INLINE) {
        proto_optional(object, "handle");
    }
    if (use == PROTO_SHAPE_AT_TICK) {
        proto_optional(object, "teleport");
    } else if (use == PROTO_SHAPE_ALONE) {
        proto_optional(object, "revision");
    }
}

/*
 * Refuses a shape without a type. If a member is unknown, it may be a misspelling of "type"; then
 * that member is refused instead.
 */
static void refuse_untyped(struct proto_reader *reader, proto_object *object, proto_shape_use use) {
    const proto_node type = proto_peek(&object->node, "type");
    const char *names[PROTO_GEOMETRY_NAMES_MAX];
    const size_t count = proto_geometry_names(names);
    const uint32_t refused = reader->refused;

    for (size_t i = 0; i < count; i++) {
        proto_optional(object, names[i]);
    }
    proto_object_close(reader, object);
    if (reader->refused == refused) {
        proto_refuse_missing(reader, &type);
        if (use == PROTO_SHAPE_OPERAND) {
            proto_hint(reader, "an inline shape has \"type\", a stored one \"id\"");
        }
    }
}

/* Reads the type. Returns NULL if it is refused. */
static const gjk_kind *read_kind(struct proto_reader *reader, const proto_node *type,
                                 uint32_t dimension, proto_shape_use use) {
    const proto_text found = proto_text_of(type->value);
    uint32_t only;

    if (type->value.type != PROTO_STRING) {
        proto_refuse_type(reader, type, "a string");
        return NULL;
    }
    const gjk_kind *kind = gjk_kind_find(found.data, found.length, &only);
    if (kind == NULL) {
        proto_refuse(reader, type, PROTO_UNKNOWN_TYPE, "there is no shape of type \"%.*s\" in %uD",
                     proto_shown(found, 64), found.data, dimension);
        if (!hint_geojson(reader, found)) {
            suggest_kind(reader, found, dimension, use);
        }
        return NULL;
    }
    if (only != 0 && only != dimension) {
        const char *own_name = kind->names[dimension - 2];
        const char *instead = own_name != NULL ? own_name : kind->instead;
        proto_refuse(reader, type, PROTO_DIMENSION_MISMATCH, "the type \"%.*s\" is %uD, not %uD",
                     (int)found.length, found.data, 5 - dimension, dimension);
        if (instead != NULL) {
            proto_hint(reader, "in %uD use \"%s\"", dimension, instead);
        } else {
            suggest_kind(reader, found, dimension, use);
        }
        return NULL;
    }
    if (use == PROTO_SHAPE_PART && kind->has_pieces) {
        proto_refuse(reader, type, PROTO_UNKNOWN_TYPE,
                     "the parts of a compound are convex, and a \"%.*s\" has pieces itself",
                     (int)found.length, found.data);
        suggest_kind(reader, (proto_text){"", 0}, dimension, use);
        return NULL;
    }
    return kind;
}

/* --- Meta --- */

/* Writes meta in compact form to reader->text (empty if absent). Refuses more than meta_bytes_max
 * bytes. */
static bool check_meta(struct proto_reader *reader, const proto_node *meta) {
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
    return proto_hint_limit(reader, PROTO_DEPTH_MAX);
}

/* Copies reader->text to reader->arena. */
static bool take_text(struct proto_reader *reader, proto_text *out) {
    out->length = reader->text.length;
    out->data = reader->text.failed
                    ? NULL
                    : gjk_arena_copy_text(reader->arena, reader->text.data, reader->text.length);
    return out->data != NULL || proto_refuse_memory(reader);
}

void proto_decode_meta(struct proto_reader *reader, const proto_node *meta, proto_text *out) {
    if (proto_is_given(meta) && check_meta(reader, meta)) {
        take_text(reader, out);
    }
}

/* --- Shape --- */

/* Writes a member, if it is given. */
static void put_member(struct proto_buffer *text, const proto_node *object, const char *name) {
    const proto_node member = proto_peek(object, name);

    if (proto_is_given(&member)) {
        proto_put_key(text, name);
        proto_put_json(text, member.value);
    }
}

/*
 * Makes the definition, with members in a fixed order, so that the answer to GET does not depend on
 * the order of edits. Omits lists that the shape's pieces hold.
 */
static void define(struct proto_reader *reader, const proto_node *object, const gjk_kind *kind,
                   proto_text *out) {
    static const char *const labels[] = {"rounding", "category", "mask", "group", "meta", NULL};
    struct proto_buffer *text = &reader->text;

    text->length = 0;
    proto_put_text(text, "{");
    put_member(text, object, "type");
    for (const gjk_member *member = kind->members; member->name != NULL; member++) {
        if (!gjk_member_is_kept(member)) {
            put_member(text, object, member->name);
        }
    }
    for (const char *const *label = labels; *label != NULL; label++) {
        put_member(text, object, *label);
    }
    proto_put_text(text, "}");
    take_text(reader, out);
}

/*
 * Decodes kind, place and geometry. Returns the kind, or NULL if the type is refused; then the
 * object must not be closed.
 */
static const gjk_kind *decode_body(struct proto_reader *reader, proto_object *object,
                                   uint32_t dimension, proto_shape_use use, const proto_kept *kept,
                                   double rounding, proto_shape *out) {
    gjk_geometry geometry = {.arena = reader->arena, .dimension = dimension, .rounding = rounding};
    const proto_node type = proto_peek(&object->node, "type");
    const gjk_kind *kind = NULL;
    double own = 0.0;

    ask_for_common(object, dimension, use);
    if (proto_is_given(&type)) {
        kind = read_kind(reader, &type, dimension, use);
    } else {
        refuse_untyped(reader, object, use);
    }
    proto_decode_place(reader, object, dimension, &out->place);
    object->mistake_count = reader->mistake_count; /* mistakes in type and place come first */
    proto_read_number(reader, proto_peek(&object->node, "rounding"), proto_length, &own);
    if (kind != NULL) {
        bool may_keep = kept != NULL && kept->shape->type == (gjk_shape_type)(kind - gjk_kinds);
        geometry.rounding += own;
        proto_decode_geometry(reader, object, kind, may_keep ? kept : NULL, &geometry, &out->shape);
    }
    return kind;
}

void proto_decode_shape(struct proto_reader *reader, const proto_node *node, uint32_t dimension,
                        proto_shape_use use, const proto_kept *kept, proto_shape *out) {
    const uint32_t refused = reader->refused;
    proto_object object;

    *out = (proto_shape){.category = 1, .mask = UINT32_MAX};
    if (!proto_object_open(reader, node, &object)) {
        return;
    }
    const gjk_kind *kind = decode_body(reader, &object, dimension, use, kept, 0.0, out);
    const proto_node meta = proto_peek(node, "meta");
    proto_read_u32(reader, proto_peek(node, "category"), 0, UINT32_MAX, &out->category);
    proto_read_u32(reader, proto_peek(node, "mask"), 0, UINT32_MAX, &out->mask);
    proto_read_id(reader, proto_peek(node, "group"), &out->group);
    check_meta(reader, &meta);
    out->meta_bytes = proto_is_given(&meta) ? (uint32_t)reader->text.length : 0;
    if (kind != NULL) {
        proto_object_close(reader, &object);
    }
    if (reader->refused == refused && use != PROTO_SHAPE_INLINE && use != PROTO_SHAPE_OPERAND) {
        define(reader, node, kind, &out->definition);
    }
}

bool proto_decode_definition(proto_text text, uint32_t dimension, const proto_limits *limits,
                             struct gjk_arena *arena, proto_shape *out,
                             struct proto_problem *problem) {
    struct proto_reader reader;

    if (!proto_reader_open(&reader, text, limits, arena, problem)) {
        return false;
    }
    const proto_node root = proto_root(reader.root);
    proto_decode_shape(&reader, &root, dimension, PROTO_SHAPE_INLINE, NULL, out);
    /* A definition has no place: encoders append the place to it. */
    const bool is_definition = text.data[0] == '{' && text.data[text.length - 1] == '}' &&
                               !out->place.has_position && !out->place.has_rotation;
    out->definition = text;
    if (reader.refused == 0 && is_definition && out->shape.pieces != NULL) {
        define(&reader, &root, &gjk_kinds[out->shape.type],
               &out->definition); /* a copy without the lists */
    }
    const bool is_decoded =
        proto_reader_finish(&reader, problem) &&
        (is_definition ||
         proto_problem_set(problem, PROTO_INTERNAL, "this is no definition of a shape"));
    proto_reader_close(&reader);
    return is_decoded;
}

void proto_decode_part(struct proto_reader *reader, const proto_node *node, uint32_t dimension,
                       double rounding, gjk_shape *out, gjk_pose *pose) {
    proto_shape part = {0};
    proto_object object;

    if (!proto_object_open(reader, node, &object)) {
        return;
    }
    if (decode_body(reader, &object, dimension, PROTO_SHAPE_PART, NULL, rounding, &part) != NULL) {
        proto_object_close(reader, &object);
    }
    *out = part.shape;
    *pose = part.place.pose;
}

static int compare_named_shapes(const void *a, const void *b) {
    return strcmp(((const proto_named_shape *)a)->id, ((const proto_named_shape *)b)->id);
}

void proto_decode_shapes(struct proto_reader *reader, const proto_node *node, uint32_t dimension,
                         proto_shape_use use, proto_named_shape **out, uint32_t *count) {
    const uint32_t refused = reader->refused;
    const size_t size = proto_object_size(node->value);

    if (!proto_read_object(reader, node)) {
        return;
    }
    if (size > reader->limits->shapes_per_set_max) {
        proto_refuse_many(reader, node, "shapes", size, reader->limits->shapes_per_set_max);
        return;
    }
    *count = 0;
    *out = gjk_arena_alloc_array(reader->arena, size, sizeof **out);
    if (*out == NULL) {
        proto_refuse_memory(reader);
        return;
    }
    for (size_t i = 0; i < size; i++) {
        const proto_node shape = proto_member(node, i);
        proto_named_shape *named = &(*out)[(*count)++];
        proto_copy_id(reader, &shape, proto_name_at(node->value, i), &named->id);
        proto_decode_shape(reader, &shape, dimension, use, NULL, &named->shape);
        if (!proto_may_go_on(reader)) {
            break;
        }
    }
    if (reader->refused != refused) {
        return;
    }
    const gjk_status status =
        gjk_sort(reader->arena, *out, *count, sizeof **out, compare_named_shapes);
    if (status != GJK_OK) {
        proto_refuse_status(reader, node, status);
    }
}
