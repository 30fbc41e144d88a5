/*
 * Ticks as columns of poses. Every row moves the shape of its handle,
 * as a patch with the members of its pose would. The message is decoded before the set's writer
 * lock is taken; only the handles are looked up under it.
 */

#include "handlers/columns.h"

#include "handlers/change.h"
#include "proto/columns.h"
#include "request/context.h"

#include <stdlib.h>
#include <string.h>

struct poses {
    proto_pose_rows columns;
    struct gjk_arena *arena;
};

static int compare_handles(const void *a, const void *b) {
    uint32_t p = *(const uint32_t *)a;
    uint32_t q = *(const uint32_t *)b;
    return p < q ? -1 : p > q;
}

static int compare_ids(const void *a, const void *b) {
    return strcmp(((const proto_edit *)a)->id, ((const proto_edit *)b)->id);
}

/* The handles that jump, in their order. NULL: out of memory. */
static const uint32_t *sort_jumps(const struct poses *poses) {
    uint32_t count = poses->columns.teleport.count;
    uint32_t *sorted = gjk_arena_alloc_array(poses->arena, count, sizeof *sorted);
    if (sorted != NULL && count > 0) {
        memcpy(sorted, poses->columns.teleport.uints, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, compare_handles);
    }
    return sorted;
}

static proto_edit move(const proto_pose_rows *columns, uint32_t row, const gjk_body *body) {
    proto_place place = gjkd_stored_view(body).place;
    place.has_position = true;
    place.pose.position = columns->poses[row].position;
    if (columns->turns != NULL) {
        place.has_rotation = true;
        gjk_pose_turn_as(&place.pose, &columns->poses[row]);
        place.turn = columns->turns[row];
    }
    return (proto_edit){.id = body->id, .kind = PROTO_EDIT_MOVE, .place = place, .self = body};
}

static bool refuse_dimension(const struct poses *poses, const struct gjkd_version *current,
                             struct proto_problem *problem) {
    proto_problem_set(problem, PROTO_DIMENSION_MISMATCH, "the set is %uD, the message %uD",
                      current->dimension, poses->columns.rows.dimension);
    return proto_problem_point(problem, "/dimension");
}

static bool refuse_handle(const struct poses *poses, uint32_t row, struct proto_problem *problem) {
    char pointer[32];
    snprintf(pointer, sizeof pointer, "/handle/%u", row);
    proto_problem_set(problem, PROTO_SHAPE_NOT_FOUND, "no shape of the set has the handle %u",
                      poses->columns.handle.uints[row]);
    return proto_problem_point(problem, pointer);
}

static bool derive(void *user, const struct gjkd_version *current, proto_edits *out,
                   struct proto_problem *problem) {
    const struct poses *poses = user;
    const proto_pose_rows *columns = &poses->columns;
    if (columns->rows.dimension != current->dimension) {
        return refuse_dimension(poses, current, problem);
    }
    const uint32_t *jumps = sort_jumps(poses);
    proto_edit *edits = gjk_arena_alloc_array(poses->arena, columns->rows.count, sizeof *edits);
    if (jumps == NULL || edits == NULL) {
        return proto_problem_set(problem, PROTO_OUT_OF_MEMORY, "no memory for the tick");
    }
    uint32_t count = 0;
    for (uint32_t row = 0; row < columns->rows.count; row++) {
        const uint32_t *handle = &columns->handle.uints[row];
        const gjk_body *body = gjk_set_find_handle(current->set, *handle);
        if (body == NULL && columns->partial.flag) {
            continue;
        }
        if (body == NULL) {
            return refuse_handle(poses, row, problem);
        }
        edits[count] = move(columns, row, body);
        edits[count++].teleport =
            bsearch(handle, jumps, columns->teleport.count, sizeof *jumps, compare_handles) != NULL;
    }
    if (count > 1) {
        qsort(edits, count, sizeof *edits, compare_ids);
    }
    *out = (proto_edits){.items = edits, .count = count};
    return true;
}

/* Replies with the summary, and for a partial message with its rows that the tick has no shape of.
 * They are read from the tick itself, so that a repeated request has the same answer. */
static void reply(struct gjkd_request *request, int status, const struct poses *poses,
                  uint64_t tick, const struct gjkd_version *version) {
    const proto_pose_rows *columns = &poses->columns;
    const struct gjk_set *set = version->set;
    gjk_rewound rewound;
    if (!columns->partial.flag) {
        gjkd_reply_summary(request, status, version);
        return;
    }
    if (version->history != NULL &&
        gjk_history_at(version->history, (double)tick, &rewound) == GJK_REWIND_OK) {
        set = rewound.snapshot.set;
    }
    const proto_summary summary = gjkd_version_summary(version);
    struct proto_buffer out;
    proto_buffer_init_blocks(&out, &request->arena);
    proto_encode_pose_summary_begin(&out, &summary);
    for (uint32_t row = 0; row < columns->rows.count; row++) {
        if (gjk_set_find_handle(set, columns->handle.uints[row]) == NULL) {
            proto_encode_unknown_row(&out, row);
        }
    }
    proto_encode_pose_summary_end(&out);
    gjkd_version_etag(version, request->reply.etag);
    gjkd_request_reply(request, status, &out);
}

void gjkd_columns_put_tick(struct gjkd_request *request, const gjkd_stamp *stamp) {
    struct gjkd_version *version = NULL;
    struct poses poses = {.arena = &request->arena};
    const proto_source source = {gjkd_request_text(request), 0, &request->context->limits,
                                 &request->arena, &request->problem};
    if (!proto_decode_pose_rows(&source, &poses.columns)) {
        gjkd_request_refuse(request);
        return;
    }
    gjkd_request_mark_decoded(request);
    if (!gjkd_request_claim(request)) {
        return; /* the client has been told that time is up: change nothing */
    }
    const gjkd_write write = gjkd_write_make(request);
    const gjkd_deriver deriver = {derive, &poses, false};
    gjkd_outcome outcome = gjkd_commit_tick(&write, stamp, &deriver, &version);
    if (outcome == GJKD_REFUSED) {
        gjkd_request_refuse(request);
    } else {
        reply(request, outcome == GJKD_REPEATED ? 200 : 201, &poses, stamp->tick, version);
    }
    gjkd_version_release(version);
}
