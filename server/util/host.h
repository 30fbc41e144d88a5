#ifndef GJKD_UTIL_HOST_H
#define GJKD_UTIL_HOST_H

/*
 * The Host header rule. Without tokens, a web page could reach the daemon by pointing a name of its
 * own at the daemon's address (DNS rebinding); the browser then sends that name as Host. Therefore
 * only names that nobody else can own are accepted: IP literals, localhost and those of
 * --allowed-host.
 */

#include "util/names.h"

#include <stdbool.h>
#include <stddef.h>

/* Returns true if it is a host name: letters, digits, '-', '_' and '.', not empty, without port. */
bool gjkd_is_host_name(const char *text, size_t length);

/* header: the value of Host, with or without a port, compared without case. */
bool gjkd_host_allowed(const char *header, const struct gjkd_names *allowed);

#endif
