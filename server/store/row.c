/* Definitions are decoded like requests, so that they mean the same as when they were written. */

#include "store/row.h"

#include "util/hash.h"

#include <string.h>

enum {
    HAS_POSITION = 1,
    HAS_ROTATION = 2,
    HAS_ORIGIN = 4,
    HAS_TICK = 8,
    FORMAT_JSON = 1,
    SUM_BYTES = 8
};

/* --- Places --- */

static void add(gjkd_place_row *out, const void *bytes, size_t count) {
    memcpy(out->bytes + out->length, bytes, count);
    out->length += count;
}

static void add_doubles(gjkd_place_row *out, const double *values, unsigned count) {
    add(out, values, count * sizeof *values);
}

void gjkd_place_encode(const gjk_body *body, uint32_t dimension, int64_t key, gjkd_origin origin,
                       gjkd_place_row *out) {
    const proto_place place = gjkd_stored_view(body).place;
    const gjk_vec3 p = place.pose.position;
    const gjk_quat q = place.pose.turn.orientation;
    const bool has_tick = origin.revision > 0 && origin.tick_end > 0;
    out->length = 1;
    out->bytes[0] =
        (unsigned char)((place.has_position ? HAS_POSITION : 0) |
                        (place.has_rotation ? HAS_ROTATION : 0) |
                        (origin.revision > 0 ? HAS_ORIGIN : 0) | (has_tick ? HAS_TICK : 0));
    if (place.has_position) {
        add_doubles(out, (const double[]){p.x, p.y, p.z}, dimension);
    }
    if (place.has_rotation && dimension == 2) {
        add_doubles(out, &place.pose.turn.angle, 1);
    } else if (place.has_rotation) {
        add_doubles(out, (const double[]){q.x, q.y, q.z, q.w}, 4);
    }
    if (origin.revision > 0) {
        add(out, &origin.revision, sizeof origin.revision);
        add(out, &origin.nonce, sizeof origin.nonce);
    }
    if (has_tick) {
        add(out, &origin.tick_end, sizeof origin.tick_end);
    }
    const uint64_t sum = gjkd_checksum(out->bytes, out->length, (uint64_t)key);
    add(out, &sum, sizeof sum);
}

/* Decodes the origin at the end of a place without checksum, and shortens the place by it. */
static void take_origin(const char *bytes, size_t *length, gjkd_origin *out) {
    const unsigned flags = (unsigned char)bytes[0];
    size_t size = (flags & HAS_ORIGIN ? sizeof out->revision + sizeof out->nonce : 0) +
                  (flags & HAS_TICK ? sizeof out->tick_end : 0);
    *out = (gjkd_origin){.revision = 0};
    if (*length < 1 + size) {
        return; /* too short; the caller's check of the length fails, too */
    }
    *length -= size;
    const char *at = bytes + *length;
    if (flags & HAS_ORIGIN) {
        memcpy(&out->revision, at, sizeof out->revision);
        memcpy(&out->nonce, at + sizeof out->revision, sizeof out->nonce);
    }
    if (flags & HAS_TICK) {
        memcpy(&out->tick_end, bytes + *length + size - sizeof out->tick_end, sizeof out->tick_end);
    }
}

static bool decode_place(const char *bytes, size_t length, uint32_t dimension, proto_place *out,
                         gjkd_origin *origin) {
    take_origin(bytes, &length, origin);
    const unsigned flags = (unsigned char)bytes[0], rotation = dimension == 2 ? 1 : 4;
    double p[3] = {0.0, 0.0, 0.0}, r[4] = {0.0, 0.0, 0.0, dimension == 2 ? 0.0 : 1.0};
    size_t position_bytes = flags & HAS_POSITION ? dimension * sizeof(double) : 0;
    size_t rotation_bytes = flags & HAS_ROTATION ? rotation * sizeof(double) : 0;
    if (length != 1 + position_bytes + rotation_bytes) {
        return false;
    }
    memcpy(p, bytes + 1, position_bytes);
    memcpy(r, bytes + 1 + position_bytes, rotation_bytes);
    out->has_position = position_bytes > 0;
    out->has_rotation = rotation_bytes > 0;
    if (dimension == 2) {
        return gjk_pose_make2((gjk_vec2){p[0], p[1]}, r[0], &out->pose) == GJK_OK;
    }
    const gjk_quat turn = {r[0], r[1], r[2], r[3]};
    return gjk_pose_make3((gjk_vec3){p[0], p[1], p[2]}, turn, &out->pose) == GJK_OK;
}

