/* Column messages for many pairs of stored shapes: decodes PairColumns and encodes PairAnswers. */

#include <math.h>

#include "columns/columns.h"
#include "text/text.h"

static bool check_lengths(struct proto_message *message, const proto_limits *limits) {
    uint32_t turn = message->dimension == 2 ? 1 : 4;

    return proto_column_rows(message, "a", 1, limits->batch_queries_max) &&
           proto_column_full(message, "b", 1) &&
           proto_column_optional(message, "position_a", message->dimension) &&
           proto_column_optional(message, "rotation_a", turn) &&
           proto_column_optional(message, "position_b", message->dimension) &&
           proto_column_optional(message, "rotation_b", turn) &&
           proto_column_shared(message, "at_tick");
}

bool proto_decode_pair_columns(proto_text body, uint32_t set_dimension, const proto_limits *limits,
                               struct gjk_arena *arena, proto_pair_columns *out,
                               struct proto_problem *problem) {
    static const proto_column_range since_start = {0.0, INFINITY};
    struct proto_message message =
        {&gjkd__v1__pair_columns__descriptor, arena, problem, {0}, 0, 0, 0};

    if (!proto_message_scan(&message, body, set_dimension) || !check_lengths(&message, limits)) {
        return false;
    }
    const Gjkd__V1__PairColumns *columns =
        (const Gjkd__V1__PairColumns *)proto_message_unpack(&message, body);
    if (columns == NULL || !proto_check_column(problem, "at_tick", columns->at_tick,
                                               columns->n_at_tick, 1, since_start)) {
        return false;
    }
    proto_pose_rows a = {"position_a", "rotation_a",
                         proto_column_values(columns->position_a, columns->n_position_a),
                         proto_column_values(columns->rotation_a, columns->n_rotation_a)};
    proto_pose_rows b = {"position_b", "rotation_b",
                         proto_column_values(columns->position_b, columns->n_position_b),
                         proto_column_values(columns->rotation_b, columns->n_rotation_b)};
    *out = (proto_pair_columns){
        .dimension = message.dimension,
        .count = message.count,
        .a = columns->a,
        .b = columns->b,
        .at_tick = {columns->at_tick, (uint32_t)columns->n_at_tick},
        .penetration = !columns->no_penetration,
        .is_signed = columns->signed_,
        .partial = columns->partial,
    };
    return proto_make_pose_column(&message, &a, &out->pose_a) &&
           proto_make_pose_column(&message, &b, &out->pose_b);
}

/* --- Answers --- */

/* The columns of doubles in the order of their field numbers. */
enum { VALUE, LOWER_BOUND, NORMAL, POINT_A, POINT_B };

bool proto_pair_answers_init(proto_pair_answers *answers, uint32_t dimension, uint32_t count,
                             struct gjk_arena *arena) {
    const proto_answer_layout layout = {.uints = 1,
                                        .widths = {1, 1, dimension, dimension, dimension},
                                        .more_uints = 5};
    uint32_t *uints = gjk_arena_alloc_array(arena, 5 * (size_t)count, 4);

    *answers = (proto_pair_answers){
        .dimension = dimension,
        .count = count,
        .state = uints,
        .iterations = uints + count,
        .status = uints + 2 * (size_t)count,
        .piece_a = uints + 3 * (size_t)count,
        .piece_b = uints + 4 * (size_t)count,
    };
    return uints != NULL && proto_answer_init(&answers->message, count, &layout, arena);
}

/* Writes how two shapes lie to each other and whether the solver converged. */
static void set_state(const proto_pair_answers *answers, uint32_t i, gjk_state state,
                      gjk_convergence convergence, uint32_t iterations) {
    static const uint32_t states[] =
        {[GJK_SEPARATED] = 0, [GJK_TOUCHING] = 1, [GJK_OVERLAPPING] = 2};

    answers->state[i] = states[state];
    answers->status[i] = convergence == GJK_CONVERGED ? 0 : 1;
    answers->iterations[i] = iterations;
}

static void set_value(const proto_pair_answers *answers, uint32_t i, double value,
                      double lower_bound) {
    proto_set_double(answers->message.doubles[VALUE], i, value);
    proto_set_double(answers->message.doubles[LOWER_BOUND], i, lower_bound);
}

