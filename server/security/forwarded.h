#ifndef GJKD_SECURITY_FORWARDED_H
#define GJKD_SECURITY_FORWARDED_H

/*
 * Who is the client behind a proxy? X-Forwarded-For is a list to which every proxy adds, at its
 * end, the address that spoke to it. Only what a trusted proxy added is believed.
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
