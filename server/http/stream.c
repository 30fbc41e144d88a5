/*
 * wslay parses the frames: it unmasks, joins fragments, checks UTF-8, answers pings and closes, and
 * refuses what RFC 6455 forbids. Its own frames (pongs and closes) go into the same buffer as
 * answers, as soon as wslay has made them: while the stream is read, enough room is reserved for
 * them. Input is read in large pieces. Reading stops, so that TCP holds the sender back, while the
 * limit of calls is reached, the peer has not taken its frames, or the client's share of memory is
 * exhausted.
 */

#include "http/stream.h"

#include "http/exchange.h"
#include "request/context.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define SECOND_NS UINT64_C(1000000000)

/* Longest time for streams in one round of the loop: one event may be for a thousand streams. */
#define SERVE_NS UINT64_C(1000000)

/* Longest time for reading in one turn of a stream. wslay finishes the 4096 bytes it has begun. */
#define TURN_NS UINT64_C(250000)

/* Most times that one turn fills and sends a stream's buffer: a peer that reads as fast as answers
 * are printed would otherwise occupy the loop until all answers are sent. */
#define FLUSH_ROUNDS 8

/* Measured memory of a stream besides its connection (tests/bench/run.sh stream). */
#define STREAM_BYTES ((uint64_t)14100)

/* Silence after which TCP keep-alive probes the peer. */
#define KEEP_ALIVE_S 60

/* --- Ending --- */

static void on_poll_closed(uv_handle_t *handle) {
    struct gjkd_stream *stream = handle->data;
    struct gjkd_http *http = stream->http;
    MHD_upgrade_action(stream->upgraded, MHD_UPGRADE_ACTION_CLOSE);
    free(stream);
    gjkd_memory_give(GJKD_CHARGE_LARGE, STREAM_BYTES);
    http->request_run(http);
}

static void free_heads(struct gjkd_stream *stream) {
    free(stream->host);
    free(stream->authorization);
    free(stream->forwarded_for);
}

/* Frees everything but the socket, which libmicrohttpd closes. The stream has its turn, so it is
 * not in the queue of turns. */
static void end(struct gjkd_stream *stream) {
    gjkd_stream_abandon_calls(stream);
    gjkd_stream_forget_answers(stream);
    if (stream->incoming != NULL) {
        gjkd_exchange_give_back(stream->incoming);
    }
    wslay_event_context_free(stream->frames);
    gjkd_output_fini(&stream->output);
    free_heads(stream);
    LIST_REMOVE(stream, link);
    stream->entry->stream = NULL;
    stream->entry->progress = GJKD_ANSWERING; /* until it is closed */
    shutdown(stream->fd, SHUT_RDWR);
    atomic_fetch_sub(&stream->http->context->streams, 1);
    uv_close((uv_handle_t *)&stream->poll, on_poll_closed);
}

/* Queues a close frame without wslay, which has given up, and discards all further input. Does not
 * queue a second close frame. */
static void break_off(struct gjkd_stream *stream, unsigned code) {
    const char frame[] = {'\x88', 2, (char)(code >> 8), (char)code};
    if (stream->is_broken) {
        return;
    }
    stream->is_broken = true;
    if (wslay_event_get_close_sent(stream->frames)) {
        return;
    }
    stream->close_due_ns = uv_hrtime() + GJKD_STREAM_CLOSE_S * SECOND_NS;
    stream->is_dead = stream->is_dead || !gjkd_stream_is_between_frames(stream) ||
                      !gjkd_output_put_control(&stream->output, frame, sizeof frame);
}

void gjkd_stream_close(struct gjkd_stream *stream, unsigned code, const char *reason) {
    if (stream->close_due_ns != 0) {
        return;
    }
    size_t length = strlen(reason);
    length = length < 120 ? length : 120;
    stream->close_due_ns = uv_hrtime() + GJKD_STREAM_CLOSE_S * SECOND_NS;
    if (wslay_event_queue_close(stream->frames, (uint16_t)code, (const uint8_t *)reason, length) ==
        WSLAY_ERR_NOMEM) {
        break_off(stream, GJKD_STREAM_TRY_AGAIN);
    }
    gjkd_stream_mark(stream);
}

