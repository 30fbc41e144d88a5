/*
 * Replies are sent from the request's arena without a copy. Requests at workers form a list that
 * the sweep searches for passed deadlines.
 */

#include "http/exchange.h"

#include "http/connections.h"
#include "http/response.h"
#include "request/context.h"
#include "request/request.h"
#include "request/telemetry.h"
#include "util/hash.h"
#include "work/memory.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

/* Most exchanges that a loop keeps for reuse. */
#define SPARE_MAX 64

/* Interval at which clients are charged for old versions that their answers keep, and the longest
 * time that a client may read nothing of such an answer. */
#define READING_SWEEP_MS 100
#define READING_PAUSE_NS UINT64_C(10000000000)

/* Slowest rate at which a client may read a whole answer, beyond GJKD_IDLE_TIMEOUT_S. */
#define SEND_BYTES_PER_S_MIN 32768

/* Assumed length of an open-ended answer. */
#define OPEN_ENDED_BYTES (UINT64_C(1) << 40)

/* Numbers of writer queues in a cluster: for long writes, for reads that wait for a revision (which
 * may never come), and for reads that wait for the log's newest message. One request of each queue
 * runs at a time and holds one of GJKD_SPARE_THREADS threads while it waits. Short writes have as
 * many queues as GJKD_BLOCKING_THREADS. */
#define CLUSTER_WRITES 32
#define CLUSTER_REVISIONS 4
#define CLUSTER_BARRIERS 8

/* --- Exchanges --- */

struct gjkd_exchange *gjkd_exchange_take(struct gjkd_http *http) {
    struct gjkd_exchange *exchange = http->spare;
    if (exchange != NULL) {
        http->spare = exchange->next;
        http->spare_count--;
    } else {
        exchange = malloc(sizeof *exchange);
        if (exchange == NULL) {
            return NULL;
        }
        exchange->http = http;
        if (!gjkd_request_init(&exchange->request, http->context, http->counters)) {
            free(exchange);
            return NULL;
        }
        gjkd_request_reset(&exchange->request);
    }
    exchange->connection = NULL;
    exchange->replacement = NULL;
    exchange->list = NULL;
    exchange->is_reading = false;
    exchange->call = NULL;
    exchange->watch = NULL;
    exchange->is_out_of_events = false;
    exchange->account = (struct gjkd_account){.share = NULL};
    exchange->stage = GJKD_STAGE_HEAD;
    exchange->is_late = exchange->needs_lingering_close = false;
    return exchange;
}

bool gjkd_exchange_charge(struct gjkd_exchange *exchange, uint64_t client_hash, size_t more_bytes) {
    gjkd_account_assign(exchange->request.account, client_hash);
    return gjkd_account_open(&exchange->account, client_hash, sizeof *exchange + more_bytes);
}

static void free_exchange(struct gjkd_exchange *exchange) {
    gjkd_request_fini(&exchange->request);
    free(exchange);
}

static void forget_reading(struct gjkd_exchange *exchange) {
    if (exchange->is_reading) {
        LIST_REMOVE(exchange, reading);
        exchange->is_reading = false;
    }
}

void gjkd_exchange_give_back(struct gjkd_exchange *exchange) {
    struct gjkd_http *http = exchange->http;
    forget_reading(exchange);
    gjkd_account_close(&exchange->account);
    if (http->spare_count == SPARE_MAX) {
        free_exchange(exchange);
        return;
    }
    gjkd_request_reset(&exchange->request);
    exchange->next = http->spare;
    http->spare = exchange;
    http->spare_count++;
}

void gjkd_exchanges_free(struct gjkd_http *http) {
    while (http->spare != NULL) {
        struct gjkd_exchange *exchange = http->spare;
        http->spare = exchange->next;
        free_exchange(exchange);
    }
}

void gjkd_exchange_note_end(const struct gjkd_exchange *exchange, const gjkd_address *peer,
                            uint64_t now_ns) {
    const struct gjkd_request *request = &exchange->request;
    const bool was_answered_before = exchange->stage == GJKD_STAGE_CUT_OFF ||
                                     exchange->watch != NULL || request->reply.accept_key != NULL;
    uint64_t ended_ns = was_answered_before ? request->timing.ended_ns : now_ns;
    uint64_t duration_ns = ended_ns - request->timing.started_ns;
    gjkd_auth_charge_rates(request);
    gjkd_count_request(exchange->http->counters, request->match.route, request->head.method,
                       request->reply.status, duration_ns);
    if (request->reply.status >= 400) {
        gjkd_count_refusal(exchange->http->counters, request->problem.code);
    }
    gjkd_count(exchange->http->counters, GJKD_COUNT_BYTES_IN,
               request->body_bytes + request->discarded_bytes);
    gjkd_count(exchange->http->counters, GJKD_COUNT_BYTES_OUT, request->reply.length);
    if (request->context->config->access_log) {
        gjkd_request_log(request, peer, duration_ns);
    }
}

