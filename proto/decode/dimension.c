/*
 * Is a query without a set about 2D or 3D? Every type that exists in one dimension only and every
 * vector's length tells; all must agree. This looks only for what tells: whatever else is wrong
 * is left to the decoders that follow.
 */

#include "decode/decode.h"

/* Takes what one place tells (0: nothing) into account. */
static bool agree(struct proto_reader *reader, const proto_node *at, uint32_t told,
                  uint32_t *dimension) {
    if (told == 0 || told == *dimension)
        return true;
    if (*dimension == 0) {
        *dimension = told;
        return true;
    }
    return proto_refuse(reader, at, PROTO_DIMENSION_MISMATCH,
                        "this is %uD, but what stands before it is %uD", told, *dimension);
}

static bool hear_vector(struct proto_reader *reader, const proto_node *node, uint32_t *dimension) {
    size_t length = json_array_size(node->json);

    return agree(reader, node, length == 2 || length == 3 ? (uint32_t)length : 0, dimension);
}

static bool hear_vectors(struct proto_reader *reader, const proto_node *array,
                         uint32_t *dimension) {
    for (size_t i = 0; i < json_array_size(array->json); i++) {
        proto_node item = proto_item(array, i);
        if (!hear_vector(reader, &item, dimension))
            return false;
    }
    return true;
}

static bool hear_type(struct proto_reader *reader, const proto_node *type, uint32_t *dimension) {
    if (!json_is_string(type->json))
        return true;
    const struct proto_shape_kind *kind =
        proto_shape_kind_find(json_string_value(type->json), json_string_length(type->json));
    return kind == NULL || agree(reader, type, kind->dimension, dimension);
}

static bool hear_shape(struct proto_reader *reader, const proto_node *shape, uint32_t *dimension) {
    static const char *const vectors[] = {"a", "b", "c", "half_extents", "radii", "position", NULL};
    static const char *const lists[] = {"vertices", "points", NULL};

    if (shape->json == NULL)
        return true;
    proto_node type = proto_optional(shape, "type");
    if (!hear_type(reader, &type, dimension))
        return false;
    for (size_t i = 0; vectors[i] != NULL; i++) {
        proto_node vector = proto_optional(shape, vectors[i]);
        if (!hear_vector(reader, &vector, dimension))
            return false;
    }
    for (size_t i = 0; lists[i] != NULL; i++) {
        proto_node list = proto_optional(shape, lists[i]);
        if (!hear_vectors(reader, &list, dimension))
            return false;
    }
    return true;
}

static bool hear_shapes(struct proto_reader *reader, const proto_node *shapes,
                        uint32_t *dimension) {
    const char *id;
    json_t *value;

    json_object_foreach(shapes->json, id, value) {
        proto_node shape = proto_optional(shapes, id);
        if (!hear_shape(reader, &shape, dimension))
            return false;
    }
    return true;
}

static bool hear_query(struct proto_reader *reader, const proto_node *query, uint32_t *dimension) {
    static const char *const vectors[] = {"origin", "direction", "translation", NULL};
    static const char *const operands[] = {"a", "b", "shape", "against", NULL};
    proto_node shapes = proto_optional(query, "shapes");

    for (size_t i = 0; vectors[i] != NULL; i++) {
        proto_node vector = proto_optional(query, vectors[i]);
        if (!hear_vector(reader, &vector, dimension))
            return false;
    }
    for (size_t i = 0; operands[i] != NULL; i++) {
        proto_node operand = proto_optional(query, operands[i]);
        if (!hear_shape(reader, &operand, dimension))
            return false;
    }
    return hear_shapes(reader, &shapes, dimension);
}

bool proto_find_dimension(struct proto_reader *reader, const proto_node *query, uint32_t *out) {
    proto_node given = proto_optional(query, "dimension");
    uint64_t dimension = 2;

    *out = 0;
    if (given.json == NULL && !hear_query(reader, query, out))
        return false;
    if (*out != 0)
        return true;
    if (!proto_read_integer(reader, given, 2, 3, &dimension))
        return false;
    *out = (uint32_t)dimension;
    return true;
}
