/*
 * Queries of every kind. A single one, with a set or without, begins here: a column message is
 * answered as a block, a JSON body is decoded, answered and printed. Batches (batch.c) answer
 * their queries by the same functions.
 */

#include "handlers/answers.h"
#include "handlers/block.h"
#include "handlers/handlers.h"
#include "request/context.h"
#include "request/query_context.h"
#include "request/request.h"

static bool decode_query(struct gjkd_query_context *context, proto_op op) {
    struct gjkd_request *request = context->request;
    uint32_t dimension = request->version != NULL ? request->version->dimension : 0;
    uint64_t room = request->context->limits.answers_max;
    context->room = room < UINT32_MAX ? (uint32_t)room : UINT32_MAX;
    if (!proto_decode_query(gjkd_request_text(request), op, dimension, &request->context->limits,
                            context->arena, &context->query, context->problem) ||
        !gjkd_query_context_begin(context)) {
        return false;
    }
    context->out.in_blocks = true;
    context->out.list_bytes_max = request->context->config->max_answer_bytes;
    return true;
}

/* Refuses to answer a question in JSON by columns, which are for single rows. */
static void refuse_columns(struct gjkd_query_context *context) {
    const char *const *message = context->request->match.operation->messages;
    while (message[1] != NULL) {
        message++; /* the last one has lists */
    }
    proto_problem_set(context->problem, PROTO_NOT_ACCEPTABLE,
                      "this answer has no form as columns: to JSON only the closest hit of a ray "
                      "or cast among stored shapes, single pairs without trace or contacts, shots "
                      "and moves have one, all without meta");
    proto_problem_hint(context->problem,
                       "leave Accept out for JSON; lists are answered in columns where the "
                       "question is one of columns, %s",
                       *message);
    gjkd_request_refuse(context->request);
}

static void answer_json(struct gjkd_request *request, proto_op op) {
    const struct gjkd_query_kind *kind = &gjkd_query_kinds[op];
    struct gjkd_query_context context; /* most of it is the query's, and set by its decoder */
    context.request = request;
    context.arena = &request->arena;
    context.problem = &request->problem;
    if (!decode_query(&context, op)) {
        gjkd_request_refuse(request);
        return;
    }
    gjkd_request_mark_decoded(request);
    if (request->columns_out != NULL && !kind->fits_columns(&context.query)) {
        refuse_columns(&context);
    } else if (kind->answer(&context) && gjkd_query_context_is_whole(&context)) {
        gjkd_request_count_queries(request, op, 1);
        gjkd_request_reply(request, 200, &context.out);
    } else {
        gjkd_request_refuse(request);
    }
}

void gjkd_handle_query(struct gjkd_request *request) {
    proto_op op = request->match.operation->op;
    if (!gjkd_request_may_ask(request)) {
        return;
    }
    if (request->columns_in) {
        gjkd_block_answer(request, gjkd_query_kinds[op].columns[request->message]);
    } else {
        answer_json(request, op);
    }
}

/* --- Detect --- */

/*
 * Collision: whether, and how deep. A pair, one shape against the set, all pairs of the set, or
 * all pairs between two sets.
 */

static gjk_detect_settings detect_settings(const struct gjkd_query_context *context) {
    const proto_query *query = &context->query;
    gjk_detect_settings settings = gjk_detect_settings_default();
    settings.tolerance = query->options.tolerance;
    settings.max_iterations = query->options.max_iterations;
    settings.penetration = query->penetration;
    settings.of_pieces = query->of_pieces;
    settings.budget = context->budget;
    return settings;
}

static bool find_contacts(struct gjkd_query_context *context, const struct gjkd_operand *a,
                          const struct gjkd_operand *b, gjk_contacts *out) {
    const gjk_detect_settings settings = detect_settings(context);
    const uint32_t wanted = context->query.contacts;
    const uint32_t limit = wanted < context->limit ? wanted : context->limit;
    gjk_status status =
        gjk_pair_contacts(&a->placed, &b->placed, &settings, limit, context->arena, out);
    if (status != GJK_OK) {
        return gjkd_query_context_fail(context, status);
    }
    gjkd_query_context_limit_answers(context, &out->count, &out->truncated);
    return true;
}

