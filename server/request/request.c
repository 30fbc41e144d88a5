/*
 * The steps of a request:
 *
 *     set_target   copies the target, when the request line is complete
 *     begin        checks the head (request_head.c)
 *     take_body    stores the body in the arena, piece by piece (request_body.c)
 *     prepare      retains the version and estimates the cost, when the body is complete
 *     try          runs a short request on the loop, and gives it up if it takes too long
 *     run          calls the operation's handler, which decodes, checks, computes and encodes
 *
 * A step that fails ends the request with a problem (RFC 9457).
 */

#include "request/request.h"

#include "request/telemetry.h"
#include "util/crash.h"
#include "util/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Most bytes that the arena of a reused request keeps. */
#define ARENA_KEPT_BYTES 262144

/* Length of a short row of a column message: two handles of some thousand. */
#define COLUMNS_ROW_BYTES 8

static bool is_late(void *request) {
    return gjkd_request_check_time(request);
}

bool gjkd_request_init(struct gjkd_request *request, struct gjkd_context *context,
                       struct gjkd_counters *counters) {
    memset(request, 0, sizeof *request);
    request->context = context;
    request->counters = counters;
    request->account = gjkd_account_new();
    if (request->account == NULL) {
        return false;
    }
    gjk_arena_init(&request->arena, 0);
    gjk_arena_charge(&request->arena, &request->account->account);
    request->budget = gjk_budget_make(is_late, request);
    request->deadline_ns = UINT64_MAX;
    gjk_arena_set_budget(&request->arena, &request->budget);
    gjkd_pinned_sets_init(&request->pinned_sets);
    return true;
}

/* Gives back the place of a stream if the handshake did not lead to one. */
static void release_stream(struct gjkd_request *request) {
    if (request->holds_stream) {
        atomic_fetch_sub(&request->context->streams, 1);
        request->holds_stream = false;
    }
}

void gjkd_request_fini(struct gjkd_request *request) {
    release_stream(request);
    gjkd_version_release(request->version);
    gjkd_pinned_sets_fini(&request->pinned_sets);
    gjk_arena_fini(&request->arena);
    gjkd_account_free(request->account);
}

void gjkd_request_reset(struct gjkd_request *request) {
    release_stream(request);
    gjkd_version_release(request->version);
    gjkd_pinned_sets_reset(&request->pinned_sets);
    if (request->arena.used_bytes > ARENA_KEPT_BYTES || gjkd_memory_is_tight()) {
        gjkd_account_free_arena(&request->account, &request->arena);
    } else {
        gjk_arena_reset(&request->arena); /* the memory that it keeps stays charged */
    }
    gjkd_account_reset(request->account);
    request->version = NULL;
    request->timing = (gjkd_timing){0};
    request->request_id[0] = request->logged_path[0] = request->holder[0] = '\0';
    request->target = request->query = NULL;
    request->params = (gjkd_params){0};
    request->chunks.rows = 0;
    request->columns_in = false;
    request->message = 0;
    request->columns_out = NULL;
    request->min_revision = 0;
    request->is_linearizable = false;
    request->known_ns = 0;
    request->trial_ns = 0;
    request->trial_given_up = false;
    request->budget = gjk_budget_make(is_late, request);
    request->body = NULL;
    request->body_bytes = request->body_capacity = 0;
    request->discarded_bytes = 0;
    request->used_ns = 0;
    request->asked = request->queries = 0;
    request->match.operation = NULL;
    request->match.route = GJKD_ROUTE_NONE;
    request->grant = gjkd_grant_all();
    request->cors = (gjkd_cors){0};
    request->has_token = request->metered = false;
    request->client = request->peer = (gjkd_ip){0};
    request->client_key = (gjkd_limiter_key){0};
    request->change = (struct gjkd_change){0};
    request->problem.code = PROTO_OK;
    request->pointer_prefix[0] = '\0';
    request->reply = (gjkd_reply){0};
    atomic_store_explicit(&request->fate, GJKD_FATE_OPEN, memory_order_relaxed);
}

/* --- Answers --- */

#define PROBLEM_TYPE "application/problem+json"

