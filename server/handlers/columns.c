/*
 * Column messages of queries: rays, pairs, casts, moves, shots, and one shape against the set. The
 * message is decoded and checked as a whole; then its rows are answered in chunks. Each row makes
 * the same call of the core as the JSON query, so its numbers are the same to the bit. The first
 * row that names a missing shape or tick refuses the message, unless `partial` is set.
 */

#include "handlers/blocks.h"
#include "handlers/query.h"
#include "request/context.h"
#include "request/telemetry.h"

#include <stdio.h>
#include <string.h>

/* Columns with the shape of each row and its pose. Columns that the message lacks are empty. */
struct operand_columns {
    const proto_field *handle, *position, *rotation;
    const gjk_pose *poses;
};

/* A message that is being answered. */
struct columns {
    struct gjkd_block block; /* first: it is cast back */
    const struct kind *kind;
    union { /* the decoded message, by its kind */
        struct {
            proto_rows rows;
            proto_field fields[PROTO_COLUMNS_MAX];
        };
        proto_raycast_columns rays;
        proto_pair_columns pairs;
        proto_cast_columns casts;
        proto_nearest_columns nearests;
        proto_overlap_columns overlaps;
        proto_move_columns moves;
        proto_hit_columns shots;
    };
    proto_any_answers out;
    const proto_field *at_tick, *mask, *category, *ignore_group_of; /* columns, may be empty */
    struct operand_columns a, b;                                    /* likewise */
    const gjk_shape *point; /* a point, for rows without a shape; NULL: each row has a shape */
    gjk_filter filter;      /* filter of all rows; select_row adds a row's own */
    uint32_t limit;         /* most lines of a row; 0: no limit */
    bool partial;           /* rows that cannot be answered do not refuse the message */
    gjk_snapshot newest;
    const gjk_snapshot *then; /* snapshot for each value of at_tick; NULL: newest for all rows */
    const uint8_t *lacking;   /* PROTO_ROW_... for each value of at_tick; NULL: all are kept */
    const struct gjkd_version *obstacles[PROTO_OBSTACLES_MAX]; /* sets of obstacles of shots */
    uint32_t obstacles_count;
};

/* A row that is being answered, and memory of its chunk. */
struct row {
    uint32_t index;
    const gjk_snapshot *snapshot; /* state that the row asks */
    gjk_placed a, b;              /* shapes of the row, if it names any */
    gjk_filter filter;
    gjk_selection selection; /* uses `filter`, excludes a, and limits the lines */
    struct gjk_arena *memory;
    gjkd_tally tally;
    bool is_unknown; /* the row names a missing shape */
};

/* A kind of message. */
struct kind {
    proto_op op;
    const proto_table *asked, *told;
    const proto_result_type *results;
    uint64_t row_ns;   /* estimated time of a row */
    uint64_t level_ns; /* estimated time of a row for each level of the tree */
    /* Sets which columns the answers need. Returns false with the problem set if the message is
     * invalid in a way that its table allows. May be NULL. */
    bool (*lay_out)(struct columns *columns);
    /* Finds other sets and notes gaps, for kinds whose answer may be that a tick is not kept. NULL:
     * such a row is refused. Returns false if it has refused the request. */
    bool (*find_states)(struct columns *columns);
    /* Answers a row, on any thread, or sets row->is_unknown. */
    gjk_status (*answer)(struct columns *columns, struct row *row);
};

/* --- Answers of rows --- */

/* Copies a row's list to the request's arena. Empties it if all rows together exceed answers_max,
 * since the message will be refused. Returns NULL if memory is exhausted. */
static void *keep_lines(struct columns *columns, const void *items, uint32_t *count, size_t size) {
    const uint64_t before = atomic_fetch_add(&columns->block.lists->lines, *count);
    if (before + *count > columns->block.request->context->limits.answers_max) {
        *count = 0;
    }
    return gjkd_block_keep(&columns->block, items, *count, size);
}

/* Sets the answer of a row and counts its iterations. Copies lists to the request's arena. */
static gjk_status set_answer(struct columns *columns, struct row *row, const void *items,
                             uint32_t count) {
    const proto_result_type *results = columns->kind->results;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t iterations;
        memcpy(&iterations, (const char *)items + i * results->size + results->iterations,
               sizeof iterations);
        gjkd_tally_add(&row->tally, iterations);
    }
    if (columns->out.answers.has_lists) {
        items = keep_lines(columns, items, &count, results->size);
        if (items == NULL) {
            return GJK_OUT_OF_MEMORY;
        }
    }
    proto_answers_set(&columns->out.answers, row->index, items, count);
    return GJK_OK;
}

/* Sets pose_gap for the rows that use value `row` of at_tick. Called before rows run. */
static void note_gap(struct columns *columns, uint32_t row) {
    const bool serves_all = columns->at_tick->step == 0;
    for (uint32_t i = row; i < (serves_all ? columns->rows.count : row + 1); i++) {
        proto_set_some(columns->out.answers.pose_gap, i, 1);
    }
}

