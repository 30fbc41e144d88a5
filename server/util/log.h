#ifndef GJKD_UTIL_LOG_H
#define GJKD_UTIL_LOG_H

/*
 * Log records on standard error: one for each event and, with --access-log, one for each request.
 * Thread-safe. A reader that does not read never blocks the daemon: records without room are
 * dropped and counted.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * One log record in one of two forms: `name=value` fields (logfmt) or a JSON object. Whatever the
 * values are, the record stays one line and its fields cannot be forged.
 */

/* PIPE_BUF: writes to a pipe up to this size are atomic, so that records of threads never mix. */
#define GJKD_LOG_RECORD_BYTES_MAX 4096

struct gjkd_log_record {
    bool json;
    bool full; /* a field did not fit; it and all later ones are left out */
    size_t length;
    char text[GJKD_LOG_RECORD_BYTES_MAX];
};

void gjkd_log_record_begin(struct gjkd_log_record *record, bool json);

/*
 * Add a field. name comes from the program and is not escaped. At most `max` bytes of a text are
 * written; bytes that are not printable ASCII are escaped as in JSON.
 */
void gjkd_log_record_add_text(struct gjkd_log_record *record, const char *name, const char *value,
                              size_t max);
void gjkd_log_record_add_count(struct gjkd_log_record *record, const char *name, uint64_t value);
/* Adds a time in seconds, with six decimals. */
void gjkd_log_record_add_seconds(struct gjkd_log_record *record, const char *name,
                                 uint64_t duration_ns);

/* Ends the record with a line feed. */
void gjkd_log_record_end(struct gjkd_log_record *record);

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

/* Sets the format and the least severe level to write. Call it before threads start. */
void gjkd_log_setup(gjkd_log_format format, gjkd_log_level level);

/* Logs an event, unless its level is less severe than that of the setup. */
void gjkd_log(gjkd_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Size of the reason for a failure: one sentence for the operator, with its NUL. */
#define GJKD_ERROR_MAX 512

/* Formats the reason into error. Returns false. */
bool gjkd_refuse(char error[GJKD_ERROR_MAX], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Begin and write a record. begin adds time and level; write ends the record and writes it, or
 * drops it if standard error cannot take it at once. */
void gjkd_log_begin(struct gjkd_log_record *record, gjkd_log_level level);
void gjkd_log_write(struct gjkd_log_record *record);

/* Returns the number of records dropped so far. */
uint64_t gjkd_log_dropped(void);

#endif
