/* A minimal HTTP client: one request, of whose answer only the status line is read. */

#include "health_check.h"

#include "util/log.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define TIMEOUT_S 2

/* A connection to the daemon, in plain or under TLS. */
struct channel {
    int fd;
    gnutls_session_t session; /* NULL: plain */
    gnutls_certificate_credentials_t credentials;
};

/* Trusts any certificate: nothing secret is sent. */
static bool open_tls(struct channel *channel) {
    if (gnutls_certificate_allocate_credentials(&channel->credentials) < 0 ||
        gnutls_init(&channel->session, GNUTLS_CLIENT | GNUTLS_NO_SIGNAL) < 0 ||
        gnutls_set_default_priority(channel->session) < 0 ||
        gnutls_credentials_set(channel->session, GNUTLS_CRD_CERTIFICATE, channel->credentials) <
            0) {
        return false;
    }
    gnutls_transport_set_int(channel->session, channel->fd);
    gnutls_handshake_set_timeout(channel->session, TIMEOUT_S * 1000);
    int status;
    do {
        status = gnutls_handshake(channel->session);
    } while (status < 0 && gnutls_error_is_fatal(status) == 0);
    return status == 0;
}

/* Connects. Returns NULL, or the reason why not. */
static const char *open_channel(struct channel *channel, const gjkd_address *address, bool tls) {
    const struct timeval timeout = {.tv_sec = TIMEOUT_S};
    channel->fd = socket(address->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (channel->fd < 0) {
        return strerror(errno);
    }
    setsockopt(channel->fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    setsockopt(channel->fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
    if (connect(channel->fd, &address->any, address->length) != 0) {
        return strerror(errno);
    }
    return !tls || open_tls(channel) ? NULL : "it does not speak TLS";
}

static ssize_t receive(struct channel *channel, char *text, size_t size) {
    if (channel->session == NULL) {
        return recv(channel->fd, text, size, 0);
    }
    ssize_t got;
    do {
        got = gnutls_record_recv(channel->session, text, size);
    } while (got == GNUTLS_E_INTERRUPTED || got == GNUTLS_E_REHANDSHAKE);
    return got;
}

static bool is_ready(struct channel *channel) {
    static const char request[] = "GET /readyz HTTP/1.0\r\n\r\n";
    static const char expected[] = "HTTP/1.1 200 ";
    char answer[sizeof expected];
    size_t length = 0;
    const ssize_t sent = channel->session != NULL
                             ? gnutls_record_send(channel->session, request, sizeof request - 1)
                             : send(channel->fd, request, sizeof request - 1, MSG_NOSIGNAL);
    if (sent != (ssize_t)sizeof request - 1) {
        return false;
    }
    while (length < sizeof expected - 1) {
        ssize_t got = receive(channel, answer + length, sizeof expected - 1 - length);
        if (got <= 0) {
            return false;
        }
        length += (size_t)got;
    }
    /* HTTP/1.0 and HTTP/1.1 differ in one digit */
    return memcmp(answer, expected, 7) == 0 && memcmp(answer + 8, expected + 8, 5) == 0;
}

int gjkd_health_check(const gjkd_address *address, bool tls) {
    struct channel channel = {.fd = -1};
    char text[GJKD_ADDRESS_TEXT_MAX];
    gjkd_address target = *address;
    if (gjkd_address_is_any(address)) {
        (void)gjkd_address_parse(address->any.sa_family == AF_INET6 ? "[::1]:0" : "127.0.0.1:0",
                                 &target);
        gjkd_address_set_port(&target, gjkd_address_port(address));
    }
    gjkd_address_format(&target, text);
    const char *reason = open_channel(&channel, &target, tls);
    const bool fine = reason == NULL && is_ready(&channel);
    if (reason != NULL) {
        gjkd_log(GJKD_LOG_ERROR, "health check: %s: %s", text, reason);
    } else if (!fine) {
        gjkd_log(GJKD_LOG_ERROR, "health check: %s is not ready", text);
    }
    if (channel.session != NULL) {
        gnutls_deinit(channel.session);
    }
    if (channel.credentials != NULL) {
        gnutls_certificate_free_credentials(channel.credentials);
    }
    if (channel.fd >= 0) {
        close(channel.fd);
    }
    return fine ? 0 : 1;
}