/* --- Replies --- */

void gjkd_exchange_set_progress(const struct gjkd_exchange *exchange, gjkd_progress progress) {
    gjkd_connections_set_progress(&exchange->http->connections,
                                  gjkd_connection_of(exchange->connection), progress);
}

/* Sets the time by which the client must have read the answer, at SEND_BYTES_PER_S_MIN. */
static void expect_reading(const struct gjkd_exchange *exchange) {
    struct gjkd_connection *entry = gjkd_connection_of(exchange->connection);
    const gjkd_reply *reply = &exchange->request.reply;
    const uint64_t bytes = reply->is_open_ended ? OPEN_ENDED_BYTES : reply->length;
    const uint64_t sending_s = bytes / SEND_BYTES_PER_S_MIN;
    gjkd_exchange_set_progress(exchange, GJKD_SENDING);
    if (entry != NULL) {
        const uint64_t now_ns = gjkd_exchange_recent_ns(exchange);
        entry->overdue_ns = now_ns + (GJKD_IDLE_TIMEOUT_S + sending_s) * UINT64_C(1000000000);
        gjkd_connection_expect_reading(entry, bytes, now_ns);
    }
}

void gjkd_exchange_note_reading(struct gjkd_exchange *exchange) {
    struct gjkd_http *http = exchange->http;
    if (exchange->request.version == NULL || exchange->is_reading) {
        return;
    }
    exchange->window_ns = 0;
    exchange->is_reading = true;
    LIST_INSERT_HEAD(&http->reading, exchange, reading);
    http->request_sweep(http, READING_SWEEP_MS);
}

enum MHD_Result gjkd_exchange_queue_reply(struct gjkd_exchange *exchange) {
    const struct gjkd_connection *entry = gjkd_connection_of(exchange->connection);
    if (entry != NULL && entry->revoked) {
        exchange->request.reply.close = true;
    }
    struct MHD_Response *response = gjkd_response_make(&exchange->request);
    if (response == NULL) {
        return MHD_NO;
    }
    if (exchange->watch != NULL) {
        gjkd_exchange_set_progress(exchange, GJKD_WATCHING);
    } else {
        expect_reading(exchange);
    }
    enum MHD_Result result = MHD_queue_response(exchange->connection,
                                                (unsigned)exchange->request.reply.status, response);
    MHD_destroy_response(response);
    if (result == MHD_YES) {
        gjkd_exchange_note_reading(exchange);
    }
    return result;
}

/* --- Deadlines --- */

uint64_t gjkd_exchange_recent_ns(const struct gjkd_exchange *exchange) {
    const gjkd_timing *timing = &exchange->request.timing;
    const uint64_t last_ns = timing->ended_ns != 0 ? timing->ended_ns : timing->started_ns;
    return last_ns > exchange->http->round_ns ? last_ns : uv_hrtime();
}

/* Returns the milliseconds until the request's deadline, rounded up; 0 if it has passed. */
static uint64_t exchange_left_ms(const struct gjkd_exchange *exchange, uint64_t now_ns) {
    uint64_t then_ns = exchange->request.deadline_ns;
    return then_ns > now_ns ? (then_ns - now_ns) / 1000000 + 1 : 0;
}

/* Adds the exchange to http->awaiting_body or http->working, whose deadlines the sweep checks. */
static void exchange_enlist(struct gjkd_exchange *exchange, struct gjkd_exchanges *list,
                            uint64_t now_ns) {
    struct gjkd_http *http = exchange->http;
    LIST_INSERT_HEAD(list, exchange, link);
    exchange->list = list;
    http->request_sweep(http, exchange_left_ms(exchange, now_ns));
}

static void exchange_delist(struct gjkd_exchange *exchange) {
    LIST_REMOVE(exchange, link);
    exchange->list = NULL;
}

/* --- Workers --- */

static void resume(struct gjkd_exchange *exchange) {
    MHD_resume_connection(exchange->connection);
    exchange->http->resumed++;
}

