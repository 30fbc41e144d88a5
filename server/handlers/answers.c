/*
 * Prints answers. Whether one has a form as columns is asked before it is computed, so that an
 * answer without one gets here only to be printed as JSON.
 */

#include "handlers/answers.h"

#include "proto/columns.h"
#include "request/request.h"
#include "request/telemetry.h"

/* Printing so many answers takes longer than a loop should. */
#define LONG_LIST 128

#define COUNT_ITERATIONS(context, list)                                                          \
    for (uint32_t i = 0; i < (list)->count; i++) {                                               \
        gjkd_count_iterations((context)->request->counters, (list)->items[i].result.iterations); \
    }

static bool is_columns(const struct gjkd_query_context *context) {
    return context->request->columns_out != NULL;
}

/* Makes room for an answer of one row. Returns false if memory is exhausted: then refused. */
static bool begin_row(struct gjkd_query_context *context, const proto_table *table,
                      const proto_line *line, uint32_t needs, proto_any_answers *row) {
    row->answers = (proto_answers){.table = table,
                                   .line = line,
                                   .slots = row->slots,
                                   .revision = context->stamp.revision,
                                   .dimension = context->query.dimension,
                                   .count = 1,
                                   .needs = needs};
    if (!proto_answers_init(&row->answers, context->arena)) {
        return gjkd_query_context_out_of_memory(context);
    }
    if (context->stamp.pose_gap) {
        proto_set_some(row->answers.pose_gap, 0, 1);
    }
    return true;
}

/* Prints a row that is set. Returns false if memory is exhausted: then refused. */
static bool end_row(struct gjkd_query_context *context, proto_any_answers *row) {
    if (!proto_answers_finish(&row->answers, context->arena)) {
        return gjkd_query_context_out_of_memory(context);
    }
    proto_encode_answers(&context->out, &row->answers);
    return true;
}

/* Prints a row of one item; NULL: there is none. */
static bool print_row(struct gjkd_query_context *context, const proto_table *table,
                      const proto_line *line, uint32_t needs, const void *item) {
    proto_any_answers row;
    if (!begin_row(context, table, line, needs, &row)) {
        return false;
    }
    proto_answers_set(&row.answers, 0, item, item != NULL);
    return end_row(context, &row);
}

bool gjkd_answer_fits_columns(const proto_query *query) {
    return !query->include_meta;
}

/* --- Pairs --- */

bool gjkd_answer_fits_pair_columns(const proto_query *query) {
    return query->b.kind != PROTO_OPERAND_ABSENT && !query->trace && query->contacts == 0 &&
           !query->include_meta;
}

bool gjkd_answer_print_detect(struct gjkd_query_context *context, const gjk_detect_result *result) {
    const proto_query *query = &context->query;
    gjkd_count_iterations(context->request->counters, result->iterations);
    if (is_columns(context)) {
        return print_row(context, &proto_pair_answers_table, &proto_detect_line,
                         query->penetration ? PROTO_NEEDS_PENETRATION : 0, result);
    }
    proto_encode_detect(&context->out, query->dimension, query->penetration, result,
                        &context->stamp);
    return true;
}

bool gjkd_answer_print_distance(struct gjkd_query_context *context,
                                const gjk_distance_result *result) {
    gjkd_count_iterations(context->request->counters, result->iterations);
    if (is_columns(context)) {
        return print_row(context, &proto_pair_answers_table, &proto_distance_line, 0, result);
    }
    proto_encode_distance(&context->out, context->query.dimension, result, &context->stamp);
    return true;
}

/* --- Lists --- */

/* Begins a list. Returns false if the core has failed: the query is refused. */
static bool begin_list(struct gjkd_query_context *context, gjk_status status, uint32_t *count,
                       bool *truncated) {
    if (status == GJK_OK && *count >= LONG_LIST && gjkd_request_gives_up_trial(context->request)) {
        status = GJK_GIVEN_UP;
    }
    if (status != GJK_OK) {
        return gjkd_query_context_fail(context, status);
    }
    gjkd_query_context_limit_answers(context, count, truncated);
    return true;
}

bool gjkd_answer_print_hits(struct gjkd_query_context *context, gjk_status status, gjk_hits *hits) {
    const proto_query *query = &context->query;
    if (!begin_list(context, status, &hits->count, &hits->truncated)) {
        return false;
    }
    COUNT_ITERATIONS(context, hits)
    proto_encode_hits(&context->out, query->dimension, query->penetration, hits, &context->stamp);
    return true;
}

bool gjkd_answer_print_pairs(struct gjkd_query_context *context, gjk_status status,
                             gjk_pair_hits *pairs) {
    const proto_query *query = &context->query;
    if (!begin_list(context, status, &pairs->count, &pairs->truncated)) {
        return false;
    }
    COUNT_ITERATIONS(context, pairs)
    proto_encode_pairs(&context->out, query->dimension, query->penetration, pairs, &context->stamp);
    return true;
}

bool gjkd_answer_print_nearest(struct gjkd_query_context *context, gjk_status status,
                               gjk_nears *nears) {
    if (!begin_list(context, status, &nears->count, &nears->truncated)) {
        return false;
    }
    COUNT_ITERATIONS(context, nears)
    proto_encode_nearest(&context->out, context->query.dimension, nears, &context->stamp);
    return true;
}

bool gjkd_answer_print_near_pairs(struct gjkd_query_context *context, gjk_status status,
                                  gjk_pair_nears *pairs) {
    if (!begin_list(context, status, &pairs->count, &pairs->truncated)) {
        return false;
    }
    COUNT_ITERATIONS(context, pairs)
    proto_encode_near_pairs(&context->out, context->query.dimension, pairs, &context->stamp);
    return true;
}

