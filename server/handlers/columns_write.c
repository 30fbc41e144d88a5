/*
 * Ticks as columns of poses, and shapes as columns, which PUT takes where they are too large for
 * JSON. A message is decoded, and a shape made, before the set's writer lock is taken; only handles
 * and ids are looked up under it.
 */

#include "handlers/change.h"
#include "handlers/columns.h"
#include "request/context.h"
#include "sets/feed.h"

#include <stdlib.h>

static bool check_dimension(const struct gjkd_version *current, uint32_t dimension,
                            const char *place, struct proto_problem *problem) {
    if (dimension == current->dimension) {
        return true;
    }
    proto_problem_set(problem, PROTO_DIMENSION_MISMATCH, "the set is %uD, the message %uD",
                      current->dimension, dimension);
    char pointer[32];
    snprintf(pointer, sizeof pointer, "%s/dimension", place);
    return proto_problem_point(problem, pointer);
}

/* Refuses a message that is not decoded. Returns false also if time is up: nothing may change
 * then. */
static bool may_write(struct gjkd_request *request, bool is_decoded) {
    if (!is_decoded) {
        gjkd_request_refuse(request);
        return false;
    }
    gjkd_request_mark_decoded(request);
    return gjkd_request_claim(request);
}

/* --- Ticks --- */

static proto_edit move(const proto_pose_columns *columns, uint32_t row, const gjk_body *body) {
    proto_place place = gjkd_stored_view(body).place;
    place.has_position = true;
    place.pose.position = columns->rows.poses[row].position;
    if (columns->rows.turns != NULL) {
        place.has_rotation = true;
        gjk_pose_turn_as(&place.pose, &columns->rows.poses[row]);
        place.turn = columns->rows.turns[row];
    }
    return (proto_edit){.id = body->id, .kind = PROTO_EDIT_MOVE, .place = place, .self = body};
}

/* Makes an edit of each row. Every row moves the shape of its handle, as a patch with the members
 * of its pose would. */
static bool derive_tick(void *user, const struct gjkd_version *current, proto_edits *out,
                        struct proto_problem *problem) {
    const struct gjkd_pose_tick *poses = user;
    const proto_pose_columns *columns = &poses->columns;
    const uint32_t rows = columns->rows.count, jump_count = columns->teleport.count;
    if (!check_dimension(current, columns->rows.dimension, poses->place, problem)) {
        return false;
    }
    struct gjk_arena *arena = &poses->request->arena;
    uint32_t *jumps = gjk_arena_alloc_array(arena, jump_count, sizeof *jumps);
    proto_edit *edits = gjk_arena_alloc_array(arena, rows, sizeof *edits);
    const gjk_body **bodies = gjk_arena_alloc_array(arena, rows, sizeof *bodies);
    if (jumps == NULL || edits == NULL || bodies == NULL) {
        return proto_problem_set(problem, PROTO_OUT_OF_MEMORY, "no memory for the tick");
    }
    if (jump_count > 0) {
        memcpy(jumps, columns->teleport.uints, jump_count * sizeof *jumps);
        qsort(jumps, jump_count, sizeof *jumps, gjkd_compare_handles);
    }
    gjk_set_find_handles(current->set, columns->handle.uints, rows, bodies);
    uint32_t count = 0;
    bool is_sorted = true; /* mostly, as handles are given in the order of ids */
    for (uint32_t row = 0; row < rows; row++) {
        const uint32_t *handle = &columns->handle.uints[row];
        if (bodies[row] != NULL) {
            edits[count] = move(columns, row, bodies[row]);
            is_sorted = is_sorted &&
                        (count == 0 || proto_compare_edits(&edits[count - 1], &edits[count]) < 0);
            edits[count++].teleport =
                bsearch(handle, jumps, jump_count, sizeof *jumps, gjkd_compare_handles) != NULL;
        } else if (!columns->partial.flag) {
            char pointer[48];
            snprintf(pointer, sizeof pointer, "%s/handle/%u", poses->place, row);
            proto_problem_set(problem, PROTO_SHAPE_NOT_FOUND,
                              "no shape of the set has the handle %u", *handle);
            return proto_problem_point(problem, pointer);
        }
    }
    if (!is_sorted) {
        qsort(edits, count, sizeof *edits, proto_compare_edits);
    }
    *out = (proto_edits){.items = edits, .count = count};
    return poses->check == NULL || poses->check(poses->user, current, problem);
}

