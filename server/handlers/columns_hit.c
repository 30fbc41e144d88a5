/*
 * Column messages of shots: each is judged as a shot in JSON is, the shooter and what is claimed
 * named by handles. A tick that is not kept is no mistake of the message but a verdict.
 */

#include "handlers/columns.h"
#include "request/context.h"
#include "request/query_context.h"
#include "request/request.h"
#include "request/telemetry.h"

struct shots {
    struct gjkd_columns columns; /* first: it is cast back */
    proto_hit_columns rows;
    proto_hit_answers answers;
    const struct gjkd_version *obstacles; /* NULL: none */
    gjk_snapshot obstacles_newest;
    gjk_filter filter; /* of targets and obstacles */
};

/* Finds the obstacles of the shots. Returns false if refused. */
static bool find_obstacles(struct shots *shots) {
    struct gjkd_request *request = shots->columns.request;
    struct gjkd_query_context context = {.request = request,
                                         .arena = &request->arena,
                                         .problem = &request->problem};
    if (shots->rows.obstacles == NULL) {
        return true;
    }
    shots->obstacles = gjkd_query_context_find_set(&context, shots->rows.obstacles, "/obstacles");
    if (shots->obstacles == NULL) {
        return false;
    }
    if (shots->rows.obstacles_at_shot && shots->obstacles->history == NULL) {
        proto_problem_set(&request->problem, PROTO_OUT_OF_RANGE,
                          "the set \"%.160s\" keeps no ticks", shots->rows.obstacles);
        proto_problem_hint(&request->problem, "PATCH it with \"history\", or ask its newest state");
        return proto_problem_point(&request->problem, "/obstacles_at_shot");
    }
    shots->obstacles_newest = gjk_snapshot_of(shots->obstacles->set);
    return true;
}

static bool decode(struct gjkd_columns *columns, proto_text body) {
    struct shots *shots = (struct shots *)columns;
    struct gjkd_request *request = columns->request;
    if (!proto_decode_hit_columns(body, request->version->dimension, &request->context->limits,
                                  &request->arena, &shots->rows, &request->problem)) {
        return false;
    }
    columns->count = shots->rows.count;
    columns->partial = shots->rows.partial;
    shots->filter = gjk_filter_default();
    shots->filter.mask = shots->rows.mask;
    shots->filter.category = shots->rows.category;
    return find_obstacles(shots);
}

static bool needs_lost_tick(const struct gjkd_version *version, double tick) {
    gjk_rewound rewound;
    return version != NULL && version->history != NULL &&
           gjk_history_at(version->history, tick, &rewound) == GJK_REWIND_OK && rewound.is_gap;
}

/* Only sets of a cluster lack ticks. */
static bool note_gaps(struct shots *shots) {
    struct gjkd_columns *columns = &shots->columns;
    const struct gjkd_version *version = columns->request->version;
    const struct gjkd_version *obstacles = shots->rows.obstacles_at_shot ? shots->obstacles : NULL;
    const uint32_t rows = version->is_shared ? shots->rows.at_tick.rows : 0;
    bool is_fine = true;
    for (uint32_t i = 0; i < rows && is_fine; i++) {
        const double tick = shots->rows.at_tick.values[i];
        if (needs_lost_tick(version, tick) || needs_lost_tick(obstacles, tick)) {
            is_fine = gjkd_columns_note_gap(columns, i, rows);
        }
    }
    return is_fine;
}

static bool make_slots(struct gjkd_columns *columns) {
    struct shots *shots = (struct shots *)columns;
    if (!note_gaps(shots) || !proto_hit_answers_init(&shots->answers, shots->rows.dimension,
                                                     columns->count, &columns->request->arena)) {
        return false;
    }
    shots->answers.revision = columns->request->version->revision;
    return true;
}

static gjk_rewind rewind_to(const struct gjkd_version *version, double tick,
                            gjk_snapshot *snapshot) {
    gjk_rewound rewound;
    gjk_rewind rewind = GJK_REWIND_EXPIRED;
    if (version->history != NULL) {
        rewind = gjk_history_at(version->history, tick, &rewound);
    }
    if (rewind == GJK_REWIND_OK) {
        *snapshot = rewound.snapshot;
    }
    return rewind;
}

/* The states that the shot is judged in. */
static void rewind_row(const struct shots *shots, uint32_t row, gjk_shot *shot,
                       gjk_snapshot *obstacles) {
    const struct gjkd_version *version = shots->columns.request->version;
    const proto_hit_columns *rows = &shots->rows;
    shot->rewind = shot->obstacles_rewind = GJK_REWIND_OK;
    shot->snapshot = shots->columns.newest;
    *obstacles = shots->obstacles_newest;
    shot->obstacles = shots->obstacles != NULL ? obstacles : NULL;
    if (rows->at_tick.rows == 0) {
        return;
    }
    const double tick = proto_double_at(rows->at_tick, row, 0.0);
    shot->rewind = rewind_to(version, tick, &shot->snapshot);
    if (shot->rewind == GJK_REWIND_OK) {
        shot->age_ticks = (double)gjk_history_newest(version->history) - tick;
    }
    if (shots->obstacles != NULL && rows->obstacles_at_shot) {
        shot->obstacles_rewind = rewind_to(shots->obstacles, tick, obstacles);
    }
}

