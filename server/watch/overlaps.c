/*
 * The pairs stand sorted by their handles. A step takes out those in which a changed shape takes
 * part, asks the set for the pairs of each changed shape, and compares the two sorted lists: what
 * is in only one of them has begun or ended. Where half the shapes have changed, all pairs are
 * asked for at once.
 */

#include "watch/overlaps.h"

#include "gjk/set_query.h"
#include "sets/feed.h"
#include "sets/version.h"
#include "util/timing.h"
#include "work/memory.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define STEP_NS (GJKD_OVERLAPS_STEP_S * UINT64_C(1000000000))

/* A pair of shapes by their handles, that of the smaller id first. */
typedef struct handle_pair {
    uint32_t a, b;
} handle_pair;

struct pairs {
    handle_pair *list;
    size_t count;
};

struct gjkd_overlaps {
    struct gjkd_account account;
    struct pairs pairs; /* a block that is charged to the account */
};

/* --- Filters --- */

/* Returns true if the text is one object, with nothing behind it. Does not check that it is
 * well-formed. */
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

static bool decode_filter(const char *filter, uint32_t dimension, const proto_limits *limits,
                          struct gjk_arena *arena, gjk_filter *out, struct proto_problem *problem) {
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

bool gjkd_overlaps_check_filter(const char *filter, uint32_t dimension, const proto_limits *limits,
                                struct gjk_arena *arena, struct proto_problem *problem) {
    gjk_filter ignored;
    return decode_filter(filter, dimension, limits, arena, &ignored, problem);
}

/* --- Lists of pairs --- */

static int compare_pairs(const void *a, const void *b) {
    const handle_pair *p = a, *q = b;
    if (p->a != q->a) {
        return p->a < q->a ? -1 : 1;
    }
    return p->b < q->b ? -1 : p->b > q->b;
}

static void sort_pairs(struct pairs *pairs) {
    size_t kept = 0;
    if (pairs->count > 1) {
        qsort(pairs->list, pairs->count, sizeof *pairs->list, compare_pairs);
    }
    for (size_t i = 0; i < pairs->count; i++) {
        if (i == 0 || compare_pairs(&pairs->list[i], &pairs->list[kept - 1]) != 0) {
            pairs->list[kept++] = pairs->list[i];
        }
    }
    pairs->count = kept;
}

/* --- Asking --- */

struct step {
    const struct gjkd_overlaps *overlaps;
    const struct gjkd_version *from, *to;
    struct gjk_arena *arena;
    gjk_filter filter; /* decoded again in each step: it takes many times the memory of its text */
    uint64_t client;
    uint64_t deadline_ns; /* of uv_hrtime, if the thread has had the processor all the time */
    int64_t deadline_thread_ns;
    uint32_t *changed; /* handles, in increasing order */
    size_t changed_count;
    struct pairs before, after; /* the pairs that are compared */
    size_t after_capacity;
};

/* Lets others have the worker. True: the step has taken too long. */
static bool is_over(void *user) {
    const struct step *step = user;
    const uint64_t now_ns = uv_hrtime();
    gjkd_pool_pause(now_ns);
    return now_ns > step->deadline_ns && gjkd_timing_thread_ns() > step->deadline_thread_ns;
}

static bool add_pairs(struct step *step, const gjk_pair_hits *hits) {
    const size_t needed = step->after.count + hits->count;
    if (hits->truncated || needed > GJKD_OVERLAPS_MAX * (size_t)2) {
        return false;
    }
    if (needed > step->after_capacity) {
        const size_t capacity = needed * 2;
        handle_pair *grown = gjk_arena_alloc_array(step->arena, capacity, sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        if (step->after.count > 0) {
            memcpy(grown, step->after.list, step->after.count * sizeof *grown);
        }
        step->after.list = grown;
        step->after_capacity = capacity;
    }
    for (uint32_t i = 0; i < hits->count; i++) {
        step->after.list[step->after.count++] =
            (handle_pair){hits->items[i].a->handle, hits->items[i].b->handle};
    }
    return true;
}

/* Asks for all pairs, or for those of the changed shapes. */
static bool ask_changed(struct step *step, bool all) {
    const gjk_snapshot snapshot = gjk_snapshot_of(step->to->set);
    gjk_budget budget = gjk_budget_make(is_over, step);
    gjk_detect_settings settings = gjk_detect_settings_default();
    const gjk_selection selection = {.filter = &step->filter,
                                     .limit = GJKD_OVERLAPS_MAX,
                                     .arena = step->arena,
                                     .budget = &budget};
    gjk_pair_hits hits;
    settings.penetration = false;
    if (all) {
        return gjk_set_detect_pairs(&snapshot, &selection, &settings, &hits) == GJK_OK &&
               add_pairs(step, &hits);
    }
    for (size_t i = 0; i < step->changed_count; i++) {
        const gjk_body *body = gjk_set_find_handle(step->to->set, step->changed[i]);
        if (body != NULL &&
            (gjk_set_detect_pairs_of(&snapshot, body, &selection, &settings, &hits) != GJK_OK ||
             !add_pairs(step, &hits))) {
            return false;
        }
    }
    return true;
}

/* --- One step --- */

static void count_changed(void *user, const gjk_body *from, const gjk_body *to) {
    (void)from, (void)to;
    ((struct step *)user)->changed_count++;
}

static void list_changed(void *user, const gjk_body *from, const gjk_body *to) {
    struct step *step = user;
    step->changed[step->changed_count++] = to != NULL ? to->handle : from->handle;
}

static bool find_changed(struct step *step) {
    gjkd_versions_diff(step->from, step->to, count_changed, step);
    step->changed = gjk_arena_alloc_array(step->arena, step->changed_count, sizeof(uint32_t));
    if (step->changed == NULL) {
        return false;
    }
    step->changed_count = 0;
    gjkd_versions_diff(step->from, step->to, list_changed, step);
    return true;
}

static bool has_changed(const struct step *step, uint32_t handle) {
    return bsearch(&handle, step->changed, step->changed_count, sizeof handle,
                   gjkd_compare_handles) != NULL;
}

/* Splits the pairs: those of changed shapes into `before`, the others into *rest. */
static bool split(struct step *step, struct pairs *rest) {
    const struct pairs *pairs = &step->overlaps->pairs;
    step->before.list = gjk_arena_alloc_array(step->arena, pairs->count, sizeof(handle_pair));
    rest->list = gjk_arena_alloc_array(step->arena, pairs->count, sizeof(handle_pair));
    if (step->before.list == NULL || rest->list == NULL) {
        return false;
    }
    for (size_t i = 0; i < pairs->count; i++) {
        const handle_pair pair = pairs->list[i];
        struct pairs *to =
            has_changed(step, pair.a) || has_changed(step, pair.b) ? &step->before : rest;
        to->list[to->count++] = pair;
    }
    return true;
}

static void forget_pairs(struct gjkd_overlaps *overlaps) {
    gjkd_account_give(&overlaps->account, overlaps->pairs.count * sizeof(handle_pair));
    gjkd_deferred_free(overlaps->pairs.list, overlaps->pairs.count * sizeof(handle_pair), free);
}

/* Makes `rest` and `after` the pairs that are kept. */
static bool keep_pairs(struct gjkd_overlaps *overlaps, const struct pairs *rest,
                       const struct pairs *after) {
    const size_t count = rest->count + after->count;
    if (count > GJKD_OVERLAPS_MAX ||
        !gjkd_account_take(&overlaps->account, count * sizeof(handle_pair))) {
        return false;
    }
    handle_pair *list = malloc(count > 0 ? count * sizeof *list : 1);
    if (list == NULL) {
        gjkd_account_give(&overlaps->account, count * sizeof(handle_pair));
        return false;
    }
    size_t i = 0, j = 0;
    for (size_t k = 0; k < count; k++) {
        const bool is_rest =
            j == after->count ||
            (i < rest->count && compare_pairs(&rest->list[i], &after->list[j]) < 0);
        list[k] = is_rest ? rest->list[i++] : after->list[j++];
    }
    forget_pairs(overlaps);
    overlaps->pairs = (struct pairs){list, count};
    return true;
}

/* --- Telling --- */

static int compare_id_pairs(const void *a, const void *b) {
    const proto_id_pair *p = a, *q = b;
    const int first = strcmp(p->a, q->a);
    return first != 0 ? first : strcmp(p->b, q->b);
}

struct named_pairs {
    proto_id_pair *list; /* in the order of ids; NULL: out of memory */
    size_t count;
};

static const char *id_of(const struct gjkd_version *version, uint32_t handle) {
    return gjk_set_find_handle(version->set, handle)->id;
}

static struct named_pairs name_pairs(struct gjk_arena *arena, const struct gjkd_version *version,
                                     const struct pairs *pairs) {
    struct named_pairs named = {gjk_arena_alloc_array(arena, pairs->count, sizeof *named.list), 0};
    for (; named.list != NULL && named.count < pairs->count; named.count++) {
        const handle_pair pair = pairs->list[named.count];
        named.list[named.count] = (proto_id_pair){id_of(version, pair.a), id_of(version, pair.b)};
    }
    if (named.count > 1) {
        qsort(named.list, named.count, sizeof *named.list, compare_id_pairs);
    }
    return named;
}

/* Returns the pairs of the first list that are not in the second. */
static struct named_pairs subtract(struct gjk_arena *arena, const struct named_pairs *from,
                                   const struct named_pairs *what) {
    struct named_pairs left = {gjk_arena_alloc_array(arena, from->count, sizeof *left.list), 0};
    size_t j = 0;
    for (size_t i = 0; left.list != NULL && i < from->count; i++) {
        while (j < what->count && compare_id_pairs(&what->list[j], &from->list[i]) < 0) {
            j++;
        }
        if (j == what->count || compare_id_pairs(&what->list[j], &from->list[i]) != 0) {
            left.list[left.count++] = from->list[i];
        }
    }
    return left;
}

/* Makes the event of a step, by ids: a shape that was removed and made again has another handle. */
static bool make_event(struct step *step, struct gjkd_event **event) {
    struct gjk_arena *arena = step->arena;
    const struct named_pairs before = name_pairs(arena, step->from, &step->before);
    const struct named_pairs after = name_pairs(arena, step->to, &step->after);
    if (before.list == NULL || after.list == NULL) {
        return false;
    }
    const struct named_pairs begun = subtract(arena, &after, &before);
    const struct named_pairs ended = subtract(arena, &before, &after);
    if (begun.list == NULL || ended.list == NULL) {
        return false;
    }
    const proto_overlap overlap = {.begin = begun.list,
                                   .begin_count = begun.count,
                                   .end = ended.list,
                                   .end_count = ended.count};
    if (begun.count + ended.count > 0) {
        *event = gjkd_event_overlap(step->to, &overlap, step->client);
        return *event != NULL;
    }
    return true;
}

static bool advance(struct gjkd_overlaps *overlaps, struct step *step, struct gjkd_event **event) {
    struct pairs rest = {NULL, 0};
    if (!find_changed(step)) {
        return false;
    }
    if (step->changed_count == 0) {
        return true;
    }
    const bool all = step->changed_count * 2 > gjk_set_count(step->to->set);
    if (all) {
        step->before = overlaps->pairs;
    } else if (!split(step, &rest)) {
        return false;
    }
    if (!ask_changed(step, all)) {
        return false;
    }
    sort_pairs(&step->after);
    return make_event(step, event) && keep_pairs(overlaps, &rest, &step->after);
}

static bool begin_step(struct gjkd_overlaps *overlaps, struct step *step) {
    const struct pairs nothing = {NULL, 0};
    if (!ask_changed(step, true)) {
        return false;
    }
    sort_pairs(&step->after);
    return keep_pairs(overlaps, &nothing, &step->after);
}

/* --- Life --- */

static struct gjkd_overlaps *overlaps_new(uint64_t client) {
    struct gjkd_overlaps *overlaps = calloc(1, sizeof *overlaps);
    if (overlaps != NULL) {
        gjkd_account_init_queue(&overlaps->account, client);
    }
    return overlaps;
}

void gjkd_overlaps_free(struct gjkd_overlaps *overlaps) {
    if (overlaps != NULL) {
        forget_pairs(overlaps);
        gjkd_account_fini(&overlaps->account);
        free(overlaps);
    }
}

bool gjkd_overlaps_step(struct gjkd_overlaps **overlaps, const char *filter,
                        const struct gjkd_version *from, const struct gjkd_version *to,
                        uint64_t client, struct gjkd_event **event) {
    const bool is_new = *overlaps == NULL;
    *event = NULL;
    if (is_new) {
        *overlaps = overlaps_new(client);
    } else if (gjkd_version_seq(from) == gjkd_version_seq(to)) {
        return true;
    }
    if (*overlaps == NULL) {
        return false;
    }
    gjkd_account_assign(&(*overlaps)->account, client); /* another may have paid for it so far */
    struct gjkd_account account;
    struct gjk_arena arena;
    gjkd_account_init_queue(&account, client);
    gjk_arena_init(&arena, 0);
    gjk_arena_charge(&arena, &account.account);
    struct step step = {.overlaps = *overlaps,
                        .from = from,
                        .to = to,
                        .arena = &arena,
                        .client = client,
                        .deadline_ns = uv_hrtime() + STEP_NS,
                        .deadline_thread_ns = gjkd_timing_thread_ns() + (int64_t)STEP_NS};
    const proto_limits limits = proto_limits_default();
    struct proto_problem problem; /* the filter was checked: only memory can be lacking */
    const bool is_done =
        decode_filter(filter, to->dimension, &limits, &arena, &step.filter, &problem) &&
        (is_new ? begin_step(*overlaps, &step) : advance(*overlaps, &step, event));
    gjk_arena_fini(&arena);
    gjkd_account_fini(&account);
    if (!is_done) {
        gjkd_event_release(*event);
        *event = NULL;
        gjkd_overlaps_free(*overlaps);
        *overlaps = NULL;
    }
    return is_done;
}

struct gjkd_event *gjkd_overlaps_all(const struct gjkd_overlaps *overlaps,
                                     const struct gjkd_version *version, uint64_t client) {
    struct gjkd_account account;
    struct gjk_arena arena;
    struct gjkd_event *event = NULL;
    gjkd_account_init_queue(&account, client);
    gjk_arena_init(&arena, 0);
    gjk_arena_charge(&arena, &account.account);
    const struct named_pairs pairs = name_pairs(&arena, version, &overlaps->pairs);
    if (pairs.list != NULL) {
        const proto_overlap all = {.is_all = true, .begin = pairs.list, .begin_count = pairs.count};
        event = gjkd_event_overlap(version, &all, client);
    }
    gjk_arena_fini(&arena);
    gjkd_account_fini(&account);
    return event;
}
