#ifndef GJKD_REQUEST_REQUEST_BODY_H
#define GJKD_REQUEST_REQUEST_BODY_H

#include "proto/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The content coding gzip (RFC 1952) of bodies and of replies. */

typedef enum gjkd_unpack_status {
    GJKD_UNPACKED,
    GJKD_UNPACK_STOPPED, /* the sink returned false */
    GJKD_UNPACK_CORRUPT, /* the bytes are not gzip, or a checksum is wrong */
    GJKD_UNPACK_CUT,     /* the last member is incomplete */
    GJKD_UNPACK_NO_MEMORY,
} gjkd_unpack_status;

/*
 * Unpacks a gzipped body, with memory of the arena, and passes it to the sink in pieces of at most
 * 16 KiB. Stops when the sink returns false.
 */
typedef bool gjkd_unpack_sink(void *user, const char *data, size_t length);
gjkd_unpack_status gjkd_unpack(proto_text packed, struct gjk_arena *arena, gjkd_unpack_sink *sink,
                               void *user);

struct gjkd_request;

/* Passes a body of any length to the sink: as a whole or, if it is gzipped, unpacked in pieces. A
 * sink that returns false has refused the request. Returns false if the request is refused. */
bool gjkd_request_read_body(struct gjkd_request *request, gjkd_unpack_sink *sink, void *user);

/* Returns the next piece of the data to compress; *length is 0 at the end. */
typedef const char *gjkd_pack_source(void *user, size_t *length);

/* Compresses about `length` bytes, which the source returns piece by piece, into `out`. The bytes
 * do not depend on the sizes of the pieces. Returns false if memory is exhausted. */
bool gjkd_pack(uint64_t length, gjkd_pack_source *source, void *user, struct proto_buffer *out);

#endif
