/*
 * Decodes rays, casts, moves and shots: origin and direction, or the moving shape and its motion;
 * the target (a whole set, one shape, or shapes in the query); and options.
 */

#include <math.h>

#include "decode/decode.h"
#include "gjk/move.h"

/* Decodes origin, direction and max_distance. */
static void decode_ray(struct proto_reader *reader, proto_object *line, uint32_t dimension,
                       gjk_ray *out) {
    const uint32_t refused = reader->refused;
    const proto_node from = proto_required(line, "origin");
    const proto_node along = proto_required(line, "direction");
    const proto_node reach = proto_optional(line, "max_distance");
    gjk_vec3 origin, direction;
    double max_distance = INFINITY;

    proto_read_vector(reader, from, dimension, proto_coordinate, &origin);
    proto_read_vector(reader, along, dimension, proto_coordinate, &direction);
    proto_read_number(reader, reach, proto_not_negative, &max_distance);
    if (reader->refused != refused) {
        return;
    }
    const gjk_status status = gjk_ray_make(origin, direction, max_distance, out);
    if (status != GJK_OK) {
        proto_refuse_status(reader, status == GJK_ZERO_DIRECTION ? &along : &line->node, status);
    }
}

static void read_mode(struct proto_reader *reader, proto_node node, proto_ray_mode *out) {
    static const char *const modes[] = {
        [PROTO_RAY_CLOSEST] = "closest",
        [PROTO_RAY_ANY] = "any",
        [PROTO_RAY_ALL] = "all",
        NULL,
    };
    size_t mode = PROTO_RAY_CLOSEST;

    proto_read_choice(reader, node, modes, &mode);
    *out = (proto_ray_mode)mode;
}

/* --- Targets --- */

/* Refuses the second node, and returns false, if both are given. */
static bool refuse_both(struct proto_reader *reader, const proto_node *first,
                        const proto_node *second) {
    return !proto_is_given(first) || !proto_is_given(second) ||
           proto_refuse(reader, second, PROTO_UNKNOWN_MEMBER, "\"%s\" has no meaning beside \"%s\"",
                        second->name, first->name);
}

/*
 * Decodes the target of a stateless query: one shape or "shapes". The one shape is called "shape"
 * for a ray, but "against" for a cast, whose "shape" is the moving one.
 */
static void decode_inline_target(struct proto_reader *reader, proto_object *query,
                                 proto_query *out) {
    const proto_node one = proto_optional(query, out->op == PROTO_OP_CAST ? "against" : "shape");
    const proto_node shapes = proto_optional(query, "shapes");

    if (!refuse_both(reader, &one, &shapes)) {
        return;
    }
    if (proto_is_given(&shapes)) {
        out->has_shapes = true;
        proto_decode_shapes(reader, &shapes, out->dimension, PROTO_SHAPE_INLINE, &out->shapes,
                            &out->shape_count);
    } else if (proto_is_given(&one)) {
        proto_decode_operand(reader, &one, out->dimension, true, &out->target);
    } else {
        proto_refuse_missing(reader, &one);
        proto_hint(reader, "give \"%s\" or \"shapes\"", one.name);
    }
}

/* Decodes the target of a query to a set, if it is a single shape: "target" or, for rays,
 * "shape". */
static void decode_stored_target(struct proto_reader *reader, proto_object *query,
                                 proto_query *out) {
    const bool is_cast = out->op == PROTO_OP_CAST;
    const proto_node shape = is_cast ? (proto_node){0} : proto_optional(query, "shape");
    const proto_node target = proto_optional(query, "target");

    if (!refuse_both(reader, &shape, &target)) {
        return;
    }
    if (proto_is_given(&target) && target.value.type != PROTO_STRING) {
        proto_refuse_type(reader, &target, "the id of a stored shape");
        proto_hint(reader, "%s",
                   is_cast ? "for an inline shape ask /v1/cast with \"against\""
                           : "for another pose or an inline shape use \"shape\"");
        return;
    }
    proto_decode_operand(reader, is_cast || proto_is_given(&target) ? &target : &shape,
                         out->dimension, false, &out->target);
}

static void decode_target(struct proto_reader *reader, proto_object *query, bool is_stateless,
                          proto_query *out) {
    if (is_stateless) {
        decode_inline_target(reader, query, out);
    } else {
        decode_stored_target(reader, query, out);
    }
}

/* --- Rays --- */

