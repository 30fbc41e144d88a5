/*
 * What does a ray hit? One shape, the set, or shapes that the query brings.
 */

#include "columns.h"
#include "handle.h"

static gjk_ray_settings ray_settings(const proto_query *query) {
    gjk_ray_settings settings = gjk_ray_settings_default();
    settings.tolerance = query->options.tolerance;
    settings.max_iterations = query->options.max_iterations;
    settings.solid = query->solid;
    return settings;
}

static bool print_hits(struct gjkd_question *question, gjk_ray_hits *hits) {
    if (question->query.mode != PROTO_RAY_ANY) {
        gjkd_question_keep(question, &hits->count, &hits->truncated);
    }
    for (uint32_t i = 0; i < hits->count; i++) {
        gjkd_count_iterations(question->job->counters, hits->items[i].result.iterations);
    }
    if (question->job->columns_out != NULL) {
        return gjkd_columns_print_hit(question, hits->count > 0 ? &hits->items[0] : NULL);
    }
    if (question->query.mode == PROTO_RAY_ANY) {
        proto_encode_ray_any(&question->out, hits->count > 0, &question->stamp);
    } else {
        proto_encode_ray_hits(&question->out, question->query.dimension, hits, &question->stamp);
    }
    return true;
}

/* Named as an operand: no filter holds for it. */
static bool raycast_target(struct gjkd_question *question) {
    const proto_query *query = &question->query;
    gjk_ray_settings settings = ray_settings(query);
    struct gjkd_operand target;
    if (!gjkd_question_find(question, &query->target, &target)) {
        return false;
    }
    const gjk_body brought = {.group = query->target.group};
    gjk_ray_hit hit = {target.body != NULL ? target.body : &brought,
                       gjk_raycast(&target.placed, &query->ray, &settings)};
    gjk_ray_hits hits = {&hit, hit.result.hit ? 1 : 0, false};
    return print_hits(question, &hits);
}

static bool raycast_set(struct gjkd_question *question, const gjk_moment *moment) {
    const proto_query *query = &question->query;
    gjk_ray_settings settings = ray_settings(query);
    if (query->mode == PROTO_RAY_ANY) {
        gjk_selection selection = gjkd_question_select(question, NULL, 1);
        bool hit = gjk_set_raycast_any(moment, &query->ray, &selection, &settings);
        if (!hit && gjkd_job_is_late(question->job)) {
            return gjkd_question_fail(question, GJK_GIVEN_UP);
        }
        proto_encode_ray_any(&question->out, hit, &question->stamp);
        return true;
    }
    gjk_ray_hits hits;
    uint32_t limit = query->mode == PROTO_RAY_CLOSEST ? 1 : question->limit;
    gjk_selection selection = gjkd_question_select(question, NULL, limit);
    selection.rest_unasked = query->mode == PROTO_RAY_CLOSEST;
    gjk_status status = gjk_set_raycast(moment, &query->ray, &selection, &settings, &hits);
    return status == GJK_OK ? print_hits(question, &hits) : gjkd_question_fail(question, status);
}

static bool raycast_shapes(struct gjkd_question *question) {
    struct gjk_set *set = gjkd_question_gather(question);
    gjk_moment moment = gjk_moment_of(set);
    bool answered = set != NULL && raycast_set(question, &moment);
    gjk_set_release(set);
    return answered;
}

bool gjkd_answer_raycast(struct gjkd_question *question) {
    bool is_row = question->query.mode == PROTO_RAY_CLOSEST &&
                  question->query.target.kind != PROTO_OPERAND_INLINE;
    if (question->job->columns_out != NULL && !is_row) {
        return gjkd_columns_refuse(question);
    }
    if (question->query.target.kind != PROTO_OPERAND_ABSENT) {
        return raycast_target(question);
    }
    return question->query.has_shapes ? raycast_shapes(question)
                                      : raycast_set(question, &question->moment);
}

void gjkd_handle_raycast(struct gjkd_job *job) {
    if (job->columns_in) {
        gjkd_columns_raycast(job);
    } else {
        gjkd_question_ask(job, PROTO_OP_RAYCAST, gjkd_answer_raycast);
    }
}
