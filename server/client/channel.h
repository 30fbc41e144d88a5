#ifndef GJKD_CLIENT_CHANNEL_H
#define GJKD_CLIENT_CHANNEL_H

/* A connection to a daemon, in plain or under TLS, for a process that does nothing else. */

#include "util/network.h"

#include <gnutls/gnutls.h>
#include <sys/types.h>

struct gjkd_channel {
    int fd;                   /* -1: none */
    gnutls_session_t session; /* NULL: plain */
    gnutls_certificate_credentials_t credentials;
};

/* How the other side is to be trusted. */
typedef struct gjkd_channel_trust {
    bool tls;
    const char
        *host; /* whom the certificate must name, by the system's authorities; NULL: anybody */
} gjkd_channel_trust;

/* Connects; every step may take timeout_s. False: reason, which is static or valid until the next
 * call, says why not. fini in either case. */
bool gjkd_channel_open(struct gjkd_channel *channel, const gjkd_address *address,
                       const gjkd_channel_trust *trust, unsigned timeout_s, const char **reason);
void gjkd_channel_fini(struct gjkd_channel *channel);

bool gjkd_channel_send(struct gjkd_channel *channel, const char *text, size_t length);

/* Bytes received; 0: the other side has ended; negative: it failed. */
ssize_t gjkd_channel_receive(struct gjkd_channel *channel, char *text, size_t size);

#endif
