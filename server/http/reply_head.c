/* Formats a response's head as RFC 9112 has it, with the fields in the order they were added. */

#include "http/reply_head.h"

#include <microhttpd.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

struct head {
    char *text;
    size_t length; /* GJKD_REPLY_HEAD_MAX: it did not fit */
};

static void add(struct head *head, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct head *head, const char *format, ...) {
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
    add(closure, "%s: %s\r\n", name, value);
    return MHD_YES;
}

/* The names of days and months are C's: the daemon sets no locale. */
static void add_date(struct head *head) {
    char text[64];
    time_t now = time(NULL);
    struct tm then;
    if (gmtime_r(&now, &then) != NULL &&
        strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &then) > 0) {
        add(head, "Date: %s\r\n", text);
    }
}

size_t gjkd_reply_head(char text[GJKD_REPLY_HEAD_MAX], unsigned status,
                       struct MHD_Response *response, size_t body_bytes) {
    struct head head = {text, 0};
    add(&head, "HTTP/1.1 %u %s\r\n", status, MHD_get_reason_phrase_for(status));
    add_date(&head);
    MHD_get_response_headers(response, on_field, &head);
    add(&head, "Content-Length: %zu\r\n\r\n", body_bytes);
    return head.length < GJKD_REPLY_HEAD_MAX ? head.length : 0;
}
