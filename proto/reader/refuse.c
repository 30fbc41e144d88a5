/* What exactly is wrong at a place in the body? Code, pointer, and a detail that tells what was
 * expected and what was found. */

#include "reader/refuse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool proto_refuse(struct proto_reader *reader, const proto_node *at, proto_code code,
                  const char *format, ...) {
    char pointer[PROTO_POINTER_MAX];
    char detail[PROTO_DETAIL_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    proto_problem_set(reader->problem, code, "%s", detail);
    proto_pointer_text(at, pointer, sizeof pointer);
    return proto_problem_point(reader->problem, pointer);
}

/* In words, with the value where it is short. */
static void describe(const json_t *json, char *text, size_t size) {
    static const char *const words[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array",   [JSON_STRING] = "a string",
        [JSON_INTEGER] = "a number", [JSON_REAL] = "the number ", [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",      [JSON_NULL] = "null",
    };
    char number[PROTO_NUMBER_MAX] = "";

    if (json_is_real(json))
        proto_number_text(json_real_value(json), number);
    snprintf(text, size, "%s%s", words[json_typeof(json)], number);
}

bool proto_refuse_type(struct proto_reader *reader, const proto_node *at, const char *expected) {
    char found[64];

    describe(at->json, found, sizeof found);
    return proto_refuse(reader, at, PROTO_WRONG_TYPE, "expected %s, found %s", expected, found);
}

bool proto_refuse_missing(struct proto_reader *reader, const proto_node *at) {
    return proto_refuse(reader, at, PROTO_MISSING_MEMBER, "the member \"%s\" is required",
                        at->name);
}

bool proto_refuse_memory(struct proto_reader *reader) {
    return proto_problem_set(reader->problem, PROTO_OUT_OF_MEMORY,
                             "the request needs more memory than there is");
}

bool proto_refuse_many(struct proto_reader *reader, const proto_node *at, const char *what,
                       uint64_t found, uint64_t limit) {
    proto_refuse(reader, at, PROTO_TOO_MANY, "%llu %s, at most %llu are allowed",
                 (unsigned long long)found, what, (unsigned long long)limit);
    return proto_problem_limit(reader->problem, limit);
}

static proto_code code_of(gjk_status status) {
    switch (status) {
    case GJK_NOT_FINITE:
        return PROTO_NOT_FINITE;
    case GJK_TOO_MANY_POINTS:
        return PROTO_TOO_MANY;
    case GJK_NOT_CONVEX:
        return PROTO_NOT_CONVEX;
    case GJK_NOT_CLOSED:
        return PROTO_NOT_CLOSED;
    case GJK_NOT_SIMPLE:
        return PROTO_NOT_SIMPLE;
    case GJK_BAD_ORIENTATION:
        return PROTO_BAD_ORIENTATION;
    case GJK_ZERO_DIRECTION:
        return PROTO_ZERO_DIRECTION;
    case GJK_OUT_OF_RANGE:
    case GJK_BAD_INDEX:
    case GJK_TOO_FEW_POINTS:
        return PROTO_OUT_OF_RANGE;
    case GJK_OUT_OF_MEMORY:
        return PROTO_OUT_OF_MEMORY;
    case GJK_OK:
    case GJK_DUPLICATE_ID:
    case GJK_GIVEN_UP:
        break;
    }
    return PROTO_INTERNAL;
}

bool proto_refuse_status(struct proto_reader *reader, const proto_node *at, gjk_status status) {
    if (status == GJK_OUT_OF_MEMORY)
        return proto_refuse_memory(reader);
    return proto_refuse(reader, at, code_of(status), "%s", gjk_status_text(status));
}

static bool is_listed(const char *name, const char *const *list) {
    if (list == NULL)
        return false;
    for (; *list != NULL; list++) {
        if (**list == *name && strcmp(name, *list) == 0)
            return true;
    }
    return false;
}

bool proto_check_members(struct proto_reader *reader, const proto_node *object,
                         const char *const *known, const char *const *more) {
    const char *name;
    json_t *value;

    json_object_foreach(object->json, name, value) {
        if (is_listed(name, known) || is_listed(name, more))
            continue;
        proto_node member = proto_optional(object, name);
        proto_refuse(reader, &member, PROTO_UNKNOWN_MEMBER,
                     "the member \"%.128s\" is not known here", name);
        proto_suggest(reader->problem, "members", name, known, more);
        return false;
    }
    return true;
}
