/*
 * Queries of every kind. gjkd_handle_query answers a single one, with or without a set: a column
 * message as a block; a JSON body as JSON or, if the client accepts that, as a column message of
 * one row. Batches (batch.c) use the same functions. Queries of a set ask the version that the
 * request retained; stateless queries contain their shapes.
 */

#include "handlers/query.h"

#include "handlers/blocks.h"
#include "handlers/handlers.h"
#include "proto/columns.h"
#include "request/context.h"
#include "request/request.h"
#include "request/telemetry.h"

#include <string.h>

/* Length of a list whose printing takes too long for a loop. */
#define LONG_LIST 128

/* --- Refusals --- */

/* Points the problem at a path in the query, like "policy/obstacles/0". Returns false. */
static bool point_at(struct gjkd_query_context *context, const char *path) {
    char pointer[PROTO_POINTER_MAX];
    snprintf(pointer, sizeof pointer, "%s/%s", context->query.pointer, path);
    return proto_problem_point(context->problem, pointer);
}

bool gjkd_query_out_of_memory(struct gjkd_query_context *context) {
    return proto_problem_set(context->problem, PROTO_OUT_OF_MEMORY, "no memory for the answer");
}

/* Refuses the query because the core failed: its time or memory is exhausted. Returns false. */
static bool fail(struct gjkd_query_context *context, gjk_status status) {
    if (status != GJK_GIVEN_UP) {
        return gjkd_query_out_of_memory(context);
    }
    return proto_problem_set(context->problem, PROTO_DEADLINE_EXCEEDED,
                             "time was up before all was looked at");
}

/* --- Operands and sets --- */

/* An operand that was found. `placed` may point to `shape`, so it must not be copied. */
struct operand {
    gjk_shape shape;
    gjk_placed placed;
    const gjk_body *body; /* NULL for an inline shape */
};

/* Finds an operand. Returns false with shape-not-found at its place if it is missing. */
static bool find(struct gjkd_query_context *context, const proto_operand *operand,
                 struct operand *out) {
    out->body = NULL;
    if (operand->kind == PROTO_OPERAND_INLINE) {
        out->shape = operand->shape;
        out->placed = (gjk_placed){&out->shape, operand->pose};
        return true;
    }
    const gjk_snapshot *snapshot = &context->snapshot;
    out->body = snapshot->set != NULL ? gjk_set_find(snapshot->set, operand->id) : NULL;
    if (out->body == NULL) {
        proto_problem_set(context->problem, PROTO_SHAPE_NOT_FOUND,
                          "there is no shape \"%.140s\" in the set", operand->id);
        return point_at(context, operand->member);
    }
    out->placed = gjk_snapshot_place(snapshot, out->body);
    if (operand->has_position) {
        out->placed.pose.position = operand->pose.position;
    }
    if (operand->has_rotation) {
        gjk_pose_turn_as(&out->placed.pose, &operand->pose);
    }
    return true;
}

/* Finds the operands of a pair, like `find`. Sets *recorder to record the trace for the answer, or
 * to NULL if the query wants none. */
static bool find_pair(struct gjkd_query_context *context, struct operand *a, struct operand *b,
                      struct proto_trace *trace, const gjk_recorder **recorder) {
    if (!find(context, &context->query.a, a) || !find(context, &context->query.b, b)) {
        return false;
    }
    context->stamp.pair_a = a->body;
    context->stamp.pair_b = b->body;
    *recorder = NULL;
    if (context->query.trace) {
        proto_trace_init(trace, context->arena, &a->placed, &b->placed);
        context->stamp.trace = trace;
        *recorder = &trace->recorder;
    }
    return true;
}

/* Selects bodies that pass the query's filter, without `except`, for at most `limit` answers. */
static gjk_selection selection_of(struct gjkd_query_context *context, const gjk_body *except,
                                  uint32_t limit) {
    return (gjk_selection){.filter = &context->query.filter,
                           .except = except,
                           .limit = limit,
                           .arena = context->arena,
                           .budget = context->budget};
}

const struct gjkd_version *gjkd_query_find_set(struct gjkd_query_context *context, const char *name,
                                               const char *path) {
    struct gjkd_request *request = context->request;
    bool no_memory;
    if (!gjkd_access_set(&request->grant, GJKD_SCOPE_READ, name, context->problem)) {
        point_at(context, path);
        return NULL;
    }
    if (strcmp(name, request->version->name) == 0) {
        return request->version;
    }
    const struct gjkd_version *other =
        gjkd_pinned_sets_get(&request->pinned_sets, request->context->registry, name, &no_memory);
    if (no_memory) {
        gjkd_query_out_of_memory(context);
    } else if (other == NULL && request->context->cluster != NULL &&
               !gjkd_cluster_check_held(request->context->cluster, name, context->problem)) {
        point_at(context, path);
    } else if (other == NULL) {
        proto_problem_set(context->problem, PROTO_SET_NOT_FOUND, "there is no set \"%.160s\"",
                          name);
        point_at(context, path);
    } else if (other->dimension != request->version->dimension) {
        proto_problem_set(context->problem, PROTO_DIMENSION_MISMATCH,
                          "the set \"%.160s\" has dimension %u, this one %u", name,
                          other->dimension, request->version->dimension);
        point_at(context, path);
        other = NULL;
    }
    return other;
}