static bool detect_pair(struct gjkd_query_context *context) {
    gjk_detect_settings settings = detect_settings(context);
    struct gjkd_operand a, b;
    if (!gjkd_query_context_find_pair(context, &a, &b)) {
        return false;
    }
    struct proto_trace trace;
    settings.recorder = gjkd_query_context_start_trace(context, &a, &b, &trace);
    gjk_detect_result result = gjk_detect(&a.placed, &b.placed, &settings);
    if (result.given_up) {
        return gjkd_query_context_fail(context, GJK_GIVEN_UP);
    }
    gjk_contacts contacts;
    if (context->query.contacts > 0) {
        if (!find_contacts(context, &a, &b, &contacts)) {
            return false;
        }
        context->stamp.contacts = &contacts;
    }
    return gjkd_answer_print_detect(context, &result);
}

static bool detect_one(struct gjkd_query_context *context) {
    const proto_query *query = &context->query;
    gjk_detect_settings settings = detect_settings(context);
    struct gjkd_operand a;
    gjk_hits hits;
    if (!gjkd_query_context_find(context, &query->a, &a)) {
        return false;
    }
    gjk_selection selection = gjkd_query_context_select(context, a.body, context->limit);
    gjk_status status = gjk_set_detect(&context->snapshot, &a.placed, &selection, &settings, &hits);
    return gjkd_answer_print_hits(context, status, &hits);
}

static bool detect_within(struct gjkd_query_context *context) {
    gjk_detect_settings settings = detect_settings(context);
    struct gjkd_operand a;
    gjk_hits hits;
    if (!gjkd_query_context_find(context, &context->query.a, &a)) {
        return false;
    }
    if (!gjk_may_contain(&a.placed)) {
        proto_problem_set(context->problem, PROTO_OUT_OF_RANGE,
                          "only polytopes without rounding can be asked what lies within them");
        proto_problem_hint(context->problem,
                           "give a box, polygon, hull or triangle, or a compound of "
                           "one of them, without rounding");
        return proto_problem_point(context->problem, context->query.a.pointer);
    }
    context->query.penetration = false; /* there is no depth to tell */
    gjk_selection selection = gjkd_query_context_select(context, a.body, context->limit);
    gjk_status status = gjk_set_within(&context->snapshot, &a.placed, &selection, &settings, &hits);
    return gjkd_answer_print_hits(context, status, &hits);
}

static bool detect_against(struct gjkd_query_context *context) {
    gjk_detect_settings settings = detect_settings(context);
    gjk_snapshot other;
    gjk_pair_hits pairs;
    if (!gjkd_query_context_find_against(context, &other)) {
        return false;
    }
    gjk_selection selection = gjkd_query_context_select(context, NULL, context->limit);
    gjk_status status =
        gjk_set_detect_against(&context->snapshot, &other, &selection, &settings, &pairs);
    return gjkd_answer_print_pairs(context, status, &pairs);
}

bool gjkd_answer_detect(struct gjkd_query_context *context) {
    const proto_query *query = &context->query;
    if (query->against != NULL) {
        return detect_against(context);
    }
    if (query->a.kind == PROTO_OPERAND_ABSENT) {
        gjk_detect_settings settings = detect_settings(context);
        gjk_pair_hits pairs;
        gjk_selection selection = gjkd_query_context_select(context, NULL, context->limit);
        gjk_status status = gjk_set_detect_pairs(&context->snapshot, &selection, &settings, &pairs);
        return gjkd_answer_print_pairs(context, status, &pairs);
    }
    if (query->within) {
        return detect_within(context);
    }
    return query->b.kind == PROTO_OPERAND_ABSENT ? detect_one(context) : detect_pair(context);
}

/* --- Distance --- */

/* Distance: of a pair, of the nearest shapes of the set, of the nearest pairs of two sets, or of
 * all pairs of one within a distance. */

static gjk_distance_settings distance_settings(const struct gjkd_query_context *context) {
    const proto_query *query = &context->query;
    gjk_distance_settings settings = gjk_distance_settings_default();
    settings.tolerance = query->options.tolerance;
    settings.max_iterations = query->options.max_iterations;
    settings.is_signed = query->is_signed;
    settings.budget = context->budget;
    return settings;
}

