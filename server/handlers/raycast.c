/* Rays: at one shape, at the set, or at shapes that the query brings. */

#include "handlers/answers.h"
#include "handlers/handlers.h"
#include "request/request.h"

static gjk_ray_settings ray_settings(const struct gjkd_query_context *context) {
    const proto_query *query = &context->query;
    gjk_ray_settings settings = gjk_ray_settings_default();
    settings.tolerance = query->options.tolerance;
    settings.max_iterations = query->options.max_iterations;
    settings.solid = query->solid;
    settings.budget = context->budget;
    return settings;
}

/* Named as an operand: no filter holds for it. */
static bool raycast_target(struct gjkd_query_context *context) {
    const proto_query *query = &context->query;
    gjk_ray_settings settings = ray_settings(context);
    struct gjkd_operand target;
    if (!gjkd_query_context_find(context, &query->target, &target)) {
        return false;
    }
    const gjk_body brought = {.group = query->target.group};
    gjk_ray_hit hit = {target.body != NULL ? target.body : &brought,
                       gjk_raycast(&target.placed, &query->ray, &settings)};
    gjk_ray_hits hits = {&hit, hit.result.hit ? 1 : 0, false};
    gjk_status status = hit.result.given_up ? GJK_GIVEN_UP : GJK_OK;
    double exit;
    if (query->exits && hits.count > 0) {
        status = gjk_ray_exit(&target.placed, &query->ray, &hit.result, &settings, &exit);
    }
    return gjkd_answer_print_ray_hits(context, status, &hits, query->exits ? &exit : NULL);
}

/* Where the ray leaves each of the shapes that it hits; NULL: that was not asked. */
static gjk_status find_exits(struct gjkd_query_context *context, const gjk_snapshot *snapshot,
                             const gjk_ray_hits *hits, const double **out) {
    const proto_query *query = &context->query;
    const gjk_ray_settings settings = ray_settings(context);
    gjk_status status = GJK_OK;
    double *exits = NULL;
    *out = NULL;
    if (query->exits) {
        *out = exits = gjk_arena_alloc_array(context->arena, hits->count, sizeof *exits);
        status = exits != NULL ? GJK_OK : GJK_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; exits != NULL && i < hits->count && status == GJK_OK; i++) {
        const gjk_placed placed = gjk_snapshot_place(snapshot, hits->items[i].body);
        status =
            gjkd_request_is_late(context->request)
                ? GJK_GIVEN_UP
                : gjk_ray_exit(&placed, &query->ray, &hits->items[i].result, &settings, &exits[i]);
    }
    return status;
}

static bool raycast_set(struct gjkd_query_context *context, const gjk_snapshot *snapshot) {
    const proto_query *query = &context->query;
    gjk_ray_settings settings = ray_settings(context);
    if (query->mode == PROTO_RAY_ANY) {
        gjk_selection selection = gjkd_query_context_select(context, NULL, 1);
        return gjkd_answer_print_any(context, gjk_set_raycast_any(snapshot, &query->ray, &selection,
                                                                  &settings));
    }
    gjk_ray_hits hits;
    uint32_t limit = query->mode == PROTO_RAY_CLOSEST ? 1 : context->limit;
    gjk_selection selection = gjkd_query_context_select(context, NULL, limit);
    selection.rest_unasked = query->mode == PROTO_RAY_CLOSEST;
    gjk_status status = gjk_set_raycast(snapshot, &query->ray, &selection, &settings, &hits);
    const double *exits = NULL;
    if (status == GJK_OK) {
        status = find_exits(context, snapshot, &hits, &exits);
    }
    return gjkd_answer_print_ray_hits(context, status, &hits, exits);
}

static bool raycast_shapes(struct gjkd_query_context *context) {
    struct gjk_set *set = gjkd_query_context_make_set(context);
    gjk_snapshot snapshot = gjk_snapshot_of(set);
    bool answered = set != NULL && raycast_set(context, &snapshot);
    gjk_set_release(set);
    return answered;
}

bool gjkd_answer_raycast(struct gjkd_query_context *context) {
    if (context->query.target.kind != PROTO_OPERAND_ABSENT) {
        return raycast_target(context);
    }
    return context->query.has_shapes ? raycast_shapes(context)
                                     : raycast_set(context, &context->snapshot);
}
