/*
 * wslay takes frames apart: it unmasks, joins fragments, checks UTF-8, answers pings and closes, and
 * refuses what RFC 6455 forbids. Its own frames (pongs and closes) go into the same buffer as
 * answers. What comes in is read in large pieces; while as many calls are under way as there may
 * be, or a slow reader has not taken its answers, the stream is not read on, so that TCP holds the
 * sender back.
 */

#include "http/stream.h"

#include "http/exchange.h"
#include "request/auth.h"
#include "request/context.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define READ_BYTES 65536
#define SECOND_NS UINT64_C(1000000000)

/* So long streams are sent to before others have their turn: an event may be for a thousand. */
#define FLUSH_NS UINT64_C(1000000)

/* What a stream takes beside its connection, measured (tests/bench/run.sh stream). */
#define STREAM_BYTES ((uint64_t)14100)

/* A peer that is silent for so long is asked by TCP whether it is still there. */
#define KEEP_ALIVE_S 60

/* --- Ending --- */

static void on_poll_closed(uv_handle_t *handle) {
    struct gjkd_stream *stream = handle->data;
    struct gjkd_http *http = stream->http;
    MHD_upgrade_action(stream->upgraded, MHD_UPGRADE_ACTION_CLOSE);
    free(stream);
    gjkd_budget_give(GJKD_CHARGE_SMALL, STREAM_BYTES);
    http->request_run(http);
}

/* Takes it from those that are to be flushed. */
static void unmark(struct gjkd_stream *stream) {
    if (stream->dirty_link == NULL) {
        return;
    }
    *stream->dirty_link = stream->dirty_next;
    if (stream->dirty_next != NULL) {
        stream->dirty_next->dirty_link = stream->dirty_link;
    } else {
        stream->http->dirty_end = stream->dirty_link;
    }
    stream->dirty_link = NULL;
}

/* Lets go of everything but the socket, which libmicrohttpd closes. */
static void end(struct gjkd_stream *stream) {
    gjkd_stream_abandon_calls(stream);
    gjkd_stream_forget_answers(stream);
    if (stream->incoming != NULL) {
        gjkd_exchange_give_back(stream->incoming);
    }
    wslay_event_context_free(stream->frames);
    free(stream->unread);
    if (stream->out != NULL) {
        free(stream->out);
        gjkd_budget_give(GJKD_CHARGE_SMALL, GJKD_STREAM_OUT_BYTES);
    }
    free(stream->host);
    free(stream->authorization);
    free(stream->forwarded_for);
    unmark(stream);
    *stream->link = stream->next;
    if (stream->next != NULL) {
        stream->next->link = stream->link;
    }
    stream->entry->stream = NULL;
    stream->entry->progress = GJKD_ANSWERING; /* until it is closed */
    shutdown(stream->fd, SHUT_RDWR);
    atomic_fetch_sub(&stream->http->context->streams, 1);
    uv_close((uv_handle_t *)&stream->poll, on_poll_closed);
}

void gjkd_stream_close(struct gjkd_stream *stream, unsigned code, const char *reason) {
    if (stream->close_due_ns != 0) {
        return;
    }
    size_t length = strlen(reason);
    length = length < 120 ? length : 120;
    stream->close_due_ns = uv_hrtime() + GJKD_STREAM_CLOSE_S * SECOND_NS;
    (void)wslay_event_queue_close(stream->frames, (uint16_t)code, (const uint8_t *)reason, length);
    gjkd_stream_mark(stream);
}

void gjkd_stream_ping(struct gjkd_stream *stream) {
    (void)wslay_event_queue_msg(stream->frames, &(struct wslay_event_msg){.opcode = WSLAY_PING});
}

void gjkd_stream_drain(struct gjkd_stream *stream) {
    stream->is_draining = true;
    gjkd_stream_mark(stream);
}

void gjkd_stream_revoke(struct gjkd_stream *stream) {
    gjkd_stream_close(stream, WSLAY_CODE_POLICY_VIOLATION, "the token was revoked");
}

/* wslay gives up at a frame that is malformed, without a word. One that comes behind our close frame is
 * not answered any more. */
static void refuse_frame(struct gjkd_stream *stream) {
    static const char frame[] = "\x88\x02\x03\xea"; /* 1002 */
    const bool is_between = stream->frame.exchange == NULL && stream->frame.event == NULL;
    if (stream->is_broken) {
        return;
    }
    stream->is_broken = true;
    if (wslay_event_get_close_sent(stream->frames)) {
        return;
    }
    stream->close_due_ns = uv_hrtime() + GJKD_STREAM_CLOSE_S * SECOND_NS;
    stream->is_dead =
        stream->is_dead || !is_between || !gjkd_stream_put(stream, frame, sizeof frame - 1);
}

/* --- Sending --- */