static bool distance_pair(struct gjkd_query_context *context) {
    gjk_distance_settings settings = distance_settings(context);
    struct gjkd_operand a, b;
    if (!gjkd_query_context_find_pair(context, &a, &b)) {
        return false;
    }
    struct proto_trace trace;
    settings.recorder = gjkd_query_context_start_trace(context, &a, &b, &trace);
    gjk_distance_result result = gjk_distance(&a.placed, &b.placed, &settings);
    if (result.given_up) {
        return gjkd_query_context_fail(context, GJK_GIVEN_UP);
    }
    return gjkd_answer_print_distance(context, &result);
}

static bool distance_nearest(struct gjkd_query_context *context) {
    const proto_query *query = &context->query;
    gjk_distance_settings settings = distance_settings(context);
    struct gjkd_operand a;
    gjk_nears nears;
    if (!gjkd_query_context_find(context, &query->a, &a)) {
        return false;
    }
    uint32_t limit = query->has_limit ? context->limit : 1;
    gjk_selection selection = gjkd_query_context_select(context, a.body, limit);
    gjk_status status = gjk_set_nearest(&context->snapshot, &a.placed, query->max_distance,
                                        &selection, &settings, &nears);
    return gjkd_answer_print_nearest(context, status, &nears);
}

static bool distance_against(struct gjkd_query_context *context) {
    const proto_query *query = &context->query;
    gjk_distance_settings settings = distance_settings(context);
    gjk_snapshot other;
    gjk_pair_nears pairs;
    if (!gjkd_query_context_find_against(context, &other)) {
        return false;
    }
    const bool asks_all = !query->has_limit && query->max_distance < INFINITY;
    uint32_t limit = query->has_limit || asks_all ? context->limit : 1;
    gjk_selection selection = gjkd_query_context_select(context, NULL, limit);
    gjk_status status =
        asks_all ? gjk_set_near_pairs_against(&context->snapshot, &other, query->max_distance,
                                              &selection, &settings, &pairs)
                 : gjk_set_nearest_against(&context->snapshot, &other, query->max_distance,
                                           &selection, &settings, &pairs);
    return gjkd_answer_print_near_pairs(context, status, &pairs);
}

bool gjkd_answer_distance(struct gjkd_query_context *context) {
    const proto_query *query = &context->query;
    if (query->against != NULL) {
        return distance_against(context);
    }
    if (query->a.kind == PROTO_OPERAND_ABSENT) {
        gjk_distance_settings settings = distance_settings(context);
        gjk_pair_nears pairs;
        gjk_selection selection = gjkd_query_context_select(context, NULL, context->limit);
        gjk_status status = gjk_set_near_pairs(&context->snapshot, query->max_distance, &selection,
                                               &settings, &pairs);
        return gjkd_answer_print_near_pairs(context, status, &pairs);
    }
    return query->b.kind != PROTO_OPERAND_ABSENT ? distance_pair(context)
                                                 : distance_nearest(context);
}

/* --- Rays --- */

/* Rays: at one shape, at the set, or at shapes that the query brings. */

static gjk_ray_settings ray_settings(const struct gjkd_query_context *context) {
    const proto_query *query = &context->query;
    gjk_ray_settings settings = gjk_ray_settings_default();
    settings.tolerance = query->options.tolerance;
    settings.max_iterations = query->options.max_iterations;
    settings.solid = query->solid;
    settings.budget = context->budget;
    return settings;
}

/* Named as an operand: no filter holds for it. */
static bool raycast_target(struct gjkd_query_context *context) {
    const proto_query *query = &context->query;
    gjk_ray_settings settings = ray_settings(context);
    struct gjkd_operand target;
    if (!gjkd_query_context_find(context, &query->target, &target)) {
        return false;
    }
    const gjk_body brought = {.group = query->target.group};
    gjk_ray_hit hit = {target.body != NULL ? target.body : &brought,
                       gjk_raycast(&target.placed, &query->ray, &settings)};
    gjk_ray_hits hits = {&hit, hit.result.hit ? 1 : 0, false};
    gjk_status status = hit.result.given_up ? GJK_GIVEN_UP : GJK_OK;
    double exit;
    if (query->exits && hits.count > 0) {
        status = gjk_ray_exit(&target.placed, &query->ray, &hit.result, &settings, &exit);
    }
    return gjkd_answer_print_ray_hits(context, status, &hits, query->exits ? &exit : NULL);
}

