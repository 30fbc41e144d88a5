#ifndef GJKD_SECURITY_CONNECTION_LIMITER_H
#define GJKD_SECURITY_CONNECTION_LIMITER_H

/*
 * How many connections are open, over all loops: in all, and for each address, so that one
 * client cannot take the places of all others. Memory is bounded by the number of open
 * connections. Thread-safe.
 */

#include "util/network.h"

struct gjkd_connection_limiter;

/* So many in all, and so many an address (0: no limit). NULL: out of memory. */
struct gjkd_connection_limiter *gjkd_connection_limiter_new(uint64_t total_max,
                                                            uint64_t per_address_max);
void gjkd_connection_limiter_free(
    struct gjkd_connection_limiter *connection_limiter); /* NULL is allowed */

/*
 * One connection more. ip NULL: not counted by address. False: there is no room for it, and
 * nothing is counted. An IPv6 address counts with all of its /64, which one client may own.
 */
bool gjkd_connection_limiter_enter(struct gjkd_connection_limiter *connection_limiter,
                                   const gjkd_ip *ip);

/* One connection less that had entered, with the same ip. */
void gjkd_connection_limiter_leave(struct gjkd_connection_limiter *connection_limiter,
                                   const gjkd_ip *ip);

#endif
