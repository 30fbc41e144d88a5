/* Distance: of a pair, of the nearest shapes of the set, or of the nearest pairs of two sets. */

#include "handlers/answers.h"
#include "handlers/handlers.h"

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
    uint32_t limit = query->has_limit ? context->limit : 1;
    gjk_selection selection = gjkd_query_context_select(context, NULL, limit);
    gjk_status status = gjk_set_nearest_against(&context->snapshot, &other, query->max_distance,
                                                &selection, &settings, &pairs);
    return gjkd_answer_print_near_pairs(context, status, &pairs);
}

bool gjkd_answer_distance(struct gjkd_query_context *context) {
    if (context->query.against != NULL) {
        return distance_against(context);
    }
    return context->query.b.kind != PROTO_OPERAND_ABSENT ? distance_pair(context)
                                                         : distance_nearest(context);
}
