/* Column messages of rays, pairs, casts, moves and shots, and of one shape against the set: each
 * row is asked of the whole set or of two of its shapes. */

#include "handlers/columns.h"
#include "handlers/handlers.h"
#include "request/context.h"
#include "request/query_context.h"
#include "request/request.h"
#include "request/telemetry.h"

/* --- Rays --- */

struct rays {
    struct gjkd_columns columns; /* first: it is cast back */
    proto_ray_rows rows;
    proto_ray_answers answers;
};

/* Limits the lines of a row. Returns false if it needs no answer. */
static bool limit_lines(const struct gjkd_columns *columns, struct gjkd_columns_row *row,
                        uint32_t limit) {
    row->selection.limit = gjkd_columns_line_limit(columns, limit);
    return row->selection.limit > 0;
}

/* Needs of rays and casts. */
static uint32_t needs_of(const proto_field *mode, uint32_t needs) {
    return mode->uint == PROTO_RAY_ANY   ? 0
           : mode->uint == PROTO_RAY_ALL ? needs | PROTO_NEEDS_PLACES | PROTO_NEEDS_COUNT
                                         : needs | PROTO_NEEDS_PLACES;
}

static bool decode_rays(struct gjkd_columns *columns, const proto_source *source) {
    struct rays *rays = (struct rays *)columns;
    const proto_ray_rows *rows = &rays->rows;
    columns->rows = &rays->rows.rows;
    columns->answers = &rays->answers.answers;
    if (!proto_decode_ray_rows(source, &rays->rows)) {
        return false;
    }
    *columns->answers = (proto_answers){
        .table = &proto_raycast_answers_table,
        .slots = rays->answers.slots,
        .put_lists = rows->mode.uint == PROTO_RAY_ALL ? proto_put_ray_lines : NULL,
        .needs = needs_of(&rows->mode, rows->exits.flag ? PROTO_NEEDS_EXITS : 0),
    };
    return true;
}

/* Finds where the ray leaves what it hits, if that is asked. */
static gjk_status find_exit(const struct rays *rays, const struct gjkd_columns_row *row,
                            const gjk_ray_settings *settings, const gjk_ray_hit *hit,
                            double *exit) {
    if (!rays->rows.exits.flag) {
        return GJK_OK;
    }
    const gjk_placed placed = gjk_snapshot_place(row->snapshot, hit->body);
    return gjk_ray_exit(&placed, &rays->rows.rays[row->index], &hit->result, settings, exit);
}

/* Sets all hits of a ray. */
static gjk_status answer_all_hits(struct rays *rays, struct gjkd_columns_row *row,
                                  const gjk_ray_settings *settings, const gjk_ray_hits *hits) {
    proto_ray_line *lines = gjk_arena_alloc_array(row->memory, hits->count, sizeof *lines);
    gjk_status status = lines != NULL ? GJK_OK : GJK_OUT_OF_MEMORY;
    uint32_t count = hits->count;
    for (uint32_t i = 0; i < hits->count && status == GJK_OK; i++) {
        lines[i] = (proto_ray_line){.hit = hits->items[i]};
        status = find_exit(rays, row, settings, &hits->items[i], &lines[i].exit);
        gjkd_tally_add(&row->tally, hits->items[i].result.iterations);
    }
    void *kept = lines;
    if (status == GJK_OK &&
        !gjkd_columns_keep_lines(&rays->columns, &kept, &count, sizeof *lines)) {
        status = GJK_OUT_OF_MEMORY;
    }
    if (status == GJK_OK) {
        proto_ray_answers_set_all(&rays->answers, row->index, kept, count);
    }
    return status;
}

static gjk_status answer_closest_hit(struct rays *rays, struct gjkd_columns_row *row,
                                     const gjk_ray_settings *settings, const gjk_ray_hits *hits) {
    if (hits->count == 0) {
        proto_ray_answers_set(&rays->answers, row->index, NULL, NULL);
        return GJK_OK;
    }
    const gjk_ray_hit *hit = &hits->items[0];
    double exit = 0.0;
    const gjk_status status = find_exit(rays, row, settings, hit, &exit);
    proto_ray_answers_set(&rays->answers, row->index, hit, rays->rows.exits.flag ? &exit : NULL);
    gjkd_tally_add(&row->tally, hit->result.iterations);
    return status;
}