static ssize_t on_send(wslay_event_context_ptr frames, const uint8_t *data, size_t length,
                       int flags, void *user) {
    struct gjkd_stream *stream = user;
    (void)flags;
    if (!gjkd_stream_put(stream, (const char *)data, length)) {
        wslay_event_set_error(frames,
                              stream->is_dead ? WSLAY_ERR_CALLBACK_FAILURE : WSLAY_ERR_WOULDBLOCK);
        return -1;
    }
    return (ssize_t)length;
}

/* Gives the socket what it takes. False: it takes no more now. */
static bool send_out(struct gjkd_stream *stream) {
    while (stream->out_at < stream->out_end) {
        const ssize_t sent = send(stream->fd, stream->out + stream->out_at,
                                  stream->out_end - stream->out_at, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EINTR) {
            stream->is_dead = stream->is_dead || errno != EAGAIN;
            return false;
        }
        stream->out_at += sent > 0 ? (size_t)sent : 0;
        stream->sent_bytes += sent > 0 ? (uint64_t)sent : 0;
    }
    stream->out_at = stream->out_end = 0;
    return true;
}

/* wslay's frames go between two of ours. */
static void put_control(struct gjkd_stream *stream) {
    const bool is_between = stream->frame.exchange == NULL && stream->frame.event == NULL;
    if (is_between && !stream->is_broken && wslay_event_want_write(stream->frames) &&
        wslay_event_send(stream->frames) != 0) {
        stream->is_dead = true;
    }
}

static bool is_idle(const struct gjkd_stream *stream) {
    return stream->calls == 0 && stream->ready == NULL && stream->frame.exchange == NULL &&
           stream->frame.event == NULL && stream->out_at == stream->out_end;
}

static void free_out(struct gjkd_stream *stream) {
    if (stream->out != NULL && is_idle(stream)) {
        free(stream->out);
        stream->out = NULL;
        gjkd_budget_give(GJKD_CHARGE_SMALL, GJKD_STREAM_OUT_BYTES);
    }
}

bool gjkd_stream_reads_on(const struct gjkd_stream *stream) {
    return !stream->is_draining && !stream->is_broken && stream->calls < GJKD_STREAM_CALLS_MAX &&
           stream->out_end - stream->out_at < GJKD_STREAM_OUT_BYTES / 2 &&
           stream->frame.exchange == NULL && stream->frame.event == NULL &&
           wslay_event_get_read_enabled(stream->frames);
}

static void on_poll(uv_poll_t *poll, int status, int events);
static void receive(struct gjkd_stream *stream);

static void watch_socket(struct gjkd_stream *stream) {
    int events = UV_DISCONNECT;
    events |= gjkd_stream_reads_on(stream) || stream->close_due_ns != 0 ? UV_READABLE : 0;
    events |= stream->out_at < stream->out_end ? UV_WRITABLE : 0;
    if (events == stream->polled) {
        return; /* to start it again costs two system calls even so */
    }
    stream->polled = events;
    if (uv_poll_start(&stream->poll, events, on_poll) != 0) {
        stream->is_dead = true;
    }
}

void gjkd_stream_flush(struct gjkd_stream *stream) {
    bool has_more = true;
    while (has_more && !stream->is_dead) {
        put_control(stream);
        gjkd_stream_fill(stream);
        put_control(stream);
        has_more = stream->out_at < stream->out_end && send_out(stream);
    }
    if (stream->is_draining && is_idle(stream) && stream->close_due_ns == 0) {
        gjkd_stream_close(stream, WSLAY_CODE_GOING_AWAY, "the daemon is shutting down");
        put_control(stream);
        (void)send_out(stream);
    }
    const bool is_closed = wslay_event_get_close_sent(stream->frames) &&
                           wslay_event_get_close_received(stream->frames) &&
                           stream->out_at == stream->out_end;
    if (stream->is_dead || is_closed) {
        end(stream);
        return;
    }
    free_out(stream);
    watch_socket(stream);
    if (stream->unread_at < stream->unread_end && gjkd_stream_reads_on(stream)) {
        gjkd_stream_mark(stream); /* no poll tells of what was received already */
    }
}

void gjkd_stream_mark(struct gjkd_stream *stream) {
    struct gjkd_http *http = stream->http;
    if (stream->dirty_link == NULL) {
        stream->dirty_next = NULL;
        stream->dirty_link = http->dirty_end;
        *http->dirty_end = stream;
        http->dirty_end = &stream->dirty_next;
    }
}

static void flush_dirty(struct gjkd_stream *stream) {
    unmark(stream);
    if (stream->unread_at < stream->unread_end && gjkd_stream_reads_on(stream)) {
        receive(stream);
    }
    gjkd_stream_flush(stream);
}