static void on_work_done(struct gjkd_task_group *group) {
    struct gjkd_exchange *exchange = (struct gjkd_exchange *)(void *)group;
    exchange_delist(exchange);
    exchange->request.used_ns = atomic_load(&group->used_ns);
    gjkd_request_refuse_unstored(&exchange->request);
    if (exchange->call != NULL) {
        exchange->call->answered(exchange, exchange);
        return;
    }
    if (exchange->connection == NULL) {
        gjkd_auth_charge_rates(&exchange->request); /* for the work, although it came too late */
        gjkd_exchange_give_back(exchange);
        return;
    }
    exchange->stage = GJKD_STAGE_DONE;
    resume(exchange);
}

static void begin_work(void *job) {
    gjkd_request_start(&((struct gjkd_exchange *)job)->request);
}

/* Ends the request. Returns false if its write waits for the store, which completes `task`
 * later. */
static bool end_work(void *job, struct gjkd_task *task) {
    struct gjkd_request *request = &((struct gjkd_exchange *)job)->request;
    gjkd_request_end(request);
    gjkd_request_wait_for_store(request);
    return !gjkd_change_await(&request->change, task);
}

/* Maps a set's name to one of `lines` writer queues. */
static uint16_t queue_of_set(const struct gjkd_request *request, unsigned lines) {
    const gjkd_segment *name = &request->match.variable; /* empty for the list of sets */
    const uint64_t seed = request->context->hash_seed;
    return (uint16_t)(1 + gjkd_checksum(name->text, name->length, seed) % lines);
}

static bool is_small_write(const struct gjkd_request *request) {
    const struct gjkd_operation *operation = request->match.operation;
    return (operation->flags & GJKD_WRITES) != 0 && operation->method != GJKD_POST &&
           request->body_bytes <= GJKD_SMALL_BYTES;
}

/* Returns the writer queue of the request, 0 if it has none. Small writes of one set wait in its
 * queue and not at its lock, where each would hold a thread. Large ones are decoded at once, so
 * that no other write waits for that, unless they then hold a thread until a cluster's log has
 * them. Reads that wait for the log hold one, too. */
static uint16_t writer_of(const struct gjkd_request *request, bool is_short) {
    if (request->context->cluster == NULL) {
        return is_small_write(request) ? queue_of_set(request, GJKD_QUEUE_WRITERS) : 0;
    }
    if (gjkd_request_awaits_log(request)) {
        return (uint16_t)(CLUSTER_WRITES +
                          (request->min_revision > 0
                               ? queue_of_set(request, CLUSTER_REVISIONS)
                               : CLUSTER_REVISIONS + queue_of_set(request, CLUSTER_BARRIERS)));
    }
    const bool is_write = (request->match.operation->flags & GJKD_WRITES) != 0;
    return is_write ? queue_of_set(request, is_short ? GJKD_BLOCKING_THREADS : CLUSTER_WRITES) : 0;
}

static bool try_work(void *job, int64_t begun_ns) {
    struct gjkd_exchange *exchange = job;
    gjkd_deferred_free_begin(&exchange->http->context->pool); /* workers free large objects */
    bool is_done = gjkd_request_try_short(&exchange->request, begun_ns);
    gjkd_deferred_free_end();
    if (!is_done) {
        exchange->group.runners[0].task.writer = writer_of(&exchange->request, false);
    }
    return is_done;
}

bool gjkd_exchange_try(struct gjkd_exchange *exchange) {
    struct gjkd_request *request = &exchange->request;
    /* The body of a call may have waited since it began. */
    const uint64_t now_ns =
        exchange->call != NULL ? uv_hrtime() : gjkd_exchange_recent_ns(exchange);
    if (gjkd_request_prepare(request, now_ns)) {
        return false;
    }
    const bool is_round_long =
        request->reply.status == 0 && request->match.operation->cost->kind != GJKD_COST_NONE &&
        request->timing.complete_ns > exchange->http->round_ns + GJKD_ROUND_MAX_NS;
    return !is_round_long && gjkd_request_try(request);
}

bool gjkd_exchange_hand_off(struct gjkd_exchange *exchange) {
    struct gjkd_http *http = exchange->http;
    exchange->group.pool = &http->context->pool;
    exchange->group.completions = http->completions;
    exchange->group.client = gjkd_task_client(gjkd_auth_hash_client(&exchange->request));
    /* A short task that takes too long is restarted by a worker, from the same body. So gzipped
     * bodies are not tried. */
    const bool is_short = is_small_write(&exchange->request) && !exchange->request.head.gzipped;
    exchange->group.writer = writer_of(&exchange->request, is_short);
    exchange->group.chunks = &exchange->request.chunks;
    exchange->group.name = exchange->request.match.operation->path;
    exchange->group.job = exchange;
    exchange->group.begin = begin_work;
    exchange->group.try = is_short ? try_work : NULL;
    exchange->group.end = end_work;
    exchange->group.done = on_work_done;
    const uint64_t now_ns =
        gjkd_exchange_recent_ns(exchange); /* before a worker writes the times */
    if (!gjkd_task_group_start(&exchange->group)) {
        gjkd_count(http->counters, GJKD_COUNT_REJECTED + GJKD_REJECTED_QUEUE_FULL, 1);
        gjkd_request_fail(&exchange->request, PROTO_OVERLOADED,
                          "%u requests wait for a worker already", http->context->pool.queued_max);
        gjkd_request_run(&exchange->request);
        return false;
    }
    exchange_enlist(exchange, &http->working, now_ns);
    exchange->stage = GJKD_STAGE_WORKING;
    if (exchange->connection != NULL) {
        MHD_suspend_connection(exchange->connection);
    }
    return true;
}

