/* Column messages for many shots: decodes HitColumns and encodes HitAnswers. */

#include <math.h>
#include <string.h>

#include "columns/columns.h"
#include "text/text.h"

static bool check_lengths(struct proto_message *message, const proto_limits *limits) {
    return proto_column_rows(message, "origin", message->dimension, limits->batch_queries_max) &&
           proto_column_full(message, "direction", message->dimension) &&
           proto_column_shared(message, "shooter_of") && proto_column_shared(message, "at_tick") &&
           proto_column_shared(message, "max_distance") && proto_column_shared(message, "radius") &&
           proto_column_optional(message, "claim", 1);
}

static bool check_columns(const struct proto_message *message,
                          const Gjkd__V1__HitColumns *columns) {
    static const proto_column_range since_start = {0.0, INFINITY};
    static const proto_column_range length = {0.0, GJK_COORDINATE_MAX};
    struct proto_problem *problem = message->problem;

    return proto_check_column(problem, "at_tick", columns->at_tick, columns->n_at_tick, 1,
                              since_start) &&
           proto_check_column(problem, "radius", columns->radius, columns->n_radius, 1, length);
}

static bool read_policy(const struct proto_message *message, const Gjkd__V1__HitColumns *columns,
                        proto_hit_columns *out) {
    struct proto_problem *problem = message->problem;
    const char *obstacles = columns->obstacles;
    const double ticks = columns->max_rewind_ticks;

    if (!isfinite(ticks) || ticks < 0.0) {
        return proto_refuse_member(problem, "/max_rewind_ticks",
                                   isfinite(ticks) ? PROTO_OUT_OF_RANGE : PROTO_NOT_FINITE,
                                   "it is a number of ticks, or 0: no limit");
    }
    out->max_rewind_ticks = ticks > 0.0 ? ticks : INFINITY;
    out->obstacles_at_shot = columns->obstacles_at_shot;
    out->obstacles = obstacles[0] != '\0' ? obstacles : NULL;
    return out->obstacles == NULL || proto_is_set_name(obstacles, strlen(obstacles)) ||
           proto_refuse_member(problem, "/obstacles", PROTO_BAD_NAME,
                               "this is not the name of a set");
}

bool proto_decode_hit_columns(proto_text body, uint32_t set_dimension, const proto_limits *limits,
                              struct gjk_arena *arena, proto_hit_columns *out,
                              struct proto_problem *problem) {
    struct proto_message message =
        {&gjkd__v1__hit_columns__descriptor, arena, problem, {0}, 0, 0, 0};

    if (!proto_message_scan(&message, body, set_dimension) || !check_lengths(&message, limits)) {
        return false;
    }
    const Gjkd__V1__HitColumns *columns =
        (const Gjkd__V1__HitColumns *)proto_message_unpack(&message, body);
    if (columns == NULL) {
        return false;
    }
    const proto_line_rows lines = {columns->origin, columns->direction, columns->max_distance,
                                   columns->n_max_distance};
    *out = (proto_hit_columns){
        .dimension = message.dimension,
        .count = message.count,
        .shooter_of = {columns->shooter_of, (uint32_t)columns->n_shooter_of},
        .at_tick = {columns->at_tick, (uint32_t)columns->n_at_tick},
        .rays = proto_make_rays(&message, &lines),
        .radius = {columns->radius, (uint32_t)columns->n_radius},
        .claim = {columns->claim, (uint32_t)columns->n_claim},
        .claim_group = columns->claim_group,
        .partial = columns->partial,
        .mask = proto_bits_or_all(columns->mask),
        .category = proto_bits_or_all(columns->category),
    };
    return out->rays != NULL && check_columns(&message, columns) &&
           read_policy(&message, columns, out);
}

/* --- Answers --- */

/* The columns of doubles in place, in the order of their field numbers. */
enum { DISTANCE, POINT, NORMAL, OBSTACLE_DISTANCE };

bool proto_hit_answers_init(proto_hit_answers *answers, uint32_t dimension, uint32_t count,
                            struct gjk_arena *arena) {
    const proto_answer_layout layout = {.uints = 3,
                                        .widths = {1, dimension, dimension, 1},
                                        .more_uints = 3};
    uint32_t *uints = gjk_arena_alloc_array(arena, (size_t)count * 5, sizeof *uints);

    *answers = (proto_hit_answers){
        .dimension = dimension,
        .count = count,
        .verdict = uints,
        .reason = uints + count,
        .handle = uints + 2 * (size_t)count,
        .piece = uints + 3 * (size_t)count,
        .status = uints + 4 * (size_t)count,
    };
    return uints != NULL && proto_answer_init(&answers->message, count, &layout, arena);
}

