/*
 * What does a request's head alone decide? One check after the other, in an order that tells
 * a client nothing before it is known who asks: framing, host, route, rate, token, and only
 * then whether the operation takes the request as it is. The first that refuses ends it.
 */

#include "forwarded.h"
#include "guard.h"
#include "job.h"
#include "media.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void find_request_id(struct gjkd_job *job) {
    const char *given = job->head.request_id;
    if (given != NULL && gjkd_is_request_id(given)) {
        memcpy(job->request_id, given, strlen(given) + 1);
    } else {
        gjkd_request_id_make(job->request_id);
    }
}

static void check_framing(struct gjkd_job *job) {
    if (job->head.fault != NULL) {
        gjkd_job_fail(job, PROTO_BAD_REQUEST, "%s", job->head.fault);
        job->reply.close = true;
    }
}

static void check_sizes(struct gjkd_job *job) {
    if (strlen(job->target) > GJKD_TARGET_BYTES_MAX) {
        gjkd_job_fail(job, PROTO_URI_TOO_LONG, "path and parameters have more than %d bytes",
                      GJKD_TARGET_BYTES_MAX);
    } else if (job->head.field_bytes > GJKD_FIELD_BYTES_MAX) {
        gjkd_job_fail(job, PROTO_HEADERS_TOO_LARGE,
                      "the header fields have more than %d bytes, %d counted for each besides "
                      "its text",
                      GJKD_FIELD_BYTES_MAX, GJKD_FIELD_OVERHEAD_BYTES);
    }
}

/* A target may be absolute (http://host/path); its host then counts instead of the field. */
static void split_authority(struct gjkd_job *job) {
    bool plain = strncmp(job->target, "http://", 7) == 0;
    if (!plain && strncmp(job->target, "https://", 8) != 0) {
        return;
    }
    char *authority = job->target + (plain ? 7 : 8);
    size_t length = strcspn(authority, "/?");
    const char *host = gjk_arena_copy_text(&job->arena, authority, length);
    if (host == NULL) {
        gjkd_job_fail(job, PROTO_OUT_OF_MEMORY, "no memory for the host's name");
        return;
    }
    job->head.host = host;
    job->target = authority + length;
}

static void find_route(struct gjkd_job *job) {
    job->query = strchr(job->target, '?');
    if (job->query != NULL) {
        *job->query++ = '\0';
    }
    gjkd_path_status status = gjkd_path_parse(job->target, &job->path);
    if (status == GJKD_PATH_MALFORMED) {
        gjkd_job_fail(job, PROTO_BAD_REQUEST, "the path is not well-formed");
        return;
    }
    if (status == GJKD_PATH_OK) {
        gjkd_route_find(job->head.method, &job->path, &job->match);
    }
}

static void check_route(struct gjkd_job *job) {
    if (job->match.route == GJKD_ROUTE_NONE) {
        gjkd_job_fail(job, PROTO_ROUTE_NOT_FOUND, "no operation has this path");
    } else if (job->match.operation == NULL) {
        gjkd_job_fail(job, PROTO_METHOD_NOT_ALLOWED, "this path takes %s", job->match.allow);
        job->reply.allow = job->match.allow;
    }
}

static void answer_preflight(struct gjkd_job *job) {
    bool asked = job->context->config->cors_origins.count > 0;
    if (asked && gjkd_cors_is_preflight(&job->head) && job->match.route != GJKD_ROUTE_NONE) {
        job->reply.status = 204;
    }
}

static void check_params(struct gjkd_job *job) {
    char error[GJKD_PARAM_ERROR_MAX];
    if (!gjkd_params_parse(job->query, job->match.operation->params, &job->params, error)) {
        gjkd_job_fail(job, PROTO_BAD_REQUEST, "%s", error);
    }
}

/* Which form does the client want? The request's, where Accept has no other preference. */
static bool choose_form(struct gjkd_job *job) {
    const char *accept = job->head.accept;
    int json = gjkd_accept_weight(accept, GJKD_TYPE_JSON);
    int short_name = gjkd_accept_weight(accept, GJKD_TYPE_PROTOBUF);
    int long_name = gjkd_accept_weight(accept, GJKD_TYPE_X_PROTOBUF);
    int columns = short_name > long_name ? short_name : long_name;
    if (!(job->match.operation->flags & GJKD_ANSWERS_COLUMNS)) {
        /* Who sends columns and wants them always gets the summary of a tick all the same. */
        return json > 0 || (job->columns_in && columns > 0);
    }
    if (columns > json || (columns == json && job->columns_in)) {
        bool is_short = short_name > long_name ||
                        (short_name == long_name && gjkd_is_short_name(job->head.content_type));
        job->columns_out = is_short ? GJKD_TYPE_PROTOBUF : GJKD_TYPE_X_PROTOBUF;
    }
    return columns > 0 || json > 0;
}

