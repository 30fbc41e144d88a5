/*
 * Limits of time of a stream: to be without a token, leave a message half sent, leave answers
 * unread, find no memory, and not close. Looked at about once a second.
 */

#include "http/exchange.h"
#include "http/late_body.h"
#include "http/stream.h"
#include "request/context.h"

#define SECOND_NS UINT64_C(1000000000)

void gjkd_stream_await_message(struct gjkd_stream *stream) {
    gjkd_late_body_begin(stream->incoming);
    stream->message_due_ns =
        uv_hrtime() + stream->http->context->config->request_timeout_ms * 1000000;
}

/* A message has begun and has not come in time, though it was read. */
static void check_message(struct gjkd_stream *stream, uint64_t now_ns) {
    if (stream->incoming == NULL || stream->close_due_ns != 0) {
        return;
    }
    if (!gjkd_stream_reads_on(stream)) {
        gjkd_late_body_begin(stream->incoming);
        stream->message_due_ns =
            now_ns + stream->http->context->config->request_timeout_ms * 1000000;
    } else if (now_ns > stream->message_due_ns) {
        gjkd_stream_close(stream, WSLAY_CODE_POLICY_VIOLATION, "the message was not there in time");
    } else if (gjkd_late_body_is_slow(stream->incoming, now_ns)) {
        gjkd_stream_close(stream, WSLAY_CODE_POLICY_VIOLATION,
                          stream->incoming->request.problem.detail);
    }
}

/* Answers or control frames wait for a peer whose socket takes no more, or half of a message is
 * kept until it does, and the peer has read less in a window than a client has to (connections.h).
 * Of a peer that only watches nothing is asked: one that is slow gets a reset. */
static bool reads_too_slowly(struct gjkd_stream *stream, uint64_t now_ns) {
    const struct gjkd_output *output = &stream->output;
    const bool is_blocked = !gjkd_output_is_empty(output) &&
                            (output->has_control || stream->ready != NULL ||
                             stream->frame.exchange != NULL || stream->incoming != NULL);
    const uint64_t bytes = output->sent_bytes - stream->window_bytes;
    if (is_blocked && now_ns - stream->window_ns < GJKD_READ_WINDOW_S * SECOND_NS) {
        return false;
    }
    stream->window_ns = now_ns;
    stream->window_bytes = output->sent_bytes;
    return is_blocked && bytes < GJKD_READ_WINDOW_S * GJKD_READ_BYTES_PER_S;
}

/* A stream that finds no memory for long is closed; before that it tries again. */
static void check_memory(struct gjkd_stream *stream, uint64_t now_ns) {
    if (!stream->waits_for_memory) {
        stream->starved_ns = 0;
        return;
    }
    stream->waits_for_memory = false;
    if (stream->starved_ns != 0 &&
        now_ns - stream->starved_ns > GJKD_STREAM_STARVED_S * SECOND_NS) {
        gjkd_stream_give_up(stream);
    }
    gjkd_stream_mark(stream);
}

void gjkd_streams_sweep(struct gjkd_http *http) {
    const uint64_t now_ns = uv_hrtime();
    for (struct gjkd_stream *at = http->streams; at != NULL; at = at->next) {
        check_message(at, now_ns);
        check_memory(at, now_ns);
        if (at->token_due_ns != 0 && now_ns > at->token_due_ns) {
            gjkd_stream_close(at, WSLAY_CODE_POLICY_VIOLATION, "the token did not come in time");
        }
        if ((at->close_due_ns != 0 && now_ns > at->close_due_ns) || reads_too_slowly(at, now_ns)) {
            at->is_dead = true;
            gjkd_stream_mark(at);
        }
    }
}
