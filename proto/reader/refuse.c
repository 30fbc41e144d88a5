/*
 * Tells what is wrong at a place in the body: a code, a pointer, and a detail that says what was
 * expected and what was found. Decoding goes on after a mistake, so that a client learns of all
 * mistakes at once; what only follows from a mistake already told is left out.
 */

#include "reader/refuse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SUGGESTED_FOR_MAX 64 /* bytes of a name */

/* Steps of an item of a list. */
#define ITEM_STEPS 8

static bool looks_for_more(const struct proto_reader *reader) {
    return reader->error_count < PROTO_ERRORS_MAX;
}

bool proto_may_go_on(struct proto_reader *reader) {
    return gjk_budget_spend(reader->arena->budget, ITEM_STEPS) ? proto_refuse_late(reader)
                                                               : looks_for_more(reader);
}

/* The mistake with that number, from 0 on. */
static proto_error told(const struct proto_reader *reader, uint32_t i) {
    const struct proto_problem *problem = reader->problem;

    return i > 0 ? problem->more[i - 1]
                 : (proto_error){problem->code, problem->pointer, problem->detail};
}

static bool is_told(const struct proto_reader *reader, const char *pointer) {
    for (uint32_t i = 0; i < reader->error_count; i++) {
        if (strcmp(told(reader, i).pointer, pointer) == 0) {
            return true;
        }
    }
    return false;
}

/* Adds what was found to the problem that is there already. */
static bool add(struct proto_reader *reader, const struct proto_problem *found) {
    struct gjk_arena *arena = reader->arena;
    struct proto_problem *problem = reader->problem;

    problem->is_settled = true;
    if (is_told(reader, found->pointer)) {
        return false;
    }
    if (reader->more == NULL) {
        reader->more = gjk_arena_alloc_array(arena, PROTO_ERRORS_MAX - 1, sizeof *reader->more);
    }
    const char *pointer = gjk_arena_copy_text(arena, found->pointer, strlen(found->pointer));
    const char *detail = gjk_arena_copy_text(arena, found->detail, strlen(found->detail));
    if (reader->more == NULL || pointer == NULL || detail == NULL) {
        return proto_refuse_memory(reader);
    }
    reader->more[problem->more_count++] = (proto_error){found->code, pointer, detail};
    problem->more = reader->more;
    reader->error_count++;
    return false;
}

bool proto_refuse(struct proto_reader *reader, const proto_node *at, proto_code code,
                  const char *format, ...) {
    char pointer[PROTO_POINTER_MAX];
    char detail[PROTO_DETAIL_MAX];
    struct proto_problem found;
    va_list arguments;

    if (!looks_for_more(reader)) {
        return false;
    }
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    proto_problem_set(&found, code, "%s", detail);
    proto_pointer_text(at, pointer, sizeof pointer);
    proto_problem_point(&found, pointer);
    if (reader->error_count > 0) {
        return add(reader, &found);
    }
    *reader->problem = found;
    reader->error_count = 1;
    return false;
}

/* Describes the value in words, with the number itself where there is one. */
static void describe(proto_value value, char *text, size_t size) {
    static const char *const words[] = {
        [PROTO_ABSENT] = "nothing",   [PROTO_NULL] = "null",          [PROTO_FALSE] = "false",
        [PROTO_TRUE] = "true",        [PROTO_NUMBER] = "the number ", [PROTO_STRING] = "a string",
        [PROTO_OBJECT] = "an object", [PROTO_ARRAY] = "an array",     [PROTO_NUMBERS] = "an array",
        [PROTO_ROWS] = "an array",
    };
    char number[PROTO_NUMBER_MAX] = "";

    if (value.type == PROTO_NUMBER) {
        proto_number_text(value.number, number);
    }
    snprintf(text, size, "%s%s", words[value.type], number);
}

bool proto_refuse_type(struct proto_reader *reader, const proto_node *at, const char *expected) {
    char found[64];

    describe(at->value, found, sizeof found);
    return proto_refuse(reader, at, PROTO_WRONG_TYPE, "expected %s, found %s", expected, found);
}