/* Sets whether there is a hit. */
static gjk_status answer_any_hit(struct gjkd_columns *columns, const struct gjkd_columns_row *row,
                                 bool hit) {
    proto_answers_set_any(columns->answers, row->index, hit);
    return !hit && gjk_budget_is_spent(row->selection.budget) ? GJK_GIVEN_UP : GJK_OK;
}

static bool answer_ray(struct gjkd_columns *columns, struct gjkd_columns_row *row,
                       gjk_status *status) {
    struct rays *rays = (struct rays *)columns;
    const gjk_ray *ray = &rays->rows.rays[row->index];
    const bool is_all = rays->rows.mode.uint == PROTO_RAY_ALL;
    gjk_ray_settings settings = gjk_ray_settings_default();
    gjk_ray_hits hits;
    settings.solid = !rays->rows.not_solid.flag;
    settings.budget = row->selection.budget;
    if (rays->rows.mode.uint == PROTO_RAY_ANY) {
        *status =
            answer_any_hit(columns, row,
                           gjk_set_raycast_any(row->snapshot, ray, &row->selection, &settings));
        return true;
    }
    if (is_all && !limit_lines(columns, row, rays->rows.limit.uint)) {
        return true;
    }
    *status = gjk_set_raycast(row->snapshot, ray, &row->selection, &settings, &hits);
    if (*status == GJK_OK) {
        *status = (is_all ? answer_all_hits : answer_closest_hit)(rays, row, &settings, &hits);
    }
    return true;
}

const struct gjkd_columns_kind gjkd_columns_raycast = {
    .block = GJKD_COLUMNS_BLOCK(PROTO_OP_RAYCAST, struct rays),
    .row_ns = 1000,
    .level_ns = 200,
    .selects = true,
    .decode = decode_rays,
    .answer = answer_ray,
};

/* --- Pairs --- */

struct pairs {
    struct gjkd_columns columns; /* first: it is cast back */
    proto_pair_rows rows;
    proto_pair_answers answers;
};

static bool decode_pairs(struct gjkd_columns *columns, const proto_source *source) {
    struct pairs *pairs = (struct pairs *)columns;
    columns->rows = &pairs->rows.rows;
    columns->answers = &pairs->answers.answers;
    *columns->answers =
        (proto_answers){.table = &proto_pair_answers_table, .slots = pairs->answers.slots};
    if (!proto_decode_pair_rows(source, &pairs->rows)) {
        return false;
    }
    if (pairs->rows.is_signed.flag && columns->kind->block.counted == PROTO_OP_DETECT) {
        proto_problem_set(source->problem, PROTO_UNKNOWN_MEMBER,
                          "signed has no meaning but for distances");
        return proto_problem_point(source->problem, "/signed");
    }
    return true;
}

/* Places the shape that the row names as the row has it. Returns NULL if there is none. */
static const gjk_body *place(const struct gjkd_columns_row *row, uint32_t handle,
                             const proto_field *position, const proto_field *rotation,
                             const gjk_pose *poses, gjk_placed *out) {
    const gjk_body *body = gjk_set_find_handle(row->snapshot->set, handle);
    if (body == NULL) {
        return NULL;
    }
    *out = gjk_snapshot_place(row->snapshot, body);
    if (position->count > 0) {
        out->pose.position = poses[row->index].position;
    }
    if (rotation->count > 0) {
        gjk_pose_turn_as(&out->pose, &poses[row->index]);
    }
    return body;
}

