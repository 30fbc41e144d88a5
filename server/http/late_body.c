/*
 * The answer is sent in one piece to a socket that has room for it, past libmicrohttpd, which has
 * nothing to send at that time; then the sending side is shut, and the connection closes as any
 * lingering one does.
 */

#include "http/late_body.h"

#include "http/exchange.h"
#include "http/response.h"
#include "request/context.h"
#include "security/tls.h"

#include <poll.h>
#include <sys/socket.h>

void gjkd_late_body_await(struct gjkd_exchange *exchange) {
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

/* False: the socket did not take all of it at once. */
static bool send_all(const struct gjkd_exchange *exchange, const char *data, size_t length) {
    const union MHD_ConnectionInfo *tls =
        exchange->http->context->security.tls != NULL
            ? MHD_get_connection_info(exchange->connection, MHD_CONNECTION_INFO_GNUTLS_SESSION)
            : NULL;
    if (tls != NULL) {
        return gjkd_tls_send_last(tls->tls_session, data, length);
    }
    ssize_t sent = send(gjkd_fd_of(exchange->connection), data, length, MSG_NOSIGNAL);
    return sent >= 0 && (size_t)sent == length;
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
    request->reply.close = true;
    exchange->stage = GJKD_STAGE_CUT_OFF;
    exchange->needs_lingering_close = true;
    size_t length;
    const char *text = gjkd_response_write(request, &length);
    shutdown(fd, text != NULL && send_all(exchange, text, length) ? SHUT_WR : SHUT_RD);
    gjkd_exchange_set_progress(exchange, GJKD_LINGERING);
    gjkd_connection_of(exchange->connection)->overdue_ns =
        uv_hrtime() + GJKD_LINGER_MS * UINT64_C(1000000);
}

uint64_t gjkd_late_bodies_sweep(struct gjkd_http *http) {
    uint64_t now_ns = uv_hrtime();
    uint64_t next_ms = GJKD_SWEEP_MS;
    for (struct gjkd_exchange *at = http->awaiting_body, *next; at != NULL; at = next) {
        next = at->next;
        uint64_t left_ms = gjkd_exchange_left_ms(at, now_ns);
        if (left_ms == 0) {
            cut_off(at);
            next_ms = 1;
        } else if (left_ms < next_ms) {
            next_ms = left_ms;
        }
    }
    return next_ms;
}
