/*
 * A server's frames are not masked: a head of 2, 4 or 10 bytes, then the payload (RFC 6455, section
 * 5.2). The payload is copied from the answer into the output buffer; a long answer passes through
 * it piece by piece.
 */

#include "http/stream.h"

#include "http/exchange.h"
#include "http/response.h"
#include "request/context.h"
#include "request/telemetry.h"
#include "util/head.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The longest head of a frame. */
#define HEAD_BYTES_MAX 10

/* Bytes of an empty ping, which may precede an event. */
#define PING_BYTES 2

#define TEXT_FRAME 0x81 /* first bytes of a message of one frame */
#define BINARY_FRAME 0x82

static size_t frame_head(char head[HEAD_BYTES_MAX], bool is_text, uint64_t length) {
    head[0] = (char)(is_text ? TEXT_FRAME : BINARY_FRAME);
    if (length < 126) {
        head[1] = (char)length;
        return 2;
    }
    const int bytes = length <= UINT16_MAX ? 2 : 8;
    head[1] = (char)(bytes == 2 ? 126 : 127);
    for (int i = 0; i < bytes; i++) {
        head[2 + i] = (char)(length >> (8 * (bytes - 1 - i)));
    }
    return 2 + (size_t)bytes;
}

/* --- Answers --- */

static void add_header(void *to, const char *name, const char *value) {
    proto_call_answer *answer = to;
    if (value != NULL && value[0] != '\0') {
        answer->headers[answer->header_count++] = (proto_call_header){name, value};
    }
}

/* Copies the whole body into one piece of the arena. Returns NULL if memory is exhausted. */
static char *gather(const gjkd_reply *reply, struct gjk_arena *arena) {
    char *whole = gjk_arena_alloc(arena, reply->length + 1);
    if (whole == NULL) {
        return NULL;
    }
    if (reply->read != NULL) {
        return reply->read(reply->reader, whole, reply->length) == reply->length ? whole : NULL;
    }
    const proto_text one = {reply->data, reply->length};
    const size_t count = reply->texts != NULL ? reply->text_count : reply->length > 0;
    size_t done = 0;
    for (size_t i = 0; i < count; i++) {
        const proto_text *text = reply->texts != NULL ? &reply->texts[i] : &one;
        memcpy(whole + done, text->data, text->length);
        done += text->length;
    }
    return whole;
}

/* Turns a body that is not JSON into a JSON string. Refuses the request if that is impossible. */
static void quote_body(struct gjkd_request *request) {
    gjkd_reply *reply = &request->reply;
    if (gjkd_is_columns_type(reply->content_type)) {
        gjkd_request_fail(request, PROTO_NOT_ACCEPTABLE,
                          "columns are no text: ask by a binary call, or accept application/json");
        return;
    }
    struct proto_buffer quoted;
    const char *whole = gather(reply, &request->arena);
    proto_buffer_init(&quoted, &request->arena);
    if (whole != NULL) {
        proto_encode_text(&quoted, (proto_text){whole, reply->length});
    }
    if (whole == NULL || quoted.failed) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "the answer does not fit into memory");
        return;
    }
    const int status = reply->status;
    gjkd_reply_set_body(reply, reply->content_type, quoted.data, quoted.length);
    reply->status = status;
}

static bool has_body(const struct gjkd_request *request) {
    return request->reply.content_type != NULL && request->reply.length > 0 &&
           request->head.method != GJKD_HEAD;
}

/* Memory for the values of header fields. */
struct values {
    char length[24];
    gjkd_field_numbers numbers;
};

static void describe(const struct gjkd_request *request, const struct gjkd_stream_call *call,
                     struct values *values, proto_call_answer *out) {
    const gjkd_reply *reply = &request->reply;
    const bool has = has_body(request);
    *out = (proto_call_answer){.id = call->id,
                               .status = (uint64_t)reply->status,
                               .content_type = has ? reply->content_type : NULL,
                               .body_bytes = has ? reply->length : 0};
    if (request->head.method == GJKD_HEAD) {
        /* Describes the body of the answer to GET. */
        snprintf(values->length, sizeof values->length, "%zu", reply->length);
        add_header(out, "Content-Type", reply->content_type);
        add_header(out, "Content-Length", reply->content_type != NULL ? values->length : NULL);
    } else if (call->is_text && has && strcmp(reply->content_type, GJKD_JSON_TYPE) != 0) {
        add_header(out, "Content-Type", reply->content_type);
    }
    gjkd_response_each_field(request, &values->numbers, add_header, out);
}

