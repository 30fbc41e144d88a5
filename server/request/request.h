#ifndef GJKD_REQUEST_REQUEST_H
#define GJKD_REQUEST_REQUEST_H

/*
 * The life of one request: its head and body, the arena of all its memory, and its reply. Nothing
 * here knows sockets. A request belongs to one thread at a time: the loop's or, while it is handed
 * off, the worker's.
 */

#include "proto/reply.h"
#include "request/context.h"
#include "request/operations.h"
#include "security/limiter.h"
#include "security/token.h"
#include "sets/etag.h"
#include "sets/registry.h"
#include "sets/storage.h"
#include "util/head.h"
#include "util/host.h"
#include "util/network.h"
#include "util/timing.h"
#include "watch/watch.h"
#include "work/chunks.h"
#include "work/memory.h"

struct gjkd_context;
struct gjkd_counters;

/* Fate of a request. The thread that moves it away from OPEN decides what is answered. */
typedef enum gjkd_fate {
    GJKD_FATE_OPEN,
    GJKD_FATE_CLAIMED, /* a write has begun; it is answered with its outcome */
    GJKD_FATE_EXPIRED, /* the deadline was answered, or the client is gone: the rest is cancelled */
    GJKD_FATE_WAITING, /* a write is made and its answer is ready, but the store must confirm it */
    GJKD_FATE_UNKNOWN, /* the deadline was answered before the store confirmed the write */
} gjkd_fate;

#define GJKD_JSON_TYPE "application/json; charset=utf-8"

#define GJKD_EVENT_STREAM_TYPE "text/event-stream"

/* Writes the next bytes of a body and returns their number: `length`, or fewer at the end of the
 * body or if memory is exhausted. Returns SIZE_MAX if the body cannot be continued; the connection
 * is closed then. */
typedef size_t (*gjkd_reply_reader)(void *reader, char *to, size_t length);

/* The reply to a request. Its texts must live until it has been sent. The body is in `data`, in
 * `texts`, given by `read`, or a stream of events. */
typedef struct gjkd_reply {
    int status; /* 0: none yet */
    const char *content_type;
    const char *content_encoding; /* or NULL */
    bool varies_by_coding;        /* the body depends on Accept-Encoding */
    const char *data;             /* the body in one piece */
    size_t length;                /* bytes of the body */
    const proto_text *texts;      /* the body in pieces, or NULL */
    size_t text_count;
    gjkd_reply_reader read; /* gives the body piece by piece, or NULL */
    void *reader;
    bool is_open_ended;           /* `length` is unknown: the number of bytes read so far */
    const gjkd_watch_spec *watch; /* the events that are the body, or NULL */
    char etag[GJKD_ETAG_MAX];     /* or "" */
    const char *allow;            /* Allow, or NULL */
    uint64_t retry_after_s;       /* Retry-After of 429 and 503; 0: none */
    const char *policy;           /* Content-Security-Policy, or NULL */
    const char *challenge;        /* WWW-Authenticate, or NULL */
    bool tells_version;           /* a refused handshake gets Sec-WebSocket-Version */
    const char *accept_key;       /* 101 only: Sec-WebSocket-Accept */
    const char *protocol;         /* 101 only: Sec-WebSocket-Protocol, or NULL */
    bool close;                   /* the connection is closed after the reply */
} gjkd_reply;

struct gjkd_request {
    struct gjkd_context *context;
    struct gjkd_counters *counters;
    struct gjkd_account *account; /* pays for the arena and for the memory of chunks */
    struct gjk_arena arena;
    gjkd_timing timing;
    uint64_t deadline_ns;    /* by uv_hrtime */
    uint64_t min_revision;   /* Gjkd-Min-Revision: in a cluster, revision to wait for; 0: any */
    bool is_linearizable;    /* Gjkd-Consistency: in a cluster, wait for all earlier writes */
    uint64_t known_ns;       /* when the node last knew that it had all of the log; 0 elsewhere */
    gjk_budget budget;       /* limits the arena and all work to the deadline and the trial */
    uint64_t trial_ns;       /* time at which a trial is given up; 0 outside of a trial */
    int64_t trial_thread_ns; /* likewise in processor time of the thread; 0: by the clock only */
    bool trial_given_up;
    _Atomic gjkd_fate fate;

