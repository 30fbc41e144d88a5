/*
 * Records go to standard error, because standard output belongs to the ready record. Each record is
 * one write of at most PIPE_BUF bytes. A pipe that polls as writable has room for that much, so
 * polling first, under a lock, guarantees that the write does not block; files always have room.
 */

#include "util/log.h"

#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* How long an event waits for room. Access records do not wait. */
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