/* Finds the snapshot of the query's `against`, at its tick if it has one, and puts its revision
 * into the answer. Returns false if the query is refused. */
static bool find_against(struct gjkd_query_context *context, gjk_snapshot *out) {
    const proto_query *query = &context->query;
    const struct gjkd_version *other = gjkd_query_find_set(context, query->against, "against");
    if (other == NULL) {
        return false;
    }
    context->stamp.has_against_revision = true;
    context->stamp.against_revision = other->revision;
    *out = gjk_snapshot_of(other->set);
    if (query->against_at.given) {
        gjk_rewound rewound;
        if (!gjkd_rewind(other, query->against_at.tick, &rewound, context->problem)) {
            return point_at(context, "against_at/tick");
        }
        *out = rewound.snapshot;
        context->stamp.pose_gap = context->stamp.pose_gap || rewound.is_gap;
    }
    return true;
}

/* Rewinds the set of the path to the query's tick. If that tick is not kept, the verdict of `hit`
 * says so; other queries are refused. */
static bool rewind_to_tick(struct gjkd_query_context *context) {
    const struct gjkd_version *version = context->request->version;
    const double tick = context->query.at.tick;
    context->stamp.has_tick = true;
    context->stamp.tick = tick;
    context->rewound = (gjk_rewound){0};
    if (context->query.op == PROTO_OP_HIT) {
        context->rewind = gjk_history_at(version->history, tick, &context->rewound);
    } else if (!gjkd_rewind(version, tick, &context->rewound, context->problem)) {
        return context->query.at.is_own ? point_at(context, "at/tick")
                                        : proto_problem_point(context->problem, "/at/tick");
    }
    context->snapshot = context->rewound.snapshot;
    context->stamp.pose_gap = context->rewind == GJK_REWIND_OK && context->rewound.is_gap;
    return true;
}

bool gjkd_query_begin(struct gjkd_query_context *context) {
    const struct gjkd_version *version = context->request->version;
    const proto_query *query = &context->query;
    uint64_t limit = query->has_limit ? query->limit : UINT32_MAX;
    limit = limit < context->room ? limit : context->room;
    context->limit = limit > 0 ? (uint32_t)limit : 1;
    context->answered = 0;
    context->is_cut = false;
    context->budget = context->arena->budget;
    context->rewind = GJK_REWIND_OK;
    context->snapshot = (gjk_snapshot){0};
    context->stamp = (proto_stamp){.meta_of = query->include_meta ? gjkd_stored_meta : NULL};
    proto_buffer_init(&context->out, context->arena);
    if (version != NULL) {
        context->snapshot = gjk_snapshot_of(version->set);
        context->stamp.has_revision = true;
        context->stamp.revision = version->revision;
    }
    return !query->at.given || rewind_to_tick(context);
}

bool gjkd_query_answer(struct gjkd_query_context *context) {
    return gjkd_query_kinds[context->query.op].answer(context) &&
           (!gjk_budget_is_spent(context->budget) || fail(context, GJK_GIVEN_UP));
}

/* --- A query alone --- */

static bool decode_query(struct gjkd_query_context *context, proto_op op) {
    struct gjkd_request *request = context->request;
    uint32_t dimension = request->version != NULL ? request->version->dimension : 0;
    uint64_t room = request->context->limits.answers_max;
    context->room = room < UINT32_MAX ? (uint32_t)room : UINT32_MAX;
    if (!proto_decode_query(gjkd_request_text(request), op, dimension, &request->context->limits,
                            context->arena, &context->query, context->problem) ||
        !gjkd_query_begin(context)) {
        return false;
    }
    context->out.in_blocks = true;
    context->out.list_bytes_max = request->context->config->max_answer_bytes;
    return true;
}

/* Refuses to answer a JSON query in columns, because its answer is not a single row. */
static void refuse_columns(struct gjkd_request *request) {
    const char *const *message = request->match.operation->messages;
    while (message[1] != NULL) {
        message++; /* the last message is the one with lists */
    }
    proto_problem_set(&request->problem, PROTO_NOT_ACCEPTABLE,
                      "this answer has no form as columns: to JSON only the closest hit of a ray "
                      "or cast among stored shapes, single pairs without trace or contacts, shots "
                      "and moves have one, all without meta");
    proto_problem_hint(&request->problem,
                       "leave Accept out for JSON; lists are answered in columns where the "
                       "question is one of columns, %s",
                       *message);
    gjkd_request_refuse(request);
}

