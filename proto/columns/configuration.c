/* Decodes ConfigurationColumns and encodes ConfigurationAnswers. */

#include "proto/configurations.h"

#include <math.h>

#include "columns/columns.h"
#include "gjk/pieces.h"

#include <stddef.h>

/* Maximum number of poses in a message, which bounds its memory. */
#define POSES_MAX ((uint64_t)1 << 24)

/* Counts shapes and rows, and checks the lengths of all columns. */
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

/* Reads `starts` (the rows at which a new path begins) and the ticks. */
static bool read_rows(const struct proto_message *message, const proto_field *starts,
                      const proto_field *at_tick, proto_configurations *out) {
    bool *begins = gjk_arena_alloc_array(message->arena, out->count, sizeof *begins);
    double *ticks = gjk_arena_alloc_array(message->arena, at_tick->count, sizeof *ticks);

    if (begins == NULL || ticks == NULL) {
        return proto_refuse_columns_status(message->problem, GJK_OUT_OF_MEMORY);
    }
    memset(begins, 0, out->count * sizeof *begins);
    for (uint32_t i = 0; i < starts->count; i++) {
        if (starts->uints[i] >= out->count) {
            return proto_refuse_row(message->problem, "starts", i, PROTO_OUT_OF_RANGE,
                                    "there are %u rows, counted from 0, and no row %u", out->count,
                                    starts->uints[i]);
        }
        begins[starts->uints[i]] = true;
    }
    for (uint32_t i = 0; i < at_tick->count; i++) {
        ticks[i] = proto_double_at(at_tick, i);
    }
    out->starts = begins;
    out->ticks = ticks;
    out->tick_count = at_tick->count;
    out->tick_pointer = "/at_tick";
    return true;
}

/* Refuses options that would have no effect. */
static bool check_sense(const struct proto_message *message, const proto_configurations *asked,
                        const proto_field *starts) {
    if (asked->limit > 0 && !asked->distance) {
        return proto_refuse_row(message->problem, "limit", PROTO_NO_ROW, PROTO_UNKNOWN_MEMBER,
                                "limit has no meaning but with distance");
    }
    if (starts->count > 0 && !asked->continuous) {
        return proto_refuse_row(message->problem, "starts", PROTO_NO_ROW, PROTO_UNKNOWN_MEMBER,
                                "starts has no meaning but with continuous");
    }
    return true;
}

bool proto_decode_configuration_columns(proto_text body, uint32_t set_dimension,
                                        const proto_limits *limits, struct gjk_arena *arena,
                                        proto_configurations *out, struct proto_problem *problem) {
    struct proto_message message = {.table = &proto_configuration_columns_table,
                                    .arena = arena,
                                    .problem = problem};
    const proto_source source = {.body = body,
                                 .set_dimension = set_dimension,
                                 .limits = limits,
                                 .arena = arena,
                                 .problem = problem};
    proto_configuration_columns asked;

    if (!proto_message_scan(&message, body, set_dimension) || !check_lengths(&message) ||
        !proto_message_read(&message, body, asked.fields) ||
        !proto_check_values(&message, asked.fields, limits)) {
        return false;
    }
    asked.rows = (proto_rows){.table = message.table,
                              .fields = asked.fields,
                              .dimension = message.dimension,
                              .count = message.count * message.shapes};
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
        .limit = asked.limit.uint,
        .options = {asked.tolerance.number > 0.0 ? asked.tolerance.number : GJK_TOLERANCE_DEFAULT,
                    GJK_ITERATIONS_DEFAULT},
        .partial = asked.partial.flag,
    };
    out->filter.mask = proto_bits_or_all(&asked.mask);
    out->filter.category = proto_bits_or_all(&asked.category);
    out->filter.ignore_groups = asked.ignore_groups.texts;
    out->filter.ignore_groups_count = asked.ignore_groups.count;
    out->filter.only_groups = asked.only_groups.texts;
    out->filter.only_groups_count = asked.only_groups.count;
    out->filter.has_only_groups = asked.only_groups.count > 0;
    out->filter.ignore_handles = asked.ignore.uints;
    out->filter.ignore_handles_count = asked.ignore.count;
    return check_sense(&message, out, &asked.starts) &&
           read_rows(&message, &asked.starts, &asked.at_tick, out) &&
           proto_make_poses(&source, &asked.rows, &asked.position, &asked.rotation, &out->poses);
}

