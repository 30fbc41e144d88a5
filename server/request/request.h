#ifndef GJKD_REQUEST_REQUEST_H
#define GJKD_REQUEST_REQUEST_H

/*
 * One request's life: what is asked, the arena that all its memory comes from, and what is
 * answered. Nothing here knows sockets. A request belongs to one thread at a time: the loop's,
 * or between submit and done the worker's.
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
    GJKD_FATE_CLAIMED, /* a write has begun and will be answered as it ends */
    GJKD_FATE_EXPIRED, /* nobody wants the rest: time was up and answered, or the client is gone */
    GJKD_FATE_WAITING, /* a write is made and its answer ready: it waits for the store */
    GJKD_FATE_UNKNOWN, /* time was up and answered before the store had said whether it has it */
} gjkd_fate;

#define GJKD_JSON_TYPE "application/json; charset=utf-8"

#define GJKD_EVENT_STREAM_TYPE "text/event-stream"

/* Writes the next bytes of a body, length of them unless it ends, or memory is exhausted; returns
 * how many. SIZE_MAX: the body cannot be continued, and the connection is cut. */
typedef size_t (*gjkd_reply_reader)(void *reader, char *to, size_t length);

/* The answer to a request. Texts are borrowed until it has been sent. */
typedef struct gjkd_reply {
    int status; /* 0: none yet */
    const char *content_type;
    const char *content_encoding; /* NULL: none */
    bool varies_by_coding;        /* whether it depends on Accept-Encoding */
    const char *data; /* the body, of `length` bytes, unless it stands in texts or is read */
    size_t length;
    const proto_text *texts; /* it is in so many pieces; NULL: it is not */
    size_t text_count;
    gjkd_reply_reader read; /* called for it piece by piece; NULL: it is not */
    void *reader;
    bool is_open_ended;           /* it is read until it ends; length is what was read so far */
    const gjkd_watch_spec *watch; /* it is a stream of these events; NULL: it is not */
    char etag[GJKD_ETAG_MAX];     /* "": none */
    const char *allow;            /* NULL: none */
    uint64_t retry_after_s;       /* 0: none; 429 and 503 have one */
    const char *policy;           /* Content-Security-Policy; NULL: none */
    const char *challenge;        /* WWW-Authenticate; NULL: none */
    bool tells_version;           /* of WebSockets that a stream takes, in a refused handshake */
    const char *accept_key;       /* 101 only: the proof that the handshake was understood */
    const char *protocol;         /* 101 only: that of the stream; NULL: none was offered */
    bool close;                   /* end the connection after it */
} gjkd_reply;

struct gjkd_request {
    struct gjkd_context *context;
    struct gjkd_counters *counters;
    struct gjkd_account *account; /* of this arena and of all that chunks use */
    struct gjk_arena arena;
    gjkd_timing timing;
    uint64_t deadline_ns;  /* by uv_hrtime */
    uint64_t min_revision; /* of a cluster's set, to be waited for; 0: any */
    bool is_linearizable;  /* no older than the request: a cluster's log is asked first */
    uint64_t known_ns;     /* when a cluster's node last knew that it had all of the log; 0: none */
    gjk_budget budget;     /* until then, of the arena and of all work */
    uint64_t trial_ns;     /* when a trial is given up; 0: this is none */
    int64_t trial_thread_ns; /* and by the thread's processor time; 0: whatever that is */
    bool trial_given_up;
    _Atomic gjkd_fate fate;

    /* Not in the arena, which a refusal may clear: */
    char request_id[GJKD_REQUEST_ID_BYTES_MAX + 1];   /* plain; "": none yet */
    char logged_path[GJKD_LOGGED_PATH_BYTES_MAX + 1]; /* beginning of the path as received,
                                                         without parameters; "": not logged */
    char holder[GJKD_TOKEN_NAME_BYTES_MAX + 1];       /* name of the request's token, or "" */