/* The shape of a handle as it was then, or else as it is now; NULL: neither. */
static const gjk_body *find(const struct shots *shots, const gjk_shot *shot, uint32_t handle) {
    const gjk_body *body = NULL;
    if (shot->rewind == GJK_REWIND_OK) {
        body = gjk_set_find_handle(shot->snapshot.set, handle);
    }
    return body != NULL ? body : gjk_set_find_handle(shots->columns.newest.set, handle);
}

/* Sets the shooter, unless there is no such tick. Returns false if there is no such shape. */
static bool name_shooter(const struct shots *shots, uint32_t row, gjk_shot *shot) {
    const uint32_t handle = proto_uint_at(shots->rows.shooter_of, row, PROTO_NO_HANDLE);
    if (handle == PROTO_NO_HANDLE || shot->rewind != GJK_REWIND_OK) {
        return true;
    }
    const gjk_body *shooter = find(shots, shot, handle);
    shot->shooter = shooter != NULL ? shooter->group : NULL;
    return shooter != NULL;
}

/* Sets the claim, by id or group; where there was no such shape, to one that nothing meets. */
static void name_claim(const struct shots *shots, uint32_t row, gjk_shot *shot) {
    const uint32_t handle =
        shots->rows.claim.rows > 0 ? shots->rows.claim.values[row] : PROTO_NO_HANDLE;
    const bool by_group = shots->rows.claim_group;
    if (handle == PROTO_NO_HANDLE || shot->rewind != GJK_REWIND_OK) {
        return;
    }
    const gjk_body *claimed =
        by_group ? find(shots, shot, handle) : gjk_set_find_handle(shot->snapshot.set, handle);
    if (!by_group || claimed == NULL || claimed->group == NULL) {
        shot->claim_id = !by_group && claimed != NULL ? claimed->id : "";
    } else {
        shot->claim_group = claimed->group;
    }
}

/* Judges the row. False: the rest is left undone. */
static bool run_row(struct shots *shots, uint32_t row, const gjkd_chunk *chunk, gjkd_tally *tally) {
    const gjk_ray_settings defaults = gjk_ray_settings_default();
    gjk_shot shot = {
        .ray = shots->rows.rays[row],
        .radius = proto_double_at(shots->rows.radius, row, 0.0),
        .filter = shots->filter,
        .tolerance = defaults.tolerance,
        .max_iterations = defaults.max_iterations,
        .max_rewind_ticks = shots->rows.max_rewind_ticks,
        .obstacles_filter = &shots->filter,
        .near_miss = -1.0,
        .near_miss_limit = 1,
        .budget = chunk->memory->budget,
    };
    gjk_snapshot obstacles;
    gjk_judgement judgement;
    rewind_row(shots, row, &shot, &obstacles);
    if (!name_shooter(shots, row, &shot)) {
        return gjkd_columns_note_refusal(&shots->columns, row);
    }
    name_claim(shots, row, &shot);
    const gjk_status status = gjk_shot_judge(&shot, chunk->memory, &judgement);
    if (status != GJK_OK) {
        gjkd_columns_note_failure(&shots->columns, status);
        return false;
    }
    proto_hit_answers_set(&shots->answers, row, &judgement);
    if (judgement.has_hit) {
        gjkd_tally_add(tally, judgement.hit.result.iterations);
    }
    gjk_arena_reset(chunk->memory);
    return true;
}

static void run(gjkd_chunk *chunk) {
    struct shots *shots = chunk->work;
    gjkd_tally tally = {0};
    for (uint32_t row; gjkd_chunk_next(chunk, &row) && run_row(shots, row, chunk, &tally);) {
    }
    gjkd_count_tally(shots->columns.request->counters, &tally);
}

static void refuse_slot(const struct gjkd_columns *columns, uint32_t row, uint32_t status) {
    proto_hit_answers_refuse(&((const struct shots *)columns)->answers, row, status);
}

static void refuse_row(const struct gjkd_columns *columns, uint32_t row) {
    const proto_uints *handles = &((const struct shots *)columns)->rows.shooter_of;
    (void)gjkd_columns_check_handle(columns, row, proto_uint_at(*handles, row, PROTO_NO_HANDLE),
                                    "shooter_of", handles->rows > 1 ? row : 0);
}

static void encode(const struct gjkd_columns *columns, bool is_message, struct proto_buffer *out) {
    proto_hit_answers answers = ((const struct shots *)columns)->answers;
    answers.pose_gap = columns->pose_gap;
    (is_message ? proto_encode_hit_columns : proto_encode_hit_columns_json)(out, &answers);
}

void gjkd_columns_hit(struct gjkd_request *request) {
    static const struct gjkd_columns_kind kind = {
        .op = PROTO_OP_HIT,
        .size = sizeof(struct shots),
        .row_ns = 2000,
        .level_ns = 400,
        .decode = decode,
        .make_slots = make_slots,
        .run = run,
        .refuse_slot = refuse_slot,
        .refuse_row = refuse_row,
        .encode = encode,
    };
    gjkd_columns_answer(request, &kind);
}
