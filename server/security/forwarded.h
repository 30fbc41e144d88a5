#ifndef GJKD_SECURITY_FORWARDED_H
#define GJKD_SECURITY_FORWARDED_H

/*
 * The client behind a proxy. Every proxy appends to X-Forwarded-For the address of its own peer;
 * only what a trusted proxy appended is believed.
 */

#include "util/network.h"

/*
 * The client of a connection from peer: peer itself unless it is trusted; else the last address
 * of the header (NULL: none) that is not trusted. Where an entry is no address, whoever sent it
 * is the client. Entries may carry a port.
 */
gjkd_ip gjkd_forwarded_client(const gjkd_ip *peer, const char *header,
                              const struct gjkd_networks *trusted);

#endif
