/* The body of a reply: an answer, or a problem in the form of RFC 9457. */

#include "request/reply.h"

#define PROBLEM_TYPE "application/problem+json"

void gjkd_reply_set_body(gjkd_reply *reply, const char *content_type, const char *data,
                         size_t length) {
    reply->status = 200;
    reply->content_type = content_type;
    reply->content_encoding = NULL;
    reply->data = data;
    reply->length = length;
    reply->texts = NULL;
    reply->read = NULL;
}

void gjkd_reply_set_stream(gjkd_reply *reply, gjkd_reply_reader read, void *reader,
                           uint64_t length) {
    gjkd_reply_set_body(reply, GJKD_JSON_TYPE, NULL, length);
    reply->read = read;
    reply->reader = reader;
}

void gjkd_reply_set_problem(gjkd_reply *reply, const struct proto_problem *problem,
                            struct gjk_arena *arena) {
    static const char last_resort[] =
        "{\"type\":\"/problems/out-of-memory\",\"title\":\"There is not enough memory for this "
        "request.\",\"status\":507,\"detail\":\"no memory is left for the "
        "answer\",\"code\":\"out-of-memory\"}";
    struct proto_buffer body;
    proto_buffer_init(&body, arena);
    proto_encode_problem(&body, problem);
    if (body.failed) {
        gjkd_reply_set_body(reply, PROBLEM_TYPE, last_resort, sizeof last_resort - 1);
        reply->status = 507;
    } else {
        gjkd_reply_set_body(reply, PROBLEM_TYPE, body.data, body.length);
        reply->status = proto_code_status(problem->code);
    }
    if (body.failed || problem->code != PROTO_REVISION_MISMATCH) {
        reply->etag[0] = '\0';
    }
    reply->varies_by_coding = false;
    reply->retry_after_s = reply->status == 429 || reply->status == 503 ? 1 : 0;
}
