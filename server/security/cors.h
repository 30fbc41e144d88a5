#ifndef GJKD_SECURITY_CORS_H
#define GJKD_SECURITY_CORS_H

/*
 * Cross-origin requests (the Fetch standard, section 3.2): browsers let a page read an answer
 * only when the answer names the page's origin, and ask beforehand whether they may send a
 * request that a form could not.
 */

#include "util/head.h"
#include "util/origin.h"

struct MHD_Response;

/* What an answer tells browsers. Texts live as long as the configuration. */
typedef struct gjkd_cors {
    const char *allow_origin; /* NULL: no page of another origin may read it */
    bool varies;              /* another origin might get another answer */
    bool preflight;           /* and this is what may be sent */
} gjkd_cors;

/* Does a browser ask whether it may? Such a request needs no token. */
bool gjkd_cors_is_preflight(const gjkd_head *head);

gjkd_cors gjkd_cors_make(const struct gjkd_origins *allowed, const gjkd_head *head);

void gjkd_cors_add(const gjkd_cors *cors, struct MHD_Response *response);

#endif