static bool is_text(const char *type, unsigned flags) {
    return gjkd_is_text_type(type, GJKD_TYPE_JSON) ||
           ((flags & GJKD_TAKES_PATCH) && gjkd_is_text_type(type, GJKD_TYPE_MERGE_PATCH));
}

static void check_media(struct gjkd_job *job) {
    unsigned flags = job->match.operation->flags;
    const char *type = job->head.content_type;
    bool has_body = (flags & GJKD_TAKES_BODY) && gjkd_head_has_body(&job->head);
    bool may_be_columns = (flags & GJKD_TAKES_COLUMNS) != 0;
    job->columns_in = may_be_columns && gjkd_is_columns_type(type);
    if (!(flags & GJKD_ANSWERS_ANY) && !choose_form(job)) {
        gjkd_job_fail(job, PROTO_NOT_ACCEPTABLE, "the answer is application/json%s",
                      (flags & GJKD_ANSWERS_COLUMNS) ? " or application/x-protobuf" : "");
    } else if (has_body && !job->columns_in && !is_text(type, flags)) {
        gjkd_job_fail(job, PROTO_UNSUPPORTED_MEDIA_TYPE,
                      "send the body with Content-Type: application/json%s",
                      may_be_columns ? " or application/x-protobuf" : "");
    } else if (has_body && job->head.encoded) {
        gjkd_job_fail(job, PROTO_UNSUPPORTED_MEDIA_TYPE,
                      "send the body as it is, without Content-Encoding");
    }
}

static void check_timeout(struct gjkd_job *job) {
    const char *text = job->head.timeout_ms;
    if (text == NULL) {
        return;
    }
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 15 || text[digits] != '\0') {
        gjkd_job_fail(job, PROTO_BAD_REQUEST, "Gjkd-Timeout-Ms is a whole number of milliseconds");
        return;
    }
    uint64_t timeout_ms = strtoull(text, NULL, 10);
    if (timeout_ms < job->context->config->request_timeout_ms) {
        job->deadline_ns = job->timing.started_ns + timeout_ms * 1000000;
    }
}

/* Until all sets are there nobody is told that one is not. */
static void check_loading(struct gjkd_job *job) {
    if (!(job->match.operation->flags & GJKD_ANSWERS_ANY) && gjkd_is_loading(job->context)) {
        gjkd_job_fail(job, PROTO_NOT_READY, "the daemon is still loading its sets");
    }
}

static void check_length(struct gjkd_job *job) {
    if (gjkd_job_is_too_long(job)) {
        gjkd_job_refuse_length(job);
    }
}

/* What the head says of who asks, kept where a refusal does not clear it. */
static void note_for_log(struct gjkd_job *job) {
    job->client = gjkd_forwarded_client(&job->peer, job->head.forwarded_for,
                                        &job->context->config->trusted_proxies);
    snprintf(job->holder, sizeof job->holder, "%s", job->grant.holder);
}

void gjkd_job_begin(struct gjkd_job *job) {
    static void (*const checks[])(struct gjkd_job *) = {
        check_framing,
        check_sizes,
        split_authority,
        gjkd_guard_check_host,
        find_route,
        answer_preflight,
        gjkd_guard_check_address_rate,
        gjkd_guard_check_token,
        check_route,
        gjkd_guard_check_access,
        gjkd_guard_check_token_rate,
        check_params,
        check_media,
        check_timeout,
        check_length,
        check_loading,
    };
    find_request_id(job);
    job->cors = gjkd_cors_make(&job->context->config->cors_origins, &job->head);
    for (size_t i = 0; i < sizeof checks / sizeof checks[0] && job->reply.status == 0; i++) {
        checks[i](job);
    }
    if (job->context->config->access_log) {
        note_for_log(job);
    }
    if (job->reply.status != 0 && gjkd_job_is_too_long(job)) {
        job->reply.close = true; /* rather than read all that for nothing */
    }
}
