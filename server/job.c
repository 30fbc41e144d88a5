/*
 * How does a request travel? Top to bottom:
 *
 *     set_target   the request line has come
 *     begin        the head has come: what it alone decides is decided (job_head.c)
 *     take_body    piece by piece, into the arena, counted (job_body.c)
 *     wants_worker the body is complete: retain the version, plan
 *     run          decode, check, compute, encode: the operation's handler
 *
 * and whoever ends it early does so with a problem in the form of RFC 9457.
 */

#include "job.h"

#include "crash.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JSON_TYPE "application/json; charset=utf-8"
#define PROBLEM_TYPE "application/problem+json"

/* The arena of a reused job keeps no more than this. */
#define ARENA_KEPT_BYTES 262144

/* About the shortest row of a column message: two handles of some thousand. */
#define COLUMNS_ROW_BYTES 8

void gjkd_job_init(struct gjkd_job *job, struct gjkd_context *context,
                   struct gjkd_counters *counters) {
    memset(job, 0, sizeof *job);
    job->context = context;
    job->counters = counters;
    gjk_arena_init(&job->arena, GJKD_JOB_BYTES_MAX);
    gjkd_others_init(&job->others);
}

void gjkd_job_fini(struct gjkd_job *job) {
    gjkd_budget_give(&job->context->bodies, &job->held_bytes);
    gjkd_version_release(job->version);
    gjkd_others_fini(&job->others);
    gjk_arena_fini(&job->arena);
}

void gjkd_job_reset(struct gjkd_job *job) {
    gjkd_budget_give(&job->context->bodies, &job->held_bytes);
    gjkd_version_release(job->version);
    gjkd_others_reset(&job->others);
    if (job->arena.used_bytes > ARENA_KEPT_BYTES) {
        gjk_arena_fini(&job->arena);
    } else {
        gjk_arena_reset(&job->arena);
    }
    job->version = NULL;
    job->timing = (gjkd_timing){0};
    job->request_id[0] = job->logged_path[0] = job->holder[0] = '\0';
    job->target = job->query = NULL;
    job->params = (gjkd_params){0};
    job->parts.rows = 0;
    job->columns_in = false;
    job->columns_out = NULL;
    job->body = NULL;
    job->body_bytes = job->body_capacity = 0;
    job->discarded_bytes = 0;
    job->asked = job->queries = 0;
    job->match.operation = NULL;
    job->match.route = GJKD_ROUTE_NONE;
    job->grant = gjkd_grant_all();
    job->cors = (gjkd_cors){0};
    job->has_token = job->metered = false;
    job->problem.code = PROTO_OK;
    job->reply = (gjkd_reply){0};
    atomic_store_explicit(&job->fate, GJKD_FATE_OPEN, memory_order_relaxed);
}

bool gjkd_is_loading(const struct gjkd_context *context) {
    return atomic_load_explicit(&context->loading, memory_order_acquire);
}

/* --- Answers --- */

void gjkd_job_reply(struct gjkd_job *job, int status, const struct proto_buffer *body) {
    if (body->failed) {
        gjkd_job_fail(job, PROTO_OUT_OF_MEMORY, "the answer does not fit into memory");
        return;
    }
    job->reply.status = status;
    job->reply.content_type = job->columns_out != NULL ? job->columns_out : JSON_TYPE;
    job->reply.data = body->data;
    job->reply.length = body->length;
}

void gjkd_job_refuse(struct gjkd_job *job) {
    static const char last_resort[] =
        "{\"type\":\"/problems/out-of-memory\",\"title\":\"There is not enough memory for this "
        "request.\",\"status\":507,\"detail\":\"\",\"code\":\"out-of-memory\"}";
    struct proto_buffer body;
    proto_code code = job->problem.code;
    if (code == PROTO_OUT_OF_MEMORY) {
        gjk_arena_reset(&job->arena); /* nothing of the request is needed any more */
        job->body = NULL;
    }
    proto_buffer_init(&body, &job->arena);
    proto_encode_problem(&body, &job->problem);
    job->reply.status = body.failed ? 507 : proto_code_status(code);
    job->reply.content_type = PROBLEM_TYPE;
    job->reply.data = body.failed ? last_resort : body.data;
    job->reply.length = body.failed ? sizeof last_resort - 1 : body.length;
    job->reply.etag[0] = '\0';
    job->reply.retry_after_s = job->reply.status == 429 || job->reply.status == 503 ? 1 : 0;
}

