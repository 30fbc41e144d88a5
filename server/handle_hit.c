/*
 * Did a shot hit what the shooter claims, in the scene as it was? The core judges; here it gets
 * what it is to look at: the moment, the obstacles, how long ago it all is.
 */

#include "handle.h"
#include "question.h"

static gjk_shot shot_of(const struct gjkd_question *question) {
    const proto_query *query = &question->query;
    return (gjk_shot){
        .shooter = query->shooter,
        .ray = query->ray,
        .radius = query->radius,
        .claim_id = query->claim_id,
        .claim_group = query->claim_group,
        .filter = query->filter,
        .tolerance = query->options.tolerance,
        .max_iterations = query->options.max_iterations,
        .rewind = question->rewind,
        .moment = question->moment,
        .max_rewind_ticks = query->max_rewind_ticks,
        .near_miss = query->near_miss,
        .near_miss_limit = question->limit,
        .patience = &question->patience,
    };
}

static proto_rewind rewind_of(const struct gjkd_question *question) {
    const gjk_rewound *rewound = &question->rewound;
    const struct gjk_history *history = question->job->version->history;
    const double tick = question->query.at_tick;
    bool has_ticks = history != NULL && gjk_history_count(history) > 0;
    return (proto_rewind){
        .requested = tick,
        .is_found = question->rewind == GJK_REWIND_OK,
        .from = rewound->from,
        .to = rewound->to,
        .alpha = rewound->moment.alpha,
        .has_age = has_ticks,
        .age_ticks = has_ticks ? (double)gjk_history_newest(history) - tick : 0.0,
    };
}

static void count_iterations(struct gjkd_question *question, const gjk_judgement *judgement) {
    struct gjkd_counters *counters = question->job->counters;
    if (judgement->has_hit) {
        gjkd_count_iterations(counters, judgement->hit.result.iterations);
    }
    for (uint32_t i = 0; i < judgement->near_misses.count; i++) {
        gjkd_count_iterations(counters, judgement->near_misses.items[i].result.iterations);
    }
}

bool gjkd_answer_hit(struct gjkd_question *question) {
    const proto_query *query = &question->query;
    gjk_shot shot = shot_of(question);
    gjk_moment obstacles;
    gjk_judgement judgement;
    if (query->obstacles != NULL) {
        const struct gjkd_version *other =
            gjkd_question_find_set(question, query->obstacles, "/policy/obstacles");
        if (other == NULL) {
            return false;
        }
        obstacles = gjk_moment_of(other->set);
        shot.obstacles = &obstacles;
    }
    const proto_rewind rewind = query->has_at ? rewind_of(question) : (proto_rewind){0};
    shot.age_ticks = rewind.age_ticks;
    gjk_status status = gjk_shot_judge(&shot, question->arena, &judgement);
    if (status != GJK_OK) {
        return gjkd_question_fail(question, status);
    }
    gjkd_question_keep(question, &judgement.near_misses.count, &judgement.near_misses.truncated);
    count_iterations(question, &judgement);
    proto_encode_judgement(&question->out, query->dimension, &judgement,
                           query->has_at ? &rewind : NULL, &question->stamp);
    return true;
}

void gjkd_handle_hit(struct gjkd_job *job) {
    gjkd_question_ask(job, PROTO_OP_HIT, gjkd_answer_hit);
}