/* Where the ray leaves each of the shapes that it hits; NULL: that was not asked. */
static gjk_status find_exits(struct gjkd_query_context *context, const gjk_snapshot *snapshot,
                             const gjk_ray_hits *hits, const double **out) {
    const proto_query *query = &context->query;
    const gjk_ray_settings settings = ray_settings(context);
    gjk_status status = GJK_OK;
    double *exits = NULL;
    *out = NULL;
    if (query->exits) {
        *out = exits = gjk_arena_alloc_array(context->arena, hits->count, sizeof *exits);
        status = exits != NULL ? GJK_OK : GJK_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; exits != NULL && i < hits->count && status == GJK_OK; i++) {
        const gjk_placed placed = gjk_snapshot_place(snapshot, hits->items[i].body);
        status =
            gjkd_request_is_late(context->request)
                ? GJK_GIVEN_UP
                : gjk_ray_exit(&placed, &query->ray, &hits->items[i].result, &settings, &exits[i]);
    }
    return status;
}

/* Asks the shapes that the query brings along instead of the stored ones, if there are any: *own is
 * a set of them, to be released. Returns false if it could not be made. */
static bool set_asked(struct gjkd_query_context *context, struct gjk_set **own,
                      gjk_snapshot *snapshot) {
    if (context->query.has_shapes) {
        *own = gjkd_query_context_make_set(context);
        *snapshot = gjk_snapshot_of(*own);
    }
    return !context->query.has_shapes || *own != NULL;
}

static bool raycast_set(struct gjkd_query_context *context, const gjk_snapshot *snapshot) {
    const proto_query *query = &context->query;
    gjk_ray_settings settings = ray_settings(context);
    if (query->mode == PROTO_RAY_ANY) {
        gjk_selection selection = gjkd_query_context_select(context, NULL, 1);
        return gjkd_answer_print_any(context, gjk_set_raycast_any(snapshot, &query->ray, &selection,
                                                                  &settings));
    }
    gjk_ray_hits hits;
    uint32_t limit = query->mode == PROTO_RAY_CLOSEST ? 1 : context->limit;
    gjk_selection selection = gjkd_query_context_select(context, NULL, limit);
    selection.rest_unasked = query->mode == PROTO_RAY_CLOSEST;
    gjk_status status = gjk_set_raycast(snapshot, &query->ray, &selection, &settings, &hits);
    const double *exits = NULL;
    if (status == GJK_OK) {
        status = find_exits(context, snapshot, &hits, &exits);
    }
    return gjkd_answer_print_ray_hits(context, status, &hits, exits);
}

bool gjkd_answer_raycast(struct gjkd_query_context *context) {
    if (context->query.target.kind != PROTO_OPERAND_ABSENT) {
        return raycast_target(context);
    }
    struct gjk_set *own = NULL;
    gjk_snapshot snapshot = context->snapshot;
    const bool answered = set_asked(context, &own, &snapshot) && raycast_set(context, &snapshot);
    gjk_set_release(own);
    return answered;
}

/* --- Casts --- */

/* Moving shapes: at one shape, at the set, or at shapes that the query brings. */

static gjk_cast_settings cast_settings(const struct gjkd_query_context *context) {
    return (gjk_cast_settings){.tolerance = context->query.options.tolerance,
                               .max_iterations = context->query.options.max_iterations,
                               .at_start = context->query.at_start,
                               .budget = context->budget};
}

/* The motion that the query asks for. */
static gjk_rigid_motion motion_of(const struct gjkd_query_context *context,
                                  const struct gjkd_operand *moving) {
    const proto_query *query = &context->query;
    if (query->to.kind == PROTO_OPERAND_ABSENT) {
        return gjk_rigid_motion_straight(query->translation);
    }
    gjk_pose to = moving->placed.pose;
    if (query->to.has_position) {
        to.position = query->to.pose.position;
    }
    if (query->to.has_rotation) {
        gjk_pose_turn_as(&to, &query->to.pose);
    }
    return gjk_rigid_motion_between(query->dimension, &moving->placed.pose, &to);
}

