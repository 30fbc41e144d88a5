/* Sets the header fields one by one; libmicrohttpd adds Date and Content-Length. */

#include "http/response.h"

#include "request/context.h"
#include "security/tls.h"

#include <inttypes.h>
#include <microhttpd.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define NS_PER_MS UINT64_C(1000000)

/* Bytes of a streamed body that are printed at a time, in about 50 us. */
#define STREAM_BYTES 16384

/* The same for event streams: there are many, and their events are small. */
#define EVENT_BYTES 1024

/* Sets a field that has a value. */
static void add_header(void *response, const char *name, const char *value) {
    if (value != NULL && value[0] != '\0') {
        MHD_add_response_header(response, name, value);
    }
}

static const char *durability_of(const struct gjkd_request *request) {
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

void gjkd_response_each_field(const struct gjkd_request *request, gjkd_field_numbers *numbers,
                              gjkd_add_field add, void *to) {
    const gjkd_reply *reply = &request->reply;
    add(to, "Content-Encoding", reply->content_encoding);
    add(to, "Vary", reply->varies_by_coding ? "Accept-Encoding" : NULL);
    add(to, "ETag", reply->etag);
    add(to, "Gjkd-Durability", durability_of(request));
    if (request->known_ns != 0) { /* age of the newest moment whose writes the answer contains */
        const uint64_t age_ns = uv_hrtime() - request->known_ns;
        snprintf(numbers->age, sizeof numbers->age, "%" PRIu64,
                 (age_ns + NS_PER_MS - 1) / NS_PER_MS);
        add(to, "Gjkd-Age-Ms", numbers->age);
    }
    add(to, "Allow", reply->allow);
    if (reply->retry_after_s > 0) {
        snprintf(numbers->retry_after, sizeof numbers->retry_after, "%" PRIu64,
                 reply->retry_after_s);
        add(to, "Retry-After", numbers->retry_after);
    }
    add(to, "WWW-Authenticate", reply->challenge);
    add(to, "X-Request-Id", request->request_id);
}

void gjkd_response_add_fields(const struct gjkd_request *request, struct MHD_Response *response) {
    const gjkd_reply *reply = &request->reply;
    add_header(response, "X-Content-Type-Options", "nosniff");
    add_header(response, "Content-Type", reply->content_type);
    if (reply->policy != NULL) {
        add_header(response, "Content-Security-Policy", reply->policy);
        add_header(response, "Vary", "Accept");
    }
    if (reply->accept_key != NULL) {
        add_header(response, "Upgrade", "websocket");
        add_header(response, "Sec-WebSocket-Accept", reply->accept_key);
        add_header(response, "Sec-WebSocket-Protocol", reply->protocol);
    }
    if (reply->watch != NULL) {
        add_header(response, "Cache-Control", "no-store");
        add_header(response, "X-Accel-Buffering", "no"); /* else nginx delays events */
    }
    gjkd_field_numbers numbers;
    gjkd_response_each_field(request, &numbers, add_header, response);
    if (reply->tells_version) {
        add_header(response, "Sec-WebSocket-Version", "13");
    }
    gjkd_cors_each_field(&request->cors, add_header, response);
    char timing[GJKD_TIMING_TEXT_MAX];
    gjkd_timing_format(&request->timing, timing);
    add_header(response, "Server-Timing", timing);
    if (reply->close || gjkd_is_draining(request->context)) {
        add_header(response, "Connection", "close");
    }
}

/* Makes a response whose body is in several texts. libmicrohttpd copies the vector, not the
 * texts. */
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

/* Reads a body for libmicrohttpd. Returns 0 for a stream of events if its connection was suspended
 * until there are more. */
static ssize_t read_body(void *closure, uint64_t position, char *to, size_t length) {
    const gjkd_reply *reply = &((struct gjkd_request *)closure)->reply;
    const bool is_watch = reply->watch != NULL;
    (void)position; /* always the end of the last call */
    const size_t count = reply->read(reply->reader, to, length);
    if (count == SIZE_MAX && !is_watch) {
        return MHD_CONTENT_READER_END_WITH_ERROR;
    }
    return count == (is_watch ? SIZE_MAX : 0) ? MHD_CONTENT_READER_END_OF_STREAM : (ssize_t)count;
}

struct MHD_Response *gjkd_response_make(struct gjkd_request *request) {
    static char nothing[1];
    if (request->timing.ended_ns == 0) {
        request->timing.ended_ns = uv_hrtime(); /* the request was refused before it ran */
    }
    const gjkd_reply *reply = &request->reply;
    struct MHD_Response *response;
    const bool is_chunked = reply->watch != NULL || reply->is_open_ended;
    if (reply->watch != NULL || reply->read != NULL) {
        response =
            MHD_create_response_from_callback(is_chunked ? MHD_SIZE_UNKNOWN : reply->length,
                                              reply->watch != NULL ? EVENT_BYTES : STREAM_BYTES,
                                              read_body, request, NULL);
    } else if (reply->texts != NULL) {
        response = make_of_texts(request);
    } else {
        void *data = reply->length > 0 ? (void *)(uintptr_t)reply->data : nothing;
        response = MHD_create_response_from_buffer(reply->length, data, MHD_RESPMEM_PERSISTENT);
    }
    if (response != NULL && is_chunked && request->head.method == GJKD_HEAD) {
        /* Else libmicrohttpd sends the last chunk of a body that HEAD does not have. */
        MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
    }
    if (response != NULL) {
        gjkd_response_add_fields(request, response);
    }
    return response;
}

/* Returns the bytes of the whole response, in the request's arena. NULL if memory is exhausted or
 * the head is too long. */
static const char *response_write(struct gjkd_request *request, size_t *length) {
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

/* --- The head as bytes (RFC 9112), with the fields in the order in which they were added --- */

struct head {
    char *text;
    size_t length; /* GJKD_REPLY_HEAD_MAX if the head did not fit */
};

static void add_head_line(struct head *head, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_head_line(struct head *head, const char *format, ...) {
    size_t room = GJKD_REPLY_HEAD_MAX - head->length;
    va_list arguments;
    va_start(arguments, format);
    int length = room > 0 ? vsnprintf(head->text + head->length, room, format, arguments) : 0;
    va_end(arguments);
    head->length += length >= 0 && (size_t)length < room ? (size_t)length : room;
}

static enum MHD_Result on_field(void *closure, enum MHD_ValueKind kind, const char *name,
                                const char *value) {
    (void)kind;
    add_head_line(closure, "%s: %s\r\n", name, value);
    return MHD_YES;
}

/* Adds the Date field. The names of days and months are English, since the daemon sets no
 * locale. */
static void add_date(struct head *head) {
    char text[64];
    time_t now = time(NULL);
    struct tm then;
    if (gmtime_r(&now, &then) != NULL &&
        strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &then) > 0) {
        add_head_line(head, "Date: %s\r\n", text);
    }
}

size_t gjkd_reply_head(char text[GJKD_REPLY_HEAD_MAX], unsigned status,
                       struct MHD_Response *response, size_t body_bytes) {
    struct head head = {text, 0};
    add_head_line(&head, "HTTP/1.1 %u %s\r\n", status, MHD_get_reason_phrase_for(status));
    add_date(&head);
    MHD_get_response_headers(response, on_field, &head);
    add_head_line(&head, "Content-Length: %zu\r\n\r\n", body_bytes);
    return head.length < GJKD_REPLY_HEAD_MAX ? head.length : 0;
}

/* Sends a refusal past libmicrohttpd. It is short and the socket has nothing else to send, so one
 * call nearly always takes all of it. Returns false otherwise. */
static bool send_all(const struct gjkd_exchange *exchange, const char *data, size_t length) {
    const union MHD_ConnectionInfo *tls =
        exchange->http->context->security.tls != NULL
            ? MHD_get_connection_info(exchange->connection, MHD_CONNECTION_INFO_GNUTLS_SESSION)
            : NULL;
    if (tls != NULL) {
        return gjkd_tls_send_last(tls->tls_session, data, length);
    }
    ssize_t sent =
        send(gjkd_fd_of(exchange->connection), data, length, MSG_NOSIGNAL | MSG_DONTWAIT);
    return sent >= 0 && (size_t)sent == length;
}

bool gjkd_direct_reply_send(struct gjkd_exchange *exchange) {
    size_t length;
    exchange->request.reply.close = true;
    const char *text = response_write(&exchange->request, &length);
    return text != NULL && send_all(exchange, text, length);
}
