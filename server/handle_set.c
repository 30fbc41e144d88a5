/*
 * What happens to whole sets? Decoding is done before the writer lock is taken; what the
 * lock decides is in commit.c.
 */

#include "commit.h"
#include "handle.h"
#include "job.h"

#include <stdio.h>
#include <string.h>

/* Summaries on one page, however many were asked for. */
#define PAGE_MAX 1000

static void fail_set_not_found(struct gjkd_job *job) {
    gjkd_job_fail(job, PROTO_SET_NOT_FOUND, "there is no set \"%.160s\"", job->match.variable.text);
}

static void reply_summary(struct gjkd_job *job, int status, const struct gjkd_version *version) {
    proto_summary summary = gjkd_version_summary(version);
    struct proto_buffer body;
    proto_buffer_init(&body, &job->arena);
    proto_encode_summary(&body, &summary);
    gjkd_version_etag(version, job->reply.etag);
    gjkd_job_reply(job, status, &body);
}

/* --- GET /v1/sets --- */

/* Names must begin with what was asked for and with what the token is for: the longer of the
 * two, if it begins with the other. NULL: no name does. */
static const char *list_prefix(const struct gjkd_job *job) {
    const char *asked = job->params.prefix != NULL ? job->params.prefix : "";
    const char *granted = job->grant.set_prefix;
    if (strncmp(asked, granted, strlen(granted)) == 0) {
        return asked;
    }
    return strncmp(granted, asked, strlen(asked)) == 0 ? granted : NULL;
}

void gjkd_handle_list_sets(struct gjkd_job *job) {
    const gjkd_params *params = &job->params;
    const char *cursor = params->cursor;
    if (cursor != NULL && !proto_is_set_name(cursor, strlen(cursor))) {
        gjkd_job_fail(job, PROTO_BAD_REQUEST, "the cursor is not one that an answer gave");
        return;
    }
    size_t limit = PAGE_MAX;
    if ((params->given & GJKD_PARAM_LIMIT) && params->limit < PAGE_MAX) {
        limit = (size_t)params->limit;
    }
    struct gjkd_version **page = gjk_arena_alloc_array(&job->arena, limit, sizeof *page);
    proto_summary *summaries = gjk_arena_alloc_array(&job->arena, limit, sizeof *summaries);
    if (page == NULL || summaries == NULL) {
        gjkd_job_fail(job, PROTO_OUT_OF_MEMORY, "no memory for the list");
        return;
    }
    bool more = false;
    const char *prefix = list_prefix(job);
    size_t count = prefix == NULL ? 0
                                  : gjkd_registry_list(job->context->registry, prefix, cursor,
                                                       limit, page, &more);
    for (size_t i = 0; i < count; i++) {
        summaries[i] = gjkd_version_summary(page[i]);
    }
    struct proto_buffer body;
    proto_buffer_init(&body, &job->arena);
    proto_encode_set_list(&body, summaries, count, more ? summaries[count - 1].name : NULL);
    for (size_t i = 0; i < count; i++) {
        gjkd_version_release(page[i]);
    }
    gjkd_job_reply(job, 200, &body);
}

/* --- GET /v1/sets/{set} --- */

/* Answers 304, 412 or 400 where the preconditions say so. */
static bool may_read(struct gjkd_job *job) {
    char etag[GJKD_ETAG_MAX];
    gjkd_version_etag(job->version, etag);
    switch (gjkd_precondition_check(job->head.if_match, job->head.if_none_match, etag, true)) {
    case GJKD_PROCEED:
        return true;
    case GJKD_NOT_MODIFIED:
        job->reply.status = 304;
        memcpy(job->reply.etag, etag, sizeof etag);
        return false;
    case GJKD_PRECONDITION_FAILED:
        gjkd_job_fail(job, PROTO_REVISION_MISMATCH, "the set is not at the revision of If-Match");
        return false;
    case GJKD_PRECONDITION_UNCLEAR:
        break;
    }
    gjkd_job_fail(job, PROTO_BAD_REQUEST, "If-Match or If-None-Match holds no entity tags");
    return false;
}