    /* Not in the arena, which a refusal may clear: */
    char request_id[GJKD_REQUEST_ID_BYTES_MAX + 1];   /* plain text; "" before the head */
    char logged_path[GJKD_LOGGED_PATH_BYTES_MAX + 1]; /* beginning of the path as received,
                                                         without parameters; "" if not logged */
    char holder[GJKD_TOKEN_NAME_BYTES_MAX + 1];       /* name of the request's token, or "" */

    char *target; /* as received; gjkd_request_begin splits it in place */
    char *query;  /* the part after the question mark, or NULL */
    gjkd_head head;
    gjkd_path path;
    gjkd_params params;
    gjkd_match match;

    gjkd_ip peer;   /* address of the connection's other end */
    gjkd_ip client; /* address behind trusted proxies; set if rates or the log need it */
    gjkd_cors cors;
    bool has_token, metered; /* token and token_key are valid; client_key's rate is charged */
    bool holds_stream;       /* the request has taken one of the context's streams */
    gjkd_digest token;       /* SHA-256 of the token, if has_token */
    gjkd_limiter_key token_key, client_key;
    gjkd_grant grant;             /* rights of the token, after gjkd_request_begin */
    struct gjkd_version *version; /* retained version of {set}; for handlers NULL only if the
                                     operation reads none, or waits for the set; also NULL once the
                                     answer no longer needs it */

    bool columns_in;         /* the body is a column message */
    uint32_t message;        /* index of that message in the operation's `messages` */
    const char *columns_out; /* media type of an answer in columns; NULL for JSON */

    char *body; /* as received: gzipped until a worker unpacks it */
    size_t body_bytes, body_capacity;
    size_t came_bytes; /* bytes of the body as received; workers do not change this number */
    uint64_t discarded_bytes;
    uint64_t asked;   /* number of queries in the request, once it is known */
    uint64_t queries; /* number of queries answered */
    uint64_t used_ns; /* processor time of workers */

    struct gjkd_chunks chunks;           /* work that the handler left; none if rows is 0 */
    struct gjkd_pinned_sets pinned_sets; /* retained versions of other sets than {set} */
    struct gjkd_change change;           /* the write of the request, if any */
    struct proto_problem problem;
    char pointer_prefix[40]; /* of problems' pointers, like "/block/3/raycast", or "" */
    gjkd_reply reply;
};

/* Initialize, free, and prepare for the next request. The storage is the caller's. init returns
 * false if memory is exhausted; then there is nothing to free. */
bool gjkd_request_init(struct gjkd_request *request, struct gjkd_context *context,
                       struct gjkd_counters *counters) GJK_MUST_USE;
void gjkd_request_fini(struct gjkd_request *request);
void gjkd_request_reset(struct gjkd_request *request);

/*
 * The steps of a request, in order. Each step may end the request early by a refusal in
 * request->reply; later steps do nothing then.
 */

/* Copies the target and sets the start time and the deadline. Returns false if memory is
 * exhausted. */
bool gjkd_request_set_target(struct gjkd_request *request, const char *target);

/* Returns true if libmicrohttpd may have no memory for the target's parameters. Then call begin at
 * once, without the rest of the head: it refuses the request. */
bool gjkd_request_is_flooded(const struct gjkd_request *request);

/* Runs all checks that need only the head: framing, host, route, token, parameters, media types,
 * size. */
void gjkd_request_begin(struct gjkd_request *request);

/* is_too_long returns true if the head announces a body beyond the limit; refuse_length refuses
 * such a body, which closes the connection. */
bool gjkd_request_is_too_long(const struct gjkd_request *request);
void gjkd_request_refuse_length(struct gjkd_request *request);

/* Takes a piece of the body, or discards it after a refusal. Returns false if more than
 * GJKD_DISCARD_BYTES_MAX were discarded: the caller closes the connection. */
bool gjkd_request_take_body(struct gjkd_request *request, const char *data, size_t length);

/* Appends bytes to the body. Part of take_body. Returns false if the request is refused. */
bool gjkd_request_keep(struct gjkd_request *request, const char *data, size_t length);

