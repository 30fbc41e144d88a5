/* What was, and what is stamped to be remembered? */

#include "columns.h"
#include "handle.h"
#include "rewind.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* /v1/sets/{set}/ticks/{tick} */
#define TICK_SEGMENT 4

static const char *tick_of(const struct gjkd_job *job) {
    return job->path.segments[TICK_SEGMENT].text;
}

static bool refuse_text(struct gjkd_job *job) {
    gjkd_job_fail(job, PROTO_BAD_REQUEST, "\"%.40s\" in the path is not a number", tick_of(job));
    return false;
}

static bool refuse_number(struct gjkd_job *job, const char *what) {
    gjkd_job_fail(job, PROTO_OUT_OF_RANGE, "a tick is %s from 0 to 9007199254740992", what);
    return false;
}

/* A decimal number, as JSON writes them. */
static bool read_decimal(struct gjkd_job *job, double *out) {
    const char *text = tick_of(job);
    char *end = NULL;
    *out = strtod(text, &end);
    if (end == text || *end != '\0' || text[strspn(text, "0123456789.eE+-")] != '\0' ||
        *text == '+') {
        return refuse_text(job);
    }
    return (*out >= 0.0 && isfinite(*out)) || refuse_number(job, "a number");
}

/* A whole number, none of whose digits get lost. */
static bool read_whole(struct gjkd_job *job, uint64_t *out) {
    const char *text = tick_of(job);
    double decimal = 0.0;
    if (!read_decimal(job, &decimal)) {
        return false;
    }
    bool is_whole = text[strspn(text, "0123456789")] == '\0' && strlen(text) <= 18;
    *out = is_whole ? strtoull(text, NULL, 10) : UINT64_MAX;
    return *out <= (uint64_t)GJK_TICK_MAX || refuse_number(job, "a whole number");
}

void gjkd_handle_put_tick(struct gjkd_job *job) {
    struct gjkd_version *version = NULL;
    gjkd_stamp stamp = {0};
    if (!read_whole(job, &stamp.tick)) {
        return;
    }
    if (!gjkd_digest_make(job->body, job->body_bytes, &stamp.digest)) {
        gjkd_job_fail(job, PROTO_INTERNAL, "there is no SHA-256 to tell the tick by");
        return;
    }
    gjkd_outcome outcome =
        job->columns_in ? gjkd_columns_put_tick(job, &stamp, &version)
                        : gjkd_change_make(job, PROTO_PUT_TICK, NULL, &stamp, &version, NULL);
    if (outcome != GJKD_REFUSED) {
        gjkd_reply_summary(job, outcome == GJKD_REPEATED ? 200 : 201, version);
    }
    gjkd_version_release(version);
}

void gjkd_handle_get_ticks(struct gjkd_job *job) {
    if (job->version == NULL) {
        gjkd_reply_no_set(job);
    } else if (gjkd_may_read(job)) {
        const proto_ticks ticks = gjkd_version_ticks(job->version);
        struct proto_buffer out;
        proto_buffer_init(&out, &job->arena);
        proto_encode_ticks(&out, &ticks);
        gjkd_version_etag(job->version, job->reply.etag);
        gjkd_job_reply(job, 200, &out);
    }
}

static void reply_poses(struct gjkd_job *job, double tick, const gjk_moment *moment) {
    struct proto_buffer out;
    proto_buffer_init(&out, &job->arena);
    proto_encode_poses_begin(&out, tick);
    for (uint32_t i = 0; i < gjk_set_count(moment->set); i++) {
        const gjk_body *body = gjk_set_body(moment->set, i);
        gjk_turn turn;
        gjk_pose pose = gjk_moment_pose(moment, body, &turn);
        proto_encode_pose(&out, body->id, job->version->dimension, pose.position, &turn);
    }
    proto_encode_poses_end(&out);
    gjkd_version_etag(job->version, job->reply.etag);
    gjkd_job_reply(job, 200, &out);
}

void gjkd_handle_get_tick(struct gjkd_job *job) {
    gjk_rewound rewound;
    double tick = 0.0;
    if (job->version == NULL) {
        gjkd_reply_no_set(job);
    } else if (read_decimal(job, &tick) && gjkd_may_read(job)) {
        if (gjkd_rewind(job->version, tick, &rewound, &job->problem)) {
            reply_poses(job, tick, &rewound.moment);
        } else {
            gjkd_job_refuse(job);
        }
    }
}
