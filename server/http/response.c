/* Sets the header fields one by one; libmicrohttpd adds Date and Content-Length. */

#include "http/response.h"

#include "http/reply_head.h"
#include "request/context.h"

#include <inttypes.h>
#include <microhttpd.h>
#include <stdio.h>
#include <string.h>

/* Sets a field that has a value. */
static void add(void *response, const char *name, const char *value) {
    if (value != NULL && value[0] != '\0') {
        MHD_add_response_header(response, name, value);
    }
}

static void add_fields(const struct gjkd_request *request, struct MHD_Response *response) {
    const gjkd_reply *reply = &request->reply;
    add(response, "X-Content-Type-Options", "nosniff");
    add(response, "Content-Type", reply->content_type);
    if (reply->policy != NULL) {
        add(response, "Content-Security-Policy", reply->policy);
        add(response, "Vary", "Accept");
    }
    add(response, "ETag", reply->etag);
    add(response, "Allow", reply->allow);
    if (reply->retry_after_s > 0) {
        char seconds[24];
        snprintf(seconds, sizeof seconds, "%" PRIu64, reply->retry_after_s);
        add(response, "Retry-After", seconds);
    }
    add(response, "WWW-Authenticate", reply->challenge);
    gjkd_cors_each_field(&request->cors, add, response);
    add(response, "X-Request-Id", request->request_id);
    char timing[GJKD_TIMING_TEXT_MAX];
    gjkd_timing_format(&request->timing, timing);
    add(response, "Server-Timing", timing);
    if (reply->close || gjkd_is_draining(request->context)) {
        add(response, "Connection", "close");
    }
}

struct MHD_Response *gjkd_response_make(struct gjkd_request *request) {
    static char nothing[1];
    if (request->timing.ended_ns == 0) {
        request->timing.ended_ns = uv_hrtime(); /* refused before it ran */
    }
    const gjkd_reply *reply = &request->reply;
    void *data = reply->length > 0 ? (void *)(uintptr_t)reply->data : nothing;
    struct MHD_Response *response =
        MHD_create_response_from_buffer(reply->length, data, MHD_RESPMEM_PERSISTENT);
    if (response != NULL) {
        add_fields(request, response);
    }
    return response;
}

const char *gjkd_response_write(struct gjkd_request *request, size_t *length) {
    const gjkd_reply *reply = &request->reply;
    struct MHD_Response *response = gjkd_response_make(request);
    char *text = gjk_arena_alloc(&request->arena, GJKD_REPLY_HEAD_MAX + reply->length);
    *length = response != NULL && text != NULL
                  ? gjkd_reply_head(text, (unsigned)reply->status, response, reply->length)
                  : 0;
    MHD_destroy_response(response);
    if (*length > 0 && request->head.method != GJKD_HEAD) {
        memcpy(text + *length, reply->data, reply->length);
        *length += reply->length;
    }
    return *length > 0 ? text : NULL;
}