void gjkd_streams_flush(struct gjkd_http *http) {
    const uint64_t until_ns = http->dirty != NULL ? uv_hrtime() + FLUSH_NS : 0;
    while (http->dirty != NULL && uv_hrtime() < until_ns) {
        flush_dirty(http->dirty);
    }
}

/* --- Receiving --- */

static void on_frame_start(wslay_event_context_ptr frames,
                           const struct wslay_event_on_frame_recv_start_arg *frame, void *user) {
    struct gjkd_stream *stream = user;
    if (wslay_is_ctrl_frame(frame->opcode)) {
        stream->is_control = true;
        if (frame->opcode == WSLAY_CONNECTION_CLOSE && frame->payload_length == 1) {
            refuse_frame(stream); /* half a code */
        }
        return;
    }
    stream->is_control = false;
    if (frame->opcode != WSLAY_CONTINUATION_FRAME) {
        stream->is_text = frame->opcode == WSLAY_TEXT_FRAME;
    }
    if (stream->incoming == NULL) {
        stream->incoming = gjkd_exchange_take(stream->http);
        if (stream->incoming != NULL) {
            gjkd_stream_await_message(stream);
        }
    }
    if (stream->incoming == NULL) {
        wslay_event_set_error(frames, WSLAY_ERR_NOMEM);
        stream->is_dead = true;
        return;
    }
    /* Room for all of the frame, of which the length is known and within the limit. */
    stream->incoming->request.head.has_length = true;
    stream->incoming->request.head.body_bytes =
        stream->incoming->request.body_bytes + frame->payload_length;
}

static void on_frame_chunk(wslay_event_context_ptr frames,
                           const struct wslay_event_on_frame_recv_chunk_arg *chunk, void *user) {
    struct gjkd_stream *stream = user;
    (void)frames;
    if (!stream->is_control && !stream->is_dead && stream->incoming != NULL &&
        chunk->data_length > 0 &&
        !gjkd_request_keep(&stream->incoming->request, (const char *)chunk->data,
                           chunk->data_length)) {
        gjkd_stream_close(stream, WSLAY_CODE_MESSAGE_TOO_BIG, "no memory for the message");
        wslay_event_shutdown_read(stream->frames);
    }
}

static void on_message(wslay_event_context_ptr frames,
                       const struct wslay_event_on_msg_recv_arg *message, void *user) {
    struct gjkd_stream *stream = user;
    (void)frames;
    if (wslay_is_ctrl_frame(message->opcode)) {
        gjkd_stream_mark(stream); /* a pong or a close is due */
        return;
    }
    if (!stream->is_dead && stream->close_due_ns == 0 && stream->incoming != NULL) {
        gjkd_stream_take_message(stream);
    }
}

static ssize_t on_receive(wslay_event_context_ptr frames, uint8_t *to, size_t length, int flags,
                          void *user) {
    struct gjkd_stream *stream = user;
    const size_t left = stream->unread_end - stream->unread_at;
    const size_t count = left < length ? left : length;
    (void)flags;
    if (count == 0 || stream->is_dead || stream->calls >= GJKD_STREAM_CALLS_MAX) {
        wslay_event_set_error(frames, WSLAY_ERR_WOULDBLOCK);
        return -1;
    }
    memcpy(to, stream->unread + stream->unread_at, count);
    stream->unread_at += count;
    return (ssize_t)count;
}

/* Has wslay look at what was received. */
static void receive(struct gjkd_stream *stream) {
    if (wslay_event_recv(stream->frames) != 0) {
        refuse_frame(stream);
    }
    if (stream->unread_at == stream->unread_end) {
        free(stream->unread);
        stream->unread = NULL;
        stream->unread_at = stream->unread_end = 0;
    }
    if (!wslay_event_get_read_enabled(stream->frames) && stream->close_due_ns == 0) {
        stream->close_due_ns = uv_hrtime() + GJKD_STREAM_CLOSE_S * SECOND_NS;
    }
    gjkd_stream_mark(stream);
}

/* A close frame was sent because of what came: the rest is thrown away until the other side closes,
 * so that its reset does not destroy that frame. */
static void discard(struct gjkd_stream *stream) {
    char scratch[4096];
    const ssize_t count = recv(stream->fd, scratch, sizeof scratch, MSG_DONTWAIT);
    stream->is_dead =
        stream->is_dead || count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR);
}

static void read_socket(struct gjkd_stream *stream) {
    if (stream->is_broken || !wslay_event_get_read_enabled(stream->frames)) {
        discard(stream);
        return;
    }
    if (stream->unread != NULL) {
        receive(stream);
        return;
    }
    stream->unread = malloc(READ_BYTES);
    const ssize_t count =
        stream->unread != NULL ? recv(stream->fd, stream->unread, READ_BYTES, MSG_DONTWAIT) : -1;
    if (stream->unread == NULL || count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) {
        stream->is_dead = true;
    } else if (count > 0) {
        stream->unread_end = (size_t)count;
        receive(stream);
    } else {
        free(stream->unread);
        stream->unread = NULL;
    }
    gjkd_stream_mark(stream);
}

