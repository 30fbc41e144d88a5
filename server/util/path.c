/* Parses the path and the query of a request target in place. RFC 3986, sections 2.1 and 3.3; '+'
 * is a blank in query parameters, as HTML forms write it. */

#include "util/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Decodes in place; the result is never longer. Returns false on a malformed escape or %00. */
static bool decode_percent(char *text, size_t *length) {
    char *out = text;
    for (const char *in = text; *in != '\0'; in++) {
        char c = *in;
        if (c == '%') {
            int high = hex_digit(in[1]);
            int low = high < 0 ? -1 : hex_digit(in[2]);
            if (low < 0 || (high == 0 && low == 0)) {
                return false;
            }
            c = (char)(high * 16 + low);
            in += 2;
        }
        *out++ = c;
    }
    *out = '\0';
    *length = (size_t)(out - text);
    return true;
}

gjkd_path_status gjkd_path_parse(char *text, gjkd_path *out) {
    out->count = 0;
    if (text[0] != '/') {
        return GJKD_PATH_MALFORMED;
    }
    char *next = text + 1;
    while (next != NULL) {
        if (out->count == GJKD_SEGMENTS_MAX) {
            return GJKD_PATH_TOO_DEEP;
        }
        gjkd_segment *segment = &out->segments[out->count++];
        char *start = next;
        next = strchr(start, '/');
        if (next != NULL) {
            *next++ = '\0';
        }
        segment->text = start;
        if (!decode_percent(start, &segment->length)) {
            return GJKD_PATH_MALFORMED;
        }
    }
    return GJKD_PATH_OK;
}

/* A value is a text, a number of at least 1, true or false, or for `fields` the row's value. */
static const struct param {
    const char *name;
    unsigned bit;
    enum { TEXT, NUMBER, FLAG, FIELDS } kind;
    size_t offset;
    const char *value; /* of FIELDS */
} params[] = {
#define MEMBER(name) offsetof(gjkd_params, name)
    {"prefix", GJKD_PARAM_PREFIX, TEXT, MEMBER(prefix), NULL},
    {"limit", GJKD_PARAM_LIMIT, NUMBER, MEMBER(limit), NULL},
    {"cursor", GJKD_PARAM_CURSOR, TEXT, MEMBER(cursor), NULL},
    {"fields", GJKD_PARAM_FIELDS, FIELDS, MEMBER(summary), "summary"},
    {"fields", GJKD_PARAM_PIECES, FIELDS, MEMBER(pieces), "pieces"},
    {"fields", GJKD_PARAM_HANDLES, FIELDS, MEMBER(handles), "handles"},
    {"kinds", GJKD_PARAM_KINDS, TEXT, MEMBER(kinds), NULL},
    {"since", GJKD_PARAM_SINCE, TEXT, MEMBER(since), NULL},
    {"filter", GJKD_PARAM_FILTER, TEXT, MEMBER(filter), NULL},
    {"replace", GJKD_PARAM_REPLACE, FLAG, MEMBER(replace), NULL},
    {"wait", GJKD_PARAM_WAIT, FLAG, MEMBER(wait), NULL},
#undef MEMBER
};

/* Sets a parameter. An empty text or number counts as absent. */
static bool set_param(const struct param *param, const char *value, gjkd_params *out, char *error) {
    void *member = (char *)out + param->offset;
    if (*value == '\0' && (param->kind == TEXT || param->kind == NUMBER)) {
        return true;
    }
    switch (param->kind) {
    case TEXT:
        *(const char **)member = value;
        return true;
    case NUMBER: {
        const size_t digits = strspn(value, "0123456789");
        const bool is_whole = digits > 0 && digits <= 18 && value[digits] == '\0';
        const uint64_t number = is_whole ? strtoull(value, NULL, 10) : 0;
        *(uint64_t *)member = number;
        return number > 0 ||
               gjkd_refuse(error, "the query parameter %s is a whole number of at least 1",
                           param->name);
    }
    case FLAG:
        *(bool *)member = strcmp(value, "true") == 0;
        return *(bool *)member || strcmp(value, "false") == 0 ||
               gjkd_refuse(error, "the query parameter %s is true or false", param->name);
    case FIELDS:
        break;
    }
    *(bool *)member = strcmp(value, param->value) == 0;
    return *(bool *)member ||
           gjkd_refuse(error, "the query parameter fields takes one value: %s", param->value);
}

static bool parse_param(char *name, unsigned taken, gjkd_params *out, char *error) {
    static char empty[1] = "";
    size_t length = 0;
    char *value = strchr(name, '=');
    if (value == NULL) {
        value = empty;
    } else {
        *value++ = '\0';
        for (char *plus = strchr(value, '+'); plus != NULL; plus = strchr(plus, '+')) {
            *plus = ' ';
        }
    }
    if (!decode_percent(name, &length) || (value != empty && !decode_percent(value, &length))) {
        return gjkd_refuse(error, "the query string has a malformed escape");
    }
    const struct param *param = NULL;
    for (size_t i = 0; i < sizeof params / sizeof params[0]; i++) {
        const bool is_it = (params[i].bit & taken) != 0 && strcmp(name, params[i].name) == 0;
        param = is_it ? &params[i] : param;
    }
    if (param == NULL) {
        return gjkd_refuse(error, "unknown query parameter \"%.100s\"", name);
    }
    if ((param->bit & out->given) != 0) {
        return gjkd_refuse(error, "the query parameter %s stands twice", name);
    }
    out->given |= param->bit;
    return set_param(param, value, out, error);
}

bool gjkd_params_parse(char *query, unsigned taken, gjkd_params *out, char error[GJKD_ERROR_MAX]) {
    *out = (gjkd_params){0};
    char *next = query;
    while (next != NULL && *next != '\0') {
        char *start = next;
        next = strchr(start, '&');
        if (next != NULL) {
            *next++ = '\0';
        }
        if (*start != '\0' && !parse_param(start, taken, out, error)) {
            return false;
        }
    }
    return true;
}
