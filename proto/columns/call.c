/*
 * Decodes calls of a stream from JSON objects and messages Call, and encodes messages Answer.
 * Bodies are neither copied nor parsed: the operation parses them like bodies of HTTP requests.
 * After a wrong member decoding continues, so that the refusal can carry the call's id. Wire
 * format: https://protobuf.dev/programming-guides/encoding.
 */

#include "proto/call.h"

#include <string.h>

#include "columns/columns.h"
#include "json/parse.h"
#include "json/text.h"

/* --- Both forms --- */

/* A call that is being decoded. */
struct reading {
    struct gjk_arena *arena;
    proto_call *call;
    struct proto_problem *problem; /* the first mistake */
    proto_code malformed;          /* code for messages that are no calls, depends on the form */
};

static bool refuse_call(struct reading *reading, const char *why) {
    proto_problem_set(reading->problem, reading->malformed, "%s", why);
    return false;
}

/* Sets the problem, unless it is set already. Decoding continues. */
static void note_mistake(struct reading *reading, proto_code code, const char *pointer,
                         const char *why) {
    if (reading->problem->code == PROTO_OK) {
        proto_problem_set(reading->problem, code, "%s", why);
        (void)proto_problem_point(reading->problem, pointer);
    }
}

/* Copies a text. Refuses the call if it is not UTF-8 or has control characters. */
static bool copy_text(struct reading *reading, proto_text text, const char **out) {
    for (size_t i = 0; i < text.length;) {
        const size_t step = proto_utf8_sequence(text.data + i, text.length - i);
        if (step == 0 || (unsigned char)text.data[i] < 0x20 || text.data[i] == 0x7f) {
            return refuse_call(reading, "a text of the call is not plain UTF-8");
        }
        i += step;
    }
    *out = gjk_arena_copy_text(reading->arena, text.length > 0 ? text.data : "", text.length);
    return *out != NULL ||
           proto_problem_set(reading->problem, PROTO_OUT_OF_MEMORY, "no memory for the call");
}

/* Adds a header. Beyond PROTO_CALL_HEADERS_MAX sets the problem instead. */
static void add_header(struct reading *reading, const char *name, const char *value) {
    proto_call *call = reading->call;

    if (call->header_count < PROTO_CALL_HEADERS_MAX) {
        call->headers[call->header_count++] = (proto_call_header){name, value};
    } else if (reading->problem->code == PROTO_OK) {
        proto_problem_set(reading->problem, PROTO_HEADERS_TOO_LARGE, "a call has %d headers",
                          PROTO_CALL_HEADERS_MAX);
        (void)proto_problem_limit(reading->problem, PROTO_CALL_HEADERS_MAX);
    }
}

/* Checks a decoded call: it has a method, a path (except for UNWATCH), and no authorization. */
static void check_call(struct reading *reading) {
    const proto_call *call = reading->call;
    const bool needs_path = strcmp(call->method, "UNWATCH") != 0;

    if (reading->problem->code != PROTO_OK) {
        return;
    }
    if (call->authorization != NULL) {
        note_mistake(reading, PROTO_UNKNOWN_MEMBER, "", "a call has no member \"authorization\"");
        proto_problem_hint(reading->problem, "send the token alone, as the stream's first message: "
                                             "{\"authorization\": \"Bearer ...\"}");
    } else if (call->method[0] == '\0') {
        note_mistake(reading, PROTO_MISSING_MEMBER, "/method", "a call has a method");
    } else if (call->path[0] == '\0' && needs_path) {
        note_mistake(reading, PROTO_MISSING_MEMBER, "/path", "a call has a path");
    }
}

/* Ends decoding. Clears has_id if the message is no call: then its id is unreliable. */
static bool finish_call(struct reading *reading, bool is_read) {
    if (!is_read && reading->problem->code == reading->malformed) {
        reading->call->has_id = false;
    } else if (is_read && reading->call->has_id) {
        check_call(reading);
    }
    return is_read && reading->problem->code == PROTO_OK;
}

/* --- JSON --- */

