/* Ticks: stores the state of a set at a tick, and answers the poses at a stored tick. */

#include "handlers/batch.h"
#include "handlers/blocks.h"
#include "handlers/change.h"
#include "handlers/handlers.h"
#include "handlers/pose_tick.h"
#include "request/context.h"
#include "sets/kept_ticks.h"
#include "sets/version.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* /v1/sets/{set}/ticks/{tick} */
#define TICK_SEGMENT 4

#define DIGITS "0123456789"

static const char *tick_of(const struct gjkd_request *request) {
    return request->path.segments[TICK_SEGMENT].text;
}

static bool refuse_number(struct gjkd_request *request, const char *what) {
    return gjkd_request_fail(request, PROTO_OUT_OF_RANGE, "a tick is %s from 0 to 9007199254740992",
                             what);
}

/* Reads the tick in the path: decimal digits without a sign, an exponent or leading zeros, so that
 * each tick has one path. Returns false if the request is refused. */
static bool read_decimal(struct gjkd_request *request, double *out) {
    const char *text = tick_of(request);
    const size_t whole = strspn(text, DIGITS);
    const size_t part = text[whole] == '.' ? strspn(text + whole + 1, DIGITS) : 0;
    const size_t length = part > 0 ? whole + 1 + part : whole;
    if (whole == 0 || (text[0] == '0' && whole > 1) || text[length] != '\0') {
        return gjkd_request_fail(request, PROTO_ROUTE_NOT_FOUND,
                                 "\"%.40s\" in the path is not a tick: %s", text,
                                 "a decimal number without leading zeros");
    }
    *out = strtod(text, NULL);
    return isfinite(*out) || refuse_number(request, "a number");
}

/* Reads a whole tick, without loss of digits. Returns false if the request is refused. */
static bool read_whole(struct gjkd_request *request, uint64_t *out) {
    const char *text = tick_of(request);
    double decimal = 0.0;
    if (!read_decimal(request, &decimal)) {
        return false;
    }
    bool is_whole = text[strspn(text, DIGITS)] == '\0' && strlen(text) <= 18;
    *out = is_whole ? strtoull(text, NULL, 10) : UINT64_MAX;
    return *out <= (uint64_t)GJK_TICK_MAX || refuse_number(request, "a whole number");
}

/* Reads the tick that the request makes, and the digest of the body, by which a repeated request is
 * recognized. Returns false if the request is refused. */
static bool read_stamp(struct gjkd_request *request, gjkd_stamp *out) {
    if (!read_whole(request, &out->tick)) {
        return false;
    }
    return gjkd_digest_make(request->body, request->body_bytes, &out->digest) ||
           gjkd_request_fail(request, PROTO_INTERNAL, "there is no SHA-256 to tell the tick by");
}

/* Replies with the summary and, for a partial message, the rows whose shape does not exist. */
static void reply_tick(struct gjkd_request *request, int status, const struct gjkd_pose_tick *poses,
                       uint64_t tick, const struct gjkd_version *version) {
    uint32_t count;
    if (!poses->columns.partial.flag) {
        gjkd_reply_summary(request, status, version);
        return;
    }
    const uint32_t *rows = gjkd_pose_tick_unknown_rows(poses, tick, version, &count);
    const proto_summary summary = gjkd_version_summary(version);
    struct proto_buffer out;
    proto_buffer_init_blocks(&out, &request->arena);
    proto_encode_pose_summary(&out, &summary, rows, count);
    out.failed = out.failed || rows == NULL;
    gjkd_version_etag(version, request->reply.etag);
    gjkd_request_reply(request, status, &out);
}

static void put_columns(struct gjkd_request *request, const gjkd_stamp *stamp) {
    struct gjkd_version *version = NULL;
    struct gjkd_pose_tick poses = {.pointer = "", .request = request};
    const proto_source source = gjkd_block_source(request, 0);
    if (!gjkd_may_write(request, proto_decode_columns(&source, &proto_pose_columns_table,
                                                      &poses.columns.rows, poses.columns.fields))) {
        return;
    }
    gjkd_outcome outcome = gjkd_pose_tick_make(&poses, stamp, &version);
    if (outcome == GJKD_REFUSED) {
        gjkd_request_refuse(request);
    } else {
        reply_tick(request, outcome == GJKD_REPEATED ? 200 : 201, &poses, stamp->tick, version);
    }
    gjkd_version_release(version);
}