static void reply_set(struct gjkd_job *job) {
    const struct gjkd_version *version = job->version;
    proto_set_head head = {
        .summary = gjkd_version_summary(version),
        .has_history = version->has_history,
        .history_ticks = version->history_ticks,
        .meta = version->meta,
    };
    struct proto_buffer body;
    proto_buffer_init(&body, &job->arena);
    proto_encode_set_begin(&body, &head);
    for (uint32_t i = 0; i < gjk_set_count(version->set); i++) {
        const gjk_body *shape = gjk_set_body(version->set, i);
        proto_encode_set_shape(&body, i == 0, shape->id, version->definitions[i], shape->handle);
    }
    proto_encode_set_end(&body);
    gjkd_version_etag(version, job->reply.etag);
    gjkd_job_reply(job, 200, &body);
}

void gjkd_handle_get_set(struct gjkd_job *job) {
    if (job->version == NULL) {
        fail_set_not_found(job);
    } else if (may_read(job)) {
        if (job->params.summary) {
            reply_summary(job, 200, job->version);
        } else {
            reply_set(job);
        }
    }
}

/* --- PUT and DELETE /v1/sets/{set} --- */

static void fail_commit(struct gjkd_job *job, gjkd_commit_status status) {
    uint64_t sets_max = job->context->limits.sets_max;
    switch (status) {
    case GJKD_COMMIT_PRECONDITION_FAILED:
        gjkd_job_fail(job, PROTO_REVISION_MISMATCH, "%s",
                      job->head.if_match != NULL ? "the set is not at the revision of If-Match"
                                                 : "the set exists already");
        break;
    case GJKD_COMMIT_PRECONDITION_UNCLEAR:
        gjkd_job_fail(job, PROTO_BAD_REQUEST, "If-Match or If-None-Match holds no entity tags");
        break;
    case GJKD_COMMIT_DIMENSION_MISMATCH:
        proto_problem_set(&job->problem, PROTO_DIMENSION_MISMATCH,
                          "the set that is stored has another dimension; delete it first");
        snprintf(job->problem.pointer, sizeof job->problem.pointer, "/dimension");
        gjkd_job_refuse(job);
        break;
    case GJKD_COMMIT_TOO_MANY_SETS:
        proto_problem_set(&job->problem, PROTO_TOO_MANY, "there are as many sets as there may be");
        job->problem.has_limit = true;
        job->problem.limit = sets_max;
        gjkd_job_refuse(job);
        break;
    case GJKD_COMMIT_HANDLES_USED_UP:
        gjkd_job_fail(job, PROTO_TOO_MANY,
                      "the set has given out every handle; delete it and make it again");
        break;
    case GJKD_COMMIT_NOT_FOUND:
        fail_set_not_found(job);
        break;
    default:
        gjkd_job_fail(job, PROTO_OUT_OF_MEMORY, "no memory for the set");
        break;
    }
}

void gjkd_handle_put_set(struct gjkd_job *job) {
    const char *name = job->match.variable.text;
    if (!proto_is_set_name(name, job->match.variable.length)) {
        gjkd_job_fail(job, PROTO_BAD_NAME,
                      "a set's name has the form [A-Za-z0-9][A-Za-z0-9._~-]{0,127}");
        return;
    }
    proto_set set;
    proto_text body = {job->body != NULL ? job->body : "", job->body_bytes};
    if (!proto_decode_set(body, name, &job->context->limits, &job->arena, &set, &job->problem)) {
        gjkd_job_refuse(job);
        return;
    }
    if (!gjkd_job_claim(job)) {
        return; /* the client has been told that time is up: change nothing */
    }
    struct gjkd_version *version = NULL;
    gjkd_commit_status status =
        gjkd_commit_put(job->context->registry, name, &set, job->head.if_match,
                        job->head.if_none_match, &version);
    if (version == NULL) {
        fail_commit(job, status);
        return;
    }
    reply_summary(job, status == GJKD_COMMIT_CREATED ? 201 : 200, version);
    gjkd_version_release(version);
}

void gjkd_handle_delete_set(struct gjkd_job *job) {
    if (!gjkd_job_claim(job)) {
        return;
    }
    gjkd_commit_status status = gjkd_commit_delete(job->context->registry, job->match.variable.text,
                                                   job->head.if_match, job->head.if_none_match);
    if (status != GJKD_COMMIT_DELETED) {
        fail_commit(job, status);
        return;
    }
    job->reply.status = 204;
}
