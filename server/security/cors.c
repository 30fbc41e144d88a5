/* Compares the request's origin with the allowed ones. An answer without the header fields below is
 * withheld from the page by its browser. */

#include "security/cors.h"

/* How long a browser caches the answer to a preflight; none does so for longer than a day. */
#define MAX_AGE_S "86400"

bool gjkd_cors_is_preflight(const gjkd_head *head) {
    return head->method == GJKD_OPTIONS && head->origin != NULL && head->request_method != NULL;
}

gjkd_cors gjkd_cors_make(const struct gjkd_names *allowed, const gjkd_head *head) {
    gjkd_cors cors = {.varies = allowed->count > 0 && !gjkd_origins_any(allowed)};
    cors.allow_origin = head->origin != NULL ? gjkd_origin_find(head->origin, allowed) : NULL;
    cors.preflight = cors.allow_origin != NULL && gjkd_cors_is_preflight(head);
    return cors;
}

void gjkd_cors_each_field(const gjkd_cors *cors, gjkd_add_field add, void *response) {
    if (cors->varies) {
        add(response, "Vary", "Origin");
    }
    if (cors->allow_origin == NULL) {
        return;
    }
    add(response, "Access-Control-Allow-Origin", cors->allow_origin);
    if (cors->preflight) {
        add(response, "Access-Control-Allow-Methods", "GET, HEAD, PUT, POST, PATCH, DELETE");
        add(response, "Access-Control-Allow-Headers",
            "Accept, Authorization, Content-Encoding, Content-Type, Gjkd-Min-Revision, "
            "Gjkd-Timeout-Ms, If-Match, If-None-Match, Last-Event-ID, X-Request-Id");
        add(response, "Access-Control-Max-Age", MAX_AGE_S);
    } else {
        add(response, "Access-Control-Expose-Headers",
            "Allow, ETag, Gjkd-Durability, Location, Retry-After, Server-Timing, "
            "WWW-Authenticate, X-Request-Id");
    }
}
