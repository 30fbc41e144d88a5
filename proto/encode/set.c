/*
 * Encodes what GET answers about sets: a summary, a page of summaries, a whole set in the form that
 * PUT takes with read-only members added, one shape, or the poses at a tick. A shape is written as
 * its stored definition and the lists that its pieces keep, its place as the numbers that were given.
 */

#include <string.h>

#include "encode/encode.h"
#include "gjk/pieces.h"

static void put_integer(struct proto_buffer *out, const char *key, uint64_t value) {
    proto_put_key(out, key);
    proto_put_integer(out, value);
}

static void put_null(struct proto_buffer *out, const char *key) {
    proto_put_key(out, key);
    proto_put_text(out, "null");
}

static void put_name(struct proto_buffer *out, const proto_summary *summary) {
    proto_put_key(out, "name");
    proto_put_string(out, summary->name, strlen(summary->name));
    put_integer(out, "dimension", summary->dimension);
    put_integer(out, "revision", summary->revision);
}

/* Told only where there is one, which no set of a single daemon has. */
static void put_gap_if(struct proto_buffer *out, bool pose_gap) {
    if (pose_gap) {
        proto_put_key(out, "pose_gap");
        proto_put_text(out, "true");
    }
}

static void put_ticks(struct proto_buffer *out, const proto_ticks *ticks) {
    proto_put_text(out, "{");
    if (ticks->count > 0) {
        put_integer(out, "oldest", ticks->oldest);
        put_integer(out, "newest", ticks->newest);
    } else {
        put_null(out, "oldest");
        put_null(out, "newest");
    }
    put_integer(out, "count", ticks->count);
    put_gap_if(out, ticks->pose_gap);
    proto_put_text(out, "}");
}

void proto_put_tick(struct proto_buffer *out, const proto_ticks *ticks) {
    if (ticks->count > 0) {
        put_integer(out, "tick", ticks->newest);
    } else {
        put_null(out, "tick");
    }
}

void proto_put_ticks(struct proto_buffer *out, const proto_ticks *ticks) {
    if (ticks->count > 0) {
        proto_put_key(out, "ticks");
        put_ticks(out, ticks);
    } else {
        put_null(out, "ticks");
    }
}

void proto_put_summary(struct proto_buffer *out, const proto_summary *summary) {
    put_name(out, summary);
    proto_put_tick(out, &summary->ticks);
    put_integer(out, "shapes", summary->shapes);
    proto_put_ticks(out, &summary->ticks);
    put_integer(out, "bytes", summary->bytes);
}

void proto_encode_summary(struct proto_buffer *out, const proto_summary *summary) {
    proto_put_text(out, "{");
    proto_put_summary(out, summary);
    proto_put_text(out, "}");
}

void proto_encode_handles_begin(struct proto_buffer *out, const proto_summary *summary) {
    proto_put_text(out, "{");
    proto_put_summary(out, summary);
    proto_put_key(out, "handles");
    proto_put_text(out, "{");
}

void proto_encode_handle(struct proto_buffer *out, const gjk_body *body) {
    put_integer(out, body->id, body->handle);
}

void proto_encode_handles_end(struct proto_buffer *out) {
    proto_put_text(out, "}}");
}

void proto_encode_pose_summary_begin(struct proto_buffer *out, const proto_summary *summary) {
    proto_put_text(out, "{");
    proto_put_summary(out, summary);
    proto_put_key(out, "unknown");
    proto_put_text(out, "[");
}

void proto_encode_unknown_row(struct proto_buffer *out, uint32_t row) {
    proto_put_item(out);
    proto_put_integer(out, row);
}

void proto_encode_pose_summary_end(struct proto_buffer *out) {
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
    proto_put_key(out, "next");
    proto_put_string_or_null(out, next);
    proto_put_text(out, "}");
}

void proto_encode_set_begin(struct proto_buffer *out, const proto_set_head *head) {
    proto_put_text(out, "{");
    put_name(out, &head->summary);
    proto_put_tick(out, &head->summary.ticks);
    proto_put_ticks(out, &head->summary.ticks);
    if (head->has_history) {
        proto_put_key(out, "history");
        proto_put_text(out, "{");
        put_integer(out, "ticks", head->history_ticks);
        proto_put_text(out, "}");
    }
    if (head->meta.data != NULL) {
        proto_put_key(out, "meta");
        proto_put_bytes(out, head->meta.data, head->meta.length);
    }
    proto_put_key(out, "shapes");
    proto_put_text(out, "{");
}

static void put_turn(struct proto_buffer *out, uint32_t dimension, const gjk_rotation *turn) {
    const double q[] = {turn->orientation.x, turn->orientation.y, turn->orientation.z,
                        turn->orientation.w};

    if (dimension == 2) {
        proto_put_key(out, "angle");
        proto_put_number(out, turn->angle);
        return;
    }
    proto_put_key(out, "orientation");
    proto_put_text(out, "[");
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

/* A definition without its closing brace. */
static proto_text open_definition(const proto_stored *shape) {
    proto_text definition = shape->definition;

    GJK_ASSERT(definition.length > 2 && definition.data[definition.length - 1] == '}');
    return (proto_text){definition.data, definition.length - 1};
}

/* Writes what follows the definition (the lists that a shape of many pieces keeps, and the place) and
 * leaves the object open for read-only members. */
static void put_stored_place(struct proto_buffer *out, uint32_t dimension,
                             const proto_stored *shape, uint32_t handle) {
    proto_put_kept(out, shape->shape);
    if (shape->place.has_position) {
        put_position(out, dimension, shape->place.pose.position);
    }
    if (shape->place.has_rotation) {
        put_turn(out, dimension, &shape->place.turn);
    }
    put_integer(out, "handle", handle);
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
    definition.length--; /* its last byte tells `after` that a comma is due */
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
    put_integer(out, "revision", revision);
    proto_put_text(out, "}");
}

void proto_encode_definition(struct proto_buffer *out, const proto_stored *shape) {
    const proto_text definition = open_definition(shape);
    proto_put_bytes(out, definition.data, definition.length);
    proto_put_kept(out, shape->shape);
    proto_put_text(out, "}");
}

void proto_encode_stored(struct proto_buffer *out, const gjk_body *body, uint64_t revision) {
    const struct gjk_pieces *pieces = body->placed.shape->pieces;

    proto_put_text(out, "{");
    proto_put_key(out, "id");
    proto_put_string_or_null(out, body->id);
    put_integer(out, "handle", body->handle);
    put_integer(out, "revision", revision);
    put_integer(out, "pieces", pieces != NULL ? gjk_pieces_count(pieces) : 1);
    proto_put_text(out, "}");
}

void proto_encode_set_end(struct proto_buffer *out) {
    proto_put_text(out, "}}");
}

void proto_encode_ticks(struct proto_buffer *out, const proto_ticks *ticks) {
    put_ticks(out, ticks);
}

void proto_encode_poses_begin(struct proto_buffer *out, double tick, bool pose_gap) {
    proto_put_text(out, "{");
    proto_put_key(out, "tick");
    proto_put_number(out, tick);
    put_gap_if(out, pose_gap);
    proto_put_key(out, "shapes");
    proto_put_text(out, "{");
}

void proto_encode_pose(struct proto_buffer *out, const char *id, uint32_t dimension,
                       gjk_vec3 position, const gjk_rotation *turn) {
    proto_put_key(out, id);
    proto_put_text(out, "{");
    put_position(out, dimension, position);
    put_turn(out, dimension, turn);
    proto_put_text(out, "}");
}

void proto_encode_poses_end(struct proto_buffer *out) {
    proto_put_text(out, "}}");
}