static bool answer_pair(struct gjkd_columns *columns, struct gjkd_columns_row *row,
                        gjk_status *status) {
    struct pairs *pairs = (struct pairs *)columns;
    const proto_pair_rows *rows = &pairs->rows;
    const uint32_t i = row->index;
    gjk_placed a, b;
    if (place(row, rows->a.uints[i], &rows->position_a, &rows->rotation_a, rows->poses_a, &a) ==
            NULL ||
        place(row, rows->b.uints[i], &rows->position_b, &rows->rotation_b, rows->poses_b, &b) ==
            NULL) {
        return false;
    }
    if (columns->kind->block.counted == PROTO_OP_DETECT) {
        gjk_detect_settings settings = gjk_detect_settings_default();
        settings.penetration = !rows->no_penetration.flag;
        settings.of_pieces = rows->pieces.flag;
        settings.budget = row->selection.budget;
        const gjk_detect_result result = gjk_detect(&a, &b, &settings);
        proto_pair_answers_set_detect(&pairs->answers, i, &result, settings.penetration);
        gjkd_tally_add(&row->tally, result.iterations);
        *status = result.given_up ? GJK_GIVEN_UP : GJK_OK;
    } else {
        gjk_distance_settings settings = gjk_distance_settings_default();
        settings.is_signed = rows->is_signed.flag;
        settings.of_pieces = rows->pieces.flag;
        settings.budget = row->selection.budget;
        const gjk_distance_result result = gjk_distance(&a, &b, &settings);
        proto_pair_answers_set_distance(&pairs->answers, i, &result);
        gjkd_tally_add(&row->tally, result.iterations);
        *status = result.given_up ? GJK_GIVEN_UP : GJK_OK;
    }
    return true;
}

const struct gjkd_columns_kind gjkd_columns_detect = {
    .block = GJKD_COLUMNS_BLOCK(PROTO_OP_DETECT, struct pairs),
    .row_ns = 1000,
    .decode = decode_pairs,
    .answer = answer_pair,
};

const struct gjkd_columns_kind gjkd_columns_distance = {
    .block = GJKD_COLUMNS_BLOCK(PROTO_OP_DISTANCE, struct pairs),
    .row_ns = 1000,
    .decode = decode_pairs,
    .answer = answer_pair,
};

/* --- Casts --- */

struct casts {
    struct gjkd_columns columns; /* first: it is cast back */
    proto_cast_rows rows;
    proto_cast_answers answers;
};

static bool decode_casts(struct gjkd_columns *columns, const proto_source *source) {
    struct casts *casts = (struct casts *)columns;
    columns->rows = &casts->rows.rows;
    columns->answers = &casts->answers.answers;
    if (!proto_decode_cast_rows(source, &casts->rows)) {
        return false;
    }
    const proto_cast_rows *rows = &casts->rows;
    const bool resolves = rows->at_start.uint == GJK_AT_START_RESOLVE;
    *columns->answers = (proto_answers){
        .table = &proto_cast_answers_table,
        .slots = casts->answers.slots,
        .put_lists = rows->mode.uint == PROTO_RAY_ALL ? proto_put_cast_lines : NULL,
        .needs = needs_of(&rows->mode, resolves ? PROTO_NEEDS_DEPTH : 0),
    };
    return true;
}

/* Returns the motion that the row asks for. */
static gjk_rigid_motion motion_of(const proto_cast_rows *rows, uint32_t row,
                                  const gjk_placed *moving) {
    const uint32_t dimension = rows->rows.dimension;
    const gjk_vec3 way = proto_vector_at(&rows->translation, dimension, row);
    gjk_rigid_motion motion = gjk_rigid_motion_straight(way);
    if (rows->to_poses != NULL) {
        gjk_pose to = moving->pose;
        gjk_pose_turn_as(&to, &rows->to_poses[row]);
        motion = gjk_rigid_motion_between(dimension, &moving->pose, &to);
        motion.translation = way;
    }
    return motion;
}

/* Sets what a moving shape touches: all of it, or what is first. */
static gjk_status answer_cast_hits(struct casts *casts, struct gjkd_columns_row *row,
                                   const gjk_cast_hits *hits) {
    void *kept = hits->items;
    uint32_t count = hits->count;
    for (uint32_t i = 0; i < hits->count; i++) {
        gjkd_tally_add(&row->tally, hits->items[i].result.iterations);
    }
    if (casts->rows.mode.uint != PROTO_RAY_ALL) {
        proto_cast_answers_set(&casts->answers, row->index, count > 0 ? &hits->items[0] : NULL);
        return GJK_OK;
    }
    if (!gjkd_columns_keep_lines(&casts->columns, &kept, &count, sizeof *hits->items)) {
        return GJK_OUT_OF_MEMORY;
    }
    proto_cast_answers_set_all(&casts->answers, row->index, kept, count);
    return GJK_OK;
}

