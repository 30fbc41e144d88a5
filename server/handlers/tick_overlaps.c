/* A tick that is answered again is compared with what is kept, not with what was seen then. */

#include "handlers/tick_overlaps.h"

#include "request/context.h"
#include "sets/kept_ticks.h"
#include "sets/version.h"

#include <inttypes.h>

/* Finds the sets of the tick and of the one before it, NULL for none. */
static bool find_sets(const struct gjkd_version *seen, const struct gjkd_version *made,
                      uint64_t tick, const struct gjk_set **before, const struct gjk_set **after) {
    gjk_tick previous, found = {.set = NULL};
    const bool is_kept = gjkd_ticks_find_pair(made->history, tick, &previous, &found);
    *before = is_kept ? previous.set : NULL;
    *after = found.set;
    if (!is_kept && found.set != NULL && found.number == tick && !found.after_gap &&
        !found.is_missing && seen->made_ticks + 1 == made->made_ticks && seen->history != NULL) {
        *before = gjk_history_newest_set(seen->history);
    }
    return is_kept || *before != NULL;
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
    const struct gjk_set *before = NULL, *after = NULL;
    if (!find_sets(seen, made, tick, &before, &after)) {
        proto_problem_set(problem, PROTO_TICK_EXPIRED,
                          "the set \"%.160s\" does not keep the tick before %" PRIu64, made->name,
                          tick);
        proto_problem_hint(problem, "give it a \"history\" of two ticks or more");
        return proto_problem_point(problem, "/overlaps");
    }
    const gjk_status status = gjk_set_detect_changes(before, after, &selection, out);
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
