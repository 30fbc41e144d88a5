/* A tick that is answered again is compared with what is kept, not with what was seen then. */

#include "handlers/tick_overlaps.h"

#include "request/context.h"
#include "sets/kept_ticks.h"
#include "sets/version.h"

#include <inttypes.h>

/* Finds the ticks: that one, and the one before it, whose note is NULL where there is none. */
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

/* Makes the set of a packed tick, of bodies in the arena. */
static gjk_status unpack(const struct gjk_history *history, uint64_t tick, struct gjk_arena *arena,
                         struct gjk_set **out) {
    gjk_rewound rewound;
    if (gjk_history_at(history, (double)tick, &rewound) != GJK_REWIND_OK) {
        return GJK_OUT_OF_MEMORY; /* never */
    }
    const struct gjk_set *set = rewound.snapshot.set;
    const uint32_t count = gjk_set_count(set);
    gjk_body *bodies = gjk_arena_alloc_array(arena, count, sizeof *bodies);
    gjk_set_iterator all = gjk_set_iterate(set, arena->budget);
    uint32_t made = 0;
    for (const gjk_body *body; bodies != NULL && (body = gjk_set_next(&all)) != NULL; made++) {
        bodies[made] = *body;
        bodies[made].placed.pose = gjk_snapshot_pose(&rewound.snapshot, body, &bodies[made].turn);
    }
    if (bodies == NULL || made < count) {
        return bodies == NULL ? GJK_OUT_OF_MEMORY : GJK_GIVEN_UP;
    }
    return gjk_set_new_indexed(gjk_set_dimension(set), bodies, count, out);
}

/* Finds what has changed between two ticks of a history, of which the first may be none. */
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

static void limit(gjk_overlap_changes *changes, uint64_t most, bool *truncated) {
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

/* NOLINTNEXTLINE(readability-function-size): eight parameters are what a comparison needs. */
bool gjkd_tick_overlaps(struct gjkd_request *request, const struct gjkd_version *seen,
                        const struct gjkd_version *made, uint64_t tick, const gjk_filter *filter,
                        gjk_overlap_changes *out, bool *truncated, struct proto_problem *problem) {
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
        limit(out, request->context->limits.answers_max, truncated);
        return true;
    }
    return status == GJK_GIVEN_UP
               ? proto_problem_set(problem, PROTO_DEADLINE_EXCEEDED,
                                   "time was up before the overlaps of the tick were found")
               : proto_problem_set(problem, PROTO_OUT_OF_MEMORY,
                                   "no memory for the overlaps of the tick");
}