/* Named as an operand: no filter holds for it, but a stored shape never hits itself. */
static bool cast_target(struct gjkd_query_context *context, const struct gjkd_operand *moving) {
    const proto_query *query = &context->query;
    gjk_cast_settings settings = cast_settings(context);
    const gjk_body brought = {.group = query->target.group};
    struct gjkd_operand target;
    gjk_cast_hit hit;
    gjk_cast_hits hits = {&hit, 0, false};
    gjk_status status = GJK_OK;
    if (!gjkd_query_context_find(context, &query->target, &target)) {
        return false;
    }
    if (target.body == NULL || target.body != moving->body) {
        hit.body = target.body != NULL ? target.body : &brought;
        const gjk_rigid_motion motion = motion_of(context, moving);
        hit.result = gjk_cast_turning(&moving->placed, &motion, &target.placed, &settings);
        hits.count = hit.result.hit ? 1 : 0;
        status = hit.result.given_up ? GJK_GIVEN_UP : GJK_OK;
    }
    return gjkd_answer_print_cast_hits(context, status, &hits);
}

static bool cast_set(struct gjkd_query_context *context, const struct gjkd_operand *moving,
                     const gjk_snapshot *snapshot) {
    const proto_query *query = &context->query;
    const gjk_rigid_motion motion = motion_of(context, moving);
    gjk_cast_settings settings = cast_settings(context);
    gjk_selection selection = gjkd_query_context_select(context, moving->body, context->limit);
    if (query->mode == PROTO_RAY_ANY) {
        return gjkd_answer_print_any(context,
                                     gjk_set_cast_turning_any(snapshot, &moving->placed, &motion,
                                                              &selection, &settings));
    }
    gjk_cast_hits hits;
    if (query->mode == PROTO_RAY_CLOSEST) {
        selection.limit = 1;
        selection.rest_unasked = true;
    }
    gjk_status status =
        gjk_set_cast_turning(snapshot, &moving->placed, &motion, &selection, &settings, &hits);
    return gjkd_answer_print_cast_hits(context, status, &hits);
}

bool gjkd_answer_cast(struct gjkd_query_context *context) {
    struct gjkd_operand moving;
    if (!gjkd_query_context_find(context, &context->query.moving, &moving)) {
        return false;
    }
    if (context->query.target.kind != PROTO_OPERAND_ABSENT) {
        return cast_target(context, &moving);
    }
    struct gjk_set *own = NULL;
    gjk_snapshot snapshot = context->snapshot;
    const bool answered =
        set_asked(context, &own, &snapshot) && cast_set(context, &moving, &snapshot);
    gjk_set_release(own);
    return answered;
}

/* --- Moves --- */

gjk_move gjkd_move_of(const proto_move *asked, const gjk_placed *moving, gjk_vec3 translation,
                      const proto_options *options) {
    gjk_move move = gjk_move_make(moving, translation);
    move.has_up = asked->has_up;
    move.up = asked->up;
    move.max_slope = asked->max_slope;
    move.step = asked->step;
    move.snap = asked->snap;
    move.skin = isnan(asked->skin) ? move.skin : asked->skin;
    move.depenetrate = isnan(asked->depenetrate) ? move.depenetrate : asked->depenetrate;
    move.slides = asked->slides;
    move.tolerance = options->tolerance;
    move.max_iterations = options->max_iterations;
    return move;
}

bool gjkd_answer_move(struct gjkd_query_context *context) {
    const proto_query *query = &context->query;
    struct gjkd_operand moving;
    gjk_move_result result = {.count = 0};
    if (!gjkd_query_context_find(context, &query->moving, &moving)) {
        return false;
    }
    const gjk_move move =
        gjkd_move_of(&query->move, &moving.placed, query->translation, &query->options);
    const gjk_selection selection = gjkd_query_context_select(context, moving.body, context->limit);
    const gjk_status status = gjk_set_move(&context->snapshot, &move, &selection, &result);
    return gjkd_answer_print_move(context, status, &result);
}

/* --- Shots --- */

/*
 * Judging shots: whether one hit what the shooter claims, in the scene as it was. The core judges;
 * here it gets what it is to look at: the snapshot, the obstacles, how long ago it all is.
 */

