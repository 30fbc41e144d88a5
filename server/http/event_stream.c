/*
 * libmicrohttpd calls read_watch whenever the socket has room. Without an event read_watch suspends
 * the connection, and the watch resumes it when there is one.
 *
 * One event may be for thousands of watches. The loop serves a few watches at a time and handles
 * new requests in between, so that no answer waits for more than one such turn. Resuming a
 * connection makes libmicrohttpd walk over all suspended connections: the more there are, the more
 * are resumed at a time.
 */

#include "http/event_stream.h"

#include "http/exchange.h"
#include "request/context.h"
#include "request/telemetry.h"

/* Least time for watches in a round of the loop; they may take half of the time since their last
 * turn, if that is more. */
#define ROUND_NS UINT64_C(50000)

/* Watches served between two readings of the clock. */
#define TURNS 4

/* Connections resumed at a time: RESUMED, and one more for each RESUMED_PART watches. */
#define RESUMED 4
#define RESUMED_PART 128

static void count_event(void *owner, gjkd_event_kind kind) {
    const struct gjkd_http *http = owner;
    gjkd_count(http->counters, GJKD_COUNT_EVENTS + kind, 1);
}

void gjkd_event_streams_init(struct gjkd_http *http) {
    http->hub = (struct gjkd_hub){
        .registry = http->context->registry,
        .pool = &http->context->pool,
        .completions = http->completions,
        .quota = &http->context->quota,
        .keyring = http->context->security.keyring,
        .count = count_event,
        .owner = http,
        .hash_seed = http->context->hash_seed,
    };
    gjkd_hub_start(&http->hub);
}

void gjkd_event_streams_serve(struct gjkd_http *http) {
    if (!gjkd_hub_has_news(&http->hub)) {
        http->served_ns = 0;
        return;
    }
    const uint64_t now_ns = uv_hrtime();
    const uint64_t half_ns = http->served_ns != 0 ? (now_ns - http->served_ns) / 2 : 0;
    const uint64_t until_ns = now_ns + (half_ns > ROUND_NS ? half_ns : ROUND_NS);
    do {
        gjkd_hub_serve(&http->hub, TURNS);
        if (http->resumed >= RESUMED + http->hub.watches / RESUMED_PART) {
            gjkd_http_run_resumed(http);
        }
        http->served_ns = uv_hrtime();
    } while (gjkd_hub_has_news(&http->hub) && http->served_ns < until_ns);
    gjkd_http_run_resumed(http);
}

/* Ends the connection if the client does not take the rest of the answer in time. */
static void expect_end(struct gjkd_exchange *exchange) {
    struct gjkd_connection *entry = gjkd_connection_of(exchange->connection);
    gjkd_exchange_set_progress(exchange, GJKD_SENDING);
    entry->overdue_ns = uv_hrtime() + GJKD_IDLE_TIMEOUT_S * UINT64_C(1000000000);
}

static void on_ready(void *owner) {
    struct gjkd_exchange *exchange = owner;
    if (gjkd_watch_refusal(exchange->watch) != NULL) {
        expect_end(exchange);
    }
    if (exchange->is_out_of_events) {
        exchange->is_out_of_events = false;
        MHD_resume_connection(exchange->connection);
        exchange->http->resumed++;
    }
}

static size_t read_watch(void *reader, char *to, size_t length) {
    struct gjkd_exchange *exchange = reader;
    const size_t count = gjkd_watch_read(exchange->watch, to, length);
    if (count == 0 && gjkd_watch_is_over(exchange->watch)) {
        return SIZE_MAX;
    }
    if (count == 0) {
        exchange->is_out_of_events = true;
        MHD_suspend_connection(exchange->connection);
    }
    return count;
}

void gjkd_event_stream_begin(struct gjkd_exchange *exchange) {
    struct gjkd_request *request = &exchange->request;
    exchange->watch = gjkd_watching_begin(exchange->http, request, on_ready, exchange);
    if (request->reply.watch != NULL) {
        request->reply.read = read_watch;
        request->reply.reader = exchange;
    }
}

void gjkd_event_stream_end(struct gjkd_exchange *exchange) {
    expect_end(exchange);
    gjkd_watch_end(exchange->watch);
}

void gjkd_event_stream_close(struct gjkd_exchange *exchange) {
    gjkd_watching_end(exchange->http, exchange->watch);
    exchange->watch = NULL;
}

static struct gjkd_watch *open_watch(struct gjkd_http *http, struct gjkd_request *request,
                                     void (*ready)(void *owner), void *owner) {
    if (gjkd_is_draining(http->context)) {
        gjkd_request_fail(request, PROTO_DRAINING, "the daemon is shutting down");
        return NULL;
    }
    struct gjkd_watch *watch =
        gjkd_watch_open(&http->hub, request->reply.watch, ready, owner, &request->problem);
    if (watch == NULL) {
        gjkd_request_refuse(request);
        request->reply.challenge = gjkd_auth_challenge(request->problem.code);
        return NULL;
    }
    gjkd_count(http->counters, GJKD_COUNT_WATCHES_OPENED, 1);
    return watch;
}

struct gjkd_watch *gjkd_watching_begin(struct gjkd_http *http, struct gjkd_request *request,
                                       void (*ready)(void *owner), void *owner) {
    struct gjkd_watch *watch =
        request->head.method != GJKD_HEAD ? open_watch(http, request, ready, owner) : NULL;
    gjkd_version_release(request->version);
    request->version = NULL;
    if (request->problem.code != PROTO_OK) {
        request->reply.watch = NULL;
    }
    return watch;
}

void gjkd_watching_end(struct gjkd_http *http, struct gjkd_watch *watch) {
    if (watch != NULL) {
        gjkd_watch_close(watch);
        gjkd_count(http->counters, GJKD_COUNT_WATCHES_CLOSED, 1);
    }
}
