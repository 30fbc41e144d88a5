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

bool gjkd_question_refuse_at(struct gjkd_question *question, const char *pointer) {
    char whole[PROTO_POINTER_MAX];
    snprintf(whole, sizeof whole, "%s%s", question->query.pointer, pointer);
    return proto_problem_point(question->problem, whole);
}

bool gjkd_question_out_of_memory(struct gjkd_question *question) {
    return proto_problem_set(question->problem, PROTO_OUT_OF_MEMORY, "no memory for the answer");
}

bool gjkd_question_fail(struct gjkd_question *question, gjk_status status) {
    if (status != GJK_GIVEN_UP) {
        return gjkd_question_out_of_memory(question);
    }
    return proto_problem_set(question->problem, PROTO_DEADLINE_EXCEEDED,
                             "time was up before all was looked at");
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
        proto_problem_set(question->problem, PROTO_SHAPE_NOT_FOUND,
                          "there is no shape \"%.140s\" in the set", operand->id);
        return proto_problem_point(question->problem, operand->pointer);
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
    proto_trace_init(trace, question->arena, &a->placed, &b->placed);
    question->stamp.trace = trace;
    return &trace->recorder;
}

gjk_selection gjkd_question_select(struct gjkd_question *question, const gjk_body *except,
                                   uint32_t limit) {
    return (gjk_selection){.filter = &question->query.filter,
                           .except = except,
                           .limit = limit,
                           .arena = question->arena,
                           .patience = &question->patience};
}

struct gjk_set *gjkd_question_gather(struct gjkd_question *question) {
    const proto_query *query = &question->query;
    struct gjk_set *set = NULL;
    gjk_body *bodies = gjk_arena_alloc_array(question->arena, query->shape_count, sizeof *bodies);
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

void gjkd_question_keep(struct gjkd_question *question, uint32_t *count, bool *truncated) {
    question->is_cut = question->is_cut || (*count > 0 && *count >= question->room);
    if (question->room == 0 && *count > 0) {
        *count = 0;
        *truncated = true;
    }
    question->answered += *count;
}

const struct gjkd_version *gjkd_question_find_set(struct gjkd_question *question, const char *name,
                                                  const char *pointer) {
    struct gjkd_job *job = question->job;
    bool no_memory;
    if (!gjkd_access_set(&job->grant, name, question->problem)) {
        gjkd_question_refuse_at(question, pointer);
        return NULL;
    }
    if (strcmp(name, job->version->name) == 0) {
        return job->version;
    }
    const struct gjkd_version *other =
        gjkd_others_get(&job->others, job->context->registry, name, &no_memory);
    if (no_memory) {
        gjkd_question_out_of_memory(question);
    } else if (other == NULL) {
        proto_problem_set(question->problem, PROTO_SET_NOT_FOUND, "there is no set \"%.160s\"",
                          name);
        gjkd_question_refuse_at(question, pointer);
    } else if (other->dimension != job->version->dimension) {
        proto_problem_set(question->problem, PROTO_DIMENSION_MISMATCH,
                          "the set \"%.160s\" has dimension %u, this one %u", name,
                          other->dimension, job->version->dimension);
        gjkd_question_refuse_at(question, pointer);
        other = NULL;
    }
    return other;
}

/* Only the set of the path goes back in time: that of `against` stands at its newest. A judge
 * says himself what it means that there is no such tick. */
static bool go_back(struct gjkd_question *question) {
    const struct gjkd_version *version = question->job->version;
    const double tick = question->query.at_tick;
    question->stamp.has_tick = true;
    question->stamp.tick = tick;
    question->rewind = GJK_REWIND_EXPIRED;
    if (question->query.op == PROTO_OP_HIT) {
        if (version->history != NULL) {
            question->rewind = gjk_history_at(version->history, tick, &question->rewound);
        }
    } else if (!gjkd_rewind(version, tick, &question->rewound, question->problem)) {
        return proto_problem_point(question->problem, question->query.at_pointer);
    } else {
        question->rewind = GJK_REWIND_OK;
    }
    question->moment = question->rewound.moment;
    return true;
}

bool gjkd_question_prepare(struct gjkd_question *question) {
    const struct gjkd_version *version = question->job->version;
    const proto_query *query = &question->query;
    uint64_t limit = query->has_limit ? query->limit : UINT32_MAX;
    limit = limit < question->room ? limit : question->room;
    question->limit = limit > 0 ? (uint32_t)limit : 1;
    question->answered = 0;
    question->is_cut = false;
    question->patience = (gjk_patience){is_late, question->job};
    question->rewind = GJK_REWIND_OK;
    proto_buffer_init(&question->out, question->arena);
    if (version != NULL) {
        question->moment = gjk_moment_of(version->set);
        question->stamp.has_revision = true;
        question->stamp.revision = version->revision;
    }
    return !query->has_at || go_back(question);
}

static bool decode(struct gjkd_question *question, proto_op op) {
    struct gjkd_job *job = question->job;
    proto_text body = {job->body != NULL ? job->body : "", job->body_bytes};
    uint32_t dimension = job->version != NULL ? job->version->dimension : 0;
    uint64_t room = job->context->limits.answers_max;
    question->room = room < UINT32_MAX ? (uint32_t)room : UINT32_MAX;
    return proto_decode_query(body, op, dimension, &job->context->limits, question->arena,
                              &question->query, question->problem) &&
           gjkd_question_prepare(question);
}

void gjkd_question_ask(struct gjkd_job *job, proto_op op, gjkd_answer answer) {
    struct gjkd_question question = {.job = job, .arena = &job->arena, .problem = &job->problem};
    if (!gjkd_job_has_set(job)) {
        return;
    }
    if (!decode(&question, op)) {
        gjkd_job_refuse(job);
        return;
    }
    gjkd_job_note_decoded(job);
    if (answer(&question)) {
        gjkd_job_note_query(job, op);
        gjkd_job_reply(job, 200, &question.out);
    } else if (job->reply.status == 0) {
        gjkd_job_refuse(job);
    }
}
