#ifndef GJKD_CLUSTER_BYTES_H
#define GJKD_CLUSTER_BYTES_H

/* Encoding of numbers and texts for messages of a cluster, in the machine's byte order. A reader
 * decodes to the end and then checks once whether all bytes were there. */

#include "proto/reply.h"

#include <string.h>

/* --- Writing --- */

static inline void gjkd_put_bytes(struct proto_buffer *out, const void *data, size_t length) {
    proto_put_bytes(out, data, length);
}

static inline void gjkd_put8(struct proto_buffer *out, uint8_t value) {
    gjkd_put_bytes(out, &value, sizeof value);
}

static inline void gjkd_put32(struct proto_buffer *out, uint32_t value) {
    gjkd_put_bytes(out, &value, sizeof value);
}

static inline void gjkd_put64(struct proto_buffer *out, uint64_t value) {
    gjkd_put_bytes(out, &value, sizeof value);
}

/* Writes the blob's length, then the blob. */
static inline void gjkd_put_blob(struct proto_buffer *out, const void *data, size_t length) {
    gjkd_put32(out, (uint32_t)length);
    gjkd_put_bytes(out, data, length);
}

/* Writes a name with its terminating NUL as a blob. */
static inline void gjkd_put_name(struct proto_buffer *out, const char *name) {
    gjkd_put_blob(out, name, strlen(name) + 1);
}

/* --- Reading --- */

/* Text that is decoded from the front. Decoding beyond its end sets `failed` and yields 0. */
typedef struct gjkd_cursor {
    proto_text rest;
    bool failed;
} gjkd_cursor;

/* Returns a view of the next bytes, or NULL on failure. */
static inline const char *gjkd_take(gjkd_cursor *cursor, size_t length) {
    if (cursor->failed || cursor->rest.length < length) {
        cursor->failed = true;
        return NULL;
    }
    const char *at = cursor->rest.data;
    cursor->rest = (proto_text){at + length, cursor->rest.length - length};
    return at;
}

static inline void gjkd_take_into(gjkd_cursor *cursor, void *out, size_t length) {
    const char *at = gjkd_take(cursor, length);
    if (at != NULL) {
        memcpy(out, at, length);
    }
}

static inline uint8_t gjkd_take8(gjkd_cursor *cursor) {
    uint8_t value = 0;
    gjkd_take_into(cursor, &value, sizeof value);
    return value;
}

static inline uint32_t gjkd_take32(gjkd_cursor *cursor) {
    uint32_t value = 0;
    gjkd_take_into(cursor, &value, sizeof value);
    return value;
}

static inline uint64_t gjkd_take64(gjkd_cursor *cursor) {
    uint64_t value = 0;
    gjkd_take_into(cursor, &value, sizeof value);
    return value;
}

static inline proto_text gjkd_take_blob(gjkd_cursor *cursor) {
    const uint32_t length = gjkd_take32(cursor);
    const char *at = gjkd_take(cursor, length);
    return (proto_text){at, at != NULL ? length : 0};
}

/* Returns a view of a name, or "" on failure. */
static inline const char *gjkd_take_name(gjkd_cursor *cursor) {
    const proto_text text = gjkd_take_blob(cursor);
    const bool fine =
        text.length > 0 && memchr(text.data, '\0', text.length) == text.data + text.length - 1;
    cursor->failed = cursor->failed || !fine;
    return fine ? text.data : "";
}

#endif