/* --- Answers --- */

/* Writes a pair (gjk_pair_near), or defaults for NULL. */
static void put_pair(proto_answers *head, size_t i, const void *item) {
    static const gjk_pair_near none = {.result = {.signed_distance = INFINITY,
                                                  .lower_bound = INFINITY,
                                                  .piece_a = GJK_NO_PIECE,
                                                  .piece_b = GJK_NO_PIECE}};
    proto_configuration_answers *answers = (proto_configuration_answers *)head;
    const gjk_pair_near *pair = item != NULL ? item : &none;
    const gjk_distance_result *result = &pair->result;

    answers->pair.uints[2 * i] = item != NULL ? pair->a->handle : PROTO_NO_HANDLE;
    answers->pair.uints[2 * i + 1] = item != NULL ? pair->b->handle : PROTO_NO_HANDLE;
    if (!(head->needs & PROTO_NEEDS_DISTANCE)) {
        return; /* the core has not computed the result */
    }
    proto_set_double(&answers->distance, i, result->signed_distance);
    proto_set_double(&answers->lower_bound, i, result->lower_bound);
    PROTO_SET_VECTORS(answers, i, result->has_points, result->has_points, result);
    proto_set_piece(&answers->piece, 2 * i, result->piece_a);
    proto_set_piece(&answers->piece, 2 * i + 1, result->piece_b);
    if (result->inside) {
        proto_set_some(&answers->inside, i, 1);
    }
}

static const proto_result_type pair_results = {.size = sizeof(gjk_pair_near),
                                               .convergence =
                                                   offsetof(gjk_pair_near, result.convergence),
                                               .put = put_pair};

static void set_row(proto_configuration_answers *answers, uint32_t i, const gjk_configuration *row,
                    const gjk_pair_nears *nearest) {
    const gjk_pair_near pair = {row->a, row->b, row->result};

    if (nearest != NULL) {
        proto_answers_set(&answers->answers, i, nearest->items, nearest->count);
    } else {
        proto_answers_set(&answers->answers, i, row->a != NULL ? &pair : NULL, row->a != NULL);
    }
    if (row->result.convergence != GJK_CONVERGED) {
        answers->status.uints[i] = PROTO_ROW_ITERATION_LIMIT;
    }
    answers->colliding.uints[i] = row->colliding;
    if (answers->fraction.doubles != NULL) {
        proto_set_double(&answers->fraction, i, row->fraction);
    }
}

void proto_encode_configuration_columns(struct proto_buffer *out, const proto_configurations *asked,
                                        const proto_configured *answers, uint64_t revision) {
    proto_configuration_answers columns;
    const bool has_lists = asked->limit > 1;

    columns.answers = (proto_answers){.table = &proto_configuration_answers_table,
                                      .slots = columns.slots,
                                      .results = &pair_results,
                                      .revision = revision,
                                      .dimension = asked->dimension,
                                      .count = asked->count,
                                      .needs = (asked->distance ? PROTO_NEEDS_DISTANCE : 0) |
                                               (asked->continuous ? PROTO_NEEDS_MOTION : 0) |
                                               (has_lists ? PROTO_NEEDS_COUNT : 0)};
    out->failed = !proto_answers_init(&columns.answers, out->arena);
    for (uint32_t i = 0; i < asked->count && !out->failed; i++) {
        if (answers->refused[i] != PROTO_ROW_CONVERGED) {
            proto_answers_refuse(&columns.answers, i, answers->refused[i]);
        } else {
            set_row(&columns, i, &answers->rows[i], has_lists ? &answers->nearest[i] : NULL);
        }
    }
    out->failed = out->failed || !proto_answers_finish(&columns.answers, out->arena);
    if (!out->failed) {
        proto_encode_answers(out, &columns.answers);
    }
}