/* Unpacks a gzipped body, or refuses it if it is malformed or truncated. Part of start. Leaves
 * bodies of GJKD_LINES gzipped: their handler reads them by gjkd_request_read_body. */
void gjkd_request_unpack_body(struct gjkd_request *request);

/* Retains the set's version and estimates the cost. Returns true if a worker should run the request.
 * Call it when the body is complete, at `now_ns`. */
bool gjkd_request_prepare(struct gjkd_request *request, uint64_t now_ns);

/*
 * Answers on a loop, within GJKD_TRIAL_NS of prepare. Returns false if that was not enough, or
 * the reply should be gzipped: a worker must run the request. The answer is the same either way.
 */
bool gjkd_request_try(struct gjkd_request *request);

/*
 * Starts a request that is expected to be short, in place of gjkd_request_start. Returns false if
 * GJKD_SHORT_NS of processor time were not enough: nothing has changed, and it must be started
 * again. A write does not stop after gjkd_request_claim. begun_ns: processor time of the thread.
 */
bool gjkd_request_try_short(struct gjkd_request *request, int64_t begun_ns);

/* Notes the time at which the body is decoded. */
void gjkd_request_mark_decoded(struct gjkd_request *request);

/* Counts answered queries of a kind, or rows of configurations: see GJKD_COUNT_QUERIES. */
void gjkd_request_count_queries(struct gjkd_request *request, unsigned op, uint64_t count);

/* Copies everything that is counted and logged from `other`, a request at a worker, so that
 * `request` can be answered in its place. */
void gjkd_request_copy_identity(struct gjkd_request *request, const struct gjkd_request *other);

/* Runs the request and makes its reply, on a loop or on a worker, with the same result. */
void gjkd_request_run(struct gjkd_request *request);

/* Returns true if the path names a set; match.variable is its name. */
bool gjkd_request_names_set(const struct gjkd_request *request);

/* Sets known_ns in a cluster. Call it before sets are looked up. */
void gjkd_request_note_age(struct gjkd_request *request);

/* Returns true if the request has to wait for the cluster's log, or for the revision that it
 * requires, so that it cannot run on a loop. */
bool gjkd_request_awaits_log(const struct gjkd_request *request);

/*
 * The parts of gjkd_request_run, for several workers: start runs the handler, which may leave
 * chunks of work; end completes the reply after all chunks.
 */
void gjkd_request_start(struct gjkd_request *request);
void gjkd_request_end(struct gjkd_request *request);

/* pack gzips the reply, if the client accepts that and it pays. Part of end. is_to_be_packed
 * returns true if pack would compress it, which takes long. */
void gjkd_request_pack(struct gjkd_request *request);
bool gjkd_request_is_to_be_packed(const struct gjkd_request *request);

/* Replies with the cached gzipped body for the reply's entity tag, if the client accepts gzip; in a
 * trial only if it is short. Returns false if there is none; the reply has not changed. A handler
 * may call it before it makes an expensive answer. */
bool gjkd_request_reuse_packed(struct gjkd_request *request);

/*
 * Charges the client for memory that is kept only because its answer is read from a version that is
 * no longer the newest. Returns the bytes. Sets *is_too_much if they exceed the client's share: the
 * caller must end the answer. Called regularly on the loop while the answer is sent.
 */
uint64_t gjkd_request_charge_pinned(struct gjkd_request *request, bool *is_too_much);

/* Refuses a write that was not stored. Called on the loop when its change is settled. */
void gjkd_request_refuse_unstored(struct gjkd_request *request);

/* Sets GJKD_FATE_WAITING if the request has submitted a write to the store. Called after end, on
 * the same thread. */
void gjkd_request_wait_for_store(struct gjkd_request *request);

/* Refuses `request` in place of `late`, whose deadline has passed. The detail says so if a write of
 * `late` may still be stored. */
void gjkd_request_fail_in_place_of(struct gjkd_request *request, const struct gjkd_request *late);

/*
 * Decide the race between the deadline and the write: only one of the two calls, on two threads,
 * returns true. expire: the caller, a loop, answers 504. claim: the caller goes on to write. A
 * write that waits for its store can expire too; then expire frees its memory.
 */
