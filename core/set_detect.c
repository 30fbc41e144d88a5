/*
 * What collides with a shape, within a set, between two sets? A plain scan: bodies
 * stand in the order of their ids, so answers come out in the promised order and
 * the scan ends with the first one too many.
 */

#include "gjk/set_query.h"
#include "list.h"

#include <string.h>

gjk_status gjk_set_detect(const struct gjk_set *set, const gjk_placed *a, uint32_t except,
                          const gjk_filter *filter, const gjk_detect_settings *settings,
                          uint32_t limit, struct gjk_arena *arena, gjk_hits *out) {
    gjk_list hits = gjk_list_make(arena, sizeof(gjk_hit));
    bool truncated = false;
    for (uint32_t i = 0; i < gjk_set_count(set) && !truncated; i++) {
        const gjk_body *body = gjk_set_body(set, i);
        if (i == except || !gjk_filter_passes(filter, body)) {
            continue;
        }
        gjk_detect_result result = gjk_detect(a, &body->placed, settings);
        if (result.state == GJK_SEPARATED) {
            continue;
        }
        truncated = hits.count == limit;
        if (truncated) {
            continue;
        }
        gjk_hit *hit = gjk_list_push(&hits);
        if (hit == NULL) {
            return GJK_OUT_OF_MEMORY;
        }
        *hit = (gjk_hit){i, result};
    }
    *out = (gjk_hits){(gjk_hit *)(void *)hits.items, hits.count, truncated};
    return GJK_OK;
}

static bool accept_each_other(const gjk_body *a, const gjk_body *b) {
    return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

static bool same_group(const gjk_body *a, const gjk_body *b) {
    return a->group != NULL && b->group != NULL && strcmp(a->group, b->group) == 0;
}

typedef struct gjk_pair_scan {
    const struct gjk_set *a, *b;
    bool within; /* pairs of one set: b behind a only, groups differ */
    const gjk_filter *filter;
    const gjk_detect_settings *settings;
    uint32_t limit;
    gjk_list pairs;
    bool truncated;
} gjk_pair_scan;

/* Asks the pairs of body i of set a with the bodies of set b from `first` on. */
static gjk_status scan_row(gjk_pair_scan *scan, uint32_t i, uint32_t first) {
    const gjk_body *a = gjk_set_body(scan->a, i);
    if (!gjk_filter_passes(scan->filter, a)) {
        return GJK_OK;
    }
    for (uint32_t k = first; k < gjk_set_count(scan->b); k++) {
        const gjk_body *b = gjk_set_body(scan->b, k);
        if (!accept_each_other(a, b) || (scan->within && same_group(a, b)) ||
            !gjk_filter_passes(scan->filter, b)) {
            continue;
        }
        gjk_detect_result result = gjk_detect(&a->placed, &b->placed, scan->settings);
        if (result.state == GJK_SEPARATED) {
            continue;
        }
        if (scan->pairs.count == scan->limit) {
            scan->truncated = true;
            return GJK_OK;
        }
        gjk_pair_hit *pair = gjk_list_push(&scan->pairs);
        if (pair == NULL) {
            return GJK_OUT_OF_MEMORY;
        }
        *pair = (gjk_pair_hit){i, k, result};
    }
    return GJK_OK;
}

static gjk_status scan_pairs(gjk_pair_scan *scan, gjk_pair_hits *out) {
    for (uint32_t i = 0; i < gjk_set_count(scan->a) && !scan->truncated; i++) {
        gjk_status status = scan_row(scan, i, scan->within ? i + 1 : 0);
        if (status != GJK_OK) {
            return status;
        }
    }
    *out = (gjk_pair_hits){(gjk_pair_hit *)(void *)scan->pairs.items, scan->pairs.count,
                           scan->truncated};
    return GJK_OK;
}

gjk_status gjk_set_detect_pairs(const struct gjk_set *set, const gjk_filter *filter,
                                const gjk_detect_settings *settings, uint32_t limit,
                                struct gjk_arena *arena, gjk_pair_hits *out) {
    gjk_pair_scan scan = {
        .a = set,
        .b = set,
        .within = true,
        .filter = filter,
        .settings = settings,
        .limit = limit,
        .pairs = gjk_list_make(arena, sizeof(gjk_pair_hit)),
    };
    return scan_pairs(&scan, out);
}

gjk_status gjk_set_detect_against(const struct gjk_set *set, const struct gjk_set *other,
                                  const gjk_filter *filter, const gjk_detect_settings *settings,
                                  uint32_t limit, struct gjk_arena *arena, gjk_pair_hits *out) {
    gjk_pair_scan scan = {
        .a = set,
        .b = other,
        .filter = filter,
        .settings = settings,
        .limit = limit,
        .pairs = gjk_list_make(arena, sizeof(gjk_pair_hit)),
    };
    return scan_pairs(&scan, out);
}
