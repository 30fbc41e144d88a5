/*
 * What does a moving shape touch first? One shape, the set, or shapes that the query brings.
 */

#include "handle.h"
#include "question.h"

static gjk_cast_settings cast_settings(const proto_query *query) {
    return (gjk_cast_settings){query->options.tolerance, query->options.max_iterations};
}

/* hits: of `set`, or of the one inline shape when it is NULL. */
static bool print_hits(struct gjkd_question *question, const struct gjk_set *set,
                       const gjk_cast_hits *hits) {
    for (uint32_t i = 0; i < hits->count; i++) {
        gjkd_count_iterations(question->job->counters, hits->items[i].result.iterations);
    }
    if (question->query.mode == PROTO_RAY_ANY) {
        proto_encode_ray_any(&question->out, hits->count > 0, &question->stamp);
    } else {
        proto_encode_cast_hits(&question->out, question->query.dimension, set, hits,
                               &question->stamp);
    }
    return true;
}

/* Named as an operand: no filter holds for it, but a stored shape never hits itself. */
static bool cast_target(struct gjkd_question *question, const struct gjkd_operand *moving) {
    const proto_query *query = &question->query;
    gjk_cast_settings settings = cast_settings(query);
    struct gjkd_operand target;
    gjk_cast_hit hit;
    gjk_cast_hits hits = {&hit, 0, false};
    if (!gjkd_question_find(question, &query->target, &target)) {
        return false;
    }
    if (target.body == GJK_NO_BODY || target.body != moving->body) {
        hit.body = target.body;
        hit.result = gjk_cast(&moving->placed, query->translation, &target.placed, &settings);
        hits.count = hit.result.hit ? 1 : 0;
    }
    return print_hits(question, target.body == GJK_NO_BODY ? NULL : question->set, &hits);
}

static bool cast_set(struct gjkd_question *question, const struct gjkd_operand *moving,
                     const struct gjk_set *set) {
    const proto_query *query = &question->query;
    const gjk_sweep sweep = {moving->placed, query->translation};
    gjk_cast_settings settings = cast_settings(query);
    gjk_selection selection = gjkd_question_select(question, moving->body, question->limit);
    if (query->mode == PROTO_RAY_ANY) {
        bool hit = gjk_set_cast_any(set, &sweep, &selection, &settings);
        proto_encode_ray_any(&question->out, hit, &question->stamp);
        return true;
    }
    gjk_cast_hits hits;
    if (query->mode == PROTO_RAY_CLOSEST) {
        selection.limit = 1;
    }
    if (gjk_set_cast(set, &sweep, &selection, &settings, &hits) != GJK_OK) {
        return gjkd_question_out_of_memory(question);
    }
    if (query->mode == PROTO_RAY_CLOSEST) {
        hits.truncated = false; /* one hit is all that was asked for */
    }
    return print_hits(question, set, &hits);
}

static bool cast_shapes(struct gjkd_question *question, const struct gjkd_operand *moving) {
    struct gjk_set *set = gjkd_question_gather(question);
    bool answered = set != NULL && cast_set(question, moving, set);
    gjk_set_free(set);
    return answered;
}

static bool answer_cast(struct gjkd_question *question) {
    struct gjkd_operand moving;
    if (!gjkd_question_find(question, &question->query.moving, &moving)) {
        return false;
    }
    if (question->query.target.kind != PROTO_OPERAND_ABSENT) {
        return cast_target(question, &moving);
    }
    return question->query.has_shapes ? cast_shapes(question, &moving)
                                      : cast_set(question, &moving, question->set);
}

void gjkd_handle_cast(struct gjkd_job *job) {
    gjkd_question_ask(job, PROTO_OP_CAST, answer_cast);
}
