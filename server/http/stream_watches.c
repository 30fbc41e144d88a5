/*
 * Calls that watch a set. stream_answers.c sends the events like answers; the watches take turns. A
 * watch ends with an UNWATCH with the id of its call, when the set is deleted, or when the token no
 * longer allows it; then a last answer gives the reason.
 */

#include "http/stream.h"

#include "http/event_stream.h"
#include "http/exchange.h"
#include "request/context.h"
#include "util/hash.h"

#include <stddef.h>
#include <stdlib.h>

/* Least pause between two pings of a stream, for all its watches together. */
#define SIGN_PAUSE_NS UINT64_C(2000000000)

static uint64_t key_of(const struct gjkd_stream *stream, uint64_t id) {
    return gjkd_hash2((const uint64_t[2]){id, 0}, stream->http->context->hash_seed);
}

static struct gjkd_stream_watch *find_watch(const struct gjkd_stream *stream, uint64_t id) {
    return (struct gjkd_stream_watch *)(void *)gjkd_table_find(&stream->watches_by_id,
                                                               key_of(stream, id));
}

static void on_events(void *owner) {
    struct gjkd_stream_watch *watch = owner;
    struct gjkd_stream *stream = watch->stream;
    gjkd_turns_add(&stream->news, &watch->turn);
    gjkd_stream_mark(stream);
}

/* --- Opening and closing --- */

static void free_watch(struct gjkd_stream_watch *watch) {
    struct gjkd_stream *stream = watch->stream;
    LIST_REMOVE(watch, link);
    gjkd_table_remove(&stream->watches_by_id, &watch->by_id);
    (void)gjkd_turns_remove(&stream->news, &watch->turn);
    gjkd_watching_end(stream->http, watch->watch);
    gjkd_account_close(&watch->account);
    free(watch);
}

/* Makes a watch, in the lists of the stream. Returns NULL if memory is exhausted. */
static struct gjkd_stream_watch *make_watch(struct gjkd_stream *stream,
                                            const struct gjkd_stream_call *call) {
    const uint64_t client = call->exchange->request.reply.watch->client;
    struct gjkd_stream_watch *watch = calloc(1, sizeof *watch);
    if (watch == NULL || !gjkd_account_open(&watch->account, client, sizeof *watch)) {
        free(watch);
        return NULL;
    }
    watch->stream = stream;
    watch->id = call->id;
    watch->route = call->exchange->request.match.route;
    watch->is_text = call->is_text;
    if (!gjkd_table_add(&stream->watches_by_id, &watch->by_id, key_of(stream, watch->id))) {
        gjkd_account_close(&watch->account);
        free(watch);
        return NULL;
    }
    LIST_INSERT_HEAD(&stream->watches, watch, link);
    return watch;
}

/* Opens the watch that the handler's reply describes, or refuses the call. */
static void open_watch(struct gjkd_stream *stream, const struct gjkd_stream_call *call) {
    struct gjkd_request *request = &call->exchange->request;
    struct gjkd_stream_watch *watch = make_watch(stream, call);
    if (watch == NULL) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory to watch the set");
        return;
    }
    watch->watch = gjkd_watching_begin(stream->http, request, on_events, watch);
    if (watch->watch == NULL) {
        free_watch(watch);
        return;
    }
    gjkd_turns_add(&stream->news, &watch->turn); /* for its first events */
    gjkd_stream_mark(stream);
}

void gjkd_stream_settle_watch(struct gjkd_stream *stream, const struct gjkd_stream_call *call) {
    struct gjkd_request *request = &call->exchange->request;
    if (request->head.method != GJKD_HEAD && find_watch(stream, call->id) != NULL) {
        gjkd_request_fail(request, PROTO_BAD_REQUEST, "a call of this id watches already");
    } else if (request->head.method != GJKD_HEAD) {
        open_watch(stream, call);
    }
    gjkd_version_release(request->version);
    request->version = NULL;
    request->reply.watch = NULL;
}

void gjkd_stream_unwatch(struct gjkd_stream *stream, const struct gjkd_stream_call *call) {
    struct gjkd_request *request = &call->exchange->request;
    struct gjkd_stream_watch *found = find_watch(stream, call->id);
    request->reply = (gjkd_reply){.status = 204};
    if (found != NULL) {
        free_watch(found);
    } else {
        gjkd_request_fail(request, PROTO_BAD_REQUEST, "no call of this id watches");
    }
}

