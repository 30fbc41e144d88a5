/*
 * A message becomes an exchange, like a request on a connection: with the same head, checks,
 * handlers, workers and limits.
 */

#define _GNU_SOURCE /* memmem */
#include "http/exchange.h"
#include "http/stream.h"
#include "request/context.h"
#include "util/hash.h"
#include "util/head.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- Answers --- */

static void unlink_call(struct gjkd_stream *stream, struct gjkd_stream_call *call) {
    TAILQ_REMOVE(&stream->unanswered, call, link);
    stream->calls--;
    stream->begun -= call->has_begun ? 1 : 0;
    stream->writes -= call->is_write ? 1 : 0;
}

/* Ends the stream at its next turn, because its peer does not read the answer. */
static void on_unread(struct gjkd_exchange *answer) {
    struct gjkd_stream *stream = ((struct gjkd_stream_call *)(void *)answer->call)->stream;
    stream->is_dead = true;
    gjkd_stream_mark(stream);
}

/* Ends a call without an answer. */
static void end_call(struct gjkd_stream_call *call) {
    struct gjkd_exchange *exchange = call->exchange;
    free(call);
    exchange->call = NULL;
    gjkd_exchange_give_back(exchange);
}

static void push_ready(struct gjkd_stream *stream, struct gjkd_exchange *exchange) {
    exchange->next = NULL;
    *stream->ready_end = exchange;
    stream->ready_end = &exchange->next;
    gjkd_exchange_note_reading(exchange);
    gjkd_stream_mark(stream);
}

void gjkd_stream_push_answer(struct gjkd_stream *stream, struct gjkd_stream_call *call) {
    call->call.unread = on_unread;
    call->exchange->call = &call->call;
    call->exchange->stage = GJKD_STAGE_DONE;
    push_ready(stream, call->exchange);
}

/* Queues the reply of an answered call behind the others that are ready. */
static void finish(struct gjkd_stream *stream, struct gjkd_stream_call *call) {
    struct gjkd_exchange *exchange = call->exchange;
    exchange->stage = GJKD_STAGE_DONE;
    if (exchange->request.reply.watch != NULL) {
        gjkd_stream_settle_watch(stream, call);
    }
    unlink_call(stream, call);
    push_ready(stream, exchange);
}

/* Runs a call, or hands it to a worker. Returns true if it is answered. */
static bool run_call(struct gjkd_stream *stream, struct gjkd_stream_call *call) {
    struct gjkd_exchange *exchange = call->exchange;
    call->has_begun = true;
    stream->begun++;
    if (call->is_unwatch) {
        gjkd_stream_unwatch(stream, call);
    } else if (!gjkd_exchange_try(exchange) && gjkd_exchange_hand_off(exchange)) {
        return false;
    }
    finish(stream, call);
    return true;
}

/*
 * Calls run concurrently, but a call on a set begins only after all earlier writes to that set. A
 * call whose body may name other sets waits for all earlier writes: the body is searched for the
 * names of such members, not decoded. WATCH and UNWATCH with the same id are answered in order of
 * arrival. A call that waits without need does no harm, so a small bitmap of hashes tells sets and
 * ids apart. At most GJKD_STREAM_CALLS_MAX calls are visited, a few nanoseconds each.
 */

/* Number of bits in a bitmap of sets or ids. */
#define MARKS 8192

struct marks {
    uint64_t words[MARKS / 64];
};

static bool is_marked(const struct marks *marks, uint64_t key) {
    return (marks->words[key % MARKS / 64] >> key % 64 & 1) != 0;
}

static void mark(struct marks *marks, uint64_t key) {
    marks->words[key % MARKS / 64] |= UINT64_C(1) << key % 64;
}

/* Begins the calls that need not wait for an earlier one, at most GJKD_STREAM_CALLS_MAX at a
 * time. */
