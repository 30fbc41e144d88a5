/*
 * Finds the dimension of a query without a set. It follows from every type that exists in one
 * dimension only and from the length of every vector; all must agree. All other mistakes are left
 * to the decoders that run afterwards.
 */

#include "decode/decode.h"

/* Compares the dimension that one place implies (0: none) with the one found so far. */
static bool agree(struct proto_reader *reader, const proto_node *at, uint32_t told,
                  uint32_t *dimension) {
    if (told == 0 || told == *dimension) {
        return true;
    }
    if (*dimension == 0) {
        *dimension = told;
        return true;
    }
    return proto_refuse(reader, at, PROTO_DIMENSION_MISMATCH,
                        "this is %uD, but what stands before it is %uD", told, *dimension);
}

static bool hear_vector(struct proto_reader *reader, const proto_node *node, uint32_t *dimension) {
    size_t length = proto_array_size(node->value);

    return agree(reader, node, length == 2 || length == 3 ? (uint32_t)length : 0, dimension);
}

static bool hear_vectors(struct proto_reader *reader, const proto_node *array,
                         uint32_t *dimension) {
    for (size_t i = 0; i < proto_array_size(array->value); i++) {
        proto_node item = proto_item(array, i);
        if (!hear_vector(reader, &item, dimension)) {
            return false;
        }
    }
    return true;
}

/* Looks at rings: vectors in lists in lists. */
static bool hear_rings(struct proto_reader *reader, const proto_node *polygons,
                       uint32_t *dimension) {
    for (size_t i = 0; i < proto_array_size(polygons->value); i++) {
        proto_node polygon = proto_item(polygons, i);
        for (size_t k = 0; k < proto_array_size(polygon.value); k++) {
            proto_node ring = proto_item(&polygon, k);
            if (!hear_vectors(reader, &ring, dimension)) {
                return false;
            }
        }
    }
    return true;
}

/* The kind that the shape names as its type, or NULL when there is no such kind. */
static const gjk_kind *find_kind(const proto_node *type, uint32_t *dimension) {
    return type->value.type == PROTO_STRING
               ? gjk_kind_find(type->value.text, type->value.count, dimension)
               : NULL;
}

static bool hear_shape(struct proto_reader *reader, const proto_node *shape, uint32_t *dimension);

static bool hear_parts(struct proto_reader *reader, const proto_node *parts, uint32_t *dimension) {
    for (size_t i = 0; i < proto_array_size(parts->value); i++) {
        proto_node part = proto_item(parts, i);
        if (!hear_shape(reader, &part, dimension)) {
            return false;
        }
    }
    return true;
}

static bool hear_member(struct proto_reader *reader, const proto_node *node, gjk_member_form form,
                        uint32_t *dimension) {
    switch (form) {
    case GJK_MEMBER_VECTOR:
        return hear_vector(reader, node, dimension);
    case GJK_MEMBER_POINTS:
    case GJK_MEMBER_VERTICES:
        return hear_vectors(reader, node, dimension);
    case GJK_MEMBER_RINGS:
        return hear_rings(reader, node, dimension);
    case GJK_MEMBER_PARTS:
        return hear_parts(reader, node, dimension);
    default:
        return true;
    }
}

/* Looks at those members of a kind's geometry that are vectors, or at all others. */
static bool hear_members(struct proto_reader *reader, const proto_node *shape, const gjk_kind *kind,
                         bool vectors, uint32_t *dimension) {
    for (const gjk_member *member = kind->members; member->name != NULL; member++) {
        if (member->form == GJK_MEMBER_NUMBER || (member->form == GJK_MEMBER_VECTOR) != vectors) {
            continue;
        }
        const proto_node node = proto_peek(shape, member->name);
        if (!hear_member(reader, &node, member->form, dimension)) {
            return false;
        }
    }
    return true;
}

/* Looks at the members of all kinds when the type does not name one. */
static bool hear_shape(struct proto_reader *reader, const proto_node *shape, uint32_t *dimension) {
    if (!proto_is_given(shape)) {
        return true;
    }
    proto_node type = proto_peek(shape, "type"), position = proto_peek(shape, "position");
    uint32_t told = 0;
    const gjk_kind *kind = find_kind(&type, &told);
    const gjk_kind *first = kind != NULL ? kind : gjk_kinds;
    const gjk_kind *end = kind != NULL ? kind + 1 : gjk_kinds + GJK_KIND_COUNT;

    if (!agree(reader, &type, told, dimension)) {
        return false;
    }
    for (kind = first; kind < end; kind++) {
        if (!hear_members(reader, shape, kind, true, dimension)) {
            return false;
        }
    }
    if (!hear_vector(reader, &position, dimension)) {
        return false;
    }
    for (kind = first; kind < end; kind++) {
        if (!hear_members(reader, shape, kind, false, dimension)) {
            return false;
        }
    }
    return true;
}

static bool hear_shapes(struct proto_reader *reader, const proto_node *shapes,
                        uint32_t *dimension) {
    for (size_t i = 0; i < proto_object_size(shapes->value); i++) {
        const proto_node shape = proto_member(shapes, i);
        if (!hear_shape(reader, &shape, dimension)) {
            return false;
        }
    }
    return true;
}

static bool hear_query(struct proto_reader *reader, const proto_node *query, uint32_t *dimension) {
    static const char *const vectors[] = {"origin", "direction", "translation", NULL};
    static const char *const operands[] = {"a", "b", "shape", "against", NULL};
    proto_node shapes = proto_peek(query, "shapes");

    for (size_t i = 0; vectors[i] != NULL; i++) {
        proto_node vector = proto_peek(query, vectors[i]);
        if (!hear_vector(reader, &vector, dimension)) {
            return false;
        }
    }
    for (size_t i = 0; operands[i] != NULL; i++) {
        proto_node operand = proto_peek(query, operands[i]);
        if (!hear_shape(reader, &operand, dimension)) {
            return false;
        }
    }
    proto_node to = proto_peek(query, "to");
    proto_node arrival = proto_peek(&to, "position");
    if (to.value.type == PROTO_OBJECT && !hear_vector(reader, &arrival, dimension)) {
        return false;
    }
    return hear_shapes(reader, &shapes, dimension);
}

bool proto_find_dimension(struct proto_reader *reader, const proto_node *query, uint32_t *out) {
    const proto_node given = proto_peek(query, "dimension");

    *out = 0;
    if (!proto_is_given(&given) && !hear_query(reader, query, out)) {
        return false;
    }
    if (*out == 0) {
        *out = 2;
        return proto_read_u32(reader, given, 2, 3, out);
    }
    return true;
}
