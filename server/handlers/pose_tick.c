/*
 * A message of poses is decoded before the set's writer lock is taken; only the look-up of handles
 * is done under the lock. Overlaps of a repeated tick are found from the ticks that are kept now.
 */

#include "handlers/pose_tick.h"

#include "handlers/change.h"
#include "request/context.h"
#include "sets/feed.h"
#include "sets/kept_ticks.h"
#include "sets/version.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static proto_edit move(const proto_pose_columns *columns, uint32_t row, const gjk_body *body) {
    proto_place place = gjkd_stored_view(body).place;
    place.has_position = true;
    place.pose.position = columns->rows.poses[row].position;
    if (columns->rotation.count > 0) {
        place.has_rotation = true;
        gjk_pose_turn_as(&place.pose, &columns->rows.poses[row]);
    }
    return (proto_edit){.id = body->id, .kind = PROTO_EDIT_MOVE, .place = place, .self = body};
}

/* Makes one edit for each row: it moves the shape with the row's handle, like a patch of its
 * pose. */
static bool derive_tick(void *user, const struct gjkd_version *current, proto_edits *out,
                        struct proto_problem *problem) {
    const struct gjkd_pose_tick *poses = user;
    const proto_pose_columns *columns = &poses->columns;
    const uint32_t rows = columns->rows.count, jump_count = columns->teleport.count;
    if (!gjkd_check_dimension(current, columns->rows.dimension, poses->pointer, problem)) {
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
    bool is_sorted = true; /* usually stays true, as handles are assigned in the order of ids */
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
            snprintf(pointer, sizeof pointer, "%s/handle/%u", poses->pointer, row);
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

const uint32_t *gjkd_pose_tick_unknown_rows(const struct gjkd_pose_tick *poses, uint64_t tick,
                                            const struct gjkd_version *version, uint32_t *count) {
    const proto_pose_columns *columns = &poses->columns;
    const struct gjk_set *set = version->set;
    gjk_rewound rewound;
    uint32_t *rows =
        gjk_arena_alloc_array(&poses->request->arena, columns->rows.count, sizeof *rows);
    if (gjk_history_at(version->history, (double)tick, &rewound) == GJK_REWIND_OK) {
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

gjkd_outcome gjkd_pose_tick_make(struct gjkd_pose_tick *poses, const gjkd_stamp *stamp,
                                 struct gjkd_version **out) {
    const gjkd_write write = gjkd_write_make(poses->request);
    const gjkd_deriver deriver = {derive_tick, poses, false};
    return gjkd_commit_edit(&write, NULL, stamp, &deriver, out);
}

/* --- Overlaps --- */

/* Finds a tick and the previous one, whose note is NULL if there is none. Returns false if the
 * previous tick is no longer kept. */
static bool find_ticks(const struct gjkd_version *seen, const struct gjkd_version *made,
                       uint64_t tick, gjk_tick *before, gjk_tick *after) {
    *after = (gjk_tick){.set = NULL};
    const bool is_kept = gjkd_ticks_find_pair(made->history, tick, before, after);
    if (!is_kept) {
        *before = (gjk_tick){.set = NULL};
    }
    if (!is_kept && after->set != NULL && after->number == tick && !after->after_gap &&
        !after->is_missing && seen->made_ticks + 1 == made->made_ticks && seen->history != NULL) {
        before->set = gjk_history_newest_set(seen->history);
    }
    return is_kept || before->set != NULL;
}

/* Makes the set of a tick that is kept in compact form, with bodies in the arena. */
static gjk_status unpack(const struct gjk_history *history, uint64_t tick, struct gjk_arena *arena,
                         struct gjk_set **out) {
    gjk_rewound rewound;
    if (gjk_history_at(history, (double)tick, &rewound) != GJK_REWIND_OK) {
        return GJK_OUT_OF_MEMORY; /* not reached: the tick is kept */
    }
    const struct gjk_set *set = rewound.snapshot.set;
    const uint32_t count = gjk_set_count(set);
    gjk_body *bodies = gjk_arena_alloc_array(arena, count, sizeof *bodies);
    gjk_set_iterator all = gjk_set_iterate(set, arena->budget);
    uint32_t made = 0;
    for (const gjk_body *body; bodies != NULL && (body = gjk_set_next(&all)) != NULL; made++) {
        bodies[made] = *body;
        bodies[made].placed.pose = gjk_snapshot_pose(&rewound.snapshot, body);
    }
    if (bodies == NULL || made < count) {
        return bodies == NULL ? GJK_OUT_OF_MEMORY : GJK_GIVEN_UP;
    }
    return gjk_set_new_indexed(gjk_set_dimension(set), bodies, count, out);
}

/* Finds the overlaps that changed between two ticks of a history; `before` may be no tick. */
static gjk_status compare(const struct gjk_history *history, const gjk_tick *before,
                          const gjk_tick *after, const gjk_selection *selection,
                          gjk_overlap_changes *out) {
    struct gjk_set *unpacked[2] = {NULL, NULL};
    gjk_status status = GJK_OK;
    if (before->note != NULL && before->set == NULL) {
        status = unpack(history, before->number, selection->arena, &unpacked[0]);
    }
    if (status == GJK_OK && after->set == NULL) {
        status = unpack(history, after->number, selection->arena, &unpacked[1]);
    }
    if (status == GJK_OK) {
        status =
            gjk_set_detect_changes(unpacked[0] != NULL ? unpacked[0] : before->set,
                                   unpacked[1] != NULL ? unpacked[1] : after->set, selection, out);
    }
    gjk_set_release(unpacked[0]);
    gjk_set_release(unpacked[1]);
    return status;
}

static void cut_changes(gjk_overlap_changes *changes, uint64_t most, bool *truncated) {
    const uint64_t all = (uint64_t)changes->begin.count + changes->end.count;
    *truncated = all > most;
    if (*truncated) {
        changes->begin.count =
            (uint32_t)(changes->begin.count < most ? changes->begin.count : most);
        changes->end.count = (uint32_t)(most - changes->begin.count < changes->end.count
                                            ? most - changes->begin.count
                                            : changes->end.count);
    }
}

bool gjkd_tick_overlaps(struct gjkd_request *request, const struct gjkd_version *seen,
                        uint64_t tick, const gjk_filter *filter, gjk_overlap_changes *out,
                        bool *truncated, struct proto_problem *problem) {
    const struct gjkd_version *made = request->version;
    const gjk_selection selection = {.filter = filter,
                                     .limit = UINT32_MAX,
                                     .arena = &request->arena,
                                     .budget = &request->budget};
    gjk_tick before, after;
    if (!find_ticks(seen, made, tick, &before, &after)) {
        proto_problem_set(problem, PROTO_TICK_EXPIRED,
                          "the set \"%.160s\" does not keep the tick before %" PRIu64, made->name,
                          tick);
        proto_problem_hint(problem, "give it a \"history\" of two ticks or more");
        return proto_problem_point(problem, "/overlaps");
    }
    const gjk_status status = compare(made->history, &before, &after, &selection, out);
    if (status == GJK_OK) {
        cut_changes(out, request->context->limits.answers_max, truncated);
        return true;
    }
    return status == GJK_GIVEN_UP
               ? proto_problem_set(problem, PROTO_DEADLINE_EXCEEDED,
                                   "time was up before the overlaps of the tick were found")
               : proto_problem_set(problem, PROTO_OUT_OF_MEMORY,
                                   "no memory for the overlaps of the tick");
}
