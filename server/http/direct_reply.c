/* A refusal is short, and the socket has nothing else to send, so that it nearly always takes it whole. */

#include "http/direct_reply.h"

#include "http/response.h"
#include "request/context.h"
#include "security/tls.h"

#include <sys/socket.h>

static bool send_all(const struct gjkd_exchange *exchange, const char *data, size_t length) {
    const union MHD_ConnectionInfo *tls =
        exchange->http->context->security.tls != NULL
            ? MHD_get_connection_info(exchange->connection, MHD_CONNECTION_INFO_GNUTLS_SESSION)
            : NULL;
    if (tls != NULL) {
        return gjkd_tls_send_last(tls->tls_session, data, length);
    }
    ssize_t sent =
        send(gjkd_fd_of(exchange->connection), data, length, MSG_NOSIGNAL | MSG_DONTWAIT);
    return sent >= 0 && (size_t)sent == length;
}

bool gjkd_direct_reply_send(struct gjkd_exchange *exchange) {
    size_t length;
    exchange->request.reply.close = true;
    const char *text = gjkd_response_write(&exchange->request, &length);
    return text != NULL && send_all(exchange, text, length);
}
