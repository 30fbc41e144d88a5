/*
 * How a body comes in. Piece by piece into the arena of its request, whose memory is charged to its
 * account, up to what one body may have. One that comes packed is unpacked by a worker: a few bytes
 * may hold a thousand times as many. What nobody will read is thrown away, up to a limit, so that a
 * client that goes on sending gets to its answer.
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
                                          "field or region as columns, application/x-protobuf: "
                                          "a million triangles with floats are 15 MB");
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
    char *grown = gjk_arena_alloc_gradual(&request->arena, capacity);
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

bool gjkd_request_keep(struct gjkd_request *request, const char *data, size_t length) {
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

static bool keep_unpacked(void *user, const char *data, size_t length) {
    struct gjkd_request *request = user;
    if (gjkd_request_is_late(request)) {
        gjkd_request_fail_late(request);
        return false;
    }
    return gjkd_request_keep(request, data, length);
}

static void refuse_packed(struct gjkd_request *request, const char *why) {
    gjkd_request_fail(request, PROTO_BAD_REQUEST, "the body is not well-formed gzip: %s", why);
}

void gjkd_request_unpack_body(struct gjkd_request *request) {
    const proto_text packed = gjkd_request_text(request);
    if (!request->head.gzipped || packed.length == 0) {
        return;
    }
    request->body = NULL;
    request->body_bytes = request->body_capacity = 0;
    request->head.has_length = false; /* it is that of the packed body */
    struct gjkd_unpacker *unpacker = gjkd_unpacker_new(&request->arena);
    const gjkd_unpack_status status =
        unpacker == NULL
            ? GJKD_UNPACK_NO_MEMORY
            : gjkd_unpacker_add(unpacker, packed.data, packed.length, keep_unpacked, request);
    if (status == GJKD_UNPACK_NO_MEMORY) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory to unpack the body");
    } else if (status == GJKD_UNPACK_CORRUPT) {
        refuse_packed(request, "its bytes or its checksum are wrong");
    } else if (request->reply.status == 0 && !gjkd_unpacker_is_complete(unpacker)) {
        refuse_packed(request, "it ends too early");
    }
}

bool gjkd_request_take_body(struct gjkd_request *request, const char *data, size_t length) {
    if (request->reply.status == 0 && (request->match.operation->flags & GJKD_TAKES_BODY)) {
        (void)gjkd_request_keep(request, data, length);
    }
    if (request->reply.status != 0 || !(request->match.operation->flags & GJKD_TAKES_BODY)) {
        request->discarded_bytes += length;
    }
    return request->discarded_bytes <= GJKD_DISCARD_BYTES_MAX;
}
