#ifndef GJKD_REQUEST_LIMITS_H
#define GJKD_REQUEST_LIMITS_H

/* What one request, and all of them together, may take of the daemon. */

#include <stddef.h>
#include <stdint.h>

/* Bytes that a target (path and parameters) and all header fields together (as gjkd_head counts
 * them) may have. */
#define GJKD_TARGET_BYTES_MAX 4096
#define GJKD_FIELD_BYTES_MAX 8192
/* What a client may send of a body that nobody will read, before its connection is closed. */
#define GJKD_DISCARD_BYTES_MAX ((uint64_t)64 << 20)
/* What of a request's path is logged. */
#define GJKD_LOGGED_PATH_BYTES_MAX 512

#endif