    char *target; /* as it came; taken apart in place by gjkd_request_begin */
    char *query;  /* its part behind the question mark, or NULL */
    gjkd_head head;
    gjkd_path path;
    gjkd_params params;
    gjkd_match match;

    gjkd_ip peer; /* who is at the other end of the connection */
    gjkd_ip
        client; /* who asks through it; known where that is needed, and where requests are logged */
    gjkd_cors cors;
    bool has_token, metered; /* token_key is valid; client_key's account is charged */
    bool holds_stream;       /* one of the context's streams is to be made of it */
    gjkd_digest token;       /* its SHA-256, if has_token */
    gjkd_limiter_key token_key, client_key;
    gjkd_grant grant;             /* what the request's token allows, once begin has let it pass */
    struct gjkd_version *version; /* retained; NULL when the operation reads none, and once the
                                     answer needs it no more */

    bool columns_in;         /* the body is a column message */
    uint32_t message;        /* which of the operation's */
    const char *columns_out; /* the type of the answer, when that is one; NULL: JSON */

    char *body; /* as it came: packed, until a worker unpacks it */
    size_t body_bytes, body_capacity;
    size_t came_bytes; /* of the body, once it is complete; no worker changes them */
    uint64_t discarded_bytes;
    uint64_t asked;   /* queries that the request holds, once that is known */
    uint64_t queries; /* answered */
    uint64_t used_ns; /* processor time of workers */

    struct gjkd_chunks chunks;           /* that the handler left to be done; rows is 0: none */
    struct gjkd_pinned_sets pinned_sets; /* sets besides that of the path */
    struct gjkd_change change;           /* that the request makes, if any */
    struct proto_problem problem;
    char place[40]; /* in the body, of what the problem points into: "/block/3/raycast" */
    gjkd_reply reply;
};

/* Caller's storage. fini frees everything; reset makes it ready for the next request. init returns
 * false if memory is exhausted; then there is nothing to free. */
bool gjkd_request_init(struct gjkd_request *request, struct gjkd_context *context,
                       struct gjkd_counters *counters) GJK_MUST_USE;
void gjkd_request_fini(struct gjkd_request *request);
void gjkd_request_reset(struct gjkd_request *request);

/*
 * The life, in order. Each step may end it early by filling request->reply with a refusal; the
 * steps after that do nothing.
 */

/* Keeps a copy of the target; the clock starts. False: out of memory. */
bool gjkd_request_set_target(struct gjkd_request *request, const char *target);

/* Returns true if the target has so many parameters that there may be no memory for them. Then
 * begin the request at once, without the rest of its head: it is refused. */
bool gjkd_request_is_flooded(const struct gjkd_request *request);

/* Decides what the head alone decides: framing, host, route, parameters, media types, size. */
void gjkd_request_begin(struct gjkd_request *request);

/* Return true if the head announces a body beyond the limit, and refuse it, which closes the
 * connection. */
bool gjkd_request_is_too_long(const struct gjkd_request *request);
void gjkd_request_refuse_length(struct gjkd_request *request);

/* Takes a piece of the body. Returns false if too much was sent that is not read: close the
 * connection. */
bool gjkd_request_take_body(struct gjkd_request *request, const char *data, size_t length);

/* Adds bytes to the body as they are. Part of take_body. False: the request is refused. */
bool gjkd_request_keep(struct gjkd_request *request, const char *data, size_t length);

/* Unpacks a body that came packed; one that is no gzip or is cut short is refused. Part of start.
 * One of any length stays packed. */
void gjkd_request_unpack_body(struct gjkd_request *request);

/* The body is complete: retains the set's version and says whether a worker is to run it. */
bool gjkd_request_wants_worker(struct gjkd_request *request);

/*
 * Answers on a loop, within GJKD_TRIAL_NS of wants_worker. False: the time was up, or the reply is
 * to be packed, and a worker is to run the request, as if nothing had been tried. The answer does
 * not depend on that.
 */
bool gjkd_request_try(struct gjkd_request *request);