static bool answer_cast(struct gjkd_columns *columns, struct gjkd_columns_row *row,
                        gjk_status *status) {
    struct casts *casts = (struct casts *)columns;
    const proto_cast_rows *rows = &casts->rows;
    gjk_cast_settings settings = gjk_cast_settings_default();
    gjk_placed moving;
    gjk_cast_hits hits;
    row->selection.except = place(row, proto_uint_at(&rows->shape, row->index), &rows->position,
                                  &rows->rotation, rows->poses, &moving);
    if (row->selection.except == NULL) {
        return false;
    }
    const gjk_rigid_motion motion = motion_of(rows, row->index, &moving);
    settings.at_start = (gjk_at_start)rows->at_start.uint;
    settings.budget = row->selection.budget;
    if (rows->mode.uint == PROTO_RAY_ANY) {
        *status = answer_any_hit(columns, row,
                                 gjk_set_cast_turning_any(row->snapshot, &moving, &motion,
                                                          &row->selection, &settings));
        return true;
    }
    if (rows->mode.uint == PROTO_RAY_ALL && !limit_lines(columns, row, rows->limit.uint)) {
        return true;
    }
    *status =
        gjk_set_cast_turning(row->snapshot, &moving, &motion, &row->selection, &settings, &hits);
    if (*status == GJK_OK) {
        *status = answer_cast_hits(casts, row, &hits);
    }
    return true;
}

const struct gjkd_columns_kind gjkd_columns_cast = {
    .block = GJKD_COLUMNS_BLOCK(PROTO_OP_CAST, struct casts),
    .row_ns = 4000,
    .level_ns = 500,
    .selects = true,
    .decode = decode_casts,
    .answer = answer_cast,
};

/* --- One shape against the set --- */

struct nearests {
    struct gjkd_columns columns; /* first: it is cast back */
    proto_nearest_rows rows;
    proto_nearest_answers answers;
    gjk_shape point; /* of rows without a handle */
};

static bool decode_nearests(struct gjkd_columns *columns, const proto_source *source) {
    struct nearests *nearests = (struct nearests *)columns;
    columns->rows = &nearests->rows.rows;
    columns->answers = &nearests->answers.answers;
    *columns->answers = (proto_answers){.table = &proto_nearest_answers_table,
                                        .slots = nearests->answers.slots,
                                        .put_lists = proto_put_nearest_lines};
    return proto_decode_nearest_rows(source, &nearests->rows) &&
           (gjk_shape_make_point(source->arena, source->set_dimension, 0.0, &nearests->point) ==
                GJK_OK ||
            proto_problem_set(source->problem, PROTO_OUT_OF_MEMORY, "no memory for a point"));
}

static gjk_status keep_nears(struct nearests *nearests, struct gjkd_columns_row *row,
                             const gjk_nears *nears) {
    void *kept = nears->items;
    uint32_t count = nears->count;
    for (uint32_t i = 0; i < count; i++) {
        gjkd_tally_add(&row->tally, nears->items[i].result.iterations);
    }
    if (!gjkd_columns_keep_lines(&nearests->columns, &kept, &count, sizeof *nears->items)) {
        return GJK_OUT_OF_MEMORY;
    }
    proto_nearest_answers_set(&nearests->answers, row->index, kept, count);
    return GJK_OK;
}

