/* Decodes casts: the shape that moves, its translation, and what it is cast against. */

#include "decode/decode.h"

bool proto_decode_cast(struct proto_reader *reader, const proto_node *query, bool is_stateless,
                       proto_query *out) {
    proto_node shape = proto_required(query, "shape");
    proto_node translation = proto_required(query, "translation");

    bool is_fine = proto_decode_operand(reader, &shape, out->dimension, is_stateless, &out->moving);
    is_fine = proto_read_vector(reader, translation, out->dimension, proto_coordinate,
                                &out->translation) &&
              is_fine;
    is_fine = proto_decode_mode(reader, proto_optional(query, "mode"), &out->mode) && is_fine;
    return proto_decode_target(reader, query, is_stateless, out) && is_fine;
}
