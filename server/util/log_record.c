/*
 * Values that are not plain are quoted, with quotes, backslashes, control characters and all bytes
 * beyond ASCII escaped: no line feed, terminal escape sequence or malformed UTF-8 of a client
 * reaches the log. A field that does not fit is left out as a whole; room for the end is always
 * kept.
 */

#include "util/log_record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Room kept for the brace and the line feed. */
#define END_BYTES 2

void gjkd_log_record_begin(struct gjkd_log_record *record, bool json) {
    record->json = json;
    record->full = false;
    record->length = 0;
}

static void put(struct gjkd_log_record *record, const char *text, size_t length) {
    if (record->full || length > sizeof record->text - END_BYTES - record->length) {
        record->full = true;
        return;
    }
    memcpy(record->text + record->length, text, length);
    record->length += length;
}

static void put_text(struct gjkd_log_record *record, const char *text) {
    put(record, text, strlen(text));
}

static void put_name(struct gjkd_log_record *record, const char *name) {
    bool first = record->length == 0;
    put_text(record, record->json ? (first ? "{\"" : ",\"") : (first ? "" : " "));
    put_text(record, name);
    put_text(record, record->json ? "\":" : "=");
}

/* Returns true if the value needs no quotes. */
static bool is_plain(const char *value, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (value[i] <= ' ' || value[i] > '~' || value[i] == '"' || value[i] == '\\' ||
            value[i] == '=') {
            return false;
        }
    }
    return length > 0;
}

static void put_quoted(struct gjkd_log_record *record, const char *value, size_t length) {
    put_text(record, "\"");
    for (size_t i = 0; i < length; i++) {
        char escaped[8];
        unsigned char c = (unsigned char)value[i];
        if (c == '"' || c == '\\') {
            put(record, (const char[]){'\\', (char)c}, 2);
        } else if (c < ' ' || c > '~') {
            snprintf(escaped, sizeof escaped, "\\u%04x", c);
            put(record, escaped, 6);
        } else {
            put(record, &value[i], 1);
        }
    }
    put_text(record, "\"");
}

/* Removes a field that did not fit. */
static void drop_partial(struct gjkd_log_record *record, size_t before) {
    if (record->full) {
        record->length = before;
    }
}

void gjkd_log_record_add_text(struct gjkd_log_record *record, const char *name, const char *value,
                              size_t max) {
    size_t before = record->length;
    size_t length = strnlen(value, max);
    put_name(record, name);
    if (!record->json && is_plain(value, length)) {
        put(record, value, length);
    } else {
        put_quoted(record, value, length);
    }
    drop_partial(record, before);
}

static void add_number(struct gjkd_log_record *record, const char *name, const char *text) {
    size_t before = record->length;
    put_name(record, name);
    put_text(record, text);
    drop_partial(record, before);
}

void gjkd_log_record_add_count(struct gjkd_log_record *record, const char *name, uint64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    add_number(record, name, text);
}

void gjkd_log_record_add_seconds(struct gjkd_log_record *record, const char *name,
                                 uint64_t duration_ns) {
    char text[40];
    uint64_t us = duration_ns / 1000;
    snprintf(text, sizeof text, "%" PRIu64 ".%06" PRIu64, us / 1000000, us % 1000000);
    add_number(record, name, text);
}

void gjkd_log_record_end(struct gjkd_log_record *record) {
    if (record->json) {
        record->text[record->length++] = '}';
    }
    record->text[record->length++] = '\n';
}