void gjkd_handle_query(struct gjkd_request *request) {
    const proto_op op = request->match.operation->op;
    const struct gjkd_query_kind *kind = &gjkd_query_kinds[op];
    struct gjkd_query_context context; /* the decoder sets its largest part, the query */
    if (!gjkd_request_check_if_match(request)) {
        return;
    }
    if (request->columns_in) {
        gjkd_block_answer(request, kind->blocks[request->message]);
        return;
    }
    context.request = request;
    context.arena = &request->arena;
    context.problem = &request->problem;
    if (!decode_query(&context, op)) {
        gjkd_request_refuse(request);
        return;
    }
    gjkd_request_mark_decoded(request);
    if (request->columns_out != NULL && !kind->fits_columns(&context.query)) {
        refuse_columns(request);
    } else if (gjkd_query_answer(&context)) {
        gjkd_request_count_queries(request, op, 1);
        gjkd_request_reply(request, 200, &context.out);
    } else {
        gjkd_request_refuse(request);
    }
}

/* --- Printing --- */

static void count_iterations(const struct gjkd_query_context *context, uint32_t iterations) {
    gjkd_count_iterations(context->request->counters, iterations);
}

#define COUNT_ITERATIONS(context, list)                               \
    for (uint32_t i = 0; i < (list).count; i++) {                     \
        count_iterations(context, (list).items[i].result.iterations); \
    }

/* Counts the answers of a list, and empties it if there is no room. Returns false if the core
 * failed (status), or a trial on the loop must be given up. */
static bool take_list(struct gjkd_query_context *context, gjk_status status, uint32_t *count,
                      bool *truncated) {
    if (status == GJK_OK && *count >= LONG_LIST && gjkd_request_give_up_trial(context->request)) {
        status = GJK_GIVEN_UP;
    }
    if (status != GJK_OK) {
        return fail(context, status);
    }
    context->is_cut = context->is_cut || (*count > 0 && *count >= context->room);
    if (context->room == 0 && *count > 0) {
        *count = 0;
        *truncated = true;
    }
    context->answered += *count;
    return true;
}

/* Prints the answer in mode `any`. */
static bool print_any(struct gjkd_query_context *context, bool hit) {
    proto_encode_ray_any(&context->out, hit, &context->stamp);
    return true;
}

/* Prints the answer in mode `any` after a search of the set. Refuses a miss if time ran out. */
static bool print_any_of_set(struct gjkd_query_context *context, bool hit) {
    if (!hit && gjkd_request_check_time(context->request)) {
        return fail(context, GJK_GIVEN_UP); /* the search may be incomplete */
    }
    return print_any(context, hit);
}

/* Returns true if the answer is a column message of one row. */
static bool is_columns(const struct gjkd_query_context *context) {
    return context->request->columns_out != NULL;
}

/* Allocates an answer of one row. Returns false if the query is refused. */
static bool begin_row(struct gjkd_query_context *context, const proto_table *table,
                      const proto_result_type *results, uint32_t needs, proto_any_answers *row) {
    row->answers = (proto_answers){.table = table,
                                   .results = results,
                                   .slots = row->slots,
                                   .revision = context->stamp.revision,
                                   .dimension = context->query.dimension,
                                   .count = 1,
                                   .needs = needs};
    if (!proto_answers_init(&row->answers, context->arena)) {
        return gjkd_query_out_of_memory(context);
    }
    if (context->stamp.pose_gap) {
        proto_set_some(row->answers.pose_gap, 0, 1);
    }
    return true;
}

/* Prints an answer of one row. Returns false if the query is refused. */
static bool end_row(struct gjkd_query_context *context, proto_any_answers *row) {
    if (!proto_answers_finish(&row->answers, context->arena)) {
        return gjkd_query_out_of_memory(context);
    }
    proto_encode_answers(&context->out, &row->answers);
    return true;
}

/* Prints an answer of one row with one item, or without one if item is NULL. */
static bool print_row(struct gjkd_query_context *context, const proto_table *table,
                      const proto_result_type *results, uint32_t needs, const void *item) {
    proto_any_answers row;
    if (!begin_row(context, table, results, needs, &row)) {
        return false;
    }
    proto_answers_set(&row.answers, 0, item, item != NULL);
    return end_row(context, &row);
}

