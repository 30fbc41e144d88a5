/* Which shot is to be judged, by whom at whom, and how strictly? */

#include <math.h>

#include "decode/decode.h"

static bool decode_line(struct proto_reader *reader, const proto_node *query, proto_query *out) {
    static const char *const known[] = {"origin", "direction", "max_distance", NULL};
    proto_node ray = proto_required(query, "ray");

    return proto_read_object(reader, &ray) && proto_check_members(reader, &ray, known, NULL) &&
           proto_decode_line(reader, &ray, out->dimension, &out->ray);
}

/* A shape or a group, not both. */
static bool decode_claim(struct proto_reader *reader, const proto_node *query, proto_query *out) {
    static const char *const known[] = {"id", "group", NULL};
    proto_node claim = proto_required(query, "claim");

    if (!proto_read_object(reader, &claim) || !proto_check_members(reader, &claim, known, NULL))
        return false;
    proto_node id = proto_optional(&claim, "id"), group = proto_optional(&claim, "group");
    if (id.json == NULL && group.json == NULL) {
        proto_refuse_missing(reader, &id);
        return proto_problem_hint(reader->problem, "give \"id\" or \"group\"");
    }
    if (id.json != NULL && group.json != NULL)
        return proto_refuse(reader, &group, PROTO_UNKNOWN_MEMBER,
                            "\"group\" has no meaning beside \"id\"");
    return proto_read_id(reader, id, &out->claim_id) &&
           proto_read_id(reader, group, &out->claim_group);
}

static bool decode_policy(struct proto_reader *reader, const proto_node *query, proto_query *out) {
    static const char *const known[] = {"max_rewind_ticks", "obstacles", "near_miss", NULL};
    static const proto_range ticks = {0.0, INFINITY, false};
    proto_node policy = proto_optional(query, "policy");

    if (policy.json == NULL)
        return true;
    return proto_read_object(reader, &policy) &&
           proto_check_members(reader, &policy, known, NULL) &&
           proto_read_number(reader, proto_optional(&policy, "max_rewind_ticks"), ticks,
                             &out->max_rewind_ticks) &&
           proto_read_set_name(reader, proto_optional(&policy, "obstacles"), &out->obstacles) &&
           proto_read_number(reader, proto_optional(&policy, "near_miss"), proto_length,
                             &out->near_miss);
}

bool proto_decode_hit(struct proto_reader *reader, const proto_node *query, bool is_stateless,
                      proto_query *out) {
    (void)is_stateless; /* there is only the form with a set */
    return proto_read_id(reader, proto_optional(query, "shooter"), &out->shooter) &&
           decode_line(reader, query, out) &&
           proto_read_number(reader, proto_optional(query, "radius"), proto_length, &out->radius) &&
           decode_claim(reader, query, out) && decode_policy(reader, query, out);
}