static void set_vectors(const proto_pair_answers *answers, uint32_t i, const gjk_vec3 *normal,
                        const gjk_vec3 *point_a, const gjk_vec3 *point_b) {
    unsigned char *const *columns = answers->message.doubles;

    proto_set_row(columns[NORMAL], answers->dimension, i, normal);
    proto_set_row(columns[POINT_A], answers->dimension, i, point_a);
    proto_set_row(columns[POINT_B], answers->dimension, i, point_b);
}

static void set_pieces(const proto_pair_answers *answers, uint32_t i, uint32_t piece_a,
                       uint32_t piece_b) {
    answers->piece_a[i] = piece_a;
    answers->piece_b[i] = piece_b;
}

void proto_pair_answers_set_detect(const proto_pair_answers *answers, uint32_t i,
                                   const gjk_detect_result *result, bool penetration) {
    bool has_points = penetration && result->has_points;

    set_state(answers, i, result->state, result->convergence, result->iterations);
    set_value(answers, i, penetration ? result->depth : 0.0,
              penetration ? result->depth_lower_bound : 0.0);
    set_vectors(answers, i, penetration ? &result->normal : NULL,
                has_points ? &result->point_a : NULL, has_points ? &result->point_b : NULL);
    set_pieces(answers, i, penetration ? result->piece_a : GJK_NO_PIECE,
               penetration ? result->piece_b : GJK_NO_PIECE);
}

void proto_pair_answers_set_distance(const proto_pair_answers *answers, uint32_t i,
                                     const gjk_distance_result *result) {
    bool has_points = result->has_points;

    set_state(answers, i, result->state, result->convergence, result->iterations);
    set_value(answers, i, result->is_signed ? result->signed_distance : result->distance,
              result->lower_bound);
    set_vectors(answers, i, has_points ? &result->normal : NULL,
                has_points ? &result->point_a : NULL, has_points ? &result->point_b : NULL);
    set_pieces(answers, i, result->piece_a, result->piece_b);
}

void proto_pair_answers_refuse(const proto_pair_answers *answers, uint32_t i, uint32_t status) {
    set_state(answers, i, GJK_SEPARATED, GJK_CONVERGED, 0);
    set_value(answers, i, 0.0, 0.0);
    set_vectors(answers, i, NULL, NULL, NULL);
    set_pieces(answers, i, GJK_NO_PIECE, GJK_NO_PIECE);
    answers->status[i] = status;
}

void proto_encode_pair_columns(struct proto_buffer *out, const proto_pair_answers *answers) {
    const uint32_t *const first[] = {answers->state};
    const proto_answer_column last[PROTO_ANSWER_COLUMNS] = {
        {8, .uints = answers->iterations},
        {9, .uints = answers->status},
        {10, .uints = proto_pieces_if_any(answers->piece_a, answers->count)},
        {11, .uints = proto_pieces_if_any(answers->piece_b, answers->count)},
        {12, .uints = answers->pose_gap},
    };
    proto_answer_put(&answers->message, answers->revision, first, last, out);
}

void proto_encode_pair_columns_json(struct proto_buffer *out, const proto_pair_answers *answers) {
    uint32_t count = answers->count, vectors = count * answers->dimension;
    unsigned char *const *columns = answers->message.doubles;

    proto_put_text(out, "{");
    proto_put_key(out, "revision");
    proto_put_integer(out, answers->revision);
    proto_put_uints(out, "state", answers->state, count);
    proto_put_doubles(out, "value", columns[VALUE], count);
    proto_put_doubles(out, "lower_bound", columns[LOWER_BOUND], count);
    proto_put_doubles(out, "normal", columns[NORMAL], vectors);
    proto_put_doubles(out, "point_a", columns[POINT_A], vectors);
    proto_put_doubles(out, "point_b", columns[POINT_B], vectors);
    proto_put_uints(out, "iterations", answers->iterations, count);
    proto_put_uints(out, "status", answers->status, count);
    proto_put_uints(out, "piece_a", proto_pieces_if_any(answers->piece_a, count), count);
    proto_put_uints(out, "piece_b", proto_pieces_if_any(answers->piece_b, count), count);
    proto_put_uints(out, "pose_gap", answers->pose_gap, count);
    proto_put_text(out, "}");
}
