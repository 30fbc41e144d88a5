/*
 * What is the answer to a query? Decode, find the stored shapes it names, ask the core,
 * print. With a set everything is asked of the one version that the job retained; without,
 * the shapes are in the request.
 */

#include "handle.h"
#include "job.h"

#include <string.h>

/* What an answer is made from. */
struct question {
    struct gjkd_job *job;
    proto_query query;
    const struct gjk_set *set; /* NULL: stateless */
    proto_stamp stamp;
    uint32_t limit; /* the query's, within answers_max */
    struct proto_buffer out;
};

/* An operand, found. */
struct operand {
    gjk_shape shape;
    gjk_placed placed;
    uint32_t body; /* GJK_NO_BODY: inline */
};

static gjk_detect_settings detect_settings(const proto_query *query) {
    gjk_detect_settings settings = gjk_detect_settings_default();
    settings.tolerance = query->options.tolerance;
    settings.max_iterations = query->options.max_iterations;
    settings.penetration = query->penetration;
    return settings;
}

static gjk_distance_settings distance_settings(const proto_query *query) {
    gjk_distance_settings settings = gjk_distance_settings_default();
    settings.tolerance = query->options.tolerance;
    settings.max_iterations = query->options.max_iterations;
    return settings;
}

static gjk_ray_settings ray_settings(const proto_query *query) {
    gjk_ray_settings settings = gjk_ray_settings_default();
    settings.tolerance = query->options.tolerance;
    settings.max_iterations = query->options.max_iterations;
    settings.solid = query->solid;
    return settings;
}

static bool fail_at(struct gjkd_job *job, const char *pointer) {
    snprintf(job->problem.pointer, sizeof job->problem.pointer, "%s", pointer);
    gjkd_job_refuse(job);
    return false;
}

static bool fail_memory(struct gjkd_job *job) {
    gjkd_job_fail(job, PROTO_OUT_OF_MEMORY, "no memory for the answer");
    return false;
}

/* out->placed points into out, which must stay where it is. */
static bool find_operand(struct question *question, const proto_operand *operand,
                         struct operand *out) {
    out->body = GJK_NO_BODY;
    if (operand->kind == PROTO_OPERAND_INLINE) {
        out->shape = operand->shape;
        out->placed = (gjk_placed){&out->shape, operand->pose};
        return true;
    }
    out->body = question->set != NULL ? gjk_set_find(question->set, operand->id) : GJK_NO_BODY;
    if (out->body == GJK_NO_BODY) {
        proto_problem_set(&question->job->problem, PROTO_SHAPE_NOT_FOUND,
                          "there is no shape \"%.140s\" in the set", operand->id);
        return fail_at(question->job, operand->pointer);
    }
    out->placed = gjk_set_body(question->set, out->body)->placed;
    if (operand->has_position) {
        out->placed.pose.position = operand->pose.position;
    }
    if (operand->has_rotation) {
        out->placed.pose.rotation = operand->pose.rotation;
    }
    return true;
}

/* --- detect --- */

static bool detect_pair(struct question *question) {
    const proto_query *query = &question->query;
    gjk_detect_settings settings = detect_settings(query);
    struct operand a, b;
    if (!find_operand(question, &query->a, &a) || !find_operand(question, &query->b, &b)) {
        return false;
    }
    gjk_detect_result result = gjk_detect(&a.placed, &b.placed, &settings);
    gjkd_count_iterations(question->job->counters, result.iterations);
    proto_encode_detect(&question->out, query->dimension, query->penetration, &result,
                        &question->stamp);
    return true;
}

static gjk_selection select_bodies(struct question *question, uint32_t except, uint32_t limit) {
    return (gjk_selection){&question->query.filter, except, limit, &question->job->arena};
}

static bool detect_one(struct question *question) {
    const proto_query *query = &question->query;
    gjk_detect_settings settings = detect_settings(query);
    struct operand a;
    gjk_hits hits;
    if (!find_operand(question, &query->a, &a)) {
        return false;
    }
    gjk_selection selection = select_bodies(question, a.body, question->limit);
    if (gjk_set_detect(question->set, &a.placed, &selection, &settings, &hits) != GJK_OK) {
        return fail_memory(question->job);
    }
    for (uint32_t i = 0; i < hits.count; i++) {
        gjkd_count_iterations(question->job->counters, hits.items[i].result.iterations);
    }
    proto_encode_hits(&question->out, question->set, query->penetration, &hits, &question->stamp);
    return true;
}

static bool print_pairs(struct question *question, const struct gjk_set *other, gjk_status status,
                        const gjk_pair_hits *pairs) {
    if (status != GJK_OK) {
        return fail_memory(question->job);
    }
    for (uint32_t i = 0; i < pairs->count; i++) {
        gjkd_count_iterations(question->job->counters, pairs->items[i].result.iterations);
    }
    proto_encode_pairs(&question->out, question->set, other, question->query.penetration, pairs,
                       &question->stamp);
    return true;
}

