/* Kinds of column messages: rays, pairs, casts, moves and shots, and of one shape against the set.
 * Each row is asked of the whole set or of two of its shapes. */

#include "handlers/columns.h"
#include "handlers/handlers.h"
#include "request/context.h"
#include "request/query_context.h"
#include "request/request.h"

/* --- Rays --- */

/* Needs of rays and casts. */
static uint32_t needs_of(const proto_field *mode, uint32_t needs) {
    return mode->uint == PROTO_RAY_ANY   ? 0
           : mode->uint == PROTO_RAY_ALL ? needs | PROTO_NEEDS_PLACES | PROTO_NEEDS_COUNT
                                         : needs | PROTO_NEEDS_PLACES;
}

static bool lay_out_rays(struct gjkd_columns *columns, const proto_source *source) {
    const proto_raycast_columns *asked = &columns->rays;
    (void)source;
    columns->out.answers.needs = needs_of(&asked->mode, asked->exits.flag ? PROTO_NEEDS_EXITS : 0);
    return true;
}

/* Tells whether there is a hit. */
static gjk_status tell_any(struct gjkd_columns *columns, const struct gjkd_columns_row *row,
                           bool hit) {
    proto_answers_set_any(&columns->out.answers, row->index, hit);
    return !hit && gjk_budget_is_spent(row->selection.budget) ? GJK_GIVEN_UP : GJK_OK;
}