void gjkd_stream_close_watches(struct gjkd_stream *stream) {
    for (struct gjkd_stream_watch *watch = LIST_FIRST(&stream->watches), *next; watch != NULL;
         watch = next) {
        next = LIST_NEXT(watch, link);
        free_watch(watch);
    }
    gjkd_table_fini(&stream->watches_by_id);
}

void gjkd_stream_refuse_watches(struct gjkd_stream *stream) {
    for (struct gjkd_stream_watch *watch = LIST_FIRST(&stream->watches), *next; watch != NULL;
         watch = next) {
        next = LIST_NEXT(watch, link);
        gjkd_watch_check_token(watch->watch);
        if (gjkd_watch_refusal(watch->watch) != NULL) {
            gjkd_turns_add(&stream->news, &watch->turn);
        } else {
            free_watch(watch);
        }
    }
}

/* --- Events --- */

/* Answers the WATCH call a second time, with the reason why the watch ends. */
static void send_refusal(struct gjkd_stream_watch *watch, const struct proto_problem *problem) {
    struct gjkd_stream *stream = watch->stream;
    struct gjkd_exchange *exchange = gjkd_exchange_take(stream->http);
    struct gjkd_stream_call *call = exchange != NULL ? calloc(1, sizeof *call) : NULL;
    if (call == NULL ||
        !gjkd_exchange_charge(exchange, stream->client, sizeof(struct gjkd_stream_call))) {
        free(call);
        if (exchange != NULL) {
            gjkd_exchange_give_back(exchange);
        }
        gjkd_stream_give_up(stream);
        return;
    }
    struct gjkd_request *request = &exchange->request;
    request->timing.started_ns = uv_hrtime();
    request->head = gjkd_head_make(GJKD_GET);
    request->match.route = watch->route;
    gjkd_request_id_make(request->request_id);
    request->problem = *problem;
    gjkd_request_refuse(request);
    request->reply.challenge = gjkd_auth_challenge(problem->code);
    request->timing.ended_ns = uv_hrtime();
    call->stream = stream;
    call->exchange = exchange;
    call->id = watch->id;
    call->is_text = watch->is_text;
    gjkd_stream_push_answer(stream, call);
}

/* Takes the next event of the watch, or frees a watch that is over. Returns NULL if there is no
 * event to send. Sets *wants_sign if the watch is due for a ping. */
static struct gjkd_event *take_event(struct gjkd_stream_watch *watch, bool *wants_sign) {
    struct gjkd_stream *stream = watch->stream;
    struct gjkd_event *event = gjkd_watch_take(watch->watch);
    *wants_sign = gjkd_watch_take_ping(watch->watch) || *wants_sign;
    if (event != NULL) {
        gjkd_turns_add(&stream->news, &watch->turn); /* it may have more */
        watch->has_told_end = event->kind == GJKD_EVENT_DELETED;
    } else if (gjkd_watch_is_over(watch->watch)) {
        if (gjkd_watch_refusal(watch->watch) != NULL) {
            send_refusal(watch, gjkd_watch_refusal(watch->watch));
        } else if (!watch->has_told_end) {
            gjkd_stream_give_up(stream); /* memory was exhausted, even for the reason */
        }
        free_watch(watch);
    }
    if (event != NULL && event->kind == GJKD_EVENT_START) {
        gjkd_event_release(event);
        return NULL;
    }
    return event;
}

struct gjkd_event *gjkd_stream_next_event(struct gjkd_stream *stream,
                                          const struct gjkd_stream_watch **of) {
    static const char ping[] = "\x89\x00";
    struct gjkd_event *event = NULL;
    bool wants_sign = false;
    while (event == NULL && stream->ready == NULL && stream->news.first != NULL) {
        struct gjkd_turn *turn = stream->news.first;
        struct gjkd_stream_watch *watch =
            gjkd_owner(turn, offsetof(struct gjkd_stream_watch, turn));
        (void)gjkd_turns_remove(&stream->news, turn);
        *of = watch;
        event = take_event(watch, &wants_sign);
    }
    const uint64_t now_ns = wants_sign ? uv_hrtime() : 0;
    if (wants_sign && now_ns > stream->sign_ns + SIGN_PAUSE_NS) {
        stream->sign_ns = now_ns;
        stream->is_dead =
            stream->is_dead || !gjkd_output_put(&stream->output, ping, sizeof ping - 1);
    }
    return event;
}
