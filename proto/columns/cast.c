/* Column messages for many casts of stored shapes: decodes CastColumns and encodes CastAnswers. */

#include <math.h>
#include <string.h>

#include "columns/columns.h"
#include "text/text.h"

/* The rows are counted by the translations, which every row has. */
static bool check_lengths(struct proto_message *message, const proto_limits *limits) {
    const uint32_t turn = message->dimension == 2 ? 1 : 4;

    return proto_column_rows(message, "translation", message->dimension,
                             limits->batch_queries_max) &&
           proto_column_shared(message, "shape") &&
           proto_column_optional(message, "position", message->dimension) &&
           proto_column_optional(message, "rotation", turn) &&
           proto_column_optional(message, "to_rotation", turn) &&
           proto_column_shared(message, "at_tick") && proto_check_select_lengths(message);
}

static bool check_shape(const struct proto_message *message, const Gjkd__V1__CastColumns *columns) {
    if (columns->n_shape == 0 && message->count > 0) {
        return proto_refuse_member(message->problem, "/shape", PROTO_MISSING_MEMBER,
                                   "there has to be a shape that moves");
    }
    return columns->at_start <= GJK_AT_START_RESOLVE ||
           proto_refuse_member(message->problem, "/at_start", PROTO_OUT_OF_RANGE,
                               "it is 0 (report), 1 (ignore) or 2 (resolve)");
}

static bool make_translations(const struct proto_message *message,
                              const Gjkd__V1__CastColumns *columns, proto_cast_columns *out) {
    static const proto_column_range coordinate = {-GJK_COORDINATE_MAX, GJK_COORDINATE_MAX};

    if (!proto_check_column(message->problem, "translation", columns->translation,
                            columns->n_translation, message->dimension, coordinate)) {
        return false;
    }
    gjk_vec3 *vectors = gjk_arena_alloc_array(message->arena, message->count, sizeof *vectors);
    out->translation = vectors;
    for (uint32_t i = 0; vectors != NULL && i < message->count; i++) {
        vectors[i] = proto_row_vector(columns->translation, message->dimension, i);
    }
    return vectors != NULL || proto_refuse_columns_memory(message->problem);
}

static bool make_poses(const struct proto_message *message, const Gjkd__V1__CastColumns *columns,
                       proto_cast_columns *out) {
    const proto_pose_rows from = {"position", "rotation",
                                  proto_column_values(columns->position, columns->n_position),
                                  proto_column_values(columns->rotation, columns->n_rotation)};
    const proto_pose_rows to = {.rotation_name = "to_rotation",
                                .rotation = proto_column_values(columns->to_rotation,
                                                                columns->n_to_rotation)};
    return proto_make_pose_column(message, &from, &out->from) &&
           proto_make_pose_column(message, &to, &out->to);
}

bool proto_decode_cast_columns(proto_text body, uint32_t set_dimension, const proto_limits *limits,
                               struct gjk_arena *arena, proto_cast_columns *out,
                               struct proto_problem *problem) {
    static const proto_column_range since_start = {0.0, INFINITY};
    struct proto_message message =
        {&gjkd__v1__cast_columns__descriptor, arena, problem, {0}, 0, 0, 0};

    if (!proto_message_scan(&message, body, set_dimension) || !check_lengths(&message, limits)) {
        return false;
    }
    const Gjkd__V1__CastColumns *columns =
        (const Gjkd__V1__CastColumns *)proto_message_unpack(&message, body);
    if (columns == NULL || !check_shape(&message, columns)) {
        return false;
    }
    const proto_select_rows select = PROTO_SELECT_ROWS(columns);
    *out = (proto_cast_columns){
        .dimension = message.dimension,
        .count = message.count,
        .shape = {columns->shape, (uint32_t)columns->n_shape},
        .at_start = (gjk_at_start)columns->at_start,
        .at_tick = {columns->at_tick, (uint32_t)columns->n_at_tick},
        .partial = columns->partial,
    };
    return make_poses(&message, columns, out) && make_translations(&message, columns, out) &&
           proto_check_column(problem, "at_tick", columns->at_tick, columns->n_at_tick, 1,
                              since_start) &&
           proto_make_select(&message, &select, limits, &out->select);
}

/* --- Answers --- */

/* The columns of doubles in place, in the order of their field numbers. */
enum { FRACTION, POINT, NORMAL };

/* The columns of uints. */
enum { HANDLE, INSIDE, PIECE, STATUS, MOVING_PIECE, MATERIAL, UINTS };