static gjk_status answer_ray(struct gjkd_columns *columns, struct gjkd_columns_row *row) {
    const proto_raycast_columns *asked = &columns->rays;
    const gjk_ray *ray = &columns->rows.rays[row->index];
    gjk_ray_settings settings = gjk_ray_settings_default();
    gjk_ray_hits hits;
    settings.solid = !asked->not_solid.flag;
    settings.budget = row->selection.budget;
    if (asked->mode.uint == PROTO_RAY_ANY) {
        return tell_any(columns, row,
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
    return status == GJK_OK ? gjkd_columns_tell(columns, row, items, hits.count) : status;
}

/* --- Pairs --- */

static bool lay_out_detect(struct gjkd_columns *columns, const proto_source *source) {
    const proto_pair_columns *asked = &columns->pairs;
    columns->out.answers.needs = asked->no_penetration.flag ? 0 : PROTO_NEEDS_PENETRATION;
    if (asked->is_signed.flag) {
        proto_problem_set(source->problem, PROTO_UNKNOWN_MEMBER,
                          "signed has no meaning but for distances");
        return proto_problem_point(source->problem, "/signed");
    }
    return true;
}

static gjk_status answer_detect(struct gjkd_columns *columns, struct gjkd_columns_row *row) {
    gjk_detect_settings settings = gjk_detect_settings_default();
    settings.penetration = !columns->pairs.no_penetration.flag;
    settings.of_pieces = columns->pairs.pieces.flag;
    settings.budget = row->selection.budget;
    const gjk_detect_result result = gjk_detect(&row->a, &row->b, &settings);
    return result.given_up ? GJK_GIVEN_UP : gjkd_columns_tell(columns, row, &result, 1);
}

static gjk_status answer_distance(struct gjkd_columns *columns, struct gjkd_columns_row *row) {
    gjk_distance_settings settings = gjk_distance_settings_default();
    settings.is_signed = columns->pairs.is_signed.flag;
    settings.of_pieces = columns->pairs.pieces.flag;
    settings.budget = row->selection.budget;
    const gjk_distance_result result = gjk_distance(&row->a, &row->b, &settings);
    return result.given_up ? GJK_GIVEN_UP : gjkd_columns_tell(columns, row, &result, 1);
}

/* --- Casts --- */

static bool lay_out_casts(struct gjkd_columns *columns, const proto_source *source) {
    const bool resolves = columns->casts.at_start.uint == GJK_AT_START_RESOLVE;
    (void)source;
    columns->out.answers.needs = needs_of(&columns->casts.mode, resolves ? PROTO_NEEDS_DEPTH : 0);
    return true;
}

static gjk_status answer_cast(struct gjkd_columns *columns, struct gjkd_columns_row *row) {
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
        return tell_any(columns, row,
                        gjk_set_cast_turning_any(row->snapshot, &row->a, &motion, &row->selection,
                                                 &settings));
    }
    const gjk_status status =
        gjk_set_cast_turning(row->snapshot, &row->a, &motion, &row->selection, &settings, &hits);
    return status == GJK_OK ? gjkd_columns_tell(columns, row, hits.items, hits.count) : status;
}

/* --- One shape against the set --- */

static bool lay_out_nearest(struct gjkd_columns *columns, const proto_source *source) {
    gjk_shape *point = gjk_arena_alloc(source->arena, sizeof *point);
    columns->point = point;
    columns->limit = columns->limit > 0 ? columns->limit : 1;
    return (point != NULL &&
            gjk_shape_make_point(source->arena, columns->rows.dimension, 0.0, point) == GJK_OK) ||
           proto_problem_set(source->problem, PROTO_OUT_OF_MEMORY, "no memory for a point");
}

static gjk_status answer_nearest(struct gjkd_columns *columns, struct gjkd_columns_row *row) {
    gjk_distance_settings settings = gjk_distance_settings_default();
    gjk_nears nears;
    settings.is_signed = columns->nearests.is_signed.flag;
    settings.budget = row->selection.budget;
    const gjk_status status =
        gjk_set_nearest(row->snapshot, &row->a,
                        proto_double_at(&columns->nearests.max_distance, row->index),
                        &row->selection, &settings, &nears);
    return status == GJK_OK ? gjkd_columns_tell(columns, row, nears.items, nears.count) : status;
}

static bool lay_out_overlaps(struct gjkd_columns *columns, const proto_source *source) {
    (void)source;
    columns->out.answers.needs =
        columns->overlaps.penetration.uint > 0 ? PROTO_NEEDS_PENETRATION : 0;
    return true;
}

static gjk_status answer_overlap(struct gjkd_columns *columns, struct gjkd_columns_row *row) {
    gjk_detect_settings settings = gjk_detect_settings_default();
    gjk_hits hits;
    settings.penetration = columns->overlaps.penetration.uint > 0;
    settings.of_pieces = columns->overlaps.penetration.uint == 2;
    settings.budget = row->selection.budget;
    const gjk_status status =
        gjk_set_detect(row->snapshot, &row->a, &row->selection, &settings, &hits);
    return status == GJK_OK ? gjkd_columns_tell(columns, row, hits.items, hits.count) : status;
}

/* --- Moves --- */

static gjk_status answer_move(struct gjkd_columns *columns, struct gjkd_columns_row *row) {
    static const proto_options options = {GJK_TOLERANCE_DEFAULT, GJK_ITERATIONS_DEFAULT};
    const proto_move asked = proto_move_at(&columns->moves, row->index);
    const gjk_vec3 way =
        proto_vector_at(&columns->moves.translation, columns->rows.dimension, row->index);
    const gjk_move move = gjkd_move_of(&asked, &row->a, way, &options);
    gjk_move_result result;
    const gjk_status status = gjk_set_move(row->snapshot, &move, &row->selection, &result);
    if (status != GJK_OK) {
        return status;
    }
    result.items =
        gjkd_columns_keep_lines(columns, result.items, &result.count, sizeof *result.items);
    result.legs = gjkd_columns_keep(columns, result.legs, result.leg_count, sizeof *result.legs);
    if (result.items == NULL || result.legs == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    proto_answers_set_move(&columns->out.answers, row->index, &result);
    gjkd_tally_add(&row->tally, result.iterations);
    return GJK_OK;
}

/* --- Shots --- */

/*
 * Each is judged as a shot in JSON is, the shooter and what is claimed named by handles. A tick that
 * is not kept is no mistake of the message but a verdict.
 */

/* Finds the sets of obstacles. Returns false if refused. */
static bool find_obstacles(struct gjkd_columns *columns) {
    struct gjkd_request *request = columns->block.request;
    struct proto_problem *problem = &request->problem;
    const proto_hit_columns *asked = &columns->shots;
    struct gjkd_query_context context = {.request = request,
                                         .arena = &request->arena,
                                         .problem = problem};
    const uint32_t first = asked->obstacles.text.length == 0; /* where `obstacles` is empty */
    columns->obstacles_count = 0;
    for (uint32_t i = first; i <= asked->more_obstacles.count; i++) {
        const char *name = i == 0 ? asked->obstacles.text.data : asked->more_obstacles.texts[i - 1];
        char pointer[32] = "/obstacles";
        if (i > 0) {
            snprintf(pointer, sizeof pointer, "/more_obstacles/%u", i - 1);
        }
        const struct gjkd_version *found = gjkd_query_context_find_set(&context, name, pointer);
        if (found != NULL && asked->obstacles_at_shot.flag && found->history == NULL) {
            proto_problem_set(problem, PROTO_OUT_OF_RANGE, "the set \"%.160s\" keeps no ticks",
                              name);
            proto_problem_hint(problem, "PATCH it with \"history\", or ask its newest state");
            return proto_problem_point(problem, "/obstacles_at_shot");
        }
        if (found == NULL) {
            return false;
        }
        columns->obstacles[columns->obstacles_count++] = found;
    }
    return true;
}

static bool lay_out_shots(struct gjkd_columns *columns, const proto_source *source) {
    const proto_hit_columns *asked = &columns->shots;
    (void)source;
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
    return version->history != NULL &&
           gjk_history_at(version->history, tick, &rewound) == GJK_REWIND_OK && rewound.is_gap;
}

/* Only sets of a cluster lack ticks. */
static bool find_states(struct gjkd_columns *columns) {
    if (!find_obstacles(columns)) { /* again: the set itself may have a new tick */
        gjkd_request_refuse(columns->block.request);
        return false;
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
            gjkd_columns_note_gap(columns, i);
        }
    }
    return true;
}

static gjk_rewind rewind_to(const struct gjkd_version *version, double tick, gjk_rewound *rewound) {
    return version->history != NULL ? gjk_history_at(version->history, tick, rewound)
                                    : GJK_REWIND_EXPIRED;
}

/* Finds the states that the shot is judged in. */
static void rewind_row(const struct gjkd_columns *columns, uint32_t row, gjk_shot *shot,
                       gjk_obstacles *obstacles, proto_rewind *rewind) {
    const struct gjkd_version *version = columns->block.request->version;
    const proto_hit_columns *rows = &columns->shots;
    const bool has_tick = rows->at_tick.count > 0;
    const double tick = has_tick ? proto_double_at(&rows->at_tick, row) : 0.0;
    gjk_rewound then;
    shot->rewind = has_tick ? rewind_to(version, tick, &then) : GJK_REWIND_OK;
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
            obstacles[i].rewind = rewind_to(columns->obstacles[i], tick, &then);
            if (obstacles[i].rewind == GJK_REWIND_OK) {
                obstacles[i].snapshot = then.snapshot;
            }
        }
    }
}

