/*
 * Filters: category bits in both directions, then the lists of ids and groups.
 */

#include "gjk/set_query.h"

#include <string.h>

gjk_filter gjk_filter_default(void) {
    return (gjk_filter){.category = UINT32_MAX, .mask = UINT32_MAX};
}

static bool is_listed(const char *text, const char *const *list, uint32_t count) {
    uint32_t low = 0, high = text != NULL ? count : 0;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const int order = strcmp(text, list[middle]);
        if (order == 0) {
            return true;
        }
        low = order > 0 ? middle + 1 : low;
        high = order > 0 ? high : middle;
    }
    return false;
}

static bool is_ignored(const gjk_filter *filter, const char *group) {
    return (filter->ignore_group != NULL && group != NULL &&
            strcmp(group, filter->ignore_group) == 0) ||
           is_listed(group, filter->ignore_groups, filter->ignore_groups_count);
}

bool gjk_filter_passes(const gjk_filter *filter, const gjk_body *body) {
    return (body->category & filter->mask) != 0 && (filter->category & body->mask) != 0 &&
           !is_listed(body->id, filter->ignore, filter->ignore_count) &&
           !is_ignored(filter, body->group) &&
           (!filter->has_only_groups ||
            is_listed(body->group, filter->only_groups, filter->only_groups_count));
}
