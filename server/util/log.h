#ifndef GJKD_UTIL_LOG_H
#define GJKD_UTIL_LOG_H

/*
 * What the daemon tells its operator, on standard error: a line an event, in words, and if
 * wanted a line a request (access.h). Thread-safe. A reader that does not read never holds
 * the daemon up: lines that find no room are dropped, and counted.
 */

#include "util/log_record.h"

typedef enum gjkd_log_level {
    GJKD_LOG_ERROR,   /* something was not done that should have been */
    GJKD_LOG_WARNING, /* done, but somebody should look at it */
    GJKD_LOG_INFO,    /* the course of the daemon's life */
    GJKD_LOG_DEBUG,
} gjkd_log_level;

typedef enum gjkd_log_format {
    GJKD_LOG_PLAIN, /* until gjkd_log_setup: the daemon's name and the words, for a terminal */
    GJKD_LOG_TEXT,  /* time=... level=... message="..." */
    GJKD_LOG_JSON,  /* an object a line */
} gjkd_log_format;

/* Before the first thread starts. What is less urgent than level is not written. */
void gjkd_log_setup(gjkd_log_format format, gjkd_log_level level);

/* One event. */
void gjkd_log(gjkd_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* For lines made elsewhere: begin puts time and level; write ends the line and writes it, or
 * drops it when standard error does not take it at once. */
void gjkd_log_begin(struct gjkd_log_record *line, gjkd_log_level level);
void gjkd_log_write(struct gjkd_log_record *line);

/* Lines dropped so far. */
uint64_t gjkd_log_dropped(void);

#endif