/* --- Rays --- */

/* Returns the columns that answers of rays and casts need, by their mode. */
static uint32_t needs_of(const proto_field *mode, uint32_t needs) {
    return mode->uint == PROTO_RAY_ANY   ? 0
           : mode->uint == PROTO_RAY_ALL ? needs | PROTO_NEEDS_HITS | PROTO_NEEDS_COUNT
                                         : needs | PROTO_NEEDS_HITS;
}

static bool lay_out_rays(struct columns *columns) {
    const proto_raycast_columns *asked = &columns->rays;
    columns->out.answers.needs = needs_of(&asked->mode, asked->exits.flag ? PROTO_NEEDS_EXITS : 0);
    return true;
}

/* Sets the answer of a row in mode `any`. */
static gjk_status set_any_answer(struct columns *columns, const struct row *row, bool hit) {
    proto_answers_set_any(&columns->out.answers, row->index, hit);
    return !hit && gjk_budget_is_spent(row->selection.budget) ? GJK_GIVEN_UP : GJK_OK;
}

static gjk_status answer_ray(struct columns *columns, struct row *row) {
    const proto_raycast_columns *asked = &columns->rays;
    const gjk_ray *ray = &columns->rows.rays[row->index];
    gjk_ray_settings settings = gjk_ray_settings_default();
    gjk_ray_hits hits;
    settings.solid = !asked->not_solid.flag;
    settings.budget = row->selection.budget;
    if (asked->mode.uint == PROTO_RAY_ANY) {
        return set_any_answer(columns, row,
                              gjk_set_raycast_any(row->snapshot, ray, &row->selection, &settings));
    }
    gjk_status status = gjk_set_raycast(row->snapshot, ray, &row->selection, &settings, &hits);
    if (status != GJK_OK) {
        return status;
    }
    proto_ray_item *items = gjk_arena_alloc_array(row->memory, hits.count, sizeof *items);
    if (items == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < hits.count && status == GJK_OK; i++) {
        items[i] = (proto_ray_item){.hit = hits.items[i]};
        if (asked->exits.flag) {
            const gjk_placed placed = gjk_snapshot_place(row->snapshot, items[i].hit.body);
            status = gjk_ray_exit(&placed, ray, &items[i].hit.result, &settings, &items[i].exit);
        }
    }
    return status == GJK_OK ? set_answer(columns, row, items, hits.count) : status;
}

/* --- Pairs --- */

static bool lay_out_detect(struct columns *columns) {
    const proto_pair_columns *asked = &columns->pairs;
    struct proto_problem *problem = &columns->block.request->problem;
    columns->out.answers.needs = asked->no_penetration.flag ? 0 : PROTO_NEEDS_PENETRATION;
    if (asked->is_signed.flag) {
        proto_problem_set(problem, PROTO_UNKNOWN_MEMBER, "signed has no meaning but for distances");
        return proto_problem_point(problem, "/signed");
    }
    return true;
}

static gjk_status answer_detect(struct columns *columns, struct row *row) {
    gjk_detect_settings settings = gjk_detect_settings_default();
    settings.penetration = !columns->pairs.no_penetration.flag;
    settings.of_pieces = columns->pairs.pieces.flag;
    settings.budget = row->selection.budget;
    const gjk_detect_result result = gjk_detect(&row->a, &row->b, &settings);
    return result.given_up ? GJK_GIVEN_UP : set_answer(columns, row, &result, 1);
}

static gjk_status answer_distance(struct columns *columns, struct row *row) {
    gjk_distance_settings settings = gjk_distance_settings_default();
    settings.is_signed = columns->pairs.is_signed.flag;
    settings.of_pieces = columns->pairs.pieces.flag;
    settings.budget = row->selection.budget;
    const gjk_distance_result result = gjk_distance(&row->a, &row->b, &settings);
    return result.given_up ? GJK_GIVEN_UP : set_answer(columns, row, &result, 1);
}

/* --- Casts --- */

static bool lay_out_casts(struct columns *columns) {
    const bool resolves = columns->casts.at_start.uint == GJK_AT_START_RESOLVE;
    columns->out.answers.needs = needs_of(&columns->casts.mode, resolves ? PROTO_NEEDS_DEPTH : 0);
    return true;
}

