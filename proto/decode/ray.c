/* Decodes rays: origin, direction and length, and what counts as a hit. */

#include <math.h>

#include "decode/decode.h"

bool proto_decode_line(struct proto_reader *reader, const proto_node *line, uint32_t dimension,
                       gjk_ray *out) {
    static const proto_range reach = {0.0, INFINITY, false};
    proto_node direction_node = proto_required(line, "direction");
    gjk_vec3 origin, direction;
    double max_distance = INFINITY;

    bool is_fine = proto_read_vector(reader, proto_required(line, "origin"), dimension,
                                     proto_coordinate, &origin);
    is_fine = proto_read_vector(reader, direction_node, dimension, proto_coordinate, &direction) &&
              is_fine;
    is_fine =
        proto_read_number(reader, proto_optional(line, "max_distance"), reach, &max_distance) &&
        is_fine;
    if (!is_fine) {
        return false;
    }
    gjk_status status = gjk_ray_make(origin, direction, max_distance, out);
    bool is_direction = status == GJK_ZERO_DIRECTION;
    return status == GJK_OK ||
           proto_refuse_status(reader, is_direction ? &direction_node : line, status);
}

bool proto_decode_ray(struct proto_reader *reader, const proto_node *query, bool is_stateless,
                      proto_query *out) {
    bool is_fine = proto_decode_line(reader, query, out->dimension, &out->ray);

    is_fine = proto_decode_mode(reader, proto_optional(query, "mode"), &out->mode) && is_fine;
    is_fine = proto_read_bool(reader, proto_optional(query, "solid"), &out->solid) && is_fine;
    is_fine = proto_read_bool(reader, proto_optional(query, "exits"), &out->exits) && is_fine;
    return proto_decode_target(reader, query, is_stateless, out) && is_fine;
}
