/* A minimal HTTP client: one request, of whose answer only the status line is read. */

#include "client/health_check.h"

#include "client/channel.h"
#include "util/log.h"

#include <string.h>

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

static bool is_ready(struct gjkd_channel *channel) {
    static const char request[] = "GET /readyz HTTP/1.0\r\n\r\n";
    static const char expected[] = "HTTP/1.1 200 ";
    char answer[sizeof expected];
    size_t length = 0;
    if (!gjkd_channel_send(channel, request, sizeof request - 1)) {
        return false;
    }
    while (length < sizeof expected - 1) {
        ssize_t got = gjkd_channel_receive(channel, answer + length, sizeof expected - 1 - length);
        if (got <= 0) {
            return false;
        }
        length += (size_t)got;
    }
    /* HTTP/1.0 and HTTP/1.1 differ in one digit */
    return memcmp(answer, expected, 7) == 0 && memcmp(answer + 8, expected + 8, 5) == 0;
}

int gjkd_health_check(const gjkd_address *address, bool tls) {
    const gjkd_address target = reachable(address);
    const gjkd_channel_trust trust = {tls, NULL}; /* nothing secret is sent */
    struct gjkd_channel channel;
    const char *reason = NULL;
    char text[GJKD_ADDRESS_TEXT_MAX];
    gjkd_address_format(&target, text);
    bool fine = gjkd_channel_open(&channel, &target, &trust, TIMEOUT_S, &reason);
    if (!fine) {
        gjkd_log(GJKD_LOG_ERROR, "health check: %s: %s", text, reason);
    } else if (!is_ready(&channel)) {
        gjkd_log(GJKD_LOG_ERROR, "health check: %s is not ready", text);
        fine = false;
    }
    gjkd_channel_fini(&channel);
    return fine ? 0 : 1;
}
