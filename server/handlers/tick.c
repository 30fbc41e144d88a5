/* Ticks: stamping the state of a set, and where everything stood at one. */

#include "handlers/change.h"
#include "handlers/columns.h"
#include "handlers/handlers.h"
#include "sets/rewind.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* /v1/sets/{set}/ticks/{tick} */
#define TICK_SEGMENT 4

static const char *tick_of(const struct gjkd_request *request) {
    return request->path.segments[TICK_SEGMENT].text;
}

static bool refuse_text(struct gjkd_request *request) {
    gjkd_request_fail(request, PROTO_BAD_REQUEST, "\"%.40s\" in the path is not a number",
                      tick_of(request));
    return false;
}

static bool refuse_number(struct gjkd_request *request, const char *what) {
    gjkd_request_fail(request, PROTO_OUT_OF_RANGE, "a tick is %s from 0 to 9007199254740992", what);
    return false;
}

/* A decimal number, as JSON writes them. */
static bool read_decimal(struct gjkd_request *request, double *out) {
    const char *text = tick_of(request);
    char *end = NULL;
    *out = strtod(text, &end);
    if (end == text || *end != '\0' || text[strspn(text, "0123456789.eE+-")] != '\0' ||
        *text == '+') {
        return refuse_text(request);
    }
    return (*out >= 0.0 && isfinite(*out)) || refuse_number(request, "a number");
}

/* A whole number, none of whose digits get lost. */
static bool read_whole(struct gjkd_request *request, uint64_t *out) {
    const char *text = tick_of(request);
    double decimal = 0.0;
    if (!read_decimal(request, &decimal)) {
        return false;
    }
    bool is_whole = text[strspn(text, "0123456789")] == '\0' && strlen(text) <= 18;
    *out = is_whole ? strtoull(text, NULL, 10) : UINT64_MAX;
    return *out <= (uint64_t)GJK_TICK_MAX || refuse_number(request, "a whole number");
}

void gjkd_handle_put_tick(struct gjkd_request *request) {
    struct gjkd_version *version = NULL;
    gjkd_stamp stamp = {0};
    if (!read_whole(request, &stamp.tick)) {
        return;
    }
    if (!gjkd_digest_make(request->body, request->body_bytes, &stamp.digest)) {
        gjkd_request_fail(request, PROTO_INTERNAL, "there is no SHA-256 to tell the tick by");
        return;
    }
    gjkd_outcome outcome = request->columns_in ? gjkd_columns_put_tick(request, &stamp, &version)
                                               : gjkd_change_make(request, PROTO_PUT_TICK, NULL,
                                                                  &stamp, &version, NULL);
    if (outcome != GJKD_REFUSED) {
        gjkd_reply_summary(request, outcome == GJKD_REPEATED ? 200 : 201, version);
    }
    gjkd_version_release(version);
}

void gjkd_handle_get_ticks(struct gjkd_request *request) {
    if (request->version == NULL) {
        gjkd_reply_no_set(request);
    } else if (gjkd_may_read(request)) {
        const proto_ticks ticks = gjkd_version_ticks(request->version);
        struct proto_buffer out;
        proto_buffer_init(&out, &request->arena);
        proto_encode_ticks(&out, &ticks);
        gjkd_version_etag(request->version, request->reply.etag);
        gjkd_request_reply(request, 200, &out);
    }
}

static void reply_poses(struct gjkd_request *request, double tick, const gjk_snapshot *snapshot) {
    struct proto_buffer out;
    proto_buffer_init_blocks(&out, &request->arena);
    proto_encode_poses_begin(&out, tick);
    for (uint32_t i = 0; i < gjk_set_count(snapshot->set); i++) {
        const gjk_body *body = gjk_set_body(snapshot->set, i);
        gjk_rotation turn;
        gjk_pose pose = gjk_snapshot_pose(snapshot, body, &turn);
        proto_encode_pose(&out, body->id, request->version->dimension, pose.position, &turn);
    }
    proto_encode_poses_end(&out);
    gjkd_version_etag(request->version, request->reply.etag);
    gjkd_request_reply(request, 200, &out);
}

void gjkd_handle_get_tick(struct gjkd_request *request) {
    gjk_rewound rewound;
    double tick = 0.0;
    if (request->version == NULL) {
        gjkd_reply_no_set(request);
    } else if (read_decimal(request, &tick) && gjkd_may_read(request)) {
        if (gjkd_rewind(request->version, tick, &rewound, &request->problem)) {
            reply_poses(request, tick, &rewound.snapshot);
        } else {
            gjkd_request_refuse(request);
        }
    }
}
