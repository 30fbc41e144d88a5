/*
 * What does a moving shape touch first? One shape, the set, or shapes that the query brings.
 */

#include "handle.h"
#include "question.h"

static gjk_cast_settings cast_settings(const proto_query *query) {
    return (gjk_cast_settings){query->options.tolerance, query->options.max_iterations};
}

static bool print_hits(struct gjkd_question *question, gjk_cast_hits *hits) {
    if (question->query.mode != PROTO_RAY_ANY) {
        gjkd_question_keep(question, &hits->count, &hits->truncated);
    }
    for (uint32_t i = 0; i < hits->count; i++) {
        gjkd_count_iterations(question->job->counters, hits->items[i].result.iterations);
    }
    if (question->query.mode == PROTO_RAY_ANY) {
        proto_encode_ray_any(&question->out, hits->count > 0, &question->stamp);
    } else {
        proto_encode_cast_hits(&question->out, question->query.dimension, hits, &question->stamp);
    }
    return true;
}

/* Named as an operand: no filter holds for it, but a stored shape never hits itself. */
static bool cast_target(struct gjkd_question *question, const struct gjkd_operand *moving) {
    const proto_query *query = &question->query;
    gjk_cast_settings settings = cast_settings(query);
    const gjk_body brought = {.group = query->target.group};
    struct gjkd_operand target;
    gjk_cast_hit hit;
    gjk_cast_hits hits = {&hit, 0, false};
    if (!gjkd_question_find(question, &query->target, &target)) {
        return false;
    }
    if (target.body == NULL || target.body != moving->body) {
        hit.body = target.body != NULL ? target.body : &brought;
        hit.result = gjk_cast(&moving->placed, query->translation, &target.placed, &settings);
        hits.count = hit.result.hit ? 1 : 0;
    }
    return print_hits(question, &hits);
}

static bool cast_set(struct gjkd_question *question, const struct gjkd_operand *moving,
                     const gjk_moment *moment) {
    const proto_query *query = &question->query;
    const gjk_sweep sweep = {moving->placed, query->translation};
    gjk_cast_settings settings = cast_settings(query);
    gjk_selection selection = gjkd_question_select(question, moving->body, question->limit);
    if (query->mode == PROTO_RAY_ANY) {
        bool hit = gjk_set_cast_any(moment, &sweep, &selection, &settings);
        if (!hit && gjkd_job_is_late(question->job)) {
            return gjkd_question_fail(question, GJK_GIVEN_UP);
        }
        proto_encode_ray_any(&question->out, hit, &question->stamp);
        return true;
    }
    gjk_cast_hits hits;
    if (query->mode == PROTO_RAY_CLOSEST) {
        selection.limit = 1;
        selection.rest_unasked = true;
    }
    gjk_status status = gjk_set_cast(moment, &sweep, &selection, &settings, &hits);
    return status == GJK_OK ? print_hits(question, &hits) : gjkd_question_fail(question, status);
}

static bool cast_shapes(struct gjkd_question *question, const struct gjkd_operand *moving) {
    struct gjk_set *set = gjkd_question_gather(question);
    gjk_moment moment = gjk_moment_of(set);
    bool answered = set != NULL && cast_set(question, moving, &moment);
    gjk_set_release(set);
    return answered;
}

bool gjkd_answer_cast(struct gjkd_question *question) {
    struct gjkd_operand moving;
    if (!gjkd_question_find(question, &question->query.moving, &moving)) {
        return false;
    }
    if (question->query.target.kind != PROTO_OPERAND_ABSENT) {
        return cast_target(question, &moving);
    }
    return question->query.has_shapes ? cast_shapes(question, &moving)
                                      : cast_set(question, &moving, &question->moment);
}

void gjkd_handle_cast(struct gjkd_job *job) {
    gjkd_question_ask(job, PROTO_OP_CAST, gjkd_answer_cast);
}
