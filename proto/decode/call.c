/*
 * Takes a call apart by one walk over its text. The few members of a call are read at once; the
 * body is only walked over, bracket by bracket: the operation parses it like the body of an HTTP
 * request. The text is valid UTF-8. What is no JSON is no call; a member that is
 * wrong is noted, and the walk goes on, so that the call can be refused by its id.
 */

#include "proto/call.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/number.h"
#include "json/text.h"

struct walk {
    const char *at, *end;
    struct gjk_arena *arena;
    struct proto_problem *problem; /* the first */
    unsigned seen;                 /* members that stood there, as bits */
};

static bool malformed(struct walk *walk, const char *what) {
    proto_problem_set(walk->problem, PROTO_MALFORMED_JSON, "%s", what);
    return false;
}

/* Notes what is wrong with a member, unless something was before. The walk goes on. */
static void note(const struct walk *walk, proto_code code, const char *pointer, const char *what) {
    if (walk->problem->code == PROTO_OK) {
        proto_problem_set(walk->problem, code, "%s", what);
        (void)proto_problem_point(walk->problem, pointer);
    }
}

static void skip_blanks(struct walk *walk) {
    while (walk->at < walk->end &&
           (*walk->at == ' ' || *walk->at == '\t' || *walk->at == '\n' || *walk->at == '\r')) {
        walk->at++;
    }
}

/* Takes one character, with blanks before it. */
static bool take(struct walk *walk, char c) {
    skip_blanks(walk);
    if (walk->at < walk->end && *walk->at == c) {
        walk->at++;
        return true;
    }
    return false;
}

/* --- Strings --- */

/* Moves behind the string whose opening quote has been taken. False: it does not end. */
static bool skip_string(struct walk *walk) {
    for (; walk->at < walk->end; walk->at++) {
        if (*walk->at == '\\') {
            walk->at++;
        } else if (*walk->at == '"') {
            walk->at++;
            return true;
        }
    }
    return false;
}

/* Returns the ASCII character that \uXXXX stands for: methods, paths and headers have no other. '\0':
 * another. */
static char escaped_ascii(const char *digits, const char *end) {
    unsigned value = 0;
    for (int i = 0; i < 4; i++) {
        const char c = digits + i < end ? digits[i] : ' ';
        const char lower = (char)(c | 0x20);
        const bool is_digit = c >= '0' && c <= '9';
        if (!is_digit && (lower < 'a' || lower > 'f')) {
            return '\0';
        }
        value = value * 16 + (unsigned)(is_digit ? c - '0' : lower - 'a' + 10);
    }
    return value < 0x80 ? (char)value : '\0';
}

/* Unescapes text[0..length) into out. False: there is an escape that it does not know. */
static bool unescape(const char *text, size_t length, char *out) {
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const char *end = text + length;
    while (text < end) {
        char c = *text++;
        if (c == '\\' && text < end && *text == 'u') {
            c = escaped_ascii(text + 1, end);
            text += 5;
            if (c == '\0') {
                return false;
            }
        } else if (c == '\\') {
            const char *letter = text < end && *text != '\0' ? strchr(letters, *text) : NULL;
            if (letter == NULL) {
                return false;
            }
            c = meanings[letter - letters];
            text++;
        }
        if ((unsigned char)c < 0x20 || c == 0x7f) {
            return false;
        }
        *out++ = c;
    }
    *out = '\0';
    return true;
}

/* Reads a string, which is copied to the arena. */
static bool read_string(struct walk *walk, const char **out) {
    if (!take(walk, '"')) {
        return malformed(walk, "a string is expected in the call");
    }
    const char *begin = walk->at;
    if (!skip_string(walk)) {
        return malformed(walk, "a string of the call does not end");
    }
    const size_t length = (size_t)(walk->at - 1 - begin);
    char *text = gjk_arena_alloc(walk->arena, length + 1);
    if (text == NULL) {
        proto_problem_set(walk->problem, PROTO_OUT_OF_MEMORY, "no memory for the call");
        return false;
    }
    *out = text;
    return unescape(begin, length, text) ||
           malformed(walk, "a string of the call holds a control character or a bad escape");
}

/* --- Values --- */