static void begin_calls(struct gjkd_stream *stream) {
    struct marks written = {0}, watched = {0}; /* by the unanswered calls visited so far */
    bool is_any_written = false;
    struct gjkd_stream_call *next;
    for (struct gjkd_stream_call *at = TAILQ_FIRST(&stream->unanswered);
         stream->begun < stream->calls && stream->begun < GJKD_STREAM_CALLS_MAX && at != NULL;
         at = next) {
        const bool is_of_watch = at->is_watch || at->is_unwatch;
        const bool waits = (at->set != 0 && is_marked(&written, at->set)) ||
                           (at->reads_others && is_any_written) ||
                           (is_of_watch && is_marked(&watched, at->id));
        next = TAILQ_NEXT(at, link);
        if (!at->has_begun && !waits && run_call(stream, at)) {
            continue;
        }
        if (at->is_write) {
            is_any_written = true;
            mark(&written, at->set);
        }
        if (is_of_watch) {
            mark(&watched, at->id);
        }
    }
}

static void on_answered(struct gjkd_exchange *exchange, struct gjkd_exchange *answer) {
    struct gjkd_stream_call *call = (struct gjkd_stream_call *)(void *)exchange->call;
    struct gjkd_stream *stream = call->stream;
    if (answer != exchange) {
        exchange->call = NULL; /* its late result is dropped */
        answer->call = &call->call;
        call->exchange = answer;
    }
    if (stream == NULL) {
        end_call(call);
        return;
    }
    if (answer != exchange &&
        !gjkd_exchange_charge(answer, stream->client, sizeof(struct gjkd_stream_call))) {
        gjkd_stream_give_up(stream);
    }
    finish(stream, call);
    begin_calls(stream);
}

void gjkd_stream_abandon_calls(struct gjkd_stream *stream) {
    struct gjkd_stream_call *at;
    while ((at = TAILQ_FIRST(&stream->unanswered)) != NULL) {
        TAILQ_REMOVE(&stream->unanswered, at, link);
        if (at->has_begun) {
            (void)gjkd_request_expire(&at->exchange->request);
            at->stream = NULL;
        } else {
            end_call(at);
        }
    }
    stream->calls = stream->begun = stream->writes = 0;
}

/* --- Heads --- */