static gjk_shot shot_of(const struct gjkd_query_context *context) {
    const proto_query *query = &context->query;
    return (gjk_shot){
        .shooter = query->shooter,
        .ray = query->ray,
        .radius = query->radius,
        .claim_id = query->claim_id,
        .claim_group = query->claim_group,
        .filter = query->filter,
        .tolerance = query->options.tolerance,
        .max_iterations = query->options.max_iterations,
        .rewind = context->rewind,
        .snapshot = context->snapshot,
        .max_rewind_ticks = query->max_rewind_ticks,
        .near_miss = query->near_miss,
        .near_miss_limit = context->limit,
        .budget = context->budget,
    };
}

static proto_rewind rewind_of(const struct gjkd_query_context *context) {
    const gjk_rewound *rewound = &context->rewound;
    const struct gjk_history *history = context->request->version->history;
    const double tick = context->query.at.tick;
    bool has_ticks = history != NULL && gjk_history_count(history) > 0;
    return (proto_rewind){
        .requested = tick,
        .is_found = context->rewind == GJK_REWIND_OK,
        .from = rewound->from,
        .to = rewound->to,
        .alpha = rewound->snapshot.alpha,
        .has_age = has_ticks,
        .age_ticks = has_ticks ? (double)gjk_history_newest(history) - tick : 0.0,
    };
}

/* Finds obstacles of the shot: a set of the policy, at its newest version or as of the shot. */
static bool find_obstacles(struct gjkd_query_context *context, const proto_obstacles *asked,
                           gjk_obstacles *out) {
    const proto_query *query = &context->query;
    const struct gjkd_version *other =
        gjkd_query_context_find_set(context, asked->set, asked->pointer);
    if (other == NULL) {
        return false;
    }
    if (asked->at_shot && other->history == NULL) {
        proto_problem_set(context->problem, PROTO_OUT_OF_RANGE, "the set \"%.160s\" keeps no ticks",
                          asked->set);
        proto_problem_hint(context->problem, "PATCH it with \"history\", or say \"newest\"");
        return gjkd_query_context_refuse_at(context, asked->at_pointer);
    }
    *out = (gjk_obstacles){.snapshot = gjk_snapshot_of(other->set), .filter = &asked->filter};
    if (asked->at_shot && query->at.given) {
        gjk_rewound rewound;
        out->rewind = gjk_history_at(other->history, query->at.tick, &rewound);
        if (out->rewind == GJK_REWIND_OK) {
            out->snapshot = rewound.snapshot;
            context->stamp.pose_gap = context->stamp.pose_gap || rewound.is_gap;
        }
    }
    return true;
}

/* Returns true if some shape has the shooter as its group, in the state that is judged or in the
 * newest: a shooter may have left since, or have come since. Without a snapshot nobody can tell. */
static bool knows_shooter(struct gjkd_query_context *context) {
    const char *shooter = context->query.shooter;
    if (shooter == NULL || context->rewind != GJK_REWIND_OK ||
        gjk_set_has_group(context->snapshot.set, shooter) ||
        gjk_set_has_group(context->request->version->set, shooter)) {
        return true;
    }
    proto_problem_set(context->problem, PROTO_SHAPE_NOT_FOUND,
                      "no shape of the set has the group \"%.140s\"", shooter);
    proto_problem_hint(context->problem,
                       "give the group of the shooter's own shapes, or leave the member out");
    return gjkd_query_context_refuse_at(context, "/shooter");
}

bool gjkd_answer_hit(struct gjkd_query_context *context) {
    const proto_query *query = &context->query;
    gjk_shot shot = shot_of(context);
    gjk_obstacles obstacles[PROTO_OBSTACLES_MAX];
    gjk_judgement judgement;
    bool is_fine = knows_shooter(context);
    for (uint32_t i = 0; is_fine && i < query->obstacles_count; i++) {
        is_fine = find_obstacles(context, &query->obstacles[i], &obstacles[i]);
    }
    if (!is_fine) {
        return false;
    }
    shot.obstacles = obstacles;
    shot.obstacles_count = query->obstacles_count;
    const proto_rewind rewind = query->at.given ? rewind_of(context) : (proto_rewind){0};
    shot.age_ticks = rewind.age_ticks;
    gjk_status status = gjk_shot_judge(&shot, context->arena, &judgement);
    return gjkd_answer_print_judgement(context, status, &judgement,
                                       query->at.given ? &rewind : NULL);
}
