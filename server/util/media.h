#ifndef GJKD_UTIL_MEDIA_H
#define GJKD_UTIL_MEDIA_H

/* What Content-Type and Accept say about types (RFC 9110, sections 8.3.1 and 12.5.1). */

#include <stdbool.h>

#define GJKD_TYPE_JSON "application/json"
#define GJKD_TYPE_MERGE_PATCH "application/merge-patch+json"
/* Column messages: two names of one thing. */
#define GJKD_TYPE_PROTOBUF "application/protobuf"
#define GJKD_TYPE_X_PROTOBUF "application/x-protobuf"

/* Is it of that type, its charset UTF-8 where one is told? NULL is not. Other parameters mean
 * nothing. */
bool gjkd_is_text_type(const char *content_type, const char *type);

/* Is it a column message, by one of its names, and by the short one? No parameter means
 * anything: there is no charset in bytes. */
bool gjkd_is_columns_type(const char *content_type);
bool gjkd_is_short_name(const char *content_type);

/* How much does Accept want that type, in thousandths? 0: not at all. NULL (no header) wants
 * everything alike. */
int gjkd_accept_weight(const char *accept, const char *type);

/* Does Accept admit application/json? */
bool gjkd_accepts_json(const char *accept);

#endif
