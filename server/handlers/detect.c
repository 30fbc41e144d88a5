/*
 * Collision: whether, and how deep. A pair, one shape against the set, all pairs of the set, or
 * all pairs between two sets.
 */

#include "handlers/answers.h"
#include "handlers/handlers.h"

static gjk_detect_settings detect_settings(const struct gjkd_query_context *context) {
    const proto_query *query = &context->query;
    gjk_detect_settings settings = gjk_detect_settings_default();
    settings.tolerance = query->options.tolerance;
    settings.max_iterations = query->options.max_iterations;
    settings.penetration = query->penetration;
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
