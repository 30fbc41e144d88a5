/* Sets the header fields one by one; libmicrohttpd adds Date and Content-Length. */

#include "http/response.h"

#include "http/reply_head.h"
#include "request/context.h"

#include <inttypes.h>
#include <microhttpd.h>
#include <stdio.h>
#include <string.h>

/* So many bytes of a body that is read are written at a time, in about 50 us. */
#define STREAM_BYTES 16384

/* The same of event streams, for HTTP/1.0; there are many, and their events are small. */
#define EVENT_BYTES 1024

/* Sets a field that has a value. */
static void add(void *response, const char *name, const char *value) {
    if (value != NULL && value[0] != '\0') {
        MHD_add_response_header(response, name, value);
    }
}

const char *gjkd_response_durability(const struct gjkd_request *request) {
    switch (request->change.durability) {
    case GJKD_IN_MEMORY:
        return "memory";
    case GJKD_ON_DISK:
        return "disk";
    case GJKD_IN_QUORUM:
        return "quorum";
    case GJKD_NO_WRITE:
    case GJKD_NOT_STORED:
        break;
    }
    return NULL;
}

void gjkd_response_add_fields(const struct gjkd_request *request, struct MHD_Response *response) {
    const gjkd_reply *reply = &request->reply;
    add(response, "X-Content-Type-Options", "nosniff");
    add(response, "Content-Type", reply->content_type);
    if (reply->policy != NULL) {
        add(response, "Content-Security-Policy", reply->policy);
        add(response, "Vary", "Accept");
    }
    if (reply->accept_key != NULL) {
        add(response, "Upgrade", "websocket");
        add(response, "Sec-WebSocket-Accept", reply->accept_key);
        add(response, "Sec-WebSocket-Protocol", reply->protocol);
    }
    if (reply->watch != NULL) {
        add(response, "Cache-Control", "no-store");
        add(response, "X-Accel-Buffering", "no"); /* nginx would hold events back */
    }
    add(response, "Content-Encoding", reply->content_encoding);
    if (reply->varies_by_coding) {
        add(response, "Vary", "Accept-Encoding");
    }
    add(response, "ETag", reply->etag);
    add(response, "Gjkd-Durability", gjkd_response_durability(request));
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

/* libmicrohttpd copies the vector, not the texts. */
static struct MHD_Response *make_of_texts(struct gjkd_request *request) {
    const gjkd_reply *reply = &request->reply;
    struct MHD_IoVec *vector =
        gjk_arena_alloc_array(&request->arena, reply->text_count, sizeof *vector);
    for (size_t i = 0; vector != NULL && i < reply->text_count; i++) {
        vector[i] = (struct MHD_IoVec){reply->texts[i].data, reply->texts[i].length};
    }
    return vector == NULL
               ? NULL
               : MHD_create_response_from_iovec(vector, (unsigned)reply->text_count, NULL, NULL);
}

/* 0: the reader has suspended the connection until there is more. */
static ssize_t read_events(void *closure, uint64_t position, char *to, size_t length) {
    const gjkd_reply *reply = &((struct gjkd_request *)closure)->reply;
    (void)position;
    size_t count = reply->read(reply->reader, to, length);
    return count != SIZE_MAX ? (ssize_t)count : MHD_CONTENT_READER_END_OF_STREAM;
}

static ssize_t read_on(void *closure, uint64_t position, char *to, size_t length) {
    const gjkd_reply *reply = &((struct gjkd_request *)closure)->reply;
    (void)position; /* always where the last call ended */
    size_t count = reply->read(reply->reader, to, length);
    return count > 0 ? (ssize_t)count : MHD_CONTENT_READER_END_OF_STREAM;
}

struct MHD_Response *gjkd_response_make(struct gjkd_request *request) {
    static char nothing[1];
    if (request->timing.ended_ns == 0) {
        request->timing.ended_ns = uv_hrtime(); /* refused before it ran */
    }
    const gjkd_reply *reply = &request->reply;
    struct MHD_Response *response;
    if (reply->watch != NULL) {
        response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, EVENT_BYTES, read_events,
                                                     request, NULL);
        if (response != NULL && request->head.method == GJKD_HEAD) {
            /* Else libmicrohttpd ends the chunks of the body that is not there. */
            MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
        }
    } else if (reply->read != NULL) {
        response =
            MHD_create_response_from_callback(reply->length, STREAM_BYTES, read_on, request, NULL);
    } else if (reply->texts != NULL) {
        response = make_of_texts(request);
    } else {
        void *data = reply->length > 0 ? (void *)(uintptr_t)reply->data : nothing;
        response = MHD_create_response_from_buffer(reply->length, data, MHD_RESPMEM_PERSISTENT);
    }
    if (response != NULL) {
        gjkd_response_add_fields(request, response);
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