/* Returns the shape of a handle as it was then, or else as it is now; NULL: neither. */
static const gjk_body *find_shape(const struct gjkd_columns *columns, const gjk_shot *shot,
                                  uint32_t handle) {
    const gjk_body *body = gjk_set_find_handle(shot->snapshot.set, handle);
    return body != NULL ? body : gjk_set_find_handle(columns->newest.set, handle);
}

/* Sets the shooter, and the claim by id or group; where there was no such shape, to one that nothing
 * meets. Returns false if the shooter is no shape. */
static bool name_shapes(const struct gjkd_columns *columns, uint32_t row, gjk_shot *shot) {
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

static gjk_status answer_shot(struct gjkd_columns *columns, struct gjkd_columns_row *row) {
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
        nears->items =
            gjkd_columns_keep_lines(columns, nears->items, &nears->count, sizeof *nears->items);
        if (nears->items == NULL) {
            return GJK_OUT_OF_MEMORY;
        }
    }
    judgement.obstacle_set +=
        asked->obstacles.text.length == 0; /* they are counted from that one */
    proto_answers_set_shot(&columns->out.answers, row->index, &judgement, &rewind);
    if (judgement.has_hit) {
        gjkd_tally_add(&row->tally, judgement.hit.result.iterations);
    }
    return GJK_OK;
}

