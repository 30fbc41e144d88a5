/*
 * Checks that column messages of all kinds share: their columns agree in length, their numbers are
 * judged as in JSON, and poses are made of positions and rotations. protobuf-c allocates from the
 * arena instead of by malloc.
 */

#include "columns/columns.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "text/text.h"

static uint64_t length_of(const struct proto_message *message, const char *name) {
    const ProtobufCFieldDescriptor *field =
        protobuf_c_message_descriptor_get_field_by_name(message->descriptor, name);
    return message->lengths[field->id];
}

static bool refuse_length(struct proto_message *message, const char *name, uint64_t wanted) {
    char pointer[64];
    uint64_t found = length_of(message, name);

    snprintf(pointer, sizeof pointer, "/%s", name);
    if (found == 0) {
        proto_problem_set(message->problem, PROTO_MISSING_MEMBER,
                          "%s is empty, but there are %u rows", name, message->count);
    } else {
        proto_problem_set(message->problem, PROTO_WRONG_TYPE,
                          "%s holds %llu numbers; %u rows need %llu", name,
                          (unsigned long long)found, message->count, (unsigned long long)wanted);
    }
    return proto_problem_point(message->problem, pointer);
}

static bool refuse_many(struct proto_message *message, const char *name, const char *what,
                        uint64_t found, uint64_t max) {
    char pointer[64];

    snprintf(pointer, sizeof pointer, "/%s", name);
    proto_problem_set(message->problem, PROTO_TOO_MANY, "%llu %s, at most %llu are allowed",
                      (unsigned long long)found, what, (unsigned long long)max);
    proto_problem_point(message->problem, pointer);
    return proto_problem_limit(message->problem, max);
}

bool proto_column_rows(struct proto_message *message, const char *name, uint32_t width,
                       uint64_t rows_max) {
    uint64_t length = length_of(message, name);
    uint64_t rows = (length + width - 1) / width;
    uint64_t max = rows_max < UINT32_MAX / 4 ? rows_max : UINT32_MAX / 4;

    if (rows > max) {
        return refuse_many(message, name, "rows", rows, max);
    }
    message->count = (uint32_t)rows;
    return length == rows * width || refuse_length(message, name, rows * width);
}

bool proto_column_full(struct proto_message *message, const char *name, uint32_t width) {
    uint64_t wanted = (uint64_t)message->count * width;
    return length_of(message, name) == wanted || refuse_length(message, name, wanted);
}

bool proto_column_optional(struct proto_message *message, const char *name, uint32_t width) {
    return length_of(message, name) == 0 || proto_column_full(message, name, width);
}

bool proto_column_shared(struct proto_message *message, const char *name) {
    return length_of(message, name) <= 1 || proto_column_full(message, name, 1);
}

bool proto_column_most(struct proto_message *message, const char *name, uint64_t max) {
    uint64_t length = length_of(message, name);
    return length <= max || refuse_many(message, name, name, length, max);
}

/* --- Memory --- */

static void *allocate(void *arena, size_t size) {
    return gjk_arena_alloc(arena, size);
}

static void forget(void *arena, void *block) {
    (void)arena, (void)block; /* it goes with the arena */
}

ProtobufCMessage *proto_message_unpack(const struct proto_message *message, proto_text body) {
    ProtobufCAllocator allocator = {allocate, forget, message->arena};
    ProtobufCMessage *unpacked = protobuf_c_message_unpack(message->descriptor, &allocator,
                                                           body.length, (const uint8_t *)body.data);
    /* The message has passed the scan, so only a lack of memory can make this fail. */
    if (unpacked == NULL) {
        proto_refuse_columns_memory(message->problem);
    }
    return unpacked;
}

bool proto_refuse_columns_memory(struct proto_problem *problem) {
    return proto_problem_set(problem, PROTO_OUT_OF_MEMORY,
                             "the request needs more memory than there is");
}

bool proto_refuse_member(struct proto_problem *problem, const char *pointer, proto_code code,
                         const char *detail) {
    proto_problem_set(problem, code, "%s", detail);
    return proto_problem_point(problem, pointer);
}

bool proto_refuse_columns_status(struct proto_problem *problem, gjk_status status) {
    return status == GJK_GIVEN_UP ? proto_problem_set(problem, PROTO_DEADLINE_EXCEEDED,
                                                      "time was up before all of it was read")
                                  : proto_refuse_columns_memory(problem);
}

void proto_put_uints(struct proto_buffer *out, const char *name, const uint32_t *values,
                     uint32_t count) {
    if (values == NULL) {
        return;
    }
    proto_put_key(out, name);
    proto_put_text(out, "[");
    for (uint32_t i = 0; i < count && !out->failed; i++) {
        proto_put_item(out);
        proto_put_integer(out, values[i]);
    }
    proto_put_text(out, "]");
}

void proto_put_doubles(struct proto_buffer *out, const char *name, const unsigned char *values,
                       uint32_t count) {
    proto_put_key(out, name);
    proto_put_text(out, "[");
    for (uint32_t i = 0; i < count && !out->failed; i++) {
        double value;
        memcpy(&value, values + (size_t)i * sizeof value, sizeof value);
        proto_put_item(out);
        if (isfinite(value)) {
            proto_put_number(out, value);
        } else {
            proto_put_text(out, "null"); /* inside a closed mesh: there is no such number */
        }
    }
    proto_put_text(out, "]");
}

