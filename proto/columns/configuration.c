/* Rows of configurations as columns: decodes ConfigurationColumns, encodes ConfigurationAnswers. */

#include "proto/configurations.h"

#include <math.h>

#include "columns/columns.h"

/* Most numbers of one column: their memory follows. */
#define POSES_MAX ((uint64_t)1 << 24)

/* How many rows there are, by the positions. */
static bool count_rows(struct proto_message *message, const Gjkd__V1__ConfigurationColumns *columns,
                       proto_configurations *out) {
    const uint64_t shapes = columns->n_shape, width = message->dimension;
    const uint64_t turn = message->dimension == 2 ? 1 : 4;
    struct proto_problem *problem = message->problem;
    if (shapes == 0) {
        return proto_refuse_member(problem, "/shape", PROTO_MISSING_MEMBER,
                                   "there has to be a shape");
    }
    const uint64_t rows = columns->n_position / (shapes * width);
    if (rows == 0) {
        return proto_refuse_member(problem, "/position", PROTO_MISSING_MEMBER,
                                   "there has to be a row");
    }
    if (rows > PROTO_CONFIGURATIONS_MAX) {
        proto_refuse_member(problem, "/position", PROTO_TOO_MANY, "there are too many rows");
        return proto_problem_limit(problem, PROTO_CONFIGURATIONS_MAX);
    }
    if (columns->n_position != rows * shapes * width || rows * shapes > POSES_MAX) {
        return proto_refuse_member(
            problem, "/position", PROTO_WRONG_TYPE,
            "its length is no whole number of rows, a position for each shape");
    }
    if (columns->n_rotation != 0 && columns->n_rotation != rows * shapes * turn) {
        return proto_refuse_member(problem, "/rotation", PROTO_WRONG_TYPE,
                                   "it needs as many rotations as there are positions, or none");
    }
    if (columns->n_allowed % 2 != 0) {
        return proto_refuse_member(problem, "/allowed", PROTO_WRONG_TYPE, "handles come in pairs");
    }
    if (columns->n_threshold > 1) {
        return proto_refuse_member(problem, "/threshold", PROTO_WRONG_TYPE,
                                   "there is one, or none");
    }
    out->count = (uint32_t)rows;
    out->shape_count = (uint32_t)shapes;
    message->count = (uint32_t)(rows * shapes);
    return true;
}

bool proto_decode_configuration_columns(proto_text body, uint32_t set_dimension,
                                        const proto_limits *limits, struct gjk_arena *arena,
                                        proto_configurations *out, struct proto_problem *problem) {
    static const proto_column_range reach = {0.0, INFINITY};
    struct proto_message message =
        {&gjkd__v1__configuration_columns__descriptor, arena, problem, {0}, 0, 0, 0};

    (void)limits;
    if (!proto_message_scan(&message, body, set_dimension)) {
        return false;
    }
    const Gjkd__V1__ConfigurationColumns *columns =
        (const Gjkd__V1__ConfigurationColumns *)proto_message_unpack(&message, body);
    *out = (proto_configurations){.dimension = message.dimension};
    if (columns == NULL || !count_rows(&message, columns, out) ||
        !proto_check_column(problem, "threshold", columns->threshold, columns->n_threshold, 1,
                            reach)) {
        return false;
    }
    const bool turns = columns->n_rotation > 0;
    const proto_pose_rows rows = {"position", "rotation", columns->position,
                                  turns ? columns->rotation : NULL};
    gjk_pose *poses = gjk_arena_alloc_array(arena, message.count, sizeof *poses);
    if (poses == NULL) {
        return proto_refuse_columns_memory(problem);
    }
    out->handles = columns->shape;
    out->poses = poses;
    out->given_all = (uint8_t)(PROTO_GIVEN_POSITION | (turns ? PROTO_GIVEN_ROTATION : 0));
    out->allowed_handles = columns->allowed;
    out->allowed_count = (uint32_t)(columns->n_allowed / 2);
    out->self = columns->self;
    out->distance = columns->distance;
    out->continuous = columns->continuous;
    out->threshold = columns->n_threshold > 0 ? columns->threshold[0] : INFINITY;
    out->filter = gjk_filter_default();
    out->filter.mask = proto_bits_or_all(columns->mask);
    out->filter.category = proto_bits_or_all(columns->category);
    out->options = (proto_options){GJK_TOLERANCE_DEFAULT, GJK_ITERATIONS_DEFAULT};
    return proto_make_poses(&message, &rows, poses, NULL);
}

