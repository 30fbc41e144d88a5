/*
 * Encodes the answers to GET about sets (a summary, a page of summaries, a whole set in the form
 * that PUT takes with read-only members added, one shape, poses at a tick) and the events of a set.
 * A shape is written as its stored definition, the lists that its pieces hold, and its place. Lists
 * and numbers have the form in which they were given.
 */

#include <math.h>
#include <string.h>

#include "gjk/kinds.h"
#include "gjk/pieces.h"
#include "proto/reply.h"
#include "json/value.h"
#include "json/writer.h"

/* --- Lists of a geometry --- */

static void put_rings(struct proto_buffer *out, const gjk_region *rings) {
    const double *numbers = (const double *)rings->vertices;
    const uint32_t *ring = rings->ring_sizes;

    for (uint32_t i = 0; i < rings->polygon_count && !out->failed; i++) {
        if (!rings->is_flat) {
            proto_put_item(out);
            proto_put_text(out, "[");
        }
        for (uint32_t k = 0; k < rings->polygon_sizes[i]; k++, ring++) {
            proto_put_item(out);
            proto_put_json(out, (proto_value){.type = PROTO_ROWS,
                                              .columns = 2,
                                              .count = *ring,
                                              .numbers = numbers});
            numbers += 2 * (size_t)*ring;
        }
        if (!rings->is_flat) {
            proto_put_text(out, "]");
        }
    }
}

/* Returns a list of any form but rings as a JSON value. */
static proto_value list_of(gjk_member_form form, const gjk_member_value *value) {
    const bool in_2d = value->vertices.in_2d != NULL;

    switch (form) {
    case GJK_MEMBER_VERTICES:
        return (proto_value){.type = PROTO_ROWS,
                             .columns = in_2d ? 2 : 3,
                             .count = value->vertices.count,
                             .numbers = in_2d ? (const double *)value->vertices.in_2d
                                              : (const double *)value->vertices.in_3d};
    case GJK_MEMBER_TRIANGLES:
        return (proto_value){.type = PROTO_INTEGERS,
                             .columns = 3,
                             .count = value->triangles.count,
                             .integers = (const uint32_t *)value->triangles.items};
    case GJK_MEMBER_MATERIALS:
        return (proto_value){.type = PROTO_INTEGERS,
                             .count = value->materials.count,
                             .integers = value->materials.items};
    default:
        return (proto_value){.type = PROTO_NUMBERS,
                             .count = value->heights.count,
                             .numbers = value->heights.items};
    }
}

/* Writes the lists of the geometry that the shape's pieces hold. Writes nothing for NULL. */
static void put_kept(struct proto_buffer *out, const gjk_shape *shape) {
    gjk_member_value values[GJK_MEMBERS_MAX];

    memset(values, 0, sizeof values);
    if (shape == NULL || shape->pieces == NULL) {
        return;
    }
    gjk_geometry_view(shape, values);
    const gjk_member *members = gjk_kinds[shape->type].members;
    for (size_t i = 0; members[i].name != NULL; i++) {
        const gjk_member_form form = members[i].form;
        if (!gjk_member_is_kept(&members[i]) || !gjk_member_is_there(&members[i], &values[i])) {
            continue;
        }
        if (form == GJK_MEMBER_RINGS || form == GJK_MEMBER_FLAT_RINGS) {
            proto_put_open(out, members[i].name, "[");
            put_rings(out, &values[i].rings);
            proto_put_text(out, "]");
        } else {
            proto_put_key(out, members[i].name);
            proto_put_json(out, list_of(form, &values[i]));
        }
    }
}

