/* Decodes casts: the shape that moves, the way that it takes, and what it is cast against. */

#include "decode/decode.h"

/* Where the shape moves to: a pose, each part of which may be left out and stays as it is then. */
static bool decode_to(struct proto_reader *reader, const proto_node *to, uint32_t dimension,
                      proto_operand *out) {
    static const char *const known2[] = {"position", "angle", NULL};
    static const char *const known3[] = {"position", "orientation", NULL};
    proto_place place = {0};

    if (!proto_read_object(reader, to)) {
        return false;
    }
    bool is_fine = proto_decode_place(reader, to, dimension, &place);
    is_fine = proto_check_members(reader, to, dimension == 2 ? known2 : known3, NULL) && is_fine;
    if (!is_fine) {
        return false;
    }
    *out = (proto_operand){.kind = PROTO_OPERAND_STORED,
                           .pose = place.pose,
                           .has_position = place.has_position,
                           .has_rotation = place.has_rotation};
    return true;
}

/* A translation, or the pose to which it leads with a turn. */
static bool decode_way(struct proto_reader *reader, const proto_node *query, proto_query *out) {
    proto_node to = proto_optional(query, "to");
    proto_node translation = !proto_is_given(&to) ? proto_required(query, "translation")
                                                  : proto_optional(query, "translation");

    if (!proto_is_given(&to)) {
        return proto_read_vector(reader, translation, out->dimension, proto_coordinate,
                                 &out->translation);
    }
    if (proto_is_given(&translation)) {
        return proto_refuse(reader, &translation, PROTO_UNKNOWN_MEMBER,
                            "\"translation\" has no meaning beside \"to\"");
    }
    return decode_to(reader, &to, out->dimension, &out->to);
}

static bool decode_start(struct proto_reader *reader, proto_node node, gjk_at_start *out) {
    static const char *const choices[] = {
        [GJK_AT_START_REPORT] = "report",
        [GJK_AT_START_IGNORE] = "ignore",
        [GJK_AT_START_RESOLVE] = "resolve",
        NULL,
    };
    size_t chosen = GJK_AT_START_REPORT;

    if (!proto_read_choice(reader, node, choices, &chosen)) {
        return false;
    }
    *out = (gjk_at_start)chosen;
    return true;
}

bool proto_decode_cast(struct proto_reader *reader, const proto_node *query, bool is_stateless,
                       proto_query *out) {
    proto_node shape = proto_required(query, "shape");

    bool is_fine = proto_decode_operand(reader, &shape, out->dimension, is_stateless, &out->moving);
    is_fine = decode_way(reader, query, out) && is_fine;
    is_fine = decode_start(reader, proto_optional(query, "at_start"), &out->at_start) && is_fine;
    is_fine = proto_decode_mode(reader, proto_optional(query, "mode"), &out->mode) && is_fine;
    return proto_decode_target(reader, query, is_stateless, out) && is_fine;
}