static bool pair_fits_columns(const proto_query *query) {
    return query->b.kind != PROTO_OPERAND_ABSENT && !query->trace && query->contacts == 0 &&
           !query->include_meta;
}

/* --- Detect --- */

/*
 * Collision and penetration depth of a pair, of one shape and the set, of all pairs of the set, or
 * of all pairs of two sets.
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

static bool detect_pair(struct gjkd_query_context *context) {
    const proto_query *query = &context->query;
    gjk_detect_settings settings = detect_settings(context);
    struct operand a, b;
    struct proto_trace trace;
    if (!find_pair(context, &a, &b, &trace, &settings.recorder)) {
        return false;
    }
    const gjk_detect_result result = gjk_detect(&a.placed, &b.placed, &settings);
    if (result.given_up) {
        return fail(context, GJK_GIVEN_UP);
    }
    gjk_contacts contacts;
    if (query->contacts > 0) {
        settings.recorder = NULL;
        const uint32_t limit = query->contacts < context->limit ? query->contacts : context->limit;
        const gjk_status status =
            gjk_pair_contacts(&a.placed, &b.placed, &settings, limit, context->arena, &contacts);
        if (!take_list(context, status, &contacts.count, &contacts.truncated)) {
            return false;
        }
        context->stamp.contacts = &contacts;
    }
    count_iterations(context, result.iterations);
    if (is_columns(context)) {
        return print_row(context, &proto_pair_answers_table, &proto_detect_results,
                         query->penetration ? PROTO_NEEDS_PENETRATION : 0, &result);
    }
    proto_encode_detect(&context->out, query->dimension, query->penetration, &result,
                        &context->stamp);
    return true;
}

/* Finds all shapes of the set that one shape collides with, or that it contains. */
static bool detect_one(struct gjkd_query_context *context) {
    const proto_query *query = &context->query;
    const gjk_detect_settings settings = detect_settings(context);
    struct operand a;
    gjk_hits hits;
    if (!find(context, &query->a, &a)) {
        return false;
    }
    if (query->within && !gjk_may_contain(&a.placed)) {
        proto_problem_set(context->problem, PROTO_OUT_OF_RANGE,
                          "only polytopes without rounding can be asked what lies within them");
        proto_problem_hint(context->problem,
                           "give a box, polygon, hull or triangle, or a compound of "
                           "one of them, without rounding");
        return point_at(context, "a");
    }
    const gjk_selection selection = selection_of(context, a.body, context->limit);
    const gjk_status status =
        query->within ? gjk_set_within(&context->snapshot, &a.placed, &selection, &settings, &hits)
                      : gjk_set_detect(&context->snapshot, &a.placed, &selection, &settings, &hits);
    if (!take_list(context, status, &hits.count, &hits.truncated)) {
        return false;
    }
    COUNT_ITERATIONS(context, hits)
    /* Contained shapes have no penetration depth. */
    proto_encode_hits(&context->out, query->dimension, query->penetration && !query->within, &hits,
                      &context->stamp);
    return true;
}

static bool detect_pairs(struct gjkd_query_context *context) {
    const proto_query *query = &context->query;
    const gjk_detect_settings settings = detect_settings(context);
    gjk_snapshot other;
    gjk_pair_hits pairs;
    if (query->against != NULL && !find_against(context, &other)) {
        return false;
    }
    const gjk_selection selection = selection_of(context, NULL, context->limit);
    const gjk_status status =
        query->against != NULL
            ? gjk_set_detect_against(&context->snapshot, &other, &selection, &settings, &pairs)
            : gjk_set_detect_pairs(&context->snapshot, &selection, &settings, &pairs);
    if (!take_list(context, status, &pairs.count, &pairs.truncated)) {
        return false;
    }
    COUNT_ITERATIONS(context, pairs)
    proto_encode_pairs(&context->out, query->dimension, query->penetration, &pairs,
                       &context->stamp);
    return true;
}

static bool answer_detect(struct gjkd_query_context *context) {
    const proto_query *query = &context->query;
    if (query->against != NULL || query->a.kind == PROTO_OPERAND_ABSENT) {
        return detect_pairs(context);
    }
    return query->within || query->b.kind == PROTO_OPERAND_ABSENT ? detect_one(context)
                                                                  : detect_pair(context);
}

/* --- Distance --- */

/* Distance of a pair, the nearest shapes of the set, the nearest pairs of two sets, or all pairs
 * within a distance. */

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
    struct operand a, b;
    struct proto_trace trace;
    if (!find_pair(context, &a, &b, &trace, &settings.recorder)) {
        return false;
    }
    const gjk_distance_result result = gjk_distance(&a.placed, &b.placed, &settings);
    if (result.given_up) {
        return fail(context, GJK_GIVEN_UP);
    }
    count_iterations(context, result.iterations);
    if (is_columns(context)) {
        return print_row(context, &proto_pair_answers_table, &proto_distance_results, 0, &result);
    }
    proto_encode_distance(&context->out, context->query.dimension, &result, &context->stamp);
    return true;
}