bool proto_encode_pieces(struct proto_buffer *out, const gjk_shape *shape) {
    const gjk_placed whole = {shape, gjk_pose_identity()};
    gjk_piece piece;

    if (shape->pieces == NULL || shape->type == GJK_COMPOUND) {
        return false;
    }
    proto_put_text(out, "{\"pieces\":[");
    for (uint32_t i = 0; i < gjk_pieces_count(shape->pieces) && !out->failed; i++) {
        proto_put_item(out);
        if (!gjk_piece_exists(shape->pieces, i)) {
            proto_put_text(out, "null");
            continue;
        }
        gjk_piece_make(&whole, i, &piece);
        proto_put_text(out, "[");
        for (uint32_t k = 0; k < piece.placed.shape->count; k++) {
            proto_put_item(out);
            proto_put_vector(out, shape->dimension, gjk_shape_point(piece.placed.shape, k));
        }
        proto_put_text(out, "]");
    }
    proto_put_text(out, "]}");
    return true;
}

/* --- Ticks and summaries --- */

/* Only sets of a cluster can have a gap. */
void proto_encode_ticks(struct proto_buffer *out, const proto_ticks *ticks) {
    proto_put_text(out, "{");
    proto_put_integer_if(out, "oldest", ticks->count > 0, ticks->oldest);
    proto_put_integer_if(out, "newest", ticks->count > 0, ticks->newest);
    proto_put_named_integer(out, "count", ticks->count);
    proto_put_flag(out, "pose_gap", ticks->pose_gap);
    proto_put_text(out, "}");
}

/* Writes the members with which a summary and a whole set begin. */
static void put_head(struct proto_buffer *out, const proto_summary *summary) {
    proto_put_named_text(out, "name", summary->name);
    proto_put_named_integer(out, "dimension", summary->dimension);
    proto_put_named_integer(out, "revision", summary->revision);
    proto_put_integer_if(out, "tick", summary->ticks.count > 0, summary->ticks.newest);
}

static void put_named_ticks(struct proto_buffer *out, const proto_ticks *ticks) {
    if (ticks->count > 0) {
        proto_put_key(out, "ticks");
        proto_encode_ticks(out, ticks);
    } else {
        proto_put_named_text(out, "ticks", NULL);
    }
}

static void put_summary(struct proto_buffer *out, const proto_summary *summary) {
    put_head(out, summary);
    proto_put_named_integer(out, "shapes", summary->shapes);
    put_named_ticks(out, &summary->ticks);
    proto_put_named_integer(out, "bytes", summary->bytes);
}

void proto_encode_summary(struct proto_buffer *out, const proto_summary *summary) {
    proto_put_text(out, "{");
    put_summary(out, summary);
    proto_put_text(out, "}");
}

void proto_encode_tick_batch_begin(struct proto_buffer *out, const proto_summary *summary) {
    proto_put_text(out, "{");
    put_summary(out, summary);
    proto_put_open(out, "results", "[");
}

void proto_encode_handles_begin(struct proto_buffer *out, const proto_summary *summary) {
    proto_put_text(out, "{");
    put_summary(out, summary);
    proto_put_open(out, "handles", "{");
}

void proto_encode_handle(struct proto_buffer *out, const gjk_body *body) {
    proto_put_named_integer(out, body->id, body->handle);
}

void proto_encode_pose_summary(struct proto_buffer *out, const proto_summary *summary,
                               const uint32_t *unknown, uint32_t count) {
    proto_put_text(out, "{");
    put_summary(out, summary);
    proto_put_open(out, "unknown", "[");
    for (uint32_t i = 0; i < count; i++) {
        proto_put_item(out);
        proto_put_integer(out, unknown[i]);
    }
    proto_put_text(out, "]}");
}

void proto_encode_set_list(struct proto_buffer *out, const proto_summary *summaries, size_t count,
                           const char *next) {
    proto_put_text(out, "{\"sets\":[");
    for (size_t i = 0; i < count && !out->failed; i++) {
        proto_put_item(out);
        proto_encode_summary(out, &summaries[i]);
    }
    proto_put_text(out, "]");
    proto_put_named_text(out, "next", next);
    proto_put_text(out, "}");
}