/* Reads an integer, however it is written (7, 7.0, 70e-1). */
static bool integer_of(const char *text, size_t length, uint64_t *out) {
    char copy[PROTO_NUMBER_MAX], *end = copy;
    static const char known[] = "0123456789+-.eE";
    if (length == 0 || length >= sizeof copy || strchr("+.eE", text[0]) != NULL) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        copy[i] = text[i];
        if (text[i] == '\0' || strchr(known, text[i]) == NULL) {
            return false;
        }
    }
    copy[length] = '\0';
    const double value = strtod(copy, &end);
    const bool is_zeroed = copy[0] == '0' && copy[1] >= '0' && copy[1] <= '9';
    const bool is_whole = value >= 0 && value <= (double)PROTO_CALL_ID_MAX && value == trunc(value);
    if (*end != '\0' || is_zeroed || !is_whole) {
        return false;
    }
    *out = (uint64_t)value;
    /* 2^53 + 1 is rounded to 2^53 */
    return *out < PROTO_CALL_ID_MAX || strcmp(copy, "9007199254740992") == 0;
}

static bool read_id(struct walk *walk, proto_call *out) {
    skip_blanks(walk);
    const char *begin = walk->at;
    while (walk->at < walk->end && strchr(",}] \t\n\r", *walk->at) == NULL) {
        walk->at++;
    }
    if (!integer_of(begin, (size_t)(walk->at - begin), &out->id)) {
        return malformed(walk, "the id of a call is an integer from 0 to 9007199254740992");
    }
    out->has_id = true;
    return true;
}

/* Walks over any value. Whether it is well-formed is found out by whoever reads it. */
static bool skip_value(struct walk *walk) {
    unsigned depth = 0;
    skip_blanks(walk);
    const char *begin = walk->at;
    while (walk->at < walk->end) {
        const char c = *walk->at;
        if (depth == 0 && (c == ',' || c == '}' || c == ']')) {
            break;
        }
        walk->at++;
        if (c == '"' && !skip_string(walk)) {
            return malformed(walk, "a string of the body does not end");
        }
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
    }
    return (depth == 0 && walk->at > begin) || malformed(walk, "a member of the call has no value");
}

static bool read_body(struct walk *walk, proto_call *out) {
    skip_blanks(walk);
    const char *begin = walk->at;
    if (!skip_value(walk)) {
        return false;
    }
    const char *end = walk->at;
    while (end > begin && strchr(" \t\n\r", end[-1]) != NULL) {
        end--;
    }
    out->body = (proto_text){begin, (size_t)(end - begin)};
    return true;
}

/* Takes a null, which is as good as no member. */
static bool take_null(struct walk *walk) {
    skip_blanks(walk);
    if (walk->end - walk->at < 4 || memcmp(walk->at, "null", 4) != 0) {
        return false;
    }
    walk->at += 4;
    return true;
}

static bool is_next(struct walk *walk, char c) {
    skip_blanks(walk);
    return walk->at < walk->end && *walk->at == c;
}

/* Reads a string, or null, which leaves *out alone. Notes anything else. */
static bool read_optional_string(struct walk *walk, const char *pointer, const char **out) {
    if (take_null(walk)) {
        return true;
    }
    if (is_next(walk, '"')) {
        return read_string(walk, out);
    }
    note(walk, PROTO_WRONG_TYPE, pointer, "this member of a call is a string");
    return skip_value(walk);
}

/* Reads one more header. Those that are too many are not kept. */
static bool read_header(struct walk *walk, proto_call *out) {
    proto_call_header header = {NULL, NULL};
    if (!read_string(walk, &header.name)) {
        return false;
    }
    if (!take(walk, ':')) {
        return malformed(walk, "a colon is expected among the headers");
    }
    if (!read_optional_string(walk, "/headers", &header.value)) {
        return false;
    }
    if (header.value == NULL) {
        return true;
    }
    if (out->header_count < PROTO_CALL_HEADERS_MAX) {
        out->headers[out->header_count++] = header;
    } else if (walk->problem->code == PROTO_OK) {
        proto_problem_set(walk->problem, PROTO_HEADERS_TOO_LARGE, "a call has %d headers",
                          PROTO_CALL_HEADERS_MAX);
        (void)proto_problem_limit(walk->problem, PROTO_CALL_HEADERS_MAX);
    }
    return true;
}

