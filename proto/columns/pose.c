/*
 * Column messages that move shapes: decodes PoseColumns, the poses of shapes at a tick by handle.
 */

#include <stdlib.h>
#include <string.h>

#include "columns/columns.h"
#include "gjk/sort.h"

static int compare_handles(const void *a, const void *b) {
    uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    return p < q ? -1 : p > q;
}

/* Makes a sorted copy of the handles for binary search. */
static gjk_status sort_handles(const Gjkd__V1__PoseColumns *columns, struct gjk_arena *arena,
                               uint32_t **out) {
    *out = gjk_arena_alloc_array(arena, columns->n_handle, sizeof **out);
    if (*out == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    if (columns->n_handle > 0) {
        memcpy(*out, columns->handle, columns->n_handle * sizeof **out);
    }
    return gjk_sort(arena, *out, columns->n_handle, sizeof **out, compare_handles);
}

/* Checks that no handle stands twice and that every handle in `teleport` is one that is placed. */
static bool check_handles(const struct proto_message *message,
                          const Gjkd__V1__PoseColumns *columns) {
    uint32_t *sorted, twice = PROTO_NO_HANDLE;

    gjk_status status = sort_handles(columns, message->arena, &sorted);
    if (status != GJK_OK) {
        return proto_refuse_columns_status(message->problem, status);
    }
    for (uint32_t i = 1; i < message->count; i++) {
        twice = sorted[i] == sorted[i - 1] ? sorted[i] : twice;
    }
    for (uint32_t i = message->count; twice != PROTO_NO_HANDLE && i-- > 0;) {
        if (columns->handle[i] == twice) {
            return proto_refuse_row(message->problem, "handle", i, PROTO_OUT_OF_RANGE,
                                    "the handle %u stands twice", twice);
        }
    }
    for (size_t i = 0; i < columns->n_teleport; i++) {
        if (bsearch(&columns->teleport[i], sorted, message->count, sizeof *sorted,
                    compare_handles) == NULL) {
            return proto_refuse_row(message->problem, "teleport", (uint32_t)i, PROTO_OUT_OF_RANGE,
                                    "%u is not among the handles of this message",
                                    columns->teleport[i]);
        }
    }
    return true;
}

bool proto_decode_pose_columns(proto_text body, uint32_t set_dimension, const proto_limits *limits,
                               struct gjk_arena *arena, proto_pose_columns *out,
                               struct proto_problem *problem) {
    struct proto_message message =
        {&gjkd__v1__pose_columns__descriptor, arena, problem, {0}, 0, 0, 0};

    if (!proto_message_scan(&message, body, set_dimension) ||
        !proto_column_rows(&message, "handle", 1, limits->shapes_per_set_max) ||
        !proto_column_full(&message, "position", message.dimension) ||
        !proto_column_optional(&message, "rotation", message.dimension == 2 ? 1 : 4) ||
        !proto_column_most(&message, "teleport", message.count)) {
        return false;
    }
    const Gjkd__V1__PoseColumns *columns =
        (const Gjkd__V1__PoseColumns *)proto_message_unpack(&message, body);
    if (columns == NULL || !check_handles(&message, columns)) {
        return false;
    }
    bool turns = columns->n_rotation > 0;
    proto_pose_rows rows = {"position", "rotation", columns->position,
                            turns ? columns->rotation : NULL};
    gjk_pose *poses = gjk_arena_alloc_array(arena, message.count, sizeof *poses);
    gjk_rotation *given = turns ? gjk_arena_alloc_array(arena, message.count, sizeof *given) : NULL;
    if (poses == NULL || (turns && given == NULL)) {
        return proto_refuse_columns_memory(problem);
    }
    *out = (proto_pose_columns){
        .dimension = message.dimension,
        .count = message.count,
        .handle = columns->handle,
        .poses = poses,
        .turns = given,
        .teleport = columns->teleport,
        .teleport_count = (uint32_t)columns->n_teleport,
        .partial = columns->partial,
    };
    return proto_make_poses(&message, &rows, poses, given);
}