void proto_encode_set_begin(struct proto_buffer *out, const proto_set_head *head) {
    proto_put_text(out, "{");
    put_head(out, &head->summary);
    put_named_ticks(out, &head->summary.ticks);
    if (head->has_history) {
        proto_put_open(out, "history", "{");
        proto_put_named_integer(out, "ticks", head->history_ticks);
        proto_put_text(out, "}");
    }
    if (head->meta.data != NULL) {
        proto_put_named_json(out, "meta", head->meta);
    }
    proto_put_open(out, "shapes", "{");
}

static void put_turn(struct proto_buffer *out, uint32_t dimension, const gjk_rotation *turn) {
    const double q[] = {turn->orientation.x, turn->orientation.y, turn->orientation.z,
                        turn->orientation.w};

    if (dimension == 2) {
        proto_put_named_number(out, "angle", turn->angle);
        return;
    }
    proto_put_open(out, "orientation", "[");
    for (size_t i = 0; i < 4; i++) {
        proto_put_item(out);
        proto_put_number(out, q[i]);
    }
    proto_put_text(out, "]");
}

static void put_position(struct proto_buffer *out, uint32_t dimension, gjk_vec3 position) {
    proto_put_key(out, "position");
    proto_put_vector(out, dimension, position);
}

/* Returns the definition of a shape without its closing brace. */
static proto_text open_definition(const proto_stored *shape) {
    proto_text definition = shape->definition;

    GJK_ASSERT(definition.length > 2 && definition.data[definition.length - 1] == '}');
    return (proto_text){definition.data, definition.length - 1};
}

/* Writes the members after the definition: lists that the shape's pieces hold, place and handle.
 * Leaves the object open for read-only members. */
static void put_stored_place(struct proto_buffer *out, uint32_t dimension,
                             const proto_stored *shape, uint32_t handle) {
    put_kept(out, shape->shape);
    if (shape->place.has_position) {
        put_position(out, dimension, shape->place.pose.position);
    }
    if (shape->place.has_rotation) {
        put_turn(out, dimension, &shape->place.pose.turn);
    }
    proto_put_named_integer(out, "handle", handle);
}

static void put_shape(struct proto_buffer *out, uint32_t dimension, const proto_stored *shape,
                      uint32_t handle) {
    const proto_text definition = open_definition(shape);
    proto_put_bytes(out, definition.data, definition.length);
    put_stored_place(out, dimension, shape, handle);
}

proto_text proto_encode_set_shape_parts(struct proto_buffer *before, struct proto_buffer *after,
                                        const char *id, bool is_first, uint32_t dimension,
                                        const proto_stored *shape, uint32_t handle) {
    proto_text definition = open_definition(shape);
    proto_put_text(before, is_first ? "" : ",");
    proto_put_string(before, id, strlen(id));
    proto_put_text(before, ":");
    definition.length--; /* its last byte goes to `after`, so that proto_put_key adds a comma */
    proto_put_bytes(after, definition.data + definition.length, 1);
    put_stored_place(after, dimension, shape, handle);
    proto_put_text(after, "}");
    return definition;
}

void proto_encode_set_shape(struct proto_buffer *out, const char *id, uint32_t dimension,
                            const proto_stored *shape, uint32_t handle) {
    proto_put_key(out, id);
    put_shape(out, dimension, shape, handle);
    proto_put_text(out, "}");
}

void proto_encode_shape(struct proto_buffer *out, uint32_t dimension, const proto_stored *shape,
                        uint32_t handle, uint64_t revision) {
    put_shape(out, dimension, shape, handle);
    proto_put_named_integer(out, "revision", revision);
    proto_put_text(out, "}");
}

void proto_encode_definition(struct proto_buffer *out, const proto_stored *shape) {
    const proto_text definition = open_definition(shape);
    proto_put_bytes(out, definition.data, definition.length);
    put_kept(out, shape->shape);
    proto_put_text(out, "}");
}

