/*
 * How far apart? A pair, or the nearest shapes of the set.
 */

#include "columns.h"
#include "handle.h"

static gjk_distance_settings distance_settings(const proto_query *query) {
    gjk_distance_settings settings = gjk_distance_settings_default();
    settings.tolerance = query->options.tolerance;
    settings.max_iterations = query->options.max_iterations;
    return settings;
}

static bool distance_pair(struct gjkd_question *question) {
    const proto_query *query = &question->query;
    gjk_distance_settings settings = distance_settings(query);
    struct gjkd_operand a, b;
    if (!gjkd_question_find_pair(question, &a, &b)) {
        return false;
    }
    struct proto_trace trace;
    settings.recorder = gjkd_question_trace(question, &a, &b, &trace);
    gjk_distance_result result = gjk_distance(&a.placed, &b.placed, &settings);
    gjkd_count_iterations(question->job->counters, result.iterations);
    if (question->job->columns_out != NULL) {
        return gjkd_columns_print_distance(question, &result);
    }
    proto_encode_distance(&question->out, query->dimension, &result, &question->stamp);
    return true;
}

static bool distance_nearest(struct gjkd_question *question) {
    const proto_query *query = &question->query;
    gjk_distance_settings settings = distance_settings(query);
    struct gjkd_operand a;
    gjk_nears nears;
    if (!gjkd_question_find(question, &query->a, &a)) {
        return false;
    }
    uint32_t limit = query->has_limit ? question->limit : 1;
    gjk_selection selection = gjkd_question_select(question, a.body, limit);
    gjk_status status = gjk_set_nearest(&question->moment, &a.placed, query->max_distance,
                                        &selection, &settings, &nears);
    if (status != GJK_OK) {
        return gjkd_question_fail(question, status);
    }
    gjkd_question_keep(question, &nears.count, &nears.truncated);
    for (uint32_t i = 0; i < nears.count; i++) {
        gjkd_count_iterations(question->job->counters, nears.items[i].result.iterations);
    }
    proto_encode_nearest(&question->out, query->dimension, &nears, &question->stamp);
    return true;
}

bool gjkd_answer_distance(struct gjkd_question *question) {
    if (question->query.b.kind != PROTO_OPERAND_ABSENT) {
        return distance_pair(question);
    }
    return question->job->columns_out != NULL ? gjkd_columns_refuse(question)
                                              : distance_nearest(question);
}

void gjkd_handle_distance(struct gjkd_job *job) {
    if (job->columns_in) {
        gjkd_columns_distance(job);
    } else {
        gjkd_question_ask(job, PROTO_OP_DISTANCE, gjkd_answer_distance);
    }
}