/* Returns true if an unknown member with nearly the same name was refused in the same object. */
static bool is_misspelt(const struct proto_reader *reader, const proto_node *missing) {
    const char *const names[] = {missing->name, NULL};
    char parent[PROTO_POINTER_MAX];

    if (missing->parent == NULL) {
        return false;
    }
    proto_pointer_text(missing->parent, parent, sizeof parent);
    const size_t length = strlen(parent);
    for (uint32_t i = 0; i < reader->error_count; i++) {
        const proto_error error = told(reader, i);
        if (error.code == PROTO_UNKNOWN_MEMBER && strncmp(error.pointer, parent, length) == 0 &&
            strrchr(error.pointer, '/') == error.pointer + length &&
            proto_nearest_name(error.pointer + length + 1, names) != NULL) {
            return true;
        }
    }
    return false;
}

bool proto_refuse_missing(struct proto_reader *reader, const proto_node *at) {
    if (!looks_for_more(reader)) {
        return false;
    }
    if (is_misspelt(reader, at)) {
        reader->problem->is_settled = true;
        return false;
    }
    return proto_refuse(reader, at, PROTO_MISSING_MEMBER, "the member \"%s\" is required",
                        at->name);
}

bool proto_refuse_memory(struct proto_reader *reader) {
    reader->error_count = PROTO_ERRORS_MAX;
    proto_problem_set(reader->problem, PROTO_OUT_OF_MEMORY,
                      "the request needs more memory than there is");
    reader->problem->is_settled = true;
    return false;
}

bool proto_refuse_late(struct proto_reader *reader) {
    reader->error_count = PROTO_ERRORS_MAX;
    proto_problem_set(reader->problem, PROTO_DEADLINE_EXCEEDED,
                      "time was up before all of it was read");
    reader->problem->is_settled = true;
    return false;
}

bool proto_refuse_many(struct proto_reader *reader, const proto_node *at, const char *what,
                       uint64_t found, uint64_t limit) {
    proto_refuse(reader, at, PROTO_TOO_MANY, "%llu %s, at most %llu are allowed",
                 (unsigned long long)found, what, (unsigned long long)limit);
    return proto_problem_limit(reader->problem, limit);
}

proto_code proto_code_of(gjk_status status) {
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
    case GJK_GIVEN_UP:
        return PROTO_DEADLINE_EXCEEDED;
    case GJK_OK:
    case GJK_DUPLICATE_ID:
        break;
    }
    return PROTO_INTERNAL;
}

bool proto_refuse_status(struct proto_reader *reader, const proto_node *at, gjk_status status) {
    if (status == GJK_OUT_OF_MEMORY) {
        return proto_refuse_memory(reader);
    }
    if (status == GJK_GIVEN_UP) {
        return proto_refuse_late(reader);
    }
    return proto_refuse(reader, at, proto_code_of(status), "%s", gjk_status_text(status));
}

void proto_suggest_near(struct proto_reader *reader, const char *what, proto_text name,
                        const char *const *known, const char *const *more) {
    char text[SUGGESTED_FOR_MAX + 1]; /* what is longer is near to nothing */

    snprintf(text, sizeof text, "%.*s", proto_shown(name, SUGGESTED_FOR_MAX), name.data);
    proto_suggest(reader->problem, what, text, known, more);
}

static bool is_listed(proto_text name, const char *const *list) {
    if (list == NULL || name.length == 0) {
        return false;
    }
    for (; *list != NULL; list++) {
        if (**list == *name.data && strncmp(*list, name.data, name.length) == 0 &&
            (*list)[name.length] == '\0') {
            return true;
        }
    }
    return false;
}

bool proto_check_members(struct proto_reader *reader, const proto_node *object,
                         const char *const *known, const char *const *more) {
    bool is_fine = true;

    for (size_t i = 0; i < proto_object_size(object->value); i++) {
        const proto_text name = proto_name_at(object->value, i);
        if (is_listed(name, known) || is_listed(name, more)) {
            continue;
        }
        const proto_node member = proto_member(object, i);
        is_fine = proto_refuse(reader, &member, PROTO_UNKNOWN_MEMBER,
                               "the member \"%.*s\" is not known here", proto_shown(name, 128),
                               name.data);
        proto_suggest_near(reader, "members", name, known, more);
        if (!proto_may_go_on(reader)) {
            break;
        }
    }
    return is_fine;
}