static bool read_headers(struct walk *walk, proto_call *out) {
    if (take_null(walk)) {
        return true;
    }
    if (!take(walk, '{')) {
        note(walk, PROTO_WRONG_TYPE, "/headers", "headers is an object of strings");
        return skip_value(walk);
    }
    bool is_over = take(walk, '}');
    while (!is_over) {
        if (!read_header(walk, out)) {
            return false;
        }
        is_over = take(walk, '}');
        if (!is_over && !take(walk, ',')) {
            return malformed(walk, "a comma is expected among the headers");
        }
    }
    return true;
}

/* --- Members --- */

enum { MEMBER_ID, MEMBER_METHOD, MEMBER_PATH, MEMBER_HEADERS, MEMBER_BODY, MEMBER_AUTHORIZATION };
static const char *const members[] = {"id",   "method",        "path", "headers",
                                      "body", "authorization", NULL};

static bool read_value(struct walk *walk, int member, proto_call *out) {
    switch (member) {
    case MEMBER_ID:
        return read_id(walk, out);
    case MEMBER_METHOD:
        return read_optional_string(walk, "/method", &out->method);
    case MEMBER_PATH:
        return read_optional_string(walk, "/path", &out->path);
    case MEMBER_HEADERS:
        return read_headers(walk, out);
    case MEMBER_BODY:
        return take_null(walk) || read_body(walk, out);
    default:
        return read_optional_string(walk, "/authorization", &out->authorization);
    }
}

/* Reads the member of that name. */
static bool read_member(struct walk *walk, const char *name, proto_call *out) {
    int member = 0;
    while (members[member] != NULL && strcmp(name, members[member]) != 0) {
        member++;
    }
    if (members[member] == NULL) {
        static const char *const known[] = {"id", "method", "path", "headers", "body", NULL};
        if (walk->problem->code == PROTO_OK) {
            proto_problem_set(walk->problem, PROTO_UNKNOWN_MEMBER, "a call has no member \"%.40s\"",
                              name);
            proto_suggest(walk->problem, "members", name, known);
        }
        return skip_value(walk);
    }
    if (walk->seen >> member & 1) {
        return malformed(walk, "a member of the call stands twice");
    }
    walk->seen |= 1u << member;
    return read_value(walk, member, out);
}

static bool read_members(struct walk *walk, proto_call *out) {
    bool is_over = take(walk, '}');
    while (!is_over) {
        const char *name = NULL;
        if (!read_string(walk, &name)) {
            return false;
        }
        if (!take(walk, ':')) {
            return malformed(walk, "a colon is expected in the call");
        }
        if (!read_member(walk, name, out)) {
            return false;
        }
        is_over = take(walk, '}');
        if (!is_over && !take(walk, ',')) {
            return malformed(walk, "a comma is expected in the call");
        }
    }
    skip_blanks(walk);
    return walk->at == walk->end || malformed(walk, "something stands behind the call");
}

void proto_call_check(const proto_call *call, struct proto_problem *problem) {
    const bool needs_path = strcmp(call->method, "UNWATCH") != 0;
    const char *missing = call->method[0] == '\0'               ? "method"
                          : call->path[0] == '\0' && needs_path ? "path"
                                                                : NULL;
    if (problem->code != PROTO_OK) {
        return;
    }
    if (call->authorization != NULL) {
        proto_problem_set(problem, PROTO_UNKNOWN_MEMBER, "a call has no member \"authorization\"");
        proto_problem_hint(problem, "send the token alone, as the stream's first message: "
                                    "{\"authorization\": \"Bearer ...\"}");
    } else if (missing != NULL) {
        char pointer[16];
        snprintf(pointer, sizeof pointer, "/%s", missing);
        proto_problem_set(problem, PROTO_MISSING_MEMBER, "a call has a %s", missing);
        (void)proto_problem_point(problem, pointer);
    }
}

bool proto_decode_call(proto_text message, struct gjk_arena *arena, proto_call *out,
                       struct proto_problem *problem) {
    struct walk walk = {message.data, message.data + message.length, arena, problem, 0};
    *out = (proto_call){.method = "", .path = ""};
    problem->code = PROTO_OK;
    if (!take(&walk, '{')) {
        return malformed(&walk, "a call is a JSON object");
    }
    if (!read_members(&walk, out)) {
        if (problem->code == PROTO_MALFORMED_JSON) {
            out->has_id = false; /* whatever follows is not to be trusted */
        }
        return false;
    }
    if (out->has_id) {
        proto_call_check(out, problem);
    }
    return problem->code == PROTO_OK;
}
