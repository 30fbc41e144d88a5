/* Column messages of rays: each at the whole set, for the closest hit. */

#include "handlers/columns.h"
#include "request/context.h"
#include "request/request.h"
#include "request/telemetry.h"

#include <string.h>

struct rays {
    struct gjkd_columns columns; /* first: it is cast back */
    proto_ray_columns rows;
    proto_ray_answers answers;
};

static bool decode(struct gjkd_columns *columns, proto_text body) {
    struct rays *rays = (struct rays *)columns;
    struct gjkd_request *request = columns->request;
    if (!proto_decode_ray_columns(body, request->version->dimension, &request->context->limits,
                                  &request->arena, &rays->rows, &request->problem)) {
        return false;
    }
    columns->count = rays->rows.count;
    columns->at_tick = rays->rows.at_tick;
    columns->partial = rays->rows.partial;
    return true;
}

static bool make_slots(struct gjkd_columns *columns) {
    struct rays *rays = (struct rays *)columns;
    if (!proto_ray_answers_init(&rays->answers, rays->rows.dimension, columns->count,
                                rays->rows.exits, &columns->request->arena)) {
        return false;
    }
    rays->answers.revision = columns->request->version->revision;
    return true;
}

/* GIVEN_UP, OUT_OF_MEMORY. */
static gjk_status raycast_row(const struct rays *rays, uint32_t row, const gjk_selection *selection,
                              const gjk_ray_settings *settings, gjkd_tally *tally) {
    const gjk_snapshot *snapshot = gjkd_columns_snapshot(&rays->columns, row);
    const gjk_ray *ray = &rays->rows.rays[row];
    gjk_ray_hits hits;
    double exit = 0.0;
    gjk_status status = gjk_set_raycast(snapshot, ray, selection, settings, &hits);
    if (status == GJK_OK && rays->rows.exits && hits.count > 0) {
        const gjk_placed placed = gjk_snapshot_place(snapshot, hits.items[0].body);
        status = gjk_ray_exit(&placed, ray, &hits.items[0].result, settings, &exit);
    }
    if (status != GJK_OK) {
        return status;
    }
    proto_ray_answers_set(&rays->answers, row, hits.count > 0 ? &hits.items[0] : NULL, exit);
    if (hits.count > 0) {
        gjkd_tally_add(tally, hits.items[0].result.iterations);
    }
    return GJK_OK;
}

/* Asks the row, unless it names what is not there. False: the rest is left undone. */
static bool run_row(struct rays *rays, uint32_t row, gjk_filter *filter,
                    const gjk_selection *selection, const gjk_ray_settings *settings,
                    gjkd_tally *tally) {
    if (!gjkd_columns_has_tick(&rays->columns, row)) {
        return true;
    }
    if (!gjkd_columns_select(&rays->columns, &rays->rows.select, row, filter)) {
        return gjkd_columns_note_refusal(&rays->columns, row);
    }
    const gjk_status status = raycast_row(rays, row, selection, settings, tally);
    if (status != GJK_OK) {
        gjkd_columns_note_failure(&rays->columns, status);
    }
    gjk_arena_reset(selection->arena);
    return status == GJK_OK;
}

static void run(gjkd_chunk *chunk) {
    struct rays *rays = chunk->work;
    gjkd_tally tally = {0};
    gjk_filter filter;
    const gjk_selection selection = gjkd_columns_closest(&rays->rows.select, chunk, &filter);
    gjk_ray_settings settings = gjk_ray_settings_default();
    settings.solid = rays->rows.solid;
    settings.budget = selection.budget;
    for (uint32_t row; gjkd_chunk_next(chunk, &row) &&
                       run_row(rays, row, &filter, &selection, &settings, &tally);) {
    }
    gjkd_count_tally(rays->columns.request->counters, &tally);
}

static void refuse_slot(const struct gjkd_columns *columns, uint32_t row, uint32_t status) {
    proto_ray_answers_refuse(&((const struct rays *)columns)->answers, row, status);
}

static void refuse_row(const struct gjkd_columns *columns, uint32_t row) {
    gjkd_columns_refuse_select(columns, &((const struct rays *)columns)->rows.select, row);
}

static void encode(const struct gjkd_columns *columns, bool is_message, struct proto_buffer *out) {
    proto_ray_answers answers = ((const struct rays *)columns)->answers;
    answers.pose_gap = columns->pose_gap;
    (is_message ? proto_encode_ray_columns : proto_encode_ray_columns_json)(out, &answers);
}

void gjkd_columns_raycast(struct gjkd_request *request) {
    static const struct gjkd_columns_kind kind = {
        .op = PROTO_OP_RAYCAST,
        .size = sizeof(struct rays),
        .row_ns = 1000,
        .level_ns = 200,
        .decode = decode,
        .make_slots = make_slots,
        .run = run,
        .refuse_slot = refuse_slot,
        .refuse_row = refuse_row,
        .encode = encode,
    };
    gjkd_columns_answer(request, &kind);
}
