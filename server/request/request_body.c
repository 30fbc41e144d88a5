/*
 * How a body comes in. Piece by piece, unpacked as it comes, into the arena of its request, whose
 * memory is charged to the budget, up to what one body may have. What nobody will read is thrown
 * away, up to a limit, so that a client that goes on sending gets to its answer.
 */

#include "request/context.h"
#include "request/gzip.h"
#include "request/request.h"

#include <string.h>

/* First size of the buffer of a body whose length nobody announced. */
#define BODY_START_BYTES 4096

void gjkd_request_refuse_length(struct gjkd_request *request) {
    uint64_t max = request->context->limits.body_bytes_max;
    proto_problem_set(&request->problem, PROTO_BODY_TOO_LARGE, "a body may have %llu bytes",
                      (unsigned long long)max);
    proto_problem_limit(&request->problem, max);
    proto_problem_hint(&request->problem, "store a large set in pieces: PUT a part of its shapes, "
                                          "then PATCH the others in; PUT a large mesh, height "
                                          "field or region as columns, application/x-protobuf");
    gjkd_request_refuse(request);
    request->reply.close = true;
}

bool gjkd_request_is_too_long(const struct gjkd_request *request) {
    return request->head.has_length &&
           request->head.body_bytes > request->context->limits.body_bytes_max;
}

/* Room for length bytes more. A length that was announced is allocated once. */
static bool reserve_body(struct gjkd_request *request, size_t length) {
    if (request->body_capacity - request->body_bytes >= length) {
        return true;
    }
    size_t capacity =
        request->head.has_length ? (size_t)request->head.body_bytes : BODY_START_BYTES;
    while (capacity < request->body_bytes + length) {
        capacity *= 2;
    }
    char *grown = gjk_arena_alloc(&request->arena, capacity);
    if (grown == NULL) {
        return false;
    }
    if (request->body_bytes > 0) {
        memcpy(grown, request->body, request->body_bytes);
    }
    request->body = grown;
    request->body_capacity = capacity;
    return true;
}

/* Adds to the body what is to be read. False: the request is refused. */
static bool keep(void *user, const char *data, size_t length) {
    struct gjkd_request *request = user;
    if (request->body_bytes + length > request->context->limits.body_bytes_max) {
        gjkd_request_refuse_length(request);
        return false;
    }
    if (!reserve_body(request, length)) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the body");
        return false;
    }
    memcpy(request->body + request->body_bytes, data, length);
    request->body_bytes += length;
    return true;
}

static void refuse_packed(struct gjkd_request *request, const char *why) {
    gjkd_request_fail(request, PROTO_BAD_REQUEST, "the body is not well-formed gzip: %s", why);
}

/* Unpacks the next bytes of a body that comes packed. */
static void unpack(struct gjkd_request *request, const char *data, size_t length) {
    if (request->unpacker == NULL) {
        request->unpacker = gjkd_unpacker_new(&request->arena);
    }
    if (request->unpacker == NULL) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory to unpack the body");
    } else if (gjkd_unpacker_add(request->unpacker, data, length, keep, request) ==
               GJKD_UNPACK_CORRUPT) {
        refuse_packed(request, "its bytes or its checksum are wrong");
    }
}

bool gjkd_request_take_body(struct gjkd_request *request, const char *data, size_t length) {
    if (request->reply.status == 0 && (request->match.operation->flags & GJKD_TAKES_BODY)) {
        if (request->head.gzipped) {
            unpack(request, data, length);
        } else {
            (void)keep(request, data, length);
        }
    }
    if (request->reply.status != 0 || !(request->match.operation->flags & GJKD_TAKES_BODY)) {
        request->discarded_bytes += length;
    }
    return request->discarded_bytes <= GJKD_DISCARD_BYTES_MAX;
}

void gjkd_request_end_body(struct gjkd_request *request) {
    if (request->reply.status == 0 && request->unpacker != NULL &&
        !gjkd_unpacker_is_complete(request->unpacker)) {
        refuse_packed(request, "it ends too early");
    }
    request->unpacker = NULL;
}
