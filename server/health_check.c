/* Is the daemon next door ready? The smallest HTTP client there is: one request, one line. */

#include "health_check.h"

#include "log.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define TIMEOUT_S 2

static gjkd_address reachable(const gjkd_address *address) {
    gjkd_address target = *address;
    if (!gjkd_address_is_any(address)) {
        return target;
    }
    bool fine =
        gjkd_address_parse(address->storage.ss_family == AF_INET6 ? "[::1]:0" : "127.0.0.1:0",
                           &target);
    (void)fine;
    gjkd_address_set_port(&target, gjkd_address_port(address));
    return target;
}

/* The status of the answer, or 0. */
static int ask(int fd) {
    static const char request[] = "GET /readyz HTTP/1.0\r\n\r\n";
    static const char expected[] = "HTTP/1.1 200 ";
    char answer[sizeof expected];
    size_t length = 0;
    if (send(fd, request, sizeof request - 1, MSG_NOSIGNAL) != (ssize_t)sizeof request - 1) {
        return 0;
    }
    while (length < sizeof expected - 1) {
        ssize_t got = recv(fd, answer + length, sizeof expected - 1 - length, 0);
        if (got <= 0) {
            return 0;
        }
        length += (size_t)got;
    }
    /* HTTP/1.0 and HTTP/1.1 differ in one digit */
    return memcmp(answer, expected, 7) == 0 && memcmp(answer + 8, expected + 8, 5) == 0 ? 200 : 0;
}

int gjkd_health_check(const gjkd_address *address) {
    gjkd_address target = reachable(address);
    struct timeval timeout = {.tv_sec = TIMEOUT_S};
    int fd = socket(target.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        gjkd_log(GJKD_LOG_ERROR, "health check: %s", strerror(errno));
        return 1;
    }
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
    int result = 1;
    char text[GJKD_ADDRESS_TEXT_MAX];
    gjkd_address_format(&target, text);
    if (connect(fd, (const struct sockaddr *)(const void *)&target.storage, target.length) != 0) {
        gjkd_log(GJKD_LOG_ERROR, "health check: %s: %s", text, strerror(errno));
    } else if (ask(fd) != 200) {
        gjkd_log(GJKD_LOG_ERROR, "health check: %s is not ready", text);
    } else {
        result = 0;
    }
    close(fd);
    return result;
}