/* Reads the id, an integer in any notation (7, 7.0, 70e-1). */
static bool read_id(struct reading *reading, proto_text text, proto_value value) {
    static const char largest[] = "9007199254740992";
    const double id = value.type == PROTO_NUMBER ? value.number : -1;
    const bool is_whole = id >= 0 && id <= (double)PROTO_CALL_ID_MAX && id == (double)(uint64_t)id;

    /* The text is compared too, because 2^53 + 1 parses to 2^53. */
    if (!is_whole || (id == (double)PROTO_CALL_ID_MAX &&
                      !proto_text_equals(text, largest, sizeof largest - 1))) {
        return refuse_call(reading, "the id of a call is an integer from 0 to 9007199254740992");
    }
    reading->call->id = (uint64_t)id;
    reading->call->has_id = true;
    return true;
}

/* Reads a string. null counts as absent. Any other value is a mistake. */
static bool read_string(struct reading *reading, proto_value value, const char *pointer,
                        const char **out) {
    if (value.type == PROTO_STRING) {
        return copy_text(reading, proto_text_of(value), out);
    }
    if (value.type != PROTO_NULL) {
        note_mistake(reading, PROTO_WRONG_TYPE, pointer, "this member of a call is a string");
    }
    return true;
}

static bool read_headers(struct reading *reading, proto_value value) {
    if (value.type != PROTO_OBJECT && value.type != PROTO_NULL) {
        note_mistake(reading, PROTO_WRONG_TYPE, "/headers", "headers is an object of strings");
    }
    for (size_t i = 0; i < proto_object_size(value); i++) {
        const char *name = NULL, *text = NULL;
        if (!copy_text(reading, proto_name_at(value, i), &name) ||
            !read_string(reading, proto_member_value(value, i), "/headers", &text)) {
            return false;
        }
        if (text != NULL) {
            add_header(reading, name, text);
        }
    }
    return true;
}

/* Reads a member of a call. message: start of the call's text, for lines and columns of faults. */
static bool read_member(struct reading *reading, const char *message, proto_text name,
                        proto_text text) {
    static const char *const known[] = {"id", "method", "path", "headers", "body", NULL};
    proto_call *call = reading->call;
    const char *shown = NULL;
    proto_value value;

    if (proto_text_equals(name, "body", 4)) {
        call->body = proto_text_equals(text, "null", 4) ? call->body : text;
        return true;
    }
    if (!proto_parse_within(text, message, reading->arena, &value, reading->problem)) {
        return false;
    }
    if (proto_text_equals(name, "id", 2)) {
        return read_id(reading, text, value);
    }
    if (proto_text_equals(name, "method", 6)) {
        return read_string(reading, value, "/method", &call->method);
    }
    if (proto_text_equals(name, "path", 4)) {
        return read_string(reading, value, "/path", &call->path);
    }
    if (proto_text_equals(name, "headers", 7)) {
        return read_headers(reading, value);
    }
    if (proto_text_equals(name, "authorization", 13)) {
        return read_string(reading, value, "/authorization", &call->authorization);
    }
    if (!copy_text(reading, name, &shown)) {
        return false;
    }
    if (reading->problem->code == PROTO_OK) {
        proto_problem_set(reading->problem, PROTO_UNKNOWN_MEMBER, "a call has no member \"%.40s\"",
                          shown);
        proto_suggest(reading->problem, "members", shown, known);
    }
    return true;
}

bool proto_decode_call(proto_text message, struct gjk_arena *arena, proto_call *out,
                       struct proto_problem *problem) {
    struct reading reading = {arena, out, problem, PROTO_MALFORMED_JSON};
    proto_value members;

    *out = (proto_call){.method = "", .path = ""};
    problem->code = PROTO_OK;
    bool is_fine = proto_parse_shallow(message, arena, &members, problem);
    for (size_t i = 0; is_fine && i < members.count; i++) {
        is_fine = read_member(&reading, message.data, proto_name_at(members, i),
                              proto_text_of(proto_member_value(members, i)));
    }
    return finish_call(&reading, is_fine);
}

/* --- The message Call --- */

/* Fields of Call and of Answer. */
enum { CALL_ID = 1, CALL_METHOD, CALL_PATH, CALL_CONTENT_TYPE, CALL_BODY, CALL_HEADER };
enum { ANSWER_ID = 1, ANSWER_STATUS, ANSWER_CONTENT_TYPE, ANSWER_BODY, ANSWER_HEADER };

