#ifndef GJKD_HTTP_STREAM_H
#define GJKD_HTTP_STREAM_H

/*
 * Streams: WebSockets (RFC 6455) on which each message is a call, a request without a connection of
 * its own, and each answer a message. The socket belongs to the loop once libmicrohttpd has
 * upgraded the connection. Everything runs on the loop's thread.
 *
 *     stream.c          the socket and its frames, the beginning and the end, limits of time
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

/* Calls of one stream that are under way at once. */
#define GJKD_STREAM_CALLS_MAX 1024

/* How long a stream may wait for its token, and for the other side's close frame. */
#define GJKD_STREAM_TOKEN_S 5
#define GJKD_STREAM_CLOSE_S 1

/* How long a stream that finds no memory waits for some before it is closed, and with which
 * code. */
#define GJKD_STREAM_STARVED_S 2
#define GJKD_STREAM_TRY_AGAIN 1013

/* A call: an exchange of which it is the first part. */
struct gjkd_stream_call {
    struct gjkd_call call;      /* first: calls are cast back */
    struct gjkd_stream *stream; /* NULL: it is closed, and nobody waits for the answer */
    struct gjkd_exchange *exchange;
    struct gjkd_stream_call *next, **link; /* of those under way, in the order in which they came */
    uint64_t id;
    uint32_t set; /* hash of the name of the set in its path; 0: none */
    bool is_text, is_write, has_begun;
    bool is_watch, is_unwatch;
    bool reads_others; /* it may be about other sets too: it waits for all writes */
};

/* A reader of events on a stream. */
struct gjkd_stream_watch {
    struct gjkd_entry by_id; /* first: entries are cast back */
    struct gjkd_turn turn;   /* among those that have events */
    struct gjkd_stream_watch *next, **link;
    struct gjkd_stream *stream;
    struct gjkd_watch *watch;
    struct gjkd_account account;
    uint64_t id;
    unsigned route; /* of the call */
    bool is_text;
    bool has_told_end; /* that the set is deleted */
};

/* Frame that is being sent, piece by piece. */
struct gjkd_frame {
    struct gjkd_exchange *exchange; /* whose answer it is, or ... */
    struct gjkd_event *event;       /* ... which event; both NULL: nothing is being sent */
    char memory[192];               /* of `before`, if it is an event */
    proto_text before, after;
    proto_text one;          /* the body where it is in one piece */
    const proto_text *texts; /* the pieces of the body */
    size_t text_count;
    const gjkd_reply *read; /* reads the body, of which so much is left; NULL: it stands in texts */
    uint64_t read_left;
    size_t piece, offset; /* 0: before, then the pieces of the body, then after */
};

struct gjkd_stream {
    struct gjkd_task turn; /* first: a turn is cast to its stream; it is queued, and never run */
    struct gjkd_http *http;
    struct gjkd_stream *next, **link; /* of the loop */
    struct gjkd_connection *entry;
    struct MHD_UpgradeResponseHandle *upgraded;
    gjkd_address peer;
    int fd;
    uv_poll_t poll;
    int polled; /* events that it looks for */
    wslay_event_context_ptr frames;
    char *host, *authorization, *forwarded_for; /* of every call; NULL: none */

    struct gjkd_exchange *incoming; /* the message that is being received; NULL: none */
    bool is_text;                   /* it is */
    uint64_t message_due_ns;        /* when it must be whole */

    struct gjkd_stream_call *first, **last;   /* calls that are not answered */
    unsigned calls, begun, writes;            /* of these; which have begun; which write */
    struct gjkd_exchange *ready, **ready_end; /* linked by next: answers that are not sent */
    struct gjkd_stream_watch *watches;
    struct gjkd_table watches_by_id;
    struct gjkd_turns news; /* watches that have events */
    uint64_t sign_ns;       /* when the last sign of life was sent */
    struct gjkd_frame frame;

    struct gjkd_output output;        /* frames that the socket has not taken, and what came */
    size_t control_left;              /* payload bytes of wslay's frame that are not queued */
    uint64_t window_ns, window_bytes; /* the current window of the peer's reading */

