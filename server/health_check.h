#ifndef GJKD_HEALTH_CHECK_H
#define GJKD_HEALTH_CHECK_H

#include "util/network.h"

/*
 * Asks the daemon at the address whether it is ready (GET /readyz), as a container's health
 * check does where there is no shell and no curl. 0: it is; 1: it is not, or does not
 * answer within two seconds. An address that means every interface is asked on loopback.
 */
int gjkd_health_check(const gjkd_address *address, bool tls);

/*
 * Prints what the node at http://[TOKEN@]HOST:PORT, or https, answers to GET /v1/cluster. Its
 * certificate has to be one that the machine trusts. 0: it is in a cluster; 1: it is in none,
 * refuses or does not answer; 2: the URL is none.
 */
int gjkd_print_cluster(const char *url);

#endif
