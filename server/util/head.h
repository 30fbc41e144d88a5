#ifndef GJKD_UTIL_HEAD_H
#define GJKD_UTIL_HEAD_H

/*
 * What the daemon wants to know of a request's header fields, and whether they frame the
 * body in one way only (RFC 9112, section 6.3): two readings of one message are how
 * requests get smuggled past a proxy.
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
const char *gjkd_method_text(gjkd_method method); /* "other" for all others */

/* What a field takes of a connection's memory beside its text: many short ones are as much as a
 * few long ones. */
#define GJKD_FIELD_OVERHEAD_BYTES 64

typedef struct gjkd_head {
    gjkd_method method;
    const char *host; /* these: NULL when absent */
    const char *content_type;
    const char *accept;
    const char *if_match;
    const char *if_none_match;
    const char *timeout_ms;
    const char *request_id;
    const char *authorization;
    const char *origin;
    const char *request_method; /* Access-Control-Request-Method */
    const char *forwarded_for;
    bool has_length, chunked, wants_continue;
    bool encoded;         /* Content-Encoding names something that would have to be undone */
    uint64_t body_bytes;  /* valid when has_length */
    const char *fault;    /* why the request is refused, or NULL */
    uint64_t field_bytes; /* names, values, and GJKD_FIELD_OVERHEAD_BYTES for each */
} gjkd_head;

/* Nothing known but the method. */
gjkd_head gjkd_head_make(gjkd_method method);

/*
 * One field, in the order they came. Texts are borrowed, unless blanks are cut off or a
 * list that came in several fields is joined: then they are in the arena. Trouble goes to
 * head->fault.
 */
void gjkd_head_add(gjkd_head *head, struct gjk_arena *arena, const char *name, const char *value);

/* Does a body follow? */
bool gjkd_head_has_body(const gjkd_head *head);

#endif
