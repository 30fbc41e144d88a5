/* The body of a reply: an answer, or a problem in the form of RFC 9457. */

#include "request/reply.h"

#include <string.h>

#define PROBLEM_TYPE "application/problem+json"

/* The whole problem where there is no memory for one. */
#define LAST_RESORT(detail)                                                                  \
    "{\"type\":\"/problems/out-of-memory\",\"title\":\"There is not enough memory for this " \
    "request.\",\"status\":507,\"detail\":\"" detail "\",\"code\":\"out-of-memory\"}"

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
    struct proto_buffer body;
    proto_buffer_init(&body, arena);
    proto_encode_problem(&body, problem);
    if (body.failed) {
        const char *last_resort = strcmp(problem->detail, GJKD_WRITE_IS_MADE) == 0
                                      ? LAST_RESORT(GJKD_WRITE_IS_MADE)
                                      : LAST_RESORT("no memory is left for the answer");
        gjkd_reply_set_body(reply, PROBLEM_TYPE, last_resort, strlen(last_resort));
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