static bool detect_all(struct question *question) {
    const proto_query *query = &question->query;
    gjk_detect_settings settings = detect_settings(query);
    gjk_pair_hits pairs;
    gjk_selection selection = select_bodies(question, GJK_NO_BODY, question->limit);
    gjk_status status = gjk_set_detect_pairs(question->set, &selection, &settings, &pairs);
    return print_pairs(question, question->set, status, &pairs);
}

/* The other set's version: the job's own when it is the same set, so that one request sees
 * one version. To be released. */
static struct gjkd_version *find_other(struct question *question) {
    struct gjkd_job *job = question->job;
    const char *name = question->query.against;
    if (strcmp(name, job->version->name) == 0) {
        return gjkd_version_retain(job->version);
    }
    struct gjkd_version *other = gjkd_registry_get(job->context->registry, name);
    if (other == NULL) {
        proto_problem_set(&job->problem, PROTO_SET_NOT_FOUND, "there is no set \"%.160s\"", name);
        fail_at(job, "/against");
    } else if (other->dimension != job->version->dimension) {
        proto_problem_set(&job->problem, PROTO_DIMENSION_MISMATCH,
                          "the set \"%.160s\" has dimension %u, this one %u", name,
                          other->dimension, job->version->dimension);
        fail_at(job, "/against");
        gjkd_version_release(other);
        other = NULL;
    }
    return other;
}

static bool detect_against(struct question *question) {
    const proto_query *query = &question->query;
    gjk_detect_settings settings = detect_settings(query);
    gjk_pair_hits pairs;
    struct gjkd_version *other = find_other(question);
    if (other == NULL) {
        return false;
    }
    question->stamp.has_against_revision = true;
    question->stamp.against_revision = other->revision;
    gjk_selection selection = select_bodies(question, GJK_NO_BODY, question->limit);
    gjk_status status =
        gjk_set_detect_against(question->set, other->set, &selection, &settings, &pairs);
    bool answered = print_pairs(question, other->set, status, &pairs);
    gjkd_version_release(other);
    return answered;
}

static bool answer_detect(struct question *question) {
    const proto_query *query = &question->query;
    if (query->against != NULL) {
        return detect_against(question);
    }
    if (query->a.kind == PROTO_OPERAND_ABSENT) {
        return detect_all(question);
    }
    return query->b.kind == PROTO_OPERAND_ABSENT ? detect_one(question) : detect_pair(question);
}

/* --- distance --- */

static bool distance_pair(struct question *question) {
    const proto_query *query = &question->query;
    gjk_distance_settings settings = distance_settings(query);
    struct operand a, b;
    if (!find_operand(question, &query->a, &a) || !find_operand(question, &query->b, &b)) {
        return false;
    }
    gjk_distance_result result = gjk_distance(&a.placed, &b.placed, &settings);
    gjkd_count_iterations(question->job->counters, result.iterations);
    proto_encode_distance(&question->out, query->dimension, &result, &question->stamp);
    return true;
}

static bool distance_nearest(struct question *question) {
    const proto_query *query = &question->query;
    gjk_distance_settings settings = distance_settings(query);
    struct operand a;
    gjk_nears nears;
    if (!find_operand(question, &query->a, &a)) {
        return false;
    }
    uint32_t limit = query->has_limit ? question->limit : 1;
    gjk_selection selection = select_bodies(question, a.body, limit);
    if (gjk_set_nearest(question->set, &a.placed, query->max_distance, &selection, &settings,
                        &nears) != GJK_OK) {
        return fail_memory(question->job);
    }
    for (uint32_t i = 0; i < nears.count; i++) {
        gjkd_count_iterations(question->job->counters, nears.items[i].result.iterations);
    }
    proto_encode_nearest(&question->out, question->set, &nears, &question->stamp);
    return true;
}

static bool answer_distance(struct question *question) {
    return question->query.b.kind == PROTO_OPERAND_ABSENT ? distance_nearest(question)
                                                          : distance_pair(question);
}

/* --- raycast --- */

/* hits: of `set`, or of the one inline shape when it is NULL. */
static bool print_hits(struct question *question, const struct gjk_set *set,
                       const gjk_ray_hits *hits) {
    for (uint32_t i = 0; i < hits->count; i++) {
        gjkd_count_iterations(question->job->counters, hits->items[i].result.iterations);
    }
    if (question->query.mode == PROTO_RAY_ANY) {
        proto_encode_ray_any(&question->out, hits->count > 0, &question->stamp);
    } else {
        proto_encode_ray_hits(&question->out, question->query.dimension, set, hits,
                              &question->stamp);
    }
    return true;
}