/* Returns true for header fields that belong to the connection, or frame a body. */
static bool is_of_connection(const char *name) {
    static const char *const names[] = {"Host",       "Authorization",     "Origin",
                                        "Connection", "Upgrade",           "Content-Length",
                                        "Expect",     "Transfer-Encoding", "X-Forwarded-For"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcasecmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void add_field(struct gjkd_request *request, const char *name, const char *value) {
    if (value != NULL) {
        gjkd_head_add(&request->head, &request->arena, name, value);
    }
}

static void make_head(const struct gjkd_stream *stream, struct gjkd_request *request,
                      const proto_call *call) {
    const char *method = strcmp(call->method, "WATCH") == 0 ? "GET" : call->method;
    bool has_type = false;
    request->head = gjkd_head_make(gjkd_method_find(method));
    add_field(request, "Host", stream->host);
    add_field(request, "Authorization", stream->authorization);
    add_field(request, "X-Forwarded-For", stream->forwarded_for);
    for (uint32_t i = 0; i < call->header_count; i++) {
        const proto_call_header *header = &call->headers[i];
        if (is_of_connection(header->name)) {
            request->head.fault = "a call has a header that belongs to the connection";
        }
        has_type = has_type || strcasecmp(header->name, "Content-Type") == 0;
        /* A text message cannot hold a gzipped body. */
        if (!stream->is_text || strcasecmp(header->name, "Accept-Encoding") != 0) {
            add_field(request, header->name, header->value);
        }
    }
    const bool has_body = call->body.data != NULL;
    if (has_body) {
        request->head.has_length = true;
        request->head.body_bytes = call->body.length;
    }
    /* An empty column message has no bytes, so the call has no body, but it has a type. */
    if (!has_type && (has_body || call->content_type != NULL)) {
        add_field(request, "Content-Type",
                  call->content_type != NULL ? call->content_type : GJKD_TYPE_JSON);
    }
}

/* --- Calls --- */

/* Bit of the hash of a set's name, so that no hash is 0. */
#define NAMED (UINT64_C(1) << 63)

static struct gjkd_stream_call *add_call(struct gjkd_stream *stream, struct gjkd_exchange *exchange,
                                         uint64_t id) {
    struct gjkd_stream_call *call = calloc(1, sizeof *call);
    if (call == NULL) {
        return NULL;
    }
    call->call.answered = on_answered;
    call->call.unread = on_unread;
    call->stream = stream;
    call->exchange = exchange;
    call->id = id;
    call->is_text = stream->is_text;
    TAILQ_INSERT_TAIL(&stream->unanswered, call, link);
    stream->calls++;
    exchange->call = &call->call;
    return call;
}

static bool has_text(const struct gjkd_request *request, const char *text) {
    return memmem(request->body, request->body_bytes, text, strlen(text)) != NULL;
}

/* Returns true if the body of a query may name other sets, by `against` or `obstacles`. Escaped
 * letters, gzipped bodies and columns of some kinds are not decoded: they may. */
static bool may_name_sets(const struct gjkd_request *request) {
    if (request->body == NULL) {
        return false;
    }
    return request->head.gzipped ||
           (request->columns_in && (request->match.operation->op == PROTO_OP_HIT ||
                                    (request->match.operation->flags & GJKD_TAKES_BLOCKS) != 0)) ||
           has_text(request, "against") || has_text(request, "obstacles") ||
           has_text(request, "\\u");
}

/* Notes which set the call is on, whether it writes, and whether it may read other sets. */
static void classify_call(struct gjkd_stream *stream, struct gjkd_stream_call *call) {
    const struct gjkd_request *request = &call->exchange->request;
    const struct gjkd_operation *operation = request->match.operation;
    if (request->reply.status != 0 || operation == NULL ||
        strncmp(operation->path, "/v1/sets", 8) != 0) {
        return;
    }
    const bool is_list = operation->path[8] == '\0';
    const char *name = request->match.variable.text;
    call->set =
        is_list ? 0 : gjkd_checksum(name, strlen(name), request->context->hash_seed) | NAMED;
    call->is_write = (operation->flags & GJKD_WRITES) != 0;
    call->reads_others = stream->writes > 0 &&
                         (is_list || (operation->method == GJKD_POST && may_name_sets(request)));
    stream->writes += call->is_write ? 1 : 0;
}

/* Makes a call of the message and checks its head. The answer to a message that could not be
 * decoded is the problem of its decoding. */
static void start_call(struct gjkd_stream *stream, struct gjkd_exchange *exchange,
                       const proto_call *call, bool is_decoded) {
    struct gjkd_request *request = &exchange->request;
    struct proto_problem problem = request->problem;
    struct gjkd_stream_call *added = add_call(stream, exchange, call->id);
    if (added == NULL || !gjkd_request_set_target(request, call->path)) {
        gjkd_stream_give_up(stream);
        if (added == NULL) {
            gjkd_exchange_give_back(exchange);
        } else {
            unlink_call(stream, added);
            end_call(added);
        }
        return;
    }
    request->peer = stream->entry->ip;
    added->is_watch = strcmp(call->method, "WATCH") == 0;
    added->is_unwatch = is_decoded && strcmp(call->method, "UNWATCH") == 0;
    make_head(stream, request, call);
    if (!is_decoded) {
        request->problem = problem;
        gjkd_request_id_make(request->request_id);
        gjkd_request_refuse(request);
    } else if (!added->is_unwatch) {
        gjkd_request_begin(request);
        /* The stream's client pays for the answer, whatever client the head names. */
        gjkd_account_assign(request->account, stream->client);
    }
    if (added->is_watch && request->reply.status == 0 &&
        !(request->match.operation->flags & GJKD_ANSWERS_EVENTS)) {
        gjkd_request_fail(request, PROTO_BAD_REQUEST, "WATCH takes /v1/sets/{set}/events");
    }
    const struct gjkd_operation *operation = request->match.operation; /* UNWATCH has none */
    if (request->reply.status == 0 && operation != NULL && (operation->flags & GJKD_LINES) != 0) {
        gjkd_request_fail(request, PROTO_BAD_REQUEST,
                          "an export or import is a request of its own, not a call");
    }
    /* The body is a part of the message, which is in the arena. */
    if (request->reply.status == 0 && call->body.data != NULL && operation != NULL &&
        (operation->flags & GJKD_TAKES_BODY) != 0) {
        request->body = (char *)(uintptr_t)call->body.data;
        request->body_bytes = call->body.length;
    }
    classify_call(stream, added);
}

/* --- Messages --- */

/* Checks a token like that of a request: wrong guesses are charged to the address. */
static void take_token(struct gjkd_stream *stream, struct gjkd_exchange *exchange,
                       const char *authorization) {
    static const char answer[] = "\x81\x0e{\"status\":204}";
    struct gjkd_request *request = &exchange->request;
    request->peer = stream->entry->ip;
    request->head = gjkd_head_make(GJKD_GET);
    add_field(request, "Authorization", authorization);
    add_field(request, "X-Forwarded-For", stream->forwarded_for);
    gjkd_auth_check_address_rate(request);
    gjkd_auth_check_token(request);
    if (strlen(authorization) > GJKD_FIELD_BYTES_MAX) {
        /* Each call inherits the token, and would be refused because of its length. */
        gjkd_stream_close(stream, WSLAY_CODE_POLICY_VIOLATION, "the token is too long");
    } else if (request->reply.status != 0) {
        gjkd_stream_close(stream, WSLAY_CODE_POLICY_VIOLATION, request->problem.detail);
    } else {
        free(stream->authorization);
        stream->authorization = strdup(authorization);
        if (stream->token_due_ns != 0) { /* the stream ends when its first token is revoked */
            stream->entry->has_token = request->has_token;
            stream->entry->token = request->token;
        }
        stream->client = gjkd_auth_hash_client(request);
        gjkd_account_assign(&stream->output.account, stream->client);
        stream->token_due_ns = 0;
        if (stream->authorization == NULL ||
            !gjkd_output_put_control(&stream->output, answer, sizeof answer - 1)) {
            gjkd_stream_give_up(stream);
        }
        gjkd_stream_mark(stream);
    }
    gjkd_exchange_give_back(exchange);
}

void gjkd_stream_take_message(struct gjkd_stream *stream) {
    struct gjkd_exchange *exchange = stream->incoming;
    struct gjkd_request *request = &exchange->request;
    const proto_text message = gjkd_request_text(request);
    proto_call call;
    const bool is_decoded =
        stream->is_text
            ? proto_decode_call(message, &request->arena, &call, &request->problem)
            : proto_decode_call_message(message, &request->arena, &call, &request->problem);
    stream->incoming = NULL;
    request->body = NULL;
    request->body_bytes = request->body_capacity = 0;
    if (is_decoded && call.authorization != NULL && !call.has_id) {
        take_token(stream, exchange, call.authorization);
    } else if (stream->token_due_ns != 0) {
        gjkd_stream_close(stream, WSLAY_CODE_POLICY_VIOLATION, "the token comes first");
        gjkd_exchange_give_back(exchange);
    } else if (!call.has_id) {
        gjkd_stream_close(stream, WSLAY_CODE_INVALID_FRAME_PAYLOAD_DATA,
                          is_decoded ? "a call has an id" : request->problem.detail);
        gjkd_exchange_give_back(exchange);
    } else {
        start_call(stream, exchange, &call, is_decoded);
        if (!stream->is_dead) {
            begin_calls(stream);
        }
    }
}
