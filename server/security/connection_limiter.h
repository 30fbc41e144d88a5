#ifndef GJKD_SECURITY_CONNECTION_LIMITER_H
#define GJKD_SECURITY_CONNECTION_LIMITER_H

/*
 * Limits the open connections over all loops, in total and by client address. Memory is bounded
 * by the number of open connections. Thread-safe.
 */

#include "util/network.h"

struct gjkd_connection_limiter;

/* total_max connections in all and per_address_max for each address (0: no limit). NULL: out of
 * memory. */
struct gjkd_connection_limiter *gjkd_connection_limiter_new(uint64_t total_max,
                                                            uint64_t per_address_max);
void gjkd_connection_limiter_free(struct gjkd_connection_limiter *limiter); /* NULL is allowed */

/*
 * Counts a new connection. ip NULL: it is not counted by address. False: a limit is reached, and
 * nothing is counted. IPv6 addresses are counted by /64 prefix, since one client may own all of
 * it.
 */
bool gjkd_connection_limiter_admit(struct gjkd_connection_limiter *limiter, const gjkd_ip *ip);

/* Counts an admitted connection, with the same ip, as closed. */
void gjkd_connection_limiter_release(struct gjkd_connection_limiter *limiter, const gjkd_ip *ip);

#endif
