#ifndef GJKD_HEALTH_CHECK_H
#define GJKD_HEALTH_CHECK_H

#include "util/network.h"

/*
 * Asks the daemon at the address whether it is ready (GET /readyz): the health check of a container
 * without shell and curl. Returns 0 if it is ready, 1 if it is not or does not answer within two
 * seconds. An address that means every interface is replaced by loopback.
 */
int gjkd_health_check(const gjkd_address *address, bool tls);

/*
 * Prints the answer to GET /v1/cluster of the node at http://[TOKEN@]HOST:PORT, or https, whose
 * certificate the machine must trust. Returns 0 if the node is in a cluster; 1 if it is in none,
 * refuses or does not answer; 2 if the URL is invalid.
 */
int gjkd_print_cluster(const char *url);

#endif