/*
 * Start, in the place of one, of a request that is thought to be short. False: GJKD_SHORT_NS of
 * processor time were not enough, nothing has been changed, and it is to be started again. A write
 * that is past gjkd_request_claim goes on.
 */
bool gjkd_request_try_short(struct gjkd_request *request);

/* The body has been understood: takes the time. */
void gjkd_request_mark_decoded(struct gjkd_request *request);

/* Counts queries of that kind, or rows of configurations, that have been answered: see
 * gjkd_count_queries. */
void gjkd_request_count_queries(struct gjkd_request *request, unsigned op, uint64_t count);

/* Makes the request count and log as the same one as `other`, which is at a worker, so that it can
 * be answered in its place. */
void gjkd_request_copy_identity(struct gjkd_request *request, const struct gjkd_request *other);

/* Answers. On a loop or on a worker, the same function with the same result. */
void gjkd_request_run(struct gjkd_request *request);

/* Returns true if the path names a set, which is the match's variable then. */
bool gjkd_request_names_set(const struct gjkd_request *request);

/* Notes when the node of a cluster last knew that it had all of the log. Before sets are looked
 * up. */
void gjkd_request_note_age(struct gjkd_request *request);

/* Returns true if a node of a cluster has to wait for the log, or for the revision that is asked
 * for. A hint, for loops. */
bool gjkd_request_awaits_log(const struct gjkd_request *request);

/*
 * The same in pieces, for several workers: start runs the handler, which may leave chunks to be
 * done; end comes when these are done too.
 */
void gjkd_request_start(struct gjkd_request *request);
void gjkd_request_end(struct gjkd_request *request);

/* Packs the reply, where the client takes that and it is worth while. Part of end. And: would it,
 * so that this takes long? */
void gjkd_request_pack(struct gjkd_request *request);
bool gjkd_request_is_to_be_packed(const struct gjkd_request *request);

/* Replies with the packed body that is kept for the reply's entity tag, if the client takes it; on
 * the thread of a loop only a short one. Returns false if there is none: the reply has not
 * changed. An operation whose answers take long to make may ask before it makes one. */
bool gjkd_request_reuse_packed(struct gjkd_request *request);

/*
 * While the answer is sent: charges the client with the memory that is kept only for it, because
 * the version that it is read from is not the newest any more. Returns that memory; *is_too_much:
 * it is more than the client's share, and the answer is to be ended. To be called now and then. On
 * the loop.
 */
uint64_t gjkd_request_charge_pinned(struct gjkd_request *request, bool *is_too_much);

/* Refuses a write that was not stored, after its end, when its change is settled. On the loop. */
void gjkd_request_settle(struct gjkd_request *request);

/* Marks a write that is over but for its store. In place of the end, on its last thread. */
void gjkd_request_wait_for_store(struct gjkd_request *request);

/* Says in the request's reply that time is up: of a write that waits for its store, that it may be
 * stored yet. `late` is the request that is late. */
void gjkd_request_fail_in_place_of(struct gjkd_request *request, const struct gjkd_request *late);

/*
 * The deadline against the write, from two threads: only one of the calls returns true. expire: the
 * caller, a loop, answers that time is up. claim: the caller goes on to change things. A write that
 * waits for its store can expire, too, and gives its memory back.
 */
bool gjkd_request_expire(struct gjkd_request *request);
bool gjkd_request_claim(struct gjkd_request *request);

/* Returns true if the deadline or the time of a trial has passed. To be called during long work.
 * Pauses it if its time slice is over (gjkd_pool_pause). */
bool gjkd_request_is_late(struct gjkd_request *request);

/* Gives a trial up. Returns true if this is one. To be called before long work. */
bool gjkd_request_gives_up_trial(struct gjkd_request *request);

/*
 * Leaves count queries or rows, each of about row_ns, to be done in chunks until the deadline. For
 * handlers; run, finish, work and never_shrinks of how are set. finish fills request->reply.
 */
