#ifndef GJKD_HTTP_SOCKET_PROGRESS_H
#define GJKD_HTTP_SOCKET_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* The bytes that the other side of a TCP connection has acknowledged since it began. False: the
 * kernel does not tell. */
bool gjkd_socket_acknowledged(int fd, uint64_t *bytes);

#endif
