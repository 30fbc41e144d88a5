/* Which pages may read the answer? A page of a foreign origin is told nothing, and its browser
 * keeps the answer from it. */

#include "security/cors.h"

#include <microhttpd.h>

/* How long a browser remembers the answer to a preflight; none remembers longer than a day. */
#define MAX_AGE_S "86400"

bool gjkd_cors_is_preflight(const gjkd_head *head) {
    return head->method == GJKD_OPTIONS && head->origin != NULL && head->request_method != NULL;
}

gjkd_cors gjkd_cors_make(const struct gjkd_origins *allowed, const gjkd_head *head) {
    gjkd_cors cors = {.varies = allowed->count > 0 && !gjkd_origins_any(allowed)};
    cors.allow_origin = head->origin != NULL ? gjkd_origin_find(head->origin, allowed) : NULL;
    cors.preflight = cors.allow_origin != NULL && gjkd_cors_is_preflight(head);
    return cors;
}

void gjkd_cors_add(const gjkd_cors *cors, struct MHD_Response *response) {
    if (cors->varies) {
        MHD_add_response_header(response, "Vary", "Origin");
    }
    if (cors->allow_origin == NULL) {
        return;
    }
    MHD_add_response_header(response, "Access-Control-Allow-Origin", cors->allow_origin);
    if (cors->preflight) {
        MHD_add_response_header(response, "Access-Control-Allow-Methods",
                                "GET, HEAD, PUT, POST, PATCH, DELETE");
        MHD_add_response_header(response, "Access-Control-Allow-Headers",
                                "Accept, Authorization, Content-Type, Gjkd-Timeout-Ms, If-Match, "
                                "If-None-Match, X-Request-Id");
        MHD_add_response_header(response, "Access-Control-Max-Age", MAX_AGE_S);
    } else {
        MHD_add_response_header(response, "Access-Control-Expose-Headers",
                                "Allow, ETag, Location, Retry-After, Server-Timing, "
                                "WWW-Authenticate, X-Request-Id");
    }
}