void proto_put_doubles_if(struct proto_buffer *out, const char *name, const double *values,
                          uint32_t count) {
    if (values != NULL) {
        proto_put_doubles(out, name, (const unsigned char *)values, count);
    }
}

const uint32_t *proto_pieces_if_any(const uint32_t *pieces, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (pieces[i] != GJK_NO_PIECE) {
            return pieces;
        }
    }
    return NULL;
}

/* --- Values --- */

bool proto_refuse_row(struct proto_problem *problem, const char *column, uint32_t row,
                      proto_code code, const char *format, ...) {
    char pointer[64], detail[PROTO_DETAIL_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    snprintf(pointer, sizeof pointer, "/%s/%u", column, row);
    proto_problem_set(problem, code, "%s", detail);
    return proto_problem_point(problem, pointer);
}

static bool refuse_value(struct proto_problem *problem, const char *name, uint32_t row,
                         double value, proto_column_range range) {
    char text[PROTO_NUMBER_MAX], min[PROTO_NUMBER_MAX], max[PROTO_NUMBER_MAX];

    if (!isfinite(value)) {
        return proto_refuse_row(problem, name, row, PROTO_NOT_FINITE, "a number is not finite");
    }
    proto_number_text(value, text);
    proto_number_text(range.min, min);
    if (isinf(range.max)) {
        return proto_refuse_row(problem, name, row, PROTO_OUT_OF_RANGE,
                                "must be at least %s, found %s", min, text);
    }
    proto_number_text(range.max, max);
    return proto_refuse_row(problem, name, row, PROTO_OUT_OF_RANGE,
                            "must be at least %s and at most %s, found %s", min, max, text);
}

bool proto_check_column(struct proto_problem *problem, const char *name, const double *values,
                        size_t length, uint32_t width, proto_column_range range) {
    for (size_t i = 0; i < length; i++) {
        bool is_fine = values[i] >= range.min && values[i] <= range.max && isfinite(values[i]);
        if (!is_fine) {
            return refuse_value(problem, name, (uint32_t)(i / width), values[i], range);
        }
    }
    return true;
}

static gjk_status make_pose(uint32_t dimension, gjk_vec3 position, const gjk_rotation *turn,
                            gjk_pose *out) {
    return dimension == 2 ? gjk_pose_make2(gjk_xy(position), turn->angle, out)
                          : gjk_pose_make3(position, turn->orientation, out);
}

static gjk_rotation read_turn(const double *rotation, uint32_t dimension, uint32_t i) {
    gjk_rotation turn = {0};
    const double *at = rotation != NULL ? rotation + (size_t)i * (dimension == 2 ? 1 : 4) : NULL;

    if (dimension == 2) {
        turn.angle = at != NULL ? at[0] : 0.0;
    } else {
        turn.orientation =
            at != NULL ? (gjk_quat){at[0], at[1], at[2], at[3]} : (gjk_quat){0.0, 0.0, 0.0, 1.0};
    }
    return turn;
}

bool proto_make_poses(const struct proto_message *message, const proto_pose_rows *rows,
                      gjk_pose *poses, gjk_rotation *turns) {
    static const proto_column_range coordinate = {-GJK_COORDINATE_MAX, GJK_COORDINATE_MAX};
    static const proto_column_range any = {-INFINITY, INFINITY};
    uint32_t dimension = message->dimension, width = dimension == 2 ? 1 : 4;
    size_t count = message->count;

    if ((rows->position != NULL &&
         !proto_check_column(message->problem, rows->position_name, rows->position,
                             count * dimension, dimension, coordinate)) ||
        (rows->rotation != NULL &&
         !proto_check_column(message->problem, rows->rotation_name, rows->rotation, count * width,
                             width, any))) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        gjk_vec3 position = rows->position != NULL ? proto_row_vector(rows->position, dimension, i)
                                                   : gjk_vec3_make(0.0, 0.0, 0.0);
        gjk_rotation turn = read_turn(rows->rotation, dimension, i);
        gjk_status status = make_pose(dimension, position, &turn, &poses[i]);
        if (status != GJK_OK) {
            return proto_refuse_row(message->problem, rows->rotation_name, i, PROTO_BAD_ORIENTATION,
                                    "%s", gjk_status_text(status));
        }
        if (turns != NULL) {
            turns[i] = turn;
        }
    }
    return true;
}

bool proto_make_pose_column(const struct proto_message *message, const proto_pose_rows *rows,
                            proto_pose_column *out) {
    out->has_position = rows->position != NULL;
    out->has_rotation = rows->rotation != NULL;
    out->poses = NULL;
    if (!out->has_position && !out->has_rotation) {
        return true;
    }
    gjk_pose *poses = gjk_arena_alloc_array(message->arena, message->count, sizeof *poses);
    out->poses = poses;
    return poses != NULL ? proto_make_poses(message, rows, poses, NULL)
                         : proto_refuse_columns_memory(message->problem);
}
