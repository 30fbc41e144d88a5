/*
 * Filters: category bits in both directions, then the lists of ids and groups.
 */

#include "gjk/set_query.h"

#include <string.h>

gjk_filter gjk_filter_default(void) {
    return (gjk_filter){.category = UINT32_MAX, .mask = UINT32_MAX};
}

static bool listed(const char *text, const char *const *list, uint32_t count) {
    for (uint32_t i = 0; text != NULL && i < count; i++) {
        if (strcmp(text, list[i]) == 0) {
            return true;
        }
    }
    return false;
}

bool gjk_filter_passes(const gjk_filter *filter, const gjk_body *body) {
    return (body->category & filter->mask) != 0 && (filter->category & body->mask) != 0 &&
           !listed(body->id, filter->ignore, filter->ignore_count) &&
           !listed(body->group, filter->ignore_groups, filter->ignore_groups_count) &&
           (!filter->has_only_groups ||
            listed(body->group, filter->only_groups, filter->only_groups_count));
}