void gjkd_stream_give_up(struct gjkd_stream *stream) {
    gjkd_stream_close(stream, GJKD_STREAM_TRY_AGAIN, "no memory for the stream");
}

void gjkd_stream_drain(struct gjkd_stream *stream) {
    stream->is_draining = true;
    gjkd_stream_mark(stream);
}

void gjkd_stream_revoke(struct gjkd_stream *stream) {
    stream->is_revoked = true;
    gjkd_stream_refuse_watches(stream);
    gjkd_stream_close(stream, WSLAY_CODE_POLICY_VIOLATION, "the token was revoked");
}

/* --- Sending --- */

/* Queues bytes of a control frame: wslay passes the two bytes of the head and then the payload. The
 * head is taken only if the whole frame fits. */
static ssize_t on_send(wslay_event_context_ptr frames, const uint8_t *data, size_t length,
                       int flags, void *user) {
    struct gjkd_stream *stream = user;
    const bool is_head = stream->control_left == 0;
    const bool has_room = !is_head || stream->output.bytes == NULL ||
                          gjkd_output_room(&stream->output) >= GJKD_CONTROL_BYTES_MAX;
    (void)flags;
    if (!has_room || !gjkd_output_put_control(&stream->output, (const char *)data, length)) {
        wslay_event_set_error(frames, WSLAY_ERR_WOULDBLOCK);
        return -1;
    }
    stream->control_left = is_head ? data[1] & 0x7fU : stream->control_left - length;
    return (ssize_t)length;
}

/* Sends queued bytes. Returns false if the socket takes no more now, or failed. */
static bool send_out(struct gjkd_stream *stream) {
    struct gjkd_output *output = &stream->output;
    while (!gjkd_output_is_empty(output)) {
        const ssize_t sent = send(stream->fd, output->bytes + output->at, output->end - output->at,
                                  MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EINTR) {
            stream->is_dead = stream->is_dead || errno != EAGAIN;
            return false;
        }
        gjkd_output_note_sent(output, sent > 0 ? (size_t)sent : 0);
    }
    return true;
}

bool gjkd_stream_is_between_frames(const struct gjkd_stream *stream) {
    return stream->frame.exchange == NULL && stream->frame.event == NULL;
}

/* Queues wslay's control frames between two frames of ours. The close frame of a revoked stream
 * comes after the last answers of its watches. */
static void put_control(struct gjkd_stream *stream) {
    const bool has_answers =
        stream->is_revoked && (stream->ready != NULL || stream->news.first != NULL);
    if (gjkd_stream_is_between_frames(stream) && !stream->is_broken && !has_answers &&
        wslay_event_want_write(stream->frames) && wslay_event_send(stream->frames) != 0) {
        stream->is_dead = true;
    }
}

static bool is_idle(const struct gjkd_stream *stream) {
    return stream->calls == 0 && stream->ready == NULL && gjkd_stream_is_between_frames(stream) &&
           gjkd_output_is_empty(&stream->output);
}

/* Notes that memory is exhausted: nothing is read or queued before the next sweep
 * (gjkd_streams_sweep). */
static void starve(struct gjkd_stream *stream) {
    stream->waits_for_memory = true;
    if (stream->starved_ns == 0) {
        stream->starved_ns = uv_hrtime();
    }
}

bool gjkd_stream_reserve(struct gjkd_stream *stream) {
    if (gjkd_output_reserve(&stream->output)) {
        return true;
    }
    starve(stream);
    return false;
}

/* Returns true if the stream may be read now: it has room for calls and control frames, and its
 * client's share of memory is not crowded, or the stream is idle and holds none of it. */
static bool stream_reads_on(const struct gjkd_stream *stream) {
    const bool is_closing = stream->close_due_ns != 0; /* the peer's close frame is awaited */
    /* Room for a close frame, and for the pongs to the 4096 bytes that wslay takes at a time. */
    const bool has_control_room =
        stream->output.bytes == NULL || gjkd_output_room(&stream->output) >= GJKD_OUTPUT_BYTES / 2;
    return (!stream->is_draining || is_closing) && !stream->is_broken && !stream->is_dead &&
           !stream->waits_for_memory && stream->calls < GJKD_STREAM_CALLS_MAX && has_control_room &&
           gjkd_stream_is_between_frames(stream) && wslay_event_get_read_enabled(stream->frames) &&
           (is_closing || is_idle(stream) || !gjkd_account_is_crowded(&stream->output.account));
}