/* --- Shapes --- */

/* Returns the checksum of a shape's blob, which also covers the id. */
static uint64_t sum_of(const char *bytes, size_t length, int64_t key, const char *id) {
    return gjkd_checksum(bytes, length, gjkd_checksum(id, strlen(id), (uint64_t)key));
}

proto_text gjkd_shape_encode(const gjk_body *body, int64_t key, struct gjk_arena *arena) {
    const proto_stored stored = gjkd_stored_view(body);
    const char format = FORMAT_JSON;
    struct proto_buffer out;
    proto_buffer_init(&out, arena);
    proto_put_bytes(&out, &format, 1);
    proto_encode_definition(&out, &stored);
    const uint64_t sum = out.failed ? 0 : sum_of(out.data, out.length, key, body->id);
    proto_put_bytes(&out, (const char *)&sum, sizeof sum);
    return (proto_text){out.failed ? NULL : out.data, out.length};
}

/* --- Reading --- */

/* Removes the checksum from the end. Returns false if it is wrong, or the text is too short. */
static bool check_sum(proto_text *text, uint64_t (*sum)(const gjkd_row *row, proto_text text),
                      const gjkd_row *row) {
    uint64_t stored;
    if (text->length < 1 + SUM_BYTES) {
        return false;
    }
    text->length -= SUM_BYTES;
    memcpy(&stored, text->data + text->length, sizeof stored);
    return stored == sum(row, *text);
}

static uint64_t place_sum(const gjkd_row *row, proto_text text) {
    return gjkd_checksum(text.data, text.length, (uint64_t)row->key);
}

static uint64_t shape_sum(const gjkd_row *row, proto_text text) {
    return sum_of(text.data, text.length, row->key, row->id);
}

static bool refuse_row(const gjkd_row *row, const char *what, struct proto_problem *problem) {
    return proto_problem_set(problem, PROTO_INTERNAL, "%s of the shape \"%.128s\" is damaged", what,
                             row->id);
}

bool gjkd_row_decode_place(const gjkd_row *row, proto_place *out, gjkd_origin *origin,
                           struct proto_problem *problem) {
    proto_text place = row->place;
    return (check_sum(&place, place_sum, row) &&
            decode_place(place.data, place.length, row->dimension, out, origin)) ||
           refuse_row(row, "the place", problem);
}

bool gjkd_row_decode(const gjkd_row *row, const proto_limits *limits, struct gjk_arena *arena,
                     const gjk_body **out, struct proto_problem *problem) {
    proto_text place = row->place, text = row->shape;
    proto_shape shape;
    gjkd_origin origin;
    if (!check_sum(&place, place_sum, row) || !check_sum(&text, shape_sum, row)) {
        return refuse_row(row, "the row", problem);
    }
    if (text.data[0] != FORMAT_JSON) {
        return refuse_row(row, "the format", problem);
    }
    const proto_text definition = {text.data + 1, text.length - 1};
    if (!proto_decode_definition(definition, row->dimension, limits, arena, &shape, problem)) {
        return false;
    }
    if (!decode_place(place.data, place.length, row->dimension, &shape.place, &origin)) {
        return refuse_row(row, "the place", problem);
    }
    *out = gjkd_stored_new(row->id, &shape, (uint32_t)(row->key & UINT32_MAX), row->teleport);
    if (*out == NULL) {
        return proto_problem_set(problem, PROTO_OUT_OF_MEMORY, "no memory for the stored sets");
    }
    gjkd_stored_set_origin(*out, origin);
    return true;
}
