/*
 * What collides with a shape, within a set, between two sets? A plain scan: bodies
 * stand in the order of their ids, so answers come out in the promised order and
 * the scan ends with the first one too many.
 */

#include "gjk/set_query.h"
#include "list.h"
#include "select.h"

#include <string.h>

gjk_status gjk_set_detect(const gjk_moment *moment, const gjk_placed *a,
                          const gjk_selection *selection, const gjk_detect_settings *settings,
                          gjk_hits *out) {
    gjk_list hits = gjk_list_make(selection->arena, sizeof(gjk_hit));
    for (uint32_t i = 0; i < gjk_set_count(moment->set) && !hits.truncated; i++) {
        gjk_placed placed;
        const gjk_body *body = gjk_selected(moment, i, selection, &placed);
        if (body == NULL) {
            continue;
        }
        gjk_detect_result result = gjk_detect(a, &placed, settings);
        if (result.state == GJK_SEPARATED) {
            continue;
        }
        if (hits.count == selection->limit) {
            hits.truncated = true;
            continue;
        }
        gjk_hit *hit = gjk_list_push(&hits);
        if (hit == NULL) {
            return GJK_OUT_OF_MEMORY;
        }
        *hit = (gjk_hit){body, result};
    }
    *out = (gjk_hits){(gjk_hit *)(void *)hits.items, hits.count, hits.truncated};
    return GJK_OK;
}

static bool accept_each_other(const gjk_body *a, const gjk_body *b) {
    return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

static bool same_group(const gjk_body *a, const gjk_body *b) {
    return a->group != NULL && b->group != NULL && strcmp(a->group, b->group) == 0;
}

typedef struct gjk_pair_scan {
    const gjk_moment *a, *b;
    bool within; /* pairs of one set: b behind a only, groups differ */
    const gjk_selection *selection;
    const gjk_detect_settings *settings;
    gjk_list pairs;
} gjk_pair_scan;

static bool is_pair(const gjk_pair_scan *scan, const gjk_body *a, const gjk_body *b) {
    return accept_each_other(a, b) && !(scan->within && same_group(a, b));
}

/* Asks the pairs of body i of set a with the bodies of set b from `first` on. */
static gjk_status scan_row(gjk_pair_scan *scan, uint32_t i, uint32_t first) {
    gjk_placed placed_a, placed_b;
    const gjk_body *a = gjk_selected(scan->a, i, scan->selection, &placed_a);
    for (uint32_t k = first; a != NULL && k < gjk_set_count(scan->b->set); k++) {
        const gjk_body *b = gjk_selected(scan->b, k, scan->selection, &placed_b);
        if (b == NULL || !is_pair(scan, a, b)) {
            continue;
        }
        gjk_detect_result result = gjk_detect(&placed_a, &placed_b, scan->settings);
        if (result.state == GJK_SEPARATED) {
            continue;
        }
        if (scan->pairs.count == scan->selection->limit) {
            scan->pairs.truncated = true;
            return GJK_OK;
        }
        gjk_pair_hit *pair = gjk_list_push(&scan->pairs);
        if (pair == NULL) {
            return GJK_OUT_OF_MEMORY;
        }
        *pair = (gjk_pair_hit){a, b, result};
    }
    return GJK_OK;
}

static gjk_status scan_pairs(gjk_pair_scan *scan, gjk_pair_hits *out) {
    scan->pairs = gjk_list_make(scan->selection->arena, sizeof(gjk_pair_hit));
    for (uint32_t i = 0; i < gjk_set_count(scan->a->set) && !scan->pairs.truncated; i++) {
        gjk_status status = scan_row(scan, i, scan->within ? i + 1 : 0);
        if (status != GJK_OK) {
            return status;
        }
    }
    *out = (gjk_pair_hits){(gjk_pair_hit *)(void *)scan->pairs.items, scan->pairs.count,
                           scan->pairs.truncated};
    return GJK_OK;
}

gjk_status gjk_set_detect_pairs(const gjk_moment *moment, const gjk_selection *selection,
                                const gjk_detect_settings *settings, gjk_pair_hits *out) {
    gjk_pair_scan scan = {.a = moment,
                          .b = moment,
                          .within = true,
                          .selection = selection,
                          .settings = settings};
    return scan_pairs(&scan, out);
}

gjk_status gjk_set_detect_against(const gjk_moment *moment, const gjk_moment *other,
                                  const gjk_selection *selection,
                                  const gjk_detect_settings *settings, gjk_pair_hits *out) {
    gjk_selection all = *selection;
    all.except = NULL;
    gjk_pair_scan scan = {.a = moment, .b = other, .selection = &all, .settings = settings};
    return scan_pairs(&scan, out);
}
