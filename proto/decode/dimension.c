/*
 * Finds the dimension of a query without a set. It follows from every type that exists in one
 * dimension only and from the length of every vector; all must agree. All other mistakes are left
 * to the decoders that run afterwards.
 */

#include "decode/decode.h"

struct search {
    struct proto_reader *reader;
    uint32_t dimension; /* 0: not found yet */
    bool is_refused;    /* two places disagree */
};

/* Compares the dimension that one place implies (0: none) with the one found so far. */
static void compare(struct search *search, const proto_node *at, uint32_t implied) {
    if (implied == 0 || implied == search->dimension || search->is_refused) {
        return;
    }
    if (search->dimension != 0) {
        search->is_refused = true;
        proto_refuse(search->reader, at, PROTO_DIMENSION_MISMATCH,
                     "this is %uD, but what stands before it is %uD", implied, search->dimension);
        return;
    }
    search->dimension = implied;
}

/* Looks at a vector, or at the vectors in lists of that many levels. */
static void look_at_vectors(struct search *search, const proto_node *node, unsigned levels) {
    const size_t count = proto_array_size(node->value);

    if (levels == 0) {
        compare(search, node, count == 2 || count == 3 ? (uint32_t)count : 0);
        return;
    }
    for (size_t i = 0; i < count && !search->is_refused; i++) {
        const proto_node item = proto_item(node, i);
        look_at_vectors(search, &item, levels - 1);
    }
}

static void look_at_shape(struct search *search, const proto_node *shape);

static void look_at_member(struct search *search, const proto_node *node, gjk_member_form form) {
    switch (form) {
    case GJK_MEMBER_VECTOR:
        look_at_vectors(search, node, 0);
        break;
    case GJK_MEMBER_POINTS:
    case GJK_MEMBER_VERTICES:
        look_at_vectors(search, node, 1);
        break;
    case GJK_MEMBER_RINGS:
        look_at_vectors(search, node, 3);
        break;
    case GJK_MEMBER_PARTS:
        for (size_t i = 0; i < proto_array_size(node->value); i++) {
            const proto_node part = proto_item(node, i);
            look_at_shape(search, &part);
        }
        break;
    default:
        break;
    }
}

/* Looks at those members of a kind's geometry that are vectors, or at all others. */
static void look_at_members(struct search *search, const proto_node *shape, const gjk_kind *kind,
                            bool others) {
    for (const gjk_member *member = kind->members; member->name != NULL; member++) {
        const proto_node node = proto_peek(shape, member->name);
        if (proto_is_given(&node) && (member->form != GJK_MEMBER_VECTOR) == others) {
            look_at_member(search, &node, member->form);
        }
    }
}

/* Looks at the type, vectors, position and lists; at those of all kinds if the type names none. */
static void look_at_shape(struct search *search, const proto_node *shape) {
    const proto_node type = proto_peek(shape, "type"), position = proto_peek(shape, "position");
    const gjk_kind *first = gjk_kinds, *end = gjk_kinds + GJK_KIND_COUNT, *named = NULL;
    uint32_t implied = 0;

    if (!proto_is_given(shape)) {
        return;
    }
    if (type.value.type == PROTO_STRING) {
        named = gjk_kind_find(type.value.text, type.value.count, &implied);
    }
    if (named != NULL) {
        first = named;
        end = named + 1;
    }
    compare(search, &type, implied);
    for (int lists = 0; lists < 2; lists++) {
        for (const gjk_kind *kind = first; kind < end; kind++) {
            look_at_members(search, shape, kind, lists == 1);
        }
        if (lists == 0) {
            look_at_vectors(search, &position, 0);
        }
    }
}

static void look_at_query(struct search *search, const proto_node *query) {
    static const char *const vectors[] = {"origin", "direction", "translation"};
    static const char *const operands[] = {"a", "b", "shape", "against"};
    const proto_node to = proto_peek(query, "to"), arrival = proto_peek(&to, "position");
    const proto_node shapes = proto_peek(query, "shapes");

    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        const proto_node vector = proto_peek(query, vectors[i]);
        look_at_vectors(search, &vector, 0);
    }
    for (size_t i = 0; i < sizeof operands / sizeof operands[0]; i++) {
        const proto_node operand = proto_peek(query, operands[i]);
        look_at_shape(search, &operand);
    }
    look_at_vectors(search, &arrival, 0);
    for (size_t i = 0; i < proto_object_size(shapes.value); i++) {
        const proto_node shape = proto_member(&shapes, i);
        look_at_shape(search, &shape);
    }
}

bool proto_find_dimension(struct proto_reader *reader, const proto_node *query, uint32_t *out) {
    const proto_node given = proto_peek(query, "dimension");
    struct search search = {.reader = reader};

    if (!proto_is_given(&given)) {
        look_at_query(&search, query);
    }
    *out = search.dimension != 0 ? search.dimension : 2;
    return !search.is_refused && proto_read_u32(reader, given, 2, 3, out);
}
