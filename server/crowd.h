#ifndef GJKD_CROWD_H
#define GJKD_CROWD_H

/*
 * How many connections are open, over all loops: in all, and for each address, so that one
 * client cannot take the places of all others. Memory is bounded by the number of open
 * connections. Thread-safe.
 */

#include "network.h"

struct gjkd_crowd;

/* So many in all, and so many an address (0: no limit). NULL: out of memory. */
struct gjkd_crowd *gjkd_crowd_new(uint64_t total_max, uint64_t per_address_max);
void gjkd_crowd_free(struct gjkd_crowd *crowd); /* NULL is allowed */

/*
 * One connection more. ip NULL: not counted by address. False: there is no room for it, and
 * nothing is counted. An IPv6 address counts with all of its /64, which one client may own.
 */
bool gjkd_crowd_enter(struct gjkd_crowd *crowd, const gjkd_ip *ip);

/* One connection less that had entered, with the same ip. */
void gjkd_crowd_leave(struct gjkd_crowd *crowd, const gjkd_ip *ip);

#endif