/* Why there is no verdict, or whether what it follows from has converged. */
static uint32_t status_of(const gjk_judgement *judgement) {
    switch (judgement->reason) {
    case GJK_REASON_TICK_EXPIRED:
        return PROTO_ROW_TICK_EXPIRED;
    case GJK_REASON_TICK_IN_FUTURE:
        return PROTO_ROW_TICK_IN_FUTURE;
    default:
        break;
    }
    const bool has_converged =
        (!judgement->has_hit || judgement->hit.result.convergence == GJK_CONVERGED) &&
        (!judgement->has_obstacle || judgement->obstacle.result.convergence == GJK_CONVERGED);
    return has_converged ? PROTO_ROW_CONVERGED : PROTO_ROW_ITERATION_LIMIT;
}

void proto_hit_answers_set(const proto_hit_answers *answers, uint32_t i,
                           const gjk_judgement *judgement) {
    static const uint32_t verdicts[] = {[GJK_VERDICT_CONFIRMED] = 0,
                                        [GJK_VERDICT_ADJUSTED] = 1,
                                        [GJK_VERDICT_DENIED] = 2,
                                        [GJK_VERDICT_UNVERIFIABLE] = 3};
    static const uint32_t reasons[] = {
        [GJK_REASON_NONE] = 0,           [GJK_REASON_OTHER_TARGET] = 1,
        [GJK_REASON_BLOCKED] = 2,        [GJK_REASON_MISS] = 3,
        [GJK_REASON_NO_TARGET] = 4,      [GJK_REASON_TICK_EXPIRED] = 5,
        [GJK_REASON_TICK_IN_FUTURE] = 6, [GJK_REASON_REWIND_LIMIT] = 7,
    };
    static const gjk_ray_result none = {.piece = GJK_NO_PIECE};
    const gjk_ray_result *hit = judgement->has_hit ? &judgement->hit.result : &none;
    unsigned char *const *columns = answers->message.doubles;

    answers->verdict[i] = verdicts[judgement->verdict];
    answers->reason[i] = reasons[judgement->reason];
    answers->handle[i] = judgement->has_hit ? judgement->hit.body->handle : PROTO_NO_HANDLE;
    answers->piece[i] = hit->piece;
    proto_set_double(columns[DISTANCE], i, hit->distance);
    proto_set_row(columns[POINT], answers->dimension, i, &hit->point);
    proto_set_row(columns[NORMAL], answers->dimension, i, hit->has_normal ? &hit->normal : NULL);
    proto_set_double(columns[OBSTACLE_DISTANCE], i,
                     judgement->has_obstacle ? judgement->obstacle.result.distance : -1.0);
    answers->status[i] = status_of(judgement);
}

void proto_hit_answers_refuse(const proto_hit_answers *answers, uint32_t i, uint32_t status) {
    proto_hit_answers_set(answers, i, &(gjk_judgement){.verdict = GJK_VERDICT_UNVERIFIABLE});
    answers->status[i] = status;
}

void proto_encode_hit_columns(struct proto_buffer *out, const proto_hit_answers *answers) {
    const uint32_t *const first[] = {answers->verdict, answers->reason, answers->handle};
    const proto_answer_column last[PROTO_ANSWER_COLUMNS] = {
        {9, .uints = proto_pieces_if_any(answers->piece, answers->count)},
        {10, .uints = answers->pose_gap},
        {11, .uints = answers->status},
    };
    proto_answer_put(&answers->message, answers->revision, first, last, out);
}

void proto_encode_hit_columns_json(struct proto_buffer *out, const proto_hit_answers *answers) {
    uint32_t count = answers->count, vectors = count * answers->dimension;
    unsigned char *const *columns = answers->message.doubles;

    proto_put_text(out, "{");
    proto_put_key(out, "revision");
    proto_put_integer(out, answers->revision);
    proto_put_uints(out, "verdict", answers->verdict, count);
    proto_put_uints(out, "reason", answers->reason, count);
    proto_put_uints(out, "handle", answers->handle, count);
    proto_put_doubles(out, "distance", columns[DISTANCE], count);
    proto_put_doubles(out, "point", columns[POINT], vectors);
    proto_put_doubles(out, "normal", columns[NORMAL], vectors);
    proto_put_doubles(out, "obstacle_distance", columns[OBSTACLE_DISTANCE], count);
    proto_put_uints(out, "piece", proto_pieces_if_any(answers->piece, count), count);
    proto_put_uints(out, "pose_gap", answers->pose_gap, count);
    proto_put_uints(out, "status", answers->status, count);
    proto_put_text(out, "}");
}
