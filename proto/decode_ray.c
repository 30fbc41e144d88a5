/* Which ray, and at what? At a whole set, at one shape, or at shapes that the query brings. */

#include <math.h>

#include "decode.h"

static bool decode_line(struct proto_reader *reader, const proto_node *query, uint32_t dimension,
                        gjk_ray *out) {
    static const proto_range reach = {0.0, INFINITY, false};
    proto_node direction_node = proto_required(query, "direction");
    gjk_vec3 origin, direction;
    double max_distance = INFINITY;

    if (!proto_read_vector(reader, proto_required(query, "origin"), dimension, proto_coordinate,
                           &origin) ||
        !proto_read_vector(reader, direction_node, dimension, proto_coordinate, &direction) ||
        !proto_read_number(reader, proto_optional(query, "max_distance"), reach, &max_distance))
        return false;
    gjk_status status = gjk_ray_make(origin, direction, max_distance, out);
    bool is_direction = status == GJK_ZERO_DIRECTION;
    return status == GJK_OK ||
           proto_refuse_status(reader, is_direction ? &direction_node : query, status);
}

static bool decode_manner(struct proto_reader *reader, const proto_node *query, proto_query *out) {
    static const char *const modes[] = {
        [PROTO_RAY_CLOSEST] = "closest",
        [PROTO_RAY_ANY] = "any",
        [PROTO_RAY_ALL] = "all",
        NULL,
    };
    size_t mode = PROTO_RAY_CLOSEST;

    if (!proto_read_choice(reader, proto_optional(query, "mode"), modes, &mode) ||
        !proto_read_bool(reader, proto_optional(query, "solid"), &out->solid))
        return false;
    out->mode = (proto_ray_mode)mode;
    return true;
}

/* The one of the two nodes that is given, at most. */
static bool refuse_both(struct proto_reader *reader, const proto_node *first,
                        const proto_node *second) {
    if (first->json == NULL || second->json == NULL)
        return true;
    return proto_refuse(reader, second, PROTO_UNKNOWN_MEMBER, "\"%s\" has no meaning beside \"%s\"",
                        second->name, first->name);
}

static bool decode_stateless_target(struct proto_reader *reader, const proto_node *query,
                                    proto_query *out) {
    proto_node shape = proto_optional(query, "shape");
    proto_node shapes = proto_optional(query, "shapes");

    if (!refuse_both(reader, &shape, &shapes))
        return false;
    if (shapes.json == NULL && shape.json == NULL) {
        proto_refuse_missing(reader, &shape);
        return proto_problem_hint(reader->problem, "give \"shape\" or \"shapes\"");
    }
    if (shapes.json == NULL)
        return proto_decode_operand(reader, &shape, out->dimension, true, &out->target);
    out->has_shapes = true;
    return proto_decode_shapes(reader, &shapes, out->dimension, PROTO_SHAPE_INLINE, &out->shapes,
                               &out->shape_count);
}

static bool decode_target(struct proto_reader *reader, const proto_node *query, proto_query *out) {
    proto_node shape = proto_optional(query, "shape");
    proto_node target = proto_optional(query, "target");

    if (!refuse_both(reader, &shape, &target))
        return false;
    if (target.json != NULL && !json_is_string(target.json)) {
        proto_refuse_type(reader, &target, "the id of a stored shape");
        return proto_problem_hint(reader->problem, "for another pose or an inline shape use "
                                                   "\"shape\"");
    }
    return proto_decode_operand(reader, target.json != NULL ? &target : &shape, out->dimension,
                                false, &out->target);
}

bool proto_decode_ray(struct proto_reader *reader, const proto_node *query, bool is_stateless,
                      proto_query *out) {
    return decode_line(reader, query, out->dimension, &out->ray) &&
           decode_manner(reader, query, out) &&
           (is_stateless ? decode_stateless_target(reader, query, out)
                         : decode_target(reader, query, out));
}
