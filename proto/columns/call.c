/*
 * The messages Call and Answer, read and written field by field. Texts are short; a body is neither
 * copied nor looked at. Wire format: https://protobuf.dev/programming-guides/encoding.
 */

#include "proto/call.h"

#include <string.h>

#include "columns/columns.h"
#include "json/text.h"

/* Fields of Call and of Answer. */
enum { CALL_ID = 1, CALL_METHOD, CALL_PATH, CALL_CONTENT_TYPE, CALL_BODY, CALL_HEADER };
enum { ANSWER_ID = 1, ANSWER_STATUS, ANSWER_CONTENT_TYPE, ANSWER_BODY, ANSWER_HEADER };

static bool refuse(struct proto_problem *problem, const char *what) {
    proto_problem_set(problem, PROTO_MALFORMED_PROTOBUF, "%s", what);
    return false;
}

/* --- Call --- */

/* Is it UTF-8 without control characters? */
static bool is_plain(proto_text text) {
    for (size_t i = 0; i < text.length;) {
        const size_t step = proto_utf8_sequence(text.data + i, text.length - i);
        if (step == 0 || (unsigned char)text.data[i] < 0x20 || text.data[i] == 0x7f) {
            return false;
        }
        i += step;
    }
    return true;
}

static bool copy(struct gjk_arena *arena, proto_text text, const char **out,
                 struct proto_problem *problem) {
    if (!is_plain(text)) {
        return refuse(problem, "a text of the call is not plain UTF-8");
    }
    *out = gjk_arena_copy_text(arena, text.length > 0 ? text.data : "", text.length);
    if (*out == NULL) {
        proto_problem_set(problem, PROTO_OUT_OF_MEMORY, "no memory for the call");
        return false;
    }
    return true;
}

/* "Name: value". One that is wrong is noted, so that the call can be refused by its id. */
static bool add_header(struct gjk_arena *arena, proto_text text, proto_call *out,
                       struct proto_problem *problem) {
    const char *line = NULL;
    if (out->header_count == PROTO_CALL_HEADERS_MAX) {
        if (problem->code == PROTO_OK) {
            proto_problem_set(problem, PROTO_HEADERS_TOO_LARGE, "a call has %d headers",
                              PROTO_CALL_HEADERS_MAX);
            (void)proto_problem_limit(problem, PROTO_CALL_HEADERS_MAX);
        }
        return true;
    }
    if (!copy(arena, text, &line, problem)) {
        return false;
    }
    char *colon = strchr(line, ':');
    if (colon == NULL) {
        if (problem->code == PROTO_OK) {
            proto_problem_set(problem, PROTO_BAD_REQUEST, "a header has the form \"Name: value\"");
        }
        return true;
    }
    *colon = '\0';
    out->headers[out->header_count++] =
        (proto_call_header){line, colon + 1 + strspn(colon + 1, " \t")};
    return true;
}

static bool take_text(struct gjk_arena *arena, uint64_t field, proto_text text, proto_call *out,
                      struct proto_problem *problem) {
    switch (field) {
    case CALL_ID:
        return refuse(problem, "the id of a call is a number");
    case CALL_METHOD:
        return copy(arena, text, &out->method, problem);
    case CALL_PATH:
        return copy(arena, text, &out->path, problem);
    case CALL_CONTENT_TYPE:
        return text.length == 0 || copy(arena, text, &out->content_type, problem);
    case CALL_BODY:
        out->body = text;
        return true;
    case CALL_HEADER:
        return add_header(arena, text, out, problem);
    default:
        if (problem->code == PROTO_OK) { /* the call can still be refused by its id */
            proto_problem_set(problem, PROTO_MALFORMED_PROTOBUF, "a call has no field %llu",
                              (unsigned long long)field);
        }
        return true;
    }
}

bool proto_decode_call_message(proto_text message, struct gjk_arena *arena, proto_call *out,
                               struct proto_problem *problem) {
    proto_cursor in = {(const uint8_t *)message.data,
                       (const uint8_t *)message.data + message.length};
    *out = (proto_call){.has_id = true, .method = "", .path = ""};
    problem->code = PROTO_OK;
    bool is_fine = true;
    while (is_fine && in.at < in.end) {
        uint64_t tag, value;
        if (!proto_read_varint(&in, &tag) || !proto_read_varint(&in, &value)) {
            is_fine = refuse(problem, "a number of the call does not end");
        } else if (tag == (CALL_ID << 3 | PROTO_WIRE_VARINT)) {
            out->id = value;
            is_fine = value <= PROTO_CALL_ID_MAX ||
                      refuse(problem, "the id of a call is at most 9007199254740992");
        } else if ((tag & 7) != PROTO_WIRE_BYTES || value > (uint64_t)(in.end - in.at)) {
            is_fine = refuse(problem, "a field of the call is of another type, or cut short");
        } else {
            const proto_text text = {(const char *)in.at, (size_t)value};
            in.at += value;
            is_fine = take_text(arena, tag >> 3, text, out, problem);
        }
    }
    if (!is_fine && problem->code == PROTO_MALFORMED_PROTOBUF) {
        out->has_id = false;
    } else if (is_fine) {
        proto_call_check(out, problem);
    }
    return is_fine && problem->code == PROTO_OK;
}

/* --- Answer --- */

static void put_varint(struct proto_buffer *out, uint64_t value) {
    uint8_t bytes[10];
    const uint8_t *end = proto_write_varint(bytes, value);
    proto_put_bytes(out, (const char *)bytes, (size_t)(end - bytes));
}

static void put_head(struct proto_buffer *out, unsigned field, uint64_t length) {
    put_varint(out, field << 3 | PROTO_WIRE_BYTES);
    put_varint(out, length);
}

void proto_encode_answer_message(struct proto_buffer *out, const proto_call_answer *answer) {
    if (answer->id != 0) {
        put_varint(out, ANSWER_ID << 3 | PROTO_WIRE_VARINT);
        put_varint(out, answer->id);
    }
    put_varint(out, ANSWER_STATUS << 3 | PROTO_WIRE_VARINT);
    put_varint(out, answer->status);
    if (answer->content_type != NULL) {
        const size_t length = strlen(answer->content_type);
        put_head(out, ANSWER_CONTENT_TYPE, length);
        proto_put_bytes(out, answer->content_type, length);
    }
    for (uint32_t i = 0; i < answer->header_count; i++) {
        const proto_call_header *header = &answer->headers[i];
        const size_t name = strlen(header->name), value = strlen(header->value);
        put_head(out, ANSWER_HEADER, name + 2 + value);
        proto_put_bytes(out, header->name, name);
        proto_put_bytes(out, ": ", 2);
        proto_put_bytes(out, header->value, value);
    }
    if (answer->content_type != NULL) {
        put_head(out, ANSWER_BODY, answer->body_bytes);
    }
}
