/*
 * Encodes the reply to a batch: the replies to its queries in their order, each as if asked alone.
 */

#include "encode/encode.h"

static void open_results(struct proto_buffer *out) {
    proto_put_key(out, "results");
    proto_put_text(out, "[");
}

void proto_encode_batch_begin(struct proto_buffer *out, const proto_stamp *stamp) {
    proto_put_text(out, "{");
    proto_put_stamp(out, stamp);
    open_results(out);
}

void proto_encode_tick_batch_begin(struct proto_buffer *out, const proto_summary *summary) {
    proto_put_text(out, "{");
    proto_put_summary(out, summary);
    open_results(out);
}

void proto_encode_batch_reply(struct proto_buffer *out, proto_text reply) {
    proto_put_item(out);
    proto_put_bytes(out, reply.data, reply.length);
}

void proto_encode_batch_end(struct proto_buffer *out) {
    proto_put_text(out, "]}");
}

void proto_encode_error(struct proto_buffer *out, const struct proto_problem *problem) {
    proto_put_text(out, "{");
    proto_put_key(out, "error");
    proto_encode_problem(out, problem);
    proto_put_text(out, "}");
}