/* --- The kinds --- */

const struct gjkd_columns_kind gjkd_columns_kinds[PROTO_PLACE_COUNT] = {
    [PROTO_PLACE_raycast] =
        {
            .block = GJKD_COLUMNS_BLOCK(PROTO_OP_RAYCAST),
            .asked = &proto_raycast_columns_table,
            .told = &proto_raycast_answers_table,
            .line = &proto_ray_line,
            .row_ns = 1000,
            .level_ns = 200,
            .lay_out = lay_out_rays,
            .answer = answer_ray,
        },
    [PROTO_PLACE_cast] =
        {
            .block = GJKD_COLUMNS_BLOCK(PROTO_OP_CAST),
            .asked = &proto_cast_columns_table,
            .told = &proto_cast_answers_table,
            .line = &proto_cast_line,
            .row_ns = 4000,
            .level_ns = 500,
            .lay_out = lay_out_casts,
            .answer = answer_cast,
        },
    [PROTO_PLACE_detect] =
        {
            .block = GJKD_COLUMNS_BLOCK(PROTO_OP_DETECT),
            .asked = &proto_pair_columns_table,
            .told = &proto_pair_answers_table,
            .line = &proto_detect_line,
            .row_ns = 1000,
            .lay_out = lay_out_detect,
            .answer = answer_detect,
        },
    [PROTO_PLACE_distance] =
        {
            .block = GJKD_COLUMNS_BLOCK(PROTO_OP_DISTANCE),
            .asked = &proto_pair_columns_table,
            .told = &proto_pair_answers_table,
            .line = &proto_distance_line,
            .row_ns = 1000,
            .answer = answer_distance,
        },
    [PROTO_PLACE_nearest] =
        {
            .block = GJKD_COLUMNS_BLOCK(PROTO_OP_DISTANCE),
            .asked = &proto_nearest_columns_table,
            .told = &proto_nearest_answers_table,
            .line = &proto_nearest_line,
            .row_ns = 3000,
            .level_ns = 500,
            .lay_out = lay_out_nearest,
            .answer = answer_nearest,
        },
    [PROTO_PLACE_overlap] =
        {
            .block = GJKD_COLUMNS_BLOCK(PROTO_OP_DETECT),
            .asked = &proto_overlap_columns_table,
            .told = &proto_overlap_answers_table,
            .line = &proto_overlap_line,
            .row_ns = 3000,
            .level_ns = 500,
            .lay_out = lay_out_overlaps,
            .answer = answer_overlap,
        },
    [PROTO_PLACE_hit] =
        {
            .block = GJKD_COLUMNS_BLOCK(PROTO_OP_HIT),
            .asked = &proto_hit_columns_table,
            .told = &proto_hit_answers_table,
            .line = &proto_near_miss_line,
            .row_ns = 2000,
            .level_ns = 400,
            .lay_out = lay_out_shots,
            .find_states = find_states,
            .answer = answer_shot,
        },
    [PROTO_PLACE_move] =
        {
            .block = GJKD_COLUMNS_BLOCK(PROTO_OP_MOVE),
            .asked = &proto_move_columns_table,
            .told = &proto_move_answers_table,
            .line = &proto_contact_line,
            .row_ns = 30000,
            .level_ns = 4000,
            .answer = answer_move,
        },
};