static bool answer_nearest(struct gjkd_columns *columns, struct gjkd_columns_row *row,
                           gjk_status *status) {
    struct nearests *nearests = (struct nearests *)columns;
    const proto_nearest_rows *rows = &nearests->rows;
    const uint32_t handle = proto_uint_at(&rows->shape, row->index);
    gjk_distance_settings settings = gjk_distance_settings_default();
    gjk_placed placed;
    gjk_nears nears;
    row->selection.except = handle != PROTO_NO_HANDLE ? place(row, handle, &rows->position,
                                                              &rows->rotation, rows->poses, &placed)
                                                      : NULL;
    if (handle == PROTO_NO_HANDLE) {
        placed = (gjk_placed){&nearests->point, rows->poses[row->index]};
    } else if (row->selection.except == NULL) {
        return false;
    }
    settings.is_signed = rows->is_signed.flag;
    settings.budget = row->selection.budget;
    if (!limit_lines(columns, row, rows->limit.uint > 0 ? rows->limit.uint : 1)) {
        return true;
    }
    *status =
        gjk_set_nearest(row->snapshot, &placed, proto_double_at(&rows->max_distance, row->index),
                        &row->selection, &settings, &nears);
    if (*status == GJK_OK) {
        *status = keep_nears(nearests, row, &nears);
    }
    return true;
}

const struct gjkd_columns_kind gjkd_columns_nearest = {
    .block = GJKD_COLUMNS_BLOCK(PROTO_OP_DISTANCE, struct nearests),
    .row_ns = 3000,
    .level_ns = 500,
    .selects = true,
    .decode = decode_nearests,
    .answer = answer_nearest,
};

struct overlaps {
    struct gjkd_columns columns; /* first: it is cast back */
    proto_overlap_rows rows;
    proto_overlap_answers answers;
};

static bool decode_overlaps(struct gjkd_columns *columns, const proto_source *source) {
    struct overlaps *overlaps = (struct overlaps *)columns;
    columns->rows = &overlaps->rows.rows;
    columns->answers = &overlaps->answers.answers;
    if (!proto_decode_overlap_rows(source, &overlaps->rows)) {
        return false;
    }
    const bool penetration = overlaps->rows.penetration.uint > 0;
    *columns->answers = (proto_answers){.table = &proto_overlap_answers_table,
                                        .slots = overlaps->answers.slots,
                                        .put_lists = proto_put_overlap_lines,
                                        .needs = penetration ? PROTO_NEEDS_PENETRATION : 0};
    return true;
}

static gjk_status keep_hits(struct overlaps *overlaps, struct gjkd_columns_row *row,
                            const gjk_hits *hits) {
    void *kept = hits->items;
    uint32_t count = hits->count;
    for (uint32_t i = 0; i < count; i++) {
        gjkd_tally_add(&row->tally, hits->items[i].result.iterations);
    }
    if (!gjkd_columns_keep_lines(&overlaps->columns, &kept, &count, sizeof *hits->items)) {
        return GJK_OUT_OF_MEMORY;
    }
    proto_overlap_answers_set(&overlaps->answers, row->index, kept, count);
    return GJK_OK;
}

static bool answer_overlap(struct gjkd_columns *columns, struct gjkd_columns_row *row,
                           gjk_status *status) {
    struct overlaps *overlaps = (struct overlaps *)columns;
    const proto_overlap_rows *rows = &overlaps->rows;
    gjk_detect_settings settings = gjk_detect_settings_default();
    gjk_placed placed;
    gjk_hits hits;
    row->selection.except = place(row, proto_uint_at(&rows->shape, row->index), &rows->position,
                                  &rows->rotation, rows->poses, &placed);
    if (row->selection.except == NULL) {
        return false;
    }
    settings.penetration = rows->penetration.uint > 0;
    settings.of_pieces = rows->penetration.uint == 2;
    settings.budget = row->selection.budget;
    if (!limit_lines(columns, row, rows->limit.uint)) {
        return true;
    }
    *status = gjk_set_detect(row->snapshot, &placed, &row->selection, &settings, &hits);
    if (*status == GJK_OK) {
        *status = keep_hits(overlaps, row, &hits);
    }
    return true;
}

const struct gjkd_columns_kind gjkd_columns_overlap = {
    .block = GJKD_COLUMNS_BLOCK(PROTO_OP_DETECT, struct overlaps),
    .row_ns = 3000,
    .level_ns = 500,
    .selects = true,
    .decode = decode_overlaps,
    .answer = answer_overlap,
};

/* --- Moves --- */

