/* A minimal HTTP client: one request, of whose answer only the status line is read. */

#include "util/health_check.h"

#include "util/log.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define TIMEOUT_S 2

/* The address, or loopback if it means every interface. */
static gjkd_address reachable(const gjkd_address *address) {
    gjkd_address target = *address;
    if (gjkd_address_is_any(address)) {
        bool is_six = address->any.sa_family == AF_INET6;
        (void)gjkd_address_parse(is_six ? "[::1]:0" : "127.0.0.1:0", &target);
        gjkd_address_set_port(&target, gjkd_address_port(address));
    }
    return target;
}

/* A connection, in plain or under TLS. */
struct channel {
    int fd;
    gnutls_session_t session; /* NULL: plain */
    gnutls_certificate_credentials_t credentials;
};

/* The certificate is not verified: nothing secret is sent. */
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

static void close_channel(struct channel *channel) {
    if (channel->session != NULL) {
        gnutls_deinit(channel->session);
    }
    if (channel->credentials != NULL) {
        gnutls_certificate_free_credentials(channel->credentials);
    }
    close(channel->fd);
}

static bool send_text(struct channel *channel, const char *text, size_t length) {
    ssize_t sent = channel->session != NULL ? gnutls_record_send(channel->session, text, length)
                                            : send(channel->fd, text, length, MSG_NOSIGNAL);
    return sent == (ssize_t)length;
}

static ssize_t receive(struct channel *channel, char *text, size_t size) {
    return channel->session != NULL ? gnutls_record_recv(channel->session, text, size)
                                    : recv(channel->fd, text, size, 0);
}

static bool is_ready(struct channel *channel) {
    static const char request[] = "GET /readyz HTTP/1.0\r\n\r\n";
    static const char expected[] = "HTTP/1.1 200 ";
    char answer[sizeof expected];
    size_t length = 0;
    if (!send_text(channel, request, sizeof request - 1)) {
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
    gjkd_address target = reachable(address);
    struct timeval timeout = {.tv_sec = TIMEOUT_S};
    struct channel channel = {.fd =
                                  socket(target.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    if (channel.fd < 0) {
        gjkd_log(GJKD_LOG_ERROR, "health check: %s", strerror(errno));
        return 1;
    }
    setsockopt(channel.fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    setsockopt(channel.fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
    int result = 1;
    char text[GJKD_ADDRESS_TEXT_MAX];
    gjkd_address_format(&target, text);
    if (connect(channel.fd, &target.any, target.length) != 0) {
        gjkd_log(GJKD_LOG_ERROR, "health check: %s: %s", text, strerror(errno));
    } else if (tls && !open_tls(&channel)) {
        gjkd_log(GJKD_LOG_ERROR, "health check: %s does not speak TLS", text);
    } else if (!is_ready(&channel)) {
        gjkd_log(GJKD_LOG_ERROR, "health check: %s is not ready", text);
    } else {
        result = 0;
    }
    close_channel(&channel);
    return result;
}