const uint32_t *gjkd_columns_unknown_rows(const struct gjkd_pose_tick *poses, uint64_t tick,
                                          const struct gjkd_version *version, uint32_t *count) {
    const proto_pose_columns *columns = &poses->columns;
    const struct gjk_set *set = version->set;
    gjk_rewound rewound;
    uint32_t *rows =
        gjk_arena_alloc_array(&poses->request->arena, columns->rows.count, sizeof *rows);
    if (version->history != NULL &&
        gjk_history_at(version->history, (double)tick, &rewound) == GJK_REWIND_OK) {
        set = rewound.snapshot.set;
    }
    *count = 0;
    for (uint32_t row = 0; rows != NULL && row < columns->rows.count; row++) {
        if (gjk_set_find_handle(set, columns->handle.uints[row]) == NULL) {
            rows[(*count)++] = row;
        }
    }
    return rows;
}

/* Replies with the summary, and for a partial message with its rows that the tick has no shape
 * of. */
static void reply_poses(struct gjkd_request *request, int status,
                        const struct gjkd_pose_tick *poses, uint64_t tick,
                        const struct gjkd_version *version) {
    uint32_t count;
    if (!poses->columns.partial.flag) {
        gjkd_reply_summary(request, status, version);
        return;
    }
    const uint32_t *rows = gjkd_columns_unknown_rows(poses, tick, version, &count);
    const proto_summary summary = gjkd_version_summary(version);
    struct proto_buffer out;
    proto_buffer_init_blocks(&out, &request->arena);
    proto_encode_pose_summary_begin(&out, &summary);
    for (uint32_t i = 0; i < count; i++) {
        proto_encode_unknown_row(&out, rows[i]);
    }
    proto_encode_pose_summary_end(&out);
    out.failed = out.failed || rows == NULL;
    gjkd_version_etag(version, request->reply.etag);
    gjkd_request_reply(request, status, &out);
}

gjkd_outcome gjkd_columns_make_tick(struct gjkd_pose_tick *poses, const gjkd_stamp *stamp,
                                    struct gjkd_version **out) {
    const gjkd_write write = gjkd_write_make(poses->request);
    const gjkd_deriver deriver = {derive_tick, poses, false};
    return gjkd_commit_tick(&write, stamp, &deriver, out);
}

void gjkd_columns_put_tick(struct gjkd_request *request, const gjkd_stamp *stamp) {
    struct gjkd_version *version = NULL;
    struct gjkd_pose_tick poses = {.place = "", .request = request};
    const proto_source source = {.body = gjkd_request_text(request),
                                 .limits = &request->context->limits,
                                 .arena = &request->arena,
                                 .problem = &request->problem};
    if (!may_write(request, proto_decode_columns(&source, &proto_pose_columns_table,
                                                 &poses.columns.rows, poses.columns.fields))) {
        return;
    }
    gjkd_outcome outcome = gjkd_columns_make_tick(&poses, stamp, &version);
    if (outcome == GJKD_REFUSED) {
        gjkd_request_refuse(request);
    } else {
        reply_poses(request, outcome == GJKD_REPEATED ? 200 : 201, &poses, stamp->tick, version);
    }
    gjkd_version_release(version);
}

/* --- Shapes --- */

struct definition {
    proto_shape shape;
    proto_edit edit;
    const proto_limits *limits;
    bool was_there;
};

static bool derive_shape(void *user, const struct gjkd_version *current, proto_edits *out,
                         struct proto_problem *problem) {
    struct definition *definition = user;
    const uint64_t limit = definition->limits->shapes_per_set_max;
    if (!check_dimension(current, definition->shape.shape.dimension, "", problem)) {
        return false;
    }
    definition->edit.self = gjk_set_find(current->set, definition->edit.id);
    definition->was_there = definition->edit.self != NULL;
    *out = (proto_edits){.items = &definition->edit, .count = 1};
    if (definition->was_there || gjk_set_count(current->set) < limit) {
        return true;
    }
    proto_problem_set(problem, PROTO_TOO_MANY, "%u shapes, at most %llu are allowed",
                      gjk_set_count(current->set) + 1, (unsigned long long)limit);
    return proto_problem_limit(problem, limit);
}

gjkd_outcome gjkd_columns_put_shape(struct gjkd_request *request, const char *id,
                                    struct gjkd_version **out, bool *was_there) {
    struct definition definition = {.edit = {.id = id, .kind = PROTO_EDIT_DEFINE},
                                    .limits = &request->context->limits};
    definition.edit.shape = &definition.shape;
    if (!may_write(request, proto_decode_body_columns(gjkd_request_text(request), definition.limits,
                                                      &request->arena, &definition.shape,
                                                      &request->problem))) {
        return GJKD_REFUSED;
    }
    const gjkd_write write = gjkd_write_make(request);
    const gjkd_deriver deriver = {derive_shape, &definition, false};
    gjkd_outcome outcome = gjkd_commit_edit(&write, id, &deriver, out);
    if (outcome == GJKD_REFUSED) {
        gjkd_request_refuse(request);
    }
    *was_there = definition.was_there;
    return outcome;
}