static bool distance_nearest(struct gjkd_query_context *context) {
    const proto_query *query = &context->query;
    const gjk_distance_settings settings = distance_settings(context);
    struct operand a;
    gjk_nears nears;
    if (!find(context, &query->a, &a)) {
        return false;
    }
    const gjk_selection selection =
        selection_of(context, a.body, query->has_limit ? context->limit : 1);
    const gjk_status status = gjk_set_nearest(&context->snapshot, &a.placed, query->max_distance,
                                              &selection, &settings, &nears);
    if (!take_list(context, status, &nears.count, &nears.truncated)) {
        return false;
    }
    COUNT_ITERATIONS(context, nears)
    proto_encode_nearest(&context->out, query->dimension, &nears, &context->stamp);
    return true;
}

static bool distance_pairs(struct gjkd_query_context *context) {
    const proto_query *query = &context->query;
    const gjk_distance_settings settings = distance_settings(context);
    const gjk_snapshot *own = &context->snapshot;
    gjk_snapshot other;
    gjk_pair_nears pairs;
    gjk_status status;
    gjk_selection selection = selection_of(context, NULL, context->limit);
    if (query->against == NULL) {
        status = gjk_set_near_pairs(own, query->max_distance, &selection, &settings, &pairs);
    } else if (!find_against(context, &other)) {
        return false;
    } else if (!query->has_limit && query->max_distance < INFINITY) {
        status = gjk_set_near_pairs_against(own, &other, query->max_distance, &selection, &settings,
                                            &pairs);
    } else {
        selection.limit = query->has_limit ? context->limit : 1;
        status = gjk_set_nearest_against(own, &other, query->max_distance, &selection, &settings,
                                         &pairs);
    }
    if (!take_list(context, status, &pairs.count, &pairs.truncated)) {
        return false;
    }
    COUNT_ITERATIONS(context, pairs)
    proto_encode_near_pairs(&context->out, query->dimension, &pairs, &context->stamp);
    return true;
}

static bool answer_distance(struct gjkd_query_context *context) {
    const proto_query *query = &context->query;
    if (query->against != NULL || query->a.kind == PROTO_OPERAND_ABSENT) {
        return distance_pairs(context);
    }
    return query->b.kind != PROTO_OPERAND_ABSENT ? distance_pair(context)
                                                 : distance_nearest(context);
}

/* --- Rays --- */

/* Rays at one shape, at the set, or at shapes in the query. */

static bool ray_fits_columns(const proto_query *query) {
    return query->mode == PROTO_RAY_CLOSEST && query->target.kind != PROTO_OPERAND_INLINE &&
           !query->include_meta;
}

static gjk_ray_settings ray_settings(const struct gjkd_query_context *context) {
    const proto_query *query = &context->query;
    gjk_ray_settings settings = gjk_ray_settings_default();
    settings.tolerance = query->options.tolerance;
    settings.max_iterations = query->options.max_iterations;
    settings.solid = query->solid;
    settings.budget = context->budget;
    return settings;
}

/* Does the same for the hits of a ray or cast, which are not a list in mode `any`. */
static bool take_hits(struct gjkd_query_context *context, gjk_status status, uint32_t *count,
                      bool *truncated) {
    if (context->query.mode != PROTO_RAY_ANY) {
        return take_list(context, status, count, truncated);
    }
    return status == GJK_OK || fail(context, status);
}

/* Prints the hits of a ray. `exits` are the distances at which it leaves the shapes, or NULL. */
static bool print_ray_hits(struct gjkd_query_context *context, gjk_status status,
                           gjk_ray_hits *hits, const double *exits) {
    if (!take_hits(context, status, &hits->count, &hits->truncated)) {
        return false;
    }
    if (context->query.mode == PROTO_RAY_ANY) {
        return print_any(context, hits->count > 0);
    }
    COUNT_ITERATIONS(context, *hits)
    if (is_columns(context)) {
        const uint32_t needs = PROTO_NEEDS_HITS | (exits != NULL ? PROTO_NEEDS_EXITS : 0);
        proto_ray_item item;
        if (hits->count > 0) {
            item = (proto_ray_item){hits->items[0], exits != NULL ? exits[0] : 0.0};
        }
        return print_row(context, &proto_raycast_answers_table, &proto_ray_results, needs,
                         hits->count > 0 ? &item : NULL);
    }
    proto_encode_ray_hits(&context->out, context->query.dimension, hits, exits, &context->stamp);
    return true;
}

