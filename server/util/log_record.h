#ifndef GJKD_UTIL_LOG_RECORD_H
#define GJKD_UTIL_LOG_RECORD_H

/*
 * One line of a log, in one of two forms: `name=value` fields (logfmt) or a JSON object.
 * Whatever a text holds, the line stays one line and its fields stay what they are.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a pipe takes whole or not at all (PIPE_BUF), so that lines of threads never mix. */
#define GJKD_LINE_BYTES_MAX 4096

struct gjkd_log_record {
    bool json;
    bool full; /* a field did not fit: it and all after it are left out */
    size_t length;
    char text[GJKD_LINE_BYTES_MAX];
};

void gjkd_log_record_begin(struct gjkd_log_record *line, bool json);

/*
 * A field. name is the program's own and needs no escaping. Of value at most `max` bytes
 * are kept; what is no printable ASCII is escaped as in JSON, byte by byte.
 */
void gjkd_log_record_add_text(struct gjkd_log_record *line, const char *name, const char *value,
                              size_t max);
void gjkd_log_record_add_count(struct gjkd_log_record *line, const char *name, uint64_t value);
/* Seconds with six decimals. */
void gjkd_log_record_add_seconds(struct gjkd_log_record *line, const char *name,
                                 uint64_t duration_ns);

/* Closes the line with a line feed. */
void gjkd_log_record_end(struct gjkd_log_record *line);

#endif
