/* Which ray? Its line, and what counts as a hit. */

#include <math.h>

#include "decode/decode.h"

bool proto_decode_line(struct proto_reader *reader, const proto_node *line, uint32_t dimension,
                       gjk_ray *out) {
    static const proto_range reach = {0.0, INFINITY, false};
    proto_node direction_node = proto_required(line, "direction");
    gjk_vec3 origin, direction;
    double max_distance = INFINITY;

    if (!proto_read_vector(reader, proto_required(line, "origin"), dimension, proto_coordinate,
                           &origin) ||
        !proto_read_vector(reader, direction_node, dimension, proto_coordinate, &direction) ||
        !proto_read_number(reader, proto_optional(line, "max_distance"), reach, &max_distance))
        return false;
    gjk_status status = gjk_ray_make(origin, direction, max_distance, out);
    bool is_direction = status == GJK_ZERO_DIRECTION;
    return status == GJK_OK ||
           proto_refuse_status(reader, is_direction ? &direction_node : line, status);
}

bool proto_decode_ray(struct proto_reader *reader, const proto_node *query, bool is_stateless,
                      proto_query *out) {
    return proto_decode_line(reader, query, out->dimension, &out->ray) &&
           proto_decode_mode(reader, proto_optional(query, "mode"), &out->mode) &&
           proto_read_bool(reader, proto_optional(query, "solid"), &out->solid) &&
           proto_decode_target(reader, query, is_stateless, out);
}