/* Named as an operand: no filter holds for it. */
static bool raycast_target(struct question *question) {
    const proto_query *query = &question->query;
    gjk_ray_settings settings = ray_settings(query);
    struct operand target;
    if (!find_operand(question, &query->target, &target)) {
        return false;
    }
    gjk_ray_hit hit = {target.body, gjk_raycast(&target.placed, &query->ray, &settings)};
    gjk_ray_hits hits = {&hit, hit.result.hit ? 1 : 0, false};
    return print_hits(question, target.body == GJK_NO_BODY ? NULL : question->set, &hits);
}

static bool raycast_set(struct question *question, const struct gjk_set *set) {
    const proto_query *query = &question->query;
    gjk_ray_settings settings = ray_settings(query);
    if (query->mode == PROTO_RAY_ANY) {
        gjk_selection selection = select_bodies(question, GJK_NO_BODY, 1);
        bool hit = gjk_set_raycast_any(set, &query->ray, &selection, &settings);
        proto_encode_ray_any(&question->out, hit, &question->stamp);
        return true;
    }
    gjk_ray_hits hits;
    uint32_t limit = query->mode == PROTO_RAY_CLOSEST ? 1 : question->limit;
    gjk_selection selection = select_bodies(question, GJK_NO_BODY, limit);
    if (gjk_set_raycast(set, &query->ray, &selection, &settings, &hits) != GJK_OK) {
        return fail_memory(question->job);
    }
    if (query->mode == PROTO_RAY_CLOSEST) {
        hits.truncated = false; /* one hit is all that was asked for */
    }
    return print_hits(question, set, &hits);
}

/* Stateless "shapes": a set for this one question. */
static bool raycast_shapes(struct question *question) {
    const proto_query *query = &question->query;
    struct gjk_set *set = NULL;
    gjk_body *bodies =
        gjk_arena_alloc_array(&question->job->arena, query->shape_count, sizeof *bodies);
    if (bodies == NULL) {
        return fail_memory(question->job);
    }
    for (uint32_t i = 0; i < query->shape_count; i++) {
        const proto_shape *shape = &query->shapes[i].shape;
        bodies[i] = (gjk_body){
            .id = query->shapes[i].id,
            .group = shape->group,
            .handle = i,
            .category = shape->category,
            .mask = shape->mask,
            .placed = {&shape->shape, shape->pose},
        };
    }
    if (gjk_set_new(query->dimension, bodies, query->shape_count, &set) != GJK_OK) {
        return fail_memory(question->job);
    }
    bool answered = raycast_set(question, set);
    gjk_set_free(set);
    return answered;
}

static bool answer_raycast(struct question *question) {
    if (question->query.target.kind != PROTO_OPERAND_ABSENT) {
        return raycast_target(question);
    }
    return question->query.has_shapes ? raycast_shapes(question)
                                      : raycast_set(question, question->set);
}

/* --- what all have in common --- */

/* What this daemon cannot answer (yet), said rather than passed over. */
static bool check_extras(struct question *question) {
    struct gjkd_job *job = question->job;
    if (question->query.has_at) {
        proto_problem_set(&job->problem, PROTO_TICK_EXPIRED, "the set keeps no ticks");
        return fail_at(job, "/at/tick");
    }
    if (question->query.trace) {
        proto_problem_set(&job->problem, PROTO_UNKNOWN_MEMBER, "this version does not trace");
        return fail_at(job, "/trace");
    }
    return true;
}

static bool decode(struct question *question, proto_op op) {
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
    return check_extras(question);
}

static void answer(struct gjkd_job *job, proto_op op, bool (*find)(struct question *question)) {
    struct question question = {.job = job};
    bool reads_set = (job->match.operation->flags & GJKD_READS_SET) != 0;
    if (reads_set && job->version == NULL) {
        gjkd_job_fail(job, PROTO_SET_NOT_FOUND, "there is no set \"%.160s\"",
                      job->match.variable.text);
        return;
    }
    if (reads_set) {
        question.set = job->version->set;
        question.stamp.has_revision = true;
        question.stamp.revision = job->version->revision;
    }
    if (!decode(&question, op)) {
        return;
    }
    proto_buffer_init(&question.out, &job->arena);
    if (find(&question)) {
        gjkd_count_query(job->counters, op);
        gjkd_job_reply(job, 200, &question.out);
    }
}

void gjkd_handle_detect(struct gjkd_job *job) {
    answer(job, PROTO_OP_DETECT, answer_detect);
}

void gjkd_handle_distance(struct gjkd_job *job) {
    answer(job, PROTO_OP_DISTANCE, answer_distance);
}

void gjkd_handle_raycast(struct gjkd_job *job) {
    answer(job, PROTO_OP_RAYCAST, answer_raycast);
}
