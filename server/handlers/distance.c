/*
 * How far apart? A pair, or the nearest shapes of the set.
 */

#include "handlers/columns.h"
#include "handlers/handlers.h"

static gjk_distance_settings distance_settings(const proto_query *query) {
    gjk_distance_settings settings = gjk_distance_settings_default();
    settings.tolerance = query->options.tolerance;
    settings.max_iterations = query->options.max_iterations;
    return settings;
}

static bool distance_pair(struct gjkd_query_context *context) {
    const proto_query *query = &context->query;
    gjk_distance_settings settings = distance_settings(query);
    struct gjkd_operand a, b;
    if (!gjkd_query_context_find_pair(context, &a, &b)) {
        return false;
    }
    struct proto_trace trace;
    settings.recorder = gjkd_query_context_trace(context, &a, &b, &trace);
    gjk_distance_result result = gjk_distance(&a.placed, &b.placed, &settings);
    gjkd_count_iterations(context->request->counters, result.iterations);
    if (context->request->columns_out != NULL) {
        return gjkd_columns_print_distance(context, &result);
    }
    proto_encode_distance(&context->out, query->dimension, &result, &context->stamp);
    return true;
}

static bool distance_nearest(struct gjkd_query_context *context) {
    const proto_query *query = &context->query;
    gjk_distance_settings settings = distance_settings(query);
    struct gjkd_operand a;
    gjk_nears nears;
    if (!gjkd_query_context_find(context, &query->a, &a)) {
        return false;
    }
    uint32_t limit = query->has_limit ? context->limit : 1;
    gjk_selection selection = gjkd_query_context_select(context, a.body, limit);
    gjk_status status = gjk_set_nearest(&context->snapshot, &a.placed, query->max_distance,
                                        &selection, &settings, &nears);
    if (status != GJK_OK) {
        return gjkd_query_context_fail(context, status);
    }
    gjkd_query_context_keep(context, &nears.count, &nears.truncated);
    for (uint32_t i = 0; i < nears.count; i++) {
        gjkd_count_iterations(context->request->counters, nears.items[i].result.iterations);
    }
    proto_encode_nearest(&context->out, query->dimension, &nears, &context->stamp);
    return true;
}

bool gjkd_answer_distance(struct gjkd_query_context *context) {
    if (context->query.b.kind != PROTO_OPERAND_ABSENT) {
        return distance_pair(context);
    }
    return context->request->columns_out != NULL ? gjkd_columns_refuse(context)
                                                 : distance_nearest(context);
}

void gjkd_handle_distance(struct gjkd_request *request) {
    if (request->columns_in) {
        gjkd_columns_distance(request);
    } else {
        gjkd_query_context_ask(request, PROTO_OP_DISTANCE, gjkd_answer_distance);
    }
}