/* Returns true if received bytes are discarded. */
static bool discards_input(const struct gjkd_stream *stream) {
    return stream->is_broken || !wslay_event_get_read_enabled(stream->frames);
}

static bool has_unread(const struct gjkd_stream *stream) {
    return stream->output.input_at < stream->output.input_end;
}

static void on_poll(uv_poll_t *poll, int status, int events);
static void read_socket(struct gjkd_stream *stream);

static void watch_socket(struct gjkd_stream *stream) {
    int events = UV_DISCONNECT;
    events |= stream_reads_on(stream) || discards_input(stream) ? UV_READABLE : 0;
    events |= !gjkd_output_is_empty(&stream->output) ? UV_WRITABLE : 0;
    if (events == stream->polled) {
        return; /* starting the poll again would cost two system calls */
    }
    stream->polled = events;
    if (uv_poll_start(&stream->poll, events, on_poll) != 0) {
        stream->is_dead = true;
    }
}

/* Sends answers, events and control frames, as far as the socket takes them. Returns false if the
 * stream has ended. */
static bool flush(struct gjkd_stream *stream) {
    bool has_more = true;
    for (int i = 0; i < FLUSH_ROUNDS && has_more && !stream->is_dead; i++) {
        put_control(stream);
        gjkd_stream_fill(stream);
        put_control(stream);
        has_more = !gjkd_output_is_empty(&stream->output) && send_out(stream);
    }
    if (stream->is_draining && is_idle(stream) && stream->close_due_ns == 0) {
        gjkd_stream_close(stream, WSLAY_CODE_GOING_AWAY, "the daemon is shutting down");
        put_control(stream);
        (void)send_out(stream);
    }
    const bool is_closed = wslay_event_get_close_sent(stream->frames) &&
                           wslay_event_get_close_received(stream->frames) &&
                           gjkd_output_is_empty(&stream->output);
    if (stream->is_dead || is_closed) {
        end(stream);
        return false;
    }
    if (is_idle(stream)) {
        gjkd_output_free_idle(&stream->output);
    }
    watch_socket(stream);
    if (has_more || (has_unread(stream) && stream_reads_on(stream))) {
        gjkd_stream_mark(stream); /* no poll will report this work */
    }
    return true;
}

void gjkd_stream_mark(struct gjkd_stream *stream) {
    stream->is_marked = true;
    if (!stream->has_turn) {
        stream->has_turn = true;
        gjkd_fair_queue_put(&stream->http->stream_turns, &stream->turn);
    }
}

/* Reads, and sends. The stream may be freed afterwards. */
static void take_turn(struct gjkd_stream *stream) {
    stream->is_marked = false;
    if (stream->is_readable || has_unread(stream)) {
        stream->is_readable = false;
        read_socket(stream);
    }
    if (flush(stream)) {
        stream->has_turn = false;
        if (stream->is_marked) {
            gjkd_stream_mark(stream);
        }
    }
}

void gjkd_streams_serve(struct gjkd_http *http) {
    const uint64_t begun_ns = uv_hrtime();
    uint64_t now_ns = begun_ns;
    unsigned lined_up = 0;
    struct gjkd_task *turn;
    while (now_ns - begun_ns < SERVE_NS &&
           (turn = gjkd_fair_queue_take(&http->stream_turns, INT_MAX, &lined_up)) != NULL) {
        const uint16_t client = turn->client;
        http->round_ns = now_ns;
        take_turn((struct gjkd_stream *)(void *)turn);
        const uint64_t end_ns = uv_hrtime();
        gjkd_fair_queue_charge(&http->stream_turns, client, (int64_t)(end_ns - now_ns));
        gjkd_fair_queue_end(&http->stream_turns, client);
        now_ns = end_ns;
    }
}

/* --- Receiving --- */

