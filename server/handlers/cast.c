/* Moving shapes: at one shape, at the set, or at shapes that the query brings. */

#include "handlers/answers.h"
#include "handlers/handlers.h"

static gjk_cast_settings cast_settings(const struct gjkd_query_context *context) {
    return (gjk_cast_settings){.tolerance = context->query.options.tolerance,
                               .max_iterations = context->query.options.max_iterations,
                               .at_start = context->query.at_start,
                               .budget = context->budget};
}

/* The motion that the query asks for. */
static gjk_rigid_motion motion_of(const struct gjkd_query_context *context,
                                  const struct gjkd_operand *moving) {
    const proto_query *query = &context->query;
    if (query->to.kind == PROTO_OPERAND_ABSENT) {
        return gjk_rigid_motion_straight(query->translation);
    }
    gjk_pose to = moving->placed.pose;
    if (query->to.has_position) {
        to.position = query->to.pose.position;
    }
    if (query->to.has_rotation) {
        gjk_pose_turn_as(&to, &query->to.pose);
    }
    return gjk_rigid_motion_between(query->dimension, &moving->placed.pose, &to);
}

/* Named as an operand: no filter holds for it, but a stored shape never hits itself. */
static bool cast_target(struct gjkd_query_context *context, const struct gjkd_operand *moving) {
    const proto_query *query = &context->query;
    gjk_cast_settings settings = cast_settings(context);
    const gjk_body brought = {.group = query->target.group};
    struct gjkd_operand target;
    gjk_cast_hit hit;
    gjk_cast_hits hits = {&hit, 0, false};
    gjk_status status = GJK_OK;
    if (!gjkd_query_context_find(context, &query->target, &target)) {
        return false;
    }
    if (target.body == NULL || target.body != moving->body) {
        hit.body = target.body != NULL ? target.body : &brought;
        const gjk_rigid_motion motion = motion_of(context, moving);
        hit.result = gjk_cast_turning(&moving->placed, &motion, &target.placed, &settings);
        hits.count = hit.result.hit ? 1 : 0;
        status = hit.result.given_up ? GJK_GIVEN_UP : GJK_OK;
    }
    return gjkd_answer_print_cast_hits(context, status, &hits);
}

static bool cast_set(struct gjkd_query_context *context, const struct gjkd_operand *moving,
                     const gjk_snapshot *snapshot) {
    const proto_query *query = &context->query;
    const gjk_rigid_motion motion = motion_of(context, moving);
    gjk_cast_settings settings = cast_settings(context);
    gjk_selection selection = gjkd_query_context_select(context, moving->body, context->limit);
    if (query->mode == PROTO_RAY_ANY) {
        return gjkd_answer_print_any(context,
                                     gjk_set_cast_turning_any(snapshot, &moving->placed, &motion,
                                                              &selection, &settings));
    }
    gjk_cast_hits hits;
    if (query->mode == PROTO_RAY_CLOSEST) {
        selection.limit = 1;
        selection.rest_unasked = true;
    }
    gjk_status status =
        gjk_set_cast_turning(snapshot, &moving->placed, &motion, &selection, &settings, &hits);
    return gjkd_answer_print_cast_hits(context, status, &hits);
}

static bool cast_shapes(struct gjkd_query_context *context, const struct gjkd_operand *moving) {
    struct gjk_set *set = gjkd_query_context_make_set(context);
    gjk_snapshot snapshot = gjk_snapshot_of(set);
    bool answered = set != NULL && cast_set(context, moving, &snapshot);
    gjk_set_release(set);
    return answered;
}

bool gjkd_answer_cast(struct gjkd_query_context *context) {
    struct gjkd_operand moving;
    if (!gjkd_query_context_find(context, &context->query.moving, &moving)) {
        return false;
    }
    if (context->query.target.kind != PROTO_OPERAND_ABSENT) {
        return cast_target(context, &moving);
    }
    return context->query.has_shapes ? cast_shapes(context, &moving)
                                     : cast_set(context, &moving, &context->snapshot);
}
