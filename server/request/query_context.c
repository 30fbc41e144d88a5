/*
 * Shared by queries: finding the stored shapes that they name. With a set everything is
 * asked of the one version that the request retained; without, the shapes are in the request.
 */

#include "request/query_context.h"

#include "request/context.h"
#include "request/request.h"
#include "sets/kept_ticks.h"
#include "sets/version.h"

#include <string.h>

bool gjkd_query_context_refuse_at(struct gjkd_query_context *context, const char *pointer) {
    char whole[PROTO_POINTER_MAX];
    snprintf(whole, sizeof whole, "%s%s", context->query.pointer, pointer);
    return proto_problem_point(context->problem, whole);
}

bool gjkd_query_context_out_of_memory(struct gjkd_query_context *context) {
    return proto_problem_set(context->problem, PROTO_OUT_OF_MEMORY, "no memory for the answer");
}

bool gjkd_query_context_fail(struct gjkd_query_context *context, gjk_status status) {
    if (status != GJK_GIVEN_UP) {
        return gjkd_query_context_out_of_memory(context);
    }
    return proto_problem_set(context->problem, PROTO_DEADLINE_EXCEEDED,
                             "time was up before all was looked at");
}

bool gjkd_query_context_find(struct gjkd_query_context *context, const proto_operand *operand,
                             struct gjkd_operand *out) {
    out->body = NULL;
    if (operand->kind == PROTO_OPERAND_INLINE) {
        out->shape = operand->shape;
        out->placed = (gjk_placed){&out->shape, operand->pose};
        return true;
    }
    const gjk_snapshot *snapshot = &context->snapshot;
    out->body = snapshot->set != NULL ? gjk_set_find(snapshot->set, operand->id) : NULL;
    if (out->body == NULL) {
        proto_problem_set(context->problem, PROTO_SHAPE_NOT_FOUND,
                          "there is no shape \"%.140s\" in the set", operand->id);
        return proto_problem_point(context->problem, operand->pointer);
    }
    out->placed = gjk_snapshot_place(snapshot, out->body);
    if (operand->has_position) {
        out->placed.pose.position = operand->pose.position;
    }
    if (operand->has_rotation) {
        gjk_pose_turn_as(&out->placed.pose, &operand->pose);
    }
    return true;
}

bool gjkd_query_context_find_pair(struct gjkd_query_context *context, struct gjkd_operand *a,
                                  struct gjkd_operand *b) {
    if (!gjkd_query_context_find(context, &context->query.a, a) ||
        !gjkd_query_context_find(context, &context->query.b, b)) {
        return false;
    }
    context->stamp.pair_a = a->body;
    context->stamp.pair_b = b->body;
    return true;
}

const gjk_recorder *gjkd_query_context_start_trace(struct gjkd_query_context *context,
                                                   const struct gjkd_operand *a,
                                                   const struct gjkd_operand *b,
                                                   struct proto_trace *trace) {
    if (!context->query.trace) {
        return NULL;
    }
    proto_trace_init(trace, context->arena, &a->placed, &b->placed);
    context->stamp.trace = trace;
    return &trace->recorder;
}

gjk_selection gjkd_query_context_select(struct gjkd_query_context *context, const gjk_body *except,
                                        uint32_t limit) {
    return (gjk_selection){.filter = &context->query.filter,
                           .except = except,
                           .limit = limit,
                           .arena = context->arena,
                           .budget = context->budget};
}

bool gjkd_query_context_is_whole(struct gjkd_query_context *context) {
    return !gjk_budget_is_spent(context->budget) || gjkd_query_context_fail(context, GJK_GIVEN_UP);
}

struct gjk_set *gjkd_query_context_make_set(struct gjkd_query_context *context) {
    const proto_query *query = &context->query;
    struct gjk_set *set = NULL;
    gjk_body *bodies = gjk_arena_alloc_array(context->arena, query->shape_count, sizeof *bodies);
    for (uint32_t i = 0; bodies != NULL && i < query->shape_count; i++) {
        const proto_shape *shape = &query->shapes[i].shape;
        bodies[i] = (gjk_body){
            .id = query->shapes[i].id,
            .group = shape->group,
            .handle = i,
            .category = shape->category,
            .mask = shape->mask,
            .placed = {&shape->shape, shape->place.pose},
        };
    }
    if (bodies == NULL ||
        gjk_set_new(query->dimension, bodies, query->shape_count, &set) != GJK_OK) {
        (void)gjkd_query_context_out_of_memory(context);
        return NULL;
    }
    return set;
}