/* Answers 504 for a request at a worker, unless it is a write that has begun and does not wait for
 * its store. */
static void expire(struct gjkd_exchange *exchange) {
    struct gjkd_exchange *replacement = gjkd_exchange_take(exchange->http);
    if (replacement == NULL) {
        return;
    }
    if (!gjkd_request_expire(&exchange->request)) {
        gjkd_exchange_give_back(replacement);
        return;
    }
    replacement->stage = GJKD_STAGE_DONE;
    gjkd_request_copy_identity(&replacement->request, &exchange->request);
    gjkd_request_fail_in_place_of(&replacement->request, &exchange->request);
    if (exchange->call != NULL) {
        exchange->call->answered(exchange, replacement);
        return;
    }
    replacement->connection = exchange->connection;
    exchange->replacement = replacement;
    exchange->connection = NULL;
    gjkd_connection_of(replacement->connection)->exchange = replacement;
    resume(replacement);
    gjkd_http_run_resumed(exchange->http); /* before reuse: on_request gets `exchange` */
}

/* Returns true if the client has disconnected. A client that has only shut its sending side still
 * waits for the answer. */
static bool is_disconnected(const struct gjkd_exchange *exchange) {
    struct pollfd state = {.fd = gjkd_fd_of(exchange->connection)};
    return poll(&state, 1, 0) > 0 && (state.revents & (POLLERR | POLLHUP)) != 0;
}

/* Notes how much the client has acknowledged. Returns true if that was no byte for
 * READING_PAUSE_NS. False for a call: streams measure their peer's reading themselves. */
static bool note_unread(struct gjkd_exchange *exchange, uint64_t now_ns) {
    uint64_t bytes;
    if (exchange->connection == NULL ||
        !gjkd_socket_acknowledged(gjkd_fd_of(exchange->connection), &bytes)) {
        return false;
    }
    if (exchange->window_ns == 0 || bytes != exchange->window_bytes) {
        exchange->window_ns = now_ns;
        exchange->window_bytes = bytes;
    }
    return now_ns - exchange->window_ns > READING_PAUSE_NS;
}

bool gjkd_exchanges_sweep_reading(struct gjkd_http *http) {
    const uint64_t now_ns = uv_hrtime();
    bool ends_any = false;
    struct gjkd_exchange *at;
    LIST_FOREACH (at, &http->reading, reading) {
        bool is_too_much;
        const uint64_t pinned = gjkd_request_charge_pinned(&at->request, &is_too_much);
        if (pinned > 0 && (is_too_much || note_unread(at, now_ns))) {
            /* Stops sending the reply, and charging for the version that it keeps. */
            (void)gjkd_account_pin(at->request.account, 0);
            if (at->call != NULL) {
                at->call->unread(at);
            } else if (gjkd_connection_of(at->connection) != NULL) {
                gjkd_connection_of(at->connection)->overdue_ns = 0;
            }
            ends_any = true;
        }
    }
    return ends_any;
}

uint64_t gjkd_exchanges_sweep(struct gjkd_http *http) {
    uint64_t now_ns = uv_hrtime();
    uint64_t next_ms = !LIST_EMPTY(&http->reading) ? READING_SWEEP_MS : GJKD_SWEEP_MS;
    for (struct gjkd_exchange *at = LIST_FIRST(&http->working), *next; at != NULL; at = next) {
        next = LIST_NEXT(at, link);
        if (at->connection == NULL && at->call == NULL) {
            continue;
        }
        const bool is_left = at->connection != NULL && is_disconnected(at);
        const bool is_waiting = atomic_load(&at->request.fate) == GJKD_FATE_WAITING;
        if (is_left && !is_waiting) {
            (void)gjkd_request_expire(&at->request); /* cancels the rest of the work */
            continue;
        }
        uint64_t left_ms = is_left ? 0 : exchange_left_ms(at, now_ns);
        if (left_ms == 0) {
            expire(at);
        } else if (left_ms < next_ms) {
            next_ms = left_ms;
        }
    }
    return next_ms;
}

