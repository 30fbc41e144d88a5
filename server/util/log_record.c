/*
 * How is a line of a log written so that nobody can forge one? Every text that is not plain
 * stands in quotes, with quotes, backslashes, control characters and all bytes beyond ASCII
 * escaped: a line feed, an escape sequence for the reader's terminal or an ill-formed UTF-8
 * sequence never reaches the log. Fields go in one after another; one that does not fit is
 * left out whole, and the end always fits.
 */

#include "util/log_record.h"

#include <stdio.h>
#include <string.h>

/* Room that stays for the brace and the line feed. */
#define END_BYTES 2

void gjkd_log_record_begin(struct gjkd_log_record *line, bool json) {
    line->json = json;
    line->full = false;
    line->length = 0;
}

static void put(struct gjkd_log_record *line, const char *text, size_t length) {
    if (line->full || length > sizeof line->text - END_BYTES - line->length) {
        line->full = true;
        return;
    }
    memcpy(line->text + line->length, text, length);
    line->length += length;
}

static void put_text(struct gjkd_log_record *line, const char *text) {
    put(line, text, strlen(text));
}

static void put_name(struct gjkd_log_record *line, const char *name) {
    bool first = line->length == 0;
    put_text(line, line->json ? (first ? "{\"" : ",\"") : (first ? "" : " "));
    put_text(line, name);
    put_text(line, line->json ? "\":" : "=");
}

/* May it stand without quotes behind an equals sign? */
static bool is_plain(const char *value, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (value[i] <= ' ' || value[i] > '~' || value[i] == '"' || value[i] == '\\' ||
            value[i] == '=') {
            return false;
        }
    }
    return length > 0;
}

static void put_quoted(struct gjkd_log_record *line, const char *value, size_t length) {
    put_text(line, "\"");
    for (size_t i = 0; i < length; i++) {
        char escaped[8];
        unsigned char c = (unsigned char)value[i];
        if (c == '"' || c == '\\') {
            put(line, (const char[]){'\\', (char)c}, 2);
        } else if (c < ' ' || c > '~') {
            snprintf(escaped, sizeof escaped, "\\u%04x", c);
            put(line, escaped, 6);
        } else {
            put(line, &value[i], 1);
        }
    }
    put_text(line, "\"");
}

/* A field that did not fit is taken back. */
static void settle(struct gjkd_log_record *line, size_t before) {
    if (line->full) {
        line->length = before;
    }
}

void gjkd_log_record_add_text(struct gjkd_log_record *line, const char *name, const char *value,
                              size_t max) {
    size_t before = line->length;
    size_t length = strnlen(value, max);
    put_name(line, name);
    if (!line->json && is_plain(value, length)) {
        put(line, value, length);
    } else {
        put_quoted(line, value, length);
    }
    settle(line, before);
}

void gjkd_log_record_add_count(struct gjkd_log_record *line, const char *name, uint64_t value) {
    char text[24];
    size_t before = line->length;
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    put_name(line, name);
    put_text(line, text);
    settle(line, before);
}

void gjkd_log_record_add_seconds(struct gjkd_log_record *line, const char *name,
                                 uint64_t duration_ns) {
    char text[40];
    size_t before = line->length;
    uint64_t us = duration_ns / 1000;
    snprintf(text, sizeof text, "%llu.%06llu", (unsigned long long)(us / 1000000),
             (unsigned long long)(us % 1000000));
    put_name(line, name);
    put_text(line, text);
    settle(line, before);
}

void gjkd_log_record_end(struct gjkd_log_record *line) {
    if (line->json) {
        line->text[line->length++] = '}';
    }
    line->text[line->length++] = '\n';
}
