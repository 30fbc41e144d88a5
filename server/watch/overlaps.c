/* The filter is decoded for each event, because it then takes many times the memory of its text. */

#include "watch/overlaps.h"

#include "gjk/set_query.h"
#include "sets/version.h"
#include "util/timing.h"
#include "work/memory.h"

#include <string.h>
#include <uv.h>

#define STEP_NS (GJKD_OVERLAPS_STEP_S * UINT64_C(1000000000))

/* --- Filters --- */

/* Returns true if the text is one object and nothing else, well-formed or not. */
static bool is_one_object(const char *text) {
    int depth = 0;
    bool is_quoted = false;
    for (; *text != '\0'; text++) {
        if (is_quoted && *text == '\\' && text[1] != '\0') {
            text++;
        } else if (is_quoted) {
            is_quoted = *text != '"';
        } else if (*text == '"') {
            is_quoted = true;
        } else if (*text == '{') {
            depth++;
        } else if (*text == '}' && --depth == 0) {
            return text[1] == '\0';
        } else if (depth == 0) {
            return false;
        }
    }
    return false;
}

bool gjkd_overlaps_decode_filter(const char *filter, uint32_t dimension, const proto_limits *limits,
                                 struct gjk_arena *arena, gjk_filter *out,
                                 struct proto_problem *problem) {
    static const char before[] = "{\"filter\":";
    const size_t length = strlen(filter);
    proto_query query;
    if (length == 0) {
        *out = gjk_filter_default();
        return true;
    }
    if (!is_one_object(filter)) {
        proto_problem_set(problem, PROTO_WRONG_TYPE, "the filter is a JSON object");
        return proto_problem_point(problem, "/filter");
    }
    char *text = gjk_arena_alloc(arena, sizeof before + length);
    if (text == NULL) {
        return proto_problem_set(problem, PROTO_OUT_OF_MEMORY, "no memory for the filter");
    }
    memcpy(text, before, sizeof before - 1);
    memcpy(text + sizeof before - 1, filter, length);
    text[sizeof before - 1 + length] = '}';
    if (!proto_decode_query((proto_text){text, sizeof before + length}, PROTO_OP_DETECT, dimension,
                            limits, arena, &query, problem)) {
        return false;
    }
    *out = query.filter;
    return true;
}

/* --- Comparing --- */

/* End of a comparison. */
struct deadline {
    uint64_t ns;       /* as uv_hrtime */
    int64_t thread_ns; /* as the thread's processor time; both must have passed */
};

/* Lets other tasks have the worker. Returns true if the comparison has taken too long. */
static bool is_over(void *user) {
    const struct deadline *deadline = user;
    const uint64_t now_ns = uv_hrtime();
    gjkd_pool_pause(now_ns);
    return now_ns > deadline->ns && gjkd_timing_thread_ns() > deadline->thread_ns;
}

static bool compare(const char *filter, const struct gjk_set *from, const struct gjkd_version *to,
                    struct gjk_arena *arena, gjk_overlap_changes *out) {
    struct deadline deadline = {uv_hrtime() + STEP_NS, gjkd_timing_thread_ns() + (int64_t)STEP_NS};
    gjk_budget budget = gjk_budget_make(is_over, &deadline);
    gjk_filter decoded;
    const gjk_selection selection = {.filter = &decoded,
                                     .limit = UINT32_MAX,
                                     .arena = arena,
                                     .budget = &budget};
    const proto_limits limits = proto_limits_default();
    struct proto_problem problem; /* the filter has been checked, so only memory can be lacking */
    return gjkd_overlaps_decode_filter(filter, to->dimension, &limits, arena, &decoded, &problem) &&
           gjk_set_detect_changes(from, to->set, &selection, out) == GJK_OK;
}

bool gjkd_overlaps_compare(const char *filter, const struct gjkd_version *from,
                           const struct gjkd_version *to, uint64_t client,
                           struct gjkd_event **event) {
    struct gjkd_account account;
    struct gjk_arena arena;
    proto_overlap overlap = {.is_all = from == NULL};
    *event = NULL;
    gjkd_account_init_queue(&account, client);
    gjk_arena_init(&arena, 0);
    gjk_arena_charge(&arena, &account.account);
    bool is_done = compare(filter, from != NULL ? from->set : NULL, to, &arena, &overlap.changes);
    if (is_done &&
        (overlap.is_all || overlap.changes.begin.count + overlap.changes.end.count > 0)) {
        *event = gjkd_event_overlap(to, &overlap, client);
        is_done = *event != NULL;
    }
    gjk_arena_fini(&arena);
    gjkd_account_fini(&account);
    return is_done;
}
