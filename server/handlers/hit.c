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

/* Finds the obstacles of the shot: the set of the policy, at its newest version or as of the shot. */
static bool find_obstacles(struct gjkd_query_context *context, gjk_shot *shot,
                           gjk_snapshot *obstacles) {
    const proto_query *query = &context->query;
    const struct gjkd_version *other =
        gjkd_query_context_find_set(context, query->obstacles,
                                    query->obstacles_in_object ? "/policy/obstacles/set"
                                                               : "/policy/obstacles");
    if (other == NULL) {
        return false;
    }
    if (query->obstacles_at_shot && other->history == NULL) {
        proto_problem_set(context->problem, PROTO_OUT_OF_RANGE, "the set \"%.160s\" keeps no ticks",
                          context->query.obstacles);
        proto_problem_hint(context->problem, "PATCH it with \"history\", or say \"newest\"");
        return gjkd_query_context_refuse_at(context, "/policy/obstacles/at");
    }
    *obstacles = gjk_snapshot_of(other->set);
    shot->obstacles = obstacles;
    shot->obstacles_filter = &query->obstacles_filter;
    if (query->obstacles_at_shot && query->at.given) {
        gjk_rewound rewound;
        shot->obstacles_rewind = gjk_history_at(other->history, query->at.tick, &rewound);
        if (shot->obstacles_rewind == GJK_REWIND_OK) {
            *obstacles = rewound.snapshot;
            context->stamp.pose_gap = context->stamp.pose_gap || rewound.is_gap;
        }
    }
    return true;
}

/* Returns true if some shape has the shooter as its group, in the state that is judged or in the
 * newest: a shooter may have left since, or have come since. Without a snapshot nobody can tell. */
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
    return gjkd_query_context_refuse_at(context, "/shooter");
}

bool gjkd_answer_hit(struct gjkd_query_context *context) {
    const proto_query *query = &context->query;
    gjk_shot shot = shot_of(context);
    gjk_snapshot obstacles;
    gjk_judgement judgement;
    if (!knows_shooter(context)) {
        return false;
    }
    if (query->obstacles != NULL && !find_obstacles(context, &shot, &obstacles)) {
        return false;
    }
    const proto_rewind rewind = query->at.given ? rewind_of(context) : (proto_rewind){0};
    shot.age_ticks = rewind.age_ticks;
    gjk_status status = gjk_shot_judge(&shot, context->arena, &judgement);
    return gjkd_answer_print_judgement(context, status, &judgement,
                                       query->at.given ? &rewind : NULL);
}