static gjk_status answer_cast(struct columns *columns, struct row *row) {
    const proto_cast_columns *asked = &columns->casts;
    const uint32_t dimension = columns->rows.dimension;
    const gjk_vec3 way = proto_vector_at(&asked->translation, dimension, row->index);
    gjk_rigid_motion motion = gjk_rigid_motion_straight(way);
    gjk_cast_settings settings = gjk_cast_settings_default();
    gjk_cast_hits hits;
    if (columns->rows.to_poses != NULL) {
        gjk_pose to = row->a.pose;
        gjk_pose_turn_as(&to, &columns->rows.to_poses[row->index]);
        motion = gjk_rigid_motion_between(dimension, &row->a.pose, &to);
        motion.translation = way;
    }
    settings.at_start = (gjk_at_start)asked->at_start.uint;
    settings.budget = row->selection.budget;
    if (asked->mode.uint == PROTO_RAY_ANY) {
        return set_any_answer(columns, row,
                              gjk_set_cast_turning_any(row->snapshot, &row->a, &motion,
                                                       &row->selection, &settings));
    }
    const gjk_status status =
        gjk_set_cast_turning(row->snapshot, &row->a, &motion, &row->selection, &settings, &hits);
    return status == GJK_OK ? set_answer(columns, row, hits.items, hits.count) : status;
}

/* --- One shape against the set --- */

static bool lay_out_nearest(struct columns *columns) {
    struct gjkd_request *request = columns->block.request;
    gjk_shape *point = gjk_arena_alloc(&request->arena, sizeof *point);
    columns->point = point;
    columns->limit = columns->limit > 0 ? columns->limit : 1;
    return (point != NULL &&
            gjk_shape_make_point(&request->arena, columns->rows.dimension, 0.0, point) == GJK_OK) ||
           proto_problem_set(&request->problem, PROTO_OUT_OF_MEMORY, "no memory for a point");
}

static gjk_status answer_nearest(struct columns *columns, struct row *row) {
    gjk_distance_settings settings = gjk_distance_settings_default();
    gjk_nears nears;
    settings.is_signed = columns->nearests.is_signed.flag;
    settings.budget = row->selection.budget;
    const gjk_status status =
        gjk_set_nearest(row->snapshot, &row->a,
                        proto_double_at(&columns->nearests.max_distance, row->index),
                        &row->selection, &settings, &nears);
    return status == GJK_OK ? set_answer(columns, row, nears.items, nears.count) : status;
}

static bool lay_out_overlaps(struct columns *columns) {
    columns->out.answers.needs =
        columns->overlaps.penetration.uint > 0 ? PROTO_NEEDS_PENETRATION : 0;
    return true;
}

static gjk_status answer_overlap(struct columns *columns, struct row *row) {
    gjk_detect_settings settings = gjk_detect_settings_default();
    gjk_hits hits;
    settings.penetration = columns->overlaps.penetration.uint > 0;
    settings.of_pieces = columns->overlaps.penetration.uint == 2;
    settings.budget = row->selection.budget;
    const gjk_status status =
        gjk_set_detect(row->snapshot, &row->a, &row->selection, &settings, &hits);
    return status == GJK_OK ? set_answer(columns, row, hits.items, hits.count) : status;
}

/* --- Moves --- */

