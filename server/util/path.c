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

/* Decodes in place; the result is never longer. False: a bad escape or %00. */
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

static const struct {
    const char *name;
    unsigned bit;
} params[] = {
    {"prefix", GJKD_PARAM_PREFIX},   {"limit", GJKD_PARAM_LIMIT},   {"cursor", GJKD_PARAM_CURSOR},
    {"fields", GJKD_PARAM_FIELDS},   {"fields", GJKD_PARAM_PIECES}, {"fields", GJKD_PARAM_HANDLES},
    {"kinds", GJKD_PARAM_KINDS},     {"since", GJKD_PARAM_SINCE},   {"filter", GJKD_PARAM_FILTER},
    {"replace", GJKD_PARAM_REPLACE}, {"wait", GJKD_PARAM_WAIT},
};

/* `fields` takes one value. */
static bool parse_fields(const char *value, const char *known, bool *out, char *error) {
    *out = strcmp(value, known) == 0;
    if (!*out) {
        snprintf(error, GJKD_PARAM_ERROR_MAX, "the query parameter fields takes one value: %s",
                 known);
    }
    return *out;
}

static bool parse_flag(const char *value, const char *name, bool *out, char *error) {
    *out = strcmp(value, "true") == 0;
    if (!*out && strcmp(value, "false") != 0) {
        snprintf(error, GJKD_PARAM_ERROR_MAX, "the query parameter %s is true or false", name);
        return false;
    }
    return true;
}

/* An empty value is none, but for `fields`, which has none to default to. */
static bool set_param(unsigned bit, const char *value, gjkd_params *out, char *error) {
    if (*value == '\0' &&
        (bit & (GJKD_PARAM_FIELDS | GJKD_PARAM_PIECES | GJKD_PARAM_HANDLES)) == 0) {
        return true;
    }
    switch (bit) {
    case GJKD_PARAM_PREFIX:
        out->prefix = value;
        return true;
    case GJKD_PARAM_CURSOR:
        out->cursor = value;
        return true;
    case GJKD_PARAM_KINDS:
        out->kinds = value;
        return true;
    case GJKD_PARAM_SINCE:
        out->since = value;
        return true;
    case GJKD_PARAM_FILTER:
        out->filter = value;
        return true;
    case GJKD_PARAM_LIMIT: {
        const size_t digits = strspn(value, "0123456789");
        const bool is_whole = digits > 0 && digits <= 18 && value[digits] == '\0';
        out->limit = is_whole ? strtoull(value, NULL, 10) : 0;
        if (out->limit == 0) {
            snprintf(error, GJKD_PARAM_ERROR_MAX,
                     "the query parameter limit is a whole number of at least 1");
        }
        return out->limit > 0;
    }
    case GJKD_PARAM_REPLACE:
        return parse_flag(value, "replace", &out->replace, error);
    case GJKD_PARAM_WAIT:
        return parse_flag(value, "wait", &out->wait, error);
    case GJKD_PARAM_PIECES:
        return parse_fields(value, "pieces", &out->pieces, error);
    case GJKD_PARAM_HANDLES:
        return parse_fields(value, "handles", &out->handles, error);
    default:
        return parse_fields(value, "summary", &out->summary, error);
    }
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
        snprintf(error, GJKD_PARAM_ERROR_MAX, "the query string has a malformed escape");
        return false;
    }
    unsigned bit = 0;
    for (size_t i = 0; i < sizeof params / sizeof params[0]; i++) {
        bit |=
            (params[i].bit & taken) != 0 && strcmp(name, params[i].name) == 0 ? params[i].bit : 0;
    }
    if (bit == 0) {
        snprintf(error, GJKD_PARAM_ERROR_MAX, "unknown query parameter \"%.100s\"", name);
        return false;
    }
    if ((bit & out->given) != 0) {
        snprintf(error, GJKD_PARAM_ERROR_MAX, "the query parameter %s stands twice", name);
        return false;
    }
    out->given |= bit;
    return set_param(bit, value, out, error);
}

bool gjkd_params_parse(char *query, unsigned taken, gjkd_params *out,
                       char error[GJKD_PARAM_ERROR_MAX]) {
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
