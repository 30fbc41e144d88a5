#ifndef GJKD_UTIL_LOG_H
#define GJKD_UTIL_LOG_H

/*
 * Log records on standard error: one for each event and, with --access-log, one for each request.
 * Thread-safe. A reader that does not read never blocks the daemon: records without room are
 * dropped and counted.
 */

#include "util/log_record.h"

typedef enum gjkd_log_level {
    GJKD_LOG_ERROR,   /* something failed */
    GJKD_LOG_WARNING, /* something the operator should look at */
    GJKD_LOG_INFO,    /* start, reload, stop */
    GJKD_LOG_DEBUG,
} gjkd_log_level;

typedef enum gjkd_log_format {
    GJKD_LOG_PLAIN, /* before gjkd_log_setup: "gjkd: " and the message */
    GJKD_LOG_TEXT,  /* time=... level=... message="..." */
    GJKD_LOG_JSON,  /* one object a line */
} gjkd_log_format;

/* To be called before the first thread starts. Records below the level are not written. */
void gjkd_log_setup(gjkd_log_format format, gjkd_log_level level);

/* Logs an event. */
void gjkd_log(gjkd_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* For records made elsewhere: begin adds time and level; write ends the record and writes it, or
 * drops it if standard error does not take it at once. */
void gjkd_log_begin(struct gjkd_log_record *record, gjkd_log_level level);
void gjkd_log_write(struct gjkd_log_record *record);

/* Records dropped so far. */
uint64_t gjkd_log_dropped(void);

#endif
