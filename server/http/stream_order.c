/*
 * Calls run side by side, but one on a set begins after all writes to that set that came before it.
 * A call whose body may name other sets, too, waits for all writes before it: its body is looked
 * through for the members that name sets, and not decoded. Waiting in vain does no harm, so sets
 * are told apart by a hash.
 */

#define _GNU_SOURCE /* memmem */

#include "http/stream.h"

#include <string.h>

/* FNV-1a, never 0. */
static uint32_t hash_of(const char *name) {
    uint32_t hash = 2166136261u;
    for (; *name != '\0'; name++) {
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    }
    return hash != 0 ? hash : 1;
}

static bool has_text(const struct gjkd_request *request, const char *text) {
    return memmem(request->body, request->body_bytes, text, strlen(text)) != NULL;
}

/* Does the body, of a question to a set, name others? `against` and `obstacles` do, also where a
 * letter of them is escaped; columns of hits have no names, and what is packed cannot be seen. */
static bool may_name_sets(const struct gjkd_request *request) {
    if (request->body == NULL) {
        return false;
    }
    return request->head.gzipped ||
           (request->columns_in && request->match.operation->op == PROTO_OP_HIT) ||
           has_text(request, "against") || has_text(request, "obstacles") ||
           has_text(request, "\\u");
}

void gjkd_stream_note_order(struct gjkd_stream *stream, struct gjkd_stream_call *call) {
    const struct gjkd_request *request = &call->exchange->request;
    const struct gjkd_operation *operation = request->match.operation;
    if (request->reply.status != 0 || operation == NULL ||
        strncmp(operation->path, "/v1/sets", 8) != 0) {
        return;
    }
    const gjkd_method method = operation->method;
    const bool is_list = operation->path[8] == '\0';
    call->set = is_list ? 0 : hash_of(request->match.variable.text);
    call->is_write = method == GJKD_PUT || method == GJKD_PATCH || method == GJKD_DELETE ||
                     (operation->flags & GJKD_WRITES) != 0;
    call->reads_others =
        stream->writes > 0 && (is_list || (method == GJKD_POST && may_name_sets(request)));
    stream->writes += call->is_write ? 1 : 0;
}

/* --- Who waits --- */

#define WRITTEN_BITS 4096U

/* What stands before a call on its stream and is not answered. */
struct before {
    uint64_t written[WRITTEN_BITS / 64]; /* hashes of sets that are written */
    bool has_writes;
};

static void note_written(struct before *before, uint32_t set) {
    before->written[set % WRITTEN_BITS / 64] |= UINT64_C(1) << set % 64;
    before->has_writes = true;
}

static bool is_written(const struct before *before, uint32_t set) {
    return (before->written[set % WRITTEN_BITS / 64] >> set % 64 & 1) != 0;
}

/* Whether a call to watch, of this id, is not answered. */
static bool is_being_watched(const struct gjkd_stream *stream,
                             const struct gjkd_stream_call *call) {
    const struct gjkd_stream_call *at = stream->first;
    while (at != call && !(at->is_watch && at->id == call->id)) {
        at = at->next;
    }
    return at != call;
}

static bool must_wait(const struct gjkd_stream *stream, const struct before *before,
                      const struct gjkd_stream_call *call) {
    if (call->is_unwatch) {
        return is_being_watched(stream, call);
    }
    return (call->reads_others && before->has_writes) ||
           (call->set != 0 && is_written(before, call->set));
}

void gjkd_stream_begin_calls(struct gjkd_stream *stream) {
    struct before before = {.has_writes = false};
    struct gjkd_stream_call *next;
    for (struct gjkd_stream_call *at = stream->first; at != NULL; at = next) {
        const bool is_write = at->is_write, begins = !at->has_begun;
        const uint32_t set = at->set;
        const unsigned calls = stream->calls;
        next = at->next;
        if (stream->begun < GJKD_STREAM_CALLS_MAX && begins && !must_wait(stream, &before, at)) {
            gjkd_stream_run_call(stream, at);
        }
        if (is_write && stream->calls == calls) { /* it is not answered */
            note_written(&before, set);
        }
    }
}