    uint64_t client;       /* hash of the client, for its share of memory */
    uint64_t token_due_ns; /* 0: there is a token, or none is needed */
    uint64_t close_due_ns; /* 0: it is not closing */
    uint64_t starved_ns;   /* since when it finds no memory in any attempt; 0: it does */
    bool waits_for_memory; /* the next attempt is after the next sweep */
    bool is_control;       /* the frame that is being received is */
    bool is_broken;        /* a malformed frame was refused; what still comes is thrown away */
    bool is_draining, is_revoked, is_dead;
    bool has_turn;    /* waits for its turn, or it is its turn */
    bool is_marked;   /* needs one more */
    bool is_readable; /* its socket was, when it was last polled */
};

/* --- stream.c --- */

/* A connection that libmicrohttpd has upgraded, as the exchange's handshake asked for. */
typedef struct gjkd_upgrade {
    struct gjkd_exchange *exchange;
    struct MHD_UpgradeResponseHandle *upgraded;
    const gjkd_address *peer;
    int fd;
    proto_text early; /* what has come behind the handshake */
} gjkd_upgrade;

/* The connection becomes a stream; where there is no memory it is closed. */
void gjkd_stream_begin(const gjkd_upgrade *upgrade);

/* Reads from and sends to streams that were marked, for a millisecond: clients in turn, so that
 * each gets the same time, however many streams it has and however much it sends. What is left has
 * its turn in the next round. */
void gjkd_streams_serve(struct gjkd_http *http);

/* Returns true if no frame has been queued in part, so that another one can follow. */
bool gjkd_stream_is_between_frames(const struct gjkd_stream *stream);

/* Makes sure of memory to queue frames in. If there is none, the stream tries again after the next
 * sweep, and is closed if it goes on. */
bool gjkd_stream_reserve(struct gjkd_stream *stream) GJK_MUST_USE;

/* Closes the stream for lack of memory (1013). */
void gjkd_stream_give_up(struct gjkd_stream *stream);

/* Closes streams whose time is up: for a token, for a message that has begun, for reading answers,
 * for a close frame. */
void gjkd_streams_sweep(struct gjkd_http *http);

/* The stream ends: after the answers that are under way (1001), or after the last answers of its
 * watches, for its token was revoked (1008). */
void gjkd_stream_drain(struct gjkd_stream *stream);
void gjkd_stream_revoke(struct gjkd_stream *stream);

/* Queues a close frame behind what is ready, unless one is queued already. */
void gjkd_stream_close(struct gjkd_stream *stream, unsigned code, const char *reason);

/* Queues the stream for its turn: there is something to send or to read. */
void gjkd_stream_mark(struct gjkd_stream *stream);

/* --- stream_calls.c --- */

/* The message that has come is whole. */
void gjkd_stream_take_message(struct gjkd_stream *stream);

/* Queues the reply of a call's exchange to be sent. The call must not be among those under way. */
void gjkd_stream_push_answer(struct gjkd_stream *stream, struct gjkd_stream_call *call);

/* The stream is gone: nobody waits for its calls. */
void gjkd_stream_abandon_calls(struct gjkd_stream *stream);

/* --- stream_watches.c --- */

/* Ends a call to watch, whose handler has judged what it asks for. */
void gjkd_stream_settle_watch(struct gjkd_stream *stream, const struct gjkd_stream_call *call);

/* Ends the watch that a call of this id began, and answers that. */
void gjkd_stream_unwatch(struct gjkd_stream *stream, const struct gjkd_stream_call *call);

/* Takes the next event of any watch, in turn, and lets go of watches that are over. O(1) for each.
 * NULL: there is none. */
struct gjkd_event *gjkd_stream_next_event(struct gjkd_stream *stream,
                                          const struct gjkd_stream_watch **of);

/* The stream is gone: closes its watches. */
void gjkd_stream_close_watches(struct gjkd_stream *stream);

/* Ends all watches; those whose token does not allow them any more get a last answer. */
void gjkd_stream_refuse_watches(struct gjkd_stream *stream);

/* --- stream_answers.c --- */

/* Queues frames of answers and events, as far as there is room; what there is no room for waits
 * where it lies. */
void gjkd_stream_fill(struct gjkd_stream *stream);

void gjkd_stream_forget_answers(struct gjkd_stream *stream);

#endif