struct moves {
    struct gjkd_columns columns; /* first: it is cast back */
    proto_move_rows rows;
    proto_move_answers answers;
};

static bool decode_moves(struct gjkd_columns *columns, const proto_source *source) {
    struct moves *moves = (struct moves *)columns;
    columns->rows = &moves->rows.rows;
    columns->answers = &moves->answers.answers;
    *columns->answers = (proto_answers){.table = &proto_move_answers_table,
                                        .slots = moves->answers.slots,
                                        .put_lists = proto_put_move_lines};
    if (!proto_decode_move_rows(source, &moves->rows)) {
        return false;
    }
    moves->answers.ways =
        gjk_arena_alloc_array(source->arena, moves->rows.rows.count, sizeof *moves->answers.ways);
    return moves->answers.ways != NULL ||
           proto_problem_set(source->problem, PROTO_OUT_OF_MEMORY, "no memory for the answer");
}

/* Copies the lists of a row to memory that outlives it. */
static bool keep_lists(struct gjkd_columns *columns, gjk_move_result *result) {
    void *contacts = result->items;
    void *legs = gjkd_columns_keep(columns, result->legs, result->leg_count, sizeof *result->legs);
    if (legs == NULL ||
        !gjkd_columns_keep_lines(columns, &contacts, &result->count, sizeof *result->items)) {
        return false;
    }
    result->items = contacts;
    result->legs = legs;
    return true;
}

static bool answer_move(struct gjkd_columns *columns, struct gjkd_columns_row *row,
                        gjk_status *status) {
    static const proto_options options = {GJK_TOLERANCE_DEFAULT, GJK_ITERATIONS_DEFAULT};
    struct moves *moves = (struct moves *)columns;
    const proto_move_rows *rows = &moves->rows;
    const proto_move asked = proto_move_at(rows, row->index);
    gjk_move_result result;
    gjk_placed moving;
    row->selection.except = place(row, proto_uint_at(&rows->shape, row->index), &rows->position,
                                  &rows->rotation, rows->poses, &moving);
    if (row->selection.except == NULL) {
        return false;
    }
    if (!limit_lines(columns, row, 0)) {
        return true;
    }
    const gjk_vec3 way = proto_vector_at(&rows->translation, rows->rows.dimension, row->index);
    const gjk_move move = gjkd_move_of(&asked, &moving, way, &options);
    *status = gjk_set_move(row->snapshot, &move, &row->selection, &result);
    if (*status == GJK_OK && !keep_lists(columns, &result)) {
        *status = GJK_OUT_OF_MEMORY;
    }
    if (*status == GJK_OK) {
        proto_move_answers_set(&moves->answers, row->index, &result);
        gjkd_tally_add(&row->tally, result.iterations);
    }
    return true;
}

const struct gjkd_columns_kind gjkd_columns_move = {
    .block = GJKD_COLUMNS_BLOCK(PROTO_OP_MOVE, struct moves),
    .row_ns = 30000,
    .level_ns = 4000,
    .selects = true,
    .decode = decode_moves,
    .answer = answer_move,
};

/* --- Shots --- */

/*
 * Column messages of shots: each is judged as a shot in JSON is, the shooter and what is claimed
 * named by handles. A tick that is not kept is no mistake of the message but a verdict.
 */

struct shots {
    struct gjkd_columns columns; /* first: it is cast back */
    proto_hit_rows rows;
    proto_hit_answers answers;
    const struct gjkd_version *obstacles[PROTO_OBSTACLES_MAX];
    uint32_t obstacles_count;
    uint32_t first_set; /* the number of the first of them: 1 where `obstacles` is empty */
};

/* Finds obstacles of the shots. Returns false if refused. */
static bool find_obstacles(struct shots *shots, const char *name, const char *pointer) {
    struct gjkd_request *request = shots->columns.request;
    struct gjkd_query_context context = {.request = request,
                                         .arena = &request->arena,
                                         .problem = &request->problem};
    const struct gjkd_version *found = gjkd_query_context_find_set(&context, name, pointer);
    if (found == NULL) {
        return false;
    }
    if (shots->rows.obstacles_at_shot.flag && found->history == NULL) {
        proto_problem_set(&request->problem, PROTO_OUT_OF_RANGE,
                          "the set \"%.160s\" keeps no ticks", name);
        proto_problem_hint(&request->problem, "PATCH it with \"history\", or ask its newest state");
        return proto_problem_point(&request->problem, "/obstacles_at_shot");
    }
    shots->obstacles[shots->obstacles_count++] = found;
    return true;
}

