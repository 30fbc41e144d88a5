/*
 * Calls that watch a set. Its events are read from the watch as answers are sent
 * (stream_answers.c), until an UNWATCH with the id of the call, or until the set is deleted.
 */

#include "http/stream.h"

#include "request/context.h"
#include "request/telemetry.h"

#include <stdlib.h>

static void on_events(void *owner) {
    gjkd_stream_flush(((struct gjkd_stream_watch *)owner)->stream);
}

static struct gjkd_stream_watch **find_watch(struct gjkd_stream *stream, uint64_t id) {
    struct gjkd_stream_watch **at = &stream->watches;
    while (*at != NULL && (*at)->id != id) {
        at = &(*at)->next;
    }
    return at;
}

/* Opens what the handler has asked for, or refuses. */
static void open_watch(struct gjkd_stream *stream, const struct gjkd_stream_call *call) {
    struct gjkd_request *request = &call->exchange->request;
    const uint64_t id = call->id;
    struct gjkd_stream_watch *watch = NULL;
    if (*find_watch(stream, id) != NULL) {
        gjkd_request_fail(request, PROTO_BAD_REQUEST, "a call of this id watches already");
    } else if (stream->watch_count == GJKD_STREAM_WATCHES_MAX) {
        proto_problem_set(&request->problem, PROTO_TOO_MANY, "a stream watches %d sets",
                          GJKD_STREAM_WATCHES_MAX);
        proto_problem_limit(&request->problem, GJKD_STREAM_WATCHES_MAX);
        gjkd_request_refuse(request);
    } else if ((watch = calloc(1, sizeof *watch)) == NULL ||
               (watch->watch = gjkd_watch_open(&stream->http->hub, request->reply.watch, on_events,
                                               watch)) == NULL) {
        free(watch);
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory to watch the set");
    } else {
        watch->stream = stream;
        watch->id = id;
        watch->is_text = call->is_text;
        watch->next = stream->watches;
        stream->watches = watch;
        stream->watch_count++;
        gjkd_count_watch(stream->http->counters, true);
        gjkd_stream_mark(stream);
    }
}

void gjkd_stream_settle_watch(struct gjkd_stream *stream, const struct gjkd_stream_call *call) {
    struct gjkd_request *request = &call->exchange->request;
    if (request->head.method != GJKD_HEAD) {
        open_watch(stream, call);
    }
    gjkd_version_release(request->version);
    request->version = NULL;
    request->reply.watch = NULL;
}

void gjkd_stream_unwatch(struct gjkd_stream *stream, const struct gjkd_stream_call *call) {
    struct gjkd_request *request = &call->exchange->request;
    struct gjkd_stream_watch **at = find_watch(stream, call->id), *found = *at;
    request->reply = (gjkd_reply){.status = 204};
    if (found != NULL) {
        *at = found->next;
        gjkd_stream_free_watch(found);
    } else {
        gjkd_request_fail(request, PROTO_BAD_REQUEST, "no call of this id watches");
    }
}

void gjkd_stream_free_watch(struct gjkd_stream_watch *watch) {
    struct gjkd_stream *stream = watch->stream;
    gjkd_watch_close(watch->watch);
    gjkd_count_watch(stream->http->counters, false);
    stream->watch_count--;
    free(watch);
}
