/* Rows of configurations as columns: decodes ConfigurationColumns, encodes ConfigurationAnswers. */

#include "proto/configurations.h"

#include <math.h>

#include "columns/columns.h"

/* Most numbers of one column: their memory follows. */
#define POSES_MAX ((uint64_t)1 << 24)

/* Counts the rows by the positions, and checks that the other columns are as long as they
 * demand. */
static bool check_lengths(struct proto_message *message) {
    const proto_table *table = message->table;
    struct proto_problem *problem = message->problem;
    const uint64_t shapes = message->lengths[proto_column_called(table, "shape")];
    const uint64_t positions = message->lengths[proto_column_called(table, "position")];

    if (shapes == 0) {
        return proto_refuse_row(problem, "shape", PROTO_NO_ROW, PROTO_MISSING_MEMBER,
                                "there has to be a shape");
    }
    if (positions < shapes * message->dimension) {
        return proto_refuse_row(problem, "position", PROTO_NO_ROW, PROTO_MISSING_MEMBER,
                                "there has to be a row, a position for each shape");
    }
    message->shapes = shapes <= POSES_MAX ? (uint32_t)shapes : 0;
    if (positions > POSES_MAX * message->dimension) {
        return proto_refuse_row(problem, "position", PROTO_NO_ROW, PROTO_WRONG_TYPE,
                                "there are too many positions");
    }
    if (message->lengths[proto_column_called(table, "allowed")] % 2 != 0) {
        return proto_refuse_row(problem, "allowed", PROTO_NO_ROW, PROTO_WRONG_TYPE,
                                "handles come in pairs");
    }
    if (message->lengths[proto_column_called(table, "threshold")] > 1) {
        return proto_refuse_row(problem, "threshold", PROTO_NO_ROW, PROTO_WRONG_TYPE,
                                "there is one, or none");
    }
    return proto_check_lengths(message, PROTO_CONFIGURATIONS_MAX);
}

bool proto_decode_configuration_columns(proto_text body, uint32_t set_dimension,
                                        const proto_limits *limits, struct gjk_arena *arena,
                                        proto_configurations *out, struct proto_problem *problem) {
    struct proto_message message = {.table = &proto_configuration_columns_table,
                                    .arena = arena,
                                    .problem = problem};
    const proto_source source = {body, set_dimension, limits, arena, problem};
    struct {
        PROTO_ROWS_OF(PROTO_CONFIGURATION_COLUMNS);
    } asked;

    if (!proto_message_scan(&message, body, set_dimension) || !check_lengths(&message) ||
        !proto_message_read(&message, body, asked.fields) ||
        !proto_check_values(&message, asked.fields, limits)) {
        return false;
    }
    asked.rows = (proto_rows){message.table, asked.fields, message.dimension,
                              message.count * message.shapes};
    *out = (proto_configurations){
        .dimension = message.dimension,
        .count = message.count,
        .shape_count = message.shapes,
        .handles = asked.shape.uints,
        .given_all =
            (uint8_t)(PROTO_GIVEN_POSITION | (asked.rotation.count > 0 ? PROTO_GIVEN_ROTATION : 0)),
        .allowed_handles = asked.allowed.uints,
        .allowed_count = asked.allowed.count / 2,
        .self = asked.self.flag,
        .distance = asked.distance.flag,
        .continuous = asked.continuous.flag,
        .threshold = asked.threshold.count > 0 ? proto_double_at(&asked.threshold, 0) : INFINITY,
        .filter = gjk_filter_default(),
        .options = {GJK_TOLERANCE_DEFAULT, GJK_ITERATIONS_DEFAULT},
    };
    out->filter.mask = proto_bits_or_all(&asked.mask);
    out->filter.category = proto_bits_or_all(&asked.category);
    return proto_make_poses(&source, &asked.rows, &asked.position, &asked.rotation, &out->poses,
                            NULL);
}

/* --- Answers --- */

struct answers {
    PROTO_ANSWERS_OF(PROTO_CONFIGURATION_ANSWERS);
};

static uint32_t handle_of(const gjk_body *body) {
    return body != NULL ? body->handle : PROTO_NO_HANDLE;
}

static void set_row(struct answers *answers, uint32_t i, const gjk_configuration *row) {
    const gjk_distance_result *result = &row->result;
    const bool has_pair = row->a != NULL;
    const uint32_t dimension = answers->answers.dimension;

    answers->colliding.uints[i] = row->colliding;
    answers->pair.uints[2 * (size_t)i] = handle_of(row->a);
    answers->pair.uints[2 * (size_t)i + 1] = handle_of(row->b);
    if (answers->distance.doubles != NULL) {
        const bool has_points = has_pair && result->has_points;
        proto_set_double(&answers->distance, i, has_pair ? result->signed_distance : INFINITY);
        proto_set_double(&answers->lower_bound, i, has_pair ? result->lower_bound : INFINITY);
        proto_set_vector(&answers->normal, dimension, i, has_points ? &result->normal : NULL);
        proto_set_vector(&answers->point_a, dimension, i, has_points ? &result->point_a : NULL);
        proto_set_vector(&answers->point_b, dimension, i, has_points ? &result->point_b : NULL);
    }
    if (answers->fraction.doubles != NULL) {
        proto_set_double(&answers->fraction, i, row->fraction);
    }
}

void proto_encode_configuration_columns(struct proto_buffer *out, const proto_configurations *asked,
                                        const gjk_configuration *answers, uint64_t revision) {
    struct answers columns;

    columns.answers = (proto_answers){.table = &proto_configuration_answers_table,
                                      .slots = columns.slots,
                                      .revision = revision,
                                      .dimension = asked->dimension,
                                      .count = asked->count,
                                      .needs = (asked->distance ? PROTO_NEEDS_DISTANCE : 0) |
                                               (asked->continuous ? PROTO_NEEDS_MOTION : 0)};
    if (!proto_answers_init(&columns.answers, out->arena)) {
        out->failed = true;
        return;
    }
    for (uint32_t i = 0; i < asked->count; i++) {
        set_row(&columns, i, &answers[i]);
    }
    proto_encode_answers(out, &columns.answers);
}
