#ifndef GJKD_UTIL_LOG_RECORD_H
#define GJKD_UTIL_LOG_RECORD_H

/*
 * One log record in one of two forms: `name=value` fields (logfmt) or a JSON object. Whatever the
 * values are, the record stays one line and its fields cannot be forged.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* PIPE_BUF: a pipe takes as much atomically, so that records of threads never mix. */
#define GJKD_LOG_RECORD_BYTES_MAX 4096

struct gjkd_log_record {
    bool json;
    bool full; /* a field did not fit; it and all further ones are left out */
    size_t length;
    char text[GJKD_LOG_RECORD_BYTES_MAX];
};

void gjkd_log_record_begin(struct gjkd_log_record *record, bool json);

/*
 * Add a field. name is the program's own and is not escaped. Of a text at most `max` bytes are
 * kept; bytes that are not printable ASCII are escaped as in JSON.
 */
void gjkd_log_record_add_text(struct gjkd_log_record *record, const char *name, const char *value,
                              size_t max);
void gjkd_log_record_add_count(struct gjkd_log_record *record, const char *name, uint64_t value);
/* In seconds with six decimals. */
void gjkd_log_record_add_seconds(struct gjkd_log_record *record, const char *name,
                                 uint64_t duration_ns);

/* Ends the record with a line feed. */
void gjkd_log_record_end(struct gjkd_log_record *record);

#endif
