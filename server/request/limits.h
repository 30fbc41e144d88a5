#ifndef GJKD_REQUEST_LIMITS_H
#define GJKD_REQUEST_LIMITS_H

/* Limits of one request, and of all together. */

#include <stddef.h>
#include <stdint.h>

/* Bytes that a target (path and parameters) and all header fields together (as gjkd_head counts
 * them) may have. */
#define GJKD_TARGET_BYTES_MAX 4096
#define GJKD_FIELD_BYTES_MAX 8192
/* Parameters of a target, empty ones too: libmicrohttpd makes an entry of each. */
#define GJKD_PARAMETERS_MAX 32
/* How long a loop tries to answer a request before it leaves that to a worker, by the clock: with
 * the hop, which takes about 10 us, and the work that begins anew it comes to twice the work at
 * most. */
#define GJKD_TRIAL_NS ((uint64_t)50000)
/* So much processor time of workers counts as one query against the rate limits, where that is more
 * than what was asked. */
#define GJKD_QUERY_NS ((uint64_t)10000000)
/* Bytes that a client may send of a body that nobody will read, before its connection is closed. */
#define GJKD_DISCARD_BYTES_MAX ((uint64_t)64 << 20)
/* Bytes of a request's path that are logged. */
#define GJKD_LOGGED_PATH_BYTES_MAX 512

#endif
