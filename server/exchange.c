/*
 * What can be done with a request on a connection? Its reply is sent from the job's arena; at a
 * worker it is linked among those that are working, so that the sweep finds the late ones.
 */

#include "exchange.h"

#include "guard.h"

#include <poll.h>
#include <stdlib.h>

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
        gjkd_job_init(&exchange->job, http->context, http->counters);
        gjkd_job_reset(&exchange->job);
    }
    exchange->connection = NULL;
    exchange->stand_in = NULL;
    exchange->stage = GJKD_STAGE_HEAD;
    exchange->lingers = false;
    return exchange;
}

static void free_exchange(struct gjkd_exchange *exchange) {
    gjkd_job_fini(&exchange->job);
    free(exchange);
}

void gjkd_exchange_give_back(struct gjkd_exchange *exchange) {
    struct gjkd_http *http = exchange->http;
    if (http->spare_count == SPARE_MAX) {
        free_exchange(exchange);
        return;
    }
    gjkd_job_reset(&exchange->job);
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
    const gjkd_reply *reply = &exchange->job.reply;
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
    gjkd_cors_add(&exchange->job.cors, response);
    if (exchange->job.request_id[0] != '\0') {
        MHD_add_response_header(response, "X-Request-Id", exchange->job.request_id);
    }
    char timing[GJKD_TIMING_TEXT_MAX];
    gjkd_timing_format(&exchange->job.timing, timing);
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
    uint64_t sending_s = exchange->job.reply.length / SEND_BYTES_PER_S_MIN;
    gjkd_exchange_set_progress(exchange, GJKD_SENDING);
    if (entry != NULL) {
        entry->overdue_ns = uv_hrtime() + (GJKD_IDLE_TIMEOUT_S + sending_s) * UINT64_C(1000000000);
    }
}

enum MHD_Result gjkd_exchange_queue_reply(struct gjkd_exchange *exchange) {
    static char nothing[1];
    if (exchange->job.timing.ended_ns == 0) {
        exchange->job.timing.ended_ns = uv_hrtime(); /* refused before it ran */
    }
    const gjkd_reply *reply = &exchange->job.reply;
    void *data = reply->length > 0 ? (void *)(uintptr_t)reply->data : nothing;
    struct MHD_Response *response =
        MHD_create_response_from_buffer(reply->length, data, MHD_RESPMEM_PERSISTENT);
    if (response == NULL) {
        return MHD_NO;
    }
    add_headers(exchange, response);
    expect_reading(exchange);
    enum MHD_Result result =
        MHD_queue_response(exchange->connection, (unsigned)reply->status, response);
    MHD_destroy_response(response);
    return result;
}

/* --- Workers --- */

/* Milliseconds until then, rounded up. */
static uint64_t wait_ms(uint64_t then_ns, uint64_t now_ns) {
    return then_ns > now_ns ? (then_ns - now_ns) / 1000000 + 1 : 0;
}

static void link_working(struct gjkd_exchange *exchange) {
    struct gjkd_http *http = exchange->http;
    exchange->previous = NULL;
    exchange->next = http->working;
    if (exchange->next != NULL) {
        exchange->next->previous = exchange;
    }
    http->working = exchange;
}

static void unlink_working(struct gjkd_exchange *exchange) {
    struct gjkd_exchange *next = exchange->next;
    *(exchange->previous != NULL ? &exchange->previous->next : &exchange->http->working) = next;
    if (next != NULL) {
        next->previous = exchange->previous;
    }
}

static void on_work_done(struct gjkd_crew *crew) {
    struct gjkd_exchange *exchange = (struct gjkd_exchange *)(void *)crew;
    struct gjkd_http *http = exchange->http;
    unlink_working(exchange);
    if (exchange->connection == NULL) {
        gjkd_guard_settle(&exchange->job); /* asked for, though nobody waited */
        gjkd_exchange_give_back(exchange);
        return;
    }
    exchange->stage = GJKD_STAGE_DONE;
    MHD_resume_connection(exchange->connection);
    http->resumed(http); /* nothing else wakes a daemon that is polled from outside */
}

bool gjkd_exchange_hand_off(struct gjkd_exchange *exchange) {
    struct gjkd_http *http = exchange->http;
    exchange->crew.job = &exchange->job;
    exchange->crew.returns = http->returns;
    exchange->crew.done = on_work_done;
    if (!gjkd_crew_start(&exchange->crew)) {
        gjkd_count_rejected(http->counters, GJKD_REJECTED_QUEUE_FULL);
        gjkd_job_fail(&exchange->job, PROTO_OVERLOADED, "%u requests wait for a worker already",
                      http->context->pool.queued_max);
        return false;
    }
    link_working(exchange);
    exchange->stage = GJKD_STAGE_WORKING;
    MHD_suspend_connection(exchange->connection);
    http->hurry(http, wait_ms(exchange->job.deadline_ns, uv_hrtime()));
    return true;
}

/* Time is up for a request at a worker: answers now, unless it is changing things already. */
static void expire(struct gjkd_exchange *exchange) {
    struct gjkd_http *http = exchange->http;
    struct gjkd_exchange *stand_in = gjkd_exchange_take(http);
    if (stand_in == NULL || !gjkd_job_expire(&exchange->job)) {
        if (stand_in != NULL) {
            gjkd_exchange_give_back(stand_in);
        }
        return;
    }
    stand_in->connection = exchange->connection;
    stand_in->stage = GJKD_STAGE_DONE;
    gjkd_job_stand_in(&stand_in->job, &exchange->job);
    gjkd_job_fail(&stand_in->job, PROTO_DEADLINE_EXCEEDED, "the answer was not ready in time");
    exchange->stand_in = stand_in;
    exchange->connection = NULL;
    MHD_resume_connection(stand_in->connection);
    http->resumed(http); /* calls back with the exchange before it returns */
}

/* Has the client broken the connection off? (One that has only closed its half waits.) */
static bool is_broken(const struct gjkd_exchange *exchange) {
    struct pollfd state = {.fd = gjkd_fd_of(exchange->connection)};
    return poll(&state, 1, 0) > 0 && (state.revents & (POLLERR | POLLHUP)) != 0;
}

uint64_t gjkd_exchanges_sweep(struct gjkd_http *http) {
    uint64_t now_ns = uv_hrtime();
    uint64_t next_ms = SWEEP_MS;
    for (struct gjkd_exchange *at = http->working, *next; at != NULL; at = next) {
        next = at->next;
        if (at->connection == NULL) {
            continue;
        }
        if (is_broken(at)) {
            (void)gjkd_job_expire(&at->job); /* nobody wants it: what is left is not done */
            continue;
        }
        uint64_t left_ms = wait_ms(at->job.deadline_ns, now_ns);
        if (left_ms == 0) {
            expire(at);
        } else if (left_ms < next_ms) {
            next_ms = left_ms;
        }
    }
    return next_ms;
}
