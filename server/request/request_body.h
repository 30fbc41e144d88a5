#ifndef GJKD_REQUEST_REQUEST_BODY_H
#define GJKD_REQUEST_REQUEST_BODY_H

#include "proto/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The content coding gzip (RFC 1952) of bodies that come in and of replies. */

typedef enum gjkd_unpack_status {
    GJKD_UNPACKED,
    GJKD_UNPACK_STOPPED, /* the sink wants no more */
    GJKD_UNPACK_CORRUPT, /* that is no gzip, or its checksum is wrong */
    GJKD_UNPACK_CUT,     /* it ends before its last member does */
    GJKD_UNPACK_NO_MEMORY,
} gjkd_unpack_status;

/*
 * Unpacks a body, with memory of the arena, and gives what it holds to the sink in pieces of at most
 * 16 KiB; the sink answers false when it wants no more, and then none is unpacked.
 */
typedef bool gjkd_unpack_sink(void *user, const char *data, size_t length);
gjkd_unpack_status gjkd_unpack(proto_text packed, struct gjk_arena *arena, gjkd_unpack_sink *sink,
                               void *user);

struct gjkd_request;

/* Gives a body of any length to the sink: as a whole, or unpacked in pieces. The sink refuses the
 * request when it returns false. False: the request is refused. */
bool gjkd_request_read_body(struct gjkd_request *request, gjkd_unpack_sink *sink, void *user);

/* Gives the next piece of what is to be packed; *length is 0 at its end. */
typedef const char *gjkd_pack_source(void *user, size_t *length);

/* Packs about `length` bytes, which the source gives piece by piece, into out. False: out of
 * memory. Always the same bytes for the same data, however it is cut. */
bool gjkd_pack(uint64_t length, gjkd_pack_source *source, void *user, struct proto_buffer *out);

#endif
