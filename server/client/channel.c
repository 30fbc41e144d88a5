#include "client/channel.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static bool verify(struct gjkd_channel *channel, const char *host) {
    gnutls_session_set_verify_cert(channel->session, host, 0);
    return gnutls_certificate_set_x509_system_trust(channel->credentials) >= 0 &&
           gnutls_server_name_set(channel->session, GNUTLS_NAME_DNS, host, strlen(host)) >= 0;
}

static bool open_tls(struct gjkd_channel *channel, const char *host, unsigned timeout_s,
                     const char **reason) {
    *reason = "it does not speak TLS";
    if (gnutls_certificate_allocate_credentials(&channel->credentials) < 0 ||
        gnutls_init(&channel->session, GNUTLS_CLIENT | GNUTLS_NO_SIGNAL) < 0 ||
        gnutls_set_default_priority(channel->session) < 0 ||
        gnutls_credentials_set(channel->session, GNUTLS_CRD_CERTIFICATE, channel->credentials) <
            0 ||
        (host != NULL && !verify(channel, host))) {
        return false;
    }
    gnutls_transport_set_int(channel->session, channel->fd);
    gnutls_handshake_set_timeout(channel->session, timeout_s * 1000);
    int status;
    do {
        status = gnutls_handshake(channel->session);
    } while (status < 0 && gnutls_error_is_fatal(status) == 0);
    if (status == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR) {
        *reason = "its certificate cannot be trusted";
    }
    return status == 0;
}

bool gjkd_channel_open(struct gjkd_channel *channel, const gjkd_address *address,
                       const gjkd_channel_trust *trust, unsigned timeout_s, const char **reason) {
    const struct timeval timeout = {.tv_sec = timeout_s};
    *channel = (struct gjkd_channel){
        .fd = socket(address->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    if (channel->fd < 0) {
        *reason = strerror(errno);
        return false;
    }
    setsockopt(channel->fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    setsockopt(channel->fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
    if (connect(channel->fd, &address->any, address->length) != 0) {
        *reason = strerror(errno);
        return false;
    }
    return !trust->tls || open_tls(channel, trust->host, timeout_s, reason);
}

void gjkd_channel_fini(struct gjkd_channel *channel) {
    if (channel->session != NULL) {
        gnutls_deinit(channel->session);
    }
    if (channel->credentials != NULL) {
        gnutls_certificate_free_credentials(channel->credentials);
    }
    if (channel->fd >= 0) {
        close(channel->fd);
    }
    *channel = (struct gjkd_channel){.fd = -1};
}

bool gjkd_channel_send(struct gjkd_channel *channel, const char *text, size_t length) {
    ssize_t sent = channel->session != NULL ? gnutls_record_send(channel->session, text, length)
                                            : send(channel->fd, text, length, MSG_NOSIGNAL);
    return sent == (ssize_t)length;
}

ssize_t gjkd_channel_receive(struct gjkd_channel *channel, char *text, size_t size) {
    if (channel->session == NULL) {
        return recv(channel->fd, text, size, 0);
    }
    ssize_t got = gnutls_record_recv(channel->session, text, size);
    while (got == GNUTLS_E_INTERRUPTED || got == GNUTLS_E_REHANDSHAKE) {
        got = gnutls_record_recv(channel->session, text, size);
    }
    return got;
}