void gjkd_job_fail(struct gjkd_job *job, proto_code code, const char *format, ...) {
    char detail[PROTO_DETAIL_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    proto_problem_set(&job->problem, code, "%s", detail);
    gjkd_job_refuse(job);
}

/* --- The beginning --- */

bool gjkd_job_set_target(struct gjkd_job *job, const char *target) {
    job->timing.started_ns = uv_hrtime();
    job->deadline_ns = job->timing.started_ns + job->context->config->request_timeout_ms * 1000000;
    job->target = gjk_arena_copy_text(&job->arena, target, strlen(target));
    if (job->context->config->access_log) {
        snprintf(job->logged_path, sizeof job->logged_path, "%.*s", (int)strcspn(target, "?"),
                 target);
    }
    return job->target != NULL;
}

/* --- The work --- */

bool gjkd_job_wants_worker(struct gjkd_job *job) {
    job->timing.complete_ns = uv_hrtime();
    if (job->reply.status != 0) {
        return false;
    }
    const struct gjkd_operation *operation = job->match.operation;
    gjkd_work work = {.cost = operation->cost, .body = job->body, .body_bytes = job->body_bytes};
    if (operation->flags & GJKD_READS_SET) {
        job->version = gjkd_registry_get(job->context->registry, job->match.variable.text);
        if (job->version != NULL && !job->params.summary) {
            work.items = gjk_set_count(job->version->set);
            work.rows = job->columns_in ? job->body_bytes / COLUMNS_ROW_BYTES + 1 : 0;
            work.points = job->version->points_max;
            work.met = (uint64_t)gjk_set_crowding(job->version->set);
        }
    } else if (operation->cost == GJKD_COST_LIST) {
        work.items = gjkd_registry_measure(job->context->registry).sets;
    }
    return gjkd_plan_wants_worker(&work);
}

/* A JSON tree is up to 75 times its text: so many bytes are made into trees at one time. */
static bool take_budget(struct gjkd_job *job) {
    uint64_t bytes = job->columns_in ? 0 : job->body_bytes;
    if (gjkd_budget_take(&job->context->parsing, bytes, &job->parsing_bytes)) {
        return true;
    }
    gjkd_count_rejected(job->counters, GJKD_REJECTED_PARSING);
    gjkd_job_fail(job, PROTO_OVERLOADED, "bodies of %llu bytes are being parsed already",
                  (unsigned long long)gjkd_budget_used(&job->context->parsing));
    return false;
}

void gjkd_job_start(struct gjkd_job *job) {
    job->timing.begun_ns = uv_hrtime();
    bool is_unwanted = atomic_load(&job->fate) == GJKD_FATE_EXPIRED;
    if (job->reply.status == 0 && (is_unwanted || job->timing.begun_ns > job->deadline_ns)) {
        gjkd_job_fail(job, PROTO_DEADLINE_EXCEEDED, "time was up before the work began");
    }
    if (job->reply.status == 0 && take_budget(job)) {
        const char *before = gjkd_crash_note_route(job->match.operation->path);
        job->match.operation->handler(job);
        gjkd_crash_note_route(before);
    }
}

void gjkd_job_end(struct gjkd_job *job) {
    if (job->reply.status == 0) {
        gjkd_job_fail(job, PROTO_INTERNAL, "the operation came to no answer");
    }
    gjkd_budget_give(&job->context->parsing, &job->parsing_bytes);
    gjkd_others_reset(&job->others);
    gjkd_version_release(job->version);
    job->version = NULL;
    job->timing.ended_ns = uv_hrtime();
}

void gjkd_job_run(struct gjkd_job *job) {
    gjkd_job_start(job);
    gjkd_parts_run_all(job);
    gjkd_job_end(job);
}

void gjkd_job_note_decoded(struct gjkd_job *job) {
    job->timing.decoded_ns = uv_hrtime();
}

void gjkd_job_note_query(struct gjkd_job *job, proto_op op) {
    gjkd_job_note_queries(job, op, 1);
}

void gjkd_job_note_queries(struct gjkd_job *job, proto_op op, uint64_t count) {
    job->queries += count;
    gjkd_count_queries(job->counters, op, count);
}

void gjkd_job_stand_in(struct gjkd_job *job, const struct gjkd_job *other) {
    job->timing.started_ns = other->timing.started_ns;
    job->head.method = other->head.method;
    job->match.route = other->match.route;
    job->cors = other->cors;
    job->body_bytes = other->body_bytes;
    memcpy(job->request_id, other->request_id, sizeof job->request_id);
    memcpy(job->logged_path, other->logged_path, sizeof job->logged_path);
    memcpy(job->holder, other->holder, sizeof job->holder);
    job->client = other->client;
}

bool gjkd_job_has_set(struct gjkd_job *job) {
    bool reads_set = (job->match.operation->flags & GJKD_READS_SET) != 0;
    if (reads_set && job->version == NULL) {
        gjkd_job_fail(job, PROTO_SET_NOT_FOUND, "there is no set \"%.160s\"",
                      job->match.variable.text);
        return false;
    }
    return true;
}

bool gjkd_job_may_use_set(struct gjkd_job *job, const char *name) {
    return gjkd_access_set(&job->grant, name, &job->problem);
}

static bool settle(struct gjkd_job *job, gjkd_fate fate) {
    gjkd_fate open = GJKD_FATE_OPEN;
    return atomic_compare_exchange_strong(&job->fate, &open, fate);
}

bool gjkd_job_is_late(struct gjkd_job *job) {
    return uv_hrtime() > job->deadline_ns || atomic_load(&job->fate) == GJKD_FATE_EXPIRED;
}

bool gjkd_job_expire(struct gjkd_job *job) {
    return settle(job, GJKD_FATE_EXPIRED);
}

bool gjkd_job_claim(struct gjkd_job *job) {
    return settle(job, GJKD_FATE_CLAIMED);
}