bool proto_cast_answers_init(proto_cast_answers *answers, uint32_t dimension, uint32_t count,
                             gjk_at_start at_start, struct gjk_arena *arena) {
    const proto_answer_layout layout = {.uints = 1,
                                        .widths = {1, dimension, dimension},
                                        .more_uints = UINTS, /* and pose_gap */
                                        .more_doubles = 1};
    const bool resolves = at_start == GJK_AT_START_RESOLVE;
    uint32_t *uints = gjk_arena_alloc_array(arena, (size_t)count * UINTS, sizeof *uints);
    atomic_bool *any_material = gjk_arena_alloc(arena, sizeof *any_material);

    *answers = (proto_cast_answers){
        .dimension = dimension,
        .count = count,
        .handle = uints + HANDLE * (size_t)count,
        .inside = uints + INSIDE * (size_t)count,
        .piece = uints + PIECE * (size_t)count,
        .status = uints + STATUS * (size_t)count,
        .moving_piece = uints + MOVING_PIECE * (size_t)count,
        .material = uints + MATERIAL * (size_t)count,
        .depth = resolves ? gjk_arena_alloc_array(arena, count, sizeof(double)) : NULL,
        .any_material = any_material,
    };
    if (any_material != NULL) {
        atomic_init(any_material, false);
    }
    return uints != NULL && any_material != NULL && (answers->depth != NULL || !resolves) &&
           proto_answer_init(&answers->message, count, &layout, arena);
}

void proto_cast_answers_set(const proto_cast_answers *answers, uint32_t i,
                            const gjk_cast_hit *hit) {
    static const gjk_cast_result none = {.convergence = GJK_CONVERGED,
                                         .fraction = 1.0,
                                         .piece = GJK_NO_PIECE,
                                         .moving_piece = GJK_NO_PIECE};
    const gjk_cast_result *result = hit != NULL ? &hit->result : &none;
    unsigned char *const *columns = answers->message.doubles;

    answers->handle[i] = hit != NULL ? hit->body->handle : PROTO_NO_HANDLE;
    answers->inside[i] = result->inside;
    answers->piece[i] = result->piece;
    answers->moving_piece[i] = result->moving_piece;
    answers->status[i] =
        result->convergence == GJK_CONVERGED ? PROTO_ROW_CONVERGED : PROTO_ROW_ITERATION_LIMIT;
    answers->material[i] = result->has_material ? result->material : 0;
    if (result->has_material) {
        atomic_store_explicit(answers->any_material, true, memory_order_relaxed);
    }
    if (answers->depth != NULL) {
        answers->depth[i] = result->has_depth ? result->depth : 0.0;
    }
    proto_set_double(columns[FRACTION], i, result->fraction);
    proto_set_row(columns[POINT], answers->dimension, i, &result->point);
    proto_set_row(columns[NORMAL], answers->dimension, i,
                  result->has_normal ? &result->normal : NULL);
}

void proto_cast_answers_refuse(const proto_cast_answers *answers, uint32_t i, uint32_t status) {
    proto_cast_answers_set(answers, i, NULL);
    proto_set_double(answers->message.doubles[FRACTION], i, 0.0);
    answers->status[i] = status;
}

static const uint32_t *materials_if_any(const proto_cast_answers *answers) {
    return atomic_load(answers->any_material) ? answers->material : NULL;
}

void proto_encode_cast_columns(struct proto_buffer *out, const proto_cast_answers *answers) {
    const uint32_t *const first[] = {answers->handle};
    const proto_answer_column last[PROTO_ANSWER_COLUMNS] = {
        {6, .uints = answers->inside},
        {7, .doubles = answers->depth},
        {8, .uints = proto_pieces_if_any(answers->piece, answers->count)},
        {9, .uints = answers->status},
        {10, .uints = proto_pieces_if_any(answers->moving_piece, answers->count)},
        {11, .uints = materials_if_any(answers)},
        {12, .uints = answers->pose_gap},
    };
    proto_answer_put(&answers->message, answers->revision, first, last, out);
}

void proto_encode_cast_columns_json(struct proto_buffer *out, const proto_cast_answers *answers) {
    uint32_t count = answers->count, vectors = count * answers->dimension;
    unsigned char *const *columns = answers->message.doubles;

    proto_put_text(out, "{");
    proto_put_key(out, "revision");
    proto_put_integer(out, answers->revision);
    proto_put_uints(out, "handle", answers->handle, count);
    proto_put_doubles(out, "fraction", columns[FRACTION], count);
    proto_put_doubles(out, "point", columns[POINT], vectors);
    proto_put_doubles(out, "normal", columns[NORMAL], vectors);
    proto_put_uints(out, "inside", answers->inside, count);
    proto_put_doubles_if(out, "depth", answers->depth, count);
    proto_put_uints(out, "piece", proto_pieces_if_any(answers->piece, count), count);
    proto_put_uints(out, "status", answers->status, count);
    proto_put_uints(out, "moving_piece", proto_pieces_if_any(answers->moving_piece, count), count);
    proto_put_uints(out, "material", materials_if_any(answers), count);
    proto_put_uints(out, "pose_gap", answers->pose_gap, count);
    proto_put_text(out, "}");
}
