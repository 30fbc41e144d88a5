#ifndef GJKD_UTIL_MEDIA_H
#define GJKD_UTIL_MEDIA_H

/* Media types in Content-Type and Accept (RFC 9110, sections 8.3.1 and 12.5.1). */

#include <stdbool.h>

#define GJKD_TYPE_JSON "application/json"
#define GJKD_TYPE_MERGE_PATCH "application/merge-patch+json"
/* Column messages have two names. */
#define GJKD_TYPE_PROTOBUF "application/protobuf"
#define GJKD_TYPE_X_PROTOBUF "application/x-protobuf"

/* Returns true if Content-Type (NULL: absent) is that type, with no charset or UTF-8. Other
 * parameters are ignored. */
bool gjkd_is_text_type(const char *content_type, const char *type);

/* Returns true if it is a column message, by either name or by application/protobuf. Parameters are
 * ignored. */
bool gjkd_is_columns_type(const char *content_type);
bool gjkd_is_short_name(const char *content_type);

/* The weight of the type in Accept, in thousandths; 0: not acceptable. NULL (no header) accepts
 * everything. */
int gjkd_accept_weight(const char *accept, const char *type);

/* The weight of a content coding that Accept-Encoding names, itself or by *, likewise; 0: it is
 * refused, or nothing is said of it. */
int gjkd_coding_weight(const char *accept_encoding, const char *coding);

/* Returns true if Accept admits application/json. */
bool gjkd_accepts_json(const char *accept);

#endif