void proto_decode_ray(struct proto_reader *reader, proto_object *query, bool is_stateless,
                      proto_query *out) {
    decode_ray(reader, query, out->dimension, &out->ray);
    read_mode(reader, proto_optional(query, "mode"), &out->mode);
    proto_read_bool(reader, proto_optional(query, "solid"), &out->solid);
    proto_read_bool(reader, proto_optional(query, "exits"), &out->exits);
    const proto_node limit = proto_optional(query, "limit");
    decode_target(reader, query, is_stateless, out);
    proto_read_limit(reader, &limit, out);
}

/* --- Casts --- */

/* Decodes the motion: a translation, or a pose "to", whose absent parts stay unchanged. */
static void decode_motion(struct proto_reader *reader, proto_object *query, proto_query *out) {
    proto_node translation = proto_optional(query, "translation");
    const proto_node to = proto_optional(query, "to");
    proto_place place = {0};
    proto_object pose;

    if (!proto_is_given(&to)) {
        translation.is_required = true;
        proto_read_vector(reader, translation, out->dimension, proto_coordinate, &out->translation);
    } else if (proto_is_given(&translation)) {
        proto_refuse_given(reader, query, "translation", "beside \"to\"");
    } else if (proto_object_open(reader, &to, &pose)) {
        proto_decode_place(reader, &pose, out->dimension, &place);
        pose.mistake_count = reader->mistake_count; /* mistakes in the place come first */
        proto_object_close(reader, &pose);
        out->to = (proto_operand){.kind = PROTO_OPERAND_STORED,
                                  .pose = place.pose,
                                  .has_position = place.has_position,
                                  .has_rotation = place.has_rotation};
    }
}

void proto_decode_cast(struct proto_reader *reader, proto_object *query, bool is_stateless,
                       proto_query *out) {
    static const char *const starts[] = {
        [GJK_AT_START_REPORT] = "report",
        [GJK_AT_START_IGNORE] = "ignore",
        [GJK_AT_START_RESOLVE] = "resolve",
        [GJK_AT_START_LEAVING] = "leaving",
        NULL,
    };
    const proto_node shape = proto_required(query, "shape");
    size_t start = GJK_AT_START_REPORT;

    proto_decode_operand(reader, &shape, out->dimension, is_stateless, &out->moving);
    decode_motion(reader, query, out);
    proto_read_choice(reader, proto_optional(query, "at_start"), starts, &start);
    out->at_start = (gjk_at_start)start;
    read_mode(reader, proto_optional(query, "mode"), &out->mode);
    const proto_node limit = proto_optional(query, "limit");
    decode_target(reader, query, is_stateless, out);
    proto_read_limit(reader, &limit, out);
}

/* --- Moves --- */

void proto_decode_move(struct proto_reader *reader, proto_object *query, bool is_stateless,
                       proto_query *out) {
    static const proto_range slopes = {0.0, PROTO_SLOPE_MAX, false};
    const proto_node shape = proto_required(query, "shape");
    const proto_node translation = proto_required(query, "translation");
    const proto_node up = proto_optional(query, "up");
    proto_move *move = &out->move;

    proto_decode_operand(reader, &shape, out->dimension, is_stateless, &out->moving);
    proto_read_vector(reader, translation, out->dimension, proto_coordinate, &out->translation);
    if (proto_is_given(&up) &&
        proto_read_vector(reader, up, out->dimension, proto_coordinate, &move->up)) {
        move->has_up = move->up.x != 0.0 || move->up.y != 0.0 || move->up.z != 0.0;
        if (!move->has_up) {
            proto_refuse_status(reader, &up, GJK_ZERO_DIRECTION);
        }
    }
    proto_read_number(reader, proto_optional(query, "max_slope"), slopes, &move->max_slope);
    proto_read_number(reader, proto_optional(query, "step"), proto_length, &move->step);
    proto_read_number(reader, proto_optional(query, "snap"), proto_length, &move->snap);
    proto_read_number(reader, proto_optional(query, "skin"), proto_length, &move->skin);
    proto_read_u32(reader, proto_optional(query, "slides"), 1, GJK_SLIDES_MAX, &move->slides);
    proto_read_number(reader, proto_optional(query, "depenetrate"), proto_length,
                      &move->depenetrate);
}

/* --- Shots --- */

