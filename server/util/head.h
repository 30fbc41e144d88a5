#ifndef GJKD_UTIL_HEAD_H
#define GJKD_UTIL_HEAD_H

/*
 * The head of a request: the header fields that the daemon uses, and whether they frame the body
 * unambiguously (RFC 9112, section 6.3). Messages with two readings allow request smuggling past a
 * proxy.
 */

#include "gjk/arena.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum gjkd_method {
    GJKD_GET,
    GJKD_HEAD,
    GJKD_PUT,
    GJKD_POST,
    GJKD_PATCH,
    GJKD_DELETE,
    GJKD_OPTIONS,
    GJKD_METHOD_OTHER,
} gjkd_method;
#define GJKD_METHOD_COUNT (GJKD_METHOD_OTHER + 1)

gjkd_method gjkd_method_find(const char *text);
const char *gjkd_method_text(gjkd_method method); /* "other" for GJKD_METHOD_OTHER */

/* Bytes counted for each field in addition to its name and value, so that the limit on header bytes
 * also limits many short fields. */
#define GJKD_FIELD_OVERHEAD_BYTES 64

typedef struct gjkd_head {
    gjkd_method method;
    const char *host; /* this and the following texts: NULL if absent */
    const char *content_type;
    const char *accept;
    const char *accept_encoding;
    const char *if_match;
    const char *if_none_match;
    const char *timeout_ms;
    const char *min_revision;
    const char *consistency;
    const char *request_id;
    const char *authorization;
    const char *origin;
    const char *request_method; /* Access-Control-Request-Method */
    const char *forwarded_for;
    const char *last_event_id;
    const char *upgrade, *connection, *websocket_key, *websocket_version, *websocket_protocol;
    bool has_length, chunked, wants_continue;
    bool gzipped;         /* Content-Encoding is gzip */
    bool encoded;         /* Content-Encoding is any other coding */
    uint64_t body_bytes;  /* valid when has_length */
    const char *fault;    /* why the request must be refused, or NULL */
    bool out_of_memory;   /* a field could not be stored */
    uint64_t field_bytes; /* names, values, and GJKD_FIELD_OVERHEAD_BYTES for each */
} gjkd_head;

/* Returns a head without fields. */
gjkd_head gjkd_head_make(gjkd_method method);

/*
 * Adds a field. Fields are added in the order of the message. Texts are copied to the arena, so
 * that a head never refers to the caller's memory. Errors are stored in head->fault and
 * head->out_of_memory.
 */
void gjkd_head_add(gjkd_head *head, struct gjk_arena *arena, const char *name, const char *value);

/* Sets all texts to NULL, before their arena is freed. The fields that frame the body stay. */
void gjkd_head_forget_texts(gjkd_head *head);

/* Returns true if a body follows. */
bool gjkd_head_has_body(const gjkd_head *head);

/* Media types in Content-Type and Accept (RFC 9110, sections 8.3.1 and 12.5.1). */

#define GJKD_TYPE_JSON "application/json"
#define GJKD_TYPE_MERGE_PATCH "application/merge-patch+json"
#define GJKD_TYPE_LINES "application/x-ndjson"
/* Column messages have two names. */
#define GJKD_TYPE_PROTOBUF "application/protobuf"
#define GJKD_TYPE_X_PROTOBUF "application/x-protobuf"

/* Returns true if Content-Type (NULL: absent) is that type and each charset in it is UTF-8. Other
 * parameters are ignored. */
bool gjkd_is_text_type(const char *content_type, const char *type);

/* Return true if Content-Type is that of a column message, by either name or by
 * application/protobuf. Parameters are ignored. */
bool gjkd_is_columns_type(const char *content_type);
bool gjkd_is_short_name(const char *content_type);

/* Returns the value of a parameter of Content-Type, without quotes, or NULL if there is none. */
const char *gjkd_type_parameter(const char *content_type, const char *name, size_t *length);

/* Returns the weight of a type in Accept, in thousandths; 0: not acceptable. NULL (no header)
 * accepts everything. */
int gjkd_accept_weight(const char *accept, const char *type);

/* Returns the weight of a content coding in Accept-Encoding, by name or by *, in thousandths; 0:
 * refused or not mentioned. */
int gjkd_coding_weight(const char *accept_encoding, const char *coding);

/*
 * Request ids (X-Request-Id) identify a request to the client, proxies and logs. A client's id is
 * used if it is short and plain, so that it can be copied to a header and a log unescaped;
 * otherwise one is generated.
 */

/* Maximum length of an id of [A-Za-z0-9._~:@/+=-]: UUIDs and trace contexts fit. */
#define GJKD_REQUEST_ID_BYTES_MAX 128
/* Size of a generated id with its NUL. */
#define GJKD_REQUEST_ID_FRESH_MAX 17

bool gjkd_is_request_id(const char *text);

/* Generates an id. Ids of two threads coincide with a probability of about 2^-64. */
void gjkd_request_id_make(char id[GJKD_REQUEST_ID_FRESH_MAX]);

#endif
