/*
 * A single query, with a set or without: a column message goes to the kind's own handler, a JSON
 * body is decoded, answered and printed.
 */

#include "handlers/handlers.h"
#include "request/context.h"
#include "request/query_context.h"
#include "request/request.h"

static bool decode(struct gjkd_query_context *context, proto_op op) {
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

/* May the answer be printed in the form that the client asked for? */
static bool check_form(struct gjkd_query_context *context, const struct gjkd_query_kind *kind) {
    bool fits = context->request->columns_out == NULL || kind->fits_columns(&context->query);
    return fits ||
           proto_problem_set(context->problem, PROTO_NOT_ACCEPTABLE,
                             "this answer has no form as columns: only the closest hit of a ray "
                             "or cast among stored shapes, single pairs without a trace, and "
                             "shots without near misses have one, all without meta");
}

static void answer(struct gjkd_request *request, proto_op op) {
    const struct gjkd_query_kind *kind = &gjkd_query_kinds[op];
    struct gjkd_query_context context; /* most of it is the query's, and set by its decoder */
    context.request = request;
    context.arena = &request->arena;
    context.problem = &request->problem;
    if (!decode(&context, op)) {
        gjkd_request_refuse(request);
        return;
    }
    gjkd_request_mark_decoded(request);
    if (check_form(&context, kind) && kind->answer(&context) &&
        gjkd_query_context_is_whole(&context)) {
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
        gjkd_query_kinds[op].answer_columns(request);
    } else {
        answer(request, op);
    }
}
