/* Column messages of casts: stored shapes that move, each at the whole set, for the closest hit. */

#include "handlers/columns.h"
#include "request/context.h"
#include "request/request.h"
#include "request/telemetry.h"

struct casts {
    struct gjkd_columns columns; /* first: it is cast back */
    proto_cast_columns rows;
    proto_cast_answers answers;
};

static bool decode(struct gjkd_columns *columns, proto_text body) {
    struct casts *casts = (struct casts *)columns;
    struct gjkd_request *request = columns->request;
    if (!proto_decode_cast_columns(body, request->version->dimension, &request->context->limits,
                                   &request->arena, &casts->rows, &request->problem)) {
        return false;
    }
    columns->count = casts->rows.count;
    columns->at_tick = casts->rows.at_tick;
    columns->partial = casts->rows.partial;
    return true;
}

static bool make_slots(struct gjkd_columns *columns) {
    struct casts *casts = (struct casts *)columns;
    if (!proto_cast_answers_init(&casts->answers, casts->rows.dimension, columns->count,
                                 casts->rows.at_start, &columns->request->arena)) {
        return false;
    }
    casts->answers.revision = columns->request->version->revision;
    return true;
}

static uint32_t handle_of(const struct casts *casts, uint32_t row) {
    return proto_uint_at(casts->rows.shape, row, PROTO_NO_HANDLE);
}

/* Places the moving shape where the row has it; NULL: there is none. */
static const gjk_body *place(const struct casts *casts, uint32_t row, gjk_placed *out) {
    const gjk_snapshot *snapshot = gjkd_columns_snapshot(&casts->columns, row);
    const proto_pose_column *from = &casts->rows.from;
    const gjk_body *body = gjk_set_find_handle(snapshot->set, handle_of(casts, row));
    if (body == NULL) {
        return NULL;
    }
    *out = gjk_snapshot_place(snapshot, body);
    if (from->has_position) {
        out->pose.position = from->poses[row].position;
    }
    if (from->has_rotation) {
        gjk_pose_turn_as(&out->pose, &from->poses[row]);
    }
    return body;
}

static gjk_rigid_motion motion_of(const struct casts *casts, uint32_t row, const gjk_pose *from) {
    const proto_cast_columns *rows = &casts->rows;
    if (!rows->to.has_rotation) {
        return gjk_rigid_motion_straight(rows->translation[row]);
    }
    gjk_pose to = *from;
    gjk_pose_turn_as(&to, &rows->to.poses[row]);
    gjk_rigid_motion motion = gjk_rigid_motion_between(rows->dimension, from, &to);
    motion.translation = rows->translation[row];
    return motion;
}

/* Asks the row, unless it names what is not there. False: the rest is left undone. */
static bool run_row(struct casts *casts, uint32_t row, gjk_filter *filter, gjk_selection *selection,
                    gjkd_tally *tally) {
    struct gjkd_columns *columns = &casts->columns;
    gjk_cast_settings settings = gjk_cast_settings_default();
    gjk_placed moving;
    gjk_cast_hits hits;
    settings.at_start = casts->rows.at_start;
    if (!gjkd_columns_has_tick(columns, row)) {
        return true;
    }
    selection->except = place(casts, row, &moving);
    if (selection->except == NULL ||
        !gjkd_columns_select(columns, &casts->rows.select, row, filter)) {
        return gjkd_columns_note_refusal(columns, row);
    }
    const gjk_rigid_motion motion = motion_of(casts, row, &moving.pose);
    const gjk_status status = gjk_set_cast_turning(gjkd_columns_snapshot(columns, row), &moving,
                                                   &motion, selection, &settings, &hits);
    if (status != GJK_OK) {
        gjkd_columns_note_failure(columns, status);
        return false;
    }
    proto_cast_answers_set(&casts->answers, row, hits.count > 0 ? &hits.items[0] : NULL);
    if (hits.count > 0) {
        gjkd_tally_add(tally, hits.items[0].result.iterations);
    }
    gjk_arena_reset(selection->arena);
    return true;
}

static void run(gjkd_chunk *chunk) {
    struct casts *casts = chunk->work;
    gjkd_tally tally = {0};
    gjk_filter filter;
    gjk_selection selection = gjkd_columns_closest(&casts->rows.select, chunk, &filter);
    for (uint32_t row;
         gjkd_chunk_next(chunk, &row) && run_row(casts, row, &filter, &selection, &tally);) {
    }
    gjkd_count_tally(casts->columns.request->counters, &tally);
}

static void refuse_slot(const struct gjkd_columns *columns, uint32_t row, uint32_t status) {
    proto_cast_answers_refuse(&((const struct casts *)columns)->answers, row, status);
}

static void refuse_row(const struct gjkd_columns *columns, uint32_t row) {
    const struct casts *casts = (const struct casts *)columns;
    if (gjkd_columns_check_handle(columns, row, handle_of(casts, row), "shape",
                                  casts->rows.shape.rows > 1 ? row : 0)) {
        gjkd_columns_refuse_select(columns, &casts->rows.select, row);
    }
}

static void encode(const struct gjkd_columns *columns, bool is_message, struct proto_buffer *out) {
    proto_cast_answers answers = ((const struct casts *)columns)->answers;
    answers.pose_gap = columns->pose_gap;
    (is_message ? proto_encode_cast_columns : proto_encode_cast_columns_json)(out, &answers);
}

void gjkd_columns_cast(struct gjkd_request *request) {
    static const struct gjkd_columns_kind kind = {
        .op = PROTO_OP_CAST,
        .size = sizeof(struct casts),
        .row_ns = 4000,
        .level_ns = 500,
        .decode = decode,
        .make_slots = make_slots,
        .run = run,
        .refuse_slot = refuse_slot,
        .refuse_row = refuse_row,
        .encode = encode,
    };
    gjkd_columns_answer(request, &kind);
}
