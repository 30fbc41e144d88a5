/*
 * What does a ray hit? One shape, the set, or shapes that the query brings.
 */

#include "handlers/columns.h"
#include "handlers/handlers.h"

static gjk_ray_settings ray_settings(const proto_query *query) {
    gjk_ray_settings settings = gjk_ray_settings_default();
    settings.tolerance = query->options.tolerance;
    settings.max_iterations = query->options.max_iterations;
    settings.solid = query->solid;
    return settings;
}

static bool print_hits(struct gjkd_query_context *context, gjk_ray_hits *hits) {
    if (context->query.mode != PROTO_RAY_ANY) {
        gjkd_query_context_keep(context, &hits->count, &hits->truncated);
    }
    for (uint32_t i = 0; i < hits->count; i++) {
        gjkd_count_iterations(context->request->counters, hits->items[i].result.iterations);
    }
    if (context->request->columns_out != NULL) {
        return gjkd_columns_print_hit(context, hits->count > 0 ? &hits->items[0] : NULL);
    }
    if (context->query.mode == PROTO_RAY_ANY) {
        proto_encode_ray_any(&context->out, hits->count > 0, &context->stamp);
    } else {
        proto_encode_ray_hits(&context->out, context->query.dimension, hits, &context->stamp);
    }
    return true;
}

/* Named as an operand: no filter holds for it. */
static bool raycast_target(struct gjkd_query_context *context) {
    const proto_query *query = &context->query;
    gjk_ray_settings settings = ray_settings(query);
    struct gjkd_operand target;
    if (!gjkd_query_context_find(context, &query->target, &target)) {
        return false;
    }
    const gjk_body brought = {.group = query->target.group};
    gjk_ray_hit hit = {target.body != NULL ? target.body : &brought,
                       gjk_raycast(&target.placed, &query->ray, &settings)};
    gjk_ray_hits hits = {&hit, hit.result.hit ? 1 : 0, false};
    return print_hits(context, &hits);
}

static bool raycast_set(struct gjkd_query_context *context, const gjk_snapshot *snapshot) {
    const proto_query *query = &context->query;
    gjk_ray_settings settings = ray_settings(query);
    if (query->mode == PROTO_RAY_ANY) {
        gjk_selection selection = gjkd_query_context_select(context, NULL, 1);
        bool hit = gjk_set_raycast_any(snapshot, &query->ray, &selection, &settings);
        if (!hit && gjkd_request_is_late(context->request)) {
            return gjkd_query_context_fail(context, GJK_GIVEN_UP);
        }
        proto_encode_ray_any(&context->out, hit, &context->stamp);
        return true;
    }
    gjk_ray_hits hits;
    uint32_t limit = query->mode == PROTO_RAY_CLOSEST ? 1 : context->limit;
    gjk_selection selection = gjkd_query_context_select(context, NULL, limit);
    selection.rest_unasked = query->mode == PROTO_RAY_CLOSEST;
    gjk_status status = gjk_set_raycast(snapshot, &query->ray, &selection, &settings, &hits);
    return status == GJK_OK ? print_hits(context, &hits) : gjkd_query_context_fail(context, status);
}

static bool raycast_shapes(struct gjkd_query_context *context) {
    struct gjk_set *set = gjkd_query_context_gather(context);
    gjk_snapshot snapshot = gjk_snapshot_of(set);
    bool answered = set != NULL && raycast_set(context, &snapshot);
    gjk_set_release(set);
    return answered;
}

bool gjkd_answer_raycast(struct gjkd_query_context *context) {
    bool is_row = context->query.mode == PROTO_RAY_CLOSEST &&
                  context->query.target.kind != PROTO_OPERAND_INLINE;
    if (context->request->columns_out != NULL && !is_row) {
        return gjkd_columns_refuse(context);
    }
    if (context->query.target.kind != PROTO_OPERAND_ABSENT) {
        return raycast_target(context);
    }
    return context->query.has_shapes ? raycast_shapes(context)
                                     : raycast_set(context, &context->snapshot);
}

void gjkd_handle_raycast(struct gjkd_request *request) {
    if (request->columns_in) {
        gjkd_columns_raycast(request);
    } else {
        gjkd_query_context_ask(request, PROTO_OP_RAYCAST, gjkd_answer_raycast);
    }
}
