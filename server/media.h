#ifndef GJKD_MEDIA_H
#define GJKD_MEDIA_H

/* What Content-Type and Accept say about JSON (RFC 9110, sections 8.3.1 and 12.5.1). */

#include <stdbool.h>

/* Is it application/json in UTF-8? NULL is not. Parameters but charset mean nothing. */
bool gjkd_is_json_type(const char *content_type);

/* Does Accept admit application/json? NULL (no header) admits everything. */
bool gjkd_accepts_json(const char *accept);

#endif