static bool find_all_obstacles(struct shots *shots) {
    const proto_text name = shots->rows.obstacles.text;
    const proto_field *more = &shots->rows.more_obstacles;
    char pointer[32];
    shots->first_set = name.length == 0;
    shots->obstacles_count = 0;
    bool is_fine = name.length == 0 || find_obstacles(shots, name.data, "/obstacles");
    for (uint32_t i = 0; is_fine && i < more->count; i++) {
        snprintf(pointer, sizeof pointer, "/more_obstacles/%u", i);
        is_fine = find_obstacles(shots, more->texts[i], pointer);
    }
    return is_fine;
}

static bool decode_shots(struct gjkd_columns *columns, const proto_source *source) {
    struct shots *shots = (struct shots *)columns;
    columns->rows = &shots->rows.rows;
    columns->answers = &shots->answers.answers;
    if (!proto_decode_hit_rows(source, &shots->rows)) {
        return false;
    }
    const bool has_near = shots->rows.near_miss.number > 0.0;
    if (!find_all_obstacles(shots)) {
        return false;
    }
    *columns->answers = (proto_answers){
        .table = &proto_hit_answers_table,
        .slots = shots->answers.slots,
        .put_lists = has_near ? proto_put_near_lines : NULL,
        .needs = (shots->obstacles_count > 0 ? PROTO_NEEDS_OBSTACLES : 0) |
                 (shots->rows.at_tick.count > 0 ? PROTO_NEEDS_REWIND : 0) |
                 (has_near ? PROTO_NEEDS_NEAR : 0),
    };
    columns->filter.mask = proto_bits_or_all(&shots->rows.mask);
    columns->filter.category = proto_bits_or_all(&shots->rows.category);
    return true;
}

static bool needs_lost_tick(const struct gjkd_version *version, double tick) {
    gjk_rewound rewound;
    return version->history != NULL &&
           gjk_history_at(version->history, tick, &rewound) == GJK_REWIND_OK && rewound.is_gap;
}