/* Answers a ray at a single shape, the operand `target`, without the filter. */
static bool raycast_target(struct gjkd_query_context *context) {
    const proto_query *query = &context->query;
    gjk_ray_settings settings = ray_settings(context);
    settings.any = query->mode == PROTO_RAY_ANY && !query->exits;
    struct operand target;
    if (!find(context, &query->target, &target)) {
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
    return print_ray_hits(context, status, &hits, query->exits ? &exit : NULL);
}

/* Finds where the ray leaves each shape that it hits; *out is NULL if that is not asked. */
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
            gjkd_request_check_time(context->request)
                ? GJK_GIVEN_UP
                : gjk_ray_exit(&placed, &query->ray, &hits->items[i].result, &settings, &exits[i]);
    }
    return status;
}

/* Returns the snapshot that a ray or cast asks: the stored one, or that of a new set *own with the
 * shapes of the query, which the caller releases. Returns false if memory is exhausted. */
static bool find_asked(struct gjkd_query_context *context, struct gjk_set **own,
                       gjk_snapshot *snapshot) {
    const proto_query *query = &context->query;
    *own = NULL;
    *snapshot = context->snapshot;
    if (!query->has_shapes) {
        return true;
    }
    gjk_body *bodies = gjk_arena_alloc_array(context->arena, query->shape_count, sizeof *bodies);
    for (uint32_t i = 0; bodies != NULL && i < query->shape_count; i++) {
        const proto_shape *shape = &query->shapes[i].shape;
        bodies[i] = (gjk_body){
            .id = query->shapes[i].id,
            .group = shape->group,
            .handle = i,
            .category = shape->category,
            .mask = shape->mask,
            .placed = {&shape->shape, shape->place.pose},
        };
    }
    if (bodies == NULL ||
        gjk_set_new(query->dimension, bodies, query->shape_count, own) != GJK_OK) {
        return gjkd_query_out_of_memory(context);
    }
    *snapshot = gjk_snapshot_of(*own);
    return true;
}

static bool raycast_set(struct gjkd_query_context *context, const gjk_snapshot *snapshot) {
    const proto_query *query = &context->query;
    gjk_ray_settings settings = ray_settings(context);
    gjk_selection selection = selection_of(context, NULL, context->limit);
    if (query->mode == PROTO_RAY_ANY) {
        selection.limit = 1;
        return print_any_of_set(context,
                                gjk_set_raycast_any(snapshot, &query->ray, &selection, &settings));
    }
    gjk_ray_hits hits;
    if (query->mode == PROTO_RAY_CLOSEST) {
        selection.limit = 1;
        selection.rest_unasked = true;
    }
    gjk_status status = gjk_set_raycast(snapshot, &query->ray, &selection, &settings, &hits);
    const double *exits = NULL;
    if (status == GJK_OK) {
        status = find_exits(context, snapshot, &hits, &exits);
    }
    return print_ray_hits(context, status, &hits, exits);
}

static bool answer_raycast(struct gjkd_query_context *context) {
    if (context->query.target.kind != PROTO_OPERAND_ABSENT) {
        return raycast_target(context);
    }
    struct gjk_set *own;
    gjk_snapshot snapshot;
    const bool answered = find_asked(context, &own, &snapshot) && raycast_set(context, &snapshot);
    gjk_set_release(own);
    return answered;
}

/* --- Casts --- */

/* Casts of a moving shape at one shape, at the set, or at shapes in the query. */

static bool cast_fits_columns(const proto_query *query) {
    return query->mode == PROTO_RAY_CLOSEST && !query->include_meta;
}

static gjk_cast_settings cast_settings(const struct gjkd_query_context *context) {
    return (gjk_cast_settings){.tolerance = context->query.options.tolerance,
                               .max_iterations = context->query.options.max_iterations,
                               .at_start = context->query.at_start,
                               .budget = context->budget};
}

static bool print_cast_hits(struct gjkd_query_context *context, gjk_status status,
                            gjk_cast_hits *hits) {
    if (!take_hits(context, status, &hits->count, &hits->truncated)) {
        return false;
    }
    COUNT_ITERATIONS(context, *hits)
    if (context->query.mode == PROTO_RAY_ANY) {
        return print_any(context, hits->count > 0);
    }
    if (is_columns(context)) {
        const bool resolves = context->query.at_start == GJK_AT_START_RESOLVE;
        const uint32_t needs = PROTO_NEEDS_HITS | (resolves ? PROTO_NEEDS_DEPTH : 0);
        return print_row(context, &proto_cast_answers_table, &proto_cast_results, needs,
                         hits->count > 0 ? &hits->items[0] : NULL);
    }
    proto_encode_cast_hits(&context->out, context->query.dimension, hits, &context->stamp);
    return true;
}

