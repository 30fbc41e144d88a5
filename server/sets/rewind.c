/* Maps the history's lookup to the problems of the API. */

#include "sets/rewind.h"

#include <inttypes.h>

bool gjkd_rewind(const struct gjkd_version *version, double tick, gjk_rewound *out,
                 struct proto_problem *problem) {
    const struct gjk_history *history = version->history;
    if (history == NULL) {
        proto_problem_set(problem, PROTO_TICK_EXPIRED, "the set \"%.160s\" keeps no ticks",
                          version->name);
        return proto_problem_hint(problem, "PATCH it with \"history\": {\"ticks\": n} to keep n");
    }
    if (gjk_history_count(history) == 0) {
        proto_problem_set(problem, PROTO_TICK_EXPIRED, "the set \"%.160s\" has no ticks yet",
                          version->name);
        return proto_problem_hint(problem, "PUT /v1/sets/%.100s/ticks/1 makes the first",
                                  version->name);
    }
    switch (gjk_history_at(history, tick, out)) {
    case GJK_REWIND_OK:
        return true;
    case GJK_REWIND_EXPIRED:
        return proto_problem_set(problem, PROTO_TICK_EXPIRED,
                                 "the oldest tick that the set \"%.160s\" keeps is %" PRIu64,
                                 version->name, gjk_history_oldest(history));
    case GJK_REWIND_FUTURE:
        break;
    }
    return proto_problem_set(problem, PROTO_TICK_IN_FUTURE,
                             "the newest tick of the set \"%.160s\" is %" PRIu64, version->name,
                             gjk_history_newest(history));
}
