/*
 * How does a request travel? Top to bottom:
 *
 *     set_target   the request line has come
 *     begin        the head has come: what it alone decides is decided here
 *     take_body    piece by piece, into the arena, counted
 *     wants_worker the body is complete: retain the version, plan
 *     run          decode, check, compute, encode: the operation's handler
 *
 * and whoever ends it early does so with a problem in the form of RFC 9457.
 */

#include "job.h"

#include "crash.h"
#include "forwarded.h"
#include "guard.h"
#include "media.h"

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

/* First size of the buffer of a body whose length nobody announced. */
#define BODY_START_BYTES 4096

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

/* --- The head --- */

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

static void find_request_id(struct gjkd_job *job) {
    const char *given = job->head.request_id;
    if (given != NULL && gjkd_is_request_id(given)) {
        memcpy(job->request_id, given, strlen(given) + 1);
    } else {
        gjkd_request_id_make(job->request_id);
    }
}

static void check_framing(struct gjkd_job *job) {
    if (job->head.fault != NULL) {
        gjkd_job_fail(job, PROTO_BAD_REQUEST, "%s", job->head.fault);
        job->reply.close = true;
    }
}

static void check_sizes(struct gjkd_job *job) {
    if (strlen(job->target) > GJKD_TARGET_BYTES_MAX) {
        gjkd_job_fail(job, PROTO_URI_TOO_LONG, "path and parameters have more than %d bytes",
                      GJKD_TARGET_BYTES_MAX);
    } else if (job->head.field_bytes > GJKD_FIELD_BYTES_MAX) {
        gjkd_job_fail(job, PROTO_HEADERS_TOO_LARGE,
                      "the header fields have more than %d bytes, %d counted for each besides "
                      "its text",
                      GJKD_FIELD_BYTES_MAX, GJKD_FIELD_OVERHEAD_BYTES);
    }
}

/* A target may be absolute (http://host/path); its host then counts instead of the field. */
static void split_authority(struct gjkd_job *job) {
    bool plain = strncmp(job->target, "http://", 7) == 0;
    if (!plain && strncmp(job->target, "https://", 8) != 0) {
        return;
    }
    char *authority = job->target + (plain ? 7 : 8);
    size_t length = strcspn(authority, "/?");
    const char *host = gjk_arena_copy_text(&job->arena, authority, length);
    if (host == NULL) {
        gjkd_job_fail(job, PROTO_OUT_OF_MEMORY, "no memory for the host's name");
        return;
    }
    job->head.host = host;
    job->target = authority + length;
}

static void find_route(struct gjkd_job *job) {
    job->query = strchr(job->target, '?');
    if (job->query != NULL) {
        *job->query++ = '\0';
    }
    gjkd_path_status status = gjkd_path_parse(job->target, &job->path);
    if (status == GJKD_PATH_MALFORMED) {
        gjkd_job_fail(job, PROTO_BAD_REQUEST, "the path is not well-formed");
        return;
    }
    if (status == GJKD_PATH_OK) {
        gjkd_route_find(job->head.method, &job->path, &job->match);
    }
}

static void check_route(struct gjkd_job *job) {
    if (job->match.route == GJKD_ROUTE_NONE) {
        gjkd_job_fail(job, PROTO_ROUTE_NOT_FOUND, "no operation has this path");
    } else if (job->match.operation == NULL) {
        gjkd_job_fail(job, PROTO_METHOD_NOT_ALLOWED, "this path takes %s", job->match.allow);
        job->reply.allow = job->match.allow;
    }
}

static void answer_preflight(struct gjkd_job *job) {
    bool asked = job->context->config->cors_origins.count > 0;
    if (asked && gjkd_cors_is_preflight(&job->head) && job->match.route != GJKD_ROUTE_NONE) {
        job->reply.status = 204;
    }
}

static void check_params(struct gjkd_job *job) {
    char error[GJKD_PARAM_ERROR_MAX];
    if (!gjkd_params_parse(job->query, job->match.operation->params, &job->params, error)) {
        gjkd_job_fail(job, PROTO_BAD_REQUEST, "%s", error);
    }
}