/* --- Rays and casts --- */

bool gjkd_answer_fits_ray_columns(const proto_query *query) {
    return query->mode == PROTO_RAY_CLOSEST && query->target.kind != PROTO_OPERAND_INLINE &&
           !query->include_meta;
}

bool gjkd_answer_fits_cast_columns(const proto_query *query) {
    return query->mode == PROTO_RAY_CLOSEST && !query->include_meta;
}

/* Begins the hits of a ray or cast, which in mode `any` are no list. */
static bool begin_hits(struct gjkd_query_context *context, gjk_status status, uint32_t *count,
                       bool *truncated) {
    if (context->query.mode != PROTO_RAY_ANY) {
        return begin_list(context, status, count, truncated);
    }
    return status == GJK_OK || gjkd_query_context_fail(context, status);
}

static bool print_any(struct gjkd_query_context *context, bool hit) {
    proto_encode_ray_any(&context->out, hit, &context->stamp);
    return true;
}

bool gjkd_answer_print_ray_hits(struct gjkd_query_context *context, gjk_status status,
                                gjk_ray_hits *hits, const double *exits) {
    if (!begin_hits(context, status, &hits->count, &hits->truncated)) {
        return false;
    }
    COUNT_ITERATIONS(context, hits)
    if (context->query.mode == PROTO_RAY_ANY) {
        return print_any(context, hits->count > 0);
    }
    if (is_columns(context)) {
        const uint32_t needs = PROTO_NEEDS_PLACES | (exits != NULL ? PROTO_NEEDS_EXITS : 0);
        proto_ray_item item;
        if (hits->count > 0) {
            item = (proto_ray_item){hits->items[0], exits != NULL ? exits[0] : 0.0};
        }
        return print_row(context, &proto_raycast_answers_table, &proto_ray_line, needs,
                         hits->count > 0 ? &item : NULL);
    }
    proto_encode_ray_hits(&context->out, context->query.dimension, hits, exits, &context->stamp);
    return true;
}

bool gjkd_answer_print_cast_hits(struct gjkd_query_context *context, gjk_status status,
                                 gjk_cast_hits *hits) {
    if (!begin_hits(context, status, &hits->count, &hits->truncated)) {
        return false;
    }
    COUNT_ITERATIONS(context, hits)
    if (context->query.mode == PROTO_RAY_ANY) {
        return print_any(context, hits->count > 0);
    }
    if (is_columns(context)) {
        const bool resolves = context->query.at_start == GJK_AT_START_RESOLVE;
        const uint32_t needs = PROTO_NEEDS_PLACES | (resolves ? PROTO_NEEDS_DEPTH : 0);
        return print_row(context, &proto_cast_answers_table, &proto_cast_line, needs,
                         hits->count > 0 ? &hits->items[0] : NULL);
    }
    proto_encode_cast_hits(&context->out, context->query.dimension, hits, &context->stamp);
    return true;
}

bool gjkd_answer_print_any(struct gjkd_query_context *context, bool hit) {
    if (!hit && gjkd_request_is_late(context->request)) {
        return gjkd_query_context_fail(context, GJK_GIVEN_UP); /* not all was looked at */
    }
    return print_any(context, hit);
}

/* --- Moves --- */

bool gjkd_answer_print_move(struct gjkd_query_context *context, gjk_status status,
                            gjk_move_result *result) {
    if (!begin_list(context, status, &result->count, &result->truncated)) {
        return false;
    }
    gjkd_count_iterations(context->request->counters, result->iterations);
    if (is_columns(context)) {
        proto_any_answers row;
        if (!begin_row(context, &proto_move_answers_table, &proto_contact_line, 0, &row)) {
            return false;
        }
        proto_answers_set_move(&row.answers, 0, result);
        return end_row(context, &row);
    }
    proto_encode_move(&context->out, context->query.dimension, result, &context->stamp);
    return true;
}

/* --- Shots --- */

bool gjkd_answer_print_judgement(struct gjkd_query_context *context, gjk_status status,
                                 gjk_judgement *judgement, const proto_rewind *rewind) {
    gjk_nears *near_misses = &judgement->near_misses;
    if (!begin_list(context, status, &near_misses->count, &near_misses->truncated)) {
        return false;
    }
    if (judgement->has_hit) {
        gjkd_count_iterations(context->request->counters, judgement->hit.result.iterations);
    }
    COUNT_ITERATIONS(context, near_misses)
    if (is_columns(context)) {
        const uint32_t needs = (context->query.obstacles_count > 0 ? PROTO_NEEDS_OBSTACLES : 0) |
                               (rewind != NULL ? PROTO_NEEDS_REWIND : 0) |
                               (context->query.near_miss >= 0.0 ? PROTO_NEEDS_NEAR : 0);
        proto_any_answers row;
        if (!begin_row(context, &proto_hit_answers_table, &proto_near_miss_line, needs, &row)) {
            return false;
        }
        proto_answers_set_shot(&row.answers, 0, judgement, rewind);
        return end_row(context, &row);
    }
    const proto_query *query = &context->query;
    const char *of_obstacles =
        query->obstacles_count > 0 ? query->obstacles[judgement->obstacle_set].set : NULL;
    proto_encode_judgement(&context->out, query->dimension, judgement,
                           query->obstacles_count > 1 ? of_obstacles : NULL,
                           judgement->lacks_obstacles ? of_obstacles
                                                      : context->request->version->name,
                           rewind, &context->stamp);
    return true;
}
