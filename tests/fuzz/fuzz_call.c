/*
 * Can a message of a stream harm the decoder of calls? The first byte chooses the form. Whatever
 * comes: what is refused has a problem, what is taken keeps within the limits, and the body is a
 * piece of the message. What is written of an answer with the same id and headers can be told to be
 * its beginning.
 */

#include "fuzz.h"

#include <string.h>

#include "proto/call.h"

static void check_taken(proto_text message, const proto_call *call) {
    require(call->id <= PROTO_CALL_ID_MAX && call->header_count <= PROTO_CALL_HEADERS_MAX);
    require(call->has_id || call->authorization != NULL || call->id == 0);
    require(call->body.data == NULL ||
            (call->body.data >= message.data &&
             call->body.length <= message.length - (size_t)(call->body.data - message.data)));
    for (uint32_t i = 0; i < call->header_count; i++) {
        require(strlen(call->headers[i].name) + strlen(call->headers[i].value) < message.length);
    }
    require(!call->has_id || call->method[0] != '\0');
}

static void answer(const proto_call *call, struct gjk_arena *arena) {
    proto_call_answer told = {.id = call->id, .status = 200};
    struct proto_buffer text, binary;
    for (; told.header_count < call->header_count && told.header_count < PROTO_ANSWER_HEADERS_MAX;
         told.header_count++) {
        told.headers[told.header_count] = call->headers[told.header_count];
    }
    proto_buffer_init(&text, arena);
    proto_buffer_init(&binary, arena);
    proto_encode_answer_message(&binary, &told);
    require(!binary.failed);
    told.header_count = 0; /* names of ours need no escape */
    proto_encode_answer_begin(&text, &told);
    require(!text.failed && strncmp(text.data, "{\"id\":", 6) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct proto_problem problem;
    struct gjk_arena arena;
    proto_call call;

    if (size == 0) {
        return 0;
    }
    /* A block of just that size, so that reading past it is seen. */
    char *copy = malloc(size);
    require(copy != NULL);
    memcpy(copy, data + 1, size - 1);
    const proto_text message = {copy, size - 1};
    gjk_arena_init(&arena, 0);
    const bool is_taken = data[0] & 1 ? proto_decode_call_message(message, &arena, &call, &problem)
                                      : proto_decode_call(message, &arena, &call, &problem);
    require(is_taken == (problem.code == PROTO_OK));
    if (is_taken) {
        check_taken(message, &call);
        answer(&call, &arena);
    } else {
        require(problem.detail[0] != '\0' && proto_code_status(problem.code) >= 400);
    }
    gjk_arena_fini(&arena);
    free(copy);
    return 0;
}