/* Which form does the client want? The request's, where Accept has no other preference. */
static bool choose_form(struct gjkd_job *job) {
    const char *accept = job->head.accept;
    int json = gjkd_accept_weight(accept, GJKD_TYPE_JSON);
    int short_name = gjkd_accept_weight(accept, GJKD_TYPE_PROTOBUF);
    int long_name = gjkd_accept_weight(accept, GJKD_TYPE_X_PROTOBUF);
    int columns = short_name > long_name ? short_name : long_name;
    if (!(job->match.operation->flags & GJKD_ANSWERS_COLUMNS)) {
        /* Who sends columns and wants them always gets the summary of a tick all the same. */
        return json > 0 || (job->columns_in && columns > 0);
    }
    if (columns > json || (columns == json && job->columns_in)) {
        bool is_short =
            short_name > long_name ||
            (short_name == long_name && gjkd_is_type(job->head.content_type, GJKD_TYPE_PROTOBUF));
        job->columns_out = is_short ? GJKD_TYPE_PROTOBUF : GJKD_TYPE_X_PROTOBUF;
    }
    return columns > 0 || json > 0;
}

static bool is_text(const char *type, unsigned flags) {
    return gjkd_is_json_type(type) ||
           ((flags & GJKD_TAKES_PATCH) && gjkd_is_type(type, GJKD_TYPE_MERGE_PATCH));
}

static void check_media(struct gjkd_job *job) {
    unsigned flags = job->match.operation->flags;
    const char *type = job->head.content_type;
    bool has_body = (flags & GJKD_TAKES_BODY) && gjkd_head_has_body(&job->head);
    bool may_be_columns = (flags & GJKD_TAKES_COLUMNS) != 0;
    job->columns_in = may_be_columns && (gjkd_is_type(type, GJKD_TYPE_PROTOBUF) ||
                                         gjkd_is_type(type, GJKD_TYPE_X_PROTOBUF));
    if (!(flags & GJKD_ANSWERS_ANY) && !choose_form(job)) {
        gjkd_job_fail(job, PROTO_NOT_ACCEPTABLE, "the answer is application/json%s",
                      (flags & GJKD_ANSWERS_COLUMNS) ? " or application/x-protobuf" : "");
    } else if (has_body && !job->columns_in && !is_text(type, flags)) {
        gjkd_job_fail(job, PROTO_UNSUPPORTED_MEDIA_TYPE,
                      "send the body with Content-Type: application/json%s",
                      may_be_columns ? " or application/x-protobuf" : "");
    } else if (has_body && job->head.encoded) {
        gjkd_job_fail(job, PROTO_UNSUPPORTED_MEDIA_TYPE,
                      "send the body as it is, without Content-Encoding");
    }
}

static void check_timeout(struct gjkd_job *job) {
    const char *text = job->head.timeout_ms;
    if (text == NULL) {
        return;
    }
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 15 || text[digits] != '\0') {
        gjkd_job_fail(job, PROTO_BAD_REQUEST, "Gjkd-Timeout-Ms is a whole number of milliseconds");
        return;
    }
    uint64_t timeout_ms = strtoull(text, NULL, 10);
    if (timeout_ms < job->context->config->request_timeout_ms) {
        job->deadline_ns = job->timing.started_ns + timeout_ms * 1000000;
    }
}

static void refuse_length(struct gjkd_job *job) {
    uint64_t max = job->context->limits.body_bytes_max;
    proto_problem_set(&job->problem, PROTO_BODY_TOO_LARGE, "a body may have %llu bytes",
                      (unsigned long long)max);
    job->problem.has_limit = true;
    job->problem.limit = max;
    gjkd_job_refuse(job);
    job->reply.close = true;
}

static bool is_too_long(const struct gjkd_job *job) {
    return job->head.has_length && job->head.body_bytes > job->context->limits.body_bytes_max;
}

