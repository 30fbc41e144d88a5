/*
 * Problems. A table has the HTTP status and texts of every code. Texts of a problem are truncated
 * to their buffers at a character boundary, and invalid UTF-8 becomes question marks, so that
 * encoders need not check them.
 */

#include "proto/problem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gjk/base.h"
#include "json/text.h"

struct code_row {
    int status;
    const char *code;
    const char *title;
    const char *text;
};

static const struct code_row rows[PROTO_CODE_COUNT] = {{200, "ok", "There is no problem.", ""},
#define X(name, status, code, title, text) {status, code, title, text},
                                                       PROTO_PROBLEM_TABLE(X)
#undef X
};

static const struct code_row *row_of(proto_code code) {
    GJK_ASSERT((unsigned)code < PROTO_CODE_COUNT);
    return &rows[code];
}

/* Replaces invalid UTF-8 by question marks and drops an incomplete character at a cut end. */
static void clean(char *text, bool was_cut) {
    size_t length = strlen(text);

    for (size_t i = 0; i < length;) {
        size_t step = proto_utf8_sequence(text + i, length - i);
        if (step == 0) {
            if (was_cut && length - i < 4 && ((unsigned char)text[i] & 0xC0) == 0xC0) {
                text[i] = '\0';
                return;
            }
            text[i] = '?';
            step = 1;
        }
        i += step;
    }
}

static void print_clean(char *text, size_t size, const char *format, va_list arguments) {
    int length = vsnprintf(text, size, format, arguments);

    if (length < 0) {
        text[0] = '\0';
    }
    clean(text, length >= (int)size);
}

bool proto_problem_set(struct proto_problem *problem, proto_code code, const char *format, ...) {
    va_list arguments;

    *problem = (struct proto_problem){.code = code};
    va_start(arguments, format);
    print_clean(problem->detail, sizeof problem->detail, format, arguments);
    va_end(arguments);
    return false;
}

bool proto_problem_hint(struct proto_problem *problem, const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    print_clean(problem->hint, sizeof problem->hint, format, arguments);
    va_end(arguments);
    return false;
}

bool proto_problem_point(struct proto_problem *problem, const char *pointer) {
    size_t length = strlen(pointer);

    /* A pointer cut within a segment would name another value; cut at a slash it names a parent. */
    if (length >= sizeof problem->pointer) {
        length = sizeof problem->pointer - 1;
        while (length > 0 && pointer[length] != '/') {
            length--;
        }
    }
    memcpy(problem->pointer, pointer, length);
    problem->pointer[length] = '\0';
    clean(problem->pointer, false);
    return false;
}

bool proto_problem_limit(struct proto_problem *problem, uint64_t limit) {
    problem->limit = limit;
    problem->has_limit = true;
    return false;
}

int proto_code_status(proto_code code) {
    return row_of(code)->status;
}

const char *proto_code_text(proto_code code) {
    return row_of(code)->code;
}

const char *proto_code_title(proto_code code) {
    return row_of(code)->title;
}

const char *proto_code_explanation(proto_code code) {
    return row_of(code)->text;
}

proto_code proto_code_find(const char *text, size_t length) {
    for (int code = PROTO_OK + 1; code < PROTO_CODE_COUNT; code++) {
        if (strlen(rows[code].code) == length && memcmp(rows[code].code, text, length) == 0) {
            return (proto_code)code;
        }
    }
    return PROTO_OK;
}