/* Body of a problem if there is no memory to print one. */
#define LAST_RESORT(detail)                                                                  \
    "{\"type\":\"/problems/out-of-memory\",\"title\":\"There is not enough memory for this " \
    "request.\",\"status\":507,\"detail\":\"" detail "\",\"code\":\"out-of-memory\"}"

void gjkd_reply_set_body(gjkd_reply *reply, const char *content_type, const char *data,
                         size_t length) {
    reply->status = 200;
    reply->content_type = content_type;
    reply->content_encoding = NULL;
    reply->data = data;
    reply->length = length;
    reply->texts = NULL;
    reply->read = NULL;
}

void gjkd_reply_set_stream(gjkd_reply *reply, gjkd_reply_reader read, void *reader,
                           uint64_t length) {
    gjkd_reply_set_body(reply, GJKD_JSON_TYPE, NULL, length);
    reply->read = read;
    reply->reader = reader;
}

/* Sets status and body to those of the problem (RFC 9457), made in the arena, and removes the ETag
 * unless the problem is revision-mismatch. If memory is exhausted, the body is a constant
 * out-of-memory problem, which keeps GJKD_WRITE_IS_MADE. */
static void set_problem(gjkd_reply *reply, const struct proto_problem *problem,
                        struct gjk_arena *arena) {
    struct proto_buffer body;
    proto_buffer_init(&body, arena);
    proto_encode_problem(&body, problem);
    if (body.failed) {
        const char *last_resort = strcmp(problem->detail, GJKD_WRITE_IS_MADE) == 0
                                      ? LAST_RESORT(GJKD_WRITE_IS_MADE)
                                      : LAST_RESORT("no memory is left for the answer");
        gjkd_reply_set_body(reply, PROBLEM_TYPE, last_resort, strlen(last_resort));
        reply->status = 507;
    } else {
        gjkd_reply_set_body(reply, PROBLEM_TYPE, body.data, body.length);
        reply->status = proto_code_status(problem->code);
    }
    if (body.failed || problem->code != PROTO_REVISION_MISMATCH) {
        reply->etag[0] = '\0';
    }
    reply->varies_by_coding = false;
    reply->retry_after_s = reply->status == 429 || reply->status == 503 ? 1 : 0;
}

void gjkd_request_reply(struct gjkd_request *request, int status, const struct proto_buffer *body) {
    if (body->failed) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "the answer does not fit into memory");
        return;
    }
    gjkd_reply_set_body(&request->reply,
                        request->columns_out != NULL ? request->columns_out : GJKD_JSON_TYPE,
                        body->data, proto_buffer_length(body));
    request->reply.status = status;
    if (body->blocks != NULL) {
        request->reply.texts = proto_buffer_texts(body, &request->reply.text_count);
        if (request->reply.texts == NULL) {
            gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "the answer does not fit into memory");
        }
    }
}

/* Clears all pointers into the arena, which is freed next. */
static void forget_texts(struct gjkd_request *request) {
    static char nothing[1];
    gjkd_head_forget_texts(&request->head);
    request->target = nothing;
    request->query = NULL;
    request->path.count = 0;
    request->params = (gjkd_params){0};
    request->match.variable = (gjkd_segment){nothing, 0};
    request->grant = gjkd_grant_all();
    request->body = NULL;
}

/* Prepends the prefix to the problem's pointer, unless the problem is not one of the body. */
static void complete_pointer(struct gjkd_request *request) {
    const proto_code code = request->problem.code;
    char pointer[PROTO_POINTER_MAX + sizeof request->pointer_prefix];
    if (request->pointer_prefix[0] != '\0' && code != PROTO_OUT_OF_MEMORY &&
        code != PROTO_DEADLINE_EXCEEDED) {
        snprintf(pointer, sizeof pointer, "%s%s", request->pointer_prefix,
                 request->problem.pointer);
        (void)proto_problem_point(&request->problem, pointer);
    }
    request->pointer_prefix[0] = '\0';
}