/* Returns the motion that the query asks for. */
static gjk_rigid_motion motion_of(const struct gjkd_query_context *context,
                                  const struct operand *moving) {
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

/* Answers a cast at a single shape, the operand `target`, without the filter. A stored shape does
 * not hit itself. */
static bool cast_target(struct gjkd_query_context *context, const struct operand *moving) {
    const proto_query *query = &context->query;
    gjk_cast_settings settings = cast_settings(context);
    const gjk_body brought = {.group = query->target.group};
    struct operand target;
    gjk_cast_hit hit;
    gjk_cast_hits hits = {&hit, 0, false};
    gjk_status status = GJK_OK;
    if (!find(context, &query->target, &target)) {
        return false;
    }
    if (target.body == NULL || target.body != moving->body) {
        hit.body = target.body != NULL ? target.body : &brought;
        const gjk_rigid_motion motion = motion_of(context, moving);
        hit.result = gjk_cast_turning(&moving->placed, &motion, &target.placed, &settings);
        hits.count = hit.result.hit ? 1 : 0;
        status = hit.result.given_up ? GJK_GIVEN_UP : GJK_OK;
    }
    return print_cast_hits(context, status, &hits);
}

static bool cast_set(struct gjkd_query_context *context, const struct operand *moving,
                     const gjk_snapshot *snapshot) {
    const proto_query *query = &context->query;
    const gjk_rigid_motion motion = motion_of(context, moving);
    gjk_cast_settings settings = cast_settings(context);
    gjk_selection selection = selection_of(context, moving->body, context->limit);
    if (query->mode == PROTO_RAY_ANY) {
        return print_any_of_set(context, gjk_set_cast_turning_any(snapshot, &moving->placed,
                                                                  &motion, &selection, &settings));
    }
    gjk_cast_hits hits;
    if (query->mode == PROTO_RAY_CLOSEST) {
        selection.limit = 1;
        selection.rest_unasked = true;
    }
    gjk_status status =
        gjk_set_cast_turning(snapshot, &moving->placed, &motion, &selection, &settings, &hits);
    return print_cast_hits(context, status, &hits);
}

static bool answer_cast(struct gjkd_query_context *context) {
    struct operand moving;
    if (!find(context, &context->query.moving, &moving)) {
        return false;
    }
    if (context->query.target.kind != PROTO_OPERAND_ABSENT) {
        return cast_target(context, &moving);
    }
    struct gjk_set *own;
    gjk_snapshot snapshot;
    const bool answered =
        find_asked(context, &own, &snapshot) && cast_set(context, &moving, &snapshot);
    gjk_set_release(own);
    return answered;
}

/* --- Moves and shots --- */

static bool has_no_meta(const proto_query *query) {
    return !query->include_meta;
}

gjk_move gjkd_query_move(const proto_move *asked, const gjk_placed *moving, gjk_vec3 translation,
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

static bool answer_move(struct gjkd_query_context *context) {
    const proto_query *query = &context->query;
    struct operand moving;
    gjk_move_result result = {.count = 0};
    if (!find(context, &query->moving, &moving)) {
        return false;
    }
    const gjk_move move =
        gjkd_query_move(&query->move, &moving.placed, query->translation, &query->options);
    const gjk_selection selection = selection_of(context, moving.body, context->limit);
    const gjk_status status = gjk_set_move(&context->snapshot, &move, &selection, &result);
    if (!take_list(context, status, &result.count, &result.truncated)) {
        return false;
    }
    count_iterations(context, result.iterations);
    if (is_columns(context)) {
        proto_any_answers row;
        if (!begin_row(context, &proto_move_answers_table, &proto_contact_results, 0, &row)) {
            return false;
        }
        proto_answers_set_move(&row.answers, 0, &result);
        return end_row(context, &row);
    }
    proto_encode_move(&context->out, query->dimension, &result, &context->stamp);
    return true;
}

/*
 * Shots: decides whether a shot hit the claimed shape, in the scene at the time of the shot.
 * gjk_shot_judge decides; the functions here find the snapshot, the obstacles and the age.
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

/* Finds a set of obstacles of the policy, newest or at the tick of the shot. Returns false if the
 * query is refused. */
static bool find_obstacles(struct gjkd_query_context *context, const proto_obstacles *asked,
                           gjk_obstacles *out) {
    const proto_query *query = &context->query;
    const struct gjkd_version *other = gjkd_query_find_set(context, asked->set, asked->pointer);
    if (other == NULL) {
        return false;
    }
    if (asked->at_shot && other->history == NULL) {
        gjkd_refuse_without_ticks(other, PROTO_OUT_OF_RANGE, context->problem);
        return point_at(context, asked->at_pointer);
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

/* Returns true if a shape has the shooter as its group, in the judged state or in the newest, since
 * shapes may have been added or removed in between, or if the tick is not kept. Otherwise refuses
 * the query. */
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
    return point_at(context, "shooter");
}

/* Prints a verdict. `rewind` is NULL if the newest state was judged. */
static bool print_judgement(struct gjkd_query_context *context, const gjk_judgement *judgement,
                            const proto_rewind *rewind) {
    const proto_query *query = &context->query;
    if (is_columns(context)) {
        const uint32_t needs = (query->obstacles_count > 0 ? PROTO_NEEDS_OBSTACLES : 0) |
                               (rewind != NULL ? PROTO_NEEDS_REWIND : 0) |
                               (query->near_miss >= 0.0 ? PROTO_NEEDS_NEAR : 0);
        proto_any_answers row;
        if (!begin_row(context, &proto_hit_answers_table, &proto_near_miss_results, needs, &row)) {
            return false;
        }
        proto_answers_set_shot(&row.answers, 0, judgement, rewind);
        return end_row(context, &row);
    }
    const char *of_obstacles =
        query->obstacles_count > 0 ? query->obstacles[judgement->obstacle_set].set : NULL;
    proto_encode_judgement(&context->out, query->dimension, judgement,
                           query->obstacles_count > 1 ? of_obstacles : NULL,
                           judgement->lacks_obstacles ? of_obstacles
                                                      : context->request->version->name,
                           rewind, &context->stamp);
    return true;
}

static bool answer_hit(struct gjkd_query_context *context) {
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
    gjk_nears *near_misses = &judgement.near_misses;
    if (!take_list(context, status, &near_misses->count, &near_misses->truncated)) {
        return false;
    }
    if (judgement.has_hit) {
        count_iterations(context, judgement.hit.result.iterations);
    }
    COUNT_ITERATIONS(context, *near_misses)
    return print_judgement(context, &judgement, query->at.given ? &rewind : NULL);
}

/* --- The kinds --- */

/*
 * Time for each shape that a query of a set visits, an average over shapes that are rejected by
 * their box, tested, or printed. Most are rejected: tests/bench/run.sh sets measures 10 to 60 ns
 * each for rays and nearest in open scenes of 100 to 100,000 shapes. If all shapes coincide, all
 * are tested.
 */
#define MET_NS 200
#define CAST_MET_NS 600
#define MOVE_ROUNDS 8 /* casts of a move */

const struct gjkd_query_kind gjkd_query_kinds[] = {
    [PROTO_OP_DETECT] =
        {
            .answer = answer_detect,
            .cost = {GJKD_COST_QUERY, MET_NS, .pair_given = {"b"}, .all_unless = "a"},
            .blocks = {PROTO_BLOCK_detect, PROTO_BLOCK_overlap},
            .fits_columns = pair_fits_columns,
        },
    [PROTO_OP_DISTANCE] =
        {
            .answer = answer_distance,
            .cost = {GJKD_COST_QUERY, MET_NS, .pair_given = {"b"}, .all_unless = "a"},
            .blocks = {PROTO_BLOCK_distance, PROTO_BLOCK_nearest},
            .fits_columns = pair_fits_columns,
        },
    [PROTO_OP_RAYCAST] =
        {
            .answer = answer_raycast,
            .cost = {GJKD_COST_QUERY, MET_NS, .pair_given = {"target", "shape"},
                     .row_asks_set = true},
            .blocks = {PROTO_BLOCK_raycast},
            .fits_columns = ray_fits_columns,
        },
    [PROTO_OP_CAST] =
        {
            .answer = answer_cast,
            .cost = {GJKD_COST_QUERY, CAST_MET_NS, .pair_given = {"target"}, .row_asks_set = true},
            .blocks = {PROTO_BLOCK_cast},
            .fits_columns = cast_fits_columns,
        },
    [PROTO_OP_HIT] =
        {
            .answer = answer_hit,
            .cost = {GJKD_COST_QUERY, MET_NS, .rounds = 2, /* the ray, and what it passes near */
                     .row_asks_set = true},
            .blocks = {PROTO_BLOCK_hit},
            .fits_columns = has_no_meta,
        },
    [PROTO_OP_MOVE] =
        {
            .answer = answer_move,
            .cost = {GJKD_COST_QUERY, CAST_MET_NS, .rounds = MOVE_ROUNDS, .row_asks_set = true},
            .blocks = {PROTO_BLOCK_move},
            .fits_columns = has_no_meta,
        },
};
_Static_assert(sizeof gjkd_query_kinds / sizeof gjkd_query_kinds[0] == PROTO_OP_COUNT,
               "every kind of query has a row");
