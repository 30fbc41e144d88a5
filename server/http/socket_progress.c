/* TCP_INFO, tcp(7). The kernel's header has the counter of bytes, that of libc does not. */

#include "http/socket_progress.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>

bool gjkd_socket_acknowledged(int fd, uint64_t *bytes) {
    struct tcp_info info;
    socklen_t length = sizeof info;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0 ||
        length < offsetof(struct tcp_info, tcpi_bytes_acked) + sizeof info.tcpi_bytes_acked) {
        return false;
    }
    *bytes = info.tcpi_bytes_acked;
    return true;
}
