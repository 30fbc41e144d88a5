/*
 * Decodes shots: the ray, the shape or group that is claimed to be hit, and the policy of the
 * judgement.
 */

#include <math.h>

#include "decode/decode.h"

static bool decode_line(struct proto_reader *reader, const proto_node *query, proto_query *out) {
    static const char *const known[] = {"origin", "direction", "max_distance", NULL};
    proto_node ray = proto_required(query, "ray");

    if (!proto_read_object(reader, &ray)) {
        return false;
    }
    bool is_fine = proto_check_members(reader, &ray, known, NULL);
    return proto_decode_line(reader, &ray, out->dimension, &out->ray) && is_fine;
}

/* The claim, if there is one, names a shape or a group, not both. */
static bool decode_claim(struct proto_reader *reader, const proto_node *query, proto_query *out) {
    static const char *const known[] = {"id", "group", NULL};
    proto_node claim = proto_optional(query, "claim");

    if (!proto_is_given(&claim)) {
        return true;
    }
    if (!proto_read_object(reader, &claim)) {
        return false;
    }
    bool is_fine = proto_check_members(reader, &claim, known, NULL);
    proto_node id = proto_optional(&claim, "id"), group = proto_optional(&claim, "group");
    if (!proto_is_given(&id) && !proto_is_given(&group)) {
        proto_refuse_missing(reader, &id);
        return proto_problem_hint(reader->problem, "give \"id\" or \"group\"");
    }
    if (proto_is_given(&id) && proto_is_given(&group)) {
        return proto_refuse(reader, &group, PROTO_UNKNOWN_MEMBER,
                            "\"group\" has no meaning beside \"id\"");
    }
    return proto_read_id(reader, id, &out->claim_id) &&
           proto_read_id(reader, group, &out->claim_group) && is_fine;
}

/* A set's name alone, or with the state in which it blocks the shot, and what of it. */
static bool decode_obstacles(struct proto_reader *reader, const proto_node *obstacles,
                             proto_query *out) {
    static const char *const known[] = {"set", "at", "filter", NULL};
    static const char *const states[] = {"newest", "shot", NULL};
    size_t state = 0;

    if (obstacles->value.type != PROTO_OBJECT) {
        return proto_read_set_name(reader, *obstacles, &out->obstacles);
    }
    proto_node set = proto_required(obstacles, "set"), filter = proto_optional(obstacles, "filter");
    out->obstacles_in_object = true;
    bool is_fine = proto_check_members(reader, obstacles, known, NULL);
    is_fine = proto_is_given(&set) ? proto_read_set_name(reader, set, &out->obstacles) && is_fine
                                   : proto_refuse_missing(reader, &set);
    is_fine = proto_read_choice(reader, proto_optional(obstacles, "at"), states, &state) && is_fine;
    out->obstacles_at_shot = state == 1;
    return proto_decode_filter(reader, &filter, &out->obstacles_filter) && is_fine;
}

static bool decode_policy(struct proto_reader *reader, const proto_node *query, proto_query *out) {
    static const char *const known[] = {"max_rewind_ticks", "obstacles", "near_miss", NULL};
    static const proto_range ticks = {0.0, INFINITY, false};
    proto_node policy = proto_optional(query, "policy");

    if (!proto_is_given(&policy)) {
        return true;
    }
    if (!proto_read_object(reader, &policy)) {
        return false;
    }
    proto_node rewind = proto_optional(&policy, "max_rewind_ticks");
    proto_node obstacles = proto_optional(&policy, "obstacles");
    proto_node near_miss = proto_optional(&policy, "near_miss");
    bool is_fine = proto_check_members(reader, &policy, known, NULL);
    is_fine = proto_read_number(reader, rewind, ticks, &out->max_rewind_ticks) && is_fine;
    is_fine = decode_obstacles(reader, &obstacles, out) && is_fine;
    return proto_read_number(reader, near_miss, proto_length, &out->near_miss) && is_fine;
}

bool proto_decode_hit(struct proto_reader *reader, const proto_node *query, bool is_stateless,
                      proto_query *out) {
    (void)is_stateless; /* there is only the form with a set */
    proto_node radius = proto_optional(query, "radius");

    bool is_fine = proto_read_id(reader, proto_optional(query, "shooter"), &out->shooter);
    is_fine = decode_line(reader, query, out) && is_fine;
    is_fine = proto_read_number(reader, radius, proto_length, &out->radius) && is_fine;
    is_fine = decode_claim(reader, query, out) && is_fine;
    return decode_policy(reader, query, out) && is_fine;
}
