/*
 * The answer is sent to a socket that has room for it, past libmicrohttpd; then the sending side is shut, and the connection closes as any
 * lingering one does.
 */

#include "http/late_body.h"

#include "http/direct_reply.h"
#include "http/exchange.h"
#include "request/context.h"

#include <poll.h>
#include <sys/socket.h>

/* The least rate of a body is that of each window. */
#define WINDOW_NS UINT64_C(5000000000)

static uint64_t came(const struct gjkd_exchange *exchange) {
    return exchange->request.body_bytes + exchange->request.discarded_bytes;
}

void gjkd_late_body_begin(struct gjkd_exchange *exchange) {
    exchange->window_ns = uv_hrtime();
    exchange->window_bytes = came(exchange);
}

void gjkd_late_body_await(struct gjkd_exchange *exchange) {
    gjkd_late_body_begin(exchange);
    gjkd_exchange_enlist(exchange, &exchange->http->awaiting_body);
}

void gjkd_late_body_forget(struct gjkd_exchange *exchange) {
    if (exchange->list == &exchange->http->awaiting_body) {
        gjkd_exchange_delist(exchange);
    }
}

static bool is_writable(int fd) {
    struct pollfd state = {.fd = fd, .events = POLLOUT};
    return poll(&state, 1, 0) > 0 && (state.revents & ~POLLOUT) == 0;
}

/*
 * Answers a request whose body is overdue. At first libmicrohttpd gets one more turn, in which it
 * reads what came in time and, as the socket has room, finishes a 100 Continue that it may have
 * begun.
 */
static void cut_off(struct gjkd_exchange *exchange) {
    struct gjkd_request *request = &exchange->request;
    int fd = gjkd_fd_of(exchange->connection);
    if (!exchange->is_late && is_writable(fd)) {
        exchange->is_late = true;
        return;
    }
    gjkd_exchange_delist(exchange);
    if (!exchange->is_late) {
        shutdown(fd, SHUT_RD); /* the client does not even read: libmicrohttpd closes */
        return;
    }
    if (request->reply.status == 0) {
        gjkd_request_fail(request, PROTO_DEADLINE_EXCEEDED, "the body was not there in time");
    }
    exchange->stage = GJKD_STAGE_CUT_OFF;
    exchange->needs_lingering_close = true;
    shutdown(fd, gjkd_direct_reply_send(exchange) ? SHUT_WR : SHUT_RD);
    gjkd_exchange_set_progress(exchange, GJKD_LINGERING);
    gjkd_connection_of(exchange->connection)->overdue_ns =
        uv_hrtime() + GJKD_LINGER_MS * UINT64_C(1000000);
}

bool gjkd_late_body_is_slow(struct gjkd_exchange *exchange, uint64_t now_ns) {
    struct gjkd_request *request = &exchange->request;
    const uint64_t rate = request->context->config->min_body_rate;
    const uint64_t bytes = came(exchange) - exchange->window_bytes;
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
    for (struct gjkd_exchange *at = http->awaiting_body, *next; at != NULL; at = next) {
        next = at->next;
        uint64_t left_ms = gjkd_exchange_left_ms(at, now_ns);
        if (left_ms == 0 || at->is_late || gjkd_late_body_is_slow(at, now_ns)) {
            cut_off(at);
            next_ms = 1;
        } else if (left_ms < next_ms) {
            next_ms = left_ms;
        }
    }
    return next_ms;
}