static void on_poll(uv_poll_t *poll, int status, int events) {
    struct gjkd_stream *stream = poll->data;
    stream->http->round_ns = uv_hrtime();
    /* Where nothing is left to be read, nobody would read the answers either. */
    const bool is_gone = (events & (UV_READABLE | UV_DISCONNECT)) == UV_DISCONNECT;
    if (status < 0 || is_gone) {
        stream->is_dead = true;
    } else if (events & UV_READABLE) {
        read_socket(stream);
    }
    gjkd_stream_mark(stream);
}

/* --- Beginning --- */

static bool make_frames(struct gjkd_stream *stream) {
    static const struct wslay_event_callbacks callbacks = {
        .recv_callback = on_receive,
        .send_callback = on_send,
        .on_frame_recv_start_callback = on_frame_start,
        .on_frame_recv_chunk_callback = on_frame_chunk,
        .on_msg_recv_callback = on_message,
    };
    if (wslay_event_context_server_init(&stream->frames, &callbacks, stream) != 0) {
        return false;
    }
    wslay_event_config_set_no_buffering(stream->frames, 1);
    wslay_event_config_set_max_recv_msg_length(stream->frames,
                                               stream->http->context->limits.body_bytes_max);
    return true;
}

static char *copy_of(const char *text) {
    return text != NULL ? strdup(text) : NULL;
}

/* What every call of the stream inherits from the head of its handshake. */
static void inherit(struct gjkd_stream *stream, const struct gjkd_request *request) {
    stream->host = copy_of(request->head.host);
    stream->authorization = copy_of(request->head.authorization);
    stream->forwarded_for = copy_of(request->head.forwarded_for);
    stream->client = gjkd_auth_hash_client(request);
    if (stream->http->context->security.keyring != NULL && stream->authorization == NULL) {
        stream->token_due_ns = uv_hrtime() + GJKD_STREAM_TOKEN_S * SECOND_NS;
    }
}

static void keep_alive(int fd) {
    const int yes = 1, idle = KEEP_ALIVE_S;
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

static struct gjkd_stream *stream_new(const gjkd_upgrade *upgrade) {
    struct gjkd_exchange *exchange = upgrade->exchange;
    struct gjkd_http *http = exchange->http;
    const size_t early_bytes = upgrade->early.length;
    const int fd = upgrade->fd;
    struct gjkd_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL) {
        return NULL;
    }
    stream->http = http;
    stream->fd = fd;
    stream->upgraded = upgrade->upgraded;
    stream->peer = *upgrade->peer;
    stream->entry = gjkd_connection_of(exchange->connection);
    stream->last = &stream->first;
    stream->ready_end = &stream->ready;
    stream->window_ns = uv_hrtime();
    stream->unread = early_bytes > 0 ? malloc(early_bytes) : NULL;
    if (!make_frames(stream) || (early_bytes > 0 && stream->unread == NULL) ||
        uv_poll_init(http->uv, &stream->poll, fd) != 0) {
        wslay_event_context_free(stream->frames);
        free(stream->unread);
        free(stream);
        return NULL;
    }
    if (early_bytes > 0) {
        memcpy(stream->unread, upgrade->early.data, early_bytes);
        stream->unread_end = early_bytes;
    }
    stream->poll.data = stream;
    inherit(stream, &exchange->request);
    keep_alive(fd);
    return stream;
}

void gjkd_stream_begin(const gjkd_upgrade *upgrade) {
    struct gjkd_exchange *exchange = upgrade->exchange;
    struct gjkd_http *http = exchange->http;
    (void)fcntl(upgrade->fd, F_SETFL, fcntl(upgrade->fd, F_GETFL) | O_NONBLOCK);
    const bool is_allowed = gjkd_budget_take(GJKD_CHARGE_SMALL, STREAM_BYTES);
    struct gjkd_stream *stream = is_allowed ? stream_new(upgrade) : NULL;
    if (stream == NULL && is_allowed) {
        gjkd_budget_give(GJKD_CHARGE_SMALL, STREAM_BYTES);
    }
    if (stream == NULL) {
        MHD_upgrade_action(upgrade->upgraded, MHD_UPGRADE_ACTION_CLOSE);
        return;
    }
    stream->entry->stream = stream;
    gjkd_exchange_set_progress(exchange, GJKD_STREAMING);
    stream->next = http->streams;
    stream->link = &http->streams;
    if (stream->next != NULL) {
        stream->next->link = &stream->next;
    }
    http->streams = stream;
    exchange->request.holds_stream = false; /* the stream does */
    gjkd_stream_mark(stream);
    watch_socket(stream);
}