/* Adds the header of a text "Name: value". */
static bool split_header(struct reading *reading, proto_text text) {
    const char *line = NULL;

    if (!copy_text(reading, text, &line)) {
        return false;
    }
    char *colon = strchr(line, ':');
    if (colon == NULL) {
        note_mistake(reading, PROTO_BAD_REQUEST, "", "a header has the form \"Name: value\"");
        return true;
    }
    *colon = '\0';
    add_header(reading, line, colon + 1 + strspn(colon + 1, " \t"));
    return true;
}

static bool take_field(struct reading *reading, uint64_t field, proto_text text) {
    proto_call *call = reading->call;

    switch (field) {
    case CALL_ID:
        return refuse_call(reading, "the id of a call is a number");
    case CALL_METHOD:
        return copy_text(reading, text, &call->method);
    case CALL_PATH:
        return copy_text(reading, text, &call->path);
    case CALL_CONTENT_TYPE:
        return text.length == 0 || copy_text(reading, text, &call->content_type);
    case CALL_BODY:
        call->body = text;
        return true;
    case CALL_HEADER:
        return split_header(reading, text);
    default:
        if (reading->problem->code == PROTO_OK) {
            proto_problem_set(reading->problem, PROTO_MALFORMED_PROTOBUF,
                              "a call has no field %llu", (unsigned long long)field);
        }
        return true;
    }
}

bool proto_decode_call_message(proto_text message, struct gjk_arena *arena, proto_call *out,
                               struct proto_problem *problem) {
    struct reading reading = {arena, out, problem, PROTO_MALFORMED_PROTOBUF};
    proto_cursor in = {(const uint8_t *)message.data,
                       (const uint8_t *)message.data + message.length};

    *out = (proto_call){.has_id = true, .method = "", .path = ""};
    problem->code = PROTO_OK;
    bool is_fine = true;
    while (is_fine && in.at < in.end) {
        uint64_t tag, value;
        if (!proto_read_varint(&in, &tag) || !proto_read_varint(&in, &value)) {
            is_fine = refuse_call(&reading, "a number of the call does not end");
        } else if (tag == (CALL_ID << 3 | PROTO_WIRE_VARINT)) {
            out->id = value;
            is_fine = value <= PROTO_CALL_ID_MAX ||
                      refuse_call(&reading, "the id of a call is at most 9007199254740992");
        } else if ((tag & 7) != PROTO_WIRE_BYTES || value > (uint64_t)(in.end - in.at)) {
            is_fine = refuse_call(&reading, "a field of the call is of another type, or cut short");
        } else {
            const proto_text text = {(const char *)in.at, (size_t)value};
            in.at += value;
            is_fine = take_field(&reading, tag >> 3, text);
        }
    }
    return finish_call(&reading, is_fine);
}

/* --- The message Answer --- */

void proto_encode_answer_message(struct proto_buffer *out, const proto_call_answer *answer) {
    if (answer->id != 0) {
        proto_put_head(out, ANSWER_ID, PROTO_WIRE_VARINT, answer->id);
    }
    proto_put_head(out, ANSWER_STATUS, PROTO_WIRE_VARINT, answer->status);
    if (answer->content_type != NULL) {
        const size_t length = strlen(answer->content_type);
        proto_put_head(out, ANSWER_CONTENT_TYPE, PROTO_WIRE_BYTES, length);
        proto_put_bytes(out, answer->content_type, length);
    }
    for (uint32_t i = 0; i < answer->header_count; i++) {
        const proto_call_header *header = &answer->headers[i];
        const size_t name = strlen(header->name), value = strlen(header->value);
        proto_put_head(out, ANSWER_HEADER, PROTO_WIRE_BYTES, name + 2 + value);
        proto_put_bytes(out, header->name, name);
        proto_put_bytes(out, ": ", 2);
        proto_put_bytes(out, header->value, value);
    }
    if (answer->content_type != NULL) {
        proto_put_head(out, ANSWER_BODY, PROTO_WIRE_BYTES, answer->body_bytes);
    }
}
