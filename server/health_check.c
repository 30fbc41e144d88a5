/* A minimal HTTP client: one request without a body, on a connection of its own. */

#include "health_check.h"

#include "util/log.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define TIMEOUT_S 2

/* More than the longest answer to GET /v1/cluster. */
#define ANSWER_BYTES_MAX 65536

/* A connection to the daemon, plain or with TLS. */
struct channel {
    int fd;
    gnutls_session_t session; /* NULL: plain */
    gnutls_certificate_credentials_t credentials;
};

/* Starts TLS. host: the name that the certificate must have; NULL: any certificate is accepted,
 * because nothing secret is sent. */
static bool open_tls(struct channel *channel, const char *host) {
    if (gnutls_certificate_allocate_credentials(&channel->credentials) < 0 ||
        gnutls_init(&channel->session, GNUTLS_CLIENT | GNUTLS_NO_SIGNAL) < 0 ||
        gnutls_set_default_priority(channel->session) < 0 ||
        gnutls_credentials_set(channel->session, GNUTLS_CRD_CERTIFICATE, channel->credentials) <
            0) {
        return false;
    }
    if (host != NULL) {
        (void)gnutls_server_name_set(channel->session, GNUTLS_NAME_DNS, host, strlen(host));
        gnutls_session_set_verify_cert(channel->session, host, 0);
        if (gnutls_certificate_set_x509_system_trust(channel->credentials) < 0) {
            return false;
        }
    }
    gnutls_transport_set_int(channel->session, channel->fd);
    gnutls_handshake_set_timeout(channel->session, TIMEOUT_S * 1000);
    int status;
    do {
        status = gnutls_handshake(channel->session);
    } while (status < 0 && gnutls_error_is_fatal(status) == 0);
    return status == 0;
}

/* Connects. Returns NULL, or a reason on failure. */
static const char *open_channel(struct channel *channel, const struct sockaddr *address,
                                socklen_t length, bool tls, const char *host) {
    const struct timeval timeout = {.tv_sec = TIMEOUT_S};
    channel->fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (channel->fd < 0) {
        return strerror(errno);
    }
    setsockopt(channel->fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    setsockopt(channel->fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
    if (connect(channel->fd, address, length) != 0) {
        return strerror(errno);
    }
    return !tls || open_tls(channel, host) ? NULL
           : host == NULL                  ? "it does not speak TLS"
                          : "it does not speak TLS, or with a certificate that this machine does "
                            "not trust for it";
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

static void close_channel(struct channel *channel) {
    if (channel->session != NULL) {
        gnutls_deinit(channel->session);
    }
    if (channel->credentials != NULL) {
        gnutls_certificate_free_credentials(channel->credentials);
    }
    if (channel->fd >= 0) {
        close(channel->fd);
    }
}

/* Sends an HTTP/1.0 request. Returns the status of the answer, or 0 if none. *body is a view. */
static int ask(struct channel *channel, const char *request, const char **body) {
    static char answer[ANSWER_BYTES_MAX];
    const size_t request_length = strlen(request);
    const ssize_t sent = channel->session != NULL
                             ? gnutls_record_send(channel->session, request, request_length)
                             : send(channel->fd, request, request_length, MSG_NOSIGNAL);
    size_t length = 0;
    ssize_t got = sent == (ssize_t)request_length ? 1 : 0;
    int status = 0;
    while (got > 0 && length < sizeof answer - 1) {
        got = receive(channel, answer + length, sizeof answer - 1 - length);
        length += got > 0 ? (size_t)got : 0;
    }
    answer[length] = '\0';
    *body = strstr(answer, "\r\n\r\n");
    if (*body == NULL || sscanf(answer, "HTTP/1.%*1d %3d", &status) != 1) {
        return 0;
    }
    *body += 4;
    return status;
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
    const char *reason = open_channel(&channel, &target.any, target.length, tls, NULL);
    const char *body;
    const bool fine = reason == NULL && ask(&channel, "GET /readyz HTTP/1.0\r\n\r\n", &body) == 200;
    if (reason != NULL) {
        gjkd_log(GJKD_LOG_ERROR, "health check: %s: %s", text, reason);
    } else if (!fine) {
        gjkd_log(GJKD_LOG_ERROR, "health check: %s is not ready", text);
    }
    close_channel(&channel);
    return fine ? 0 : 1;
}

/* --- --cluster-status --- */

/* The parts of scheme://[TOKEN@]HOST:PORT. */
struct url_parts {
    bool tls;
    char token[256], host[256], port[8]; /* token "": none */
};

static bool read_url(const char *url, struct url_parts *out) {
    *out = (struct url_parts){.tls = strncmp(url, "https://", 8) == 0};
    if (!out->tls && strncmp(url, "http://", 7) != 0) {
        return false;
    }
    const char *at = url + (out->tls ? 8 : 7), *end = at + strcspn(at, "/");
    const char *sign = memchr(at, '@', (size_t)(end - at));
    if (sign != NULL) {
        snprintf(out->token, sizeof out->token, "%.*s", (int)(sign - at), at);
        at = sign + 1;
    }
    const bool is_bracketed = *at == '[';
    const size_t length = is_bracketed ? strcspn(at + 1, "]") : strcspn(at, ":/");
    snprintf(out->host, sizeof out->host, "%.*s", (int)length, at + is_bracketed);
    at += length + (is_bracketed ? 2 : 0);
    snprintf(out->port, sizeof out->port, "%s", out->tls ? "443" : "80");
    if (at < end && *at == ':') {
        snprintf(out->port, sizeof out->port, "%.*s", (int)(end - at - 1), at + 1);
    }
    return out->host[0] != '\0' && (end[0] == '\0' || end[1] == '\0');
}

int gjkd_print_cluster(const char *url) {
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct channel channel = {.fd = -1};
    struct addrinfo *found = NULL;
    struct url_parts parts;
    char request[1024];
    if (!read_url(url, &parts)) {
        gjkd_log(GJKD_LOG_ERROR, "--cluster-status takes http://[TOKEN@]HOST:PORT, or https");
        return 2;
    }
    const int failure = getaddrinfo(parts.host, parts.port, &hints, &found);
    const char *reason = failure != 0 ? gai_strerror(failure)
                                      : open_channel(&channel, found->ai_addr, found->ai_addrlen,
                                                     parts.tls, parts.host);
    snprintf(request, sizeof request, "GET /v1/cluster HTTP/1.0\r\nHost: %s:%s\r\n%s%s%s\r\n",
             parts.host, parts.port, parts.token[0] != '\0' ? "Authorization: Bearer " : "",
             parts.token, parts.token[0] != '\0' ? "\r\n" : "");
    const char *body = "";
    const int status = reason == NULL ? ask(&channel, request, &body) : 0;
    if (status != 0) {
        puts(body);
    } else {
        gjkd_log(GJKD_LOG_ERROR, "%s:%s: %s", parts.host, parts.port,
                 reason != NULL ? reason : "it does not answer");
    }
    close_channel(&channel);
    freeaddrinfo(found);
    return status == 200 ? 0 : 1;
}
