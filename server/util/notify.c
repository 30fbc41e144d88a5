/*
 * The protocol of sd_notify(3): one datagram to the socket that the service manager names. A name
 * that begins with @ is abstract: its first byte is 0, and its length counts.
 */

#include "util/notify.h"

#include "util/log.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static const char *write_notice(gjkd_notice notice, char text[128]) {
    struct timespec now;
    switch (notice) {
    case GJKD_NOTICE_READY:
        return "READY=1\nSTATUS=serving";
    case GJKD_NOTICE_STOPPING:
        return "STOPPING=1\nSTATUS=draining";
    case GJKD_NOTICE_RELOADING:
        break;
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(text, 128, "RELOADING=1\nMONOTONIC_USEC=%lld\nSTATUS=reloading",
             (long long)now.tv_sec * 1000000 + now.tv_nsec / 1000);
    return text;
}

static bool send_to(const char *path, const char *text) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    if ((path[0] != '/' && path[0] != '@') || length >= sizeof name.sun_path) {
        errno = EINVAL;
        return false;
    }
    memcpy(name.sun_path, path, length);
    if (path[0] == '@') {
        name.sun_path[0] = '\0';
    }
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return false;
    }
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    bool sent = sendto(fd, text, strlen(text), MSG_NOSIGNAL,
                       (const struct sockaddr *)(const void *)&name, size) >= 0;
    close(fd);
    return sent;
}

void gjkd_notify(gjkd_notice notice) {
    char text[128];
    const char *path = getenv("NOTIFY_SOCKET");
    if (path != NULL && path[0] != '\0' && !send_to(path, write_notice(notice, text))) {
        gjkd_log(GJKD_LOG_WARNING, "the service manager at %.108s cannot be told: %s", path,
                 strerror(errno));
    }
}