static void set_body(struct gjkd_frame *frame, const gjkd_reply *reply, uint64_t bytes) {
    if (bytes == 0) {
        return;
    }
    frame->one = (proto_text){reply->data, reply->length};
    frame->texts = reply->texts != NULL ? reply->texts : &frame->one;
    frame->text_count = reply->texts != NULL ? reply->text_count : 1;
    if (reply->read != NULL) {
        frame->read = reply;
        frame->read_left = bytes;
    }
}

/* Makes a frame of the answer, to be sent next. Returns false if there is no memory for its
 * head. */
static bool begin_frame(struct gjkd_stream *stream, struct gjkd_exchange *exchange) {
    struct gjkd_request *request = &exchange->request;
    const struct gjkd_stream_call *call =
        (const struct gjkd_stream_call *)(const void *)exchange->call;
    struct gjkd_frame *frame = &stream->frame;
    char head[HEAD_BYTES_MAX];
    struct values values;
    proto_call_answer answer;
    struct proto_buffer before;
    const char *type = request->reply.content_type;
    const bool is_json =
        type != NULL && strncmp(type, "application/", 12) == 0 && strstr(type, "json") != NULL;
    if (call->is_text && has_body(request) && !is_json) {
        quote_body(request);
    }
    proto_buffer_init(&before, &request->arena);
    describe(request, call, &values, &answer);
    if (call->is_text) {
        proto_encode_answer_begin(&before, &answer);
    } else {
        proto_encode_answer_message(&before, &answer);
    }
    if (before.failed) {
        return false;
    }
    *frame = (struct gjkd_frame){.exchange = exchange,
                                 .before = {before.data, before.length},
                                 .after = {"}", call->is_text ? 1 : 0}};
    set_body(frame, &request->reply, answer.body_bytes);
    const size_t length =
        frame_head(head, call->is_text,
                   frame->before.length + answer.body_bytes + frame->after.length);
    stream->is_dead = stream->is_dead || !gjkd_output_put(&stream->output, head, length);
    return true;
}

static void put_some(struct gjkd_stream *stream, proto_text text, bool *is_over) {
    struct gjkd_frame *frame = &stream->frame;
    const size_t left = text.length - frame->offset, room = gjkd_output_room(&stream->output);
    const size_t count = left < room ? left : room;
    if (count > 0 && !gjkd_output_put(&stream->output, text.data + frame->offset, count)) {
        return;
    }
    frame->offset += count;
    *is_over = frame->offset == text.length;
}

/* Queues bytes of a body that is printed while it is sent. */
static void put_read(struct gjkd_stream *stream, bool *is_over) {
    struct gjkd_frame *frame = &stream->frame;
    char window[8192];
    while (frame->read_left > 0 && gjkd_output_room(&stream->output) >= sizeof window) {
        const size_t count = frame->read->read(frame->read->reader, window, sizeof window);
        if (count == 0 || !gjkd_output_put(&stream->output, window, count)) {
            stream->is_dead = true;
            return;
        }
        frame->read_left -= count;
    }
    *is_over = frame->read_left == 0;
}

/* Queues as much of the current piece as there is room for. Returns true if the piece is
 * complete. */
static bool put_piece(struct gjkd_stream *stream) {
    const struct gjkd_frame *frame = &stream->frame;
    bool is_over = false;
    if (frame->piece == 0) {
        put_some(stream, frame->before, &is_over);
    } else if (frame->piece > frame->text_count) {
        put_some(stream, frame->after, &is_over);
    } else if (frame->read != NULL) {
        put_read(stream, &is_over);
    } else {
        put_some(stream, frame->texts[frame->piece - 1], &is_over);
    }
    return is_over;
}

static void end_answer(struct gjkd_stream *stream, struct gjkd_exchange *exchange) {
    struct gjkd_stream_call *call = (struct gjkd_stream_call *)(void *)exchange->call;
    gjkd_exchange_note_end(exchange, &stream->peer, uv_hrtime());
    free(call);
    exchange->call = NULL;
    gjkd_exchange_give_back(exchange);
}

static void end_frame(struct gjkd_stream *stream) {
    struct gjkd_frame *frame = &stream->frame;
    if (frame->exchange != NULL) {
        end_answer(stream, frame->exchange);
    }
    gjkd_event_release(frame->event);
    frame->exchange = NULL;
    frame->event = NULL;
}

/* Queues the rest of the frame and ends it. Returns false if there is not enough room, or the
 * stream is dead. */