bool gjkd_is_loading(const struct gjkd_context *context) {
    return atomic_load_explicit(&context->loading, memory_order_acquire);
}

/* Until all sets are there nobody is told that one is not. */
static void check_loading(struct gjkd_job *job) {
    if (!(job->match.operation->flags & GJKD_ANSWERS_ANY) && gjkd_is_loading(job->context)) {
        gjkd_job_fail(job, PROTO_NOT_READY, "the daemon is still loading its sets");
    }
}

static void check_length(struct gjkd_job *job) {
    if (is_too_long(job)) {
        refuse_length(job);
    }
}

/* What the head says of who asks, kept where a refusal does not clear it. */
static void note_for_log(struct gjkd_job *job) {
    job->client = gjkd_forwarded_client(&job->peer, job->head.forwarded_for,
                                        &job->context->config->trusted_proxies);
    snprintf(job->holder, sizeof job->holder, "%s", job->grant.holder);
}

void gjkd_job_begin(struct gjkd_job *job) {
    static void (*const checks[])(struct gjkd_job *) = {
        check_framing,
        check_sizes,
        split_authority,
        gjkd_guard_check_host,
        find_route,
        answer_preflight,
        gjkd_guard_check_address_rate,
        gjkd_guard_check_access,
        gjkd_guard_check_token_rate,
        check_route,
        check_params,
        check_media,
        check_timeout,
        check_length,
        check_loading,
    };
    find_request_id(job);
    job->cors = gjkd_cors_make(&job->context->config->cors_origins, &job->head);
    for (size_t i = 0; i < sizeof checks / sizeof checks[0] && job->reply.status == 0; i++) {
        checks[i](job);
    }
    if (job->context->config->access_log) {
        note_for_log(job);
    }
    if (job->reply.status != 0 && is_too_long(job)) {
        job->reply.close = true; /* rather than read all that for nothing */
    }
}

/* --- The body --- */

/* Room for length bytes more. A length that was announced is allocated once. */
static bool reserve_body(struct gjkd_job *job, size_t length) {
    if (job->body_capacity - job->body_bytes >= length) {
        return true;
    }
    size_t capacity = job->head.has_length ? (size_t)job->head.body_bytes : BODY_START_BYTES;
    while (capacity < job->body_bytes + length) {
        capacity *= 2;
    }
    char *grown = gjk_arena_alloc(&job->arena, capacity);
    if (grown == NULL) {
        return false;
    }
    if (job->body_bytes > 0) {
        memcpy(grown, job->body, job->body_bytes);
    }
    job->body = grown;
    job->body_capacity = capacity;
    return true;
}

bool gjkd_job_take_body(struct gjkd_job *job, const char *data, size_t length) {
    bool wanted = job->reply.status == 0 && (job->match.operation->flags & GJKD_TAKES_BODY);
    if (wanted && job->body_bytes + length > job->context->limits.body_bytes_max) {
        refuse_length(job);
        wanted = false;
    } else if (wanted && !gjkd_budget_take(&job->context->bodies, length, &job->held_bytes)) {
        gjkd_count_rejected(job->counters, GJKD_REJECTED_BODIES);
        gjkd_job_fail(job, PROTO_OVERLOADED, "bodies of %llu bytes are held already",
                      (unsigned long long)gjkd_budget_used(&job->context->bodies));
        wanted = false;
    } else if (wanted && !reserve_body(job, length)) {
        gjkd_job_fail(job, PROTO_OUT_OF_MEMORY, "no memory for the body");
        wanted = false;
    }
    if (!wanted) {
        job->discarded_bytes += length;
        return job->discarded_bytes <= GJKD_DISCARD_BYTES_MAX;
    }
    memcpy(job->body + job->body_bytes, data, length);
    job->body_bytes += length;
    return true;
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
        if (gjkd_parts_waiting(job) == 0) {
        }
    }
}

void gjkd_job_end(struct gjkd_job *job) {
    gjkd_budget_give(&job->context->parsing, &job->parsing_bytes);
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