/* Takes an exchange for a new message, charged to the client. Returns false if memory is
 * exhausted. */
static bool begin_message(struct gjkd_stream *stream) {
    stream->incoming = gjkd_exchange_take(stream->http);
    if (stream->incoming == NULL) {
        return false;
    }
    /* From now on the message has a deadline, and the client pays for its memory. */
    gjkd_late_body_restart(stream->incoming);
    stream->message_due_ns =
        uv_hrtime() + stream->http->context->config->request_timeout_ms * 1000000;
    if (!gjkd_exchange_charge(stream->incoming, stream->client, sizeof(struct gjkd_stream_call))) {
        gjkd_exchange_give_back(stream->incoming);
        stream->incoming = NULL;
        return false;
    }
    return true;
}

static void on_frame_start(wslay_event_context_ptr frames,
                           const struct wslay_event_on_frame_recv_start_arg *frame, void *user) {
    struct gjkd_stream *stream = user;
    stream->is_control = wslay_is_ctrl_frame(frame->opcode);
    if (stream->is_control) {
        if (frame->opcode == WSLAY_CONNECTION_CLOSE && frame->payload_length == 1) {
            break_off(stream, WSLAY_CODE_PROTOCOL_ERROR); /* a close code has two bytes */
        }
        return;
    }
    if (frame->opcode != WSLAY_CONTINUATION_FRAME) {
        stream->is_text = frame->opcode == WSLAY_TEXT_FRAME;
    }
    if (stream->close_due_ns != 0) {
        return; /* the stream is closing: the message is ignored */
    }
    if (stream->incoming == NULL && !begin_message(stream)) {
        gjkd_stream_give_up(stream);
        wslay_event_shutdown_read(frames);
        return;
    }
    /* Announces the length, so that the body's buffer gets room for the whole frame at once. */
    stream->incoming->request.head.has_length = true;
    stream->incoming->request.head.body_bytes =
        stream->incoming->request.body_bytes + frame->payload_length;
}

static void on_frame_chunk(wslay_event_context_ptr frames,
                           const struct wslay_event_on_frame_recv_chunk_arg *chunk, void *user) {
    struct gjkd_stream *stream = user;
    if (!stream->is_control && stream->close_due_ns == 0 && stream->incoming != NULL &&
        chunk->data_length > 0 &&
        !gjkd_request_keep(&stream->incoming->request, (const char *)chunk->data,
                           chunk->data_length)) {
        if (stream->incoming->request.problem.code == PROTO_BODY_TOO_LARGE) {
            gjkd_stream_close(stream, WSLAY_CODE_MESSAGE_TOO_BIG, "the message is too long");
        } else {
            gjkd_stream_give_up(stream);
        }
        wslay_event_shutdown_read(frames);
    }
}

static void on_message(wslay_event_context_ptr frames,
                       const struct wslay_event_on_msg_recv_arg *message, void *user) {
    struct gjkd_stream *stream = user;
    (void)frames;
    if (wslay_is_ctrl_frame(message->opcode)) {
        put_control(stream); /* wslay answers with a pong or a close */
        return;
    }
    if (!stream->is_dead && stream->close_due_ns == 0 && stream->incoming != NULL) {
        gjkd_stream_take_message(stream);
    }
}

static ssize_t on_receive(wslay_event_context_ptr frames, uint8_t *to, size_t length, int flags,
                          void *user) {
    struct gjkd_stream *stream = user;
    struct gjkd_output *output = &stream->output;
    const size_t left = output->input_end - output->input_at;
    const size_t count = left < length ? left : length;
    (void)flags;
    const bool is_turn_over = uv_hrtime() - stream->http->round_ns > TURN_NS;
    if (count == 0 || is_turn_over || !stream_reads_on(stream)) {
        wslay_event_set_error(frames, WSLAY_ERR_WOULDBLOCK);
        return -1;
    }
    memcpy(to, output->input + output->input_at, count);
    output->input_at += count;
    return (ssize_t)count;
}

