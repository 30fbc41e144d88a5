/*
 * Encodes problems as application/problem+json (RFC 9457). `errors` lists the mistakes and their
 * places in the body. It is there with status 422, which judges the body, and wherever else a place
 * is known.
 */

#include <string.h>

#include "encode/encode.h"

static void put_string(struct proto_buffer *out, const char *key, const char *text) {
    proto_put_key(out, key);
    proto_put_string(out, text, strlen(text));
}

static void put_head(struct proto_buffer *out, proto_code code, const char *detail) {
    proto_put_text(out, "{\"type\":\"/problems/");
    proto_put_text(out, proto_code_text(code));
    proto_put_text(out, "\"");
    put_string(out, "title", proto_code_title(code));
    proto_put_key(out, "status");
    proto_put_integer(out, (uint64_t)proto_code_status(code));
    put_string(out, "detail", detail);
    put_string(out, "code", proto_code_text(code));
}

static void put_error(struct proto_buffer *out, const proto_error *error) {
    proto_put_item(out);
    proto_put_text(out, "{");
    put_string(out, "pointer", error->pointer);
    put_string(out, "code", proto_code_text(error->code));
    put_string(out, "detail", error->detail);
    proto_put_text(out, "}");
}

static void put_errors(struct proto_buffer *out, const struct proto_problem *problem) {
    proto_put_key(out, "errors");
    proto_put_text(out, "[");
    put_error(out, &(proto_error){problem->code, problem->pointer, problem->detail});
    for (uint32_t i = 0; i < problem->more_count; i++) {
        put_error(out, &problem->more[i]);
    }
    proto_put_text(out, "]");
}

void proto_encode_problem(struct proto_buffer *out, const struct proto_problem *problem) {
    put_head(out, problem->code, problem->detail);
    if (problem->hint[0] != '\0') {
        put_string(out, "hint", problem->hint);
    }
    if (problem->has_limit) {
        proto_put_key(out, "limit");
        proto_put_integer(out, problem->limit);
    }
    if (proto_code_status(problem->code) == 422 || problem->pointer[0] != '\0') {
        put_errors(out, problem);
    }
    proto_put_text(out, "}");
}

void proto_encode_code(struct proto_buffer *out, proto_code code) {
    put_head(out, code, proto_code_explanation(code));
    proto_put_text(out, "}");
}
