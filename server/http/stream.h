#ifndef GJKD_HTTP_STREAM_H
#define GJKD_HTTP_STREAM_H

/*
 * Streams: WebSockets (RFC 6455) on which each message is a call (a request without a connection of
 * its own) and each answer is a message. The loop owns the socket once libmicrohttpd has upgraded
 * the connection. Everything runs on the loop's thread.
 *
 *     stream.c          socket, frames, opening, closing and time limits
 *     output.c          output queued for the peer, charged to its client
 *     stream_calls.c    messages become calls; calls wait for earlier writes
 *     stream_watches.c  calls that watch sets
 *     stream_answers.c  answers and events become frames
 */

#include "http/output.h"
#include "http/state.h"
#include "proto/call.h"
#include "util/network.h"
#include "util/table.h"

#include <wslay/wslay.h>

/* Largest number of unanswered calls of one stream. */
#define GJKD_STREAM_CALLS_MAX 1024

/* Longest time that a stream waits for its token, and for the peer's close frame. */
#define GJKD_STREAM_TOKEN_S 5
#define GJKD_STREAM_CLOSE_S 1

/* Time that a stream waits for memory before it is closed, and the close code. */
#define GJKD_STREAM_STARVED_S 2
#define GJKD_STREAM_TRY_AGAIN 1013

/* A call: one request on a stream, answered by its exchange. */
struct gjkd_stream_call {
    struct gjkd_call call;      /* first: calls are cast back */
    struct gjkd_stream *stream; /* NULL if the stream was closed: the answer is dropped */
    struct gjkd_exchange *exchange;
    TAILQ_ENTRY(gjkd_stream_call) link; /* in the stream's list of unanswered calls */
    uint64_t id;
    uint64_t set; /* hash of the name of the set in the path; 0 if there is none */
    bool is_text, is_write, has_begun;
    bool is_watch, is_unwatch;
    bool reads_others; /* the body may name other sets: the call waits for all earlier writes */
};

/* A watch on a stream. */
struct gjkd_stream_watch {
    struct gjkd_entry by_id;            /* first: entries are cast back */
    struct gjkd_turn turn;              /* in stream->news while there may be events */
    LIST_ENTRY(gjkd_stream_watch) link; /* in stream->watches */
    struct gjkd_stream *stream;
    struct gjkd_watch *watch;
    struct gjkd_account account;
    uint64_t id;    /* of the call that opened the watch */
    unsigned route; /* likewise */
    bool is_text;
    bool has_told_end; /* the event that the set is deleted was sent */
};

/* Frame that is being sent, piece by piece: `before`, the body, `after`. */
struct gjkd_frame {
    struct gjkd_exchange *exchange; /* the frame is its answer; NULL for an event */
    struct gjkd_event *event; /* the frame is this event; both NULL if nothing is being sent */
    char memory[192];         /* storage of `before` for an event */
    proto_text before, after;
    proto_text one;          /* the body if it is in one piece */
    const proto_text *texts; /* the pieces of the body */
    size_t text_count;
    const gjkd_reply *read; /* the reply that gives the body while it is sent; NULL: see texts */
    uint64_t read_left;     /* bytes that `read` has not given yet */
    size_t piece, offset;   /* current piece (0: `before`, then those of the body, last `after`) and
                             the number of its bytes that are queued */
};

struct gjkd_stream {
    struct gjkd_task turn; /* first: a turn is cast to its stream; queued for fairness, never run */
    struct gjkd_http *http;
    LIST_ENTRY(gjkd_stream) link; /* in http->streams */
    struct gjkd_connection *entry;
    struct MHD_UpgradeResponseHandle *upgraded;
    gjkd_address peer;
    int fd;
    uv_poll_t poll;
    int polled; /* events that `poll` waits for */
    wslay_event_context_ptr frames;
    char *host, *authorization, *forwarded_for; /* header fields of every call, or NULL */

    struct gjkd_exchange *incoming; /* the message that is being received, or NULL */
    bool is_text;                   /* that message is text, not binary */
    uint64_t message_due_ns;        /* deadline for the whole message */

    TAILQ_HEAD(, gjkd_stream_call) unanswered; /* calls, in order of arrival */
    unsigned calls, begun, writes;             /* number of all, of begun, of writing calls in it */
    struct gjkd_exchange *ready, **ready_end;  /* list of unsent answers, linked by `next` */
    LIST_HEAD(, gjkd_stream_watch) watches;
    struct gjkd_table watches_by_id;
    struct gjkd_turns news; /* watches that may have events */
    uint64_t sign_ns;       /* time of the last ping */
    struct gjkd_frame frame;