/* Passes received bytes to wslay. */
static void receive(struct gjkd_stream *stream) {
    if (!stream_reads_on(stream) || !gjkd_stream_reserve(stream)) {
        return;
    }
    const int result = wslay_event_recv(stream->frames);
    if (result != 0) {
        break_off(stream,
                  result == WSLAY_ERR_NOMEM ? GJKD_STREAM_TRY_AGAIN : WSLAY_CODE_PROTOCOL_ERROR);
    }
    gjkd_output_free_input(&stream->output);
    if (!wslay_event_get_read_enabled(stream->frames) && stream->close_due_ns == 0) {
        stream->close_due_ns = uv_hrtime() + GJKD_STREAM_CLOSE_S * SECOND_NS;
    }
    gjkd_stream_mark(stream);
}

static void read_socket(struct gjkd_stream *stream) {
    struct gjkd_output *output = &stream->output;
    if (discards_input(stream)) {
        /* The stream was closed because of its input. The rest is discarded until the peer closes,
         * since a reset for unread bytes could destroy our close frame. */
        char scratch[4096];
        const ssize_t size = recv(stream->fd, scratch, sizeof scratch, MSG_DONTWAIT);
        stream->is_dead =
            stream->is_dead || size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR);
        return;
    }
    if (has_unread(stream)) {
        receive(stream);
        return;
    }
    if (!gjkd_output_reserve(output) || !gjkd_output_reserve_input(output)) {
        starve(stream);
        return;
    }
    const ssize_t count = recv(stream->fd, output->input, GJKD_INPUT_BYTES, MSG_DONTWAIT);
    if (count > 0) {
        output->input_end = (size_t)count;
        receive(stream);
        return;
    }
    gjkd_output_free_input(output);
    stream->is_dead = stream->is_dead || count == 0 || (errno != EAGAIN && errno != EINTR);
}