void gjkd_query_context_limit_answers(struct gjkd_query_context *context, uint32_t *count,
                                      bool *truncated) {
    context->is_cut = context->is_cut || (*count > 0 && *count >= context->room);
    if (context->room == 0 && *count > 0) {
        *count = 0;
        *truncated = true;
    }
    context->answered += *count;
}

const struct gjkd_version *gjkd_query_context_find_set(struct gjkd_query_context *context,
                                                       const char *name, const char *pointer) {
    struct gjkd_request *request = context->request;
    bool no_memory;
    if (!gjkd_access_set(&request->grant, GJKD_SCOPE_READ, name, context->problem)) {
        gjkd_query_context_refuse_at(context, pointer);
        return NULL;
    }
    if (strcmp(name, request->version->name) == 0) {
        return request->version;
    }
    const struct gjkd_version *other =
        gjkd_pinned_sets_get(&request->pinned_sets, request->context->registry, name, &no_memory);
    if (no_memory) {
        gjkd_query_context_out_of_memory(context);
    } else if (other == NULL && request->context->cluster != NULL &&
               !gjkd_cluster_check_held(request->context->cluster, name, context->problem)) {
        gjkd_query_context_refuse_at(context, pointer);
    } else if (other == NULL) {
        proto_problem_set(context->problem, PROTO_SET_NOT_FOUND, "there is no set \"%.160s\"",
                          name);
        gjkd_query_context_refuse_at(context, pointer);
    } else if (other->dimension != request->version->dimension) {
        proto_problem_set(context->problem, PROTO_DIMENSION_MISMATCH,
                          "the set \"%.160s\" has dimension %u, this one %u", name,
                          other->dimension, request->version->dimension);
        gjkd_query_context_refuse_at(context, pointer);
        other = NULL;
    }
    return other;
}

bool gjkd_query_context_find_against(struct gjkd_query_context *context, gjk_snapshot *out) {
    const proto_query *query = &context->query;
    const struct gjkd_version *other =
        gjkd_query_context_find_set(context, query->against, "/against");
    if (other == NULL) {
        return false;
    }
    context->stamp.has_against_revision = true;
    context->stamp.against_revision = other->revision;
    *out = gjk_snapshot_of(other->set);
    if (query->against_at.given) {
        gjk_rewound rewound;
        if (!gjkd_rewind(other, query->against_at.tick, &rewound, context->problem)) {
            return proto_problem_point(context->problem, query->against_at.pointer);
        }
        *out = rewound.snapshot;
        context->stamp.pose_gap = context->stamp.pose_gap || rewound.is_gap;
    }
    return true;
}

/* Rewinds the set of the path to the query's tick. If that tick is not kept, `hit` answers with a
 * verdict, other queries are refused. */
static bool rewind_to_tick(struct gjkd_query_context *context) {
    const struct gjkd_version *version = context->request->version;
    const double tick = context->query.at.tick;
    context->stamp.has_tick = true;
    context->stamp.tick = tick;
    context->rewind = GJK_REWIND_EXPIRED;
    context->rewound = (gjk_rewound){0};
    if (context->query.op == PROTO_OP_HIT) {
        if (version->history != NULL) {
            context->rewind = gjk_history_at(version->history, tick, &context->rewound);
        }
    } else if (!gjkd_rewind(version, tick, &context->rewound, context->problem)) {
        return proto_problem_point(context->problem, context->query.at.pointer);
    } else {
        context->rewind = GJK_REWIND_OK;
    }
    context->snapshot = context->rewound.snapshot;
    context->stamp.pose_gap = context->rewind == GJK_REWIND_OK && context->rewound.is_gap;
    return true;
}

bool gjkd_query_context_begin(struct gjkd_query_context *context) {
    const struct gjkd_version *version = context->request->version;
    const proto_query *query = &context->query;
    uint64_t limit = query->has_limit ? query->limit : UINT32_MAX;
    limit = limit < context->room ? limit : context->room;
    context->limit = limit > 0 ? (uint32_t)limit : 1;
    context->answered = 0;
    context->is_cut = false;
    context->budget = context->arena->budget;
    context->rewind = GJK_REWIND_OK;
    context->snapshot = (gjk_snapshot){0};
    context->stamp = (proto_stamp){.meta_of = query->include_meta ? gjkd_stored_meta : NULL};
    proto_buffer_init(&context->out, context->arena);
    if (version != NULL) {
        context->snapshot = gjk_snapshot_of(version->set);
        context->stamp.has_revision = true;
        context->stamp.revision = version->revision;
    }
    return !query->at.given || rewind_to_tick(context);
}