bool gjkd_request_expire(struct gjkd_request *request);
bool gjkd_request_claim(struct gjkd_request *request);

/* Returns true if the deadline or the time of a trial has passed, or the request was cancelled.
 * Pauses the work if its time slice is over (gjkd_pool_pause). Call it regularly in long work. */
bool gjkd_request_check_time(struct gjkd_request *request);

/* Gives up a trial. Returns true if this was a trial. Call it before long work. */
bool gjkd_request_give_up_trial(struct gjkd_request *request);

/*
 * Leaves `count` queries or rows, each of about row_ns, to be done in chunks until the deadline.
 * For handlers. The caller sets run, finish, work and never_shrinks of `how`; finish fills
 * request->reply.
 */
void gjkd_request_leave_chunks(struct gjkd_request *request, uint32_t count, uint64_t row_ns,
                               const struct gjkd_chunks *how);

/* Returns the body as text, never NULL. For handlers. */
proto_text gjkd_request_text(const struct gjkd_request *request);

/*
 * Returns true if If-Match and, with unless_known, If-None-Match allow to read the resource with
 * that entity tag: the shape with the id `shape` or, if that is NULL, the set or a file. Otherwise
 * the reply is 304, 412 or 400.
 */
bool gjkd_request_check_conditions(struct gjkd_request *request, const char *etag,
                                   const char *shape, bool unless_known) GJK_MUST_USE;

/* Returns true if the set of the path matches If-Match, or the operation reads none; otherwise
 * refuses the request. Sets the reply's entity tag. For handlers of queries. */
bool gjkd_request_check_if_match(struct gjkd_request *request) GJK_MUST_USE;

/* Fill request->reply. For handlers. The refusals return false: of request->problem, at a pointer
 * into the body, of a new problem, and because the deadline passed during the work. */
void gjkd_request_reply(struct gjkd_request *request, int status, const struct proto_buffer *body);
bool gjkd_request_refuse(struct gjkd_request *request);
bool gjkd_request_refuse_at(struct gjkd_request *request, const char *pointer);
bool gjkd_request_fail(struct gjkd_request *request, proto_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool gjkd_request_fail_late(struct gjkd_request *request);

/* --- Replies --- */

/* Sets status 200 and a body; other members stay. */
void gjkd_reply_set_body(gjkd_reply *reply, const char *content_type, const char *data,
                         size_t length);

/* Does the same for a body of `length` bytes that read(reader, ...) gives while it is sent. */
void gjkd_reply_set_stream(gjkd_reply *reply, gjkd_reply_reader read, void *reader,
                           uint64_t length);

/* Detail of a problem with the answer to a finished write: the client must not send it again. */
#define GJKD_WRITE_IS_MADE "the write is made, but its answer does not fit into memory: GET the set"

/* --- Authentication and rates (request_head.c) --- */

/* Refuses a query or write if the client's address exceeds its rate. Part of begin. */
void gjkd_auth_check_address_rate(struct gjkd_request *request);

/* Refuses the request if the daemon has tokens and this token is missing or unknown, unless the
 * operation is open. Part of begin: after the route is found, as some routes are open, before any
 * answer reveals what exists, and after the address's rate, which limits unknown tokens too. */
void gjkd_auth_check_token(struct gjkd_request *request);

/* Returns the WWW-Authenticate challenge for a token that was refused with that code, or NULL. */
const char *gjkd_auth_challenge(proto_code code);

/* Returns a hash of the client: of its token or, without one, its address. Call it after begin. */
uint64_t gjkd_auth_hash_client(const struct gjkd_request *request);

/* Charges the rates of the client's address and token for the queries, or the processor time,
 * beyond the first query. Called at the end of the request. */
void gjkd_auth_charge_rates(const struct gjkd_request *request);

/* Writes the access log's line of a finished request. Of headers, parameters and bodies it contains
 * only the request's id, which is plain text. Status 0: the client was gone before an answer. */
void gjkd_request_log(const struct gjkd_request *request, const gjkd_address *peer,
                      uint64_t duration_ns);

#endif
