#ifndef GJKD_HTTP_LISTEN_H
#define GJKD_HTTP_LISTEN_H

/* The listening sockets: one for each loop, all on the same address. */

#include "util/address.h"

#define GJKD_LISTEN_ERROR_MAX 192

/*
 * Opens count listening, non-blocking sockets on *address, among which the kernel spreads
 * new connections. Port 0 is replaced by the port that was picked. False: the address
 * cannot be bound, nothing is open, and error says why.
 */
bool gjkd_listen_open(gjkd_address *address, int *sockets, unsigned count,
                      char error[GJKD_LISTEN_ERROR_MAX]);

#endif
