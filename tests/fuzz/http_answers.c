/*
 * Answer by answer: a status line, header fields of which each is one that gjkd sends, and a body
 * as long as the fields say, which is JSON where it claims to be. Refusals are problems in the form
 * of RFC 9457. libmicrohttpd's own refusals (without a request id) only have to begin as answers,
 * and to be the last: version 0.9.75 sends their head twice.
 */

#include "http_answers.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PROBLEM_TYPE "application/problem+json"

/* Numbers are answered as they were given, however many digits they have. */
#define JSON_FLAGS (JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL)

struct answer {
    int status;
    const char *type; /* of its body, up to the end of the line; NULL: none */
    size_t type_length;
    size_t length; /* of the body, as told */
    bool has_length, has_id, has_date;
};

static const char *const field_names[] = {"Access-Control-Allow-Headers",
                                          "Access-Control-Allow-Methods",
                                          "Access-Control-Allow-Origin",
                                          "Access-Control-Expose-Headers",
                                          "Access-Control-Max-Age",
                                          "Allow",
                                          "Connection",
                                          "Content-Length",
                                          "Content-Security-Policy",
                                          "Content-Type",
                                          "Date",
                                          "ETag",
                                          "Gjkd-Durability",
                                          "Location",
                                          "Retry-After",
                                          "Server-Timing",
                                          "Vary",
                                          "X-Content-Type-Options",
                                          "X-Request-Id"};
enum { FIELD_COUNT = sizeof field_names / sizeof field_names[0] };

/* 500 is none of them. */
static const int statuses[] = {100, 200, 201, 204, 304, 400, 403, 404, 405, 406, 409, 410, 411,
                               412, 413, 414, 415, 422, 429, 431, 501, 503, 504, 505, 507};

static bool is_status(int status) {
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        if (statuses[i] == status)
            return true;
    }
    return false;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* The status line, without its end. */
static const char *read_status(const char *line, size_t length, struct answer *out) {
    if (length < 13 || memcmp(line, "HTTP/1.", 7) != 0 || (line[7] != '0' && line[7] != '1') ||
        line[8] != ' ' || !is_digit(line[9]) || !is_digit(line[10]) || !is_digit(line[11]) ||
        line[12] != ' ')
        return "no status line";
    out->status = (line[9] - '0') * 100 + (line[10] - '0') * 10 + line[11] - '0';
    return is_status(out->status) ? NULL : "a status that is never answered";
}

static bool is_length(const char *text, size_t length, size_t *out) {
    *out = 0;
    for (size_t i = 0; i < length; i++) {
        if (!is_digit(text[i]) || length > 9)
            return false;
        *out = *out * 10 + (size_t)(text[i] - '0');
    }
    return length > 0;
}

static const char *read_field(const char *line, size_t length, bool seen[FIELD_COUNT],
                              struct answer *out) {
    const char *colon = memchr(line, ':', length);
    size_t name_length = colon != NULL ? (size_t)(colon - line) : 0;
    int i = 0;
    while (i < FIELD_COUNT && (strlen(field_names[i]) != name_length ||
                               strncasecmp(field_names[i], line, name_length) != 0))
        i++;
    if (i == FIELD_COUNT)
        return "a header field that gjkd does not send";
    const char *name = field_names[i];
    if (seen[i] && strcmp(name, "Vary") != 0)
        return "a header field stands twice";
    seen[i] = true;
    const char *value = colon + 1;
    size_t value_length = length - name_length - 1;
    for (size_t k = 0; k < value_length; k++) {
        if ((unsigned char)value[k] < ' ' || value[k] == 127)
            return "a header's value has control characters";
    }
    if (value_length > 0 && value[0] == ' ') {
        value++;
        value_length--;
    }
    if (strcmp(name, "Content-Length") == 0) {
        out->has_length = is_length(value, value_length, &out->length);
        return out->has_length ? NULL : "Content-Length is no number";
    }
    if (strcmp(name, "Content-Type") == 0) {
        out->type = value;
        out->type_length = value_length;
    }
    out->has_id = out->has_id || strcmp(name, "X-Request-Id") == 0;
    out->has_date = out->has_date || strcmp(name, "Date") == 0;
    return NULL;
}

/* The end of the line that begins at `at`, or NULL when there is none. */
static const char *line_end(const char *at, const char *end) {
    while (at + 1 < end && (at[0] != '\r' || at[1] != '\n'))
        at++;
    return at + 1 < end ? at : NULL;
}

/* Status line and header fields; *at moves behind the empty line. */
static const char *read_head(const char **at, const char *end, struct answer *out) {
    bool seen[FIELD_COUNT] = {false};
    const char *line = *at;
    const char *stop = line_end(line, end);
    if (stop == NULL)
        return "the status line does not end";
    const char *fault = read_status(line, (size_t)(stop - line), out);
    while (fault == NULL) {
        line = stop + 2;
        stop = line_end(line, end);
        if (stop == NULL)
            return "the head does not end";
        if (stop == line)
            break;
        fault = read_field(line, (size_t)(stop - line), seen, out);
    }
    *at = line + 2;
    return fault;
}

static bool has_type(const struct answer *answer, const char *type) {
    return answer->type != NULL && answer->type_length >= strlen(type) &&
           memcmp(answer->type, type, strlen(type)) == 0;
}

static bool is_problem(const json_t *body, int status) {
    static const char prefix[] = "/problems/";
    const char *type = json_string_value(json_object_get(body, "type"));
    const char *code = json_string_value(json_object_get(body, "code"));
    return type != NULL && code != NULL && strncmp(type, prefix, sizeof prefix - 1) == 0 &&
           strcmp(type + sizeof prefix - 1, code) == 0 &&
           json_number_value(json_object_get(body, "status")) == status &&
           json_is_string(json_object_get(body, "title")) &&
           json_is_string(json_object_get(body, "detail"));
}

static const char *json_fault(const struct answer *answer, const char *body, bool problem) {
    json_t *json = json_loadb(body, answer->length, JSON_FLAGS, NULL);
    const char *fault = json == NULL ? "a body that is no JSON" : NULL;
    if (fault == NULL && problem && !is_problem(json, answer->status))
        fault = "a problem that is not one, or of another status";
    json_decref(json);
    return fault;
}

static const char *body_fault(const struct answer *answer, const char *body) {
    bool problem = has_type(answer, PROBLEM_TYPE);
    if (answer->status >= 400 && !problem)
        return "a refusal that is no problem";
    if (problem || has_type(answer, "application/json"))
        return json_fault(answer, body, problem);
    return answer->type != NULL || answer->length == 0 ? NULL : "a body without a type";
}

const char *http_answers_fault(const char *data, size_t size, bool has_head) {
    const char *at = data;
    const char *end = data + size;
    while (at < end) {
        struct answer answer = {0};
        const char *fault = read_head(&at, end, &answer);
        if (fault != NULL)
            return fault;
        if (answer.status == 100)
            continue;
        if (!answer.has_id)
            return answer.status >= 400 ? NULL : "an answer without a request id";
        if (!answer.has_date)
            return "an answer without a date";
        if (answer.status == 204 || answer.status == 304)
            continue;
        if (!answer.has_length)
            return "an answer without a length";
        size_t left = (size_t)(end - at);
        if (has_head && (left == 0 || (left > 7 && memcmp(at, "HTTP/1.", 7) == 0)))
            continue;
        if (left < answer.length)
            return "a body that is cut off";
        fault = body_fault(&answer, at);
        if (fault != NULL)
            return fault;
        at += answer.length;
    }
    return NULL;
}