static bool put_frame(struct gjkd_stream *stream) {
    struct gjkd_frame *frame = &stream->frame;
    while (!stream->is_dead && frame->piece <= frame->text_count + 1) {
        if (!put_piece(stream)) {
            return false;
        }
        frame->piece++;
        frame->offset = 0;
    }
    end_frame(stream);
    return !stream->is_dead;
}

/* --- Events --- */

/* Makes a frame of the event, to be sent next. */
static void begin_event(struct gjkd_stream *stream, const struct gjkd_stream_watch *watch,
                        struct gjkd_event *event) {
    struct gjkd_frame *frame = &stream->frame;
    struct gjk_arena arena;
    struct proto_buffer id, before;
    char memory[1024], head[HEAD_BYTES_MAX];
    gjk_arena_init_in(&arena, 0, memory, sizeof memory);
    proto_buffer_init(&id, &arena);
    proto_buffer_init(&before, &arena);
    proto_encode_event_id(&id, gjkd_event_id(event));
    const proto_text rest = {event->text + event->head + 1, event->length - 1};
    if (watch->is_text) {
        proto_encode_event_begin(&before, watch->id);
    } else {
        const proto_call_answer answer = {.id = watch->id,
                                          .status = 200,
                                          .content_type = GJKD_EVENT_STREAM_TYPE,
                                          .body_bytes = id.length + rest.length};
        proto_encode_answer_message(&before, &answer);
    }
    proto_put_bytes(&before, id.data, id.length);
    *frame = (struct gjkd_frame){.event = event, .after = {"}", watch->is_text ? 1 : 0}};
    GJK_ASSERT(!id.failed && !before.failed && before.length <= sizeof frame->memory);
    memcpy(frame->memory, before.data, before.length);
    gjk_arena_fini(&arena);
    frame->before = (proto_text){frame->memory, before.length};
    frame->one = rest;
    frame->texts = &frame->one;
    frame->text_count = 1;
    const size_t length = frame->before.length + rest.length + frame->after.length;
    const size_t count = frame_head(head, watch->is_text, length);
    stream->is_dead = stream->is_dead || !gjkd_output_put(&stream->output, head, count);
}

/* Begins the frame of the next answer. Returns false if there is none, or no memory to send it. */
static bool next_answer(struct gjkd_stream *stream) {
    struct gjkd_exchange *exchange = stream->ready;
    if (exchange == NULL) {
        return false;
    }
    stream->ready = exchange->next;
    if (stream->ready == NULL) {
        stream->ready_end = &stream->ready;
    }
    if (begin_frame(stream, exchange)) {
        return true;
    }
    end_answer(stream, exchange);
    gjkd_stream_give_up(stream);
    return false;
}

/* Returns true if there may be something to send, and room for it. Unlike answers, events wait in
 * their watches for memory without a time limit. */
static bool can_begin_frame(struct gjkd_stream *stream) {
    if (stream->ready != NULL) {
        return gjkd_stream_reserve(stream) && gjkd_output_room(&stream->output) > HEAD_BYTES_MAX;
    }
    if (stream->news.first != NULL && !gjkd_output_reserve(&stream->output)) {
        stream->waits_for_memory = true;
        return false;
    }
    return stream->news.first != NULL &&
           gjkd_output_room(&stream->output) > PING_BYTES + HEAD_BYTES_MAX;
}

static bool next_event(struct gjkd_stream *stream) {
    const struct gjkd_stream_watch *watch = NULL;
    struct gjkd_event *event = gjkd_stream_next_event(stream, &watch);
    if (event != NULL) {
        begin_event(stream, watch, event);
    }
    return event != NULL;
}

void gjkd_stream_fill(struct gjkd_stream *stream) {
    /* Nothing follows a close frame. */
    bool has_room = !stream->is_broken && !wslay_event_get_close_sent(stream->frames);
    while (has_room && !stream->is_dead) {
        if (!gjkd_stream_is_between_frames(stream)) {
            has_room = put_frame(stream);
        } else if (!can_begin_frame(stream) ||
                   (!next_answer(stream) && !next_event(stream) && stream->ready == NULL)) {
            return;
        }
    }
}

void gjkd_stream_forget_answers(struct gjkd_stream *stream) {
    end_frame(stream);
    while (stream->ready != NULL) {
        struct gjkd_exchange *exchange = stream->ready;
        stream->ready = exchange->next;
        end_answer(stream, exchange);
    }
    stream->ready_end = &stream->ready;
    gjkd_stream_close_watches(stream);
}