/*
 * The answer to an overdue body is sent past libmicrohttpd, to a socket that has room for it; then
 * the sending side is shut, and the connection lingers before it closes.
 */

/* Length of a window in which the rate of a body is measured. */
#define WINDOW_NS UINT64_C(5000000000)

static uint64_t received_bytes(const struct gjkd_exchange *exchange) {
    return exchange->request.body_bytes + exchange->request.discarded_bytes;
}

void gjkd_late_body_restart(struct gjkd_exchange *exchange) {
    exchange->window_ns = gjkd_exchange_recent_ns(exchange);
    exchange->window_bytes = received_bytes(exchange);
}

void gjkd_late_body_await(struct gjkd_exchange *exchange) {
    gjkd_late_body_restart(exchange);
    exchange_enlist(exchange, &exchange->http->awaiting_body, exchange->window_ns);
}

void gjkd_late_body_forget(struct gjkd_exchange *exchange) {
    if (exchange->list == &exchange->http->awaiting_body) {
        exchange_delist(exchange);
    }
}

void gjkd_exchange_cut_off(struct gjkd_exchange *exchange, int otherwise) {
    exchange->stage = GJKD_STAGE_CUT_OFF;
    exchange->needs_lingering_close = true;
    shutdown(gjkd_fd_of(exchange->connection),
             gjkd_direct_reply_send(exchange) ? SHUT_WR : otherwise);
    gjkd_exchange_set_progress(exchange, GJKD_LINGERING);
    gjkd_connection_of(exchange->connection)->overdue_ns =
        uv_hrtime() + GJKD_LINGER_MS * UINT64_C(1000000);
}

static bool is_writable(int fd) {
    struct pollfd state = {.fd = fd, .events = POLLOUT};
    return poll(&state, 1, 0) > 0 && (state.revents & ~POLLOUT) == 0;
}

/*
 * Answers a request whose body is overdue. The first call only gives libmicrohttpd one more turn,
 * in which it reads the bytes that came in time and finishes a 100 Continue that it may have begun.
 */
static void cut_off(struct gjkd_exchange *exchange) {
    struct gjkd_request *request = &exchange->request;
    int fd = gjkd_fd_of(exchange->connection);
    if (!exchange->is_late && is_writable(fd)) {
        exchange->is_late = true;
        return;
    }
    exchange_delist(exchange);
    if (!exchange->is_late) {
        shutdown(fd, SHUT_RD); /* the socket is full, as the client does not read: just close */
        return;
    }
    if (request->reply.status == 0) {
        gjkd_request_fail(request, PROTO_DEADLINE_EXCEEDED, "the body was not there in time");
    }
    gjkd_exchange_cut_off(exchange, SHUT_RD);
}

bool gjkd_late_body_refuse_slow(struct gjkd_exchange *exchange, uint64_t now_ns) {
    struct gjkd_request *request = &exchange->request;
    const uint64_t rate = request->context->config->min_body_rate;
    const uint64_t bytes = received_bytes(exchange) - exchange->window_bytes;
    if (now_ns < exchange->window_ns + WINDOW_NS) {
        return false;
    }
    const uint64_t ns = now_ns - exchange->window_ns;
    exchange->window_ns = now_ns;
    exchange->window_bytes += bytes;
    const bool is_large = request->body_capacity > GJKD_SMALL_BYTES;
    if (!is_large || (double)bytes * 1e9 >= (double)rate * (double)ns) {
        return false;
    }
    if (request->reply.status == 0) {
        gjkd_request_fail(request, PROTO_DEADLINE_EXCEEDED,
                          "the body came slower than %llu bytes a second",
                          (unsigned long long)rate);
    }
    return true;
}

uint64_t gjkd_late_bodies_sweep(struct gjkd_http *http) {
    uint64_t now_ns = uv_hrtime();
    uint64_t next_ms = GJKD_SWEEP_MS;
    for (struct gjkd_exchange *at = LIST_FIRST(&http->awaiting_body), *next; at != NULL;
         at = next) {
        next = LIST_NEXT(at, link);
        uint64_t left_ms = exchange_left_ms(at, now_ns);
        if (left_ms == 0 || at->is_late || gjkd_late_body_refuse_slow(at, now_ns)) {
            cut_off(at);
            next_ms = 1;
        } else if (left_ms < next_ms) {
            next_ms = left_ms;
        }
    }
    return next_ms;
}
