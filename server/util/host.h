#ifndef GJKD_UTIL_HOST_H
#define GJKD_UTIL_HOST_H

/*
 * The Host header rule. Without tokens, a web page could reach the daemon by pointing a name of its
 * own at the daemon's address (DNS rebinding); the browser then sends that name as Host. Therefore
 * only names that nobody else can own are accepted: IP literals, localhost and those of
 * --allowed-host.
 */

#include "util/head.h"

#include <stdbool.h>
#include <stddef.h>

/* A short list of host names or web origins, as a setting gives it. */

#define GJKD_NAMES_MAX 64
#define GJKD_NAME_BYTES_MAX 255

struct gjkd_names {
    unsigned count;
    char names[GJKD_NAMES_MAX][GJKD_NAME_BYTES_MAX + 1];
};

/* Returns true if the text is a host name of letters, digits, '-', '_' and '.', without port. */
bool gjkd_is_host_name(const char *text, size_t length);

/* Returns true if a Host header, with or without port, is acceptable. Ignores case. */
bool gjkd_host_allowed(const char *header, const struct gjkd_names *allowed);

/*
 * Web origins (RFC 6454) whose pages may read the daemon's answers in a browser. An origin is
 * scheme://host or scheme://host:port, in lower case, as browsers send it.
 */

/* Returns true for an origin or "*". "null" is refused, because any sandboxed page has it. */
bool gjkd_is_origin(const char *text, size_t length);

/* Returns the entry that admits the header's origin, "*" or the origin itself, or NULL. */
const char *gjkd_origin_find(const char *header, const struct gjkd_names *allowed);

/*
 * Cross-origin requests (the Fetch standard, section 3.2): a browser lets a page read an answer
 * only if the answer names the page's origin, and asks in a preflight request before it sends
 * anything that a form could not send.
 */

/* The CORS header fields of an answer. Texts live as long as the configuration. */
typedef struct gjkd_cors {
    const char *allow_origin; /* NULL: only pages of the daemon's own origin may read the answer */
    bool varies;              /* the answer depends on the origin */
    bool preflight;           /* the answer lists what may be sent */
} gjkd_cors;

/* Returns true if the request is a preflight, which needs no token. */
bool gjkd_cors_is_preflight(const gjkd_head *head);

gjkd_cors gjkd_cors_make(const struct gjkd_names *allowed, const gjkd_head *head);

/* Calls add for each header field of the answer. */
typedef void (*gjkd_add_field)(void *response, const char *name, const char *value);
void gjkd_cors_each_field(const gjkd_cors *cors, gjkd_add_field add, void *response);

#endif
