#ifndef GJKD_UTIL_ORIGIN_H
#define GJKD_UTIL_ORIGIN_H

/*
 * Web origins (RFC 6454) whose pages may read the daemon's answers in a browser. An origin is
 * scheme://host or scheme://host:port, in lower case, as browsers send it.
 */

#include "util/names.h"

#include <stdbool.h>
#include <stddef.h>

/* Returns true if it is an origin or "*". "null" is refused, because any sandboxed page has it. */
bool gjkd_is_origin(const char *text, size_t length);

/* The entry that admits the origin in the header's value: "*" or the origin itself. NULL: none. */
const char *gjkd_origin_find(const char *header, const struct gjkd_names *allowed);

/* Returns true if "*" is in the list. */
bool gjkd_origins_any(const struct gjkd_names *allowed);

#endif