    struct gjkd_output output;        /* unsent frames, and unprocessed input */
    size_t control_left;              /* payload bytes of wslay's frame that are not queued */
    uint64_t window_ns, window_bytes; /* window in which the peer's reading is measured */

    uint64_t client;       /* hash of the client, for its share of memory */
    uint64_t token_due_ns; /* deadline for the token; 0 if there is one, or none is needed */
    uint64_t close_due_ns; /* deadline for the peer's close frame; 0 if not closing */
    uint64_t starved_ns;   /* time of the first failed allocation in a row; 0 if none */
    bool waits_for_memory; /* an allocation failed; the next attempt is after the next sweep */
    bool is_control;       /* the frame that is being received is a control frame */
    bool is_broken;        /* a malformed frame was refused; later bytes are discarded */
    bool is_draining, is_revoked, is_dead;
    bool has_turn;    /* queued in http->stream_turns, or being served */
    bool is_marked;   /* needs another turn */
    bool is_readable; /* the socket was readable at the last poll */
};

/* --- stream.c --- */

/* A connection that libmicrohttpd has upgraded after the handshake of the exchange. */
typedef struct gjkd_upgrade {
    struct gjkd_exchange *exchange;
    struct MHD_UpgradeResponseHandle *upgraded;
    const gjkd_address *peer;
    int fd;
    proto_text early; /* bytes that were received after the handshake */
} gjkd_upgrade;

/* Makes a stream of the connection, or closes it (1013) if memory is exhausted. */
void gjkd_stream_begin(const gjkd_upgrade *upgrade);

/* Reads from and sends to marked streams, for at most a millisecond. Clients take turns, so that
 * each gets the same time, however many streams it has and however much it sends. The remaining
 * streams have their turn in the next round. */
void gjkd_streams_serve(struct gjkd_http *http);

/* Returns true if no frame is partly queued, so that another one can follow. */
bool gjkd_stream_is_between_frames(const struct gjkd_stream *stream);

/* Allocates the buffer for frames, unless it exists. Returns false if memory is exhausted: the
 * stream tries again after the next sweep, and is closed after GJKD_STREAM_STARVED_S. */
bool gjkd_stream_reserve(struct gjkd_stream *stream) GJK_MUST_USE;

/* Closes the stream for lack of memory (1013). */
void gjkd_stream_give_up(struct gjkd_stream *stream);

/* Closes streams whose token, message, close frame or reading of answers is overdue. */
void gjkd_streams_sweep(struct gjkd_http *http);

/* End the stream: drain after the answers to all its calls (1001); revoke, because its token was
 * revoked, after the last answers of its watches (1008). */
void gjkd_stream_drain(struct gjkd_stream *stream);
void gjkd_stream_revoke(struct gjkd_stream *stream);

/* Queues a close frame, unless one is queued already. */
void gjkd_stream_close(struct gjkd_stream *stream, unsigned code, const char *reason);

/* Queues the stream for a turn, in which it reads and sends. */
void gjkd_stream_mark(struct gjkd_stream *stream);

/* --- stream_calls.c --- */

/* Takes the message that is completely received: a token, or a call. */
void gjkd_stream_take_message(struct gjkd_stream *stream);

/* Queues the answer of a call that is not in the stream's list of unanswered calls. */
void gjkd_stream_push_answer(struct gjkd_stream *stream, struct gjkd_stream_call *call);

/* Drops all unanswered calls of a stream that ends. */
void gjkd_stream_abandon_calls(struct gjkd_stream *stream);

/* --- stream_watches.c --- */

/* Finishes a WATCH call after its handler: opens the watch, or refuses it. */
void gjkd_stream_settle_watch(struct gjkd_stream *stream, const struct gjkd_stream_call *call);

/* Answers an UNWATCH call: ends the watch that the WATCH call with the same id opened. */
void gjkd_stream_unwatch(struct gjkd_stream *stream, const struct gjkd_stream_call *call);

/* Takes the next event; the watches take turns. *of is its watch. Frees watches that are over. O(1)
 * for each watch visited. Returns NULL if there is no event. */
struct gjkd_event *gjkd_stream_next_event(struct gjkd_stream *stream,
                                          const struct gjkd_stream_watch **of);

/* Closes all watches of a stream that ends. */
void gjkd_stream_close_watches(struct gjkd_stream *stream);

/* Ends all watches. A watch that its token no longer allows gets a last answer with the reason. */
void gjkd_stream_refuse_watches(struct gjkd_stream *stream);

/* --- stream_answers.c --- */

/* Queues frames of answers and events until the buffer is full. */
void gjkd_stream_fill(struct gjkd_stream *stream);

/* Drops all unsent answers and closes all watches of a stream that ends. */
void gjkd_stream_forget_answers(struct gjkd_stream *stream);

#endif