/* --- Answers: protobuf's wire format, field by field --- */

static void put_varint(struct proto_buffer *out, uint64_t value) {
    char bytes[10];
    size_t length = 0;
    for (; value > 0x7f; value >>= 7) {
        bytes[length++] = (char)(uint8_t)(value | 0x80);
    }
    bytes[length++] = (char)(uint8_t)value;
    proto_put_bytes(out, bytes, length);
}

static void put_head(struct proto_buffer *out, uint32_t field, uint64_t bytes) {
    put_varint(out, (uint64_t)field << 3 | PROTO_WIRE_BYTES);
    put_varint(out, bytes);
}

static void put_double(struct proto_buffer *out, double value) {
    char bytes[sizeof value];
    memcpy(bytes, &value, sizeof value);
    proto_put_bytes(out, bytes, sizeof bytes);
}

static void put_vector(struct proto_buffer *out, uint32_t dimension, bool exists, gjk_vec3 v) {
    put_double(out, exists ? v.x : 0.0);
    put_double(out, exists ? v.y : 0.0);
    if (dimension == 3) {
        put_double(out, exists ? v.z : 0.0);
    }
}

static uint32_t varint_bytes(uint32_t value) {
    uint32_t bytes = 1;
    for (; value > 0x7f; value >>= 7) {
        bytes++;
    }
    return bytes;
}

static uint32_t handle_of(const gjk_body *body) {
    return body != NULL ? body->handle : UINT32_MAX;
}

static void put_pairs(struct proto_buffer *out, const gjk_configuration *answers, uint32_t count) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        bytes += varint_bytes(handle_of(answers[i].a)) + varint_bytes(handle_of(answers[i].b));
    }
    put_head(out, 3, bytes);
    for (uint32_t i = 0; i < count; i++) {
        put_varint(out, handle_of(answers[i].a));
        put_varint(out, handle_of(answers[i].b));
    }
}

static double distance_of(const gjk_configuration *answer) {
    return answer->a != NULL ? answer->result.signed_distance : INFINITY;
}

static double lower_bound_of(const gjk_configuration *answer) {
    return answer->a == NULL       ? INFINITY
           : answer->result.inside ? -INFINITY
                                   : answer->result.lower_bound;
}

static void put_distances(struct proto_buffer *out, const proto_configurations *asked,
                          const gjk_configuration *answers) {
    const uint64_t bytes = (uint64_t)asked->count * sizeof(double);
    put_head(out, 4, bytes);
    for (uint32_t i = 0; i < asked->count; i++) {
        put_double(out, distance_of(&answers[i]));
    }
    put_head(out, 5, bytes);
    for (uint32_t i = 0; i < asked->count; i++) {
        put_double(out, lower_bound_of(&answers[i]));
    }
    for (uint32_t field = 6; field <= 8; field++) {
        put_head(out, field, bytes * asked->dimension);
        for (uint32_t i = 0; i < asked->count; i++) {
            const gjk_distance_result *r = &answers[i].result;
            const bool exists = answers[i].a != NULL && r->has_points;
            put_vector(out, asked->dimension, exists,
                       field == 6   ? r->normal
                       : field == 7 ? r->point_a
                                    : r->point_b);
        }
    }
}

void proto_encode_configuration_columns(struct proto_buffer *out, const proto_configurations *asked,
                                        const gjk_configuration *answers, uint64_t revision) {
    put_varint(out, 1 << 3 | PROTO_WIRE_VARINT);
    put_varint(out, revision);
    put_head(out, 2, asked->count);
    for (uint32_t i = 0; i < asked->count; i++) {
        put_varint(out, answers[i].colliding);
    }
    put_pairs(out, answers, asked->count);
    if (asked->distance) {
        put_distances(out, asked, answers);
    }
    if (asked->continuous) {
        put_head(out, 9, (uint64_t)asked->count * sizeof(double));
        for (uint32_t i = 0; i < asked->count; i++) {
            put_double(out, answers[i].fraction);
        }
    }
}