/* Only sets of a cluster lack ticks. */
static bool find_states(struct gjkd_columns *columns) {
    struct shots *shots = (struct shots *)columns;
    if (!find_all_obstacles(shots)) { /* again: the set itself may have a new tick */
        gjkd_request_refuse(columns->request);
        return false;
    }
    const struct gjkd_version *version = columns->request->version;
    const uint32_t others = shots->rows.obstacles_at_shot.flag ? shots->obstacles_count : 0;
    const uint32_t count = version->is_shared ? shots->rows.at_tick.count : 0;
    for (uint32_t i = 0; i < count; i++) {
        const double tick = proto_double_at(&shots->rows.at_tick, i);
        bool is_gap = needs_lost_tick(version, tick);
        for (uint32_t k = 0; k < others; k++) {
            is_gap = is_gap || needs_lost_tick(shots->obstacles[k], tick);
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
static void rewind_row(const struct shots *shots, uint32_t row, gjk_shot *shot,
                       gjk_obstacles *obstacles, proto_rewind *rewind) {
    const struct gjkd_version *version = shots->columns.request->version;
    const proto_hit_rows *rows = &shots->rows;
    const bool has_tick = rows->at_tick.count > 0;
    const double tick = has_tick ? proto_double_at(&rows->at_tick, row) : 0.0;
    gjk_rewound then;
    shot->rewind = has_tick ? rewind_to(version, tick, &then) : GJK_REWIND_OK;
    shot->snapshot = shots->columns.newest;
    if (has_tick && shot->rewind == GJK_REWIND_OK) {
        shot->snapshot = then.snapshot;
        shot->age_ticks = (double)gjk_history_newest(version->history) - tick;
        *rewind = (proto_rewind){.is_found = true,
                                 .from = then.from,
                                 .to = then.to,
                                 .alpha = then.snapshot.alpha};
    }
    shot->obstacles = obstacles;
    shot->obstacles_count = shots->obstacles_count;
    for (uint32_t i = 0; i < shots->obstacles_count; i++) {
        obstacles[i] = (gjk_obstacles){gjk_snapshot_of(shots->obstacles[i]->set), GJK_REWIND_OK,
                                       &shots->columns.filter};
        if (has_tick && rows->obstacles_at_shot.flag) {
            obstacles[i].rewind = rewind_to(shots->obstacles[i], tick, &then);
            if (obstacles[i].rewind == GJK_REWIND_OK) {
                obstacles[i].snapshot = then.snapshot;
            }
        }
    }
}

/* The shape of a handle as it was then, or else as it is now; NULL: neither. */
static const gjk_body *find_shape(const struct shots *shots, const gjk_shot *shot,
                                  uint32_t handle) {
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
    const gjk_body *shooter = find_shape(shots, shot, handle);
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
    const gjk_body *claimed = by_group ? find_shape(shots, shot, handle)
                                       : gjk_set_find_handle(shot->snapshot.set, handle);
    if (!by_group || claimed == NULL || claimed->group == NULL) {
        shot->claim_id = !by_group && claimed != NULL ? claimed->id : "";
    } else {
        shot->claim_group = claimed->group;
    }
}

/* Copies the near misses of a row to memory that outlives it. */
static bool keep_near_misses(struct gjkd_columns *columns, gjk_nears *nears) {
    void *items = nears->items;
    if (columns->answers->put_lists == NULL) {
        return true;
    }
    const bool is_kept =
        gjkd_columns_keep_lines(columns, &items, &nears->count, sizeof *nears->items);
    nears->items = items;
    return is_kept;
}

static bool answer(struct gjkd_columns *columns, struct gjkd_columns_row *row, gjk_status *status) {
    struct shots *shots = (struct shots *)columns;
    const gjk_ray_settings defaults = gjk_ray_settings_default();
    const double ticks = shots->rows.max_rewind_ticks.number;
    const double near_miss = shots->rows.near_miss.number;
    const uint32_t near_limit = gjkd_columns_line_limit(columns, 0);
    gjk_shot shot = {
        .ray = shots->rows.rays[row->index],
        .radius = proto_double_at(&shots->rows.radius, row->index),
        .filter = columns->filter,
        .tolerance = defaults.tolerance,
        .max_iterations = defaults.max_iterations,
        .max_rewind_ticks = ticks > 0.0 ? ticks : INFINITY,
        .near_miss = near_miss > 0.0 && near_limit > 0 ? near_miss : -1.0,
        .near_miss_limit = near_limit,
        .budget = row->selection.budget,
    };
    gjk_obstacles obstacles[PROTO_OBSTACLES_MAX];
    gjk_judgement judgement;
    proto_rewind rewind = {.is_found = false};
    rewind_row(shots, row->index, &shot, obstacles, &rewind);
    if (!name_shooter(shots, row->index, &shot)) {
        return false;
    }
    name_claim(shots, row->index, &shot);
    *status = gjk_shot_judge(&shot, row->memory, &judgement);
    if (*status == GJK_OK && !keep_near_misses(columns, &judgement.near_misses)) {
        *status = GJK_OUT_OF_MEMORY;
    }
    if (*status == GJK_OK) {
        judgement.obstacle_set += shots->first_set;
        proto_hit_answers_set(&shots->answers, row->index, &judgement, &rewind);
        if (judgement.has_hit) {
            gjkd_tally_add(&row->tally, judgement.hit.result.iterations);
        }
    }
    return true;
}

const struct gjkd_columns_kind gjkd_columns_hit = {
    .block = GJKD_COLUMNS_BLOCK(PROTO_OP_HIT, struct shots),
    .row_ns = 2000,
    .level_ns = 400,
    .decode = decode_shots,
    .find_states = find_states,
    .answer = answer,
};