void gjkd_request_leave_chunks(struct gjkd_request *request, uint32_t count, uint64_t row_ns,
                               const struct gjkd_chunks *how);

/* Refuses what could not be done in time. */
void gjkd_request_fail_late(struct gjkd_request *request);

/* Returns the body as text, never NULL. For handlers. */
proto_text gjkd_request_text(const struct gjkd_request *request);

/*
 * Returns true if If-Match and, with unless_known, If-None-Match allow to read what has that entity
 * tag. shape: its id; NULL: it is the set, or a file. If not, 304, 412 or 400 is the reply.
 */
bool gjkd_request_may_read(struct gjkd_request *request, const char *etag, const char *shape,
                           bool unless_known) GJK_MUST_USE;

/*
 * Returns true if the set of the path, if the operation has one, is there and at the revision of
 * If-Match. If not, the request is refused. The answer gets the set's entity tag. For handlers of
 * queries.
 */
bool gjkd_request_may_ask(struct gjkd_request *request) GJK_MUST_USE;

/*
 * Returns true if the request may use that set. Handlers call it before they look up any set but
 * the one in the path, which has been checked. If not, request->problem is `forbidden`: point it at
 * the place and refuse.
 */
bool gjkd_request_may_use_set(struct gjkd_request *request, gjkd_scope needed,
                              const char *name) GJK_MUST_USE;

/* Fill request->reply. For handlers. */
void gjkd_request_reply(struct gjkd_request *request, int status, const struct proto_buffer *body);
void gjkd_request_refuse(struct gjkd_request *request); /* with request->problem */
void gjkd_request_refuse_at(struct gjkd_request *request, const char *pointer); /* in the body */
void gjkd_request_fail(struct gjkd_request *request, proto_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* --- Replies --- */

/* Sets status 200 and a body; other members stay. */
void gjkd_reply_set_body(gjkd_reply *reply, const char *content_type, const char *data,
                         size_t length);

/* The same for a body of so many bytes that read(reader, ...) gives while it is sent. */
void gjkd_reply_set_stream(gjkd_reply *reply, gjkd_reply_reader read, void *reader,
                           uint64_t length);

/* The detail of a problem with the answer of a write that is made: it is not to be sent again. */
#define GJKD_WRITE_IS_MADE "the write is made, but its answer does not fit into memory: GET the set"

/* Sets status and body to those of the problem (RFC 9457), made in the arena, and takes the ETag
 * away. Where the arena has no memory left, the body is a constant for out-of-memory, which tells
 * GJKD_WRITE_IS_MADE if the problem does. */
void gjkd_reply_set_problem(gjkd_reply *reply, const struct proto_problem *problem,
                            struct gjk_arena *arena);

/* --- Authentication and rates (request_head.c) --- */

/* Refuses queries and writes of an address above its rate; reads go on. Part of begin. */
void gjkd_auth_check_address_rate(struct gjkd_request *request);

/* Refuses the request if there are tokens and the daemon does not know this one. Part of begin,
 * when the route has been looked for, and before the answer reveals anything: some are open to all.
 * After the address's rate, whose limit holds for unknown tokens too. */
void gjkd_auth_check_token(struct gjkd_request *request);

/* Returns the WWW-Authenticate challenge for a token that was refused with that code. NULL: none. */
const char *gjkd_auth_challenge(proto_code code);

/* Returns a hash of the client: of the token, or else the address. To be called after the
 * checks. */
uint64_t gjkd_auth_hash_client(const struct gjkd_request *request);

/* The request is over: what it asked, or worked, beyond one query is put to its client's
 * account. */
void gjkd_auth_settle(const struct gjkd_request *request);

/* Writes a line of the access log for a request that is over. Nothing of headers, parameters or
 * bodies is in it but the request's id, which is plain. status 0: the client was gone before an
 * answer. */
void gjkd_request_log(const struct gjkd_request *request, const gjkd_address *peer,
                      uint64_t duration_ns);

#endif
