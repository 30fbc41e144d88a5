#ifndef GJKD_SECURITY_CORS_H
#define GJKD_SECURITY_CORS_H

/*
 * Cross-origin requests (the Fetch standard, section 3.2): a browser lets a page read an answer
 * only if the answer names the page's origin, and asks in a preflight request before it sends
 * anything that a form could not send.
 */

#include "util/head.h"
#include "util/origin.h"

/* The CORS header fields of an answer. Texts live as long as the configuration. */
typedef struct gjkd_cors {
    const char *allow_origin; /* NULL: only pages of the same origin may read it */
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