static void on_poll(uv_poll_t *poll, int status, int events) {
    struct gjkd_stream *stream = poll->data;
    /* The peer has hung up and nothing is left to read: it would not read answers either. */
    const bool is_gone = (events & (UV_READABLE | UV_DISCONNECT)) == UV_DISCONNECT;
    if (status < 0 || is_gone) {
        stream->is_dead = true;
    } else if (events & UV_READABLE) {
        stream->is_readable = true;
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

/* Copies the fields that every call inherits from the head of the handshake. Returns false if
 * memory is exhausted. */
static bool inherit(struct gjkd_stream *stream, const struct gjkd_request *request) {
    const gjkd_head *head = &request->head;
    stream->host = copy_of(head->host);
    stream->authorization = copy_of(head->authorization);
    stream->forwarded_for = copy_of(head->forwarded_for);
    if (stream->http->context->security.keyring != NULL && head->authorization == NULL) {
        stream->token_due_ns = uv_hrtime() + GJKD_STREAM_TOKEN_S * SECOND_NS;
    }
    return (stream->host != NULL || head->host == NULL) &&
           (stream->authorization != NULL || head->authorization == NULL) &&
           (stream->forwarded_for != NULL || head->forwarded_for == NULL);
}

/* Takes the bytes that were received after the handshake. Returns false if they are too many, or
 * memory is exhausted. */
static bool take_early(struct gjkd_stream *stream, proto_text early) {
    struct gjkd_output *output = &stream->output;
    if (early.length == 0) {
        return true;
    }
    if (early.length > GJKD_INPUT_BYTES || !gjkd_output_reserve_input(output)) {
        return false;
    }
    memcpy(output->input, early.data, early.length);
    output->input_end = early.length;
    return true;
}

static struct gjkd_stream *stream_new(const gjkd_upgrade *upgrade) {
    struct gjkd_exchange *exchange = upgrade->exchange;
    struct gjkd_http *http = exchange->http;
    struct gjkd_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL) {
        return NULL;
    }
    stream->http = http;
    stream->fd = upgrade->fd;
    stream->upgraded = upgrade->upgraded;
    stream->peer = *upgrade->peer;
    stream->entry = gjkd_connection_of(exchange->connection);
    TAILQ_INIT(&stream->unanswered);
    stream->ready_end = &stream->ready;
    stream->window_ns = uv_hrtime();
    stream->client = gjkd_auth_hash_client(&exchange->request);
    stream->turn.client = gjkd_task_client(stream->client);
    gjkd_output_init(&stream->output, stream->client);
    if (!inherit(stream, &exchange->request) || !make_frames(stream) ||
        !take_early(stream, upgrade->early) ||
        uv_poll_init(http->uv, &stream->poll, stream->fd) != 0) {
        wslay_event_context_free(stream->frames);
        gjkd_output_fini(&stream->output);
        free_heads(stream);
        free(stream);
        return NULL;
    }
    stream->poll.data = stream;
    const int yes = 1, idle = KEEP_ALIVE_S;
    (void)setsockopt(stream->fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
    (void)setsockopt(stream->fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    (void)setsockopt(stream->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return stream;
}

void gjkd_stream_begin(const gjkd_upgrade *upgrade) {
    struct gjkd_exchange *exchange = upgrade->exchange;
    struct gjkd_http *http = exchange->http;
    (void)fcntl(upgrade->fd, F_SETFL, fcntl(upgrade->fd, F_GETFL) | O_NONBLOCK);
    const bool is_allowed = gjkd_memory_take(GJKD_CHARGE_LARGE, STREAM_BYTES);
    struct gjkd_stream *stream = is_allowed ? stream_new(upgrade) : NULL;
    if (stream == NULL && is_allowed) {
        gjkd_memory_give(GJKD_CHARGE_LARGE, STREAM_BYTES);
    }
    if (stream == NULL) {
        /* A close frame with GJKD_STREAM_TRY_AGAIN (1013): there is no memory for a stream. */
        static const char frame[] = "\x88\x02\x03\xf5";
        (void)send(upgrade->fd, frame, sizeof frame - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
        shutdown(upgrade->fd, SHUT_WR);
        MHD_upgrade_action(upgrade->upgraded, MHD_UPGRADE_ACTION_CLOSE);
        return;
    }
    stream->entry->stream = stream;
    gjkd_exchange_set_progress(exchange, GJKD_STREAMING);
    LIST_INSERT_HEAD(&http->streams, stream, link);
    exchange->request.holds_stream = false; /* the stream owns the place now */
    gjkd_stream_mark(stream);
    watch_socket(stream);
}

/* --- Time limits, checked about once a second --- */

/* Closes the stream if a message that has begun is overdue or too slow. The time during which the
 * stream was not read does not count. */
static void check_message(struct gjkd_stream *stream, uint64_t now_ns) {
    if (stream->incoming == NULL || stream->close_due_ns != 0) {
        return;
    }
    if (!stream_reads_on(stream)) {
        gjkd_late_body_restart(stream->incoming);
        stream->message_due_ns =
            now_ns + stream->http->context->config->request_timeout_ms * 1000000;
    } else if (now_ns > stream->message_due_ns) {
        gjkd_stream_close(stream, WSLAY_CODE_POLICY_VIOLATION, "the message was not there in time");
    } else if (gjkd_late_body_refuse_slow(stream->incoming, now_ns)) {
        gjkd_stream_close(stream, WSLAY_CODE_POLICY_VIOLATION,
                          stream->incoming->request.problem.detail);
    }
}

/* Ends the window of reading, if it is over. Returns true if the socket was full while answers,
 * control frames or a partly received message waited, and the peer has read less in the window than
 * a client has to (connections.h). A peer that only watches may be slow: it gets a `reset` event
 * instead of the events that it missed. */
static bool end_slow_window(struct gjkd_stream *stream, uint64_t now_ns) {
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

/* Lets a stream without memory try again, or closes it after GJKD_STREAM_STARVED_S. */
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
    struct gjkd_stream *at;
    LIST_FOREACH (at, &http->streams, link) {
        check_message(at, now_ns);
        check_memory(at, now_ns);
        if (at->token_due_ns != 0 && now_ns > at->token_due_ns) {
            gjkd_stream_close(at, WSLAY_CODE_POLICY_VIOLATION, "the token did not come in time");
        }
        if ((at->close_due_ns != 0 && now_ns > at->close_due_ns) || end_slow_window(at, now_ns)) {
            at->is_dead = true;
            gjkd_stream_mark(at);
        }
    }
}