/* Decodes the claim, if given: the id of a shape or a group, not both. */
static void decode_claim(struct proto_reader *reader, const proto_node *node, proto_query *out) {
    proto_object claim;

    if (!proto_object_open(reader, node, &claim)) {
        return;
    }
    const proto_node id = proto_optional(&claim, "id"), group = proto_optional(&claim, "group");
    if (!proto_is_given(&id) && !proto_is_given(&group)) {
        proto_refuse_missing(reader, &id);
        proto_hint(reader, "give \"id\" or \"group\"");
    } else if (refuse_both(reader, &id, &group)) {
        proto_read_id(reader, id, &out->claim_id);
        proto_read_id(reader, group, &out->claim_group);
    }
    proto_object_close(reader, &claim);
}

/* Copies the JSON pointer of a node, relative to its query and without the first slash. */
static void copy_pointer(struct proto_reader *reader, const proto_node *node,
                         const proto_query *query, const char **out) {
    const char *whole = "";

    if (proto_copy_pointer(reader, node, &whole)) {
        *out = whole + strlen(query->pointer) + 1;
    }
}

/* Decodes a set of obstacles: its name, or an object with its name, state and filter. */
static void decode_obstacles(struct proto_reader *reader, const proto_node *node,
                             const proto_query *query, proto_obstacles *out) {
    static const char *const states[] = {"newest", "shot", NULL};
    size_t state = 0;
    proto_object obstacles;

    *out = (proto_obstacles){.filter = gjk_filter_default()};
    if (node->value.type != PROTO_OBJECT) {
        proto_read_set_name(reader, *node, &out->set);
        copy_pointer(reader, node, query, &out->pointer);
        return;
    }
    if (!proto_object_open(reader, node, &obstacles)) {
        return;
    }
    const proto_node set = proto_required(&obstacles, "set");
    const proto_node at = proto_optional(&obstacles, "at");
    const proto_node filter = proto_optional(&obstacles, "filter");
    proto_read_set_name(reader, set, &out->set);
    copy_pointer(reader, &set, query, &out->pointer);
    copy_pointer(reader, &at, query, &out->at_pointer);
    proto_read_choice(reader, at, states, &state);
    out->at_shot = state == 1;
    proto_decode_filter(reader, &filter, &out->filter);
    proto_object_close(reader, &obstacles);
}

/* Decodes "obstacles": one set, or a list of sets. */
static void decode_all_obstacles(struct proto_reader *reader, const proto_node *node,
                                 proto_query *out) {
    const bool is_list = node->value.type == PROTO_ARRAY;
    const size_t count = is_list ? proto_array_size(node->value) : 1;

    if (!proto_is_given(node)) {
        return;
    }
    if (count > PROTO_OBSTACLES_MAX) {
        proto_refuse_many(reader, node, "sets of obstacles", count, PROTO_OBSTACLES_MAX);
        return;
    }
    proto_obstacles *items = gjk_arena_alloc_array(reader->arena, count, sizeof *items);
    if (items == NULL) {
        proto_refuse_memory(reader);
        return;
    }
    for (size_t i = 0; i < count && proto_may_go_on(reader); i++) {
        proto_node item = is_list ? proto_item(node, i) : *node;
        item.is_required = is_list;
        decode_obstacles(reader, &item, out, &items[i]);
    }
    out->obstacles = items;
    out->obstacles_count = (uint32_t)count;
}

void proto_decode_hit(struct proto_reader *reader, proto_object *query, bool is_stateless,
                      proto_query *out) {
    (void)is_stateless; /* always false: shots need a set */
    const proto_node line = proto_required(query, "ray");
    const proto_node claim = proto_optional(query, "claim");
    const proto_node conditions = proto_optional(query, "policy");
    proto_object ray, policy;

    proto_read_id(reader, proto_optional(query, "shooter"), &out->shooter);
    if (proto_object_open(reader, &line, &ray)) {
        decode_ray(reader, &ray, out->dimension, &out->ray);
        proto_object_close(reader, &ray);
    }
    proto_read_number(reader, proto_optional(query, "radius"), proto_length, &out->radius);
    decode_claim(reader, &claim, out);
    if (proto_object_open(reader, &conditions, &policy)) {
        const proto_node obstacles = proto_optional(&policy, "obstacles");
        proto_read_number(reader, proto_optional(&policy, "max_rewind_ticks"), proto_not_negative,
                          &out->max_rewind_ticks);
        decode_all_obstacles(reader, &obstacles, out);
        proto_read_number(reader, proto_optional(&policy, "near_miss"), proto_length,
                          &out->near_miss);
        proto_object_close(reader, &policy);
    }
}
