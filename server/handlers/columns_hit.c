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
    proto_hit_rows rows;
    proto_hit_answers answers;
    const struct gjkd_version *obstacles; /* NULL: none */
    gjk_snapshot obstacles_newest;
};

/* Finds the obstacles of the shots. Returns false if refused. */
static bool find_obstacles(struct shots *shots) {
    struct gjkd_request *request = shots->columns.request;
    struct gjkd_query_context context = {.request = request,
                                         .arena = &request->arena,
                                         .problem = &request->problem};
    const proto_text name = shots->rows.obstacles.text;
    if (name.length == 0) {
        return true;
    }
    shots->obstacles = gjkd_query_context_find_set(&context, name.data, "/obstacles");
    if (shots->obstacles == NULL) {
        return false;
    }
    if (shots->rows.obstacles_at_shot.flag && shots->obstacles->history == NULL) {
        proto_problem_set(&request->problem, PROTO_OUT_OF_RANGE,
                          "the set \"%.160s\" keeps no ticks", name.data);
        proto_problem_hint(&request->problem, "PATCH it with \"history\", or ask its newest state");
        return proto_problem_point(&request->problem, "/obstacles_at_shot");
    }
    shots->obstacles_newest = gjk_snapshot_of(shots->obstacles->set);
    return true;
}

static bool decode(struct gjkd_columns *columns, const proto_source *source) {
    struct shots *shots = (struct shots *)columns;
    columns->rows = &shots->rows.rows;
    columns->answers = &shots->answers.answers;
    if (!proto_decode_hit_rows(source, &shots->rows)) {
        return false;
    }
    const bool has_obstacles = shots->rows.obstacles.text.length > 0;
    *columns->answers = (proto_answers){
        .table = &proto_hit_answers_table,
        .slots = shots->answers.slots,
        .needs = (has_obstacles ? PROTO_NEEDS_OBSTACLES : 0) |
                 (shots->rows.at_tick.count > 0 ? PROTO_NEEDS_REWIND : 0),
    };
    columns->filter.mask = proto_bits_or_all(&shots->rows.mask);
    columns->filter.category = proto_bits_or_all(&shots->rows.category);
    return find_obstacles(shots);
}

static bool needs_lost_tick(const struct gjkd_version *version, double tick) {
    gjk_rewound rewound;
    return version != NULL && version->history != NULL &&
           gjk_history_at(version->history, tick, &rewound) == GJK_REWIND_OK && rewound.is_gap;
}

/* Only sets of a cluster lack ticks. */
static void find_states(struct gjkd_columns *columns) {
    const struct shots *shots = (const struct shots *)columns;
    const struct gjkd_version *version = columns->request->version;
    const struct gjkd_version *obstacles =
        shots->rows.obstacles_at_shot.flag ? shots->obstacles : NULL;
    const uint32_t count = version->is_shared ? shots->rows.at_tick.count : 0;
    for (uint32_t i = 0; i < count; i++) {
        const double tick = proto_double_at(&shots->rows.at_tick, i);
        if (needs_lost_tick(version, tick) || needs_lost_tick(obstacles, tick)) {
            gjkd_columns_note_gap(columns, i);
        }
    }
}

static gjk_rewind rewind_to(const struct gjkd_version *version, double tick, gjk_rewound *rewound) {
    return version->history != NULL ? gjk_history_at(version->history, tick, rewound)
                                    : GJK_REWIND_EXPIRED;
}

/* Finds the states that the shot is judged in. */
static void rewind_row(const struct shots *shots, uint32_t row, gjk_shot *shot,
                       gjk_snapshot *obstacles, proto_rewind *rewind) {
    const struct gjkd_version *version = shots->columns.request->version;
    const proto_hit_rows *rows = &shots->rows;
    gjk_rewound then;
    shot->rewind = shot->obstacles_rewind = GJK_REWIND_OK;
    shot->snapshot = shots->columns.newest;
    *obstacles = shots->obstacles_newest;
    shot->obstacles = shots->obstacles != NULL ? obstacles : NULL;
    if (rows->at_tick.count == 0) {
        return;
    }
    const double tick = proto_double_at(&rows->at_tick, row);
    shot->rewind = rewind_to(version, tick, &then);
    if (shot->rewind == GJK_REWIND_OK) {
        shot->snapshot = then.snapshot;
        shot->age_ticks = (double)gjk_history_newest(version->history) - tick;
        *rewind = (proto_rewind){.is_found = true,
                                 .from = then.from,
                                 .to = then.to,
                                 .alpha = then.snapshot.alpha};
    }
    if (shots->obstacles != NULL && rows->obstacles_at_shot.flag) {
        shot->obstacles_rewind = rewind_to(shots->obstacles, tick, &then);
        if (shot->obstacles_rewind == GJK_REWIND_OK) {
            *obstacles = then.snapshot;
        }
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
    const uint32_t handle = proto_uint_at(&shots->rows.shooter_of, row);
    if (handle == PROTO_NO_HANDLE || shot->rewind != GJK_REWIND_OK) {
        return true;
    }
    const gjk_body *shooter = find(shots, shot, handle);
    shot->shooter = shooter != NULL ? shooter->group : NULL;
    return shooter != NULL;
}

/* Sets the claim, by id or group; where there was no such shape, to one that nothing meets. */
static void name_claim(const struct shots *shots, uint32_t row, gjk_shot *shot) {
    const uint32_t handle = proto_uint_at(&shots->rows.claim, row);
    const bool by_group = shots->rows.claim_group.flag;
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

static bool answer(struct gjkd_columns *columns, struct gjkd_columns_row *row, gjk_status *status) {
    struct shots *shots = (struct shots *)columns;
    const gjk_ray_settings defaults = gjk_ray_settings_default();
    const double ticks = shots->rows.max_rewind_ticks.number;
    gjk_shot shot = {
        .ray = shots->rows.rays[row->index],
        .radius = proto_double_at(&shots->rows.radius, row->index),
        .filter = columns->filter,
        .tolerance = defaults.tolerance,
        .max_iterations = defaults.max_iterations,
        .max_rewind_ticks = ticks > 0.0 ? ticks : INFINITY,
        .obstacles_filter = &columns->filter,
        .near_miss = -1.0,
        .near_miss_limit = 1,
        .budget = row->selection.budget,
    };
    gjk_snapshot obstacles;
    gjk_judgement judgement;
    proto_rewind rewind = {.is_found = false};
    rewind_row(shots, row->index, &shot, &obstacles, &rewind);
    if (!name_shooter(shots, row->index, &shot)) {
        return false;
    }
    name_claim(shots, row->index, &shot);
    *status = gjk_shot_judge(&shot, row->memory, &judgement);
    if (*status == GJK_OK) {
        proto_hit_answers_set(&shots->answers, row->index, &judgement, &rewind);
        if (judgement.has_hit) {
            gjkd_tally_add(&row->tally, judgement.hit.result.iterations);
        }
    }
    return true;
}

void gjkd_columns_hit(struct gjkd_request *request) {
    static const struct gjkd_columns_kind kind = {.op = PROTO_OP_HIT,
                                                  .size = sizeof(struct shots),
                                                  .row_ns = 2000,
                                                  .level_ns = 400,
                                                  .decode = decode,
                                                  .find_states = find_states,
                                                  .answer = answer};
    gjkd_columns_answer(request, &kind);
}