void gjkd_handle_put_tick(struct gjkd_request *request) {
    struct gjkd_version *version = NULL;
    gjkd_stamp stamp = {0};
    if (!read_stamp(request, &stamp)) {
        return;
    }
    if (request->columns_in) {
        put_columns(request, &stamp);
        return;
    }
    gjkd_outcome outcome = gjkd_change_make(request, PROTO_PUT_TICK, NULL, &stamp, &version, NULL);
    if (outcome != GJKD_REFUSED) {
        gjkd_reply_summary(request, outcome == GJKD_REPEATED ? 200 : 201, version);
    }
    gjkd_version_release(version);
}

/* Makes a tick and answers queries from the version that it makes. A malformed batch is refused
 * before the tick is made; errors and timeouts of queries are reported after it is made. */
void gjkd_handle_post_tick(struct gjkd_request *request) {
    struct gjkd_version *version = NULL;
    gjkd_stamp stamp = {0};
    if (!read_stamp(request, &stamp)) {
        return;
    }
    if (request->columns_in) {
        gjkd_blocks_post_tick(request, &stamp);
        return;
    }
    struct gjkd_batch *batch = gjkd_batch_open(request, true);
    if (batch == NULL) {
        return;
    }
    gjkd_outcome outcome = gjkd_change_try(request, PROTO_POST_TICK, NULL, &stamp, &version, NULL);
    if (outcome == GJKD_REFUSED) {
        gjkd_batch_close(batch); /* before a refusal, which may free its memory */
        if (request->problem.code != PROTO_OK) {
            gjkd_request_refuse(request);
        }
        return;
    }
    struct gjkd_version *seen = request->version;
    request->version = version;
    gjkd_version_etag(version, request->reply.etag);
    if (gjkd_batch_compare(batch, seen, stamp.tick)) {
        gjkd_batch_answer(batch, outcome == GJKD_REPEATED ? 200 : 201);
    }
    gjkd_version_release(seen);
}

void gjkd_handle_get_ticks(struct gjkd_request *request) {
    if (gjkd_may_read(request)) {
        const proto_ticks ticks = gjkd_version_ticks(request->version);
        struct proto_buffer out;
        proto_buffer_init(&out, &request->arena);
        proto_encode_ticks(&out, &ticks);
        gjkd_version_etag(request->version, request->reply.etag);
        gjkd_request_reply(request, 200, &out);
    }
}

static void reply_poses(struct gjkd_request *request, double tick, const gjk_rewound *rewound) {
    const gjk_snapshot *snapshot = &rewound->snapshot;
    struct proto_buffer out;
    proto_buffer_init_blocks(&out, &request->arena);
    proto_encode_poses_begin(&out, tick, rewound->is_gap);
    gjk_set_iterator bodies = gjk_set_iterate(snapshot->set, &request->budget);
    for (const gjk_body *body; (body = gjk_set_next(&bodies)) != NULL;) {
        const gjk_pose pose = gjk_snapshot_pose(snapshot, body);
        proto_encode_pose(&out, body->id, request->version->dimension, &pose);
    }
    if (gjk_budget_is_spent(&request->budget)) {
        gjkd_request_fail_late(request);
        return;
    }
    proto_encode_shapes_end(&out);
    gjkd_version_etag(request->version, request->reply.etag);
    gjkd_request_reply(request, 200, &out);
}

void gjkd_handle_get_tick(struct gjkd_request *request) {
    gjk_rewound rewound;
    double tick = 0.0;
    if (!read_decimal(request, &tick) || !gjkd_may_read(request)) {
        return;
    }
    if (gjkd_rewind(request->version, tick, &rewound, &request->problem)) {
        reply_poses(request, tick, &rewound);
    } else {
        gjkd_request_refuse(request);
    }
}
