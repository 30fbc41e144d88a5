/*
 * What collides, and how deep? A pair, one shape against the set, all pairs of the set, or
 * all pairs between two sets.
 */

#include "columns.h"
#include "handle.h"

static gjk_detect_settings detect_settings(const proto_query *query) {
    gjk_detect_settings settings = gjk_detect_settings_default();
    settings.tolerance = query->options.tolerance;
    settings.max_iterations = query->options.max_iterations;
    settings.penetration = query->penetration;
    return settings;
}

static bool detect_pair(struct gjkd_question *question) {
    const proto_query *query = &question->query;
    gjk_detect_settings settings = detect_settings(query);
    struct gjkd_operand a, b;
    if (!gjkd_question_find_pair(question, &a, &b)) {
        return false;
    }
    struct proto_trace trace;
    settings.recorder = gjkd_question_trace(question, &a, &b, &trace);
    gjk_detect_result result = gjk_detect(&a.placed, &b.placed, &settings);
    gjkd_count_iterations(question->job->counters, result.iterations);
    if (question->job->columns_out != NULL) {
        return gjkd_columns_print_detect(question, &result);
    }
    proto_encode_detect(&question->out, query->dimension, query->penetration, &result,
                        &question->stamp);
    return true;
}

static bool detect_one(struct gjkd_question *question) {
    const proto_query *query = &question->query;
    gjk_detect_settings settings = detect_settings(query);
    struct gjkd_operand a;
    gjk_hits hits;
    if (!gjkd_question_find(question, &query->a, &a)) {
        return false;
    }
    gjk_selection selection = gjkd_question_select(question, a.body, question->limit);
    gjk_status status = gjk_set_detect(&question->moment, &a.placed, &selection, &settings, &hits);
    if (status != GJK_OK) {
        return gjkd_question_fail(question, status);
    }
    gjkd_question_keep(question, &hits.count, &hits.truncated);
    for (uint32_t i = 0; i < hits.count; i++) {
        gjkd_count_iterations(question->job->counters, hits.items[i].result.iterations);
    }
    proto_encode_hits(&question->out, query->dimension, query->penetration, &hits,
                      &question->stamp);
    return true;
}

static bool print_pairs(struct gjkd_question *question, gjk_status status, gjk_pair_hits *pairs) {
    if (status != GJK_OK) {
        return gjkd_question_fail(question, status);
    }
    gjkd_question_keep(question, &pairs->count, &pairs->truncated);
    for (uint32_t i = 0; i < pairs->count; i++) {
        gjkd_count_iterations(question->job->counters, pairs->items[i].result.iterations);
    }
    proto_encode_pairs(&question->out, question->query.dimension, question->query.penetration,
                       pairs, &question->stamp);
    return true;
}

static bool detect_all(struct gjkd_question *question) {
    const proto_query *query = &question->query;
    gjk_detect_settings settings = detect_settings(query);
    gjk_pair_hits pairs;
    gjk_selection selection = gjkd_question_select(question, NULL, question->limit);
    gjk_status status = gjk_set_detect_pairs(&question->moment, &selection, &settings, &pairs);
    return print_pairs(question, status, &pairs);
}

static bool detect_against(struct gjkd_question *question) {
    const proto_query *query = &question->query;
    gjk_detect_settings settings = detect_settings(query);
    gjk_pair_hits pairs;
    const struct gjkd_version *other = gjkd_question_find_set(question, query->against, "/against");
    if (other == NULL) {
        return false;
    }
    question->stamp.has_against_revision = true;
    question->stamp.against_revision = other->revision;
    gjk_selection selection = gjkd_question_select(question, NULL, question->limit);
    const gjk_moment newest = gjk_moment_of(other->set);
    gjk_status status =
        gjk_set_detect_against(&question->moment, &newest, &selection, &settings, &pairs);
    return print_pairs(question, status, &pairs);
}

bool gjkd_answer_detect(struct gjkd_question *question) {
    const proto_query *query = &question->query;
    if (question->job->columns_out != NULL && query->b.kind == PROTO_OPERAND_ABSENT) {
        return gjkd_columns_refuse(question);
    }
    if (query->against != NULL) {
        return detect_against(question);
    }
    if (query->a.kind == PROTO_OPERAND_ABSENT) {
        return detect_all(question);
    }
    return query->b.kind == PROTO_OPERAND_ABSENT ? detect_one(question) : detect_pair(question);
}

void gjkd_handle_detect(struct gjkd_job *job) {
    if (job->columns_in) {
        gjkd_columns_detect(job);
    } else {
        gjkd_question_ask(job, PROTO_OP_DETECT, gjkd_answer_detect);
    }
}
