/*
 * Records go to standard error, because standard output is for the ready line. Each record is one
 * write of at most PIPE_BUF bytes. A pipe that polls as writable has room for that much, so polling
 * first, under a lock, guarantees that the write does not block; files always have room.
 */

#include "util/log.h"

#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Time for which an event waits for room. Access records do not wait. */
#define EVENT_WAIT_MS 100

static struct {
    gjkd_log_format format;
    gjkd_log_level level;
    pthread_mutex_t lock;
    atomic_uint_least64_t dropped;
} log_state = {.level = GJKD_LOG_INFO, .lock = PTHREAD_MUTEX_INITIALIZER};

void gjkd_log_setup(gjkd_log_format format, gjkd_log_level level) {
    log_state.format = format;
    log_state.level = level;
}

uint64_t gjkd_log_dropped(void) {
    return atomic_load_explicit(&log_state.dropped, memory_order_relaxed);
}

static void write_out(const char *text, size_t length, int wait_ms) {
    struct pollfd out = {.fd = STDERR_FILENO, .events = POLLOUT};
    pthread_mutex_lock(&log_state.lock);
    bool room = poll(&out, 1, wait_ms) == 1 && (out.revents & POLLOUT);
    if (!room || write(STDERR_FILENO, text, length) != (ssize_t)length) {
        atomic_fetch_add_explicit(&log_state.dropped, 1, memory_order_relaxed);
    }
    pthread_mutex_unlock(&log_state.lock);
}

void gjkd_log_begin(struct gjkd_log_record *record, gjkd_log_level level) {
    static const char *const levels[] = {"error", "warning", "info", "debug"};
    char text[48];
    struct timespec now;
    struct tm utc;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    size_t length = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(text + length, sizeof text - length, ".%06ldZ", now.tv_nsec / 1000);
    gjkd_log_record_begin(record, log_state.format == GJKD_LOG_JSON);
    gjkd_log_record_add_text(record, "time", text, sizeof text);
    gjkd_log_record_add_text(record, "level", levels[level], sizeof text);
}

void gjkd_log_write(struct gjkd_log_record *record) {
    gjkd_log_record_end(record);
    write_out(record->text, record->length, 0);
}

void gjkd_log(gjkd_log_level level, const char *format, ...) {
    char message[1024];
    if (level > log_state.level) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (log_state.format == GJKD_LOG_PLAIN) {
        fprintf(stderr, "gjkd: %s\n", message); /* one call, so that records do not mix */
        return;
    }
    struct gjkd_log_record record;
    gjkd_log_begin(&record, level);
    gjkd_log_record_add_text(&record, "message", message, sizeof message);
    gjkd_log_record_end(&record);
    write_out(record.text, record.length, EVENT_WAIT_MS);
}

bool gjkd_refuse(char error[GJKD_ERROR_MAX], const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error, GJKD_ERROR_MAX, format, arguments);
    va_end(arguments);
    return false;
}

/*
 * Values that are not plain are quoted, with quotes, backslashes, control characters and all bytes
 * beyond ASCII escaped: no line feed, terminal escape sequence or malformed UTF-8 of a client
 * reaches the log. A field that does not fit is left out as a whole; room for the record's end is
 * reserved.
 */

/* Bytes reserved for the closing brace and the line feed. */
#define END_BYTES 2

void gjkd_log_record_begin(struct gjkd_log_record *record, bool json) {
    record->json = json;
    record->full = false;
    record->length = 0;
}

static void put_bytes(struct gjkd_log_record *record, const char *text, size_t length) {
    if (record->full || length > sizeof record->text - END_BYTES - record->length) {
        record->full = true;
        return;
    }
    memcpy(record->text + record->length, text, length);
    record->length += length;
}

static void put_text(struct gjkd_log_record *record, const char *text) {
    put_bytes(record, text, strlen(text));
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
            put_bytes(record, (const char[]){'\\', (char)c}, 2);
        } else if (c < ' ' || c > '~') {
            snprintf(escaped, sizeof escaped, "\\u%04x", c);
            put_bytes(record, escaped, 6);
        } else {
            put_bytes(record, &value[i], 1);
        }
    }
    put_text(record, "\"");
}

/* Removes a field that did not fit, of which a part may have been written. */
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
        put_bytes(record, value, length);
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
