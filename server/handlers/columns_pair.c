/* Column messages of pairs: detect and distance. */

#include "handlers/columns.h"
#include "request/context.h"
#include "request/request.h"
#include "request/telemetry.h"

struct pairs {
    struct gjkd_columns columns; /* first: it is cast back */
    proto_pair_columns rows;
    proto_pair_answers answers;
};

static bool decode(struct gjkd_columns *columns, proto_text body) {
    struct pairs *pairs = (struct pairs *)columns;
    struct gjkd_request *request = columns->request;
    if (!proto_decode_pair_columns(body, request->version->dimension, &request->context->limits,
                                   &request->arena, &pairs->rows, &request->problem)) {
        return false;
    }
    if (pairs->rows.is_signed && columns->kind->op == PROTO_OP_DETECT) {
        proto_problem_set(&request->problem, PROTO_UNKNOWN_MEMBER,
                          "signed has no meaning but for distances");
        return proto_problem_point(&request->problem, "/signed");
    }
    columns->count = pairs->rows.count;
    columns->at_tick = pairs->rows.at_tick;
    columns->partial = pairs->rows.partial;
    return true;
}

static bool make_slots(struct gjkd_columns *columns) {
    struct pairs *pairs = (struct pairs *)columns;
    if (!proto_pair_answers_init(&pairs->answers, pairs->rows.dimension, columns->count,
                                 &columns->request->arena)) {
        return false;
    }
    pairs->answers.revision = columns->request->version->revision;
    return true;
}

/* Places the shape of a handle where the row has it; false: there is none. */
static bool place(const struct pairs *pairs, uint32_t handle, const proto_pose_column *column,
                  uint32_t row, gjk_placed *out) {
    const gjk_snapshot *snapshot = gjkd_columns_snapshot(&pairs->columns, row);
    const gjk_body *body = gjk_set_find_handle(snapshot->set, handle);
    if (body == NULL) {
        return false;
    }
    *out = gjk_snapshot_place(snapshot, body);
    if (column->has_position) {
        out->pose.position = column->poses[row].position;
    }
    if (column->has_rotation) {
        gjk_pose_turn_as(&out->pose, &column->poses[row]);
    }
    return true;
}

/* Both: false when time is up. */
static bool detect_row(const struct pairs *pairs, uint32_t row, const gjk_placed *a,
                       const gjk_placed *b, gjk_budget *budget, gjkd_tally *tally) {
    gjk_detect_settings settings = gjk_detect_settings_default();
    settings.penetration = pairs->rows.penetration;
    settings.budget = budget;
    gjk_detect_result result = gjk_detect(a, b, &settings);
    proto_pair_answers_set_detect(&pairs->answers, row, &result, pairs->rows.penetration);
    gjkd_tally_add(tally, result.iterations);
    return !result.given_up;
}

static bool distance_row(const struct pairs *pairs, uint32_t row, const gjk_placed *a,
                         const gjk_placed *b, gjk_budget *budget, gjkd_tally *tally) {
    gjk_distance_settings settings = gjk_distance_settings_default();
    settings.is_signed = pairs->rows.is_signed;
    settings.budget = budget;
    gjk_distance_result result = gjk_distance(a, b, &settings);
    proto_pair_answers_set_distance(&pairs->answers, row, &result);
    gjkd_tally_add(tally, result.iterations);
    return !result.given_up;
}

/* Asks the row, unless it names what is not there. False: the rest is left undone. */
static bool run_row(struct pairs *pairs, uint32_t row, const gjkd_chunk *chunk, gjkd_tally *tally) {
    const proto_pair_columns *rows = &pairs->rows;
    const bool detects = pairs->columns.kind->op == PROTO_OP_DETECT;
    gjk_placed a, b;
    if (!gjkd_columns_has_tick(&pairs->columns, row)) {
        return true;
    }
    if (!place(pairs, rows->a[row], &rows->pose_a, row, &a) ||
        !place(pairs, rows->b[row], &rows->pose_b, row, &b)) {
        return gjkd_columns_note_refusal(&pairs->columns, row);
    }
    const bool is_done =
        (detects ? detect_row : distance_row)(pairs, row, &a, &b, chunk->memory->budget, tally);
    if (!is_done) {
        gjkd_columns_note_failure(&pairs->columns, GJK_GIVEN_UP);
    }
    return is_done;
}

static void run(gjkd_chunk *chunk) {
    struct pairs *pairs = chunk->work;
    gjkd_tally tally = {0};
    for (uint32_t row; gjkd_chunk_next(chunk, &row) && run_row(pairs, row, chunk, &tally);) {
    }
    gjkd_count_tally(pairs->columns.request->counters, &tally);
}

static void refuse_slot(const struct gjkd_columns *columns, uint32_t row, uint32_t status) {
    proto_pair_answers_refuse(&((const struct pairs *)columns)->answers, row, status);
}

static void refuse_row(const struct gjkd_columns *columns, uint32_t row) {
    const proto_pair_columns *rows = &((const struct pairs *)columns)->rows;
    if (gjkd_columns_check_handle(columns, row, rows->a[row], "a", row)) {
        (void)gjkd_columns_check_handle(columns, row, rows->b[row], "b", row);
    }
}

static void encode(const struct gjkd_columns *columns, bool is_message, struct proto_buffer *out) {
    proto_pair_answers answers = ((const struct pairs *)columns)->answers;
    answers.pose_gap = columns->pose_gap;
    (is_message ? proto_encode_pair_columns : proto_encode_pair_columns_json)(out, &answers);
}

#define PAIR_NS 1000
#define KIND(kind_op)                                                                       \
    {                                                                                       \
        .op = (kind_op), .size = sizeof(struct pairs), .row_ns = PAIR_NS, .decode = decode, \
        .make_slots = make_slots, .run = run, .refuse_slot = refuse_slot,                   \
        .refuse_row = refuse_row, .encode = encode                                          \
    }

void gjkd_columns_detect(struct gjkd_request *request) {
    static const struct gjkd_columns_kind kind = KIND(PROTO_OP_DETECT);
    gjkd_columns_answer(request, &kind);
}

void gjkd_columns_distance(struct gjkd_request *request) {
    static const struct gjkd_columns_kind kind = KIND(PROTO_OP_DISTANCE);
    gjkd_columns_answer(request, &kind);
}
