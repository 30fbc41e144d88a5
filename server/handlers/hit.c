/*
 * Judging shots: whether one hit what the shooter claims, in the scene as it was. The core judges;
 * here it gets what it is to look at: the snapshot, the obstacles, how long ago it all is.
 */

#include "handlers/answers.h"
#include "handlers/handlers.h"
#include "request/request.h"

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
        .patience = &context->patience,
    };
}

static proto_rewind rewind_of(const struct gjkd_query_context *context) {
    const gjk_rewound *rewound = &context->rewound;
    const struct gjk_history *history = context->request->version->history;
    const double tick = context->query.at_tick;
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

bool gjkd_answer_hit(struct gjkd_query_context *context) {
    const proto_query *query = &context->query;
    gjk_shot shot = shot_of(context);
    gjk_snapshot obstacles;
    gjk_judgement judgement;
    if (query->obstacles != NULL) {
        const struct gjkd_version *other =
            gjkd_query_context_find_set(context, query->obstacles, "/policy/obstacles");
        if (other == NULL) {
            return false;
        }
        obstacles = gjk_snapshot_of(other->set);
        shot.obstacles = &obstacles;
    }
    const proto_rewind rewind = query->has_at ? rewind_of(context) : (proto_rewind){0};
    shot.age_ticks = rewind.age_ticks;
    gjk_status status = gjk_shot_judge(&shot, context->arena, &judgement);
    return gjkd_answer_print_judgement(context, status, &judgement, query->has_at ? &rewind : NULL);
}