bool gjkd_request_refuse(struct gjkd_request *request) {
    complete_pointer(request);
    if (request->problem.code == PROTO_OUT_OF_MEMORY) {
        const bool is_written = /* the write is made: its reply already has an entity tag */
            atomic_load(&request->fate) == GJKD_FATE_CLAIMED && request->reply.etag[0] != '\0';
        if (is_written) { /* the code must not invite a retry */
            proto_problem_set(&request->problem, PROTO_OUT_OF_MEMORY, GJKD_WRITE_IS_MADE);
        } else if (gjkd_account_can_wait(request->account)) {
            gjkd_count(request->counters, GJKD_COUNT_REJECTED + GJKD_REJECTED_MEMORY, 1);
            proto_problem_set(&request->problem, PROTO_OVERLOADED,
                              "other requests hold the memory that this one needs");
        }
        forget_texts(request);
        gjk_arena_fini(&request->arena);
        request->trial_given_up = false; /* without the arena it cannot be started again */
    }
    set_problem(&request->reply, &request->problem, &request->arena);
    return false;
}

bool gjkd_request_refuse_at(struct gjkd_request *request, const char *pointer) {
    (void)proto_problem_point(&request->problem, pointer);
    return gjkd_request_refuse(request);
}

bool gjkd_request_fail(struct gjkd_request *request, proto_code code, const char *format, ...) {
    char detail[PROTO_DETAIL_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    proto_problem_set(&request->problem, code, "%s", detail);
    return gjkd_request_refuse(request);
}

/* --- Target --- */

bool gjkd_request_set_target(struct gjkd_request *request, const char *target) {
    request->timing.started_ns = uv_hrtime();
    request->deadline_ns =
        request->timing.started_ns + request->context->config->request_timeout_ms * 1000000;
    request->target = gjk_arena_copy_text(&request->arena, target, strlen(target));
    if (request->context->config->access_log) {
        snprintf(request->logged_path, sizeof request->logged_path, "%.*s",
                 (int)strcspn(target, "?"), target);
    }
    return request->target != NULL;
}

/* --- Work --- */

bool gjkd_request_prepare(struct gjkd_request *request, uint64_t now_ns) {
    request->timing.complete_ns = now_ns;
    request->came_bytes = request->body_bytes;
    if (request->reply.status != 0) {
        return false;
    }
    const struct gjkd_operation *operation = request->match.operation;
    gjkd_work work = {.cost = operation->cost,
                      .body = request->body,
                      .body_bytes = request->body_bytes};
    bool is_packed = request->head.gzipped && request->body_bytes > 0;
    gjkd_request_note_age(request);
    if (operation->flags & GJKD_READS_SET) {
        request->version =
            gjkd_registry_get(request->context->registry, request->match.variable.text);
        if (request->version != NULL && !request->params.summary) {
            work.items = gjk_set_count(request->version->set);
            work.rows = request->columns_in ? request->body_bytes / COLUMNS_ROW_BYTES + 1 : 0;
            work.rows_ask_set = operation->cost->row_asks_set || request->message > 0;
            work.points = request->version->points_max;
            work.pieces = request->version->pieces_max;
            work.met = (uint64_t)gjk_set_crowding(request->version->set);
            work.stored_bytes = request->version->body_bytes;
        }
    } else if (operation->cost->kind == GJKD_COST_SETS) {
        work.items = gjkd_registry_measure(request->context->registry).sets;
    }
    return is_packed || gjkd_request_awaits_log(request) || gjkd_cost_model_wants_worker(&work);
}

bool gjkd_request_names_set(const struct gjkd_request *request) {
    static const char set_path[] = "/v1/sets/{set}";
    return strncmp(request->match.operation->path, set_path, sizeof set_path - 1) == 0;
}

void gjkd_request_note_age(struct gjkd_request *request) {
    if (!gjkd_is_loading(request->context) && request->context->cluster != NULL) {
        request->known_ns = gjkd_cluster_known_ns(request->context->cluster);
    }
}

bool gjkd_request_awaits_log(const struct gjkd_request *request) {
    const struct gjkd_operation *operation = request->match.operation;
    if (request->context->cluster == NULL) {
        return false;
    }
    const bool reads_set = (operation->flags & GJKD_READS_SET) != 0;
    return (request->is_linearizable && (reads_set || operation->cost->kind == GJKD_COST_SETS)) ||
           (request->min_revision > 0 && reads_set &&
            (request->version == NULL || request->version->revision < request->min_revision));
}

/* Time limit of a wait for the cluster's log. */
struct wait {
    struct gjkd_request *request;
    uint64_t until_ns;
};

static bool is_wait_over(void *user) {
    const struct wait *wait = user;
    return is_late(wait->request) || uv_hrtime() > wait->until_ns;
}

/* Waits until the node shows all writes before the request, for at most four fifths of the time
 * until its deadline, so that a failure can still be reported in time. Returns false on failure. */
static bool await_newest(struct gjkd_request *request) {
    const uint64_t now_ns = uv_hrtime();
    struct wait wait = {request, now_ns};
    if (request->deadline_ns > now_ns) {
        wait.until_ns += (request->deadline_ns - now_ns) / 5 * 4;
    }
    gjk_budget budget = gjk_budget_make(is_wait_over, &wait);
    return gjkd_cluster_wait_for_newest(request->context->cluster, &budget);
}

/* Waits for the log as the request requires, and retains the set's version of that time. Refuses
 * the request on failure. */
static void await_log(struct gjkd_request *request) {
    struct gjkd_cluster *cluster = request->context->cluster;
    const char *name = request->match.variable.text;
    if (request->is_linearizable && !await_newest(request)) {
        gjkd_request_fail(request, PROTO_NOT_READY,
                          "this node cannot know in time what was written before the request");
        return;
    }
    const bool reads_set = (request->match.operation->flags & GJKD_READS_SET) != 0;
    if (reads_set && request->min_revision > 0 &&
        !gjkd_cluster_wait_for_revision(cluster, name, request->min_revision, &request->budget)) {
        gjkd_request_fail(request, PROTO_DEADLINE_EXCEEDED,
                          "time was up before this node had the set at that revision");
        return;
    }
    gjkd_request_note_age(request);
    if (reads_set) {
        gjkd_version_release(request->version);
        request->version = gjkd_registry_get(request->context->registry, name);
    }
}

/* Returns true if the operation reads a set that does not exist, and does not wait for it. */
static bool lacks_set(const struct gjkd_request *request) {
    const gjkd_segment *name = &request->match.variable;
    return (request->match.operation->flags & GJKD_READS_SET) != 0 && request->version == NULL &&
           !(request->params.wait && proto_is_set_name(name->text, name->length));
}

static void start(struct gjkd_request *request, uint64_t now_ns) {
    struct gjkd_cluster *cluster = request->context->cluster;
    const char *name = request->match.variable.text;
    struct proto_problem problem;
    request->timing.begun_ns = now_ns;
    bool is_unwanted = atomic_load(&request->fate) == GJKD_FATE_EXPIRED;
    if (request->reply.status == 0 &&
        (is_unwanted || request->timing.begun_ns > request->deadline_ns)) {
        gjkd_request_fail(request, PROTO_DEADLINE_EXCEEDED, "time was up before the work began");
    }
    if (request->reply.status == 0 && cluster != NULL && gjkd_request_names_set(request) &&
        !gjkd_cluster_check_held(cluster, name, &problem)) {
        gjkd_request_fail(request, problem.code, "%s", problem.detail);
    }
    if (request->reply.status == 0 && gjkd_request_awaits_log(request)) {
        await_log(request);
    }
    if (request->reply.status == 0 && cluster != NULL &&
        (request->match.operation->flags & GJKD_READS_SET) != 0 &&
        gjkd_cluster_is_blocked(cluster, name)) {
        gjkd_request_fail(request, PROTO_NOT_READY,
                          "a change of the set is not understood by this node: ask another one");
    }
    if (request->reply.status == 0 && lacks_set(request)) {
        gjkd_request_fail(request, PROTO_SET_NOT_FOUND, "there is no set \"%.160s\"", name);
    }
    if (request->reply.status == 0) {
        gjkd_request_unpack_body(request);
    }
    if (request->reply.status == 0) {
        const char *before = gjkd_crash_note_route(request->match.operation->path);
        request->match.operation->handler(request);
        gjkd_crash_note_route(before);
    }
}

void gjkd_request_start(struct gjkd_request *request) {
    start(request, uv_hrtime());
}

void gjkd_request_end(struct gjkd_request *request) {
    if (request->reply.status == 0) {
        gjkd_request_fail(request, PROTO_INTERNAL, "the operation came to no answer");
    }
    gjkd_request_pack(request);
    gjkd_pinned_sets_reset(&request->pinned_sets);
    const bool is_read = request->reply.read != NULL && request->head.method != GJKD_HEAD;
    if (!is_read && request->reply.watch == NULL) { /* a watch starts from the version */
        gjkd_version_release(request->version);
        request->version = NULL;
    }
    request->timing.ended_ns = uv_hrtime();
}

uint64_t gjkd_request_charge_pinned(struct gjkd_request *request, bool *is_too_much) {
    const struct gjkd_version *version = request->version;
    *is_too_much = false;
    if (version == NULL) {
        return 0;
    }
    struct gjkd_version *newest = gjkd_registry_get(request->context->registry, version->name);
    const uint64_t bytes = gjkd_version_pinned_bytes(version, newest);
    gjkd_version_release(newest);
    *is_too_much = !gjkd_account_pin(request->account, bytes);
    return bytes;
}

void gjkd_request_wait_for_store(struct gjkd_request *request) {
    if (request->change.is_submitted) {
        atomic_store(&request->fate, GJKD_FATE_WAITING);
    }
}

void gjkd_request_fail_in_place_of(struct gjkd_request *request, const struct gjkd_request *late) {
    const bool is_unknown = atomic_load(&late->fate) == GJKD_FATE_UNKNOWN;
    gjkd_request_fail(request, PROTO_DEADLINE_EXCEEDED, "%s",
                      is_unknown
                          ? "the disk has not answered in time, and may have the write or store it "
                            "yet: GET the set and compare its ETag with the one from before"
                          : "the answer was not ready in time");
}

void gjkd_request_refuse_unstored(struct gjkd_request *request) {
    if (request->change.durability == GJKD_NOT_STORED) {
        gjkd_request_fail(request, PROTO_NOT_STORED,
                          "the disk refused the write, which has changed nothing");
    } else if (atomic_load(&request->fate) == GJKD_FATE_UNKNOWN) {
        gjkd_request_fail_in_place_of(request, request);
    }
}

void gjkd_request_run(struct gjkd_request *request) {
    gjkd_request_start(request);
    gjkd_chunks_run_all(&request->chunks);
    gjkd_request_end(request);
}

/* Undoes the effects of a trial. The mark is from before its allocations. */
static void forget_trial(struct gjkd_request *request, gjk_arena_mark mark) {
    release_stream(request);
    gjk_arena_rewind(&request->arena, mark);
    request->trial_given_up = false;
    request->budget = gjk_budget_make(is_late, request);
    request->chunks.rows = 0;
    request->asked = request->queries = 0;
    request->timing.decoded_ns = 0;
    request->problem.code = PROTO_OK;
    request->pointer_prefix[0] = '\0';
    request->reply = (gjkd_reply){0};
}

bool gjkd_request_try_short(struct gjkd_request *request, int64_t begun_ns) {
    const gjk_arena_mark mark = gjk_arena_here(&request->arena);
    request->trial_ns = uv_hrtime() + GJKD_SHORT_NS;
    request->trial_thread_ns = begun_ns + GJKD_SHORT_NS;
    gjkd_request_start(request);
    request->trial_ns = 0;
    request->trial_thread_ns = 0;
    if (request->trial_given_up) {
        forget_trial(request, mark);
        return false;
    }
    return true;
}

bool gjkd_request_try(struct gjkd_request *request) {
    const gjk_arena_mark mark = gjk_arena_here(&request->arena);
    request->trial_ns = request->timing.complete_ns + GJKD_TRIAL_NS;
    start(request, request->timing.complete_ns);
    gjkd_chunks_run_all(&request->chunks);
    const bool is_to_be_packed =
        gjkd_request_is_to_be_packed(request) && !gjkd_request_reuse_packed(request);
    request->trial_ns = 0;
    if (request->trial_given_up) {
        forget_trial(request, mark);
        return false;
    }
    if (is_to_be_packed) {
        return false; /* a worker only has to gzip the reply */
    }
    gjkd_request_end(request);
    return true;
}

void gjkd_request_leave_chunks(struct gjkd_request *request, uint32_t count, uint64_t row_ns,
                               const struct gjkd_chunks *how) {
    request->asked = count;
    request->chunks.work = how->work;
    request->chunks.run = how->run;
    request->chunks.finish = how->finish;
    request->chunks.never_shrinks = how->never_shrinks;
    request->chunks.account = &request->account->account;
    request->chunks.is_over = is_late;
    request->chunks.user = request;
    gjkd_chunks_begin(&request->chunks, count, row_ns);
}

bool gjkd_request_fail_late(struct gjkd_request *request) {
    return gjkd_request_fail(request, PROTO_DEADLINE_EXCEEDED,
                             "time was up before all of it was done");
}

proto_text gjkd_request_text(const struct gjkd_request *request) {
    return (proto_text){request->body != NULL ? request->body : "", request->body_bytes};
}

void gjkd_request_mark_decoded(struct gjkd_request *request) {
    request->timing.decoded_ns = uv_hrtime();
}

void gjkd_request_count_queries(struct gjkd_request *request, unsigned op, uint64_t count) {
    request->queries += count;
    gjkd_count(request->counters, GJKD_COUNT_QUERIES + op, count);
}

void gjkd_request_copy_identity(struct gjkd_request *request, const struct gjkd_request *other) {
    request->timing.started_ns = other->timing.started_ns;
    request->head.method = other->head.method;
    request->match.route = other->match.route;
    request->cors = other->cors;
    request->body_bytes = other->came_bytes; /* a worker may be changing other->body_bytes */
    memcpy(request->request_id, other->request_id, sizeof request->request_id);
    memcpy(request->logged_path, other->logged_path, sizeof request->logged_path);
    memcpy(request->holder, other->holder, sizeof request->holder);
    request->client = other->client;
}

/* Refuses a read or query whose If-Match does not match, and gives the current entity tag. */
static void refuse_stale(struct gjkd_request *request, const char *etag, const char *shape) {
    struct proto_problem *problem = &request->problem;
    if (shape != NULL) {
        proto_problem_set(problem, PROTO_REVISION_MISMATCH,
                          "the shape \"%.140s\" of the set \"%.128s\" is not at the revision of "
                          "If-Match",
                          shape, request->version->name);
    } else if (request->version != NULL) {
        proto_problem_set(problem, PROTO_REVISION_MISMATCH,
                          "the set \"%.128s\" is not at the revision of If-Match",
                          request->version->name);
    } else {
        proto_problem_set(problem, PROTO_REVISION_MISMATCH,
                          "the file is another than that of If-Match");
    }
    problem->revision = request->version != NULL ? request->version->revision : 0;
    proto_problem_hint(problem, "GET it again, and retry with the ETag of that answer");
    snprintf(request->reply.etag, sizeof request->reply.etag, "%s", etag);
    gjkd_request_refuse(request);
}

bool gjkd_request_check_conditions(struct gjkd_request *request, const char *etag,
                                   const char *shape, bool unless_known) {
    const gjkd_head *head = &request->head;
    switch (gjkd_precondition_check(head->if_match, unless_known ? head->if_none_match : NULL, etag,
                                    true)) {
    case GJKD_PROCEED:
        return true;
    case GJKD_NOT_MODIFIED:
        request->reply.status = 304;
        snprintf(request->reply.etag, sizeof request->reply.etag, "%s", etag);
        return false;
    case GJKD_PRECONDITION_FAILED:
        refuse_stale(request, etag, shape);
        return false;
    case GJKD_PRECONDITION_UNCLEAR:
        break;
    }
    return gjkd_request_fail(request, PROTO_BAD_REQUEST, "If-Match%s holds no entity tags",
                             unless_known ? " or If-None-Match" : "");
}

bool gjkd_request_check_if_match(struct gjkd_request *request) {
    char etag[GJKD_ETAG_MAX];
    if (request->version == NULL) {
        return true; /* the operation reads no set */
    }
    gjkd_version_etag(request->version, etag);
    memcpy(request->reply.etag, etag, sizeof etag);
    return request->head.if_match == NULL ||
           gjkd_request_check_conditions(request, etag, NULL, false);
}

static bool settle_fate(struct gjkd_request *request, gjkd_fate from, gjkd_fate fate) {
    return atomic_compare_exchange_strong(&request->fate, &from, fate);
}

bool gjkd_request_give_up_trial(struct gjkd_request *request) {
    request->trial_given_up = request->trial_given_up || request->trial_ns != 0;
    return request->trial_given_up;
}

bool gjkd_request_check_time(struct gjkd_request *request) {
    const uint64_t now_ns = uv_hrtime();
    gjkd_pool_pause(now_ns);
    if (request->trial_ns != 0 && now_ns > request->trial_ns) {
        /* The limit of a short task is processor time: waiting for a processor does not count. */
        const int64_t left_ns =
            request->trial_thread_ns != 0 ? request->trial_thread_ns - gjkd_timing_thread_ns() : 0;
        if (left_ns > 0) {
            request->trial_ns = now_ns + (uint64_t)left_ns;
        } else {
            request->trial_given_up = true;
        }
    }
    return request->trial_given_up || now_ns > request->deadline_ns ||
           atomic_load(&request->fate) == GJKD_FATE_EXPIRED;
}

bool gjkd_request_expire(struct gjkd_request *request) {
    if (settle_fate(request, GJKD_FATE_WAITING, GJKD_FATE_UNKNOWN)) {
        gjkd_account_free_arena(&request->account, &request->arena);
        request->body = NULL;
        request->reply = (gjkd_reply){0};
        return true;
    }
    return settle_fate(request, GJKD_FATE_OPEN, GJKD_FATE_EXPIRED);
}

bool gjkd_request_claim(struct gjkd_request *request) {
    if (request->trial_given_up) {
        return false;
    }
    request->trial_ns = 0; /* a write must not be given up */
    return settle_fate(request, GJKD_FATE_OPEN, GJKD_FATE_CLAIMED);
}

/* --- The access log --- */

void gjkd_request_log(const struct gjkd_request *request, const gjkd_address *peer,
                      uint64_t duration_ns) {
    struct gjkd_log_record line;
    char address[GJKD_ADDRESS_TEXT_MAX];
    char client[GJKD_IP_TEXT_MAX];
    gjkd_address_format(peer, address);
    gjkd_ip_format(&request->client, client);
    gjkd_log_begin(&line, GJKD_LOG_INFO);
    gjkd_log_record_add_text(&line, "id", request->request_id, GJKD_REQUEST_ID_BYTES_MAX);
    gjkd_log_record_add_text(&line, "peer", address, sizeof address);
    gjkd_log_record_add_text(&line, "client", client, sizeof client);
    if (request->holder[0] != '\0') {
        gjkd_log_record_add_text(&line, "token", request->holder, sizeof request->holder);
    }
    gjkd_log_record_add_text(&line, "method", gjkd_method_text(request->head.method), 16);
    gjkd_log_record_add_text(&line, "route", gjkd_route_label(request->match.route), 128);
    gjkd_log_record_add_count(&line, "status", (uint64_t)request->reply.status);
    gjkd_log_record_add_seconds(&line, "duration", duration_ns);
    gjkd_log_record_add_count(&line, "queries", request->queries);
    gjkd_log_record_add_count(&line, "bytes_in", request->body_bytes + request->discarded_bytes);
    gjkd_log_record_add_count(&line, "bytes_out", request->reply.length);
    gjkd_log_record_add_text(&line, "path", request->logged_path, GJKD_LOGGED_PATH_BYTES_MAX);
    gjkd_log_write(&line);
}
