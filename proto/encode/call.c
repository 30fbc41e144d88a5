/* Encodes what stands before the body of a call's answer, or before an event of a stream. */

#include "proto/call.h"

#include <string.h>

#include "json/writer.h"

static void put_member(struct proto_buffer *out, const char *key, uint64_t value) {
    proto_put_key(out, key);
    proto_put_integer(out, value);
}

void proto_encode_answer_begin(struct proto_buffer *out, const proto_call_answer *answer) {
    proto_put_text(out, "{");
    put_member(out, "id", answer->id);
    put_member(out, "status", answer->status);
    if (answer->header_count > 0) {
        proto_put_key(out, "headers");
        proto_put_text(out, "{");
        for (uint32_t i = 0; i < answer->header_count; i++) {
            proto_put_key(out, answer->headers[i].name);
            proto_put_string_or_null(out, answer->headers[i].value);
        }
        proto_put_text(out, "}");
    }
    if (answer->content_type != NULL) {
        proto_put_key(out, "body");
    }
}

void proto_encode_event_begin(struct proto_buffer *out, uint64_t id) {
    proto_put_text(out, "{");
    put_member(out, "id", id);
    proto_put_key(out, "event");
}

void proto_encode_text(struct proto_buffer *out, proto_text text) {
    proto_put_string(out, text.data, text.length);
}
