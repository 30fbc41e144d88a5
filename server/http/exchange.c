/*
 * What can be done with a request on a connection? Its reply is sent from the job's arena; at a
 * worker it is linked among those that are working, so that the sweep finds the late ones.
 */

#include "http/exchange.h"

#include "http/reply_head.h"
#include "request/auth.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* Exchanges that a loop keeps for reuse. */
#define SPARE_MAX 64

/* How fast an answer must be read, besides GJKD_IDLE_TIMEOUT_S for all of it. */
#define SEND_BYTES_PER_S_MIN 32768

/* How often clients that are gone are looked for. */
#define SWEEP_MS 1000

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
        gjkd_request_init(&exchange->request, http->context, http->counters);
        gjkd_request_reset(&exchange->request);
    }
    exchange->connection = NULL;
    exchange->stand_in = NULL;
    exchange->list = NULL;
    exchange->stage = GJKD_STAGE_HEAD;
    exchange->is_late = exchange->lingers = false;
    return exchange;
}

static void free_exchange(struct gjkd_exchange *exchange) {
    gjkd_request_fini(&exchange->request);
    free(exchange);
}

void gjkd_exchange_give_back(struct gjkd_exchange *exchange) {
    struct gjkd_http *http = exchange->http;
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

/* --- Replies --- */

static void add_headers(const struct gjkd_exchange *exchange, struct MHD_Response *response) {
    const gjkd_reply *reply = &exchange->request.reply;
    const struct gjkd_context *context = exchange->http->context;
    if (reply->content_type != NULL) {
        MHD_add_response_header(response, "Content-Type", reply->content_type);
    }
    if (reply->policy != NULL) {
        MHD_add_response_header(response, "Content-Security-Policy", reply->policy);
        MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
        MHD_add_response_header(response, "Vary", "Accept");
    }
    if (reply->etag[0] != '\0') {
        MHD_add_response_header(response, "ETag", reply->etag);
    }
    if (reply->allow != NULL) {
        MHD_add_response_header(response, "Allow", reply->allow);
    }
    if (reply->retry_after_s > 0) {
        char seconds[24];
        snprintf(seconds, sizeof seconds, "%llu", (unsigned long long)reply->retry_after_s);
        MHD_add_response_header(response, "Retry-After", seconds);
    }
    if (reply->challenge != NULL) {
        MHD_add_response_header(response, "WWW-Authenticate", reply->challenge);
    }
    gjkd_cors_add(&exchange->request.cors, response);
    if (exchange->request.request_id[0] != '\0') {
        MHD_add_response_header(response, "X-Request-Id", exchange->request.request_id);
    }
    char timing[GJKD_TIMING_TEXT_MAX];
    gjkd_timing_format(&exchange->request.timing, timing);
    if (timing[0] != '\0') {
        MHD_add_response_header(response, "Server-Timing", timing);
    }
    if (reply->close || atomic_load_explicit(&context->draining, memory_order_relaxed)) {
        MHD_add_response_header(response, "Connection", "close");
    }
}

void gjkd_exchange_set_progress(const struct gjkd_exchange *exchange, gjkd_progress progress) {
    gjkd_connections_set_progress(&exchange->http->connections,
                                  gjkd_connection_of(exchange->connection), progress);
}

/* From now on the client is to read, no slower than that. */
static void expect_reading(const struct gjkd_exchange *exchange) {
    struct gjkd_connection *entry = gjkd_connection_of(exchange->connection);
    uint64_t sending_s = exchange->request.reply.length / SEND_BYTES_PER_S_MIN;
    gjkd_exchange_set_progress(exchange, GJKD_SENDING);
    if (entry != NULL) {
        entry->overdue_ns = uv_hrtime() + (GJKD_IDLE_TIMEOUT_S + sending_s) * UINT64_C(1000000000);
    }
}

/* The job's reply with all its fields. NULL: out of memory. */
static struct MHD_Response *make_response(struct gjkd_exchange *exchange) {
    static char nothing[1];
    if (exchange->request.timing.ended_ns == 0) {
        exchange->request.timing.ended_ns = uv_hrtime(); /* refused before it ran */
    }
    const gjkd_reply *reply = &exchange->request.reply;
    void *data = reply->length > 0 ? (void *)(uintptr_t)reply->data : nothing;
    struct MHD_Response *response =
        MHD_create_response_from_buffer(reply->length, data, MHD_RESPMEM_PERSISTENT);
    if (response != NULL) {
        add_headers(exchange, response);
    }
    return response;
}

enum MHD_Result gjkd_exchange_queue_reply(struct gjkd_exchange *exchange) {
    struct MHD_Response *response = make_response(exchange);
    if (response == NULL) {
        return MHD_NO;
    }
    expect_reading(exchange);
    enum MHD_Result result = MHD_queue_response(exchange->connection,
                                                (unsigned)exchange->request.reply.status, response);
    MHD_destroy_response(response);
    return result;
}

/* --- Lists of those for whom time runs --- */

/* Milliseconds until then, rounded up. */
static uint64_t wait_ms(uint64_t then_ns, uint64_t now_ns) {
    return then_ns > now_ns ? (then_ns - now_ns) / 1000000 + 1 : 0;
}

static void enlist(struct gjkd_exchange *exchange, struct gjkd_exchange **list) {
    struct gjkd_http *http = exchange->http;
    exchange->previous = NULL;
    exchange->next = *list;
    if (exchange->next != NULL) {
        exchange->next->previous = exchange;
    }
    *list = exchange;
    exchange->list = list;
    http->hurry(http, wait_ms(exchange->request.deadline_ns, uv_hrtime()));
}

static void delist(struct gjkd_exchange *exchange) {
    struct gjkd_exchange *next = exchange->next;
    *(exchange->previous != NULL ? &exchange->previous->next : exchange->list) = next;
    if (next != NULL) {
        next->previous = exchange->previous;
    }
    exchange->list = NULL;
}

/* --- Workers --- */

static void on_work_done(struct gjkd_task_group *group) {
    struct gjkd_exchange *exchange = (struct gjkd_exchange *)(void *)group;
    struct gjkd_http *http = exchange->http;
    delist(exchange);
    if (exchange->connection == NULL) {
        gjkd_auth_settle(&exchange->request); /* asked for, though nobody waited */
        gjkd_exchange_give_back(exchange);
        return;
    }
    exchange->stage = GJKD_STAGE_DONE;
    MHD_resume_connection(exchange->connection);
    http->resumed(http); /* nothing else wakes a daemon that is polled from outside */
}

bool gjkd_exchange_hand_off(struct gjkd_exchange *exchange) {
    struct gjkd_http *http = exchange->http;
    exchange->group.request = &exchange->request;
    exchange->group.returns = http->returns;
    exchange->group.done = on_work_done;
    if (!gjkd_task_group_start(&exchange->group)) {
        gjkd_count_rejected(http->counters, GJKD_REJECTED_QUEUE_FULL);
        gjkd_request_fail(&exchange->request, PROTO_OVERLOADED,
                          "%u requests wait for a worker already", http->context->pool.queued_max);
        return false;
    }
    enlist(exchange, &http->working);
    exchange->stage = GJKD_STAGE_WORKING;
    MHD_suspend_connection(exchange->connection);
    return true;
}

/* Time is up for a request at a worker: answers now, unless it is changing things already. */
static void expire(struct gjkd_exchange *exchange) {
    struct gjkd_http *http = exchange->http;
    struct gjkd_exchange *stand_in = gjkd_exchange_take(http);
    if (stand_in == NULL || !gjkd_request_expire(&exchange->request)) {
        if (stand_in != NULL) {
            gjkd_exchange_give_back(stand_in);
        }
        return;
    }
    stand_in->connection = exchange->connection;
    stand_in->stage = GJKD_STAGE_DONE;
    gjkd_request_stand_in(&stand_in->request, &exchange->request);
    gjkd_request_fail(&stand_in->request, PROTO_DEADLINE_EXCEEDED,
                      "the answer was not ready in time");
    exchange->stand_in = stand_in;
    exchange->connection = NULL;
    gjkd_connection_of(stand_in->connection)->exchange = stand_in;
    MHD_resume_connection(stand_in->connection);
    http->resumed(http); /* calls back with the exchange before it returns */
}

/* Has the client broken the connection off? (One that has only closed its half waits.) */
static bool is_broken(const struct gjkd_exchange *exchange) {
    struct pollfd state = {.fd = gjkd_fd_of(exchange->connection)};
    return poll(&state, 1, 0) > 0 && (state.revents & (POLLERR | POLLHUP)) != 0;
}

static uint64_t sweep_working(struct gjkd_http *http, uint64_t now_ns) {
    uint64_t next_ms = SWEEP_MS;
    for (struct gjkd_exchange *at = http->working, *next; at != NULL; at = next) {
        next = at->next;
        if (at->connection == NULL) {
            continue;
        }
        if (is_broken(at)) {
            (void)gjkd_request_expire(&at->request); /* nobody wants it: what is left is not done */
            continue;
        }
        uint64_t left_ms = wait_ms(at->request.deadline_ns, now_ns);
        if (left_ms == 0) {
            expire(at);
        } else if (left_ms < next_ms) {
            next_ms = left_ms;
        }
    }
    return next_ms;
}

/* --- Bodies that do not come --- */

void gjkd_exchange_await_body(struct gjkd_exchange *exchange) {
    enlist(exchange, &exchange->http->due);
}

void gjkd_exchange_stop_waiting(struct gjkd_exchange *exchange) {
    if (exchange->list == &exchange->http->due) {
        delist(exchange);
    }
}

static bool is_writable(int fd) {
    struct pollfd state = {.fd = fd, .events = POLLOUT};
    return poll(&state, 1, 0) > 0 && (state.revents & ~POLLOUT) == 0;
}

/* All at once, into a socket that has room, past the daemon, which has nothing to say. */
static bool say(const struct gjkd_exchange *exchange, char *data, size_t length) {
    const union MHD_ConnectionInfo *tls =
        exchange->http->context->tls != NULL
            ? MHD_get_connection_info(exchange->connection, MHD_CONNECTION_INFO_GNUTLS_SESSION)
            : NULL;
    if (tls != NULL) {
        return gjkd_tls_say(tls->tls_session, data, length);
    }
    ssize_t sent = send(gjkd_fd_of(exchange->connection), data, length, MSG_NOSIGNAL);
    return sent >= 0 && (size_t)sent == length;
}

static bool say_reply(struct gjkd_exchange *exchange) {
    struct gjkd_request *request = &exchange->request;
    const gjkd_reply *reply = &request->reply;
    struct MHD_Response *response = make_response(exchange);
    char *text = gjk_arena_alloc(&request->arena, GJKD_REPLY_HEAD_MAX + reply->length);
    if (response == NULL || text == NULL) {
        MHD_destroy_response(response);
        return false;
    }
    size_t length = gjkd_reply_head(text, (unsigned)reply->status, response, reply->length);
    MHD_destroy_response(response);
    if (length == 0) {
        return false;
    }
    if (request->head.method != GJKD_HEAD) {
        memcpy(text + length, reply->data, reply->length);
        length += reply->length;
    }
    return say(exchange, text, length);
}

/*
 * Time is up for the body. First the daemon gets one more turn, in which it takes what has come in
 * time and, as the socket has room, finishes a 100 Continue that it may have begun. Then the client
 * is answered and may read on, while the daemon waits for the body, for a moment.
 */
static void cut(struct gjkd_exchange *exchange) {
    int fd = gjkd_fd_of(exchange->connection);
    if (!exchange->is_late && is_writable(fd)) {
        exchange->is_late = true;
        return;
    }
    delist(exchange);
    if (!exchange->is_late) {
        shutdown(fd, SHUT_RD); /* a client that does not even read: the daemon closes */
        return;
    }
    if (exchange->request.reply.status == 0) {
        gjkd_request_fail(&exchange->request, PROTO_DEADLINE_EXCEEDED,
                          "the body was not there in time");
    }
    exchange->request.reply.close = true;
    exchange->stage = GJKD_STAGE_CUT;
    exchange->lingers = true;
    bool is_said = say_reply(exchange);
    shutdown(fd, is_said ? SHUT_WR : SHUT_RD);
    gjkd_exchange_set_progress(exchange, GJKD_LINGERING);
    gjkd_connection_of(exchange->connection)->overdue_ns =
        uv_hrtime() + GJKD_LINGER_MS * UINT64_C(1000000);
}

static uint64_t sweep_due(struct gjkd_http *http, uint64_t now_ns) {
    uint64_t next_ms = SWEEP_MS;
    for (struct gjkd_exchange *at = http->due, *next; at != NULL; at = next) {
        next = at->next;
        uint64_t left_ms = wait_ms(at->request.deadline_ns, now_ns);
        if (left_ms == 0) {
            cut(at);
            next_ms = 1;
        } else if (left_ms < next_ms) {
            next_ms = left_ms;
        }
    }
    return next_ms;
}

uint64_t gjkd_exchanges_sweep(struct gjkd_http *http) {
    uint64_t now_ns = uv_hrtime();
    uint64_t due_ms = sweep_due(http, now_ns);
    uint64_t working_ms = sweep_working(http, now_ns);
    return due_ms < working_ms ? due_ms : working_ms;
}
