/*
 * What do all queries have in common? Decode, find the stored shapes they name, print. With
 * a set everything is asked of the one version that the job retained; without, the shapes
 * are in the request.
 */

#include "question.h"

#include "rewind.h"

#include <string.h>

bool gjkd_question_fail_at(struct gjkd_job *job, const char *pointer) {
    snprintf(job->problem.pointer, sizeof job->problem.pointer, "%s", pointer);
    gjkd_job_refuse(job);
    return false;
}

bool gjkd_question_out_of_memory(struct gjkd_question *question) {
    gjkd_job_fail(question->job, PROTO_OUT_OF_MEMORY, "no memory for the answer");
    return false;
}

bool gjkd_question_fail(struct gjkd_question *question, gjk_status status) {
    if (status != GJK_GIVEN_UP) {
        return gjkd_question_out_of_memory(question);
    }
    gjkd_job_fail(question->job, PROTO_DEADLINE_EXCEEDED, "time was up before all was looked at");
    return false;
}

static bool is_late(void *job) {
    return gjkd_job_is_late(job);
}

bool gjkd_question_find(struct gjkd_question *question, const proto_operand *operand,
                        struct gjkd_operand *out) {
    out->body = NULL;
    if (operand->kind == PROTO_OPERAND_INLINE) {
        out->shape = operand->shape;
        out->placed = (gjk_placed){&out->shape, operand->pose};
        return true;
    }
    const gjk_moment *moment = &question->moment;
    out->body = moment->set != NULL ? gjk_set_find(moment->set, operand->id) : NULL;
    if (out->body == NULL) {
        proto_problem_set(&question->job->problem, PROTO_SHAPE_NOT_FOUND,
                          "there is no shape \"%.140s\" in the set", operand->id);
        return gjkd_question_fail_at(question->job, operand->pointer);
    }
    out->placed = gjk_moment_place(moment, out->body);
    if (operand->has_position) {
        out->placed.pose.position = operand->pose.position;
    }
    if (operand->has_rotation) {
        out->placed.pose.rotation = operand->pose.rotation;
    }
    return true;
}

bool gjkd_question_find_pair(struct gjkd_question *question, struct gjkd_operand *a,
                             struct gjkd_operand *b) {
    return gjkd_question_find(question, &question->query.a, a) &&
           gjkd_question_find(question, &question->query.b, b);
}

const gjk_recorder *gjkd_question_trace(struct gjkd_question *question,
                                        const struct gjkd_operand *a, const struct gjkd_operand *b,
                                        struct proto_trace *trace) {
    if (!question->query.trace) {
        return NULL;
    }
    proto_trace_init(trace, &question->job->arena, &a->placed, &b->placed);
    question->stamp.trace = trace;
    return &trace->recorder;
}

gjk_selection gjkd_question_select(struct gjkd_question *question, const gjk_body *except,
                                   uint32_t limit) {
    return (gjk_selection){.filter = &question->query.filter,
                           .except = except,
                           .limit = limit,
                           .arena = &question->job->arena,
                           .patience = &question->patience};
}

struct gjk_set *gjkd_question_gather(struct gjkd_question *question) {
    const proto_query *query = &question->query;
    struct gjk_set *set = NULL;
    gjk_body *bodies =
        gjk_arena_alloc_array(&question->job->arena, query->shape_count, sizeof *bodies);
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
        (void)gjkd_question_out_of_memory(question);
        return NULL;
    }
    return set;
}

/* Only the set of the path goes back in time: that of `against` stands at its newest. */
static bool go_back(struct gjkd_question *question) {
    struct gjkd_job *job = question->job;
    const double tick = question->query.at_tick;
    gjk_rewound rewound;
    if (!question->query.has_at) {
        return true;
    }
    if (!gjkd_rewind(job->version, tick, &rewound, &job->problem)) {
        return gjkd_question_fail_at(job, "/at/tick");
    }
    question->moment = rewound.moment;
    question->stamp.has_tick = true;
    question->stamp.tick = tick;
    return true;
}

static bool decode(struct gjkd_question *question, proto_op op) {
    struct gjkd_job *job = question->job;
    proto_text body = {job->body != NULL ? job->body : "", job->body_bytes};
    uint32_t dimension = job->version != NULL ? job->version->dimension : 0;
    if (!proto_decode_query(body, op, dimension, &job->context->limits, &job->arena,
                            &question->query, &job->problem)) {
        gjkd_job_refuse(job);
        return false;
    }
    uint64_t limit = job->context->limits.answers_max;
    if (question->query.has_limit && question->query.limit < limit) {
        limit = question->query.limit;
    }
    question->limit = limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX;
    return go_back(question);
}

void gjkd_question_ask(struct gjkd_job *job, proto_op op, gjkd_answer answer) {
    struct gjkd_question question = {.job = job, .patience = {is_late, job}};
    bool reads_set = (job->match.operation->flags & GJKD_READS_SET) != 0;
    if (reads_set && job->version == NULL) {
        gjkd_job_fail(job, PROTO_SET_NOT_FOUND, "there is no set \"%.160s\"",
                      job->match.variable.text);
        return;
    }
    if (reads_set) {
        question.moment = gjk_moment_of(job->version->set);
        question.stamp.has_revision = true;
        question.stamp.revision = job->version->revision;
    }
    if (!decode(&question, op)) {
        return;
    }
    gjkd_job_note_decoded(job);
    proto_buffer_init(&question.out, &job->arena);
    if (answer(&question)) {
        gjkd_job_note_query(job, op);
        gjkd_job_reply(job, 200, &question.out);
    }
}
