/*
 * Whole sets. Decoding is done before the writer lock is taken; what the
 * lock decides is in commit.c.
 */

#include "handlers/change.h"
#include "handlers/handlers.h"
#include "handlers/set_stream.h"
#include "request/context.h"

#include <stdio.h>
#include <string.h>

/* Summaries on one page where the request names no number. */
#define PAGE_DEFAULT 1000

/* --- GET /v1/sets --- */

/* Names must begin with what was asked for and with what the token is for: the longer of the
 * two, if it begins with the other. NULL: no name does. */
static const char *list_prefix(const struct gjkd_request *request) {
    const char *asked = request->params.prefix != NULL ? request->params.prefix : "";
    const char *granted = request->grant.set_prefix;
    if (strncmp(asked, granted, strlen(granted)) == 0) {
        return asked;
    }
    return strncmp(granted, asked, strlen(asked)) == 0 ? granted : NULL;
}

void gjkd_handle_list_sets(struct gjkd_request *request) {
    const gjkd_params *params = &request->params;
    const char *cursor = params->cursor;
    if (cursor != NULL && !proto_is_set_name(cursor, strlen(cursor))) {
        gjkd_request_fail(request, PROTO_BAD_REQUEST, "the cursor is not one that an answer gave");
        return;
    }
    uint64_t most = request->context->limits.sets_max; /* there are no more */
    uint64_t limit = params->limit > 0 ? params->limit : PAGE_DEFAULT;
    limit = limit < most ? limit : most;
    struct gjkd_version **page = gjk_arena_alloc_array(&request->arena, limit, sizeof *page);
    proto_summary *summaries = gjk_arena_alloc_array(&request->arena, limit, sizeof *summaries);
    if (page == NULL || summaries == NULL) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the list");
        return;
    }
    bool more = false;
    const char *prefix = list_prefix(request);
    size_t count = prefix == NULL ? 0
                                  : gjkd_registry_list(request->context->registry, prefix, cursor,
                                                       limit, page, &more);
    for (size_t i = 0; i < count; i++) {
        summaries[i] = gjkd_version_summary(page[i]);
    }
    struct proto_buffer body;
    proto_buffer_init_blocks(&body, &request->arena);
    proto_encode_set_list(&body, summaries, count, more ? summaries[count - 1].name : NULL);
    for (size_t i = 0; i < count; i++) {
        gjkd_version_release(page[i]);
    }
    gjkd_request_reply(request, 200, &body);
}

/* --- GET /v1/sets/{set} --- */

static void reply_set(struct gjkd_request *request) {
    const struct gjkd_version *version = request->version;
    gjkd_version_etag(version, request->reply.etag);
    if (version->body_bytes > GJKD_STREAMED_BYTES) {
        gjkd_set_stream_reply(request);
        return;
    }
    proto_set_head head = {
        .summary = gjkd_version_summary(version),
        .has_history = version->has_history,
        .history_ticks = version->history_ticks,
        .meta = version->meta,
    };
    struct proto_buffer body;
    proto_buffer_init_blocks(&body, &request->arena);
    proto_encode_set_begin(&body, &head);
    gjk_set_iterator bodies = gjk_set_iterate(version->set, &request->budget);
    for (const gjk_body *shape; (shape = gjk_set_next(&bodies)) != NULL;) {
        const proto_stored stored = gjkd_stored_view(shape);
        proto_encode_set_shape(&body, shape->id, version->dimension, &stored, shape->handle);
    }
    if (gjk_budget_is_spent(&request->budget)) {
        gjkd_request_fail_late(request);
        return;
    }
    proto_encode_set_end(&body);
    gjkd_request_reply(request, 200, &body);
}

void gjkd_handle_get_set(struct gjkd_request *request) {
    if (request->version == NULL) {
        gjkd_reply_no_set(request);
    } else if (gjkd_may_read(request)) {
        if (request->params.summary) {
            gjkd_reply_summary(request, 200, request->version);
        } else {
            reply_set(request);
        }
    }
}

/* --- PUT, PATCH and DELETE /v1/sets/{set} --- */

static bool has_good_name(struct gjkd_request *request) {
    if (proto_is_set_name(request->match.variable.text, request->match.variable.length)) {
        return true;
    }
    gjkd_request_fail(request, PROTO_BAD_NAME,
                      "a set's name has the form [A-Za-z0-9][A-Za-z0-9._~-]{0,127}");
    return false;
}

void gjkd_handle_put_set(struct gjkd_request *request) {
    const gjkd_write write = gjkd_write_make(request);
    proto_set set;
    if (!has_good_name(request)) {
        return;
    }
    if (!proto_decode_set(gjkd_request_text(request), write.name, &request->context->limits,
                          &request->arena, &set, &request->problem)) {
        gjkd_request_refuse(request);
        return;
    }
    gjkd_request_mark_decoded(request);
    if (!gjkd_request_claim(request)) {
        return; /* the client has been told that time is up: change nothing */
    }
    struct gjkd_version *version = NULL;
    gjkd_outcome outcome = gjkd_commit_put(&write, &set, &version);
    if (outcome == GJKD_REFUSED) {
        gjkd_request_refuse(request);
        return;
    }
    gjkd_reply_summary(request, outcome == GJKD_CREATED ? 201 : 200, version);
    gjkd_version_release(version);
}

void gjkd_handle_patch_set(struct gjkd_request *request) {
    struct gjkd_version *version = NULL;
    if (gjkd_change_make(request, PROTO_PATCH_SET, NULL, NULL, &version, NULL) != GJKD_REFUSED) {
        gjkd_reply_summary(request, 200, version);
    }
    gjkd_version_release(version);
}

void gjkd_handle_delete_set(struct gjkd_request *request) {
    const gjkd_write write = gjkd_write_make(request);
    if (!gjkd_request_claim(request)) {
        return;
    }
    if (!gjkd_commit_delete(&write)) {
        gjkd_request_refuse(request);
        return;
    }
    request->reply.status = 204;
}