static gjk_status answer_move(struct columns *columns, struct row *row) {
    static const proto_options options = {GJK_TOLERANCE_DEFAULT, GJK_ITERATIONS_DEFAULT};
    const proto_move asked = proto_move_at(&columns->moves, row->index);
    const gjk_vec3 way =
        proto_vector_at(&columns->moves.translation, columns->rows.dimension, row->index);
    const gjk_move move = gjkd_query_move(&asked, &row->a, way, &options);
    gjk_move_result result;
    const gjk_status status = gjk_set_move(row->snapshot, &move, &row->selection, &result);
    if (status != GJK_OK) {
        return status;
    }
    result.items = keep_lines(columns, result.items, &result.count, sizeof *result.items);
    result.legs =
        gjkd_block_keep(&columns->block, result.legs, result.leg_count, sizeof *result.legs);
    if (result.items == NULL || result.legs == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    proto_answers_set_move(&columns->out.answers, row->index, &result);
    gjkd_tally_add(&row->tally, result.iterations);
    return GJK_OK;
}

/* --- Shots --- */

/*
 * Shots are judged as in JSON, but shooter and claim are handles. If a tick is not kept, the
 * verdict says so; the row is not refused.
 */

/* Finds the sets of obstacles. Returns false with the request's problem set if it is refused. */
static bool find_obstacles(struct columns *columns) {
    struct gjkd_request *request = columns->block.request;
    struct proto_problem *problem = &request->problem;
    const proto_hit_columns *asked = &columns->shots;
    struct gjkd_query_context context = {.request = request,
                                         .arena = &request->arena,
                                         .problem = problem};
    const uint32_t first = asked->obstacles.text.length == 0; /* skips an empty `obstacles` */
    columns->obstacles_count = 0;
    for (uint32_t i = first; i <= asked->more_obstacles.count; i++) {
        const char *name = i == 0 ? asked->obstacles.text.data : asked->more_obstacles.texts[i - 1];
        char place[32] = "obstacles";
        if (i > 0) {
            snprintf(place, sizeof place, "more_obstacles/%u", i - 1);
        }
        const struct gjkd_version *found = gjkd_query_find_set(&context, name, place);
        if (found != NULL && asked->obstacles_at_shot.flag && found->history == NULL) {
            gjkd_refuse_without_ticks(found, PROTO_OUT_OF_RANGE, problem);
            return proto_problem_point(problem, "/obstacles_at_shot");
        }
        if (found == NULL) {
            return false;
        }
        columns->obstacles[columns->obstacles_count++] = found;
    }
    return true;
}

static bool lay_out_shots(struct columns *columns) {
    const proto_hit_columns *asked = &columns->shots;
    columns->filter.mask = proto_bits_or_all(&asked->mask);
    columns->filter.category = proto_bits_or_all(&asked->category);
    const bool is_found = find_obstacles(columns);
    columns->out.answers.needs = (columns->obstacles_count > 0 ? PROTO_NEEDS_OBSTACLES : 0) |
                                 (asked->at_tick.count > 0 ? PROTO_NEEDS_REWIND : 0) |
                                 (asked->near_miss.number > 0.0 ? PROTO_NEEDS_NEAR : 0);
    return is_found;
}

static bool needs_lost_tick(const struct gjkd_version *version, double tick) {
    gjk_rewound rewound;
    return gjk_history_at(version->history, tick, &rewound) == GJK_REWIND_OK && rewound.is_gap;
}

/* Finds the obstacles, and the rows whose tick is interpolated over a gap. Only sets of a cluster
 * have gaps. */
static bool find_states(struct columns *columns) {
    if (!find_obstacles(columns)) { /* again: a tick may be made */
        return gjkd_request_refuse(columns->block.request);
    }
    const struct gjkd_version *version = columns->block.request->version;
    const uint32_t others = columns->shots.obstacles_at_shot.flag ? columns->obstacles_count : 0;
    const uint32_t count = version->is_shared ? columns->shots.at_tick.count : 0;
    for (uint32_t i = 0; i < count; i++) {
        const double tick = proto_double_at(&columns->shots.at_tick, i);
        bool is_gap = needs_lost_tick(version, tick);
        for (uint32_t k = 0; k < others; k++) {
            is_gap = is_gap || needs_lost_tick(columns->obstacles[k], tick);
        }
        if (is_gap) {
            note_gap(columns, i);
        }
    }
    return true;
}

/* Sets the states of the set and of its obstacles in which the shot is judged. */
static void rewind_row(const struct columns *columns, uint32_t row, gjk_shot *shot,
                       gjk_obstacles *obstacles, proto_rewind *rewind) {
    const struct gjkd_version *version = columns->block.request->version;
    const proto_hit_columns *rows = &columns->shots;
    const bool has_tick = rows->at_tick.count > 0;
    const double tick = has_tick ? proto_double_at(&rows->at_tick, row) : 0.0;
    gjk_rewound then;
    shot->rewind = has_tick ? gjk_history_at(version->history, tick, &then) : GJK_REWIND_OK;
    shot->snapshot = columns->newest;
    if (has_tick && shot->rewind == GJK_REWIND_OK) {
        shot->snapshot = then.snapshot;
        shot->age_ticks = (double)gjk_history_newest(version->history) - tick;
        *rewind = (proto_rewind){.is_found = true,
                                 .from = then.from,
                                 .to = then.to,
                                 .alpha = then.snapshot.alpha};
    }
    shot->obstacles = obstacles;
    shot->obstacles_count = columns->obstacles_count;
    for (uint32_t i = 0; i < columns->obstacles_count; i++) {
        obstacles[i] = (gjk_obstacles){gjk_snapshot_of(columns->obstacles[i]->set), GJK_REWIND_OK,
                                       &columns->filter};
        if (has_tick && rows->obstacles_at_shot.flag) {
            obstacles[i].rewind = gjk_history_at(columns->obstacles[i]->history, tick, &then);
            if (obstacles[i].rewind == GJK_REWIND_OK) {
                obstacles[i].snapshot = then.snapshot;
            }
        }
    }
}

/* Returns the shape with that handle at the tick of the shot, or else the newest, or NULL. */
static const gjk_body *find_shape(const struct columns *columns, const gjk_shot *shot,
                                  uint32_t handle) {
    const gjk_body *body = gjk_set_find_handle(shot->snapshot.set, handle);
    return body != NULL ? body : gjk_set_find_handle(columns->newest.set, handle);
}

/* Sets the shooter, and the claim by id or group. If the claimed shape did not exist, sets a claim
 * that no shape meets. Returns false if the shooter does not exist. */
static bool name_shapes(const struct columns *columns, uint32_t row, gjk_shot *shot) {
    const uint32_t shooter = proto_uint_at(&columns->shots.shooter_of, row);
    const uint32_t claim = proto_uint_at(&columns->shots.claim, row);
    if (shot->rewind != GJK_REWIND_OK) {
        return true;
    }
    if (shooter != PROTO_NO_HANDLE) {
        const gjk_body *body = find_shape(columns, shot, shooter);
        if (body == NULL) {
            return false;
        }
        shot->shooter = body->group;
    }
    if (claim != PROTO_NO_HANDLE && columns->shots.claim_group.flag) {
        const gjk_body *body = find_shape(columns, shot, claim);
        shot->claim_group = body != NULL ? body->group : NULL;
        shot->claim_id = shot->claim_group == NULL ? "" : NULL;
    } else if (claim != PROTO_NO_HANDLE) {
        const gjk_body *body = gjk_set_find_handle(shot->snapshot.set, claim);
        shot->claim_id = body != NULL ? body->id : "";
    }
    return true;
}

static gjk_status answer_shot(struct columns *columns, struct row *row) {
    const proto_hit_columns *asked = &columns->shots;
    const gjk_ray_settings defaults = gjk_ray_settings_default();
    const double ticks = asked->max_rewind_ticks.number;
    const double near_miss = asked->near_miss.number;
    gjk_shot shot = {
        .ray = columns->rows.rays[row->index],
        .radius = proto_double_at(&asked->radius, row->index),
        .filter = columns->filter,
        .tolerance = defaults.tolerance,
        .max_iterations = defaults.max_iterations,
        .max_rewind_ticks = ticks > 0.0 ? ticks : INFINITY,
        .near_miss = near_miss > 0.0 ? near_miss : -1.0,
        .near_miss_limit = row->selection.limit,
        .budget = row->selection.budget,
    };
    gjk_obstacles obstacles[PROTO_OBSTACLES_MAX];
    gjk_judgement judgement;
    proto_rewind rewind = {.is_found = false};
    rewind_row(columns, row->index, &shot, obstacles, &rewind);
    row->is_unknown = !name_shapes(columns, row->index, &shot);
    if (row->is_unknown || row->selection.limit == 0) {
        return GJK_OK;
    }
    const gjk_status status = gjk_shot_judge(&shot, row->memory, &judgement);
    if (status != GJK_OK) {
        return status;
    }
    gjk_nears *nears = &judgement.near_misses;
    if (columns->out.answers.has_lists) {
        nears->items = keep_lines(columns, nears->items, &nears->count, sizeof *nears->items);
        if (nears->items == NULL) {
            return GJK_OUT_OF_MEMORY;
        }
    }
    judgement.obstacle_set +=
        asked->obstacles.text.length == 0; /* index 0 is always the column `obstacles` */
    proto_answers_set_shot(&columns->out.answers, row->index, &judgement, &rewind);
    if (judgement.has_hit) {
        gjkd_tally_add(&row->tally, judgement.hit.result.iterations);
    }
    return GJK_OK;
}

/* --- The kinds --- */

/* Indexed by PROTO_BLOCK_...; configurations are in configurations.c. */
static const struct kind kinds[PROTO_BLOCK_COUNT] = {
    [PROTO_BLOCK_raycast] =
        {
            .op = PROTO_OP_RAYCAST,
            .asked = &proto_raycast_columns_table,
            .told = &proto_raycast_answers_table,
            .results = &proto_ray_results,
            .row_ns = 1000,
            .level_ns = 200,
            .lay_out = lay_out_rays,
            .answer = answer_ray,
        },
    [PROTO_BLOCK_cast] =
        {
            .op = PROTO_OP_CAST,
            .asked = &proto_cast_columns_table,
            .told = &proto_cast_answers_table,
            .results = &proto_cast_results,
            .row_ns = 4000,
            .level_ns = 500,
            .lay_out = lay_out_casts,
            .answer = answer_cast,
        },
    [PROTO_BLOCK_detect] =
        {
            .op = PROTO_OP_DETECT,
            .asked = &proto_pair_columns_table,
            .told = &proto_pair_answers_table,
            .results = &proto_detect_results,
            .row_ns = 1000,
            .lay_out = lay_out_detect,
            .answer = answer_detect,
        },
    [PROTO_BLOCK_distance] =
        {
            .op = PROTO_OP_DISTANCE,
            .asked = &proto_pair_columns_table,
            .told = &proto_pair_answers_table,
            .results = &proto_distance_results,
            .row_ns = 1000,
            .answer = answer_distance,
        },
    [PROTO_BLOCK_nearest] =
        {
            .op = PROTO_OP_DISTANCE,
            .asked = &proto_nearest_columns_table,
            .told = &proto_nearest_answers_table,
            .results = &proto_nearest_results,
            .row_ns = 3000,
            .level_ns = 500,
            .lay_out = lay_out_nearest,
            .answer = answer_nearest,
        },
    [PROTO_BLOCK_overlap] =
        {
            .op = PROTO_OP_DETECT,
            .asked = &proto_overlap_columns_table,
            .told = &proto_overlap_answers_table,
            .results = &proto_overlap_results,
            .row_ns = 3000,
            .level_ns = 500,
            .lay_out = lay_out_overlaps,
            .answer = answer_overlap,
        },
    [PROTO_BLOCK_hit] =
        {
            .op = PROTO_OP_HIT,
            .asked = &proto_hit_columns_table,
            .told = &proto_hit_answers_table,
            .results = &proto_near_miss_results,
            .row_ns = 2000,
            .level_ns = 400,
            .lay_out = lay_out_shots,
            .find_states = find_states,
            .answer = answer_shot,
        },
    [PROTO_BLOCK_move] =
        {
            .op = PROTO_OP_MOVE,
            .asked = &proto_move_columns_table,
            .told = &proto_move_answers_table,
            .results = &proto_contact_results,
            .row_ns = 30000,
            .level_ns = 4000,
            .answer = answer_move,
        },
};

/* Returns the snapshot that a row asks. */
static const gjk_snapshot *snapshot_of(const struct columns *columns, uint32_t row) {
    return columns->then == NULL ? &columns->newest
                                 : &columns->then[columns->at_tick->step == 0 ? 0 : row];
}

/* --- Running rows --- */

/* Adds the row's own columns to the filter, if there are any. Returns false if the shape of
 * ignore_group_of does not exist. */
static bool select_row(const struct columns *columns, struct row *row) {
    if (columns->ignore_group_of->uints == NULL) {
        return true;
    }
    const uint32_t handle = proto_uint_at(columns->ignore_group_of, row->index);
    row->filter.mask = proto_uint_at(columns->mask, row->index);
    row->filter.category = proto_uint_at(columns->category, row->index);
    row->filter.ignore_group = NULL;
    if (handle == PROTO_NO_HANDLE) {
        return true;
    }
    const gjk_body *body = gjk_set_find_handle(row->snapshot->set, handle);
    row->filter.ignore_group = body != NULL ? body->group : NULL;
    return body != NULL;
}

/* Finds a shape of the row and its pose, stored or given. Returns false if there is no shape. */
static bool place(const struct columns *columns, const struct row *row,
                  const struct operand_columns *operand, const gjk_body **body, gjk_placed *out) {
    const uint32_t handle = proto_uint_at(operand->handle, row->index);
    if (columns->point != NULL && handle == PROTO_NO_HANDLE) {
        *body = NULL;
        *out = (gjk_placed){columns->point, operand->poses[row->index]};
        return true;
    }
    *body = gjk_set_find_handle(row->snapshot->set, handle);
    if (*body == NULL) {
        return false;
    }
    *out = gjk_snapshot_place(row->snapshot, *body);
    if (operand->position->count > 0) {
        out->pose.position = operand->poses[row->index].position;
    }
    if (operand->rotation->count > 0) {
        gjk_pose_turn_as(&out->pose, &operand->poses[row->index]);
    }
    return true;
}

static bool place_shapes(const struct columns *columns, struct row *row) {
    const gjk_body *b;
    return (columns->a.handle->uints == NULL ||
            place(columns, row, &columns->a, &row->selection.except, &row->a)) &&
           (columns->b.handle->uints == NULL || place(columns, row, &columns->b, &b, &row->b));
}

/* Returns the most lines that a row may list: its limit, or one more than the answer may have, to
 * notice an excess. Returns 0 if finished rows exceed the answer: the others need no answer. */
static uint32_t line_limit(const struct columns *columns) {
    const uint64_t max = columns->block.request->context->limits.answers_max;
    const uint64_t wanted = columns->limit > 0 ? columns->limit : UINT32_MAX;
    if (!columns->out.answers.has_lists) {
        return 1;
    }
    if (atomic_load_explicit(&columns->block.lists->lines, memory_order_relaxed) > max) {
        return 0;
    }
    return (uint32_t)(wanted <= max ? wanted : max + 1 < UINT32_MAX ? max + 1 : UINT32_MAX);
}

/* Notes that a row names a missing shape. Returns false if the message will be refused. */
static bool note_refusal(struct columns *columns, uint32_t row) {
    if (columns->partial) {
        proto_answers_refuse(&columns->out.answers, row, PROTO_ROW_UNKNOWN_HANDLE);
        return true;
    }
    gjkd_block_note_refused(&columns->block, row);
    return false;
}

/* Answers one row. Returns false if the remaining rows need not be answered. */
static bool run_row(struct columns *columns, struct row *row) {
    const struct kind *kind = columns->kind;
    gjk_status status = GJK_OK;
    if (columns->lacking != NULL) {
        const uint32_t lack = columns->lacking[columns->at_tick->step == 0 ? 0 : row->index];
        if (lack != PROTO_ROW_CONVERGED) {
            proto_answers_refuse(&columns->out.answers, row->index, lack);
            return true;
        }
    }
    row->snapshot = snapshot_of(columns, row->index);
    row->is_unknown = !select_row(columns, row) || !place_shapes(columns, row);
    row->selection.limit = line_limit(columns);
    if (!row->is_unknown && (row->selection.limit > 0 || kind->find_states != NULL)) {
        status = kind->answer(columns, row); /* also shots without room, to check the shooter */
    }
    if (row->is_unknown) {
        return note_refusal(columns, row->index);
    }
    if (status != GJK_OK) {
        atomic_bool *late = &columns->block.request->chunks.late;
        atomic_store(status == GJK_GIVEN_UP ? late : &columns->block.no_memory, true);
    }
    if (row->memory->used_bytes > 0) {
        gjk_arena_reset(row->memory);
    }
    return status == GJK_OK;
}

static void run(gjkd_chunk *chunk) {
    struct columns *columns = chunk->work;
    struct row row = {.filter = columns->filter, .memory = chunk->memory};
    row.selection = (gjk_selection){.filter = &row.filter,
                                    .arena = chunk->memory,
                                    .budget = chunk->memory->budget,
                                    .rest_unasked = true};
    while (gjkd_chunk_next(chunk, &row.index) && run_row(columns, &row)) {
    }
    gjkd_count_tally(columns->block.request->counters, &row.tally);
}

/* --- Decoding, checking and printing --- */

/* Points a problem at a row of a column. Returns false. */
static bool point_at(struct proto_problem *problem, const char *column, uint32_t row) {
    char pointer[64];
    snprintf(pointer, sizeof pointer, "/%s/%u", column, row);
    return proto_problem_point(problem, pointer);
}

/* Returns the index of the first column of the row that names a shape that the set lacks, or the
 * number of columns if there is none. */
static uint32_t find_missing(const struct columns *columns, const struct gjk_set *set,
                             uint32_t row) {
    const proto_table *table = columns->rows.table;
    uint32_t i = 0;
    for (; i < table->count; i++) {
        if (table->columns[i].values == PROTO_SHAPE) {
            const uint32_t handle = proto_uint_at(&columns->rows.fields[i], row);
            const bool is_none =
                handle == PROTO_NO_HANDLE && table->columns[i].otherwise == PROTO_NO_HANDLE;
            if (!is_none && gjk_set_find_handle(set, handle) == NULL) {
                break;
            }
        }
    }
    return i;
}

/* Sets the problem for the column that find_missing returned. Returns false. */
static bool refuse_missing(const struct columns *columns, uint32_t column, uint32_t row,
                           struct proto_problem *problem) {
    const proto_field *field = &columns->rows.fields[column];
    proto_problem_set(problem, PROTO_SHAPE_NOT_FOUND, "no shape of the set has the handle %u",
                      proto_uint_at(field, row));
    return point_at(problem, columns->rows.table->columns[column].name, row * field->step);
}

static bool print(struct gjkd_block *block, struct proto_buffer *out) {
    struct columns *columns = (struct columns *)block;
    struct gjkd_request *request = columns->block.request;
    const uint64_t lines_max = request->context->limits.answers_max;
    const uint64_t bytes_max = request->context->config->max_answer_bytes;
    const uint32_t refused = atomic_load(&block->refused);
    const bool has_lists = columns->out.answers.has_lists;
    const proto_table *table = columns->rows.table;
    const bool has_limit = proto_column_called(table, "limit") < table->count;
    if (refused != UINT32_MAX) {
        const uint32_t column = find_missing(columns, snapshot_of(columns, refused)->set, refused);
        if (column < table->count) {
            (void)refuse_missing(columns, column, refused, &request->problem);
            gjkd_request_refuse(request);
        }
        return false;
    }
    if (has_lists && !atomic_load(&columns->block.no_memory) &&
        atomic_load(&block->lists->lines) > lines_max) {
        return gjkd_block_refuse_lists(block, "lines", lines_max, has_limit);
    }
    if (atomic_load(&columns->block.no_memory) ||
        !proto_answers_finish(&columns->out.answers, &request->arena)) {
        return gjkd_block_fail_memory(request);
    }
    (request->columns_out != NULL ? proto_encode_answers
                                  : proto_encode_answers_json)(out, &columns->out.answers);
    if (has_lists && proto_buffer_length(out) > bytes_max) {
        return gjkd_block_refuse_lists(block, "bytes", bytes_max, has_limit);
    }
    return true;
}

/* Finds the snapshots that rows ask. Returns false if the message is refused, because a tick is not
 * kept or memory is exhausted. */
static bool rewind_rows(struct gjkd_request *request, struct columns *columns) {
    const uint32_t count = columns->at_tick->count;
    gjk_snapshot *then = gjk_arena_alloc_array(&request->arena, count, sizeof *then);
    uint8_t *lacking = gjk_arena_alloc_array(&request->arena, count, sizeof *lacking);
    if (then == NULL || lacking == NULL) {
        return gjkd_block_fail_memory(request);
    }
    for (uint32_t i = 0; i < count; i++) {
        gjk_rewound rewound = {.snapshot = columns->newest};
        char pointer[32];
        snprintf(pointer, sizeof pointer, "/at_tick/%u", i);
        if (!gjkd_block_rewind(&columns->block, proto_double_at(columns->at_tick, i),
                               columns->partial ? NULL : pointer, &rewound, &lacking[i])) {
            return false;
        }
        if (rewound.is_gap) {
            note_gap(columns, i);
        }
        then[i] = rewound.snapshot;
    }
    columns->then = count > 0 ? then : NULL;
    columns->lacking = count > 0 && columns->partial ? lacking : NULL;
    return true;
}

static bool decode(struct gjkd_block *block, const proto_source *source) {
    struct columns *columns = (struct columns *)block;
    const struct kind *kind = &kinds[block->query];
    proto_rows *rows = &columns->rows;
    columns->kind = kind;
    block->counted = kind->op;
    if (!proto_decode_columns(source, kind->asked, rows, columns->fields)) {
        return gjkd_request_refuse(block->request);
    }
    const bool are_pairs = kind->asked == &proto_pair_columns_table;
    const proto_field *ignored = proto_field_of(rows, "ignore_groups");
    const proto_field *ignored_handles = proto_field_of(rows, "ignore");
    block->rows = rows->count;
    columns->at_tick = proto_field_of(rows, "at_tick");
    columns->mask = proto_field_of(rows, "mask");
    columns->category = proto_field_of(rows, "category");
    columns->ignore_group_of = proto_field_of(rows, "ignore_group_of");
    columns->a =
        (struct operand_columns){proto_field_of(rows, are_pairs ? "a" : "shape"),
                                 proto_field_of(rows, are_pairs ? "position_a" : "position"),
                                 proto_field_of(rows, are_pairs ? "rotation_a" : "rotation"),
                                 rows->poses};
    columns->b =
        (struct operand_columns){proto_field_of(rows, "b"), proto_field_of(rows, "position_b"),
                                 proto_field_of(rows, "rotation_b"), rows->to_poses};
    columns->filter = gjk_filter_default();
    columns->filter.ignore_groups = ignored->texts;
    columns->filter.ignore_groups_count = ignored->count;
    columns->filter.ignore_handles = ignored_handles->uints;
    columns->filter.ignore_handles_count = ignored_handles->count;
    columns->limit = proto_field_of(rows, "limit")->uint;
    columns->partial = proto_field_of(rows, "partial")->flag;
    if (kind->lay_out != NULL && !kind->lay_out(columns)) {
        return gjkd_request_refuse(block->request);
    }
    return true;
}

static bool check(struct gjkd_block *block, const struct gjkd_version *before, uint64_t tick,
                  struct proto_problem *problem) {
    const struct columns *columns = (const struct columns *)block;
    const bool has_ticks = columns->at_tick->count > 0;
    const bool judges_ticks = columns->kind->find_states != NULL && has_ticks;
    for (uint32_t row = 0; row < block->rows && !columns->partial; row++) {
        const double asked = has_ticks ? proto_double_at(columns->at_tick, row) : 0.0;
        const struct gjk_set *set =
            gjkd_block_find_set(block, before, tick, has_ticks ? &asked : NULL, problem);
        if (set == NULL && judges_ticks && problem->code != PROTO_DEADLINE_EXCEEDED) {
            problem->code = PROTO_OK;
            continue;
        }
        if (set == NULL) {
            return point_at(problem, "at_tick", row * columns->at_tick->step);
        }
        uint32_t column = find_missing(columns, set, row);
        if (column < columns->rows.table->count && judges_ticks) {
            column = find_missing(columns, before->set, row); /* or added since */
        }
        if (column < columns->rows.table->count) {
            return refuse_missing(columns, column, row, problem);
        }
    }
    return true;
}

static bool prepare(struct gjkd_block *block) {
    struct columns *columns = (struct columns *)block;
    struct gjkd_request *request = block->request;
    const struct kind *kind = columns->kind;
    proto_answers *answers = &columns->out.answers;
    uint64_t levels = 1; /* upper bound of the tree's height */
    columns->newest = gjk_snapshot_of(request->version->set);
    columns->partial = columns->partial || block->in_part;
    answers->table = kind->told;
    answers->slots = columns->out.slots;
    answers->results = kind->results;
    answers->revision = request->version->revision;
    answers->dimension = columns->rows.dimension;
    answers->count = columns->rows.count;
    while (gjk_set_count(columns->newest.set) >> levels != 0) {
        levels++;
    }
    block->row_ns = kind->row_ns + kind->level_ns * levels;
    if (!proto_answers_init(answers, &request->arena)) {
        return gjkd_block_fail_memory(request);
    }
    return kind->find_states != NULL ? kind->find_states(columns) : rewind_rows(request, columns);
}

const struct gjkd_block_kind gjkd_columns_block =
    {sizeof(struct columns), decode, check, prepare, run, print};
