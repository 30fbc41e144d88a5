/*
 * Decodes the target of a ray or cast, and which hits are wanted. The target is a whole set, one
 * shape, or shapes in the query itself.
 */

#include "decode/decode.h"

bool proto_decode_mode(struct proto_reader *reader, proto_node node, proto_ray_mode *out) {
    static const char *const modes[] = {
        [PROTO_RAY_CLOSEST] = "closest",
        [PROTO_RAY_ANY] = "any",
        [PROTO_RAY_ALL] = "all",
        NULL,
    };
    size_t mode = PROTO_RAY_CLOSEST;

    if (!proto_read_choice(reader, node, modes, &mode)) {
        return false;
    }
    *out = (proto_ray_mode)mode;
    return true;
}

/* Refuses the second node when both are given. */
static bool refuse_both(struct proto_reader *reader, const proto_node *first,
                        const proto_node *second) {
    if (!proto_is_given(first) || !proto_is_given(second)) {
        return true;
    }
    return proto_refuse(reader, second, PROTO_UNKNOWN_MEMBER, "\"%s\" has no meaning beside \"%s\"",
                        second->name, first->name);
}

/*
 * Decodes the target of a query without a set. A cast's "shape" is the one that moves, so its
 * target is called "against".
 */
static bool decode_brought(struct proto_reader *reader, const proto_node *query, proto_query *out) {
    proto_node one = proto_optional(query, out->op == PROTO_OP_CAST ? "against" : "shape");
    proto_node shapes = proto_optional(query, "shapes");

    if (!refuse_both(reader, &one, &shapes)) {
        return false;
    }
    if (!proto_is_given(&shapes) && !proto_is_given(&one)) {
        proto_refuse_missing(reader, &one);
        return proto_problem_hint(reader->problem, "give \"%s\" or \"shapes\"", one.name);
    }
    if (!proto_is_given(&shapes)) {
        return proto_decode_operand(reader, &one, out->dimension, true, &out->target);
    }
    out->has_shapes = true;
    return proto_decode_shapes(reader, &shapes, out->dimension, PROTO_SHAPE_INLINE, &out->shapes,
                               &out->shape_count);
}

static bool refuse_target(struct proto_reader *reader, const proto_node *target, proto_op op) {
    proto_refuse_type(reader, target, "the id of a stored shape");
    return proto_problem_hint(reader->problem, "%s",
                              op == PROTO_OP_CAST
                                  ? "for an inline shape ask /v1/cast with \"against\""
                                  : "for another pose or an inline shape use \"shape\"");
}

static bool decode_stored(struct proto_reader *reader, const proto_node *query, proto_query *out) {
    bool is_cast = out->op == PROTO_OP_CAST;
    proto_node shape = proto_optional(query, "shape");
    proto_node target = proto_optional(query, "target");

    if (!is_cast && !refuse_both(reader, &shape, &target)) {
        return false;
    }
    if (proto_is_given(&target) && target.value.type != PROTO_STRING) {
        return refuse_target(reader, &target, out->op);
    }
    bool is_target = is_cast || proto_is_given(&target);
    return proto_decode_operand(reader, is_target ? &target : &shape, out->dimension, false,
                                &out->target);
}

bool proto_decode_target(struct proto_reader *reader, const proto_node *query, bool is_stateless,
                         proto_query *out) {
    return is_stateless ? decode_brought(reader, query, out) : decode_stored(reader, query, out);
}