void proto_encode_stored(struct proto_buffer *out, const gjk_body *body, uint64_t revision) {
    const struct gjk_pieces *pieces = body->placed.shape->pieces;

    proto_put_text(out, "{");
    proto_put_named_text(out, "id", body->id);
    proto_put_named_integer(out, "handle", body->handle);
    proto_put_named_integer(out, "revision", revision);
    proto_put_named_integer(out, "pieces", pieces != NULL ? gjk_pieces_count(pieces) : 1);
    proto_put_text(out, "}");
}

void proto_encode_shapes_end(struct proto_buffer *out) {
    proto_put_text(out, "}}");
}

void proto_encode_poses_begin(struct proto_buffer *out, double tick, bool pose_gap) {
    proto_put_text(out, "{");
    proto_put_named_number(out, "tick", tick);
    proto_put_flag(out, "pose_gap", pose_gap);
    proto_put_open(out, "shapes", "{");
}

void proto_encode_pose(struct proto_buffer *out, const char *id, uint32_t dimension,
                       const gjk_pose *pose) {
    proto_put_key(out, id);
    proto_put_text(out, "{");
    put_position(out, dimension, pose->position);
    put_turn(out, dimension, &pose->turn);
    proto_put_text(out, "}");
}

/* --- Events, each a JSON object on one line --- */

static void begin_event(struct proto_buffer *out, const proto_event *event) {
    proto_put_text(out, "{");
    proto_put_named_text(out, "kind", event->kind);
    proto_put_named_integer(out, "revision", event->revision);
    proto_put_integer_if(out, "tick", event->ticks.count > 0, event->ticks.newest);
}

void proto_encode_event(struct proto_buffer *out, const proto_event *event) {
    begin_event(out, event);
    proto_put_text(out, "}");
}

void proto_encode_change_begin(struct proto_buffer *out, const proto_change_head *head) {
    begin_event(out, &head->event);
    put_named_ticks(out, &head->event.ticks);
    if (head->tells_history && head->has_history) {
        proto_put_open(out, "history", "{");
        proto_put_named_integer(out, "ticks", head->history_ticks);
        proto_put_text(out, "}");
    } else if (head->tells_history) {
        proto_put_named_text(out, "history", NULL);
    }
    if (head->tells_meta) {
        proto_put_named_json(out, "meta", head->meta);
    }
    proto_put_open(out, "shapes", "{");
}

void proto_encode_gone(struct proto_buffer *out, const char *id) {
    proto_put_named_text(out, id, NULL);
}

/* Writes a list of pairs, perhaps cut. Returns the number of pairs written. */
static uint32_t put_pairs(struct proto_buffer *out, const char *key,
                          const gjk_overlap_pairs *pairs) {
    uint32_t i = 0;
    proto_put_open(out, key, "[");
    for (; i < pairs->count && proto_list_goes_on(out); i++) {
        const gjk_overlap_pair *pair = &pairs->items[i];
        proto_put_item(out);
        proto_put_text(out, "[");
        proto_put_string(out, pair->a->id, strlen(pair->a->id));
        proto_put_text(out, ",");
        proto_put_string(out, pair->b->id, strlen(pair->b->id));
        proto_put_text(out, "]");
    }
    proto_put_text(out, "]");
    return i;
}

void proto_encode_overlap_changes(struct proto_buffer *out, const gjk_overlap_changes *changes,
                                  bool truncated) {
    proto_put_text(out, "{");
    const uint32_t begun = put_pairs(out, "begin", &changes->begin);
    const uint32_t ended = put_pairs(out, "end", &changes->end);
    proto_put_flag(out, "truncated",
                   truncated || begun < changes->begin.count || ended < changes->end.count);
    proto_put_text(out, "}");
}

void proto_encode_overlap(struct proto_buffer *out, const proto_overlap *overlap) {
    begin_event(out, &overlap->event);
    proto_put_flag(out, "all", overlap->is_all);
    (void)put_pairs(out, "begin", &overlap->changes.begin);
    (void)put_pairs(out, "end", &overlap->changes.end);
    proto_put_text(out, "}");
}
